"""Layout of a graph: positions of its boxes such that none covers another; always the same for a graph.

Each connected part is laid out by itself, and the parts are put beside each other. Within a part, boxes with
only one neighbour are put in rings around it; the rest starts as a tree around its most linked box, and is
then pulled together by its links and pushed apart where boxes are too near (T. Fruchterman, E. Reingold,
Graph Drawing by Force-directed Placement, 1991, with their grid). Plain Python arithmetic: a thousand boxes
take a second or two.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memcli.named_tuple import NamedTuple

# All lengths are in the units of the boxes. The gap between two boxes, and between two parts.
_GAP = 22.0
_BETWEEN_PARTS = 70.0
# Boxes farther apart do not push each other; larger ones are compared with all others, outside the grid.
_REACH = 110.0
_LARGE = 130.0
# Rounds of the force simulation: many for a few boxes, fewer for a thousand.
_MOST_ROUNDS = 220
_LEAST_ROUNDS = 45
_WORK = 45_000
# Rounds of separating boxes that still overlap; and how much, and how often, all is widened if that fails.
_ROUNDS_APART = 50
_WIDENED, _TIMES_WIDENED = 1.25, 9
# The share of a part's area that boxes and gaps may take before it is widened, and the size it applies from.
_CROWDED, _FEW_BOXES = 0.3, 100
# Up to so many leaves of a box are placed by the forces; more of them stay in their rings.
_FEW_LEAVES = 8
# The widest fan (radians) for a box's children; and the links of a chain that are drawn straight.
_WIDEST_FAN = 1.2 * math.pi
_STRAIGHT = 5
# The ratio of width to height of all parts together.
_ASPECT = 1.5


class Box(NamedTuple):
    """A box's size."""

    width: float
    height: float


Point = tuple[float, float]
# The indices of two boxes, and the preferred length of their link.
Tie = tuple[int, int, float]
# The neighbours of each box, never itself, with their preferred distance.
_Near = Sequence[Mapping[int, float]]


def lay_out(boxes: Sequence[Box], ties: Iterable[Tie]) -> list[Point]:
    """Return the centre of each box; the top left corner of the whole is at (0, 0)."""
    near = _neighbours(len(boxes), ties)
    places: list[Point] = [(0.0, 0.0)] * len(boxes)
    parts = []
    for part in _parts(near):
        for number, place in zip(part, _lay_out_part(part, near, boxes), strict=True):
            places[number] = place
        parts.append(part)
    _pack(parts, places, boxes)
    return places


def _neighbours(number: int, ties: Iterable[Tie]) -> _Near:
    near: list[dict[int, float]] = [{} for _ in range(number)]
    for one, other, length in ties:
        if one != other:
            near[one][other] = near[other][one] = max(length, near[one].get(other, 0.0))
    return near


def _parts(near: _Near) -> Iterator[list[int]]:
    """Yield the boxes of each connected part, breadth-first from its most linked one."""
    seen: set[int] = set()
    for start in sorted(range(len(near)), key=lambda each: (-len(near[each]), each)):
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for each in part:
            new = [other for other in near[each] if other not in seen]
            seen.update(new)
            part += new
        yield part


def _lay_out_part(part: list[int], near: _Near, boxes: Sequence[Box]) -> list[Point]:
    leaves: dict[int, list[int]] = defaultdict(list)
    for each in part[1:]:
        if len(near[each]) == 1:
            leaves[next(iter(near[each]))].append(each)
    core = [each for each in part if each == part[0] or len(near[each]) > 1]
    rings = {
        each: _rings(
            boxes[each],
            [boxes[leaf] for leaf in leaves[each]],
            max((near[each][leaf] for leaf in leaves[each]), default=0.0),
        )
        for each in core
    }
    radius = [rings[each][1] for each in core]
    inside = {each: place for place, each in enumerate(core)}
    linked = [
        {inside[other]: length for other, length in near[each].items() if other in inside} for each in core
    ]
    centres = _pushed(_as_tree(linked, radius), linked, radius)
    found: dict[int, Point] = {}
    for each, (x, y) in zip(core, centres, strict=True):
        found[each] = (x, y)
        for leaf, (dx, dy) in zip(leaves[each], rings[each][0], strict=True):
            found[leaf] = (x + dx, y + dy)
    # Once more with every box by itself, so that leaves turn to where there is room.
    sizes = [boxes[each] for each in part]
    radius = [(box.width + box.height) / 4 for box in sizes]
    inside = {each: place for place, each in enumerate(part)}
    linked = [{inside[other]: length for other, length in near[each].items()} for each in part]
    for hub, around in leaves.items():
        for leaf, (dx, dy) in zip(around, rings[hub][0] if len(around) > _FEW_LEAVES else (), strict=False):
            one, other = inside[hub], inside[leaf]
            length = math.sqrt(dx * dx + dy * dy) - radius[one] - radius[other]
            linked[one][other] = linked[other][one] = length
    return _apart(_pushed([found[each] for each in part], linked, radius), sizes)


def _rings(hub: Box, leaves: Sequence[Box], length: float) -> tuple[list[Point], float]:
    """Return the positions of the leaves around a box, and the radius of the whole."""
    places: list[Point] = []
    reach = math.hypot(hub.width, hub.height) / 2
    at = 0
    while at < len(leaves):
        width = max(leaf.width for leaf in leaves[at:])
        height = max(leaf.height for leaf in leaves[at:])
        # Boxes are wider than high, so further rings need only the height as distance.
        radius = reach + (length + width / 2 if at == 0 else height + _GAP)
        room = max(3, int(2 * math.pi * radius / (0.55 * width + 0.45 * height + _GAP)))
        some = leaves[at : at + room]
        turn = 0.35 * len(places)
        for number in range(len(some)):
            angle = turn + 2 * math.pi * number / len(some)
            places.append((radius * math.cos(angle), radius * math.sin(angle)))
        reach = radius + height / 2
        at += room
    return places, reach + (max((leaf.width for leaf in leaves), default=0.0) / 4)


def _as_tree(near: _Near, radius: Sequence[float]) -> list[Point]:
    """Return positions as a tree around the first box; each subtree gets a share of the fan by its size."""
    parent, order = {0: 0}, [0]
    for each in order:
        for other in near[each]:
            if other not in parent:
                parent[other] = each
                order.append(other)
    below: dict[int, list[int]] = defaultdict(list)
    wanted = [2 * each + _GAP for each in radius]
    for each in reversed(order[1:]):
        below[parent[each]].insert(0, each)
    for each in reversed(order):
        wanted[each] = max(wanted[each], sum(wanted[child] for child in below[each]))
    places: list[Point] = [(0.0, 0.0)] * len(near)
    heading, width, run = [0.0] * len(near), [2 * math.pi] * len(near), [0] * len(near)
    for each in order:
        children = below[each]
        total = sum(wanted[child] for child in children)
        fan = width[each] if each == 0 else min(_WIDEST_FAN, max(width[each], 0.5 * len(children)))
        angle = heading[each] - fan / 2
        # Children that do not fit beside each other are put in several rows.
        broad = sum(2 * radius[child] + _GAP for child in children) / fan
        rows = max(1, round(math.sqrt(broad / (2 * radius[each] + 2 * _REACH))))
        for number, child in enumerate(children):
            width[child] = fan * wanted[child] / total
            heading[child] = angle + width[child] / 2
            angle += width[child]
            if len(children) == 1:
                # A long chain is curled, or the picture would be as wide as the chain is long.
                run[child] = run[each] + 1
                heading[child] += math.sqrt(math.pi / 2 / run[child]) if run[child] > _STRAIGHT else 0.0
            far = (radius[each] + radius[child] + near[each][child]) * (1 + number % rows)
            x, y = places[each]
            places[child] = (x + far * math.cos(heading[child]), y + far * math.sin(heading[child]))
    return places


def _pushed(places: list[Point], near: _Near, radius: Sequence[float]) -> list[Point]:
    """Return the positions after links have pulled and neighbours have pushed, with decreasing force."""
    number = len(places)
    xs, ys = [x for x, _ in places], [y for _, y in places]
    pairs = [
        (one, other, radius[one] + radius[other] + length)
        for one in range(number)
        for other, length in near[one].items()
        if one < other
    ]
    rounds = max(_LEAST_ROUNDS, min(_MOST_ROUNDS, _WORK // max(1, number)))
    for round_ in range(rounds if number > 2 else 0):
        heat = 1 - round_ / rounds
        dx, dy = [0.0] * number, [0.0] * number
        for one, other in _near_pairs(xs, ys, radius):
            ax, ay = xs[one] - xs[other], ys[one] - ys[other]
            far = math.sqrt(ax * ax + ay * ay)
            wanted = radius[one] + radius[other] + _REACH
            if far >= wanted:
                continue
            if far < 0.01:
                ax, ay, far = 0.01 * (1 + one % 3), 0.01 * (1 + other % 2), 0.02
            push = 0.5 * (wanted - far) / far * (0.35 if far > wanted - _REACH + _GAP else 1.0)
            dx[one] += ax * push
            dy[one] += ay * push
            dx[other] -= ax * push
            dy[other] -= ay * push
        for one, other, wanted in pairs:
            ax, ay = xs[other] - xs[one], ys[other] - ys[one]
            far = math.sqrt(ax * ax + ay * ay) or 0.01
            pull = 0.6 * (far - wanted) / far
            # A box with many links yields less to each of them.
            share = len(near[other]) / (len(near[one]) + len(near[other]))
            pull /= math.sqrt(min(len(near[one]), len(near[other])))
            dx[one] += ax * pull * share
            dy[one] += ay * pull * share
            dx[other] -= ax * pull * (1 - share)
            dy[other] -= ay * pull * (1 - share)
        most = 20 + 180 * heat
        for each in range(number):
            far = math.sqrt(dx[each] * dx[each] + dy[each] * dy[each]) or 1.0
            step = min(far, most) / far * (0.25 + 0.5 * heat)
            xs[each] += dx[each] * step
            ys[each] += dy[each] * step
    return list(zip(xs, ys, strict=True))


def _near_pairs(xs: list[float], ys: list[float], radius: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield each pair near enough to push: those in neighbouring cells, and all pairs with a large box."""
    large = [each for each, reach in enumerate(radius) if reach > _LARGE]
    small = [each for each, reach in enumerate(radius) if reach <= _LARGE]
    for place, one in enumerate(large):
        for other in (*large[place + 1 :], *small):
            yield one, other
    cell = 2 * max((radius[each] for each in small), default=0.0) + _REACH
    yield from _in_cells(small, [x / cell for x in xs], [y / cell for y in ys])


def _in_cells(numbers: Iterable[int], xs: Sequence[float], ys: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield each pair whose cells (the whole parts of x and y) touch, once."""
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    for each in numbers:
        cells[math.floor(xs[each]), math.floor(ys[each])].append(each)
    for (x, y), here in cells.items():
        for place, one in enumerate(here):
            for other in here[place + 1 :]:
                yield one, other
        for beside in ((x + 1, y - 1), (x + 1, y), (x + 1, y + 1), (x, y + 1)):
            for other in cells.get(beside, ()):
                for one in here:
                    yield one, other


def _apart(places: list[Point], boxes: Sequence[Box]) -> list[Point]:
    """Return the positions after overlapping boxes have been moved apart, along the shorter way."""
    left, top, right, bottom = _bounds(places, boxes)
    needed = sum((box.width + _GAP) * (box.height + _GAP) for box in boxes)
    crowd = needed / _CROWDED / ((right - left) * (bottom - top))
    # A few boxes find room without widening.
    wider = math.sqrt(crowd) if crowd > 1 and len(boxes) > _FEW_BOXES else 1.0
    xs, ys = [x * wider for x, _ in places], [y * wider for _, y in places]
    for _ in range(_TIMES_WIDENED if len(boxes) > 1 else 0):
        if _all_apart(xs, ys, boxes):
            break
        xs, ys = [x * _WIDENED for x in xs], [y * _WIDENED for y in ys]
    return list(zip(xs, ys, strict=True))


def _all_apart(xs: list[float], ys: list[float], boxes: Sequence[Box]) -> bool:
    """Move overlapping boxes apart, in rounds; True if none overlapped in the last round."""
    wide = max(box.width for box in boxes) + _GAP
    high = max(box.height for box in boxes) + _GAP
    for _ in range(_ROUNDS_APART):
        moved = False
        for one, other in list(_in_cells(range(len(boxes)), [x / wide for x in xs], [y / high for y in ys])):
            ax, ay = xs[other] - xs[one], ys[other] - ys[one]
            over_x = (boxes[one].width + boxes[other].width) / 2 + _GAP - abs(ax)
            over_y = (boxes[one].height + boxes[other].height) / 2 + _GAP - abs(ay)
            if over_x <= 0.5 or over_y <= 0.5:
                continue
            moved = True
            if over_x < over_y:
                step = over_x / 2 if ax >= 0 else -over_x / 2
                xs[one] -= step
                xs[other] += step
            else:
                step = over_y / 2 if ay >= 0 else -over_y / 2
                ys[one] -= step
                ys[other] += step
        if not moved:
            return True
    return False


def _pack(parts: Sequence[Sequence[int]], places: list[Point], boxes: Sequence[Box]) -> None:
    """Move the parts beside each other, in rows, the highest first."""
    bounds = [_bounds([places[each] for each in part], [boxes[each] for each in part]) for part in parts]
    sizes = [(right - left, bottom - top) for left, top, right, bottom in bounds]
    area = sum((width + _BETWEEN_PARTS) * (height + _BETWEEN_PARTS) for width, height in sizes)
    most = max([math.sqrt(area * _ASPECT), *(width for width, _ in sizes)])
    x = y = row = 0.0
    for place in sorted(range(len(parts)), key=lambda each: (-sizes[each][1], each)):
        width, height = sizes[place]
        if x and x + width > most:
            x, y, row = 0.0, y + row + _BETWEEN_PARTS, 0.0
        left, top, _, _ = bounds[place]
        for each in parts[place]:
            places[each] = (places[each][0] - left + x, places[each][1] - top + y)
        x += width + _BETWEEN_PARTS
        row = max(row, height)


def _bounds(places: Sequence[Point], boxes: Sequence[Box]) -> tuple[float, float, float, float]:
    """Return the left, top, right and bottom of all of them."""
    each = list(zip(places, boxes, strict=True))
    return (
        min(x - box.width / 2 for (x, _), box in each),
        min(y - box.height / 2 for (_, y), box in each),
        max(x + box.width / 2 for (x, _), box in each),
        max(y + box.height / 2 for (_, y), box in each),
    )
