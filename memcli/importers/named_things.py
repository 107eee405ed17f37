"""Named things: import of records identified by a name, namely links between entities, procedures, blocks."""

from __future__ import annotations

from memcli.errors import Refused
from memcli.importers.records import LabelledText, Relation, Skill
from memcli.importers.report import CarriedReport
from memcli.memories import Memories
from memcli.text.secrets.redaction import without_secrets_in

NamedRecord = Relation | Skill | LabelledText


class NamedThings:
    """Imports named records one by one; what the owner has changed or ended here stays so.

    With `redact`, secrets are removed from a procedure instead of refusing it.
    """

    def __init__(
        self,
        memories: Memories,
        report: CarriedReport,
        origin: str,
        *,
        untrusted: bool,
        dry_run: bool,
        redact: bool = False,
    ) -> None:
        self._memories, self._report, self._origin = memories, report, origin
        self._untrusted, self._dry_run, self._redact = untrusted, dry_run, redact
        self._links: set[tuple[str, str, str]] | None = None

    def take(self, record: NamedRecord) -> None:
        """Import one record. Raises BadInput and Refused."""
        if isinstance(record, Relation):
            self._link(record)
        elif isinstance(record, Skill):
            self._procedure(record)
        else:
            self._block(record)

    def _link(self, relation: Relation) -> None:
        from memcli.graph.link_changes import link_entities
        from memcli.text.naming.names import spelling_key

        store, space = self._memories.store, self._memories.space
        if self._links is None:
            self._links = {
                (spelling_key(each.subject), spelling_key(each.relation), spelling_key(each.object))
                for each in store.links()
                if each.space == space
            }
        key = (
            spelling_key(relation.subject), spelling_key(relation.relation), spelling_key(relation.object)
        )  # fmt: skip
        if key in self._links:
            self._report.links_known += 1
            return
        if not self._dry_run:
            with store.writing():
                made = link_entities(
                    self._memories, relation.subject, relation.relation, relation.object
                ).link
                if self._untrusted or not relation.trusted:
                    store.put_links([made._replace(data={**made.data, "origin": self._origin})])
        self._links.add(key)
        self._report.links_added += 1

    def _procedure(self, skill: Skill) -> None:
        from memcli.text.yaml_text import write_yaml
        from memcli.tiers.procedures.procedures import Procedures
        from memcli.tiers.versions import VersionOptions

        procedures = Procedures(self._memories)
        front = {"name": skill.name, "description": skill.description or skill.name}
        steps = (step.replace("\n", "\n   ") for step in skill.steps)
        listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        document = f"---\n{write_yaml(front)}---\n\n## Steps\n\n{listed}\n"
        if self._redact:
            document = without_secrets_in(document)
        here = procedures.versions.versions_of(skill.name)
        if here and (here[-1].ended_at or here[-1].origin != self._origin):
            # The owner wrote another procedure by that name, or has ended it.
            self._report.procedures_known += 1
            return
        if here and here[-1].data.get("document") == document:
            self._report.procedures_known += 1
            return
        if not self._dry_run:
            trusted = skill.trusted and not self._untrusted
            options = VersionOptions(origin=self._origin, trusted=trusted)
            procedures.add(skill.name, document, "markdown", options, where=skill.place)
        if here:
            self._report.procedures_updated += 1
        else:
            self._report.procedures_added += 1

    def _block(self, block: LabelledText) -> None:
        from memcli.tiers.context.blocks import blocks, put_block

        if self._untrusted:
            raise Refused(
                f"block {block.label!r:.60}: only its owner's file brings blocks", "untrusted-origin"
            )
        here = next(
            (each for each in blocks(self._memories, deleted=True) if each.label == block.label), None
        )
        if here and any(version.text == block.text for version in here.versions):
            self._report.blocks_known += 1
            return
        if here and here.description != block.description:
            raise Refused(
                f"block {block.label!r:.60} is here already, and another's; rename it first", "block"
            )
        if not self._dry_run:
            cap = max(block.max_chars or 0, len(block.text), here.max_chars if here else 0)
            put_block(self._memories, block.label, block.text, max_chars=cap, description=block.description)
        self._report.blocks_set += 1
