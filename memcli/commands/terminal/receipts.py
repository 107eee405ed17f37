"""Printing the receipt of an erasure."""

from __future__ import annotations

import shlex

from memcli.changes.forgetting.receipt import ERASED, ErasureReceipt
from memcli.changes.forgetting.targets import is_erasable
from memcli.changes.forgetting.unfinished import unfinished_erasure
from memcli.commands.terminal import output
from memcli.text import printable


def print_receipt(receipt: ErasureReceipt, *, as_json: bool) -> None:
    """Print what was erased and how that was checked. Raises ErasureUnfinished where that is not proven."""
    if as_json:
        output.to_stdout(printable.json_line(receipt.to_record()))
    else:
        for line in _lines(receipt):
            output.to_stdout(line)
    if not receipt.verified:
        raise unfinished_erasure(receipt.unfinished)


def _lines(receipt: ErasureReceipt) -> list[str]:
    lines = [f"erased {memory_id}" for memory_id in receipt.memories]
    lines += [f"erased {memory_id} (an earlier version)" for memory_id in receipt.earlier_versions]
    lines += [f"erased {memory_id} (quoted it)" for memory_id in receipt.derived]
    lines += [f"rebuilt as {memory_id}, without it" for memory_id in receipt.rebuilt]
    lines += [f"erased {key}" for key in receipt.values]
    lines += [f"dropped {key}" for key in receipt.states]
    lines += [f"reasons that quoted it erased from the history of {each}" for each in receipt.reasons]
    lines += [f"erased link {link_id}" for link_id in receipt.links]
    lines += [f"erased all of {area}: {number}" for area, number in receipt.space.items()]
    if receipt.rows:
        lines.append("rows: " + ", ".join(f"{part} {rows}" for part, rows in receipt.rows.items()))
    lines += [f"backup {path}: erased" for path, verdict in receipt.backups.items() if verdict == ERASED]
    for each in receipt.shared:
        stays = "stays, and says it too" if is_erasable(each) else "stays, as memcli works by it"
        lines.append(f"{stays}: {printable.one_line(each)}")
    lines += [f"to erase what stays, too: {command}" for command in receipt.removal]
    if receipt.shared_outside:
        lines.append("another space says it too, and keeps it")
    looked = ", ".join(f"{number} {what}" for what, number in receipt.checks.items())
    lines += [f"STILL FOUND in {place}" for place in receipt.traces if place not in receipt.backups]
    lines += [
        f"STILL FOUND in {place}: rm {shlex.quote(place)} removes that copy"
        for place in receipt.traces if place in receipt.backups
    ]  # fmt: skip
    if receipt.verified:
        where = "row or index" if receipt.unreached else "index or file"
        lines.append(f"checked: {looked}; none of it is left in any {where} of the store")
        lines += [f"not looked through: {receipt.unreached}"] if receipt.unreached else []
    else:
        lines += [f"NOT FINISHED: {why}" for why in receipt.unfinished]
    lines += [
        f"change files in {printable.one_line(folder)}: {verdict}"
        for folder, verdict in receipt.change_files.items() if verdict == ERASED
    ]  # fmt: skip
    for command in map(str, receipt.told_at_next_sync.values()):
        here = f"run {printable.one_line(command)} here, then there"
        lines.append(f"other machines erase theirs once they hear of it: {here}")
    return lines
