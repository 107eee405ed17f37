"""What the parts of one import share: whose word it is, how it is taken in, and what is told of it."""

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
    """The name of its source: ids are derived from it."""
    origin: str
    untrusted: bool
    """Nothing of it is its owner's word, whoever is said to have written it."""
    options: WriteOptions
    dry_run: bool
    report: CarriedReport

    def derived_id(self, key: str, at: datetime | None) -> str:
        """The id here of what has this key there, the same at each import into this space."""
        return ids.derived_id("\0".join((self.source, self.memories.space, key)), at)

    def left_out(self, place: str, error: BadInput | Refused) -> None:
        """Say why what stands at a place did not come in."""
        if isinstance(error, Refused):
            self.report.was_refused(place, str(error))
        else:
            self.report.could_not_read(place, without_quoted_secrets(str(error)))

    def data_of(self, record: Turn | Statement) -> dict[str, Any]:
        """What is kept beside a text: where it came from, with its id there, and what its source says of it.

        A field that looks like a secret is left out; it would have the text refused. So does a hash behind a
        colon, which is why some stand behind a `#`. `undated` says that nobody knows when it was said.
        Raises BadInput for what cannot be kept.
        """
        check_depth(record.data, "data")
        kept = {name: each for name, each in record.data.items() if not secrets_in_value(each)}
        written = (f"{self.source}{separator}{record.id}"[:400] for separator in ":#")
        return {**kept, "imported": next((e for e in written if not secrets_in_value(e)), self.source)}
