"""Secrets: how many labelled ones the write policy finds, and how many ordinary messages it flags.

    python -m benchmarks.secrets [--data PATH] [--examples 5]

First the sentences of `benchmarks/labels/*/secrets.jsonl` ({text, lang, secret}): credentials
noted in prose and their look-alikes, by author and by language. The rules were chosen on
a1, a2, a3 and a5; a4, a6 and a7 were counted afterwards, their sentences not read.

`PATH` is the folder of public data: `secrets-*/examples.jsonl.gz` holds labelled
examples ({source, rule, label, text}), `locomo-*`, `beam-*` and `prefeval-*`
ordinary messages. Examples whose rule names an identifier (a bucket, a host, a
client's id) are counted apart: they are labelled, but no secrets. A flagged
ordinary message is shown without what was found in it.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.command_line import parser_for
from benchmarks.conversations import load
from memcli.text.secrets.scan import find_secrets, redact

# The twenty best-known services of the issue, by the names that rules are called by.
BEST_KNOWN = (
    "aws|amazon|azure|google|gcp|github|gitlab|slack|stripe|openai|anthropic|hugging ?face|twilio|sendgrid"
    "|npm|pypi|discord|telegram|digitalocean|heroku|cloudflare|shopify"
)
# The collections whose messages are ordinary text.
ORDINARY = ("locomo", "beam", "prefeval")
LABELS = Path(__file__).parent / "labels"
# Authors that no rule was chosen on.
HELD_OUT = ("a4", "a6", "a7")
IDENTIFIERS = (
    "s3 bucket|amazon resource name|account id|org name|organization id| host$|domain$|jfrog url|username"
    "|recipient|application id|app id|client id|email$"
)


def main() -> None:
    """Print the tables."""
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, help="folder of public data")
    parser.add_argument("--examples", type=int, default=5, help="flagged ordinary messages to show")
    given = parser.parse_args()
    noted()
    if given.data is None:
        return
    labelled = [
        json.loads(line)
        for path in sorted(given.data.glob("secrets-*/*.jsonl.gz"))
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]
    if not labelled:
        raise SystemExit(f"{given.data}: no secrets-*/*.jsonl.gz lies there")
    print()
    recall([(each["rule"], each["text"]) for each in labelled if each["label"] == 1])
    negatives = [each["text"] for each in labelled if each["label"] == 0]
    print("\n| ordinary messages | number | flagged | % | µs, mean | median |\n|---|--:|--:|--:|--:|--:|")
    ordinary({"counter-examples of rules": negatives}, 0)
    texts = {
        name: [r["text"] for talk in load(given.data, [name]) for r in talk.records] for name in ORDINARY
    }
    ordinary(texts, given.examples)


def noted() -> None:
    """Print how many of the sentences that note a credential are found, and how many look-alikes flagged."""
    rows = [
        (path.parent.name, row["lang"], row["secret"], bool(find_secrets(row["text"])))
        for path in sorted(LABELS.glob("*/secrets.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]
    groups = {
        **{author: [row for row in rows if row[0] == author] for author in sorted({row[0] for row in rows})},
        **{lang: [row for row in rows if row[1] == lang] for lang in sorted({row[1] for row in rows})},
        "chosen on": [row for row in rows if row[0] not in HELD_OUT],
        "held out": [row for row in rows if row[0] in HELD_OUT],
    }
    print(
        "| noted in prose | number | found | % | look-alikes | flagged | % |\n|---|--:|--:|--:|--:|--:|--:|"
    )
    for name, group in groups.items():
        cells = [name]
        for secret in (True, False):
            found = [flagged for *_, label, flagged in group if label is secret]
            cells += [f"{len(found)}", f"{sum(found)}", f"{100 * sum(found) / max(1, len(found)):.1f}"]
        print(f"| {' | '.join(cells)} |")


def recall(positives: Sequence[tuple[str, str]]) -> None:
    """Print the share of labelled secrets found, by group of services."""

    def named(pattern: str, rule: str) -> bool:
        return re.search(pattern, rule, re.IGNORECASE) is not None

    secret = [(rule, text) for rule, text in positives if not named(IDENTIFIERS, rule)]
    groups = {
        "all labelled": positives,
        "identifiers, no secrets": [each for each in positives if named(IDENTIFIERS, each[0])],
        "secrets": secret,
        "of the best-known services": [each for each in secret if named(rf"\b(?:{BEST_KNOWN})", each[0])],
        "of other services": [each for each in secret if not named(rf"\b(?:{BEST_KNOWN})", each[0])],
        "best-known, identifiers too": [each for each in positives if named(rf"\b(?:{BEST_KNOWN})", each[0])],
    }
    print("| labelled examples | number | found | % |\n|---|--:|--:|--:|")
    for name, group in groups.items():
        found = sum(bool(find_secrets(text)) for _, text in group)
        print(f"| {name} | {len(group)} | {found} | {100 * found / max(1, len(group)):.1f} |", flush=True)


def ordinary(corpora: dict[str, list[str]], examples: int) -> None:
    """Print how many messages of each corpus are flagged, and the time of one."""
    shown = []
    for name, texts in corpora.items():
        times, flagged = [], []
        for text in texts:
            started = time.perf_counter()
            secrets = find_secrets(text)
            times.append(1e6 * (time.perf_counter() - started))
            if secrets:
                flagged.append((text, secrets))
        if not texts:
            continue
        mean, share = sum(times) / len(times), 100 * len(flagged) / len(texts)
        print(f"| {name} | {len(texts)} | {len(flagged)} | {share:.2f} | {mean:.0f} | {median(times):.0f} |")
        shown += [(name, redact(text, secrets), secrets[0]) for text, secrets in flagged[:examples]]
    for name, text, secret in shown:
        print(f"{name}: {secret.rule}: …{text[max(0, secret.start - 50) : secret.start + 40]!r}")


if __name__ == "__main__":
    main()
