"""Where the surfaces lie on a screen of some shape: nested lists of `table.yaml`, sized so that everything fits.

    screens:
      phone: [[hand], [board], [mat.me, [front.me, mat.others]]]

The outer list stands one below the other, a list in it lies side by side, a list in that stands again, and so on.
What lies side by side gets one height, what stands gets one width, whatever the surfaces measure on paper. So mats
may be larger on a screen than beside a board, and those of other players small. Paper, replays and exports do not ask
this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from playproof.table.page_context import ReaderKey
from playproof.table.scene import Scene, Surface
from playproof.table.spec import Tree

SCREENS = {
    "wide": "(min-width: 60rem)",
    "square": "(min-width: 60rem) and (max-aspect-ratio: 3/2)",
    "tablet": "(min-width: 40rem) and (max-width: 59.99rem)",
    "phone": "(max-width: 39.99rem)",
}
"""The kinds of screen, and the media queries that tell them apart. A square one is a wide one with more room below:
where both fit, the later rules hold."""

OWN, OTHERS = "me", "others"  # `mat.me` is the reader's own, `mat.others` are all but that
_ACROSS = {"tablet": 320.0, "phone": 170.0}  # mm of surfaces side by side, if the file says nothing
_WIDTH = 1000.0  # of a screen, in units of its own
_GAP = 8.0


@dataclass(frozen=True, slots=True)
class ScreenLayout:
    """The places of surfaces on a kind of screen: key, left, top, and how many units show a millimetre."""

    name: str
    width: float
    height: float
    places: tuple[tuple[str, float, float, float], ...]


def arrange_screens(
    memory: ReaderKey, scene: Scene, trees: Sequence[tuple[str, Tree]], seats: tuple[int | None, int]
) -> list[ScreenLayout]:
    """Return a scene's screens; `seats` are the reader's (None: a spectator) and how many there are. A kind of
    screen without a tree keeps the places of paper if it is wide, and those of a wide one if it is square; else the
    surfaces lie in rows, in their order."""
    declared, surfaces = dict(trees), tuple(scene.surfaces)
    made = []
    for name in SCREENS:
        if name == "square" and name not in declared:
            continue
        if name == "wide" and name not in declared:
            places = tuple((s.key, s.x, s.y, 1.0) for s in surfaces)
            made.append(ScreenLayout(name, scene.width, scene.height, places))
        else:
            tree = declared.get(name) or _split_into_rows(surfaces, _ACROSS.get(name, _ACROSS["tablet"]))
            made.append(_arrange_screen(memory, name, tree, surfaces, (seats[0] or 0, seats[1])))
    return made


@lru_cache(maxsize=2_000)
def _arrange_screen(
    _: ReaderKey, name: str, tree: Tree, surfaces: tuple[Surface, ...], seats: tuple[int, int]
) -> ScreenLayout:
    """Lay out a tree. What it does not name comes below, so that nothing is lost."""
    named = {s.key for s in _iter_named_surfaces(tree, surfaces, seats)}
    rest = _split_into_rows([s for s in surfaces if s.key not in named], _ACROSS["tablet"])
    whole = _ArrangedBox(
        (*(tree if isinstance(tree, tuple) else (tree,)), *rest), surfaces, seats, stands=True
    )
    slope, extra = whole.shape
    height = slope * _WIDTH + extra
    return ScreenLayout(
        name, _WIDTH, round(height, 1), tuple(whole.iter_placements(0.0, 0.0, _WIDTH, height))
    )


def _split_into_rows(surfaces: Sequence[Surface], row_width: float) -> tuple[Tree, ...]:
    """Return surfaces in rows that are about so wide."""
    rows: list[list[Surface]] = []
    for surface in surfaces:
        if not rows or sum(s.width for s in rows[-1]) + surface.width > row_width:
            rows.append([])
        rows[-1].append(surface)
    return tuple(tuple(s.key for s in row) for row in rows)


def _iter_named_surfaces(
    tree: Tree, surfaces: Sequence[Surface], seats: tuple[int, int]
) -> Iterator[Surface]:
    """Yield the surfaces that a tree names."""
    if isinstance(tree, str):
        yield from _find_surfaces_by_name(tree, surfaces, *seats)
    else:
        for inner in tree:
            yield from _iter_named_surfaces(inner, surfaces, seats)


def _find_surfaces_by_name(
    name: str, surfaces: Sequence[Surface], own_seat: int, players: int
) -> list[Surface]:
    """Return the surfaces of a name: `mat` or `mat.2`, `mat.me`, `mat.others`."""
    kind, _, whose = name.partition(".")
    alike = [s for s in surfaces if s.key.partition(".")[0] == kind]
    if whose not in (OWN, OTHERS):
        return [s for s in alike if s.key == name] if whose else alike
    of = {s.seat: s for s in alike}
    seats = [own_seat] if whose == OWN else [(own_seat + n) % players for n in range(1, players)]
    return [of[seat] for seat in seats if seat in of]


class _ArrangedBox:
    """A list of a tree. Its height grows evenly with its width: `shape` is the slope, and what gaps add."""

    def __init__(
        self, tree: Sequence[Tree], surfaces: Sequence[Surface], seats: tuple[int, int], *, stands: bool
    ) -> None:
        self.stands = stands
        self.inner: list[_ArrangedBox | Surface] = []
        for branch in tree:
            if isinstance(branch, str):
                self.inner += _find_surfaces_by_name(branch, surfaces, *seats)
            elif (box := _ArrangedBox(branch, surfaces, seats, stands=not stands)).inner:
                self.inner.append(box)
        shapes = [_get_shape(branch) for branch in self.inner]
        gaps = _GAP * (len(shapes) - 1)
        if stands:
            self.shape = sum(slope for slope, _ in shapes), sum(extra for _, extra in shapes) + gaps
        else:
            even = 1 / sum(1 / slope for slope, _ in shapes) if shapes else 0.0
            self.shape = even, even * (sum(extra / slope for slope, extra in shapes) - gaps)

    def iter_placements(
        self, x: float, y: float, width: float, height: float
    ) -> Iterator[tuple[str, float, float, float]]:
        """Yield the places of all surfaces in a box of this size."""
        for member in self.inner:
            slope, extra = _get_shape(member)
            wide = width if self.stands else (height - extra) / slope
            high = slope * wide + extra
            if isinstance(member, _ArrangedBox):
                yield from member.iter_placements(x, y, wide, high)
            else:
                yield member.key, round(x, 1), round(y, 1), round(wide / member.width, 4)
            x, y = (x, y + high + _GAP) if self.stands else (x + wide + _GAP, y)


def _get_shape(inner: _ArrangedBox | Surface) -> tuple[float, float]:
    return inner.shape if isinstance(inner, _ArrangedBox) else (inner.height / inner.width, 0.0)
