"""Dialogs over the screen: help, a question, a reason, a text to correct."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static, TextArea

from memcli.named_tuple import NamedTuple
from memcli.views.browse.drawing import assembled

HELP = (
    ("Find", (
        ("any words", "recall while you type, just as `mem recall` finds"),
        ("↑ ↓ PgUp PgDn", "move in the list, from the line you type into, too"),
        ("Enter", "to the list; from there to the detail, or into a space"),
        ("/  Esc", "to the line; clear the line, or step back"),
        ("1 2 3 4", "memories, timeline, review queue, spaces"),
        ("E  r", "ended memories, too; read the store anew"),
    )),
    ("Change: each is on record", (
        ("c  d", "confirm, believed 10 % more; doubt, 20 % less"),
        ("e", "correct: a new text takes its place, the old one stays"),
        ("f  b", "forget: out of every recall; bring it back (see E)"),
        ("u", "undo the last change; asks where others made it"),
        ("a  x", "in the review queue: accept, reject"),
    )),
    ("Leave", (
        ("q  ^q  ^c", "from the list; from anywhere"),
    )),
)  # fmt: skip
HARD = "Nothing here erases for good: that is `mem forget --hard`."
_KEY_WIDTH = 14


class Correction(NamedTuple):
    """What was typed: the new text, and the reason."""

    text: str
    reason: str


class HelpScreen(ModalScreen[None]):
    """The keys, and what they do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,space", "dismiss", "close", key_display="Esc"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the tables of `HELP`."""
        parts: list[tuple[str, str]] = []
        for heading, rows in HELP:
            parts.append((f"{heading}\n", "bold underline"))
            for keys, told in rows:
                parts += [(f"  {keys:<{_KEY_WIDTH}}", "bold"), (f"{told}\n", "")]
        parts.append((f"\n{HARD}", "dim"))
        with VerticalScroll(classes="dialog", id="help"):
            yield Static(assembled(parts), markup=False)
        yield Footer(compact=True, show_command_palette=False)


class ReasonScreen(ModalScreen[str | None]):
    """A question with an input line for an optional reason; returns None if cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "do it", key_display="Enter", priority=True),
        Binding("escape", "call_off", "leave it", key_display="Esc"),
    ]

    def __init__(self, question: str, about: str) -> None:
        super().__init__()
        self._question = question
        self._about = about

    def compose(self) -> ComposeResult:
        """Lay out the question, what it is about, and the input line."""
        with Vertical(classes="dialog"):
            yield Static(Content.assemble((self._question, "bold")), markup=False)
            yield Static(Content(self._about), markup=False, classes="about")
            yield Input(placeholder="why, for the record (may be empty)", id="reason", compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def action_done(self) -> None:
        """Close with the reason."""
        self.dismiss(self.query_one("#reason", Input).value)

    def action_call_off(self) -> None:
        """Close with None."""
        self.dismiss(None)


class AskScreen(ModalScreen[bool]):
    """A yes/no question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "answer(True)", "yes", key_display="y"),
        Binding("n,escape,q", "answer(False)", "no", key_display="n"),
    ]

    def __init__(self, question: str, about: list[str]) -> None:
        super().__init__()
        self._question = question
        self._about = about

    def compose(self) -> ComposeResult:
        """Lay out the question, and what it is about."""
        with VerticalScroll(classes="dialog"):
            yield Static(Content.assemble((self._question, "bold")), markup=False)
            yield Static(Content("\n".join(self._about)), markup=False, classes="about")
        yield Footer(compact=True, show_command_palette=False)

    def action_answer(self, yes: bool) -> None:
        """Close with the answer."""
        self.dismiss(yes)


class CorrectScreen(ModalScreen[Correction | None]):
    """A text to correct, and the reason; returns None if cancelled or unchanged."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "done", "keep it", key_display="Ctrl+S", priority=True),
        Binding("escape", "call_off", "leave it as it was", key_display="Esc", priority=True),
        Binding("tab", "app.focus_next", "text / reason", priority=True),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Lay out the text and the reason."""
        with Vertical(classes="dialog", id="correct"):
            yield Static(Content.assemble(("What is true instead?", "bold")), markup=False)
            yield TextArea(self._text, id="text", soft_wrap=True, compact=True)
            yield Input(placeholder="why, for the record (may be empty)", id="reason", compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Put the cursor at the end of the text."""
        area = self.query_one("#text", TextArea)
        area.focus()
        area.move_cursor(area.document.end)

    def action_done(self) -> None:
        """Close with what was typed."""
        text = self.query_one("#text", TextArea).text.strip()
        changed = text and text != self._text.strip()
        self.dismiss(Correction(text, self.query_one("#reason", Input).value) if changed else None)

    def action_call_off(self) -> None:
        """Close with None."""
        self.dismiss(None)
