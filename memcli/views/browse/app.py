"""The browse app: the screen's key bindings and actions, and how answers of the store are shown."""

from __future__ import annotations

import os
import signal
from asyncio import get_running_loop
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import ClassVar, TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Input, OptionList, Static

from memcli.errors import MemcliError
from memcli.memories import Memories
from memcli.text.printable import one_line
from memcli.views.browse import deeds, looks
from memcli.views.browse.deeds import Done, LastChange
from memcli.views.browse.desk import Desk
from memcli.views.browse.detail import Detail
from memcli.views.browse.dialogs import AskScreen, Correction, CorrectScreen, HelpScreen, ReasonScreen
from memcli.views.browse.drawing import THEME, drawn_beginning, drawn_detail
from memcli.views.browse.listings import Entry, Listing
from memcli.views.browse.panes import VIEWS, Body, DetailPane, EntryList, QueryLine, Top, ViewTab

T = TypeVar("T")
# Seconds without a key press before the store is queried: after typing, and after moving in the list.
_TYPED, _MOVED = 0.15, 0.08
# Entries that a list begins with, and that are added each time its end is reached.
_PAGE = 300
# From so many columns on, the detail is beside the list.
_WIDE = 100
_CHANGING = ("confirm", "doubt", "correct", "forget")


class Browser(App[None]):
    """The screen of one store, which `desk` opens for each access."""

    CSS_PATH = "app.tcss"
    TITLE = "mem"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_WIDE, "-wide")]  # noqa: RUF012 - typed so by Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", show=False),
        Binding("ctrl+q", "quit", "Quit", show=False),
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True),
    ]

    def __init__(self, desk: Desk) -> None:
        # Without colour, only reversed, bold and underlined text is used.
        plain = bool(os.environ.get("NO_COLOR"))
        super().__init__(ansi_color=plain or None)
        self.set_class(plain, "-no-colour")
        self.register_theme(THEME)
        self.theme = "ansi-dark" if plain else THEME.name
        self.desk = desk
        self.view = VIEWS[0]
        self.ended = False
        self._limit = _PAGE
        self._more = False
        self._listing = 0
        self._looking = 0
        self._shown: Entry | None = None
        self._pause: Timer | None = None
        self._own: set[str] = set()
        self._is_composed = False

    def compose(self) -> ComposeResult:
        """Lay out the tabs, the query line, list and detail, the status line, and the keys."""
        yield Top(id="top")
        with Horizontal(id="query-row"):
            yield Static("/", id="prompt", markup=False)
            yield QueryLine(id="query", placeholder="type to recall", compact=True)
        yield Body(id="body")
        yield Static(markup=False, id="status")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first list."""
        self._is_composed = True
        self._leave_at_signals()
        self.desk.notify = lambda line: self.call_from_thread(self.say, line)
        self._line.focus()
        self._at_hand()
        self.read_list()

    # Its parts, whatever lies over them

    @property
    def _base(self) -> Screen[object]:
        return self.screen_stack[0]

    @property
    def _line(self) -> QueryLine:
        return self._base.query_one(QueryLine)

    @property
    def _entries(self) -> EntryList:
        return self._base.query_one(EntryList)

    @property
    def _pane(self) -> DetailPane:
        return self._base.query_one(DetailPane)

    # Reading

    def read_list(self, key: str | None = None, *, done: str = "") -> None:
        """Read the current list; put the cursor on the entry with a key; say `done` then."""
        self._listing += 1
        asked, query = self._listing, self._line.value.strip()
        work = partial(looks.read, self.view, query, self._limit, self.ended)
        self._ask(
            work,
            lambda answer: self._show_list(*answer, key, done),
            wanted=lambda: asked == self._listing,
        )

    def _show_list(
        self, listing: Listing, space: str, total: int, waits: int, key: str | None, done: str
    ) -> None:
        self._more = listing.more
        entries = self._entries
        entries.show(listing.entries, key)
        where = Content.assemble(one_line(space), (f"  {total:,} in force", "dim"))
        self._base.query_one("#where", Static).update(where)
        self._base.query_one("#tab-review", ViewTab).draw(waits)
        if done:
            self.say(done, "-done")
        else:
            self.say(listing.note + (", ended ones too" if self.ended and listing.entries else ""))
        if not listing.entries:
            self._shown = None
            self._pane.show(Content(looks.nothing(self.view)), from_top=True)
        else:
            self._look(entries.at_hand)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Read the list again once the typing pauses."""
        if event.input.id == "query":
            self._limit = _PAGE
            self._after_pause(_TYPED, self.read_list)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the entry under the cursor."""
        entry = self._entries.at_hand
        if entry is not None and entry != self._shown:
            self._look(entry)

    def on_option_list_option_selected(self) -> None:
        """Open the entry (Enter or a click): its detail, or a space."""
        self.action_open()

    def on_entry_list_near_end(self) -> None:
        """Read more entries if there are any."""
        if self._more:
            self._more = False
            self._limit += _PAGE
            entry = self._entries.at_hand
            self.read_list(entry.key if entry else None)

    def _look(self, entry: Entry | None) -> None:
        if entry is None or entry.sort == "heading":
            return
        pane = self._pane
        other = self._shown is None or self._shown.key != entry.key
        if other:
            pane.show(drawn_beginning(entry), from_top=True)
        self._shown = entry
        self.refresh_bindings()
        self._looking += 1
        asked = self._looking
        self.set_timer(_MOVED, partial(self._read_detail, entry, asked))

    def _read_detail(self, entry: Entry, asked: int) -> None:
        if asked != self._looking:
            return

        def show(found: Detail) -> None:
            if asked == self._looking:
                self._pane.show(drawn_detail(found), from_top=False)

        self._ask(partial(looks.details, entry), show, wanted=lambda: asked == self._looking)

    # Changing

    def _do(self, work: Callable[[Memories], Done]) -> None:
        """Make a change, say what was done, and show the list as it is then."""

        def done(what: Done) -> None:
            self._own.update([what.change] if what.change else [])
            self.read_list(what.key or (self._shown.key if self._shown else None), done=what.said)

        self.say("…")
        self._ask(work, done)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return which actions are available at the moment."""
        entry = self._entries.at_hand if self._is_composed else None
        if action in ("accept", "reject"):
            return self.view == "review" and entry is not None
        if action in _CHANGING:
            return entry is not None and entry.sort == "memory" and not entry.ended
        if action == "restore":
            return entry is not None and entry.sort == "memory" and entry.ended
        if action == "open":
            return self.view == "spaces" and entry is not None
        return True

    def action_confirm(self) -> None:
        """Raise the confidence of the current memory."""
        if entry := self._entries.at_hand:
            self._do(partial(deeds.confirm, key=entry.key))

    def action_doubt(self) -> None:
        """Lower the confidence of the current memory."""
        if entry := self._entries.at_hand:
            self._do(partial(deeds.doubt, key=entry.key))

    def action_restore(self) -> None:
        """Restore the current memory."""
        if entry := self._entries.at_hand:
            self._do(partial(deeds.restore, key=entry.key))

    def action_forget(self) -> None:
        """Ask why, and forget the current memory."""
        entry = self._entries.at_hand
        if entry is None:
            return

        def forget(reason: str | None) -> None:
            if reason is not None:
                self._do(partial(deeds.forget, key=entry.key, reason=reason))

        self.push_screen(ReasonScreen("Forget this? It can be brought back.", entry.text), forget)

    def action_correct(self) -> None:
        """Let the user edit the current memory's text, and replace it."""
        entry = self._entries.at_hand
        if entry is None:
            return

        def correct(given: Correction | None) -> None:
            if given is None:
                self.say("nothing was changed")
            else:
                self._do(partial(deeds.correct, key=entry.key, text=given.text, reason=given.reason))

        def edit(text: str) -> None:
            self.push_screen(CorrectScreen(text), correct)

        self._ask(partial(looks.text_of, entry), edit)

    def action_accept(self) -> None:
        """Accept the current entry that waits."""
        if entry := self._entries.at_hand:
            self._do(partial(deeds.accept, entry=entry))

    def action_reject(self) -> None:
        """Reject the current entry that waits."""
        if entry := self._entries.at_hand:
            self._do(partial(deeds.reject, entry=entry))

    def action_undo(self) -> None:
        """Undo the last change; ask first if it was not made on this screen."""

        def ask(last: LastChange) -> None:
            undo = partial(deeds.undo, key=last.key)
            if last.key in self._own:
                self._do(undo)
                return
            told = [*last.lines[:5], *([f"and {len(last.lines) - 5} more"] if len(last.lines) > 5 else [])]
            question = AskScreen("Undo this? It was not changed on this screen.", told)
            self.push_screen(question, lambda yes: self._do(undo) if yes else None)

        self._ask(deeds.undoable, ask)

    # Moving

    def action_move(self, how: str) -> None:
        """Move the cursor of the list, from wherever the focus is."""
        getattr(self._entries, f"action_{how}")()

    def action_to_list(self) -> None:
        """Move the focus from the query line to the list."""
        self._entries.focus()

    def action_search(self) -> None:
        """Move the focus to the query line."""
        self._line.focus()

    def action_clear(self) -> None:
        """Clear the query line; leave it if it is empty."""
        line = self._line
        if line.value:
            line.value = ""
        else:
            self.action_to_list()

    def action_leave(self) -> None:
        """Move the focus from the detail to the list, or from the list to the query line."""
        entries = self._entries
        if self.focused is entries:
            self._line.focus()
        else:
            entries.focus()

    def action_open(self) -> None:
        """Move the focus to the detail; in the list of spaces, enter the space."""
        entry = self._entries.at_hand
        if entry and entry.sort == "space":
            self.desk.space = entry.key
            self.action_view("memories")
            self._entries.focus()
        elif entry:
            self._pane.focus()

    def action_view(self, name: str) -> None:
        """Show another list."""
        self.view, self._limit = name, _PAGE
        self._at_hand()
        self.read_list()

    def action_toggle_ended(self) -> None:
        """Show ended memories, too, or hide them."""
        self.ended = not self.ended
        self.read_list(self._shown.key if self._shown else None)

    def action_refresh_list(self) -> None:
        """Read the store again."""
        self.read_list(self._shown.key if self._shown else None)

    async def action_help(self) -> None:
        """Show the keys, or hide them."""
        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            self.push_screen(HelpScreen())

    # Messages, and access to the store

    def say(self, line: str, how: str = "") -> None:
        """Write a line above the keys; `how` is its CSS class."""
        status = self._base.query_one("#status", Static)
        status.update(Content(one_line(line)))
        status.set_classes(how)

    def _leave_at_signals(self) -> None:
        """Leave, and so restore the terminal, if the process is terminated or its window closed."""
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                number = getattr(signal, name)
                status = 128 + number
                get_running_loop().add_signal_handler(number, partial(self.exit, return_code=status))

    def _at_hand(self) -> None:
        for tab in self._base.query(ViewTab):
            tab.set_class(tab.view == self.view, "-at-hand")
        self._base.query_one("#query-row").display = self.view in ("memories", "timeline")
        if not self._base.query_one("#query-row").display and isinstance(self.focused, QueryLine):
            self._entries.focus()
        self.refresh_bindings()

    def _after_pause(self, seconds: float, then: Callable[[], None]) -> None:
        if self._pause:
            self._pause.stop()
        self._pause = self.set_timer(seconds, then)

    def _ask(
        self,
        work: Callable[[Memories], T],
        then: Callable[[T], None],
        *,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Run `work` on the store in a thread, and pass the answer to `then`; an error becomes a line."""

        def carry_out() -> None:
            try:
                answer = self.desk.carry_out(work, wanted=wanted)
            except MemcliError as error:
                self.call_from_thread(self.say, str(error), "-error")
                return
            except Exception as error:
                said = f"internal error ({type(error).__name__}); nothing was changed"
                self.call_from_thread(self.say, said, "-error")
                return
            if answer is not None and wanted():
                self.call_from_thread(then, answer)

        self.run_worker(carry_out, thread=True, exit_on_error=False)
