"""`mem help`: show a command with its examples, or a page of the documentation."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from memcli.commands.terminal import output
from memcli.errors import BadInput

EXAMPLES = """
mem help               # the topics
mem help recall        # a command, with its examples
mem help task step
mem help remembering   # a page
"""

# The documentation is in the package if installed, beside it in a checkout.
_PLACES = (Path(__file__).parents[1] / "docs", Path(__file__).parents[2] / "docs")


def _complete(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the commands and pages whose names begin like this."""
    root: Any = ctx.find_root()
    names = [*root.command.list_commands(root), *_pages()]
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def command(
    context: typer.Context,
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TOPIC…",
            autocompletion=_complete,
            help="A command or a page; without one, a list of both.",
        ),
    ] = None,
) -> None:
    """Show a command with its examples, or a page of the documentation.

    On a terminal, in a pager. Exits 2 if there is no such topic.
    """
    root = context.find_root()
    pages = _pages()
    if not topic:
        _show(_topics(pages))
        return
    about = _help(root, topic)
    page = pages.get(" ".join(topic))
    if page:
        about.append(plain(page.read_text("utf-8")))
    if not about:
        raise BadInput(_unknown(" ".join(topic), [*root.command.list_commands(root), *pages]))  # type: ignore[attr-defined]
    _show("\n\n".join(text.strip() for text in about))


def _pages() -> dict[str, Path]:
    """Return the pages by name; none if neither place has them."""
    folder = next((place for place in _PLACES if place.is_dir()), _PLACES[0])
    return {path.stem: path for path in sorted(folder.glob("*.md"))}


def _topics(pages: dict[str, Path]) -> str:
    lines = [
        "mem help COMMAND: a command with its examples; `mem --help` lists them.",
        "mem help TOPIC: a page.",
        "",
    ]
    for name, path in pages.items():
        # A page begins with a title, an empty line and a sentence; the sentence is shown.
        lines.append(f"  {name:<24} {path.read_text('utf-8').split(chr(10), 3)[2]}")
    return "\n".join(lines)


def _help(root: Any, words: list[str]) -> list[str]:
    """Return the help of the command that the words name, or []."""
    context = root
    for word in words:
        below = (
            context.command.get_command(context, word) if hasattr(context.command, "get_command") else None
        )
        if below is None:
            return []
        context = below.context_class(below, info_name=word, parent=context)
    return [context.get_help()]


def plain(page: str) -> str:
    """Return a page as text: without comments, and with links as their words."""
    page = re.sub(r"<!--.*?-->\n?", "", page, flags=re.DOTALL)
    page = re.sub(r"\[([^][]+)\]\((?!https?:)[^)\s]*\)", r"\1", page)
    return re.sub(r"\n{3,}", "\n\n", page)


def _unknown(topic: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(topic, known, n=1, cutoff=0.5)
    hint = (
        f"did you mean '{close[0]}'?" if close else "`mem help` lists the topics, `mem --help` the commands"
    )
    return f"no topic {topic!r:.60}; {hint}"


def _show(text: str) -> None:
    if output.stdout_is_terminal():
        from pydoc import pager

        pager(text + "\n")
    else:
        output.to_stdout(text)
