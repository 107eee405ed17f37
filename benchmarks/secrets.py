"""Secrets: how many labelled ones the write policy finds, and how many ordinary messages it flags.

    python -m benchmarks.secrets --data PATH [--examples 5]

`PATH` is the folder of public data: `secrets-*/examples.jsonl.gz` holds labelled
examples ({source, rule, label, text}), `locomo-*`, `beam-*` and `prefeval-*`
ordinary messages. Examples whose rule names an identifier (a bucket, a host, a
client's id) are counted apart: they are labelled, but no secrets. A flagged
ordinary message is shown without what was found in it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.data import SETS, load
from memcli.text.secrets.scan import find_secrets, redact

# The twenty best-known services of the issue, by the names that rules are called by.
BEST_KNOWN = (
    "aws|amazon|azure|google|gcp|github|gitlab|slack|stripe|openai|anthropic|hugging ?face|twilio|sendgrid"
    "|npm|pypi|discord|telegram|digitalocean|heroku|cloudflare|shopify"
)
IDENTIFIERS = (
    "s3 bucket|amazon resource name|account id|org name|organization id| host$|domain$|jfrog url|username"
    "|recipient|application id|app id|client id|email$"
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--examples", type=int, default=5, help="flagged ordinary messages to show")
    given = parser.parse_args()
    labelled = [
        json.loads(line)
        for path in sorted(given.data.glob("secrets-*/*.jsonl.gz"))
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]
    if not labelled:
        raise SystemExit(f"{given.data}: no secrets-*/*.jsonl.gz lies there")
    recall([(each["rule"], each["text"]) for each in labelled if each["label"] == 1])
    negatives = [each["text"] for each in labelled if each["label"] == 0]
    print("\n| ordinary messages | number | flagged | % | µs, mean | median |\n|---|--:|--:|--:|--:|--:|")
    ordinary({"counter-examples of rules": negatives}, 0)
    texts = {name: [r["text"] for talk in load(given.data, [name]) for r in talk.records] for name in SETS}
    ordinary(texts, given.examples)


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
