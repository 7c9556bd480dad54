"""The table on a page: what one page shows (session, seat, moment), and its surfaces, spots and pieces
as SVG, arranged for screens of each shape.

Positions are attributes of SVG, or stand in a sheet of their own: no page holds a style.

Where the surfaces lie on a screen of some shape: nested lists of `table.yaml`, sized so that everything fits.

    screens:
      phone: [[hand], [board], [mat.me, [front.me, mat.others]]]

The outer list stands one below the other, a list in it lies side by side, a list in that stands again, and so on.
What lies side by side gets one height, what stands gets one width, whatever the surfaces measure on paper. So mats
may be larger on a screen than beside a board, and those of other players small. Paper, replays and exports do not ask
this file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import escape
from typing import NamedTuple

from rich.console import Console

from playproof.language import Move
from playproof.referee.text_table import render_table_seen_by_seat
from playproof.referee.view import View
from playproof.table.faces import FacePictures
from playproof.table.game_session import GameSession
from playproof.table.scene import Scene, Score, Spot, Surface, TablePiece
from playproof.table.spec import Tree
from playproof.table.table_layout import TableLayout, list_public_dice_throws_since_choice

# -- page context --------------------------------------------------------------------------------------------
# What one page shows: a session, the seat that looks, the moment. Every part of a page is made from this.

REMEMBERED = 24_576  # pieces, spots and lines of the log as text, each reader's apart

# a table and a seat: what one has seen must not make the other's page faster
ReaderKey = tuple[str, int | None]


@dataclass(frozen=True)
class PageContext:
    """What a page shows: a session, the seat that looks (None: a spectator), and the step (None:
    now)."""

    session: GameSession
    seat: int | None
    base: str  # the address of this seat's page, without a slash at its end
    layout: TableLayout | None
    pictures: FacePictures | None
    step: int | None = None
    reply: str = ""

    @property
    def now(self) -> bool:
        """Whether the present is shown."""
        return self.step is None

    @property
    def reader(self) -> int | None:
        """The seat whose secrets the page may show; None on a page that lies open for all."""
        return None if self.session.open_page else self.seat

    @property
    def memory(self) -> ReaderKey:
        """Whose remembered pieces and lines this page may use."""
        return self.session.ident, self.seat

    @cached_property
    def view(self) -> View:
        """The view of the seat."""
        return self.session.make_view_of_seat_or_spectator(self.seat, self.step)

    @cached_property
    def scene(self) -> Scene | None:
        """The table as the seat sees it; None if the game has no printed table."""
        if self.layout is None:
            return None
        return self.layout.make_scene_from_view(
            self.view, list_public_dice_throws_since_choice(self.session.match, self.step), self.memory
        )

    @property
    def scores(self) -> tuple[Score, ...]:
        """What each seat has as far as the reader may know, at the moment that the page shows."""
        if self.now and self.session.match.over:
            return self.final_scores
        return self.scene.scores if self.scene is not None else ()

    @cached_property
    def final_scores(self) -> tuple[Score, ...]:
        """What each seat has at the end of the finished game, with what was hidden until then."""
        if self.layout is None:
            return ()
        # With paper, cards that nobody told are only supposed.
        state = self.session.match.state if self.session.reported_match is None else None
        return (
            self.layout.make_scene_from_view(self.session.make_view_of_seat_or_spectator(self.seat))
            if state is None
            else self.layout.make_scene_seen_by_seat(state)
        ).scores

    @cached_property
    def moves(self) -> list[Move]:
        """The actions the seat may take."""
        return self.session.list_moves_seat_may_take_now(self.seat) if self.now else []


def render_table_change_form(context: PageContext, request_name: str, content_html: str) -> str:
    """Return a form that asks for a change of the table, as it was when the page was made."""
    return (
        f'<form method="post" action="{escape(context.base)}/{request_name}"><input type="hidden" name="version" '
        f'value="{context.session.version}">{content_html}</form>'
    )


# -- surfaces and pieces -------------------------------------------------------------------------------------
# The felt: surfaces, spots and pieces as SVG, and the style sheets of their places.

_BADGE = 6.0  # mm, the radius of a count
_MM = r"\d{1,6}(?:\.\d{1,6})?"
_SURFACE = re.compile(r"_([A-Za-z][\w-]{0,59})" + rf"~(-?{_MM})" * 4 + rf"~({_MM})", re.ASCII)
_LAYOUT = re.compile(rf"({_MM})x({_MM})((?:{_SURFACE.pattern}){{1,40}})\Z", re.ASCII)
_LONGEST_LAYOUT = 2_000


def render_table_as_svg_or_text_html(context: PageContext, target_keys_by_action: Mapping[int, Sequence[str]]) -> str:
    """Return the table, with what the actions name glowing; as text if the game has no printed table."""
    scene = context.scene
    if scene is None or context.pictures is None or context.layout is None:
        text = f'<pre tabindex="0" role="region" aria-label="the table">{escape(_render_table_as_text(context))}</pre>'
        return f'<div class="view text"><div class="felt text">{text}</div></div>'
    can = {key for keys in target_keys_by_action.values() for key in keys}
    surfaces = "".join(
        _render_surface_svg(context.memory, context.pictures, scene, surface, can) for surface in scene.surfaces
    )
    trees = tuple(context.layout.spec.screens.items())
    sheets = "".join(
        f'<link rel="stylesheet" media="{SCREENS[screen.name]}" href="/layout/'
        f'{encode_layout_as_stylesheet_name(screen, scene)}.css">'
        for screen in arrange_surfaces_for_each_screen(
            context.memory, scene, trees, (context.seat, len(context.session.seats))
        )
    )
    return f'<div class="view" id="view" tabindex="-1"><div class="felt" id="felt">{sheets}{surfaces}</div></div>'


def _render_table_as_text(context: PageContext) -> str:
    """Return the table as text, for games without a printed one."""
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None)
    session = context.session
    state = session.match.states[-1 if context.step is None else context.step]
    seat = 0 if context.reader is None and not session.has_hidden_fields else context.reader
    if seat is None:
        return "this game is shown to those who play"
    console.print(render_table_seen_by_seat(session.match.play, state, seat, session.variant.title))
    return out.getvalue()


def _render_surface_svg(
    reader_key: ReaderKey, faces: FacePictures, scene: Scene, surface: Surface, target_keys: set[str]
) -> str:
    width, height = _format_mm(surface.width), _format_mm(surface.height)
    if surface.picture is None:
        ground = (
            f'<rect class="bare" width="{width}" height="{height}" rx="3"/>'
            f'<svg width="{width}" height="{height}">'
            f'<text class="name" x="2.5" y="1.6" lengthAdjust="spacingAndGlyphs">{escape(surface.title)}</text></svg>'
        )
    else:
        ground = _render_image_svg_of_picture(
            faces.get_picture_hash_of_whole_face(surface.picture), (0, 0, surface.width, surface.height)
        )
    spots = "".join(_render_spot_svg(spot, spot.key in target_keys) for spot in scene.list_spots_on(surface))
    pieces = "".join(
        _render_piece_svg(
            reader_key,
            piece,
            _render_piece_image_svg(faces, piece),
            piece.key in target_keys,
            faces.spread.card_words.has_words_besides_name(piece.picture),
        )
        for piece in scene.list_pieces_on(surface)
    )
    kind = "hand" if surface.hand else "bare-place" if surface.picture is None else "printed"
    if surface.picture is not None and faces.spread.card_words.has_words_besides_name(surface.picture):
        kind += " reads"
    whose = "" if surface.seat is None else f' data-seat="{surface.seat}"'
    return (
        f'<section class="surface {kind}" id="s-{dom_id_from_key(surface.key)}"{whose}>'
        f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{escape(surface.title)}">'
        f"{ground}{spots}{pieces}</svg></section>"
    )


@lru_cache(maxsize=REMEMBERED)
def _render_spot_svg(spot: Spot, is_target: bool) -> str:
    box = (
        f'x="{_format_mm(spot.x)}" y="{_format_mm(spot.y)}" '
        f'width="{_format_mm(spot.width)}" height="{_format_mm(spot.height)}" rx="2"'
    )
    name = escape(f"{spot.name}: {spot.prints}" if spot.prints else spot.name)
    return (
        f'<rect class="spot{" can" if is_target else ""}" id="k-{dom_id_from_key(spot.key)}" '
        f'data-key="{escape(spot.key)}" {box} '
        f'{_make_role_and_tabindex_attributes(is_target)} aria-label="{name}"><title>{name}</title></rect>'
    )


@lru_cache(maxsize=REMEMBERED)
def _render_piece_svg(_: ReaderKey, piece: TablePiece, image_svg: str, is_target: bool, has_words: bool) -> str:
    x, y = _get_top_left_corner(piece)
    many = piece.count is not None and piece.count > 1
    name = escape(f"{piece.name}, {piece.count}" if many else piece.name)
    badge = ""
    if many:
        # At the lower left, the corner that stays visible if cards overlap.
        left, low = _format_mm(x + _BADGE), _format_mm(y + piece.height - _BADGE)
        badge = (
            f'<circle class="badge" cx="{left}" cy="{low}" r="{_BADGE}"/>'
            f'<text class="count" x="{left}" y="{low}">{piece.count}</text>'
        )
    kind = " down" if piece.picture.side == "back" else " die" if piece.picture.side.startswith("face-") else ""
    kind += " reads" if has_words else ""
    turn = (
        f' transform="rotate({_format_mm(piece.turn)} {_format_mm(piece.x)} {_format_mm(piece.y)})"'
        if piece.turn
        else ""
    )
    return (
        f'<g class="piece{" can" if is_target else ""}{kind}" id="k-{dom_id_from_key(piece.key)}" '
        f'data-key="{escape(piece.key)}" '
        f'{_make_role_and_tabindex_attributes(is_target)} aria-label="{name}"><title>{name}</title>'
        f"<g{turn}>{image_svg}"
        f'<rect class="edge" x="{_format_mm(x)}" y="{_format_mm(y)}" '
        f'width="{_format_mm(piece.width)}" height="{_format_mm(piece.height)}" '
        f'rx="2"/></g>{badge}</g>'
    )


def _make_role_and_tabindex_attributes(is_target: bool) -> str:
    """Return the attributes that let the keyboard reach everything that can be acted on. Other
    things can only be read."""
    return 'role="button" tabindex="0"' if is_target else 'role="img"'


def _get_top_left_corner(piece: TablePiece) -> tuple[float, float]:
    """Return the top left corner of a piece on its surface, in mm."""
    return piece.x - piece.width / 2, piece.y - piece.height / 2


def _render_piece_image_svg(faces: FacePictures, piece: TablePiece) -> str:
    """Return the picture of a piece. A part of a face is the whole face behind a window."""
    picture, name = piece.picture, faces.get_picture_hash_of_whole_face(piece.picture)
    box = (*_get_top_left_corner(piece), piece.width, piece.height)
    if picture.crop is None:
        return _render_image_svg_of_picture(name, box)
    window = " ".join(map(_format_mm, picture.crop))
    whole = faces.spread.get_picture_size_in_mm(replace(picture, crop=None))
    return (
        f'<svg {_format_box_attributes(box)} viewBox="{window}">'
        f"{_render_image_svg_of_picture(name, (0, 0, *whole))}</svg>"
    )


def _render_image_svg_of_picture(picture_hash: str, box: tuple[float, float, float, float]) -> str:
    return f'<image href="/face/{picture_hash}.svg" {_format_box_attributes(box)}/>'


def _format_box_attributes(box: tuple[float, float, float, float]) -> str:
    x, y, width, height = map(_format_mm, box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _format_mm(value: float) -> str:
    return f"{round(value, 2):g}"


def dom_id_from_key(piece_key: str) -> str:
    """Return a key as an id that style sheets can name."""
    return piece_key.replace(".", "-").replace(" ", "_")


def encode_layout_as_stylesheet_name(screen: ScreenLayout, scene: Scene) -> str:
    """Return the places of a screen's surfaces as an address. The style sheet is made from the
    address alone."""
    sizes = {surface.key: (surface.width, surface.height) for surface in scene.surfaces}
    whole = f"{screen.width:g}x{screen.height:g}"
    places = (
        f"{dom_id_from_key(key)}~{x:g}~{y:g}~{sizes[key][0]:g}~{sizes[key][1]:g}~{scale:g}"
        for key, x, y, scale in screen.places
    )
    return "_".join([whole, *places])


def stylesheet_from_layout_name_or_none(layout_name: str) -> str | None:
    """Return the style sheet of a layout's name: surfaces at their places, in shares of the
    table. None if it is no layout's name, or the table has no area."""
    layout = _LAYOUT.match(layout_name)
    if len(layout_name) > _LONGEST_LAYOUT or layout is None:
        return None
    width, height = float(layout[1]), float(layout[2])
    if not width or not height:
        return None
    rules = [f".felt{{aspect-ratio:{width:g}/{height:g};--ratio:{width / height:.4f};--units:{width:g}}}"]
    for key, *box in _SURFACE.findall(layout[3]):
        x, y, wide, high, scale = map(float, box)
        rules.append(
            f"#s-{key}{{left:{100 * x / width:.3f}%;top:{100 * y / height:.3f}%;--scale:{scale:g};"
            f"width:{100 * wide * scale / width:.3f}%;height:{100 * high * scale / height:.3f}%}}"
        )
    return "\n".join(rules) + "\n"


# -- arranging -----------------------------------------------------------------------------------------------
# Where the surfaces lie on a screen of some shape: nested lists of `table.yaml`, sized so that everything
# fits.

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


class SurfacePlacement(NamedTuple):
    surface_key: str
    x: float
    y: float
    scale: float  # units of the screen for each millimetre


@dataclass(frozen=True, slots=True)
class ScreenLayout:
    """The places of surfaces on a kind of screen, in units of its own."""

    name: str
    width: float
    height: float
    places: tuple[SurfacePlacement, ...]


def arrange_surfaces_for_each_screen(
    reader_key: ReaderKey,
    scene: Scene,
    layout_trees_by_screen: Sequence[tuple[str, Tree]],
    own_seat_and_seat_count: tuple[int | None, int],
) -> list[ScreenLayout]:
    """Return a scene's screens; `own_seat_and_seat_count` are the reader's (None: a spectator) and how many there are.
    A kind of screen without a tree keeps the places of paper if it is wide, and those of a wide one if it is square;
    else the surfaces lie in rows, in their order."""
    declared, surfaces = dict(layout_trees_by_screen), tuple(scene.surfaces)
    made = []
    for name in SCREENS:
        if name == "square" and name not in declared:
            continue
        if name == "wide" and name not in declared:
            places = tuple(SurfacePlacement(s.key, s.x, s.y, 1.0) for s in surfaces)
            made.append(ScreenLayout(name, scene.width, scene.height, places))
        else:
            tree = declared.get(name) or _split_surface_keys_into_rows(surfaces, _ACROSS.get(name, _ACROSS["tablet"]))
            made.append(
                _arrange_surfaces_on_screen(
                    reader_key, name, tree, surfaces, (own_seat_and_seat_count[0] or 0, own_seat_and_seat_count[1])
                )
            )
    return made


@lru_cache(maxsize=2_000)
def _arrange_surfaces_on_screen(
    _: ReaderKey,
    screen_name: str,
    layout_tree: Tree,
    surfaces: tuple[Surface, ...],
    own_seat_and_seat_count: tuple[int, int],
) -> ScreenLayout:
    """Lay out a tree. What it does not name comes below, so that nothing is lost."""
    named = {s.key for s in _iter_surfaces_named_in_tree(layout_tree, surfaces, own_seat_and_seat_count)}
    rest = _split_surface_keys_into_rows([s for s in surfaces if s.key not in named], _ACROSS["tablet"])
    whole = _ArrangedBox(
        (*(layout_tree if isinstance(layout_tree, tuple) else (layout_tree,)), *rest),
        surfaces,
        own_seat_and_seat_count,
        stands=True,
    )
    slope, extra = whole.shape
    height = slope * _WIDTH + extra
    return ScreenLayout(
        screen_name, _WIDTH, round(height, 1), tuple(whole.iter_surface_placements(0.0, 0.0, _WIDTH, height))
    )


def _split_surface_keys_into_rows(surfaces: Sequence[Surface], row_width: float) -> tuple[Tree, ...]:
    """Return surfaces in rows that are about so wide."""
    rows: list[list[Surface]] = []
    for surface in surfaces:
        if not rows or sum(s.width for s in rows[-1]) + surface.width > row_width:
            rows.append([])
        rows[-1].append(surface)
    return tuple(tuple(s.key for s in row) for row in rows)


def _iter_surfaces_named_in_tree(
    layout_tree: Tree, surfaces: Sequence[Surface], own_seat_and_seat_count: tuple[int, int]
) -> Iterator[Surface]:
    """Yield the surfaces that a tree names."""
    if isinstance(layout_tree, str):
        yield from _find_surfaces_of_name_or_owner(layout_tree, surfaces, *own_seat_and_seat_count)
    else:
        for inner in layout_tree:
            yield from _iter_surfaces_named_in_tree(inner, surfaces, own_seat_and_seat_count)


def _find_surfaces_of_name_or_owner(
    name_with_owner: str, surfaces: Sequence[Surface], own_seat: int, seat_count: int
) -> list[Surface]:
    """Return the surfaces of a name: `mat` or `mat.2`, `mat.me`, `mat.others`."""
    kind, _, whose = name_with_owner.partition(".")
    alike = [s for s in surfaces if s.key.partition(".")[0] == kind]
    if whose not in (OWN, OTHERS):
        return [s for s in alike if s.key == name_with_owner] if whose else alike
    of = {s.seat: s for s in alike}
    seats = [own_seat] if whose == OWN else [(own_seat + n) % seat_count for n in range(1, seat_count)]
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
                self.inner += _find_surfaces_of_name_or_owner(branch, surfaces, *seats)
            elif (box := _ArrangedBox(branch, surfaces, seats, stands=not stands)).inner:
                self.inner.append(box)
        shapes = [_get_height_slope_and_offset(branch) for branch in self.inner]
        gaps = _GAP * (len(shapes) - 1)
        if stands:
            self.shape = sum(slope for slope, _ in shapes), sum(extra for _, extra in shapes) + gaps
        else:
            even = 1 / sum(1 / slope for slope, _ in shapes) if shapes else 0.0
            self.shape = even, even * (sum(extra / slope for slope, extra in shapes) - gaps)

    def iter_surface_placements(self, x: float, y: float, width: float, height: float) -> Iterator[SurfacePlacement]:
        """Yield the places of all surfaces in a box of this size."""
        for member in self.inner:
            slope, extra = _get_height_slope_and_offset(member)
            wide = width if self.stands else (height - extra) / slope
            high = slope * wide + extra
            if isinstance(member, _ArrangedBox):
                yield from member.iter_surface_placements(x, y, wide, high)
            else:
                yield SurfacePlacement(member.key, round(x, 1), round(y, 1), round(wide / member.width, 4))
            x, y = (x, y + high + _GAP) if self.stands else (x + wide + _GAP, y)


def _get_height_slope_and_offset(box_or_surface: _ArrangedBox | Surface) -> tuple[float, float]:
    return (
        box_or_surface.shape
        if isinstance(box_or_surface, _ArrangedBox)
        else (box_or_surface.height / box_or_surface.width, 0.0)
    )
