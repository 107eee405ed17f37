"""One import: what its parts share, namely the source's name, the origin, the options and the report."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memcli import ids
from memcli.errors import BadInput, Refused
from memcli.importers.records import Statement, Turn
from memcli.importers.report import CarriedReport
from memcli.memories import Memories
from memcli.named_tuple import NamedTuple
from memcli.text.checks import check_depth
from memcli.text.secrets.redaction import secrets_in_value, without_quoted_secrets
from memcli.write_policy.settings import WriteOptions


class OneImport(NamedTuple):
    """An import into the space of `memories`."""

    memories: Memories
    source: str
    """The name of its source, from which ids are derived."""
    origin: str
    untrusted: bool
    """If True, nothing of it counts as the owner's word, whoever is said to have written it."""
    options: WriteOptions
    dry_run: bool
    report: CarriedReport

    def derived_id(self, key: str, at: datetime | None) -> str:
        """Return the id here of a record with this key at its source; the same in every import."""
        return ids.derived_id("\0".join((self.source, self.memories.space, key)), at)

    def left_out(self, place: str, error: BadInput | Refused) -> None:
        """Report why the record at a place was left out."""
        if isinstance(error, Refused):
            self.report.was_refused(place, str(error))
        else:
            self.report.could_not_read(place, without_quoted_secrets(str(error)))

    def data_of(self, record: Turn | Statement) -> dict[str, Any]:
        """Return the data kept beside a text: its origin with its id there, and what the source says of it.

        Fields that look like secrets are left out, as they would get the text refused; so would a hash behind
        a colon, which is why some ids stand behind a `#`. Raises BadInput for data that cannot be kept.
        """
        check_depth(record.data, "data")
        kept = {name: each for name, each in record.data.items() if not secrets_in_value(each)}
        written = (f"{self.source}{separator}{record.id}"[:400] for separator in ":#")
        return {**kept, "imported": next((e for e in written if not secrets_in_value(e)), self.source)}
