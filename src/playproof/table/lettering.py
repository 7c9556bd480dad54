"""Letters that stay legible however small a face lies on the screen.

A picture holds all its lettering once, and a style sheet. Its address may end in `#w7`, the step of the width at which
it is shown. There, a line whose letters would be under 11 pixels grows as far as it has room; where it has none, it
is drawn as a bar, and not as letters that nobody can read. Without such an ending, the face is as it is printed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, pairwise
from math import ceil, hypot, log
from typing import NamedTuple

from playproof.generator.scene import (
    IDENTITY,
    Colour,
    Face,
    Glyphs,
    Group,
    Node,
    Paint,
    Path,
    Pieces,
    Rect,
    Symbol,
    Transform,
    Use,
    pt_to_mm,
    rectangle,
)

LEAST_LETTERS = 11.0  # pixels: an em of the smallest lettering that is drawn as letters
NARROWEST, STEP = 16.0, 1.1  # pixels: the width of step 0, and how much wider each next one is
_ABOVE, _BELOW = 0.74, 0.24  # of an em: how far letters reach from their baseline
_LEADING = 1.7  # ems: lines of one text are at most so far apart
_SPACE = 1.2  # ems: and so are the parts of one line
_MOST = 4.6  # times: a line that must grow by more would be no part of its face any longer
_MOST_LINES = 3  # of a folded text
_LARGEST = 0.36  # of a face: what a grown text may cover
_EDGE = 1.0  # mm, at most a fiftieth of a face: what stays free at its edge
_PATTERN = 24  # signs of one kind on a face are a pattern
_INLINE = 1.8  # ems: a higher sign stands for itself, and does not grow with the words beside it
_BOARD = (
    15_000.0  # mm²: things are laid on a face so large, and would cover half of a word that leaves its spot
)
_CENTRED = 0.1  # mm: how far from the middle of its ground a centred text may lie
_TOUCH = 0.12  # ems: what reaches no farther into a line's box is beside it
_PAD = 0.12  # ems around a grown text
_MOST_STEPS = 64
_ANCHORS = [(x, y) for y in (0.5, 0.0, 1.0) for x in (0.5, 0.0, 1.0)]  # in shares of a text, the best first


@dataclass(slots=True)
class _Text:
    """Lines that belong together, with the signs between them. Boxes and `em` are in mm of the face."""

    place: Transform  # of its nodes on the face
    em: float
    box: Rect
    baselines: list[float]  # as its nodes count
    ends: float  # where its last line ends, likewise
    size: float  # pt, of its last line
    turn: int  # among all that is drawn
    ground: _Shape | None = None
    anchor: tuple[float, float] = (0.0, 0.0)
    least: int = 0  # the first step at which it is drawn in letters
    beyond: int = 0  # the first step at which it is drawn within its ground
    covered: int = 0  # the first step at which no other text covers its bars
    whole: _Text | None = None  # the text in fewer lines, if these are its words in more
    lines: tuple[Node, ...] = ()

    @property
    def printed(self) -> Rect:
        """Where its words stand on paper."""
        return self.whole.printed if self.whole else self.box

    def grown(self, times: float) -> Rect:
        """Return its box when it is so many times as large, seen from its anchor."""
        (x, y), box = self.anchor, self.box
        left, top = x + (box.x - x) * times, y + (box.y - y) * times
        return Rect(left, top, box.width * times, box.height * times)


class _Shape(NamedTuple):
    """A filled shape or a sign: its box in mm of the face, and its turn among all that is drawn."""

    box: Rect
    turn: int
    fill: Paint | None = None
    of: Symbol | None = None


class _Marking:
    """Finds the texts of a face, and what lies around them."""

    def __init__(self, trim: Rect) -> None:
        self.trim = trim
        self.texts: list[_Text] = []
        self.folded: dict[
            int, list[_Text]
        ] = {}  # by the number of the text: its words in two lines, in three
        self.signs: list[_Shape] = []
        self.shapes: list[_Shape] = []

    def marked(self, nodes: Sequence[Node], place: Transform, seen: Rect) -> Iterator[Node]:
        """Yield the nodes. Each text is a group with its number as its name. `seen` is what is not clipped away."""
        run: list[Node] = []
        for node in nodes:
            if isinstance(node, Glyphs) and node.pieces:
                if not (run and self._continues(node)):
                    yield from self._closed(run)
                    run = []
                    box = _box(node, place)
                    self.texts.append(
                        _Text(place, 0.0, box, [], 0.0, node.size, self._turn(), self._ground(box))
                    )
                self._add(node, place)
                run.append(node)
                continue
            if isinstance(node, Use) and not _has_letters(node.symbol.children):
                if run and self._inline(node, place):
                    run.append(node)
                    continue
                self._sign(node, place, seen)
            yield from self._closed(run)
            run = []
            yield self._other(node, place, seen)
        yield from self._closed(run)

    def _sign(self, node: Use, place: Transform, seen: Rect) -> None:
        """Note a sign. A symbol as large as the face is no sign: it holds what all faces of a kind share."""
        inner = node.transform.then(place)
        box = inner.around(node.symbol.bounds)
        if box.contains(self.trim):
            deque(self.marked(node.symbol.children, inner, seen), maxlen=0)
        else:
            self.signs.append(_Shape(box.common(seen), self._turn(), of=node.symbol))

    def _other(self, node: Node, place: Transform, seen: Rect) -> Node:
        if isinstance(node, Use) and _has_letters(node.symbol.children):
            node = Group(node.symbol.children, node.transform)
        if isinstance(node, Group):
            inner = node.transform.then(place)
            if node.clip is not None:
                seen = inner.around(_bounds(node.clip)).common(seen)
            return node._replace(children=tuple(self.marked(node.children, inner, seen)))
        if isinstance(node, Path) and node.fill is not None:
            box = place.around(_bounds(node)).common(seen)
            self.shapes.append(_Shape(box, self._turn(), node.fill))
        return node

    def _closed(self, run: list[Node]) -> Iterator[Node]:
        if not run:
            return
        number = len(self.texts) - 1
        if len(run) == 1 and isinstance(run[0], Glyphs) and len(run[0].pieces) > 1:
            last = self.texts[number]
            self.folded[number] = [
                last := _folded(run[0], last, lines)
                for lines in range(2, min(len(run[0].pieces), _MOST_LINES) + 1)
            ]
        yield Group(tuple(run), name=str(number))

    def _add(self, node: Glyphs, place: Transform) -> None:
        text = self.texts[-1]
        em = pt_to_mm(node.size) * hypot(place.a, place.b)
        text.em = min(text.em or em, em)
        text.box = Rect.around([text.box, _box(node, place)])
        text.baselines.append(node.y)
        text.ends, text.size = node.x + node.width, node.size

    def _turn(self) -> int:
        return len(self.signs) + len(self.shapes)

    def around(self, text: _Text) -> list[Rect]:
        """Return what a text may not grow over: signs and shapes on its ground, and what is drawn later. A sign that
        is there often is a pattern."""
        box, since = text.box, text.ground.turn if text.ground else -1
        across, down = (_MOST - 1) * box.width, (_MOST - 1) * box.height
        reach = Rect(box.x - across, box.y - down, box.width + 2 * across, box.height + 2 * down)
        often = Counter(sign.of for sign in self.signs)
        signs = (sign for sign in self.signs if sign.turn > since and often[sign.of] < _PATTERN)
        shapes = (shape for shape in self.shapes if shape.turn > since and not shape.box.contains(box, 0.1))
        return [shape.box for shape in chain(signs, shapes) if shape.box.overlaps(reach)]

    def _ground(self, box: Rect) -> _Shape | None:
        """Return the uppermost shape behind a line."""
        return next((shape for shape in reversed(self.shapes) if shape.box.contains(box, 0.1)), None)

    def _continues(self, node: Glyphs) -> bool:
        """Return whether a line belongs to the text before it: beside it, or close below it."""
        text, em = self.texts[-1], pt_to_mm(node.size)
        if self._ground(_box(node, text.place)) is not text.ground:
            return False
        down = node.y - text.baselines[-1]
        if abs(down) < 0.3 * em:
            return -0.5 * em < node.x - text.ends < _SPACE * em
        box = _box(node, text.place)
        aside = box.x > text.box.right or box.right < text.box.x
        return node.size == text.size and 0.6 * em < down < _LEADING * em and not aside

    def _inline(self, sign: Use, place: Transform) -> bool:
        """Return whether a sign stands within the line before it."""
        text = self.texts[-1]
        box = sign.transform.then(place).around(sign.symbol.bounds)
        if box.height > _INLINE * text.em or not text.box.grown(_SPACE * text.em).overlaps(box):
            return False
        if self._ground(box) is not text.ground:
            return False
        text.box = Rect.around([text.box, box])
        self._sign(sign, place, self.trim)
        local = sign.transform.around(sign.symbol.bounds)
        text.ends = local.right
        return True


def _folded(line: Glyphs, last: _Text, count: int) -> _Text:
    """Return a line's words in so many lines about the same middle. `last` are they in one less."""
    em, middle = pt_to_mm(line.size), line.x + line.width / 2

    def part(pieces: Pieces, number: int) -> Glyphs:
        start = pieces[0][0]
        y = line.y + (number - (count - 1) / 2) * em
        made = line._replace(pieces=tuple((x - start, shape) for x, shape in pieces), y=y)
        return made._replace(x=middle - made.width / 2)

    ways = [
        tuple(part(line.pieces[a:b], n) for n, (a, b) in enumerate(pairwise((0, *cuts, len(line.pieces)))))
        for cuts in combinations(range(1, len(line.pieces)), count - 1)
    ]
    lines = min(ways, key=lambda way: max(row.width for row in way))
    box = Rect.around([_box(row, last.place) for row in lines])
    return replace(last, box=box, whole=last, lines=lines)


def _has_letters(nodes: Sequence[Node]) -> bool:
    return any(
        isinstance(node, Glyphs)
        or (isinstance(node, Group) and _has_letters(node.children))
        or (isinstance(node, Use) and _has_letters(node.symbol.children))
        for node in nodes
    )


def _box(line: Glyphs, place: Transform) -> Rect:
    em = pt_to_mm(line.size)
    return place.around(Rect(line.x, line.y - _ABOVE * em, line.width, (_ABOVE + _BELOW) * em))


def _bounds(path: Path) -> Rect:
    points = [point for _, points in path.commands for point in zip(points[::2], points[1::2], strict=True)]
    return _around(points or [(0.0, 0.0)])  # a path may be empty


def _around(points: Sequence[tuple[float, float]]) -> Rect:
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return Rect(left, top, max(x for x, _ in points) - left, max(y for _, y in points) - top)


# -- what has room ------------------------------------------------------------------------------------------------


def _decide(face: Face, marking: _Marking, steps: int) -> None:
    """Give each text its anchor and its first step. Where two grow into each other, the larger stays."""
    order = sorted([*marking.texts, *chain(*marking.folded.values())], key=lambda text: -text.em)
    whole = face.trim.grown(-min(_EDGE, face.width / 50))
    board = face.width * face.height > _BOARD
    around: list[list[Rect]] = []
    aligned = _alignments(marking.texts)
    for number, text in enumerate(order):
        text.least = steps
        around.append(marking.around(text))
        near = [*around[-1], *(larger.box for larger in order[:number])]
        shares = aligned[text.printed]
        anchors = [
            (text.box.x + x * text.box.width, text.box.y + y * text.box.height)
            for x, y in _ANCHORS
            if x in shares
        ]
        text.anchor = max(anchors, key=lambda anchor: _growth(text, anchor, whole, near))
    for step in range(steps - 1, -1, -1):
        drawn: list[tuple[Rect, Rect]] = []  # where each text stands on paper, and how large it has grown
        for text, near in zip(order, around, strict=True):
            times = max(1.0, _em(face, step) / text.em)
            room = whole
            if board and text.ground is not None:
                room = text.ground.box.grown(_em(face, step) / 2)
            if text.whole is not None and text.whole.least <= step:
                text.least = step
            elif text.least == step + 1 and _fits(text, times, room, whole, near, drawn):
                text.least = step
                drawn.append((text.printed, grown := text.grown(times)))
                if text.ground is not None and not text.ground.box.contains(grown):
                    text.beyond = max(text.beyond, step + 1)
        for number, text in enumerate(marking.texts):
            barred = all(way.least > step for way in (text, *marking.folded.get(number, ())))
            if barred and any(grown.overlaps(text.box) for _, grown in drawn):
                text.covered = max(text.covered, step + 1)


def _alignments(texts: Sequence[_Text]) -> dict[Rect, tuple[float, ...]]:
    """Return by what each printed text may hold when it grows, in shares of its width: by the left edge, the right
    edge or the middle that it has in common with another text or with its ground; by any of them if by none."""
    shares = (0.5, 0.0, 1.0)
    columns = Counter(
        (share, round(text.box.x + share * text.box.width, 1)) for text in texts for share in shares
    )
    alignments: dict[Rect, tuple[float, ...]] = {}
    for text in texts:
        box = text.box
        common = [s for s in shares if columns[s, round(box.x + s * box.width, 1)] > 1]
        middle = box.x + box.width / 2
        if text.ground is not None and abs(middle - text.ground.box.x - text.ground.box.width / 2) < _CENTRED:
            common.append(0.5)
        alignments[box] = tuple(common) or shares
    return alignments


def _growth(text: _Text, anchor: tuple[float, float], whole: Rect, others: Sequence[Rect]) -> int:
    """Return how many times in a row a text may grow by a step from an anchor; within its ground counts twice."""
    text.anchor = anchor
    ground = text.ground.box if text.ground else whole
    steps = range(1, ceil(log(_MOST) / log(STEP)))
    within = bisect_left(steps, True, key=lambda n: not _fits(text, STEP**n, ground, whole, others))
    return within + bisect_left(steps, True, key=lambda n: not _fits(text, STEP**n, whole, whole, others))


def _fits(
    text: _Text,
    times: float,
    room: Rect,
    whole: Rect,
    others: Sequence[Rect],
    texts: Sequence[tuple[Rect, Rect]] = (),
) -> bool:
    """Return whether a text may grow within a room of the whole face, clear of others and of grown texts. What it
    touches as printed does not count."""
    box, close = text.grown(times), text.printed.grown(-_TOUCH * text.em)
    if box == text.printed:
        return True
    if (
        times > _MOST
        or not room.contains(box)
        or box.width * box.height > _LARGEST * whole.width * whole.height
    ):
        return False
    around = chain(((other, other) for other in others), texts)
    return not any(grown.overlaps(box) and not printed.overlaps(close) for printed, grown in around)


def _em(face: Face, step: int) -> float:
    """Return how large letters must be at a step, in mm of the face."""
    return LEAST_LETTERS * face.width / (NARROWEST * STEP**step)


# -- how it is written --------------------------------------------------------------------------------------------


def legible(face: Face) -> tuple[Face, str]:
    """Return the face with its texts marked, and what its SVG must begin with: a style sheet, and the steps."""
    marking = _Marking(face.trim)
    nodes = tuple(marking.marked(face.nodes, IDENTITY, face.trim))
    if not marking.texts:
        return face, ""
    smallest = min(text.em for text in marking.texts)
    steps = min(
        _MOST_STEPS, ceil(log(max(1.0, LEAST_LETTERS * face.width / smallest / NARROWEST)) / log(STEP))
    )
    _decide(face, marking, steps)
    written = tuple(_written(node, marking) for node in nodes)
    return replace(face, nodes=written), _sheet(face, marking, steps)


def _written(node: Node, marking: _Marking) -> Node:
    """Return the nodes with each text in all its ways: as it is printed, in more lines, as bars."""
    if not isinstance(node, Group):
        return node
    if not node.name:
        return node._replace(children=tuple(_written(child, marking) for child in node.children))
    number = int(node.name)
    text, name = marking.texts[number], str(number)
    parts = [
        *_plate(node.children, text, name, text.beyond),
        Group(node.children, name=f"l m{text.least} p{name}"),
    ]
    least = text.least
    for folded in marking.folded.get(number, ()):
        name += "f"
        if folded.least < least:
            parts += [*_plate(folded.lines, folded, name, least)]
            parts.append(Group(folded.lines, name=f"l f n{least} m{folded.least} p{name}"))
            least = folded.least
    if least:
        bars = Group(tuple(_bar(line) for line in node.children if isinstance(line, Glyphs)), opacity=0.4)
        signs = (sign for sign in node.children if isinstance(sign, Use))
        parts.append(Group((bars, *signs), name=f"b m{least} c{text.covered}"))
    return Group(tuple(parts))


def _bar(line: Glyphs) -> Path:
    em = pt_to_mm(line.size)
    return rectangle(Rect(line.x, line.y - 0.42 * em, line.width, 0.36 * em), line.fill, radius=0.12 * em)


def _plate(nodes: Sequence[Node], text: _Text, name: str, until: int) -> Iterator[Group]:
    """Yield the ground of a text that grows beyond its shape, for the steps at which it does: of the same colour, and
    as large as the text."""
    until = min(until, text.beyond)
    if text.ground is None or until <= text.least:
        return
    lines = [line for line in nodes if isinstance(line, Glyphs)]
    em = pt_to_mm(lines[0].size)
    box = _around([point for line in lines for point in _corners(_box(line, IDENTITY))]).grown(_PAD * em)
    yield Group(
        (rectangle(box, _plain(text.ground.fill), radius=0.2 * em),),
        name=f"l f n{until} m{text.least} p{name}",
    )


def _plain(paint: Paint | None) -> Colour | None:
    """Return one colour for a paint: of a gradient, that in its middle."""
    if paint is None or isinstance(paint, Colour):
        return paint
    return paint.stops[len(paint.stops) // 2].colour


def _corners(box: Rect) -> tuple[tuple[float, float], tuple[float, float]]:
    return (box.x, box.y), (box.right, box.bottom)


def _sheet(face: Face, marking: _Marking, steps: int) -> str:
    """Return the rules: a text grows from its anchor to the em of the step; one without room becomes bars."""
    rules = [".b,.f{display:none}", ".l{transform:scale(max(1,calc(var(--e,0)/var(--o))))}"]
    ways = {str(number): text for number, text in enumerate(marking.texts)}
    for number, folds in marking.folded.items():
        ways |= {f"{number}{'f' * n}": text for n, text in enumerate(folds, 1)}
    for name, text in ways.items():
        x, y = _inverse(text.place, *text.anchor)
        rules.append(f".p{name}{{--o:{text.em:.3g};transform-origin:{x:.2f}px {y:.2f}px}}")
    covered = sorted({text.covered for text in marking.texts})
    leasts = sorted({at for text in ways.values() for at in (text.least, text.beyond)})
    for step in range(steps):
        at = f"#w{step}:target~g"
        rules.append(f"{at}{{--e:{_em(face, step):.3g}}}")
        later = [least for least in leasts if least > step]
        if later:
            hidden = ",".join(f".m{least}" for least in later)
            rules.append(f"{at} .f:is({hidden.replace('m', 'n')}){{display:inline}}")
            rules.append(f"{at} .l:is({hidden}){{display:none}}")
            rules.append(f"{at} .b:is({hidden}){{display:inline}}")
        if under := ",".join(f".c{least}" for least in covered if least > step):
            rules.append(f"{at} .b:is({under}){{display:none}}")
    marks = "".join(f'<g id="w{step}"/>' for step in range(steps))
    return f"<style>{''.join(rules)}</style>{marks}"


def _inverse(place: Transform, x: float, y: float) -> tuple[float, float]:
    """Return the point that a map brings to (x, y)."""
    area = place.a * place.d - place.b * place.c
    right, down = x - place.e, y - place.f
    return (place.d * right - place.c * down) / area, (place.a * down - place.b * right) / area
