"""The press draws each face of a game's components once, and makes the pieces for sheets and exports; it
knows what a card prints of other cards."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import Finding, FindingCollector, InputError
from playproof.database.game import Game
from playproof.generator.art.picture_files import PICTURE_SUFFIXES
from playproof.generator.build.file_jobs import (
    hash_component_ignoring_file_position,
    hash_file_names_and_contents,
    hash_generator_code,
    hash_joined_parts_as_sha256_hex,
)
from playproof.generator.build.products import Product, read_or_default_products
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import PANEL, STICKERS, LayoutRenderer
from playproof.generator.layout.views import ComponentViewer, PlacedText, QuotedComponents, TermView
from playproof.generator.papercraft import CardStock
from playproof.generator.papercraft.paper_models import COMMON
from playproof.generator.scene import Face
from playproof.generator.sheets import Paper, Piece, Plan, can_fit_on_paper, read_sheet_plan_by_name_or_raise
from playproof.generator.sheets.imposition import list_findings_on_sizes_too_large
from playproof.generator.sheets.pieces import raise_if_no_or_unprintable_pieces
from playproof.generator.sheets.plan import OWN as OWN_PLANS
from playproof.generator.type.icon_names import build_spoken_names_by_icon, format_text_as_read_aloud

if TYPE_CHECKING:
    from playproof.generator.build.version_changes import FaceChanges, VersionMarks
    from playproof.generator.exports.virtual_table import Die
    from playproof.generator.pdf import PdfPartPool


# The press draws each face of a game's components once, and makes the pieces for sheets and tables.

MOST_BOXES = 8  # for one deck


class Press:
    """One game with its looks. A press that is kept draws only what changed."""

    def __init__(
        self,
        game: Game,
        *,
        looks: LayoutRenderer | None = None,
        stock: CardStock = COMMON,
        products: Sequence[Product] | None = None,
        picture_dpi: float | None = None,
    ) -> None:
        """Read the products of `build.yaml`, unless they are given. Raises InputError with every mistake
        in it."""
        self.game = game
        self.looks = looks or LayoutRenderer(game)
        self.stock = stock
        self.picture_dpi = picture_dpi  # None is the usual one
        self.products = tuple(products) if products is not None else read_or_default_products(game, self.looks)
        self._low_ink: LayoutRenderer | None = None
        self.left_out: dict[str, tuple[Finding, ...]] = {}  # what is wrong with cards that are not printed, by id
        self._prints: dict[str, tuple[Component, str]] = {}  # by id, the component kept with its hash
        self._pictured = _find_kinds_with_image_fields(game)
        self._layout_print = hash_file_names_and_contents(
            [*list_layout_and_shared_files(self.looks.folder), *list_pictures_that_only_layouts_name(game)]
        )
        self._quotes = CardQuotations(game, self.looks.folder)
        self.looks.print_of = self.hash_printed_content_without_mark
        self._marks: VersionMarks | None = None
        self._changes: dict[tuple[str, ...], FaceChanges] = {}

    @cached_property
    def shared_pdf_parts(self) -> PdfPartPool:
        """The parts of PDF files that are drawn once."""
        from playproof.generator.pdf import PICTURE_DPI, PdfPartPool

        dpi = PICTURE_DPI if self.picture_dpi is None else self.picture_dpi
        return PdfPartPool(self.looks.fonts, picture_dpi=dpi)

    def replace_game_by_newer_reading(self, game: Game) -> None:
        """Replace the game by a newer reading of it. Faces of cards that stayed the same are
        kept."""
        self.game = game
        self.looks.replace_game_by_newer_reading(game)
        self._low_ink = None
        self._pictured = _find_kinds_with_image_fields(game)
        self._quotes = CardQuotations(game, self.looks.folder)
        self._marks = None
        self._changes = {}
        self.products = read_or_default_products(game, self.looks)

    def create_press_for_other_version(self, game: Game, traced: bool | None = None) -> Press:
        """Return a press for another version of the game, with the same layouts and products."""
        other = copy(self)
        other.game, other.looks = game, self.looks.copy_for_game_version(game, traced)
        other._low_ink, other._marks, other._changes = None, None, {}
        other.left_out, other._prints = {}, {}
        other._pictured, other._quotes = (_find_kinds_with_image_fields(game), CardQuotations(game, self.looks.folder))
        other.looks.print_of = other.hash_printed_content_without_mark
        other.__dict__.pop("shared_pdf_parts", None)  # each version draws its own when they are asked for
        return other

    def get_print_changes_from_other_version(self, old_game: Game) -> FaceChanges:
        """Return what differs in print from another version of the game, but for the version itself. Each version is
        drawn once as long as the press lives."""
        from playproof.generator.build.version_changes import FaceChanges, copy_old_game_with_new_version_number

        changes = self._changes.get(old_game.applied)
        if changes is None:
            before = self.create_press_for_other_version(copy_old_game_with_new_version_number(old_game, self.game))
            changes = self._changes[old_game.applied] = FaceChanges(before, self)
        return changes

    @property
    def version_marks(self) -> VersionMarks | None:
        """What marks the cards that errata changed; None if no erratum is in use."""
        if self._marks is None and self.game.applied:
            from playproof.generator.build.version_changes import VersionMarks

            self._marks = VersionMarks(self)
        return self._marks

    def get_errata_mark_to_print_or_empty(self, card: Component, language: str) -> str:
        """Return the mark that is printed on a component's front, "" if no erratum changed it. What is folded from a
        net has no foot to print it at."""
        if self.version_marks is None or self.looks.get_net_kind_or_empty(card):
            return ""
        return self.version_marks.get_errata_mark_text_or_empty(card, language)

    def draw_face_with_errata_mark_or_none(
        self,
        card: Component,
        side: str,
        language: str,
        collector: FindingCollector,
        low_ink: bool = False,
        variant: str = "",
    ) -> Face | None:
        """Return a face as it is printed, with the mark of an erratum on the front of a card that it changed."""
        face = self.draw_face_or_none_and_note_problems(card, side, language, collector, low_ink, variant)
        mark = self.get_errata_mark_to_print_or_empty(card, language) if side == "front" and face is not None else ""
        if face is None or not mark:
            return face
        from playproof.generator.build.version_changes import copy_face_with_text_near_edge

        return copy_face_with_text_near_edge(face, mark)

    def draw_face_or_none_and_note_problems(
        self,
        card: Component,
        side: str,
        language: str,
        collector: FindingCollector,
        low_ink: bool = False,
        variant: str = "",
    ) -> Face | None:
        """Return a face, or None if the card has no such side. It is drawn once as long as the
        press lives and the card stays the same."""
        return self.get_normal_or_low_ink_renderer(low_ink).get_or_draw_face_and_note_problems(
            card, side, language, collector, variant
        )

    def read_sheet_plan_by_name(self, plan_name: str, target_paper: Paper | None = None) -> Plan:
        """Return a sheet plan by its name, of the game's own or one that every game has. Raises InputError."""
        return read_sheet_plan_by_name_or_raise(
            plan_name, target_paper=target_paper, game_folder=self.looks.folder / OWN_PLANS
        )

    def is_low_ink_plan(self, plan_name: str | None) -> bool:
        """Return whether the sheet plan of this name takes little ink. Without a name, products have plans of their
        own."""
        return plan_name is not None and self.read_sheet_plan_by_name(plan_name).low_ink

    def list_product_components_not_left_out(self, product: Product) -> tuple[Component, ...]:
        """Return the components of a product in the order of their files, without those left out."""
        cards = self.game.of_kind(*product.kinds)
        return tuple(card for card in cards if card.id not in self.left_out) if self.left_out else cards

    def record_unprintable_component_findings(self, languages: Sequence[str], papers: Sequence[Paper]) -> None:
        """Note in `left_out` each component that cannot be read or printed, and why, so that the others can."""
        self.left_out = {key: each.findings for key, each in self.game.unread_components.items()}
        for product in self.products:
            if product.book is not None or product.box is not None:
                continue
            for card in self.game.of_kind(*product.kinds):
                faults = self._list_first_errors_of_printing_component(product, card, languages, papers)
                if faults:
                    self.left_out[card.id] = (*self.left_out.get(card.id, ()), *faults)

    def list_left_out_component_and_file_ids(self, product: Product) -> list[str]:
        """Return the ids of a product's components that are not printed, and files that may hold some of them."""
        if not self.left_out:
            return []
        cards = [card.id for card in self.game.of_kind(*product.kinds) if card.id in self.left_out]
        unread = self.game.unread_components.items()
        return [*cards, *(key for key, each in unread if each.kind in ("", *product.kinds))]

    def _list_first_errors_of_printing_component(
        self, product: Product, card: Component, languages: Sequence[str], papers: Sequence[Paper]
    ) -> tuple[Finding, ...]:
        """Return why one component of a product cannot be drawn, or lies on no paper."""
        try:
            layout = self.read_sheet_plan_by_name(product.sheet)
            stock = self.get_card_stock_of_product(product, None)
            for language in languages:
                pieces = self.build_product_pieces_for_sheet_plan(layout, product, (card,), language, stock)
                if pieces:
                    raise_if_no_or_unprintable_pieces([replace(piece, count=piece.count or 1) for piece in pieces])
            large = (
                []
                if product.tiled
                else [
                    f
                    for on in papers
                    for f in list_findings_on_sizes_too_large(pieces, layout.copy_on_other_paper_unless_fixed(on))
                ]
            )
            return tuple(large[:1])
        except InputError as error:
            return error.findings

    def list_missing_picture_findings(self) -> tuple[Finding, ...]:
        """Return a finding for each picture in whose place a frame was drawn."""
        looks = [self.looks] if self._low_ink is None else [self.looks, self._low_ink]
        return tuple(dict.fromkeys(finding for each in looks for finding in each.iter_missing_picture_findings()))

    def list_print_remark_findings(self) -> tuple[Finding, ...]:
        """Return what was drawn so far and perhaps meant otherwise, each once."""
        return tuple(dict.fromkeys(self.looks.iter_print_remark_findings()))

    def get_normal_or_low_ink_renderer(self, low_ink: bool) -> LayoutRenderer:
        """Return the looks to draw with. The looks for low ink are read on first use."""
        if not low_ink:
            return self.looks
        if self._low_ink is None:
            self._low_ink = LayoutRenderer(
                self.game, self.looks.folder, self.looks.fonts, low_ink=True, rulings=self.looks.rulings
            )
        return self._low_ink

    def build_pieces_of_components_or_raise(
        self, cards: Sequence[Component], language: str, low_ink: bool = False, *, with_errata_marks: bool = True
    ) -> list[Piece]:
        """Return components as pieces for the sheets; with `with_errata_marks`, those that an erratum changed are
        marked. Raises InputError with every problem in any of them."""
        collector = FindingCollector()
        pieces = []
        for card in cards:
            for variant, count in self._list_variants_with_copies_of_each(card, collector):
                sides = self.list_sides_of_component(card)
                faces = [
                    self.draw_face_or_none_and_note_problems(card, side, language, collector, low_ink, variant)
                    for side in sides
                ]
                if faces and faces[0] is not None:
                    back = faces[1] if len(faces) > 1 else None
                    name, title = card.id, self._get_component_title_or_field_names(card, language)
                    if variant:
                        name = f"{name}-{variant}"
                        title = f"{title} ({self.looks.get_readable_name_of_variant(card, variant, language)})"
                    net, pile = (
                        self.looks.get_net_kind_or_empty(card),
                        self.looks.evaluate_deck_name_or_empty(card, language),
                    )
                    piece = Piece(name, faces[0], back, count, card.where, net, title, pile)
                    pieces.append(
                        self._copy_piece_with_errata_mark(piece, card, language) if with_errata_marks else piece
                    )
        collector.raise_if_errors()
        return pieces

    def _copy_piece_with_errata_mark(self, piece: Piece, card: Component, language: str) -> Piece:
        mark = self.get_errata_mark_to_print_or_empty(card, language)
        if not mark:
            return piece
        from playproof.generator.build.version_changes import copy_piece_with_text_at_foot

        return copy_piece_with_text_at_foot(piece, mark)

    def _list_variants_with_copies_of_each(self, card: Component, collector: FindingCollector) -> list[tuple[str, int]]:
        """Return the variants that a component's copies come in, and how many copies each has."""
        variants = self.looks.list_copy_variants_or_one_empty_text(card)
        if card.count % len(variants):
            message = f"{card.id}: {card.count} copies cannot be shared out among {', '.join(variants)}"
            collector.add_finding("PP545", card.where, message)
        return [(variant, card.count // len(variants)) for variant in variants]

    def _build_die_sticker_pieces_or_raise(
        self, cards: Sequence[Component], language: str, low_ink: bool
    ) -> list[Piece]:
        """Return dice as strips of stickers."""
        collector = FindingCollector()
        drawn = [
            (card, self.draw_face_or_none_and_note_problems(card, STICKERS, language, collector, low_ink))
            for card in cards
        ]
        collector.raise_if_errors()
        return [
            Piece(card.id, face, None, card.count, card.where, "stickers") for card, face in drawn if face is not None
        ]

    def build_flat_standee_pieces_or_raise(self, language: str) -> list[Piece]:
        """Return the standees as flat pictures."""
        kinds = [layout.kind for layout in self.looks.layouts if layout.net == "standee"]
        collector = FindingCollector()
        drawn = [
            (card, self.draw_face_or_none_and_note_problems(card, PANEL, language, collector))
            for card in self.game.of_kind(*kinds)
        ]
        collector.raise_if_errors()
        return [
            Piece(
                card.id,
                face,
                None,
                card.count,
                card.where,
                "",
                self._get_component_title_or_field_names(card, language),
            )
            for card, face in drawn
            if face is not None
        ]

    def build_virtual_table_dice(self, language: str) -> list[Die]:
        """Return the dice, each with the text of its faces."""
        from playproof.generator.exports.virtual_table import Die  # it brings the libraries that draw pixels

        names = build_spoken_names_by_icon(self.game.vocabulary, language)
        viewer = ComponentViewer(self.game, language)
        dice = []
        for card in self.game.components.values():
            layout = self.looks.find_layout_for_component_or_none(card, language)
            if layout is not None and layout.net == "die":
                texts = tuple(
                    format_text_as_read_aloud(_get_words_on_die_face(face), names)
                    for face in viewer.view_component_fields(card)["faces"]
                )
                dice.append(Die(self._get_component_title_or_field_names(card, language), texts, card.count))
        return dice

    def _get_component_title_or_field_names(self, card: Component, language: str) -> str:
        """Return what people call a component: its title, else what its fields name (Octopus
        Hunter, 2), else its id."""
        if card.title is not None:
            return card.title.text(language)
        named = list(self._iter_words_for_untitled_component(card, language))
        return ", ".join(named) if any(not name.isdigit() for name in named) else card.id

    def _iter_words_for_untitled_component(self, card: Component, language: str) -> Iterator[str]:
        """Yield the titles of components, the names of terms, and the numbers in a card's
        fields."""
        for name, spec in self.game.vocabulary.kinds[card.kind].fields.items():
            value = card.get(name)
            if spec.type == "term" and isinstance(value, str):
                yield self.game.vocabulary.group(spec.group or "")[value].name(language)
            elif spec.type == "reference" and value in self.game.components:
                yield self._get_component_title_or_field_names(self.game.components[str(value)], language)
            elif spec.type == "integer" and value is not None:
                yield str(value)

    def build_all_pieces_of_product(
        self, product: Product, language: str, *, with_errata_marks: bool = True
    ) -> list[Piece]:
        """Return all pieces of a product: cards, boards, stickers, or its box. Raises InputError as
        `build_pieces_of_components_or_raise` does."""
        cards, stock = (
            self.list_product_components_not_left_out(product),
            self.get_card_stock_of_product(product, None),
        )
        return self.build_product_pieces_for_sheet_plan(
            self.read_sheet_plan_by_name(product.sheet),
            product,
            cards,
            language,
            stock,
            with_errata_marks=with_errata_marks,
        )

    def build_product_pieces_for_sheet_plan(
        self,
        sheet_plan: Plan,
        product: Product,
        cards: tuple[Component, ...],
        language: str,
        stock: CardStock,
        *,
        with_errata_marks: bool = True,
    ) -> list[Piece]:
        """Return the pieces on the sheets of a product. Raises InputError as `build_pieces_of_components_or_raise`
        does."""
        if product.box is not None:
            return [self.build_fewest_tuckboxes_that_fit_or_most(sheet_plan, product, cards, language, stock)]
        if product.stickers:
            return self._build_die_sticker_pieces_or_raise(cards, language, sheet_plan.low_ink)
        pieces = self.build_pieces_of_components_or_raise(
            cards, language, sheet_plan.low_ink, with_errata_marks=with_errata_marks
        )
        if product.cut_out:
            pieces = [replace(piece, net=piece.net or "drawn") for piece in pieces]
            _refuse_cuts_along_folds(pieces)
        return pieces

    def build_fewest_tuckboxes_that_fit_or_most(
        self, sheet_plan: Plan, product: Product, cards: tuple[Component, ...], language: str, stock: CardStock
    ) -> Piece:
        """Return the tuckbox of a product that is a box. The deck is split over equal boxes until
        their net fits on the paper, at most `MOST_BOXES`."""
        assert product.box is not None  # asked by those who looked
        for boxes in range(1, MOST_BOXES + 1):
            net = self.get_normal_or_low_ink_renderer(sheet_plan.low_ink).draw_tuckbox_net_or_raise(
                product.box, cards, stock, language, boxes
            )
            piece = Piece(
                product.name, net, None, boxes, net="tuckbox", title=product.get_product_title_or_name(language)
            )
            if can_fit_on_paper([piece], sheet_plan):
                break
        return piece

    def get_card_stock_of_product(self, product: Product, plan_name: str | None) -> CardStock:
        """Return what the cards of a product are made of. Cards on folded sheets have two
        layers."""
        kinds = set(product.kinds)
        holders = [other for other in self.products if other.box is None and kinds & set(other.kinds)]
        sheets = [plan_name] if plan_name else [other.sheet for other in holders]
        return self.stock._replace(
            folded=any(self.read_sheet_plan_by_name(name).backs == "gutterfold" for name in sheets)
        )

    def hash_printed_content_with_mark(self, card: Component) -> str:
        """Return the hash of what is printed of a card, the mark of an erratum included."""
        mark = self.version_marks.hash_errata_mark_inputs_or_empty(card) if self.version_marks is not None else ""
        own = self.hash_printed_content_without_mark(card)
        return hash_joined_parts_as_sha256_hex(own, mark) if mark else own

    def hash_printed_content_without_mark(self, card: Component) -> str:
        """Return the hash of what is printed of a card without a mark: of the card, its pictures and the cards it
        quotes.

        The hash of an unchanged card is kept, because a comparison costs less than a hash.
        """
        entry = self._prints.get(card.id)
        if entry is None or (entry[0] is not card and entry[0] != card) or card.kind in self._pictured:
            own = hash_component_ignoring_file_position(card)
            if card.kind in self._pictured:
                own = hash_joined_parts_as_sha256_hex(own, *self._iter_hashes_of_named_pictures(card))
            entry = self._prints[card.id] = (card, own)
        others = [
            *filter(
                None,
                (
                    self._quotes.hash_cards_quoted_by_card_or_empty(card),
                    self.looks.format_printed_place_in_deck_or_empty(card),
                ),
            )
        ]
        return hash_joined_parts_as_sha256_hex(entry[1], *others) if others else entry[1]

    def _iter_hashes_of_named_pictures(self, card: Component) -> Iterator[str]:
        """Yield the hashes of the picture files that the card's own fields name."""
        for name, field in self.game.vocabulary.kinds[card.kind].fields.items():
            value = card.get(name) if field.type == "image" else None
            if value and (path := self.game.folder / str(value)).is_file():
                yield hash_file_names_and_contents([path])

    def list_sides_of_component(self, card: Component) -> tuple[str, ...]:
        """Return the sides that a component's layout has."""
        return ("front", "back") if self.looks.has_side(card, "back") else ("front",)

    def hash_inputs_shared_by_language_files(self, language: str) -> str:
        """Return the hash of what every file of a language depends on besides its own cards."""
        rulings = sorted(self.looks.rulings.items())
        return hash_joined_parts_as_sha256_hex(
            hash_generator_code(),
            self._layout_print,
            language,
            self.game.facts,
            self.game.vocabulary.spec,
            rulings,
            self.picture_dpi,
            self.game.applied if self.looks.may_print_game_version else (),
        )


def _find_kinds_with_image_fields(game: Game) -> frozenset[str]:
    """Return the kinds whose cards name picture files. Such a file may change while the card stays
    the same."""
    kinds = set()
    for name, kind in game.vocabulary.kinds.items():
        if any(field.type == "image" for field in kind.fields.values()):
            kinds.add(name)
    return frozenset(kinds)


def _refuse_cuts_along_folds(pieces: Sequence[Piece]) -> None:
    """Raise InputError if a solid line of a net, which is cut, lies on a dashed one, which is
    folded."""
    from playproof.generator.papercraft.net import list_folds_that_cuts_run_along

    collector = FindingCollector()
    for piece in pieces:
        for fold in list_folds_that_cuts_run_along(piece.front):
            (x1, y1), (x2, y2) = fold.start, fold.end
            ends = f"from ({x1:.1f}, {y1:.1f}) to ({x2:.1f}, {y2:.1f}) mm"
            message = f"{piece.name}: a solid line lies on the fold {ends}"
            collector.add_finding("PP516", piece.where, message, "draw its outline as lines that leave the folds out")
    collector.raise_if_errors()


def _get_words_on_die_face(face: object) -> str:
    """Return what a face of a die says: itself, or the words among its fields."""
    if isinstance(face, TermView):
        return face.name
    if isinstance(face, Mapping):
        words = [value for value in face.values() if isinstance(value, PlacedText)]
        return " ".join(map(_get_words_on_die_face, words or face.values()))
    return str(face)


def list_pictures_that_only_layouts_name(game: Game) -> list[FilePath]:
    """Return the picture files of a game's folder that a layout may name. Those that fields of the type `image` name
    count for their cards alone."""
    named = {
        str(card.get(name))
        for card in game.components.values()
        for name, field in game.vocabulary.kinds[card.kind].fields.items()
        if field.type == "image"
    }
    return [
        path
        for path in iter_pictures_below_outside_output(game.folder)
        if path.relative_to(game.folder).as_posix() not in named
    ]


def iter_pictures_below_outside_output(folder: FilePath) -> Iterator[FilePath]:
    """Yield the picture files of a folder, but those that a build has written there."""
    for place, below, files in os.walk(folder):
        below[:] = [name for name in below if name != "output" and not name.startswith(".")]
        paths = (FilePath(place, name) for name in files)
        yield from (path for path in paths if path.suffix.lower() in PICTURE_SUFFIXES and path.is_file())


def list_layout_and_shared_files(folder: FilePath) -> list[FilePath]:
    """Return every file that a game's looks may use."""
    shared = [LAYOUTS / name for name in ("common", "icons", "motifs", "fonts", "worlds")]
    return [path for root in (folder, *shared) for path in root.rglob("*") if path.is_file()]


# -- quotations ----------------------------------------------------------------------------------------------
# Find what a card prints of other cards: a layout asks for them by `card(...)`, an effect names them.

_ASKED = re.compile(r"\bcard\(([^()]*)\)")
_QUOTED = re.compile(r"""['"]([^'"]+)['"]""")
TABLE = "table.yaml"  # lays out the game's table on the screen; it draws no face


class CardQuotations:
    """Finds the cards that each card of a game quotes, from the layouts and the cards' own
    fields."""

    def __init__(self, game: Game, folder: FilePath) -> None:
        """``folder`` holds the layouts."""
        self._game, self._quoted = game, QuotedComponents(game.components)
        self._hashes: dict[str, str] = {}
        self._prints: dict[str, str] = {}
        fields = {name for kind in game.vocabulary.kinds.values() for name in kind.fields}
        files = [file for file in sorted(folder.glob("*.yaml")) if file.name != TABLE]
        expressions: set[str] = set()
        for file in files:
            expressions |= {match[1].strip() for match in _ASKED.finditer(file.read_text("utf-8"))}
        named = {word[1] for text in expressions if (word := _QUOTED.fullmatch(text))}
        self._always = sorted(named & game.components.keys())
        computed = [text for text in expressions - fields if not _QUOTED.fullmatch(text)]
        if computed:  # a layout may ask for any card
            self._always = sorted(game.components)

    def hash_cards_quoted_by_card_or_empty(self, card: Component) -> str:
        """Return a hash of all that is printed of the cards that this card quotes, or "" if it
        quotes none."""
        digest = self._prints.get(card.id)
        if digest is None:
            ids = sorted(self._quoted.collect_ids([card.id, *self._always]) - {card.id})
            quoted = [self._hash_component_by_id(name) for name in ids]
            digest = self._prints[card.id] = hash_joined_parts_as_sha256_hex(*quoted) if quoted else ""
        return digest

    def _hash_component_by_id(self, component_id: str) -> str:
        digest = self._hashes.get(component_id)
        if digest is None:
            digest = self._hashes[component_id] = hash_component_ignoring_file_position(
                self._game.components[component_id]
            )
        return digest
