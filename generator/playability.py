"""Checks whether the game can be played with what is printed: lint of its components, texts and symbols, of
type that hardly differs from its ground, and a trial print that draws what `build` draws and keeps
nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.components import (
    Component,
    Effect,
    Words,
    iter_effects_nested_in_value,
    iter_free_texts_in_value,
)
from playproof.database.effect_text import get_text_or_english_or_first, list_icon_names_in_text, made_text
from playproof.database.errors import Finding, FindingCollector, InputError, Where, make_path_relative_to_working_folder
from playproof.database.game import Game
from playproof.database.rulebook_text import read_rulebook_document
from playproof.database.vocabulary import ICON_MARK
from playproof.generator.art.outlines import invert_transform_or_raise
from playproof.generator.build.press import Press
from playproof.generator.build.products import (
    FILE as BUILD,
    Product,
    build_one_product_per_kind,
    iter_missing_or_extra_language_warnings,
    read_build_yaml_with_places_or_none,
    read_or_default_products,
)
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import (
    IDENTITY,
    WHITE,
    Colour,
    Command,
    Face,
    Glyphs,
    Group,
    Image,
    Node,
    Path,
    Rect,
    Transform,
    Use,
)
from playproof.generator.sheets import parse_paper_name_or_size_or_raise
from playproof.generator.sheets.imposition import list_findings_on_sizes_too_large
from playproof.generator.sheets.pieces import raise_if_no_or_unprintable_pieces

# Checks whether the game can be played with what is printed: lint of its components, texts and looks.

Check = Callable[[Press], Iterable[Finding]]

# What a rule speaks of, and the words it uses for it. A die is printed as a net, or brought along.
THINGS: Mapping[str, re.Pattern[str]] = {
    "die": re.compile(r"\b(die|dice|d6|rolls?|rolled)\b", re.IGNORECASE),
    "coin": re.compile(r"\b(flip|toss)(s|es|ed)? (a|the|one) coin\b", re.IGNORECASE),
    "pencil": re.compile(r"\b(pencils?|write down)\b", re.IGNORECASE),
    "timer": re.compile(r"\b(timer|sand-?glass|hourglass)\b", re.IGNORECASE),
}
SIGNS = "+−"
_HOLE = re.compile(r"\{[^}]*\}")
_WORD = re.compile(r"[^\W\d_]{2,}")
LEAST_WORDS = 3  # that make a line an explanation
CALM_SIZES = 3  # of type in one style; more are a finding,
CALM_RATIO = 1.5  # if the largest is this many times the least
FINE = 200  # dots to the inch; with fewer, one sees them on a card in the hand
LIGHTNESS_WITHOUT_BLEED = 0.97  # a ground no darker than this needs no bleed


def list_playability_problems_sorted_by_place(game: Game, looks: LayoutRenderer) -> list[Finding]:
    """Return every finding, sorted by place."""
    findings = list[Finding]()
    try:
        products = read_or_default_products(game, looks)
    except InputError as error:  # what cannot be read is told, and the layouts are tried without it
        findings = list(error.findings)
        # no sheet is known
        products = tuple(
            product.model_copy(update={"tiled": True}) for product in build_one_product_per_kind(game, looks)
        )
    press = Press(game, looks=looks, products=products)
    undrawn = set[str | FilePath]()  # layouts of which something, such as the ground of type, cannot be drawn
    for check in CHECKS:
        try:
            of_check = list(check(press))
        except InputError as error:  # such as a layout whose condition cannot be read
            of_check = list(error.findings)
        if check is find_faces_not_drawable_or_too_large:
            undrawn = {finding.where.file for finding in of_check}
        findings += [
            f for f in of_check if check is not find_text_hardly_visible_on_its_ground or f.where.file not in undrawn
        ]
    return sorted(dict.fromkeys(findings), key=lambda f: (str(f.where.file), f.where.line, f.where.column, f.code))


def find_faces_not_drawable_or_too_large(press: Press) -> Iterator[Finding]:
    """PP5xx: every face can be drawn in every language, and fits on its sheet."""
    yield from list_unique_errors_of_trial_print(press)


def find_unprinted_components(press: Press) -> Iterator[Finding]:
    """PP517: a product prints every component."""
    printed = {kind for product in press.products if product.box is None for kind in product.kinds}
    missing = dict[str, list[Component]]()
    for component in press.game.components.values():
        if component.kind not in printed:
            missing.setdefault(component.kind, []).append(component)
    for kind, (first, *others) in missing.items():
        message = f"{first.id} is printed by no product" + (f", nor are {len(others)} more" if others else "")
        yield Finding("PP517", first.where, message, f"name its kind, {kind}, in build.yaml")


def find_product_titles_in_wrong_languages(press: Press) -> Iterator[Finding]:
    """PP534: the title of a product has a text in each language of the game, and in no other."""
    try:
        written = read_build_yaml_with_places_or_none(press.looks.folder)
    except InputError:
        return  # that has been told
    if written is None:
        return
    spec, node = written
    for name, product in spec.products.items():
        if product.title:
            title = node.get_node_or_nearest_ancestor(["products", name, "title"])
            yield from iter_missing_or_extra_language_warnings(product.title, title, press.game.languages)


def find_needed_things_that_game_lacks(press: Press) -> Iterator[Finding]:
    """PP518: the dice that the rules mention are printed, or the game tells players to bring
    them."""
    game = press.game
    brought = {needed.thing for needed in game.facts.also}
    dice = {layout.kind for layout in press.looks.layouts if layout.net == "die"}
    printed = {"die"} if game.of_kind(*dice) else set()
    titles = [str(component.get("title")) for component in game.components.values()]
    for thing, words in THINGS.items():
        if thing in brought or thing in printed or (thing != "die" and any(map(words.search, titles))):
            continue
        rule = next((rule for rule in game.rules.values() if words.search(rule.words.text("en"))), None)
        if rule is not None:
            message = f"{rule.id} needs a {thing}, and none is printed"
            hint = f"print one, or list it in game.yaml: also: [{{thing: {thing}, name: one {thing}}}]"
            yield Finding("PP518", rule.where, message, hint)


def find_effect_symbols_no_text_explains(press: Press) -> Iterator[Finding]:
    """PP519: a line of print explains every symbol in the effects on cards, and every sign."""
    game = press.game
    explained = {*_iter_symbols_explained_by_printed_lines(game), *_iter_icon_markup_of_titled_components(press)}
    places: dict[str, dict[str, Where]] = {}
    for component in game.components.values():
        effects = [effect for value in component.fields.values() for effect in iter_effects_nested_in_value(value)]
        for symbol in (symbol for effect in effects for symbol in _iter_icons_and_sign_of_effect(game, effect)):
            places.setdefault(symbol, {})[component.id] = component.where
    for symbol, owners in places.items():
        unknown = symbol not in SIGNS and symbol.strip(":") not in press.looks.icons.files  # lint tells of it
        if symbol not in explained and not unknown:
            first, *others = owners
            more = f" and {len(others)} more" if others else ""
            message = f"{first}{more} shows {symbol}, which no line of a component or of the rulebook explains"
            hint = "explain it on a reference sheet or in a rule, beside the symbol"
            yield Finding("PP519", owners[first], message, hint, "warning")


def _iter_icon_markup_of_titled_components(press: Press) -> Iterator[str]:
    """Yield the icons of components that print their own title: an item's card explains the item's
    icon."""
    for component in press.game.components.values():
        icon, title = component.get("icon"), component.get("title")
        if icon and isinstance(title, Words):
            face = press.draw_face_or_none_and_note_problems(component, "front", "en", FindingCollector())
            printed_words = " ".join(_iter_glyph_texts_outside_symbols(face.nodes)) if face is not None else ""
            if all(word in printed_words for word in title.text("en").split()):
                yield f":{icon}:"


def _iter_glyph_texts_outside_symbols(nodes: tuple[Node, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Group):
            yield from _iter_glyph_texts_outside_symbols(node.children)
        elif isinstance(node, Glyphs):
            yield node.text


def _iter_icons_and_sign_of_effect(game: Game, effect: Effect) -> Iterator[str]:
    """Yield the icons of an effect as printed, and its sign if no words stand beside it."""
    text = made_text((effect,), game.vocabulary)
    yield from (f":{name}:" for name in list_icon_names_in_text(text))
    template = ICON_MARK.sub(
        " ", _HOLE.sub(" ", get_text_or_english_or_first(game.vocabulary.effects[effect.op].text, "en"))
    )
    if not _WORD.search(template):
        yield from (sign for sign in SIGNS if sign in template)


def _iter_symbols_explained_by_printed_lines(game: Game) -> Iterator[str]:
    """Yield the symbols of lines that have at least three words, or that begin with an icon and
    have a word beside it."""
    for line in _iter_lines_of_all_printed_text(game):
        words = ICON_MARK.sub(" ", line)
        icons = [mark[0] for mark in ICON_MARK.finditer(line)]
        if len(_WORD.findall(words)) >= LEAST_WORDS or (icons and line.startswith(icons[0]) and _WORD.search(words)):
            yield from icons
            yield from (sign for sign in SIGNS if sign in words)


def _iter_lines_of_all_printed_text(game: Game) -> Iterator[str]:
    """Yield every printed line of free text: of the components, of the rules and of the rulebook's chapters."""
    document = read_rulebook_document(game.folder, game.languages[0], game.edits)
    for paragraph in document.iter_paragraphs_of_document() if document else ():
        yield "".join(span for span in paragraph.spans if isinstance(span, str))
    for component in game.components.values():
        for words in iter_free_texts_in_value(tuple(component.fields.values())):
            yield from words.text("en").split("\n")
    for rule in game.rules.values():
        yield rule.words.text("en")


def find_pieces_whose_sets_look_alike(press: Press) -> Iterator[Finding]:
    """PP520: the looks of a piece tell its sets apart."""
    game, looks = press.game, press.looks
    for index, declared in enumerate(game.facts.components):
        if declared.sets == 1:
            continue
        pieces = [c for c in game.components.values() if c.id in (declared.ids or ()) or c.kind == declared.kind]
        for component in pieces:
            faces = {
                _draw_nameless_front_svg_or_empty(press, component, variant)
                for variant in looks.list_copy_variants_or_one_empty_text(component)
            }
            if component.count >= declared.sets and len(faces) < declared.sets:
                where = game.node.get_node_or_nearest_ancestor(["components", index]).where
                message = f"{component.id} is in {declared.sets} sets and has {len(faces)} look"
                yield Finding("PP520", where, message, "give its layout `variants: GROUP`, a term for each set")


def _draw_nameless_front_svg_or_empty(press: Press, component: Component, variant: str) -> str:
    from playproof.generator.svg import render_face_to_svg_text  # only games with equal sets need it

    face = press.draw_face_or_none_and_note_problems(component, "front", "en", FindingCollector(), variant=variant)
    return (
        render_face_to_svg_text(face, bleed=0.0, fonts=press.looks.fonts).replace(face.name, "")
        if face is not None
        else ""
    )


def find_coloured_edges_without_bleed(press: Press) -> Iterator[Finding]:
    """PP522: a piece whose colour runs to its edge has bleed; otherwise an inexact cut leaves a
    white line."""
    game, looks = press.game, press.looks
    planned = {product.name: press.read_sheet_plan_by_name(product.sheet).bleed for product in press.products}
    seen: set[Where] = set()
    for product in press.products:
        for component in game.of_kind(*product.kinds) if product.box is None and not product.stickers else ():
            layout = looks.find_layout_for_component_or_none(component)
            if layout is None or layout.net is not None or layout.where in seen:
                continue
            seen.add(layout.where)
            face = press.draw_face_or_none_and_note_problems(component, "front", "en", FindingCollector())
            if face is None or not _has_colour_over_whole_face(face):
                continue
            if layout.bleed <= 0:
                message = f"{component.id}: its colour runs to the edge, and its layout has no bleed"
                yield Finding("PP522", layout.where, message, "give the layout `bleed: 3`, and its ground `box: bleed`")
            elif planned[product.name] <= 0 and (looks.folder / BUILD).is_file():
                message = f"{component.id}: its colour runs to the edge, and its sheet {product.sheet} prints no bleed"
                yield Finding("PP522", layout.where, message, "take a sheet with bleed, such as bleed, pages or board")


def _has_colour_over_whole_face(face: Face) -> bool:
    """Return whether a shape that is not white covers the whole face."""
    return any(_covers_face_with_colour(node, face) for node in face.nodes)


def _covers_face_with_colour(node: Node, face: Face) -> bool:
    if isinstance(node, Group):
        return any(_covers_face_with_colour(child, face) for child in node.children)
    # what all cards of a layout share is stored once
    if isinstance(node, Use) and node.transform == IDENTITY:
        return any(_covers_face_with_colour(child, face) for child in node.symbol.children)
    if not isinstance(node, Path) or node.fill is None:
        return False
    xs = [x for _, numbers in node.commands for x in numbers[0::2]]
    ys = [y for _, numbers in node.commands for y in numbers[1::2]]
    fills = min(xs) <= 0 and min(ys) <= 0 and max(xs) >= face.width and max(ys) >= face.height
    light = getattr(node.fill, "luminance", None)
    return fills and not (light is not None and light >= LIGHTNESS_WITHOUT_BLEED)


def find_words_set_in_fallback_fonts(press: Press) -> Iterator[Finding]:
    """PP526: a word with letters that its font lacks is set in another font, so its face or weight
    changes."""
    for language in press.game.languages:
        for component in press.game.components.values():
            for side in ("front", "back") if press.looks.has_side(component, "back") else ("front",):
                press.draw_face_or_none_and_note_problems(component, side, language, FindingCollector())
        for (wanted, taken), words in press.looks.get_fallback_words_by_font_pair(language).items():
            some = ", ".join(list(dict.fromkeys(words))[:3])
            message = f"{language}: {wanted} lacks letters of {some}; {len(words)} words are set in {taken}"
            hint = "take a font with these letters, or bring one in fonts/ beside the layouts"
            yield Finding("PP526", Where(str(press.looks.folder)), message, hint, "warning")


def find_font_files_that_cannot_be_read(press: Press) -> Iterator[Finding]:
    """PP521: a file among the fonts of a game that is no font. Nothing names it, or that is an error."""
    yield from press.looks.fonts.iter_unreadable_font_file_warnings()


def find_svg_files_printed_as_pixels(press: Press) -> Iterator[Finding]:
    """PP536: an SVG picture that is printed as pixels, which nobody sees until it is enlarged."""
    files: dict[FilePath, str] = {}
    for language in press.game.languages:  # `find_words_set_in_fallback_fonts` has drawn every face
        files |= press.looks.get_reason_by_svg_drawn_as_pixels(language)
    for file, reason in files.items():
        message = f"{reason} as lines and areas, so the picture is printed as pixels, 600 to the inch"
        hint = "draw it without that part, or leave it so"
        yield Finding("PP536", Where(make_path_relative_to_working_folder(file)), message, hint, "warning")


def find_text_hardly_visible_on_its_ground(press: Press) -> Iterator[Finding]:
    """PP537: type that hardly differs from its ground. One component of a kind stands for the others."""
    language = press.game.languages[0]
    tried = set[str]()
    for component in press.game.components.values():
        layout = press.looks.find_layout_for_component_or_none(component)
        if layout is None or component.kind in tried:
            continue
        tried.add(component.kind)
        for side in ("front", "back") if press.looks.has_side(component, "back") else ("front",):
            face = press.draw_face_or_none_and_note_problems(component, side, language, FindingCollector())
            for text, ink, ground in find_text_lines_of_low_contrast(face) if face is not None else ():
                message = f'{component.id}, {side}: "{text}" is printed in {ink.hex} on {ground.hex}'
                yield Finding("PP537", layout.where, message, "few can read that; change one colour", "warning")


def find_pictures_with_too_few_pixels(press: Press) -> Iterator[Finding]:
    """PP538: a picture with too few pixels for its size."""
    dots: dict[FilePath, float] = {}
    for language in press.game.languages:  # `find_words_set_in_fallback_fonts` has drawn every face
        for file, here in press.looks.get_lowest_dpi_by_drawn_picture(language).items():
            dots[file] = min(here, dots.get(file, here))
    for file, least in dots.items():
        if least < FINE:
            message = f"this picture is printed at {least:.0f} dots to the inch"
            hint = f"give it {300 / least:.1f} times as many pixels each way; print shops ask for 300"
            yield Finding("PP538", Where(make_path_relative_to_working_folder(file)), message, hint, "warning")


def find_missing_picture_files(press: Press) -> Iterator[Finding]:
    """PP506: a picture that is not there."""
    yield from press.list_missing_picture_findings()


def find_markup_and_pictures_likely_mistaken(press: Press) -> Iterator[Finding]:
    """PP630 to PP633: what prints as it stands and was perhaps meant otherwise."""
    yield from press.list_print_remark_findings()


def find_styles_with_many_type_sizes(press: Press) -> Iterator[Finding]:
    """PP535: cards of a kind whose type has many sizes, the largest much larger than the least. Readers
    take size for weight: a short rule then outshouts a long one."""
    layouts = {layout.kind: layout for layout in press.looks.layouts}
    spreads: dict[tuple[str, str], set[float]] = {}
    for language in press.game.languages:  # `find_words_set_in_fallback_fonts` has drawn every face
        for of_kind, sizes in press.looks.get_drawn_type_sizes_by_kind_and_style(language).items():
            spreads.setdefault(of_kind, set()).update(sizes)
    for (kind, style), sizes in spreads.items():
        if kind in layouts and len(sizes) > CALM_SIZES and max(sizes) > CALM_RATIO * min(sizes):
            message = f"{kind}: texts in the style {style} have {len(sizes)} sizes, {min(sizes):g} to {max(sizes):g} pt"
            suggested = ", ".join(f"{size:g}" for size in suggest_three_rounded_sizes_largest_first(sizes))
            hint = f"give the style two or three: sizes: [{suggested}]"
            yield Finding("PP535", layouts[kind].where, message, hint, "warning")


def suggest_three_rounded_sizes_largest_first(sizes: set[float]) -> list[float]:
    """Return three sizes in place of many: the least, and two above it that stay near."""
    least = min(sizes)
    return [min(max(sizes), round(4 * least * share) / 4) for share in (1.6, 1.25, 1)]


CHECKS: tuple[Check, ...] = (
    find_faces_not_drawable_or_too_large, find_unprinted_components,
    find_product_titles_in_wrong_languages, find_needed_things_that_game_lacks,
    find_effect_symbols_no_text_explains, find_pieces_whose_sets_look_alike, find_coloured_edges_without_bleed,
    find_words_set_in_fallback_fonts,
    find_font_files_that_cannot_be_read, find_svg_files_printed_as_pixels,
    find_styles_with_many_type_sizes, find_text_hardly_visible_on_its_ground,
    find_pictures_with_too_few_pixels, find_missing_picture_files, find_markup_and_pictures_likely_mistaken,
)  # fmt: skip


# -- contrast ------------------------------------------------------------------------------------------------
# Type that hardly differs from what it is printed on, such as black letters on a night sky.

LEAST = 1.6
"""Contrast of WCAG 2.2 below which nobody is meant to read a text: 1 is none, 21 black on white, and 4.5 is asked
for on screens."""
_ACROSS = (0.2, 0.5, 0.8)  # where a line of type is compared with its ground, in shares of its width
_UP = 0.12  # mm per point: the middle of small letters above their baseline
_NOWHERE = Rect(0, 0, 0, 0)
_SLICES = 6  # straight pieces that a curve is measured by


class FaintText(NamedTuple):
    """A text, its colour, and the colour of what lies below it."""

    text: str
    ink: Colour
    ground: Colour


@dataclass(frozen=True)
class _DrawnLayer:
    """A node that is no group. Its measures are taken when type lies on it: most layers have none."""

    node: Path | Glyphs | Image
    place: Transform

    @cached_property
    def face_to_node_transform(self) -> Transform | None:
        """The map from the face to the node's own coordinates; None if it has no area."""
        flat = abs(self.place.a * self.place.d - self.place.b * self.place.c) < 1e-12
        return None if flat else invert_transform_or_raise(self.place)

    @cached_property
    def box(self) -> Rect:
        """A box outside of which the node paints nothing."""
        return _compute_bounds_of_layer_node(self.node)


def find_text_lines_of_low_contrast(face: Face) -> Iterator[FaintText]:
    """Yield each line of type whose contrast with its ground is below `LEAST` all along. A ground that is a picture or
    changes its colour is not compared."""
    layers = list(_iter_opaque_layers_from_bottom(face.nodes, IDENTITY))
    for number, layer in enumerate(layers):
        if isinstance(layer.node, Glyphs):
            line = layer.node
            points = [layer.place.apply(line.x + line.width * share, line.y - line.size * _UP) for share in _ACROSS]
            grounds = [_get_flat_colour_below_point_or_none(layers[:number], point) for point in points]
            if all(ground is not None and compute_wcag_contrast_ratio(line.fill, ground) < LEAST for ground in grounds):
                yield FaintText(line.text, line.fill, grounds[0] or WHITE)


def compute_wcag_contrast_ratio(colour: Colour, other: Colour) -> float:
    """Return the contrast of two colours by WCAG 2.2, from 1 to 21.

    >>> round(compute_wcag_contrast_ratio(Colour(0, 0, 0), Colour(1, 1, 1)))
    21
    """
    dark, light = sorted((colour.luminance, other.luminance))
    return (light + 0.05) / (dark + 0.05)


def _iter_opaque_layers_from_bottom(nodes: Sequence[Node], transform_so_far: Transform) -> Iterator[_DrawnLayer]:
    """Yield what is drawn, lowest first. What is see-through hides nothing, so it is left out."""
    for node in nodes:
        if isinstance(node, Use):
            yield from _iter_opaque_layers_from_bottom(node.symbol.children, node.transform.then(transform_so_far))
        elif isinstance(node, Group):
            if node.opacity >= 1:
                yield from _iter_opaque_layers_from_bottom(node.children, node.transform.then(transform_so_far))
        else:
            yield _DrawnLayer(node, transform_so_far)


def _get_flat_colour_below_point_or_none(
    layers_below: Sequence[_DrawnLayer], point: tuple[float, float]
) -> Colour | None:
    """Return the colour at a point: paper, if nothing lies there; None for a picture or a gradient."""
    for layer in reversed(layers_below):
        if isinstance(layer.node, Glyphs) or layer.face_to_node_transform is None:
            continue
        x, y = layer.face_to_node_transform.apply(*point)
        if not _is_point_in_rect(layer.box, x, y):
            continue
        if isinstance(layer.node, Image):
            return None
        if layer.node.fill is not None and _is_point_inside_outline(layer.node.commands, x, y):
            return layer.node.fill if isinstance(layer.node.fill, Colour) else None
    return WHITE


def _compute_bounds_of_layer_node(node: Path | Glyphs | Image) -> Rect:
    """Return the box of a picture, or that of an outline's points and handles: no curve leaves these."""
    if not isinstance(node, Path):
        return node.rect if isinstance(node, Image) else _NOWHERE
    xs = [x for _, numbers in node.commands for x in numbers[0::2]]
    ys = [y for _, numbers in node.commands for y in numbers[1::2]]
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)) if xs else _NOWHERE


def _is_point_in_rect(rect: Rect, x: float, y: float) -> bool:
    return rect.x <= x <= rect.right and rect.y <= y <= rect.bottom


def _is_point_inside_outline(commands: Sequence[Command], x: float, y: float) -> bool:
    """Return whether a point lies in an outline, by how often a ray from it crosses the edge."""
    crossed = False
    for (x1, y1), (x2, y2) in _iter_edges_and_curves_near_height(commands, y):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            crossed = not crossed
    return crossed


def _iter_edges_and_curves_near_height(
    commands: Sequence[Command], height: float
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Yield the edges of an outline, without those of curves that lie all above or all below a height."""
    start = here = (0.0, 0.0)
    for letter, numbers in commands:
        if letter == "M":
            yield here, start
            start = here = (numbers[0], numbers[1])
        elif letter == "L":
            yield here, (numbers[0], numbers[1])
            here = (numbers[0], numbers[1])
        elif letter == "C":
            heights = (here[1], *numbers[1::2])
            if min(heights) <= height < max(heights):
                for there in _iter_cubic_curve_points_after_start(here, numbers):
                    yield here, there
                    here = there
            here = (numbers[4], numbers[5])
    yield here, start


def _iter_cubic_curve_points_after_start(
    start: tuple[float, float], control_coordinates: Sequence[float]
) -> Iterator[tuple[float, float]]:
    for step in range(1, _SLICES + 1):
        t = step / _SLICES
        shares = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        xs, ys = (start[0], *control_coordinates[0::2]), (start[1], *control_coordinates[1::2])
        yield (
            sum(share * x for share, x in zip(shares, xs, strict=True)),
            sum(share * y for share, y in zip(shares, ys, strict=True)),
        )


# -- trial ---------------------------------------------------------------------------------------------------
# A trial print: draws what `build` draws and keeps nothing. `lint` reports what goes wrong.

PAPERS = ("A4", "Letter")
"""The papers that `build` prints on unless told otherwise."""


def list_unique_errors_of_trial_print(press: Press) -> tuple[Finding, ...]:
    """Return every mistake that a build of the whole game would report, each once."""
    collector = FindingCollector()
    collector.add_findings(_find_kinds_without_layout(press))
    laid_out = {layout.kind for layout in press.looks.layouts}
    drawable = [
        product.model_copy(update={"kinds": [kind for kind in product.kinds if kind in laid_out]})
        for product in press.products
        if product.book is None
    ]
    for language in press.game.languages:
        for product in drawable:
            if press.game.of_kind(*product.kinds):
                collector.add_findings(_list_errors_of_building_product(press, product, language))
        collector.add_findings(_list_errors_in_unprinted_components(press, laid_out, language))
        collector.add_findings(_list_errors_of_booklet_pages_and_cover(press, language))
    return InputError(collector.findings).findings


def _find_kinds_without_layout(press: Press) -> Iterator[Finding]:
    """Yield one PP505 for each kind of component that no layout draws."""
    laid_out = {layout.kind for layout in press.looks.layouts}
    first: dict[str, Component] = {}
    for component in press.game.components.values():
        first.setdefault(component.kind, component)
    for kind, component in first.items():
        if kind not in laid_out:
            message = f"no layout draws the kind {kind}, so {component.id} and its like cannot be printed"
            yield Finding("PP505", component.where, message, f"write a layout with `kind: {kind}` in layouts/")


def _list_errors_of_building_product(press: Press, product: Product, language: str) -> tuple[Finding, ...]:
    try:
        pieces = press.build_all_pieces_of_product(product, language, with_errata_marks=False)  # a mark takes no room
        raise_if_no_or_unprintable_pieces(pieces)
    except InputError as error:
        return error.findings
    if product.tiled:
        return ()
    for name in PAPERS:  # what A4 cannot hold is told once
        large = list_findings_on_sizes_too_large(
            [piece for piece in pieces if piece.count],
            press.read_sheet_plan_by_name(product.sheet, parse_paper_name_or_size_or_raise(name)),
        )
        if large:
            return tuple(large)
    return ()


def _list_errors_in_unprinted_components(press: Press, kinds_with_layout: set[str], language: str) -> list[Finding]:
    """Return the mistakes in components that are in no product, or in the virtual tables only."""
    printed = {kind for product in press.products if product.box is None for kind in product.kinds}
    others = [card for card in press.game.components.values() if card.kind in kinds_with_layout - printed]
    try:
        press.build_pieces_of_components_or_raise(others, language, with_errata_marks=False)
    except InputError as error:
        return list(error.findings)
    return []


def _list_errors_of_booklet_pages_and_cover(press: Press, language: str) -> list[Finding]:
    """Return the mistakes in the pages and the cover of a booklet."""
    layout = press.looks.book
    if layout is None or not any(product.book for product in press.products):
        return []
    from playproof.generator.book.page_flow import LAST, BookTypesetter  # few games have a booklet

    book = BookTypesetter(press.looks, layout, language, press.game.titles.text(language))
    for side in (*layout.sides, LAST):
        book.draw_layout_side_or_part(side)
    return list(book.collector.findings)
