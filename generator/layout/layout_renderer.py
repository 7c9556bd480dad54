"""Binding: draw the faces of a component by its layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.components import Component
from playproof.database.errors import Finding, FindingCollector, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.game import Game
from playproof.generator.art.icons import IconLibrary
from playproof.generator.art.picture_files import BadPicture, RasterPicture
from playproof.generator.layout import draw_groups, draw_maps, draw_pictures, draw_shapes, draw_text
from playproof.generator.layout.drawing import ELEMENT_DRAWERS, DrawingResources, FaceDrawing, FullInk, LowInk
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.layout_files import (
    LAYOUTS,
    Element,
    Layout,
    collect_names_in_expressions_of_sides,
    find_layout_folder_of_game,
    read_concrete_layouts_and_note_errors,
)
from playproof.generator.layout.model import ELEMENTS
from playproof.generator.layout.printable_area import PrintableArea
from playproof.generator.layout.views import (
    ComponentViewer,
    QuotedComponents,
    collect_game_content_to_compare_prints,
    get_component_ids_needed_by_options,
)
from playproof.generator.papercraft import (
    BoxInterior,
    CardStock,
    build_card_stand_net_or_raise,
    build_die_net_from_six_pictures,
    build_standee_net,
    build_strip_of_die_stickers,
    build_tuckbox_net,
)
from playproof.generator.papercraft.paper_models import compute_card_stand_sizes_by_panel_in_mm as wedge_panels
from playproof.generator.scene import WHITE, Face, Group, Node, build_rectangle_path
from playproof.generator.type.fonts import FontBook, load_project_and_game_fonts
from playproof.generator.type.icon_names import build_spoken_names_by_icon, remove_icon_names_said_by_text_beside
from playproof.generator.type.typesetter import Typesetter
from playproof.generator.wording import SheetWording

STICKERS = "stickers"  # a third side of dice: their faces, not folded
PANEL = "panel"  # and of standees: the picture by itself
DIE_FACE = "face-"  # and of dice: one face by itself, `face-0` to `face-5`

# Importing the modules has registered how each element is drawn.
DRAWERS = (draw_groups, draw_maps, draw_pictures, draw_shapes, draw_text)
assert set(ELEMENT_DRAWERS) == set(ELEMENTS.values()), "an element that nothing draws"


def _format_title_for_screen_readers(component: Component, side: str, language: str) -> str:
    """Return what screen readers call a side of a component."""
    title = component.title.text(language) if component.title is not None else component.id
    return f"{title} ({SheetWording(language)('back')})" if side == "back" else title


class _DrawnFace(NamedTuple):
    """A face as it was drawn: of which component, the hash of its print, its problems, and the ids of the other
    components that its layout asked for."""

    component: Component
    print_of_card: str
    face: Face | None
    problems: tuple[Finding, ...]
    asked: frozenset[str] = frozenset()

    @property
    def is_drawn_without_problems(self) -> bool:
        return self.face is not None and not self.problems


class LayoutRenderer:
    """A game's layouts, ready to draw its components in any language."""

    def __init__(
        self,
        game: Game,
        folder: FilePath | None = None,
        fonts: FontBook | None = None,
        low_ink: bool = False,
        rulings: Mapping[str, str] | None = None,
        traced: bool = False,
    ) -> None:
        """Read the layouts of ``folder``, by default the game's own. Raises InputError with every
        mistake.

        With ``low_ink``, faces take little ink (`LowInk`). ``rulings`` gives the options that replace
        the rulebook's defaults; layouts may ask for them. With ``traced``, each part of a face says
        where it is written.
        """
        self.ink, self.traced = LowInk() if low_ink else FullInk(), traced
        self.rulings = dict(rulings or {})
        self.game = game
        self.folder = folder or find_layout_folder_of_game(game.folder)
        self.fonts = fonts or load_project_and_game_fonts(self.folder, game.languages)
        self.icons = IconLibrary(self.folder / "icons", LAYOUTS / "icons")
        self._statics: dict[str, DrawingResources] = {}
        self._viewers: dict[str, ComponentViewer] = {}
        # A landscape has no words: one serves all languages.
        self._scenes: dict[object, tuple[Node, ...]] = {}
        self._asked: dict[Layout, AbstractSet[str]] = {}
        self.print_of: Callable[[Component], str] | None = None
        """What tells a component that prints as before from one that changed; without it, the object itself."""
        self._drawn: dict[tuple[str, ...], _DrawnFace] = {}
        self._other_version: LayoutRenderer | None = None
        self._quoted = QuotedComponents(game.components)
        collector = FindingCollector()
        all_layouts = read_concrete_layouts_and_note_errors(self.folder, collector, LAYOUTS / "common")
        self.layouts = tuple(layout for layout in all_layouts if layout.kind)
        self.boxes = {layout.name.rpartition(".")[2]: layout for layout in all_layouts if layout.net == "tuckbox"}
        self._by_kind = {
            kind: tuple(layout for layout in self.layouts if layout.kind == kind)
            for kind in dict.fromkeys(layout.kind for layout in self.layouts)
        }
        self.nets = frozenset(layout.kind for layout in self.layouts if layout.net is not None)
        self.book = next((layout for layout in all_layouts if layout.book), None)
        self._note_unknown_kinds_and_term_groups(collector)
        self._note_chosen_rulings_that_do_not_exist(collector)
        collector.raise_if_errors()

    def copy_for_game_version(self, game: Game, traced: bool | None = None) -> LayoutRenderer:
        """Return these layouts for another version of the same game, traced or not. Landscapes are shared, and so is
        shaped text if the words of the game are the same. If all that any face may print is the same, they take the
        faces drawn here of which everything is the same that was asked for."""
        other = copy(self)
        other.game, other.print_of, other._quoted = game, None, QuotedComponents(game.components)
        other.traced = self.traced if traced is None else traced
        other._viewers, other._drawn, other._statics, other._other_version = {}, {}, {}, None
        if game.vocabulary.spec == self.game.vocabulary.spec:
            languages = game.languages
            other._statics = {
                each: self._get_or_create_drawing_resources(each).copy_for_other_version(other.traced)
                for each in languages
            }
        printed = (
            collect_game_content_to_compare_prints(each, self.may_print_game_version) for each in (game, self.game)
        )
        if next(printed) == next(printed) and other.traced == self.traced:
            other._other_version = self
        return other

    def list_picture_files_drawn_so_far(self, language: str) -> frozenset[FilePath]:
        """Return the files of the icons, motifs and pictures that were drawn so far; of pictures, those drawn in this
        language."""
        layouts = (*self.layouts, *self.boxes.values(), *((self.book,) if self.book is not None else ()))
        collections = (self.icons, *(layout.motifs for layout in layouts))
        opened = {path for collection in collections for path in collection.opened_files}
        return frozenset(opened | self._get_or_create_drawing_resources(language).opened)

    @cached_property
    def may_print_game_version(self) -> bool:
        """Whether a layout may print the version of the game: some layout file has the word."""
        files = (file for folder in (self.folder, LAYOUTS / "common") for file in folder.glob("*.yaml"))
        return any(re.search(r"\bversion\b", file.read_text("utf-8")) for file in files)

    def _note_unknown_kinds_and_term_groups(self, collector: FindingCollector) -> None:
        kinds = self.game.vocabulary.kinds
        for layout in self.layouts:
            if layout.kind not in kinds:
                hint = self.game.make_hint_for_unknown_kind(layout.kind)
                collector.add_finding("PP505", layout.where, f'the game has no kind "{layout.kind}"', hint)
            groups = self.game.vocabulary.terms
            if layout.variants and layout.variants not in groups:
                hint = make_nearest_or_possible_words_hint(layout.variants, groups)
                collector.add_finding("PP503", layout.where, f'there is no group of terms "{layout.variants}"', hint)

            asked = (
                collect_names_in_expressions_of_sides(layout) if layout.variants or layout.net is not None else set()
            )
            if "copy" in asked or (layout.variants and not layout.net and "index" in asked):
                message = "`copy` and `index` number the copies of a card; those of `variants` and of nets are alike"
                collector.add_finding(
                    "PP640", layout.where, message, "leave out `variants`, or number the cards in a column"
                )

    def _note_chosen_rulings_that_do_not_exist(self, collector: FindingCollector) -> None:
        rulings = self.game.rulings
        for name, option in self.rulings.items():
            where = Where("--ruling")
            if name not in rulings:
                collector.add_finding(
                    "PP515",
                    where,
                    f'the game has no ruling "{name}"',
                    make_nearest_or_possible_words_hint(name, rulings),
                )
            elif option not in rulings[name].options:
                options = rulings[name].options
                collector.add_finding(
                    "PP515",
                    where,
                    f'{name} has no option "{option}"',
                    make_nearest_or_possible_words_hint(option, options),
                )

    def replace_game_by_newer_reading(self, game: Game) -> None:
        """Replace the game by a newer reading of it. What was shaped and drawn for all cards alike
        is kept, and the faces of cards whose print is the same."""
        words_changed = game.vocabulary.spec != self.game.vocabulary.spec
        if words_changed:  # the words of texts and icons are in all faces
            self._statics.clear()
        remarked = any(kit.remarks for kit in self._statics.values())
        if words_changed or remarked or self.print_of is None:
            self._drawn.clear()
        self._drawn = {key: drawn for key, drawn in self._drawn.items() if drawn.is_drawn_without_problems}
        for kit in self._statics.values():
            kit.remarks.clear()
        self.game, self._quoted = game, QuotedComponents(game.components)
        self._viewers.clear()

    def find_layout_for_component_or_none(self, component: Component, language: str = "en") -> Layout | None:
        """Return the first layout of the component's kind whose condition holds, or None. Raises
        InputError if a condition names what the component does not have."""
        for layout in self._by_kind.get(component.kind, ()):
            try:
                if layout.condition is None or layout.condition(
                    self._get_or_create_component_viewer(language).build_expression_scope_of_component(
                        component, layout
                    )
                ):
                    return layout
            except ExpressionError as error:
                message = f"the `if` of this layout cannot be read for {component.id}: {error}"
                raise InputError.from_single_finding(error.code, layout.where, message, error.hint) from None
        return None

    def list_copy_variants_or_one_empty_text(self, component: Component) -> tuple[str, ...]:
        """Return the looks that the copies of a component come in, as ids of terms, or ("",) if all
        copies look alike."""
        layout = self.find_layout_for_component_or_none(component)
        if layout is None or (not layout.variants and not self._has_copies_printed_with_numbers(layout, component)):
            return ("",)
        if not layout.variants:
            return tuple(map(str, range(1, component.count + 1)))
        return tuple(self.game.vocabulary.group(layout.variants))

    def list_copy_numbers_or_one_empty_text(self, component: Component) -> tuple[str, ...]:
        """Return the copies of a component that differ by their numbers, or ("",)."""
        layout = self.find_layout_for_component_or_none(component)
        is_numbered = (
            layout is not None and not layout.variants and self._has_copies_printed_with_numbers(layout, component)
        )
        return self.list_copy_variants_or_one_empty_text(component) if is_numbered else ("",)

    def _has_copies_printed_with_numbers(self, layout: Layout, component: Component) -> bool:
        """Return whether the copies of a component differ: the layout prints `copy`, or the `index` of each."""
        if component.count < 2 or layout.net is not None:
            return False
        return bool({"copy", "index"} & self._get_copy_index_total_names_printed(layout) - component.fields.keys())

    def _get_copy_index_total_names_printed(self, layout: Layout) -> AbstractSet[str]:
        """Return which of `copy`, `index` and `total` a layout prints."""
        if layout not in self._asked:
            self._asked[layout] = {"copy", "index", "total"} & collect_names_in_expressions_of_sides(layout)
        return self._asked[layout]

    def format_printed_place_in_deck_or_empty(self, component: Component) -> str:
        """Return the numbers that its layout prints of a component and that follow from others, or ""."""
        if not any(
            {"index", "total"} & self._get_copy_index_total_names_printed(layout)
            for layout in self._by_kind.get(component.kind, ())
        ):
            return ""
        numbers = self._get_or_create_component_viewer(
            self.game.languages[0]
        ).get_copy_number_and_place_in_deck_by_name(component, 1)
        return f"{numbers.get('index')} of {numbers.get('total')}"

    def get_readable_name_of_variant(self, component: Component, variant: str, language: str) -> str:
        """Return what people call one of the looks of a component."""
        layout = self.find_layout_for_component_or_none(component)
        assert layout is not None  # it has variants
        if not layout.variants:
            return variant
        return self.game.vocabulary.group(layout.variants)[variant].name(language)

    def evaluate_deck_name_or_empty(self, component: Component, language: str = "en") -> str:
        """Return the deck that a card belongs to on a virtual table, or "" if its back decides.
        Raises InputError if the expression fails."""
        layout = self.find_layout_for_component_or_none(component, language)
        if layout is None or layout.pile is None:
            return ""
        try:
            return str(
                layout.pile(
                    self._get_or_create_component_viewer(language).build_expression_scope_of_component(
                        component, layout
                    )
                )
            )
        except ExpressionError as error:
            raise InputError.from_single_finding(error.code, layout.where, f"pile: {error}") from None

    def get_net_kind_or_empty(self, component: Component) -> str:
        """Return the kind of net that the component is folded from, or "" for none."""
        layout = self.find_layout_for_component_or_none(component)
        return (layout.net or "") if layout is not None else ""

    def get_fallback_words_by_font_pair(self, language: str) -> Mapping[tuple[str, str], Sequence[str]]:
        """Return the words drawn so far in a fallback font, by the font asked for and the font
        taken."""
        return self._get_or_create_drawing_resources(language).typesetter.shaper.substituted

    def get_reason_by_svg_drawn_as_pixels(self, language: str) -> Mapping[FilePath, str]:
        """Return the SVG files drawn so far as pixels, and why each could not be lines and areas."""
        pictures = self._get_or_create_drawing_resources(language).pictures.values()
        return {each.file: each.reason for each in pictures if isinstance(each, RasterPicture) and each.reason}

    def get_lowest_dpi_by_drawn_picture(self, language: str) -> Mapping[FilePath, float]:
        """Return the pictures of pixels drawn so far, and the fewest dots to the inch that each has anywhere."""
        return self._get_or_create_drawing_resources(language).dots

    def iter_missing_picture_findings(self) -> Iterator[Finding]:
        """Yield a finding for each picture that was not there when a face drawn so far wanted it."""
        for kit in self._statics.values():
            yield from kit.missing.values()

    def iter_print_remark_findings(self) -> Iterator[Finding]:
        """Yield what was drawn so far and perhaps meant otherwise: a tag in a text, a picture's other frames."""
        for kit in self._statics.values():
            yield from kit.remarks.values()

    def get_drawn_type_sizes_by_kind_and_style(self, language: str) -> Mapping[tuple[str, str], AbstractSet[float]]:
        """Return the sizes in points of the texts drawn so far, by kind of component and style."""
        return self._get_or_create_drawing_resources(language).sizes

    def has_side(self, component: Component, side: str) -> bool:
        """Return whether the component has this side. A component folded from a net has only a
        front."""
        layout = self.find_layout_for_component_or_none(component)
        return layout is not None and side in layout.sides and (layout.net is None or side == "front")

    def draw_tuckbox_net_or_raise(
        self, layout_name: str, cards: Iterable[Component], stock: CardStock, language: str, box_count: int = 1
    ) -> Face:
        """Return the tuckbox for a deck, from the layout of that name. Raises InputError with every
        problem.

        A deck that is too thick for one box is shared out among ``box_count`` equal ones.

        The layout's `front` and `back` are the large panels; its part `side` is the narrow ones.
        They may name `cards`, the number of cards inside.
        """
        deck = list(cards)
        collector = FindingCollector()
        layout = self.boxes.get(layout_name)
        inside = [inner for card in deck if (inner := self.find_layout_for_component_or_none(card)) is not None]
        if layout is None or not inside:
            where = Where(str(self.folder))
            collector.add_finding(
                "PP505",
                where,
                f'there is no tuckbox layout "{layout_name}"',
                make_nearest_or_possible_words_hint(layout_name, self.boxes),
            )
            raise InputError(collector.findings)
        count = -(-sum(card.count for card in deck) // box_count)
        widest, highest = max(inner.width for inner in inside), max(inner.height for inner in inside)
        box = BoxInterior.create_for_card_count(widest, highest, count, stock)
        panels = {
            "front": (box.width, layout.sides.get("front", ())),
            "back": (box.width, layout.sides.get("back", ())),
            "side": (box.depth, layout.parts.get("side", ())),
        }
        drawn = {}
        for panel, (width, elements) in panels.items():
            sized = replace(layout, width=width, height=box.height, bleed=0.0, name=f"{layout.name}.{panel}")
            drawing = self.create_drawing_without_component(sized, language, self.game.titles.text(language), collector)
            drawing.scope["cards"] = count
            drawing.draw_elements_in_order(elements)
            self.add_findings_on_cut_off_content(drawing, elements)
            drawn[panel] = tuple(drawing.nodes)
        collector.raise_if_errors()
        ground = self.ink.get_ground_colour_to_print_or_none(layout.ground) or WHITE
        return build_tuckbox_net(
            f"{layout_name}.{language}", box, drawn["front"], drawn["back"], drawn["side"], ground
        ).build_face_of_net()

    def draw_face_or_raise(self, component: Component, side: str = "front", language: str = "en") -> Face:
        """Return one side of a component. Raises InputError with every problem in it."""
        collector = FindingCollector()
        drawn = self.get_or_draw_face_and_note_problems(component, side, language, collector)
        collector.raise_if_errors()
        assert drawn is not None  # otherwise check() has raised
        return drawn

    def get_or_draw_face_and_note_problems(
        self, component: Component, side: str, language: str, collector: FindingCollector, variant: str = ""
    ) -> Face | None:
        """Return one side of a component and note its problems. Return None if it has no such side.

        ``variant`` is one of `list_copy_variants_or_one_empty_text`; "" is the first of them. Sheets, books and
        pictures of
        the table share what was drawn; until the next `replace_game_by_newer_reading`, also what has problems.
        """
        key = (component.id, side, language, variant)
        drawn = self._drawn.get(key)
        if drawn is None or drawn.component is not component:
            print_ = self.print_of(component) if self.print_of is not None else ""
            if drawn is None or not print_ or drawn.print_of_card != print_:
                drawn = self._get_same_face_of_version_or_none(key, component) or self._draw_face_with_its_problems(
                    key, component, print_
                )
                self._drawn[key] = drawn
        collector.add_findings(drawn.problems)
        return drawn.face

    def _get_same_face_of_version_or_none(self, key: tuple[str, ...], component: Component) -> _DrawnFace | None:
        """Return the face as another version drew it, if all that it was drawn from is the same here."""
        other = self._other_version
        drawn = other._drawn.get(key) if other is not None else None
        if other is None or drawn is None or drawn.component != component:
            return None
        if other.format_printed_place_in_deck_or_empty(drawn.component) != self.format_printed_place_in_deck_or_empty(
            component
        ):
            return None
        here, there = self.game.components, other.game.components
        quoted = self._quoted.collect_ids([component.id, *drawn.asked])
        is_same = all(here.get(ident) == there.get(ident) for ident in quoted)
        return drawn._replace(component=component) if is_same else None

    def _draw_face_with_its_problems(self, key: tuple[str, ...], component: Component, print_hash: str) -> _DrawnFace:
        _, side, language, variant = key
        problems, viewer = FindingCollector(), self._get_or_create_component_viewer(language)
        viewer.asked.clear()
        face = self._draw_side_net_or_die_face_or_none(component, side, language, problems, variant)
        if face is not None:
            face = replace(face, title=_format_title_for_screen_readers(component, side, language))
        asked = viewer.asked | get_component_ids_needed_by_options(component)
        return _DrawnFace(component, print_hash, face, tuple(problems.findings), frozenset(asked))

    def _draw_side_net_or_die_face_or_none(
        self, component: Component, side: str, language: str, collector: FindingCollector, variant: str
    ) -> Face | None:
        layout = self.find_layout_for_component_or_none(component, language)
        if layout is None or (
            side not in layout.sides and side not in (STICKERS, PANEL) and not _is_side_name_of_die_face(layout, side)
        ):
            missing = "no layout" if layout is None else f"no {side} in its layout"
            where = component.where if layout is None else layout.where
            hint = f"write a layout with `kind: {component.kind}` in layouts/" if layout is None else ""
            collector.add_finding("PP505", where, f"{component.kind} {component.id} has {missing}", hint)
            return None
        viewer = self._get_or_create_component_viewer(language)
        scope = viewer.build_expression_scope_of_component(component, layout)
        if layout.variants:
            scope["variant"] = viewer.get_term_view(
                layout.variants, variant or self.list_copy_variants_or_one_empty_text(component)[0]
            )
        elif variant:
            scope |= viewer.get_copy_number_and_place_in_deck_by_name(component, int(variant))
        subject = f"{component.kind} {component.id}" + (f" ({language})" if language != "en" else "")

        def drawn(face_side: str, values: Mapping[str, object] | None = None) -> tuple[Node, ...]:
            own_scope = {**scope, **values} if values else scope
            return self._draw_layout_side_nodes(
                layout, face_side, own_scope, subject, component.where, language, collector
            )

        if _is_side_name_of_die_face(layout, side):
            at = int(side.removeprefix(DIE_FACE))
            art = drawn("front", {"face": scope["faces"][at], "index": at})
            ground = build_rectangle_path(layout.trim, fill=layout.ground or WHITE)
            return Face(f"{component.id}.{side}", layout.width, layout.height, (ground, *art))
        if side == PANEL:
            return Face(f"{component.id}.{side}", layout.width, layout.height, drawn("front"))
        net = replace(layout, ground=self.ink.get_ground_colour_to_print_or_none(layout.ground))
        if layout.net == "wedge":
            return self._draw_card_stand_net_or_note_errors(component, net, scope, subject, language, collector)
        if layout.net is not None:
            return build_die_or_standee_net_or_note_error(
                component, net, scope.get("faces"), drawn, collector, as_stickers=side == STICKERS
            )
        nodes = drawn(side)
        return Face(
            f"{component.id}{'-' if variant else ''}{variant}.{side}",
            layout.width,
            layout.height,
            nodes,
            layout.bleed,
            layout.safe,
            layout.corner,
            layout.round_or_hexagonal_cut_outline,
        )

    def _draw_card_stand_net_or_note_errors(
        self,
        component: Component,
        layout: Layout,
        scope: dict[str, object],
        subject: str,
        language: str,
        collector: FindingCollector,
    ) -> Face | None:
        """Return the net of a card stand from the component's measures. Its panels are parts of the
        layout. Return None after noting wrong measures."""
        measures = [component.get(name) for name in ("width", "depth", "height", "slot")]
        numbers = [float(value) for value in measures if isinstance(value, int | float) and value > 0]
        if len(numbers) < 4:
            message = f"{component.id}: a wedge needs fields `width`, `depth`, `height` and `slot` above 0, in mm"
            collector.add_finding("PP503", component.where, message)
            return None
        width, depth, height, slot = numbers
        sides: list[tuple[Node, ...]] = []
        for part, (wide, long) in wedge_panels(width, depth, height).items():
            elements = layout.sides["front"] if part == "back" else layout.parts.get(part, ())
            sized = replace(layout, width=wide, height=long, bleed=0.0, sides={"front": elements})
            sides.append(
                self._draw_layout_side_nodes(sized, "front", scope, subject, component.where, language, collector)
            )
        slope, back, base = sides
        try:
            net = build_card_stand_net_or_raise(
                f"{component.id}.front",
                width,
                depth,
                height,
                slot,
                (slope, back, base),
                layout.ground or WHITE,
                language,
            )
        except ValueError as error:
            collector.add_finding("PP503", component.where, f"{component.id}: {error}")
            return None
        return net.build_face_of_net()

    def _draw_layout_side_nodes(
        self,
        layout: Layout,
        side: str,
        scope: dict[str, object],
        subject: str,
        place: Where,
        language: str,
        collector: FindingCollector,
    ) -> tuple[Node, ...]:
        kit = self._get_or_create_drawing_resources(language)
        shared = [name for name, style in layout.styles.items() if style.shared]
        if shared:  # what is drawn once for all cards may not have this card's size
            kit = replace(kit, traced=True, limits={}, face_sizes={})
        drawing = FaceDrawing(layout, kit, scope, layout.trim, subject, place, collector)
        drawing.boxes |= layout.page_boxes
        try:
            drawing.draw_elements_in_order(layout.sides[side])
            limits = {name: min(sizes) for name in shared if len(sizes := kit.face_sizes.get(name, set())) > 1}
            if limits:
                drawing = replace(
                    drawing,
                    kit=replace(kit, limits=limits),
                    boxes=dict(layout.page_boxes),
                    nodes=[],
                    unfitting=[],
                    natural=[],
                    collector=FindingCollector(),  # the first drawing has told of every problem
                )
                drawing.draw_elements_in_order(layout.sides[side])
        except BadPicture as error:
            drawing.add_finding_about_card("PP506", layout.where, error)
        except ExpressionError as error:
            drawing.add_finding_about_card(error.code, layout.where, error)
        self.add_findings_on_cut_off_content(drawing, layout.sides[side])
        return remove_icon_names_said_by_text_beside(drawing.nodes, whole_lines=True)

    def add_findings_on_cut_off_content(self, drawing: FaceDrawing, elements: tuple[Element, ...]) -> None:
        """Note what a finished drawing of these elements holds beyond its canvas, at the place of the
        element that draws it. A text that does not fit its box has been told of, and is not looked at again."""
        layout = drawing.layout
        canvas = PrintableArea(layout.trim, layout.bleed_box, layout.shape, self.icons.ids)
        if (
            next(
                canvas.iter_content_beyond_canvas(_filter_out_nodes_at_any_depth(drawing.nodes, drawing.unfitting)),
                None,
            )
            is None
        ):
            return
        # Only a traced drawing knows its elements. It costs more, so it is made only to tell of a mistake.
        traced = replace(
            drawing,
            kit=replace(drawing.kit, traced=True),
            boxes=dict(layout.page_boxes),
            nodes=[],
            unfitting=[],
            collector=FindingCollector(),
        )
        traced.draw_elements_in_order(elements)
        for lost in canvas.iter_content_beyond_canvas(_filter_out_nodes_at_any_depth(traced.nodes, traced.unfitting)):
            message = lost.format_message(layout.trim, layout.bleed)
            drawing.add_finding_about_card("PP533", lost.where or layout.where, message, lost.hint)

    def create_drawing_without_component(
        self, layout: Layout, language: str, title: str, collector: FindingCollector
    ) -> FaceDrawing:
        """Return a drawing without a component, such as a page of a booklet."""
        viewer = self._get_or_create_component_viewer(language)
        scope = viewer.build_expression_scope(layout, {"title": title})
        drawing = FaceDrawing(
            layout, self._get_or_create_drawing_resources(language), scope, layout.trim, title, layout.where, collector
        )
        drawing.boxes |= layout.page_boxes
        return drawing

    def _get_or_create_component_viewer(self, language: str) -> ComponentViewer:
        if language not in self._viewers:
            self._viewers[language] = ComponentViewer(self.game, language, self.rulings)
        return self._viewers[language]

    def _get_or_create_drawing_resources(self, language: str) -> DrawingResources:
        if language not in self._statics:
            folders = (self.game.folder, self.folder)
            typesetter = Typesetter(
                self.fonts, self.icons, language, build_spoken_names_by_icon(self.game.vocabulary, language)
            )
            self._statics[language] = DrawingResources(
                typesetter, self.icons, folders, self.ink, self.traced, scenes=self._scenes
            )
        return self._statics[language]


def _filter_out_nodes_at_any_depth(nodes: Sequence[Node], excluded_nodes: Sequence[Node]) -> Sequence[Node]:
    """Return nodes without those of texts that do not fit, in groups too."""
    if not excluded_nodes:
        return nodes
    left_out = set(map(id, excluded_nodes))

    def without(some: Sequence[Node]) -> list[Node]:
        return [
            node._replace(children=tuple(without(node.children))) if isinstance(node, Group) else node
            for node in some
            if id(node) not in left_out
        ]

    return without(nodes)


def _is_side_name_of_die_face(layout: Layout, side: str) -> bool:
    """Return whether a side is one face of a die."""
    return layout.net == "die" and side in {f"{DIE_FACE}{n}" for n in range(6)}


def build_die_or_standee_net_or_note_error(
    component: Component,
    layout: Layout,
    faces: object,
    draw_side: Callable[..., tuple[Node, ...]],
    collector: FindingCollector,
    as_stickers: bool = False,
) -> Face | None:
    """Return the net of a folded component: a die with its six `faces`, as a layout sees them, or a
    standee. With ``as_stickers``, a die gives stickers. Return None after noting that the faces are
    wrong."""
    name = f"{component.id}.front"
    if layout.net == "standee":
        back = draw_side("back") if "back" in layout.sides else draw_side("front")
        return build_standee_net(
            name, layout.width, layout.height, draw_side("front"), back, layout.ground
        ).build_face_of_net()
    if layout.net != "die" or not isinstance(faces, list) or len(faces) != 6:
        actual = f"found {len(faces)}" if isinstance(faces, list) else "found none"
        message = f"{component.id}: a die needs a field `faces` with six items, {actual}"
        collector.add_finding("PP503", component.where, message)
        return None
    pictures = [draw_side("front", {"face": face, "index": at}) for at, face in enumerate(faces)]
    if as_stickers:
        return build_strip_of_die_stickers(f"{component.id}.{STICKERS}", layout.width, pictures, layout.ground)
    return build_die_net_from_six_pictures(name, layout.width, pictures, layout.ground).build_face_of_net()
