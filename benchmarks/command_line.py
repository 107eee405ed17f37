"""What the command lines of the benchmarks share: their description, and where the model is kept."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser_for(doc: str | None) -> argparse.ArgumentParser:
    """A parser that describes a benchmark by the first line of its docstring."""
    return argparse.ArgumentParser(description=(doc or "").partition("\n")[0])


def add_cache(parser: argparse.ArgumentParser, kept: str = "the compiled model") -> None:
    """Let a benchmark be told where what takes long to make is kept between runs."""
    parser.add_argument("--cache", type=Path, help=f"keeps {kept} between runs")
