"""The products that a game's build makes: those of ``layouts/<game>/build.yaml``, or one for each
kind without that file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from playproof.database.errors import Finding, FindingCollector, make_nearest_or_possible_words_hint
from playproof.database.game import Game
from playproof.database.source import YamlNode
from playproof.database.vocabulary import WordsSpec
from playproof.database.yaml_models import FileName, StrictModel, read_validated_file_if_it_exists
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.sheets.plan import OWN, list_sorted_names_of_sheet_plans

FILE = "build.yaml"


class ProductSpec(StrictModel):
    """One product: the kinds it holds, in order, and its sheet plan. ``book`` is a booklet
    instead."""

    title: WordsSpec = Field(default={}, description="one text per language; a bare text is English")
    kinds: list[str] = Field(default=[], description="kinds of component, in this order")
    sheet: str = Field(default="home", description="the sheet plan")
    book: Literal["rulebook", "credits"] | None = Field(default=None, description="a booklet instead of sheets")
    box: str | None = Field(default=None, description="a tuckbox for the `kinds`, laid out by the layout named")
    tiled: bool = Field(default=False, description="boards that may be larger than the paper")
    cut_out: bool = Field(default=False, description="pieces that bring the lines they are cut and folded along")
    stickers: bool = Field(default=False, description="dice as stickers for their faces, instead of nets")
    instead_of: str | None = Field(
        default=None, description="the product that this one may stand in for; a reader prints one of the two"
    )


class BuildSpec(StrictModel):
    """The whole file."""

    products: dict[FileName, ProductSpec] = Field(min_length=1)


class Product(ProductSpec):
    """One file to make on each paper and in each language: a product under its name."""

    name: str

    def get_product_title_or_name(self, language: str) -> str:
        """Return its title in a language, else in English, else its name."""
        return self.title.get(language) or self.title.get("en") or self.name


def read_or_default_products(game: Game, looks: LayoutRenderer) -> tuple[Product, ...]:
    """Return the products of a game. Raises InputError with every mistake in the file.

    Without a file each kind is one product. Its sheets have bleed if its layouts have bleed.
    """
    written = read_build_yaml_with_places_or_none(looks.folder)
    if written is None:
        return build_one_product_per_kind(game, looks)
    spec, node = written
    collector = FindingCollector()
    dice = {layout.kind for layout in looks.layouts if layout.net == "die"}
    plan_names = list_sorted_names_of_sheet_plans(game_folder=looks.folder / OWN)
    for name, product in spec.products.items():
        if not product.kinds and not product.book:
            where = node.get_place_of_last_key(["products", name])
            collector.add_finding("PP203", where, f"{name}: expected `kinds` to print, or `book`", "kinds: [card]")
        for at, kind in enumerate(product.kinds if product.stickers else ()):
            if kind in game.vocabulary.kinds and kind not in dice:
                where = node.get_node_or_nearest_ancestor(["products", name, "kinds", at]).where
                collector.add_finding(
                    "PP505", where, f"{name}: stickers are for dice, and no layout makes `{kind}` a die", "net: die"
                )
        if product.box and product.box not in looks.boxes:
            where = node.get_node_or_nearest_ancestor(["products", name, "box"]).where
            collector.add_finding(
                "PP505",
                where,
                f'there is no tuckbox layout "{product.box}"',
                make_nearest_or_possible_words_hint(product.box, looks.boxes),
            )
        for at, kind in enumerate(product.kinds):
            if kind not in game.vocabulary.kinds:
                where = node.get_node_or_nearest_ancestor(["products", name, "kinds", at]).where
                hint = game.make_hint_for_unknown_kind(kind)
                collector.add_finding("PP505", where, f'the game has no kind "{kind}"', hint)
        others = [other for other in spec.products if other != name]
        if product.instead_of is not None and product.instead_of not in others:
            where = node.get_node_or_nearest_ancestor(["products", name, "instead_of"]).where
            message = f'there is no other product "{product.instead_of}"'
            collector.add_finding(
                "PP513", where, message, make_nearest_or_possible_words_hint(product.instead_of, others)
            )
        if product.sheet not in plan_names:
            where = node.get_node_or_nearest_ancestor(["products", name, "sheet"]).where
            collector.add_finding(
                "PP540",
                where,
                f'there is no sheet "{product.sheet}"',
                make_nearest_or_possible_words_hint(product.sheet, plan_names),
            )
    collector.raise_if_errors()
    return tuple(Product.model_construct(name=name, **dict(p)) for name, p in spec.products.items())


def build_one_product_per_kind(game: Game, looks: LayoutRenderer) -> tuple[Product, ...]:
    """Return one product for each kind, as a game without `build.yaml` has them."""
    kinds = dict.fromkeys(component.kind for component in game.components.values())
    bled = {layout.kind for layout in looks.layouts if layout.bleed > 0}
    sheets = {kind: "bleed" if kind in bled else "home" for kind in kinds}
    return tuple(Product(name=kind, kinds=[kind], sheet=sheet) for kind, sheet in sheets.items())


def read_build_yaml_with_places_or_none(folder: Path) -> tuple[BuildSpec, YamlNode] | None:
    """Return the build file of a folder of layouts with its places for messages; None if there is no file.
    Raises InputError if its shape is wrong."""
    return read_validated_file_if_it_exists(BuildSpec, folder / FILE)


def iter_missing_or_extra_language_warnings(
    texts_by_language: Mapping[str, Any], node: YamlNode, game_languages: Sequence[str]
) -> Iterator[Finding]:
    """Yield a PP534 warning for each language of a text that the game is not written in, and for each
    of the game's languages that the text lacks. A bare text is in English, and no warning is due."""
    if not node.entries:
        return
    for language in texts_by_language:
        if language not in game_languages:
            yield Finding(
                "PP534",
                node.get_place_of_last_key([language]),
                f'the game is not written in "{language}"',
                make_nearest_or_possible_words_hint(language, game_languages),
                "warning",
            )
    if all(language in game_languages for language in texts_by_language):
        for language in game_languages:
            if language not in texts_by_language:
                yield Finding("PP534", node.where, f"no {language} text", severity="warning")
