"""Binding: a component and its layout become faces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath

from database.components import Component
from database.errors import Collector, Where, did_you_mean
from database.game import Game
from generator.art.icons import Icons
from generator.art.svg_read import BadPicture
from generator.layout import draw_groups, draw_pictures, draw_shapes, draw_text
from generator.layout.drawing import DRAW, Drawing, Kit
from generator.layout.expression import ExpressionError
from generator.layout.looks import LAYOUTS, Layout, read_layouts
from generator.layout.model import ELEMENTS
from generator.layout.views import Viewer
from generator.scene import Face, Node, Rect
from generator.type.fonts import FontBook, default_fonts
from generator.type.setting import Typesetter

# Importing the modules has registered how each element is drawn.
DRAWERS = (draw_groups, draw_pictures, draw_shapes, draw_text)
assert set(DRAW) == set(ELEMENTS.values()), "an element that nothing draws"


class Looks:
    """A game's layouts, ready to draw its components in any language."""

    def __init__(
        self,
        game: Game,
        folder: FilePath | None = None,
        fonts: FontBook | None = None,
        low_ink: bool = False,
    ) -> None:
        """Read the layouts of ``folder`` (layouts/<game>). Raises InputError with every mistake in them.

        With ``low_ink`` grounds stay white, type is black, fills become outlines and pictures are left out.
        """
        self.low_ink = low_ink
        self.game = game
        self.folder = folder or LAYOUTS / game.name
        self.fonts = fonts or default_fonts()
        self.icons = Icons(self.folder / "icons", LAYOUTS / "icons")
        self._statics: dict[str, Kit] = {}
        self._viewers: dict[str, Viewer] = {}
        collector = Collector()
        found = read_layouts(self.folder, collector, LAYOUTS / "common")
        self.layouts = tuple(layout for layout in found if not layout.book)
        self.book = next((layout for layout in found if layout.book), None)
        self._check_kinds(collector)
        collector.check()

    def _check_kinds(self, collector: Collector) -> None:
        kinds = self.game.vocabulary.kinds
        for layout in self.layouts:
            if layout.kind not in kinds:
                hint = did_you_mean(layout.kind, kinds)
                collector.add("PP505", layout.where, f'the game has no kind "{layout.kind}"', hint)

    def update(self, game: Game) -> None:
        """Go on with the game as it reads now: what was shaped and drawn for all cards alike is kept."""
        self.game = game
        self._viewers.clear()

    def layout_for(self, component: Component, language: str = "en") -> Layout | None:
        """The first layout of the component's kind whose condition holds."""
        for layout in self.layouts:
            if layout.kind != component.kind:
                continue
            if layout.condition is None or layout.condition(self._viewer(language).scope(component, layout)):
                return layout
        return None

    def has_side(self, component: Component, side: str) -> bool:
        """Whether the component's layout draws this side."""
        layout = self.layout_for(component)
        return layout is not None and side in layout.sides

    def face(self, component: Component, side: str = "front", language: str = "en") -> Face:
        """One side of a component. Raises InputError with all that is wrong with it."""
        collector = Collector()
        drawn = self.draw(component, side, language, collector)
        collector.check()
        assert drawn is not None  # otherwise check() has raised
        return drawn

    def faces(self, components: Iterable[Component], side: str = "front", language: str = "en") -> Mapping[str, Face]:
        """Faces by component id. Raises InputError with all that is wrong with any of them."""
        collector = Collector()
        drawn = {component.id: self.draw(component, side, language, collector) for component in components}
        collector.check()
        return {key: face for key, face in drawn.items() if face is not None}

    def draw(self, component: Component, side: str, language: str, collector: Collector) -> Face | None:
        """One side of a component, what is wrong with it noted; None if it has no such side."""
        layout = self.layout_for(component, language)
        if layout is None or side not in layout.sides:
            missing = "no layout" if layout is None else f"no {side} in its layout"
            where = component.where if layout is None else layout.where
            collector.add("PP505", where, f"{component.kind} {component.id} has {missing}")
            return None
        scope = self._viewer(language).scope(component, layout)
        subject = f"{component.kind} {component.id}" + (f" ({language})" if language != "en" else "")
        nodes = self._nodes(layout, side, scope, subject, component.where, language, collector)
        return Face(
            f"{component.id}.{side}",
            layout.width,
            layout.height,
            nodes,
            layout.bleed,
            layout.safe,
            layout.corner,
            layout.outline,
        )

    def _nodes(
        self,
        layout: Layout,
        side: str,
        scope: dict[str, object],
        subject: str,
        place: Where,
        language: str,
        collector: Collector,
    ) -> tuple[Node, ...]:
        drawing = Drawing(layout, self._kit(language), scope, layout.trim, subject, place, collector)
        drawing.boxes |= page_boxes(layout)
        try:
            drawing.elements(layout.sides[side])
        except BadPicture as error:
            drawing.complain("PP506", layout.where, error)
        except ExpressionError as error:
            drawing.complain(error.code, layout.where, error)
        return tuple(drawing.nodes)

    def blank(self, layout: Layout, language: str, title: str, collector: Collector) -> Drawing:
        """A drawing with no component behind it: a page of a booklet."""
        viewer = self._viewer(language)
        scope = viewer.scope_of(layout, {"title": title})
        drawing = Drawing(layout, self._kit(language), scope, layout.trim, title, layout.where, collector)
        drawing.boxes |= page_boxes(layout)
        return drawing

    def _viewer(self, language: str) -> Viewer:
        if language not in self._viewers:
            self._viewers[language] = Viewer(self.game, language)
        return self._viewers[language]

    def _kit(self, language: str) -> Kit:
        if language not in self._statics:
            folders = (self.game.folder, self.folder)
            typesetter = Typesetter(self.fonts, self.icons, language)
            self._statics[language] = Kit(typesetter, self.icons, folders, self.low_ink)
        return self._statics[language]


def page_boxes(layout: Layout) -> dict[str, Rect]:
    """The boxes every element may be placed in."""
    return {"trim": layout.trim, "bleed": layout.bleed_box, "safe": layout.trim.grown(-layout.safe)}


def faces_for(
    game: Game, kind: str, side: str = "front", language: str = "en", looks: Looks | None = None
) -> Mapping[str, Face]:
    """One side of every component of a kind, by id."""
    return (looks or Looks(game)).faces(game.of_kind(kind), side, language)
