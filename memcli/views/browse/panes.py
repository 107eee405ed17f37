"""Panes of the screen: the query line, the list, the detail of one entry, and the tabs."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memcli.views.browse.drawing import drawn_entry
from memcli.views.browse.listings import Entry

# The lists, in the order of their keys 1 to 4.
VIEWS = ("memories", "timeline", "review", "spaces")


class QueryLine(Input):
    """The query line; its arrow keys move the list, so that one need not leave it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.move('cursor_down')", "Down", show=False),
        Binding("up", "app.move('cursor_up')", "Up", show=False),
        Binding("pagedown", "app.move('page_down')", "Page down", show=False),
        Binding("pageup", "app.move('page_up')", "Page up", show=False),
        Binding("enter,tab", "app.to_list", "to the list", key_display="Enter"),
        Binding("escape", "app.clear", "clear", key_display="Esc"),
        Binding("f1", "app.help", "help", key_display="F1"),
        Binding("ctrl+q", "app.quit", "quit", key_display="^q"),
    ]


class EntryList(OptionList):
    """The list; `entries` are what it shows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
        Binding("g", "first", "First", show=False),
        Binding("G", "last", "Last", show=False),
    ]

    class NearEnd(Message):
        """Posted when the cursor reaches the last entry."""

    def __init__(self) -> None:
        super().__init__(id="list", markup=False)
        self.entries: list[Entry] = []

    @property
    def at_hand(self) -> Entry | None:
        """Return the entry under the cursor."""
        index = self.highlighted
        return self.entries[index] if index is not None and index < len(self.entries) else None

    def show(self, entries: list[Entry], key: str | None = None) -> None:
        """Show entries, with the cursor on the one with a key, else where it was."""
        before = self.highlighted or 0
        self.entries = entries
        self.clear_options()
        self.add_options(Option(drawn_entry(each), disabled=each.sort == "heading") for each in entries)
        there = [place for place, each in enumerate(entries) if each.key == key]
        chosen = there[0] if there else min(before, len(entries) - 1)
        while 0 <= chosen < len(entries) - 1 and entries[chosen].sort == "heading":
            chosen += 1
        self.highlighted = chosen if entries else None

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Post `NearEnd` at the last entry: there may be more."""
        if event.option_index >= len(self.entries) - 1:
            self.post_message(self.NearEnd())


class DetailPane(VerticalScroll):
    """The detail of the current entry; scrolls."""

    def compose(self) -> ComposeResult:
        """Lay out one text."""
        yield Static(markup=False, id="detail-text")

    def show(self, content: Content, *, from_top: bool) -> None:
        """Show this; `from_top` if it is another entry than before."""
        self.query_one("#detail-text", Static).update(content)
        if from_top:
            self.scroll_home(animate=False)


class Body(Container):
    """The list, and beside or below it the detail, with the keys that change the current entry."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "app.search", "find", key_display="/"),
        Binding("enter", "app.open", "open", key_display="Enter"),
        Binding("a", "app.accept", "accept"),
        Binding("x", "app.reject", "reject"),
        Binding("c", "app.confirm", "confirm"),
        Binding("d", "app.doubt", "doubt"),
        Binding("e", "app.correct", "correct"),
        Binding("f", "app.forget", "forget"),
        Binding("b", "app.restore", "bring back"),
        Binding("u", "app.undo", "undo"),
        Binding("E", "app.toggle_ended", "ended too", show=False),
        Binding("r", "app.refresh_list", "Read anew", show=False),
        Binding("escape", "app.leave", "Back", show=False),
        *(
            Binding(str(number), f"app.view('{name}')", name, show=False)
            for number, name in enumerate(VIEWS, 1)
        ),
        Binding("question_mark", "app.help", "help", key_display="?"),
        Binding("q", "app.quit", "quit"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out list and detail."""
        yield EntryList()
        yield DetailPane(id="detail")


class ViewTab(Static):
    """The name of a list, which can be clicked."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(id=f"tab-{name}", classes="tab", markup=False)
        self.view = name
        self.number = number
        self.count = 0

    def on_mount(self) -> None:
        """Draw it."""
        self.draw()

    def draw(self, count: int = 0) -> None:
        """Show its key and name, and how many entries wait there."""
        self.count = count
        waiting = f" ({count})" if count else ""
        self.update(Content.assemble((str(self.number), "dim"), f" {self.view.title()}{waiting}"))

    async def on_click(self) -> None:
        """Show this list."""
        await self.app.run_action(f"view('{self.view}')")


class Top(Horizontal):
    """The tabs, and the name of the space."""

    def compose(self) -> ComposeResult:
        """Lay out the tabs on the left, the space on the right."""
        for number, name in enumerate(VIEWS, 1):
            yield ViewTab(name, number)
        yield Static(markup=False, id="where")
