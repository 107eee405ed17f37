"""SVG: a graph as a picture (SVG 1.1), drawn without another program."""

from __future__ import annotations

import html
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memcli.graph import drawing
from memcli.graph.walk import Walk
from memcli.model import Link
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.text.counting import counted
from memcli.text.printable import one_line
from memcli.views.picture.layout import Box, Point, lay_out
from memcli.views.picture.lettering import text_width, wrapped

_NAME = 14.0
_LINE = 18.0
_RELATION = 11.0
_PADDING = 12.0
_MARGIN = 24.0
_LABEL_LINE = 13.0
# The most characters in a line of a name, and its lines; of a relation, and the relations in a label.
_NAME_CHARACTERS, _NAME_LINES = 28, 3
_RELATION_CHARACTERS, _LABEL_LINES = 30, 3
# The longest preferred length of a line, however wide its label is.
_LONGEST = 190.0
# The distance between the middles of two lines that join the same boxes.
_BEND = 26.0
# Positions of a label along its line, the best first; and the most of its area that may overlap others.
_ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
_MOST_COVERED = 0.2
# Characters that XML cannot hold, escaped or not (https://www.w3.org/TR/xml/#charsets).
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\ufdd0-\ufdef]")
_STYLE = """\
.page{fill:#faf8f4}.box{fill:#fffefb;stroke:#2a5b8c;stroke-width:1.2}.root{stroke-width:2.6}
.name{fill:#211e1a;font:14px system-ui,sans-serif;text-anchor:middle}
.link{fill:none;stroke:#857c70;stroke-width:1.2}.over{stroke-dasharray:5 4}.tip{fill:#857c70}
.relation{fill:#5c554d;stroke:#faf8f4;stroke-width:4;stroke-linejoin:round;
paint-order:stroke;font:11px system-ui,sans-serif;text-anchor:middle}
@media(prefers-color-scheme:dark){.page{fill:#171614}.box{fill:#1f1d1a;stroke:#8bb8e8}.name{fill:#ece7de}
.relation{fill:#b9b0a3;stroke:#171614}}"""


class _Course(NamedTuple):
    """A link's course: start, control point and end of a quadratic curve."""

    start: Point
    middle: Point
    end: Point

    def at(self, share: float) -> Point:
        rest = 1 - share
        weights = (rest * rest, 2 * rest * share, share * share)
        return (
            sum(weight * point[0] for weight, point in zip(weights, self, strict=True)),
            sum(weight * point[1] for weight, point in zip(weights, self, strict=True)),
        )


class _Line(NamedTuple):
    """One drawn line: all links from one entity to another that hold, or all that are over."""

    tail: int
    head: int
    over: bool
    said: list[str]
    """Each link's relation with notes, for the line's tooltip."""
    label: list[str]
    """The lines of its label."""


def draw_svg(walk: Walk, evidence: drawing.EvidenceById) -> Iterator[str]:
    """Yield the lines of a picture of a walk. Links that were removed, or have lost all evidence, are dashed.

    A label that has no room is left out; the line's tooltip has its text.
    """
    place = {key: number for number, key in enumerate(walk.distance)}
    names = [drawing.shown_name(walk, key) for key in place]
    written = [wrapped(name, _NAME_CHARACTERS, _NAME_LINES) for name in names]
    boxes = [_box(lines) for lines in written]
    drawn = _lines(walk, evidence, place)
    ties = [(line.tail, line.head, min(_LONGEST, 44 + _label_width(line))) for line in drawn]
    centres = lay_out(boxes, ties)
    room = _Room(centres, boxes)
    courses = [_course(centres, boxes, line, bend) for line, bend in zip(drawn, _bends(drawn), strict=True)]
    labels = [_drawn_label(line, course, room) for line, course in zip(drawn, courses, strict=True)]
    left, top, width, height = room.bounds(courses)
    told = f"{counted(len(names), 'entity', 'entities')}, {counted(len(walk.hops), 'link')}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="{left} {top} {width} {height}">'
    )
    alone = len(walk.roots) == 1
    yield f"<title>{_xml(names[0])}: {told}</title>" if alone else f"<title>{told}</title>"
    yield f"<style>{_STYLE}</style>"
    yield (
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto"><path class="tip" d="M0 1 10 5 0 9z"/></marker></defs>'
    )
    yield f'<rect class="page" x="{left}" y="{top}" width="{width}" height="{height}"/>'
    for line, course in zip(drawn, courses, strict=True):
        over = " over" if line.over else ""
        told = f"{names[line.tail]} → {names[line.head]}: {', '.join(line.said)}"
        yield (
            f'<g><title>{_xml(told)}</title><path class="link{over}" marker-end="url(#tip)" '
            f'd="{_path(course)}"/></g>'
        )
    yield from filter(None, labels)
    for number, (lines, box, centre) in enumerate(zip(written, boxes, centres, strict=True)):
        yield _drawn_box(names[number], lines, box, centre, root=alone and number == 0)
    yield "</svg>"


def _lines(walk: Walk, evidence: drawing.EvidenceById, place: Mapping[str, int]) -> list[_Line]:
    told: dict[tuple[int, int, bool], list[Link]] = {}
    for subject, obj, link in drawing.edges(walk):
        told.setdefault((place[subject], place[obj], drawing.is_over(link, evidence)), []).append(link)
    found = []
    for (tail, head, over), links in told.items():
        notes = [drawing.notes_of(link, evidence) for link in links]
        said = [one_line(link.relation) + note for link, note in zip(links, notes, strict=True)]
        if len(links) == 1:
            label = [one_line(links[0].relation), notes[0].strip(" ()")]
        else:
            label = list(dict.fromkeys(one_line(link.relation) for link in links))
            if len(label) > _LABEL_LINES:
                label = [*label[: _LABEL_LINES - 1], f"and {len(label) - _LABEL_LINES + 1} more"]
            if any(formats.UNTRUSTED in note for note in notes):
                label.append(formats.UNTRUSTED)
        found.append(_Line(tail, head, over, said, [_cut(text) for text in label if text]))
    return found


def _label_width(line: _Line) -> float:
    return max((text_width(text, _RELATION) for text in line.label), default=0.0)


def _cut(text: str) -> str:
    return text if len(text) <= _RELATION_CHARACTERS else f"{text[: _RELATION_CHARACTERS - 1]}…"


def _box(lines: Sequence[str]) -> Box:
    width = max(text_width(line, _NAME) for line in lines)
    return Box(max(width, 24.0) + 2 * _PADDING, len(lines) * _LINE + _PADDING)


def _bends(lines: Sequence[_Line]) -> Iterator[float]:
    """Yield how far each line is bent aside, so that lines between the same two boxes are apart."""
    number = Counter(frozenset((line.tail, line.head)) for line in lines)
    seen: Counter[frozenset[int]] = Counter()
    for line in lines:
        pair = frozenset((line.tail, line.head))
        aside = _BEND * (seen[pair] - (number[pair] - 1) / 2)
        seen[pair] += 1
        if line.tail == line.head:
            yield _BEND * seen[pair]
        else:
            # Seen from the other end, the side is reversed.
            yield aside if line.tail < line.head else -aside


def _course(centres: Sequence[Point], boxes: Sequence[Box], line: _Line, bend: float) -> _Course:
    (ax, ay), (bx, by) = centres[line.tail], centres[line.head]
    if line.tail == line.head:
        top, aside = ay - boxes[line.tail].height / 2, boxes[line.tail].width / 4
        return _Course((ax - aside, top), (ax, top - 1.4 * bend), (ax + aside, top))
    far = math.hypot(bx - ax, by - ay) or 1.0
    # A quadratic curve goes half as far aside as its control point.
    middle = ((ax + bx) / 2 - 2 * bend * (by - ay) / far, (ay + by) / 2 + 2 * bend * (bx - ax) / far)
    start = _border((ax, ay), boxes[line.tail], middle)
    return _Course(start, middle, _border((bx, by), boxes[line.head], middle, gap=2.0))


def _drawn_label(line: _Line, course: _Course, room: _Room) -> str | None:
    """Return the label where it overlaps least along its line; None if that is still too much."""
    width, height = _label_width(line), len(line.label) * _LABEL_LINE
    found = room.take(course, width, height)
    if found is None:
        return None
    x, y = found
    first = y - height / 2 + _LABEL_LINE - 3
    texts = "".join(
        f'<tspan x="{x:.0f}" y="{first + number * _LABEL_LINE:.0f}">{_xml(text)}</tspan>'
        for number, text in enumerate(line.label)
    )
    return f'<text class="relation">{texts}</text>'


def _border(centre: Point, box: Box, towards: Point, gap: float = 0.0) -> Point:
    """Return where the line from a box's centre to a point leaves the box."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    shares = [(side / 2 + gap) / abs(way) for side, way in ((box.width, dx), (box.height, dy)) if way]
    share = min([1.0, *shares])
    return centre[0] + dx * share, centre[1] + dy * share


class _Room:
    """The occupied area: boxes, and labels as they are added."""

    _CELL = 120.0

    def __init__(self, centres: Sequence[Point], boxes: Sequence[Box]) -> None:
        self._taken: dict[tuple[int, int], list[tuple[float, float, float, float]]] = defaultdict(list)
        self._left = self._top = math.inf
        self._right = self._bottom = -math.inf
        for (x, y), box in zip(centres, boxes, strict=True):
            self._keep(x, y, box.width, box.height)

    def take(self, course: _Course, width: float, height: float) -> Point | None:
        """Reserve and return the position on a line where a label overlaps least; None if it is too much."""
        best, least = course.at(0.5), math.inf
        for share in _ALONG:
            x, y = course.at(share)
            covered = self._covered(x, y, width, height)
            if covered < least:
                best, least = (x, y), covered
            if not covered:
                break
        if least > _MOST_COVERED * width * height:
            return None
        self._keep(*best, width, height)
        return best

    def bounds(self, courses: Iterable[_Course]) -> tuple[int, int, int, int]:
        """Return left, top, width and height of everything, lines included, with a margin."""
        for course in courses:
            for share in (0.25, 0.5, 0.75):
                self._widen(*course.at(share), 4, 4)
        left, top = math.floor(self._left - _MARGIN), math.floor(self._top - _MARGIN)
        return left, top, math.ceil(self._right + _MARGIN) - left, math.ceil(self._bottom + _MARGIN) - top

    def _cells(self, left: float, top: float, right: float, bottom: float) -> Iterator[tuple[int, int]]:
        for x in range(math.floor(left / self._CELL), math.floor(right / self._CELL) + 1):
            for y in range(math.floor(top / self._CELL), math.floor(bottom / self._CELL) + 1):
                yield x, y

    def _keep(self, x: float, y: float, width: float, height: float) -> None:
        taken = self._widen(x, y, width, height)
        for cell in self._cells(*taken):
            self._taken[cell].append(taken)

    def _widen(self, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
        left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
        self._left, self._top = min(self._left, left), min(self._top, top)
        self._right, self._bottom = max(self._right, right), max(self._bottom, bottom)
        return left, top, right, bottom

    def _covered(self, x: float, y: float, width: float, height: float) -> float:
        """Return the area of what is here already."""
        left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
        there = {each for cell in self._cells(left, top, right, bottom) for each in self._taken.get(cell, ())}
        return sum(
            max(0.0, min(right, each[2]) - max(left, each[0]))
            * max(0.0, min(bottom, each[3]) - max(top, each[1]))
            for each in there
        )


def _drawn_box(name: str, lines: Sequence[str], box: Box, centre: Point, *, root: bool) -> str:
    x, y = centre
    first = y - (len(lines) - 1) * _LINE / 2 + 5
    texts = "".join(
        f'<tspan x="{x:.0f}" y="{first + number * _LINE:.0f}">{_xml(line)}</tspan>'
        for number, line in enumerate(lines)
    )
    return (
        f"<g>{_title(name, ' '.join(lines))}"
        f'<rect class="{"box root" if root else "box"}" rx="9" x="{x - box.width / 2:.0f}" '
        f'y="{y - box.height / 2:.0f}" '
        f'width="{box.width:.0f}" height="{box.height:.0f}"/><text class="name">{texts}</text></g>'
    )


def _title(whole: str, shown: str) -> str:
    """Return the tooltip with a text in full; "" if the text is shown in full."""
    return "" if whole == shown else f"<title>{_xml(whole)}</title>"


def _path(course: _Course) -> str:
    points = [f"{x:.0f} {y:.0f}" for x, y in course]
    return f"M{points[0]}Q{points[1]} {points[2]}"


def _xml(text: str) -> str:
    return html.escape(_NO_XML.sub("\ufffd", text))
