"""SVG for screens: letters that stay legible however small a face lies, and outlines that are as short
as they can be.

A picture holds all its lettering once, and a style sheet. Its address may end in `#w7`, the step of the width at which
it is shown. There, a line whose letters would be under 11 pixels grows as far as it has room; where it has none, it
is drawn as a bar, and not as letters that nobody can read. Without such an ending, the face is as it is printed.

Outlines are most of a picture. From point to point the same numbers come again and again, so that a compressed
picture is a quarter to a third smaller, and not a point lies elsewhere."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
    build_rectangle_path,
    pt_to_mm,
)

# -- legible letters -----------------------------------------------------------------------------------------
# Letters that stay legible however small a face lies on the screen.

LEAST_LETTERS = 11.0  # pixels: an em of the smallest lettering that is drawn as letters
NARROWEST, STEP = 16.0, 1.1  # pixels: the width of step 0, and how much wider each next one is
_ABOVE, _BELOW = 0.74, 0.24  # of an em: how far letters reach from their baseline
_LEADING = 1.7  # ems: lines of one text are at most so far apart
_SPACE = 1.2  # ems: and so are the parts of one line
_MOST = 4.6  # times: a line that must grow by more would be no part of its face any longer
_MOST_LINES = 3  # of a folded text
_ALIKE = 1.5  # times: texts that differ by less are about as large
_LARGEST = 0.36  # of a face: what a grown text may cover
_EDGE = 1.0  # mm, at most a fiftieth of a face: what stays free at its edge
_PATTERN = 24  # signs of one kind on a face are a pattern
_INLINE = 1.8  # ems: a higher sign stands for itself, and does not grow with the words beside it
_BOARD = 15_000.0  # mm²: things are laid on a face so large, and would cover half of a word that leaves its spot
_CENTRED = 0.1  # mm: how far from the middle of its ground a centred text may lie
_TOUCH = 0.12  # ems: what reaches no farther into a line's box is beside it
_PAD = 0.12  # ems around a grown text
_MOST_STEPS = 64
_ANCHORS = [(x, y) for y in (0.5, 0.0, 1.0) for x in (0.5, 0.0, 1.0)]  # in shares of a text, the best first


@dataclass(slots=True)
class _TextBlock:
    """Lines that belong together, with the signs between them. Boxes and `em` are in mm of the face."""

    place: Transform  # of its nodes on the face
    em: float
    box: Rect
    baselines: list[float]  # as its nodes count
    ends: float  # where its last line ends, likewise
    size: float  # pt, of its last line
    turn: int  # among all that is drawn
    ground: _PlacedShape | None = None
    anchor: tuple[float, float] = (0.0, 0.0)
    least: int = 0  # the first step at which it is drawn in letters
    beyond: int = 0  # the first step at which it is drawn within its ground
    covered: int = 0  # the first step at which no other text covers its bars
    whole: _TextBlock | None = None  # the text in fewer lines, if these are its words in more
    lines: tuple[Node, ...] = ()

    @property
    def printed(self) -> Rect:
        """Where its words stand on paper."""
        return self.whole.printed if self.whole else self.box

    def compute_box_scaled_from_anchor(self, factor: float) -> Rect:
        """Return its box when it is so many times as large, seen from its anchor."""
        (x, y), box = self.anchor, self.box
        left, top = x + (box.x - x) * factor, y + (box.y - y) * factor
        return Rect(left, top, box.width * factor, box.height * factor)


class _PlacedShape(NamedTuple):
    """A filled shape or a sign: its box in mm of the face, and its turn among all that is drawn."""

    box: Rect
    turn: int
    fill: Paint | None = None
    of: Symbol | None = None


class _TextFinder:
    """Finds the texts of a face, and what lies around them."""

    def __init__(self, trim: Rect) -> None:
        self.trim = trim
        self.texts: list[_TextBlock] = []
        self.folded: dict[int, list[_TextBlock]] = {}  # by the number of the text: its words in two lines, in three
        self.signs: list[_PlacedShape] = []
        self.shapes: list[_PlacedShape] = []

    def iter_nodes_with_texts_numbered(
        self, nodes: Sequence[Node], transform: Transform, visible_box: Rect
    ) -> Iterator[Node]:
        """Yield the nodes. Each text is a group with its number as its name. `visible_box` is what is not clipped
        away."""
        run: list[Node] = []
        for node in nodes:
            if isinstance(node, Glyphs) and node.pieces:
                if not (run and self._is_line_continuing_last_text(node)):
                    yield from self._iter_numbered_group_of_text(run)
                    run = []
                    box = _compute_line_box(node, transform)
                    self.texts.append(
                        _TextBlock(
                            transform,
                            0.0,
                            box,
                            [],
                            0.0,
                            node.size,
                            self._count_signs_and_shapes(),
                            self._find_uppermost_shape_behind(box),
                        )
                    )
                self._add_line_to_last_text(node, transform)
                run.append(node)
                continue
            if isinstance(node, Use) and not _contains_glyphs(node.symbol.children):
                if run and self._add_sign_to_last_text_if_inline(node, transform):
                    run.append(node)
                    continue
                self._add_sign_or_search_symbol(node, transform, visible_box)
            yield from self._iter_numbered_group_of_text(run)
            run = []
            yield self._record_shape_or_number_child_texts(node, transform, visible_box)
        yield from self._iter_numbered_group_of_text(run)

    def _add_sign_or_search_symbol(self, node: Use, transform: Transform, visible_box: Rect) -> None:
        """Note a sign. A symbol as large as the face is no sign: it holds what all faces of a kind share."""
        inner = node.transform.then(transform)
        box = inner.transform_bounding_box(node.symbol.bounds)
        if box.contains(self.trim):
            deque(self.iter_nodes_with_texts_numbered(node.symbol.children, inner, visible_box), maxlen=0)
        else:
            self.signs.append(
                _PlacedShape(
                    box.intersect_or_get_empty_rectangle(visible_box), self._count_signs_and_shapes(), of=node.symbol
                )
            )

    def _record_shape_or_number_child_texts(self, node: Node, transform: Transform, visible_box: Rect) -> Node:
        if isinstance(node, Use) and _contains_glyphs(node.symbol.children):
            node = Group(node.symbol.children, node.transform)
        if isinstance(node, Group):
            inner = node.transform.then(transform)
            if node.clip is not None:
                visible_box = inner.transform_bounding_box(
                    _compute_box_of_path_points(node.clip)
                ).intersect_or_get_empty_rectangle(visible_box)
            return node._replace(children=tuple(self.iter_nodes_with_texts_numbered(node.children, inner, visible_box)))
        if isinstance(node, Path) and node.fill is not None:
            box = transform.transform_bounding_box(_compute_box_of_path_points(node)).intersect_or_get_empty_rectangle(
                visible_box
            )
            self.shapes.append(_PlacedShape(box, self._count_signs_and_shapes(), node.fill))
        return node

    def _iter_numbered_group_of_text(self, text_nodes: list[Node]) -> Iterator[Node]:
        if not text_nodes:
            return
        number = len(self.texts) - 1
        if len(text_nodes) == 1 and isinstance(text_nodes[0], Glyphs) and len(text_nodes[0].pieces) > 1:
            last = self.texts[number]
            self.folded[number] = [
                last := _fold_line_into_more_lines(text_nodes[0], last, lines)
                for lines in range(2, min(len(text_nodes[0].pieces), _MOST_LINES) + 1)
            ]
        yield Group(tuple(text_nodes), name=str(number))

    def _add_line_to_last_text(self, node: Glyphs, transform: Transform) -> None:
        text = self.texts[-1]
        em = pt_to_mm(node.size) * hypot(transform.a, transform.b)
        text.em = min(text.em or em, em)
        text.box = Rect.build_bounding_box([text.box, _compute_line_box(node, transform)])
        text.baselines.append(node.y)
        text.ends, text.size = node.x + node.width, node.size

    def _count_signs_and_shapes(self) -> int:
        return len(self.signs) + len(self.shapes)

    def list_boxes_text_may_not_cover(self, text: _TextBlock) -> list[Rect]:
        """Return what a text may not grow over: signs and shapes on its ground, and what is drawn later. A sign that
        is there often is a pattern."""
        box, since = text.box, text.ground.turn if text.ground else -1
        across, down = (_MOST - 1) * box.width, (_MOST - 1) * box.height
        reach = Rect(box.x - across, box.y - down, box.width + 2 * across, box.height + 2 * down)
        often = Counter(sign.of for sign in self.signs)
        signs = (sign for sign in self.signs if sign.turn > since and often[sign.of] < _PATTERN)
        shapes = (shape for shape in self.shapes if shape.turn > since and not shape.box.contains(box, 0.1))
        return [shape.box for shape in chain(signs, shapes) if shape.box.overlaps(reach)]

    def _find_uppermost_shape_behind(self, line_box: Rect) -> _PlacedShape | None:
        """Return the uppermost shape behind a line."""
        return next((shape for shape in reversed(self.shapes) if shape.box.contains(line_box, 0.1)), None)

    def _is_line_continuing_last_text(self, node: Glyphs) -> bool:
        """Return whether a line belongs to the text before it: beside it, or close below it."""
        text, em = self.texts[-1], pt_to_mm(node.size)
        if self._find_uppermost_shape_behind(_compute_line_box(node, text.place)) is not text.ground:
            return False
        down = node.y - text.baselines[-1]
        if abs(down) < 0.3 * em:
            return -0.5 * em < node.x - text.ends < _SPACE * em
        box = _compute_line_box(node, text.place)
        aside = box.x > text.box.right or box.right < text.box.x
        return node.size == text.size and 0.6 * em < down < _LEADING * em and not aside

    def _add_sign_to_last_text_if_inline(self, sign: Use, transform: Transform) -> bool:
        """Return whether a sign stands within the line before it."""
        text = self.texts[-1]
        box = sign.transform.then(transform).transform_bounding_box(sign.symbol.bounds)
        if box.height > _INLINE * text.em or not text.box.expand(_SPACE * text.em).overlaps(box):
            return False
        if self._find_uppermost_shape_behind(box) is not text.ground:
            return False
        text.box = Rect.build_bounding_box([text.box, box])
        self._add_sign_or_search_symbol(sign, transform, self.trim)
        local = sign.transform.transform_bounding_box(sign.symbol.bounds)
        text.ends = local.right
        return True


def _fold_line_into_more_lines(text_line: Glyphs, text_in_fewer_lines: _TextBlock, line_count: int) -> _TextBlock:
    """Return a line's words in so many lines about the same middle. `text_in_fewer_lines` has one less."""
    em, middle = pt_to_mm(text_line.size), text_line.x + text_line.width / 2

    def part(pieces: Pieces, number: int) -> Glyphs:
        start = pieces[0][0]
        y = text_line.y + (number - (line_count - 1) / 2) * em
        made = text_line._replace(pieces=tuple((x - start, shape) for x, shape in pieces), y=y)
        return made._replace(x=middle - made.width / 2)

    ways = [
        tuple(part(text_line.pieces[a:b], n) for n, (a, b) in enumerate(pairwise((0, *cuts, len(text_line.pieces)))))
        for cuts in combinations(range(1, len(text_line.pieces)), line_count - 1)
    ]
    lines = min(ways, key=lambda way: max(row.width for row in way))
    box = Rect.build_bounding_box([_compute_line_box(row, text_in_fewer_lines.place) for row in lines])
    return replace(text_in_fewer_lines, box=box, whole=text_in_fewer_lines, lines=lines)


def _contains_glyphs(nodes: Sequence[Node]) -> bool:
    return any(
        isinstance(node, Glyphs)
        or (isinstance(node, Group) and _contains_glyphs(node.children))
        or (isinstance(node, Use) and _contains_glyphs(node.symbol.children))
        for node in nodes
    )


def _compute_line_box(text_line: Glyphs, transform: Transform) -> Rect:
    em = pt_to_mm(text_line.size)
    return transform.transform_bounding_box(
        Rect(text_line.x, text_line.y - _ABOVE * em, text_line.width, (_ABOVE + _BELOW) * em)
    )


def _compute_box_of_path_points(path: Path) -> Rect:
    points = [point for _, points in path.commands for point in zip(points[::2], points[1::2], strict=True)]
    return _compute_bounding_box(points or [(0.0, 0.0)])  # a path may be empty


def _compute_bounding_box(points: Sequence[tuple[float, float]]) -> Rect:
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return Rect(left, top, max(x for x, _ in points) - left, max(y for _, y in points) - top)


# -- what has room ------------------------------------------------------------------------------------------------


def _set_anchors_and_first_steps_of_texts(face: Face, finder: _TextFinder, step_count: int) -> None:
    """Give each text its anchor and its first step. Where two grow into each other, the larger stays; of two that are
    about as large, the upper one, which says what the other is about."""
    order = sorted([*finder.texts, *chain(*finder.folded.values())], key=_make_sort_key_largest_text_first)
    whole = face.trim.expand(-min(_EDGE, face.width / 50))
    board = face.width * face.height > _BOARD
    around: list[list[Rect]] = []
    aligned = _find_shared_alignments_by_printed_box(finder.texts)
    for number, text in enumerate(order):
        text.least = step_count
        around.append(finder.list_boxes_text_may_not_cover(text))
        near = [*around[-1], *(larger.box for larger in order[:number])]
        shares = aligned[text.printed]
        anchors = [
            (text.box.x + x * text.box.width, text.box.y + y * text.box.height) for x, y in _ANCHORS if x in shares
        ]
        text.anchor = max(anchors, key=lambda anchor: _score_growth_from_anchor(text, anchor, whole, near))
    for step in range(step_count - 1, -1, -1):
        drawn: list[tuple[Rect, Rect]] = []  # where each text stands on paper, and how large it has grown
        for text, near in zip(order, around, strict=True):
            times = max(1.0, _compute_least_em_at_width_step(face, step) / text.em)
            room = whole
            if board and text.ground is not None:
                room = text.ground.box.expand(_compute_least_em_at_width_step(face, step) / 2)
            if text.whole is not None and text.whole.least <= step:
                text.least = step
            elif text.least == step + 1 and _can_text_grow_in_room(text, times, room, whole, near, drawn):
                text.least = step
                drawn.append((text.printed, grown := text.compute_box_scaled_from_anchor(times)))
                if text.ground is not None and not text.ground.box.contains(grown):
                    text.beyond = max(text.beyond, step + 1)
        for number, text in enumerate(finder.texts):
            barred = all(way.least > step for way in (text, *finder.folded.get(number, ())))
            if barred and any(grown.overlaps(text.box) for _, grown in drawn):
                text.covered = max(text.covered, step + 1)


def _make_sort_key_largest_text_first(text: _TextBlock) -> tuple[int, float]:
    return -round(log(text.em) / log(_ALIKE)), text.printed.y


def _find_shared_alignments_by_printed_box(texts: Sequence[_TextBlock]) -> dict[Rect, tuple[float, ...]]:
    """Return by what each printed text may hold when it grows, in shares of its width: by the left edge, the right
    edge or the middle that it has in common with another text or with its ground; by any of them if by none."""
    shares = (0.5, 0.0, 1.0)
    columns = Counter((share, round(text.box.x + share * text.box.width, 1)) for text in texts for share in shares)
    alignments: dict[Rect, tuple[float, ...]] = {}
    for text in texts:
        box = text.box
        common = [s for s in shares if columns[s, round(box.x + s * box.width, 1)] > 1]
        middle = box.x + box.width / 2
        if text.ground is not None and abs(middle - text.ground.box.x - text.ground.box.width / 2) < _CENTRED:
            common.append(0.5)
        alignments[box] = tuple(common) or shares
    return alignments


def _score_growth_from_anchor(
    text: _TextBlock, anchor: tuple[float, float], face_box: Rect, obstacles: Sequence[Rect]
) -> int:
    """Return how many times in a row a text may grow by a step from an anchor; within its ground counts twice."""
    text = replace(text, anchor=anchor)
    ground = text.ground.box if text.ground else face_box
    steps = range(1, ceil(log(_MOST) / log(STEP)))
    within = bisect_left(
        steps, True, key=lambda n: not _can_text_grow_in_room(text, STEP**n, ground, face_box, obstacles)
    )
    return within + bisect_left(
        steps, True, key=lambda n: not _can_text_grow_in_room(text, STEP**n, face_box, face_box, obstacles)
    )


def _can_text_grow_in_room(
    text: _TextBlock,
    factor: float,
    allowed_box: Rect,
    face_box: Rect,
    obstacles: Sequence[Rect],
    printed_and_grown_boxes: Sequence[tuple[Rect, Rect]] = (),
) -> bool:
    """Return whether a text may grow within a room of the whole face, clear of others and of grown texts. What it
    touches as printed does not count."""
    box, close = text.compute_box_scaled_from_anchor(factor), text.printed.expand(-_TOUCH * text.em)
    if box == text.printed:
        return True
    if (
        factor > _MOST
        or not allowed_box.contains(box)
        or box.width * box.height > _LARGEST * face_box.width * face_box.height
    ):
        return False
    around = chain(((other, other) for other in obstacles), printed_and_grown_boxes)
    return not any(grown.overlaps(box) and not printed.overlaps(close) for printed, grown in around)


def _compute_least_em_at_width_step(face: Face, width_step: int) -> float:
    """Return how large letters must be at a step, in mm of the face."""
    return LEAST_LETTERS * face.width / (NARROWEST * STEP**width_step)


# -- how it is written --------------------------------------------------------------------------------------------


def mark_texts_and_make_legibility_stylesheet(face: Face) -> tuple[Face, str]:
    """Return the face with its texts marked, and what its SVG must begin with: a style sheet, and the steps."""
    marking = _TextFinder(face.trim)
    nodes = tuple(marking.iter_nodes_with_texts_numbered(face.nodes, IDENTITY, face.trim))
    if not marking.texts:
        return face, ""
    smallest = min(text.em for text in marking.texts)
    steps = min(_MOST_STEPS, ceil(log(max(1.0, LEAST_LETTERS * face.width / smallest / NARROWEST)) / log(STEP)))
    _set_anchors_and_first_steps_of_texts(face, marking, steps)
    written = tuple(_add_folded_and_bar_variants_of_texts(node, marking) for node in nodes)
    return replace(face, nodes=written), _make_legibility_stylesheet(face, marking, steps)


def _add_folded_and_bar_variants_of_texts(node: Node, finder: _TextFinder) -> Node:
    """Return the nodes with each text in all its ways: as it is printed, in more lines, as bars."""
    if not isinstance(node, Group):
        return node
    if not node.name:
        return node._replace(
            children=tuple(_add_folded_and_bar_variants_of_texts(child, finder) for child in node.children)
        )
    number = int(node.name)
    text, name = finder.texts[number], str(number)
    parts = [
        *_iter_background_plates_of_grown_text(node.children, text, name, text.beyond),
        Group(node.children, name=f"l m{text.least} p{name}"),
    ]
    least = text.least
    for folded in finder.folded.get(number, ()):
        name += "f"
        if folded.least < least:
            parts += [*_iter_background_plates_of_grown_text(folded.lines, folded, name, least)]
            parts.append(Group(folded.lines, name=f"l f n{least} m{folded.least} p{name}"))
            least = folded.least
    if least:
        bars = Group(
            tuple(_make_bar_in_place_of_line(line) for line in node.children if isinstance(line, Glyphs)), opacity=0.4
        )
        signs = (sign for sign in node.children if isinstance(sign, Use))
        parts.append(Group((bars, *signs), name=f"b m{least} c{text.covered}"))
    return Group(tuple(parts))


def _make_bar_in_place_of_line(text_line: Glyphs) -> Path:
    em = pt_to_mm(text_line.size)
    return build_rectangle_path(
        Rect(text_line.x, text_line.y - 0.42 * em, text_line.width, 0.36 * em), text_line.fill, radius=0.12 * em
    )


def _iter_background_plates_of_grown_text(
    nodes: Sequence[Node], text: _TextBlock, style_name: str, last_step: int
) -> Iterator[Group]:
    """Yield the ground of a text that grows beyond its shape, for the steps at which it does: of the same colour, and
    as large as the text."""
    last_step = min(last_step, text.beyond)
    if text.ground is None or last_step <= text.least:
        return
    lines = [line for line in nodes if isinstance(line, Glyphs)]
    em = pt_to_mm(lines[0].size)
    box = _compute_bounding_box(
        [point for line in lines for point in _get_opposite_corners(_compute_line_box(line, IDENTITY))]
    ).expand(_PAD * em)
    yield Group(
        (build_rectangle_path(box, _get_middle_colour_of_paint(text.ground.fill), radius=0.2 * em),),
        name=f"l f n{last_step} m{text.least} p{style_name}",
    )


def _get_middle_colour_of_paint(paint: Paint | None) -> Colour | None:
    """Return one colour for a paint: of a gradient, that in its middle."""
    if paint is None or isinstance(paint, Colour):
        return paint
    return paint.stops[len(paint.stops) // 2].colour


def _get_opposite_corners(box: Rect) -> tuple[tuple[float, float], tuple[float, float]]:
    return (box.x, box.y), (box.right, box.bottom)


def _make_legibility_stylesheet(face: Face, finder: _TextFinder, step_count: int) -> str:
    """Return the rules: a text grows from its anchor to the em of the step; one without room becomes bars."""
    rules = [".b,.f{display:none}", ".l{transform:scale(max(1,calc(var(--e,0)/var(--o))))}"]
    ways = {str(number): text for number, text in enumerate(finder.texts)}
    for number, folds in finder.folded.items():
        ways |= {f"{number}{'f' * n}": text for n, text in enumerate(folds, 1)}
    for name, text in ways.items():
        x, y = _apply_inverse_transform(text.place, *text.anchor)
        rules.append(f".p{name}{{--o:{text.em:.3g};transform-origin:{x:.2f}px {y:.2f}px}}")
    covered = sorted({text.covered for text in finder.texts})
    leasts = sorted({at for text in ways.values() for at in (text.least, text.beyond)})
    for step in range(step_count):
        at = f"#w{step}:target~g"
        rules.append(f"{at}{{--e:{_compute_least_em_at_width_step(face, step):.3g}}}")
        later = [least for least in leasts if least > step]
        if later:
            hidden = ",".join(f".m{least}" for least in later)
            rules.append(f"{at} .f:is({hidden.replace('m', 'n')}){{display:inline}}")
            rules.append(f"{at} .l:is({hidden}){{display:none}}")
            rules.append(f"{at} .b:is({hidden}){{display:inline}}")
        if under := ",".join(f".c{least}" for least in covered if least > step):
            rules.append(f"{at} .b:is({under}){{display:none}}")
    marks = "".join(f'<g id="w{step}"/>' for step in range(step_count))
    return f"<style>{''.join(rules)}</style>{marks}"


def _apply_inverse_transform(transform: Transform, x: float, y: float) -> tuple[float, float]:
    """Return the point that a map brings to (x, y)."""
    area = transform.a * transform.d - transform.b * transform.c
    right, down = x - transform.e, y - transform.f
    return (transform.d * right - transform.c * down) / area, (transform.a * down - transform.b * right) / area


# -- outlines ------------------------------------------------------------------------------------------------
# Outlines of SVG for screens: rounded to hundredths, letters to a thousandth of their height or so, and
# written from point to point, as short as they can be. The grain of a paper is left out: its specks are
# smaller than a pixel, and they are a tenth of a card's picture.

_OUTLINE = re.compile(r'\bd="([^"]+)"( id="t\d+")?')  # the printer calls letters t1, t2, ...
_TOKEN = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?(?:e-?\d+)?")
_NUMBERS = {"M": 2, "L": 2, "C": 6, "Q": 4, "Z": 0}  # of each command that the printer writes
_PARTS = 100  # of a mm
_SPECKS, _SPECK = 50, 0.3  # so many closed shapes in one outline, each at most so many mm large, are grain
_PARTS_OF_LETTERS = 1  # of a font's unit


def shorten_svg_outlines(svg: str) -> str:
    """Return the picture with shorter outlines. One with a command that the printer does not write stays as it is.

    >>> shorten_svg_outlines('<path d="M1.23456 2L3 4.0001L3 5C3 6 4 6 4.5 6Z" x="1.23456"/>')
    '<path d="M1.23 2l1.77 2v1c0 1 1 1 1.5 1z" x="1.23456"/>'
    """
    return _OUTLINE.sub(_replace_outline_match_by_shorter, svg)


def _replace_outline_match_by_shorter(match: re.Match[str]) -> str:
    letter = match[2] or ""
    if match[1].count("M") >= _SPECKS and all(_is_outline_part_a_speck(shape) for shape in match[1].split("M")[1:]):
        return 'd=""'
    return f'd="{_shorten_outline_commands(match[1], _PARTS_OF_LETTERS if letter else _PARTS)}"{letter}'


def _is_outline_part_a_speck(outline_part: str) -> bool:
    numbers = [float(token) for token in _TOKEN.findall(outline_part) if not token.isalpha()]
    return all(max(side) - min(side) <= _SPECK for side in (numbers[::2], numbers[1::2]))


@lru_cache(maxsize=8_192)  # letters, icons and frames come again on every face of a game
def _shorten_outline_commands(outline: str, parts_per_unit: int) -> str:
    tokens = _TOKEN.findall(outline)
    if any(token.isalpha() and token not in _NUMBERS for token in tokens):
        return outline
    text, last = "", ""
    for command, numbers in _iter_relative_commands(tokens, parts_per_unit):
        if command != last:
            text += command
        for at, number in enumerate(numbers):
            short = _format_parts_as_short_number(number, parts_per_unit)
            first = at == 0 and command != last
            text += short if first or short[0] == "-" else f" {short}"
        last = "" if command in "Mz" else command
    return text


def _iter_relative_commands(tokens: Sequence[str], parts_per_unit: int) -> Iterator[tuple[str, list[int]]]:
    """Yield the commands with their numbers in parts of a unit, each but the first from where the last one ended."""
    here, start, at, command = [0, 0], [0, 0], 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        count = _NUMBERS[command]
        there = [round(float(token) * parts_per_unit) for token in tokens[at : at + count]]
        at += count
        step = [place - here[n % 2] for n, place in enumerate(there)]
        here = there[-2:] or start
        match command:
            case "Z":
                yield "z", []
            case "M":
                start, command = here, "L"  # of further points
                yield "M", there
            case "L" if step[1] == 0:
                yield "h", step[:1]
            case "L" if step[0] == 0:
                yield "v", step[1:]
            case _:
                yield command.lower(), step


def _format_parts_as_short_number(part_count: int, parts_per_unit: int) -> str:
    """Return so many parts as a number of units, without a 0 before the point."""
    whole, rest = divmod(abs(part_count), parts_per_unit)
    decimals = f".{rest:02}".rstrip("0") if rest else ""
    return ("-" if part_count < 0 else "") + (f"{whole or ''}{decimals}" if part_count else "0")
