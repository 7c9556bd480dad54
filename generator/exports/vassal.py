"""VASSAL: a module, which is a ZIP with `buildFile.xml`, `moduledata` and flat `images/`.

Sources: VASSAL's reference manual and source. Elements are named after Java classes, a card is a
piece in a mask (its back), and a deck is a DrawPile on a map.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from PIL import Image

from playproof.database.files import make_reproducible_zip, write_file_atomically
from playproof.generator.exports.raster import MM_PER_INCH, draw_trimmed_face_at_resolution, encode_reproducible_png
from playproof.generator.exports.virtual_table import (
    Deck,
    Die,
    StartPlace,
    VirtualTable,
    iter_pieces_places_and_unplaced_counts,
    refuse_impossible_virtual_table,
    slugify_name,
)
from playproof.generator.scene import Face
from playproof.generator.sheets.pieces import Piece

VERSION = "3.7.0"  # of VASSAL, the oldest that reads buildFile.xml with its suffix
PER_INCH = 100.0  # cards of 250 x 350 pixels
FLIP = "70,130"  # Ctrl F, as VASSAL writes keys: character code, then modifiers
TURNS = 8  # places of a piece that is turned: each an eighth to the right
TURN = f"rotate;{TURNS};93,130;91,130;Turn right;Turn left;;;Turn;"  # Ctrl ] and Ctrl [
CLOTH = (70, 96, 84)
RULEBOOK = "rulebook.pdf"
APART = 40  # px between decks
CLOTH_WIDTH = 2000  # px
LARGEST_PIECE = 160.0  # mm; what is larger is a board that pieces lie on

Images = dict[str, bytes]


def write_vassal_module_file(table: VirtualTable, path: Path, version: str = "1.0") -> Path:
    """Write the module as a `.vmod` file."""
    refuse_impossible_virtual_table(table)
    images: Images = {}
    build = _build_module_xml(table, version, images)
    parts = {
        "buildFile.xml": _serialise_indented_xml(build),
        "moduledata": _serialise_indented_xml(_build_moduledata_xml(table, version)),
    }
    if table.rulebook:
        parts[RULEBOOK] = table.rulebook
    parts |= {f"images/{name}": data for name, data in sorted(images.items())}
    write_file_atomically(path, make_reproducible_zip(parts))
    return path


def _build_module_xml(table: VirtualTable, version: str, images_to_fill: Images) -> ET.Element:
    slots = _SlotWriter(images_to_fill)
    module = ET.Element(
        "VASSAL.build.GameModule",
        {
            "name": table.name,
            "version": version,
            "VassalVersion": VERSION,
            "description": table.name,
            "ModuleOther1": "",
            "ModuleOther2": "",
        },
    )
    ET.SubElement(module, "VASSAL.build.module.BasicCommandEncoder")
    documentation = ET.SubElement(module, "VASSAL.build.module.Documentation")
    if table.rulebook:
        book = {"title": "Rulebook", "pdfFile": RULEBOOK}
        ET.SubElement(documentation, "VASSAL.build.module.documentation.BrowserPDFFile", book)
    for die in table.dice:
        _add_dice_button_to_module(module, die)
    roster = ET.SubElement(module, "VASSAL.build.module.PlayerRoster", {"buttonText": "Retire"})
    for number in range(1, 5):
        ET.SubElement(roster, "entry").text = f"Player {number}"
    ET.SubElement(module, "VASSAL.build.module.GlobalOptions", {"autoReport": "Always"})
    hand = {"name": "Hand", "visible": "false"}
    ET.SubElement(module, "VASSAL.build.module.PlayerHand", hand | {"buttonName": "Hand", "mapName": "Hand"})
    _add_table_map_to_module(module, table, slots)
    ET.SubElement(module, "VASSAL.build.module.Chatter")
    module.set("nextPieceSlotId", str(slots.next))
    return module


def _add_dice_button_to_module(module: ET.Element, die: Die) -> None:
    """Add a button that rolls one of these dice and reports what the face says."""
    button = ET.SubElement(
        module,
        "VASSAL.build.module.SpecialDiceButton",
        {
            "name": die.name,
            "text": die.name,
            "tooltip": die.name,
            "icon": "",
            "hotkey": "",
            "resultChatter": "true",
            "format": "$name$: $result1$",
            "resultWindow": "false",
            "resultButton": "false",
            "windowTitleResultFormat": "$name$",
            "windowX": "67",
            "windowY": "65",
            "backgroundColor": "255,255,255",
        },
    )
    rolled = ET.SubElement(button, "VASSAL.build.module.SpecialDie", {"name": die.name, "format": "$result$"})
    for value, text in enumerate(die.faces, 1):
        face = {"text": text, "value": str(value), "icon": ""}
        ET.SubElement(rolled, "VASSAL.build.module.SpecialDieFace", face)


def _add_table_map_to_module(module: ET.Element, table: VirtualTable, slots: _SlotWriter) -> None:
    attributes = {"mapName": "Table", "buttonName": "", "launch": "false"}
    made = ET.SubElement(module, "VASSAL.build.module.Map", attributes)
    boards = list(_draw_and_iter_board_name_image_and_size(table, slots.images))
    picker = ET.SubElement(made, "VASSAL.build.module.map.BoardPicker", {"title": "Choose a board"})
    for name, file, (width, height) in boards:
        size = {"width": str(width), "height": str(height)}
        ET.SubElement(picker, "VASSAL.build.module.map.boardPicker.Board", {"name": name, "image": file, **size})
    ET.SubElement(made, "VASSAL.build.module.map.StackMetrics")
    ET.SubElement(made, "VASSAL.build.module.map.Zoomer", {"zoomLevels": "0.25,0.5,1.0,2.0"})
    ET.SubElement(made, "VASSAL.build.module.map.CounterDetailViewer", {"delay": "500", "zoomLevel": "1.0"})
    shelf = _ClothPlacer(_compute_cloth_y_below_setup_in_pixels(table))
    for deck in table.decks:
        lying = table.prepared.find_place_of_most_copies_or_none(deck.cards)
        place = (
            _place_to_cloth_pixels(table, lying)
            if lying
            else shelf.take_middle_of_next_free_place(_get_vassal_face_size_in_pixels(deck.cards[0].front))
        )
        _add_deck_to_map(made, deck, slots, place, boards[0][0])
    for piece, places, left in iter_pieces_places_and_unplaced_counts(
        table.prepared, _list_figures_and_loose_pieces(table)
    ):
        for lying in places:
            _add_stack_of_copies_to_map(
                made, piece, slots, _place_to_cloth_pixels(table, lying), boards[0][0], 1, lying.turn
            )
        if left:
            _add_stack_of_copies_to_map(
                made,
                piece,
                slots,
                shelf.take_middle_of_next_free_place(_get_vassal_face_size_in_pixels(piece.front)),
                boards[0][0],
                left,
            )


class _ClothPlacer:
    """Hands out places on the cloth, left to right and then downwards."""

    def __init__(self, top: int) -> None:
        self.x, self.y, self.high = APART, top, 0

    def take_middle_of_next_free_place(self, size_in_pixels: tuple[int, int]) -> tuple[int, int]:
        """Return the middle of the next free place of this size (pixels)."""
        width, height = size_in_pixels
        if self.x + width + APART > CLOTH_WIDTH and self.high:
            self.x, self.y, self.high = APART, self.y + self.high + APART, 0
        middle = self.x + width // 2, self.y + height // 2
        self.x += width + APART
        self.high = max(self.high, height)
        return middle

    @property
    def top_of_free_cloth(self) -> int:
        """Return the y where free cloth begins."""
        return self.y + self.high + APART


def _list_figures_and_loose_pieces(table: VirtualTable) -> list[Piece]:
    """Return the tokens, figures and other pieces that lie on boards."""
    return [piece for piece in (*table.figures, *table.boards) if not _is_board_that_pieces_lie_on(table, piece)]


def _is_board_that_pieces_lie_on(table: VirtualTable, piece: Piece) -> bool:
    """Return whether other pieces lie on this one. It is then drawn on the cloth, so that pieces
    cannot slip below it, or it is a map of its own."""
    return max(piece.size) > LARGEST_PIECE or piece.name in table.prepared.grounds


def _draw_and_iter_board_name_image_and_size(
    table: VirtualTable, images_to_fill: Images
) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Yield a plain cloth with room for every deck and piece, then the game's boards that are not
    on the cloth."""
    shelf = _ClothPlacer(_compute_cloth_y_below_setup_in_pixels(table))
    for face in (
        *(deck.cards[0].front for deck in table.decks),
        *(piece.front for piece in _list_figures_and_loose_pieces(table)),
    ):
        shelf.take_middle_of_next_free_place(_get_vassal_face_size_in_pixels(face))
    width = max(CLOTH_WIDTH, round(table.prepared.width * PER_INCH / MM_PER_INCH) + 2 * APART)
    cloth = Image.new("RGB", (width, max(shelf.top_of_free_cloth, 1200)), CLOTH)
    large = [board for board in table.boards if _is_board_that_pieces_lie_on(table, board)]
    for board in large:
        for lying in table.prepared.list_one_setup_place_for_each_copy(board):
            (x, y), picture = (
                _place_to_cloth_pixels(table, lying),
                draw_trimmed_face_at_resolution(board.front, PER_INCH),
            )
            if lying.turn:
                picture = picture.rotate(-lying.turn, expand=True, fillcolor=CLOTH)
            cloth.paste(picture, (x - picture.width // 2, y - picture.height // 2))
    images_to_fill["cloth.png"] = encode_reproducible_png(cloth)
    yield "Table" if table.prepared.places else "Cloth", "cloth.png", cloth.size
    for board in large:
        if table.prepared.list_one_setup_place_for_each_copy(board):
            continue  # it is on the table already
        picture = draw_trimmed_face_at_resolution(board.front, PER_INCH)
        name = f"board-{slugify_name(board.name)}.png"
        images_to_fill[name] = encode_reproducible_png(picture)
        yield board.label, name, picture.size


def _add_deck_to_map(
    parent: ET.Element, deck: Deck, slots: _SlotWriter, middle_in_pixels: tuple[int, int], board_name: str
) -> None:
    width, height = _get_vassal_face_size_in_pixels(deck.cards[0].front)
    pile = ET.SubElement(
        parent,
        "VASSAL.build.module.map.DrawPile",
        {
            "name": deck.name,
            "owningBoard": board_name,
            "x": str(middle_in_pixels[0]),
            "y": str(middle_in_pixels[1]),
            "width": str(width),
            "height": str(height),
            "faceDown": "Always",
            "shuffle": "Via right-click Menu",
            "draw": "true",
            "drawFaceUp": "false",
            "allowMultiple": "false",
            "allowSelect": "true",
            "reversible": "false",
            "reshufflable": "false",
            "maxStack": "15",
        },
    )
    for card in deck.cards:
        for _ in range(card.count):
            slots.add_card_slot_to_deck(pile, deck, card)


def _compute_cloth_y_below_setup_in_pixels(table: VirtualTable) -> int:
    """Return the y where free cloth begins, below the table that is laid out."""
    return APART + round(table.prepared.height * PER_INCH / MM_PER_INCH) + (APART if table.prepared.places else 0)


def _place_to_cloth_pixels(table: VirtualTable, place: StartPlace) -> tuple[int, int]:
    """Convert a place on the table (mm) to pixels on the cloth."""
    scale = PER_INCH / MM_PER_INCH
    x, y = place.x + table.prepared.width / 2, place.y + table.prepared.height / 2
    return APART + round(x * scale), APART + round(y * scale)


def _add_stack_of_copies_to_map(
    parent: ET.Element,
    piece: Piece,
    slots: _SlotWriter,
    middle_in_pixels: tuple[int, int],
    board_name: str,
    count: int,
    angle: float = 0.0,
) -> None:
    """Add `count` copies of a piece on one another (VASSAL's at-start stack), turned clockwise by
    `angle` degrees."""
    made = ET.SubElement(
        parent,
        "VASSAL.build.module.map.SetupStack",
        {
            "name": piece.label,
            "owningBoard": board_name,
            "useGridLocation": "false",
            "x": str(middle_in_pixels[0]),
            "y": str(middle_in_pixels[1]),
        },
    )
    for _ in range(count):
        slots.add_piece_slot_to_stack(made, piece, angle)


class _SlotWriter:
    """Writes the slots of cards and pieces, numbered through the module, and stores the pictures
    they need."""

    def __init__(self, images: Images) -> None:
        self.images = images
        self.names: dict[int, str] = {}  # by face
        self.next = 0

    def add_card_slot_to_deck(self, pile: ET.Element, deck: Deck, card: Piece) -> None:
        """Add one card to a deck."""
        assert card.back is not None, "check_table() lets only cards with backs through"
        stem = f"{slugify_name(deck.name)}-{slugify_name(card.name)}"
        front = self._store_face_picture_and_get_name(stem, card.front)
        back = self._store_face_picture_and_get_name(
            f"{slugify_name(deck.name)}-back" if deck.shared_back else f"{stem}-back", card.back
        )
        width, height = _get_vassal_face_size_in_pixels(card.front)
        size = {"width": str(width), "height": str(height)}
        attributes = {"entryName": card.label, "gpid": str(self.next), **size}
        slot = ET.SubElement(pile, "VASSAL.build.widget.CardSlot", attributes)
        slot.text = format_piece_in_vassal_notation(front, back, card.label, self.next)
        self.next += 1

    def add_piece_slot_to_stack(self, stack: ET.Element, piece: Piece, angle: float) -> None:
        """Add one token or figure. A piece with a back can be flipped."""
        width, height = _get_vassal_face_size_in_pixels(piece.front)
        size = {"width": str(width), "height": str(height)}
        attributes = {"entryName": piece.label, "gpid": str(self.next), **size}
        slot = ET.SubElement(stack, "VASSAL.build.widget.PieceSlot", attributes)
        front = self._store_face_picture_and_get_name(slugify_name(piece.name), piece.front)
        back = (
            self._store_face_picture_and_get_name(f"{slugify_name(piece.name)}-back", piece.back)
            if piece.back is not None
            else ""
        )
        slot.text = format_piece_in_vassal_notation(front, back, piece.label, self.next, angle)
        self.next += 1

    def _store_face_picture_and_get_name(self, stem: str, face: Face) -> str:
        """Store the face's picture once and return its name; a second picture of the same name gets
        a number."""
        if id(face) not in self.names:
            taken = sum(name == f"{stem}.png" or name.startswith(f"{stem}~") for name in self.images)
            name = f"{stem}~{taken + 1}.png" if taken else f"{stem}.png"
            self.images[name] = encode_reproducible_png(draw_trimmed_face_at_resolution(face, PER_INCH))
            self.names[id(face)] = name
        return self.names[id(face)]


def format_piece_in_vassal_notation(
    front_image_name: str, back_image_name: str, name: str, slot_number: int, angle: float = 0.0
) -> str:
    """Return a piece in VASSAL's notation: its traits from the outermost in, then their states.

    ``rotate`` holds the number of positions, its keys and its commands; its state is the position.
    The mask ``obs`` of a piece with a back holds its key, picture, command, style (P: peek), name
    and who may look; its state is who masked the piece. ``piece`` holds picture and name; its state
    holds map, x, y, number and the count of properties.
    """
    traits = [(TURN, str(round(angle / 360 * TURNS) % TURNS))]
    if back_image_name:
        traits.append((f"obs;{FLIP};{back_image_name};Flip;P;?;player:;", "null"))
    traits.append(
        (f"piece;;;{front_image_name};{_replace_vassal_separators_by_spaces(name)}", f"null;0;0;{slot_number};0")
    )
    types, states = zip(*traits, strict=True)
    return f"+/null/{_join_words_with_escaped_tabs(types)}/{_join_words_with_escaped_tabs(states)}"


def _join_words_with_escaped_tabs(words: Sequence[str]) -> str:
    """Join the words with tabs, from the outermost in; the tabs of an inner text are escaped once
    for each word outside it."""
    *outer, text = words
    for word in reversed(outer):
        text = word + "\t" + text.replace("\t", "\\\t")
    return text


def _replace_vassal_separators_by_spaces(name: str) -> str:
    """Return the name without the characters that separate VASSAL's fields."""
    return "".join(" " if char in ";/\\\t\n" else char for char in name)


def _get_vassal_face_size_in_pixels(face: Face) -> tuple[int, int]:
    scale = PER_INCH / 25.4
    return max(1, round(face.width * scale)), max(1, round(face.height * scale))


def _build_moduledata_xml(table: VirtualTable, version: str) -> ET.Element:
    data = ET.Element("data", {"version": "1"})
    words = (
        ("version", version),
        ("extra1", ""),
        ("extra2", ""),
        ("VassalVersion", VERSION),
        ("dateSaved", "0"),
        ("description", table.name),
        ("name", table.name),
    )
    for tag, text in words:
        ET.SubElement(data, tag).text = text
    return data


def _serialise_indented_xml(element: ET.Element) -> bytes:
    ET.indent(element)
    text: str = ET.tostring(element, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n{text}\n'.encode()
