"""VASSAL: a module, which is a ZIP with `buildFile.xml`, `moduledata` and flat `images/`.

Sources: VASSAL's reference manual and source. Elements are named after Java classes, a card is a
piece in a mask (its back), and a deck is a DrawPile on a map.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from PIL import Image

from playproof.database.files import write_atomically, zipped
from playproof.generator.exports.atlas import picture_of
from playproof.generator.exports.raster import MM_PER_INCH, png
from playproof.generator.exports.safe_names import slug
from playproof.generator.exports.start_positions import Lying, laid_out
from playproof.generator.exports.virtual_table import Deck, Die, VirtualTable, check_table
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


def write(table: VirtualTable, path: Path, version: str = "1.0") -> Path:
    """Write the module as a `.vmod` file."""
    check_table(table)
    images: Images = {}
    build = _module(table, version, images)
    parts = {"buildFile.xml": _xml(build), "moduledata": _xml(_moduledata(table, version))}
    if table.rulebook:
        parts[RULEBOOK] = table.rulebook
    parts |= {f"images/{name}": data for name, data in sorted(images.items())}
    write_atomically(path, zipped(parts))
    return path


def _module(table: VirtualTable, version: str, images: Images) -> ET.Element:
    slots = _Slots(images)
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
        _dice_button(module, die)
    roster = ET.SubElement(module, "VASSAL.build.module.PlayerRoster", {"buttonText": "Retire"})
    for number in range(1, 5):
        ET.SubElement(roster, "entry").text = f"Player {number}"
    ET.SubElement(module, "VASSAL.build.module.GlobalOptions", {"autoReport": "Always"})
    hand = {"name": "Hand", "visible": "false"}
    ET.SubElement(module, "VASSAL.build.module.PlayerHand", hand | {"buttonName": "Hand", "mapName": "Hand"})
    _map(module, table, slots)
    ET.SubElement(module, "VASSAL.build.module.Chatter")
    module.set("nextPieceSlotId", str(slots.next))
    return module


def _dice_button(module: ET.Element, die: Die) -> None:
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


def _map(module: ET.Element, table: VirtualTable, slots: _Slots) -> None:
    attributes = {"mapName": "Table", "buttonName": "", "launch": "false"}
    made = ET.SubElement(module, "VASSAL.build.module.Map", attributes)
    boards = list(_boards(table, slots.images))
    picker = ET.SubElement(made, "VASSAL.build.module.map.BoardPicker", {"title": "Choose a board"})
    for name, file, (width, height) in boards:
        size = {"width": str(width), "height": str(height)}
        ET.SubElement(
            picker, "VASSAL.build.module.map.boardPicker.Board", {"name": name, "image": file, **size}
        )
    ET.SubElement(made, "VASSAL.build.module.map.StackMetrics")
    ET.SubElement(made, "VASSAL.build.module.map.Zoomer", {"zoomLevels": "0.25,0.5,1.0,2.0"})
    ET.SubElement(made, "VASSAL.build.module.map.CounterDetailViewer", {"delay": "500", "zoomLevel": "1.0"})
    shelf = _Shelf(_top(table))
    for deck in table.decks:
        lying = table.prepared.pile(deck.cards)
        place = _pixel(table, lying) if lying else shelf.put(_pixels(deck.cards[0].front))
        _deck(made, deck, slots, place, boards[0][0])
    for piece, places, left in laid_out(table.prepared, _loose(table)):
        for lying in places:
            _stack(made, piece, slots, _pixel(table, lying), boards[0][0], 1, lying.turn)
        if left:
            _stack(made, piece, slots, shelf.put(_pixels(piece.front)), boards[0][0], left)


class _Shelf:
    """Hands out places on the cloth, left to right and then downwards."""

    def __init__(self, top: int) -> None:
        self.x, self.y, self.high = APART, top, 0

    def put(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the middle of the next free place of this size (pixels)."""
        width, height = size
        if self.x + width + APART > CLOTH_WIDTH and self.high:
            self.x, self.y, self.high = APART, self.y + self.high + APART, 0
        middle = self.x + width // 2, self.y + height // 2
        self.x += width + APART
        self.high = max(self.high, height)
        return middle

    @property
    def bottom(self) -> int:
        """Return the y where free cloth begins."""
        return self.y + self.high + APART


def _loose(table: VirtualTable) -> list[Piece]:
    """Return the tokens, figures and other pieces that lie on boards."""
    return [piece for piece in (*table.figures, *table.boards) if not _ground(table, piece)]


def _ground(table: VirtualTable, piece: Piece) -> bool:
    """Return whether other pieces lie on this one. It is then drawn on the cloth, so that pieces
    cannot slip below it, or it is a map of its own."""
    return max(piece.size) > LARGEST_PIECE or piece.name in table.prepared.grounds


def _boards(table: VirtualTable, images: Images) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Yield a plain cloth with room for every deck and piece, then the game's boards that are not
    on the cloth."""
    shelf = _Shelf(_top(table))
    for face in (*(deck.cards[0].front for deck in table.decks), *(piece.front for piece in _loose(table))):
        shelf.put(_pixels(face))
    width = max(CLOTH_WIDTH, round(table.prepared.width * PER_INCH / MM_PER_INCH) + 2 * APART)
    cloth = Image.new("RGB", (width, max(shelf.bottom, 1200)), CLOTH)
    large = [board for board in table.boards if _ground(table, board)]
    for board in large:
        for lying in table.prepared.singles(board):
            (x, y), picture = _pixel(table, lying), picture_of(board.front, PER_INCH)
            if lying.turn:
                picture = picture.rotate(-lying.turn, expand=True, fillcolor=CLOTH)
            cloth.paste(picture, (x - picture.width // 2, y - picture.height // 2))
    images["cloth.png"] = png(cloth)
    yield "Table" if table.prepared.places else "Cloth", "cloth.png", cloth.size
    for board in large:
        if table.prepared.singles(board):
            continue  # it is on the table already
        picture = picture_of(board.front, PER_INCH)
        name = f"board-{slug(board.name)}.png"
        images[name] = png(picture)
        yield board.label, name, picture.size


def _deck(parent: ET.Element, deck: Deck, slots: _Slots, place: tuple[int, int], board: str) -> None:
    width, height = _pixels(deck.cards[0].front)
    pile = ET.SubElement(
        parent,
        "VASSAL.build.module.map.DrawPile",
        {
            "name": deck.name,
            "owningBoard": board,
            "x": str(place[0]),
            "y": str(place[1]),
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
            slots.add(pile, deck, card)


def _top(table: VirtualTable) -> int:
    """Return the y where free cloth begins, below the table that is laid out."""
    return (
        APART
        + round(table.prepared.height * PER_INCH / MM_PER_INCH)
        + (APART if table.prepared.places else 0)
    )


def _pixel(table: VirtualTable, lying: Lying) -> tuple[int, int]:
    """Convert a place on the table (mm) to pixels on the cloth."""
    scale = PER_INCH / MM_PER_INCH
    x, y = lying.x + table.prepared.width / 2, lying.y + table.prepared.height / 2
    return APART + round(x * scale), APART + round(y * scale)


def _stack(
    parent: ET.Element,
    piece: Piece,
    slots: _Slots,
    place: tuple[int, int],
    board: str,
    count: int,
    turn: float = 0.0,
) -> None:
    """Add `count` copies of a piece on one another (VASSAL's at-start stack), turned clockwise by
    `turn` degrees."""
    made = ET.SubElement(
        parent,
        "VASSAL.build.module.map.SetupStack",
        {
            "name": piece.label,
            "owningBoard": board,
            "useGridLocation": "false",
            "x": str(place[0]),
            "y": str(place[1]),
        },
    )
    for _ in range(count):
        slots.add_loose(made, piece, turn)


class _Slots:
    """Writes the slots of cards and pieces, numbered through the module, and stores the pictures
    they need."""

    def __init__(self, images: Images) -> None:
        self.images = images
        self.names: dict[int, str] = {}  # by face
        self.next = 0

    def add(self, pile: ET.Element, deck: Deck, card: Piece) -> None:
        """Add one card to a deck."""
        assert card.back is not None, "check_table() lets only cards with backs through"
        stem = f"{slug(deck.name)}-{slug(card.name)}"
        front = self._image(stem, card.front)
        back = self._image(f"{slug(deck.name)}-back" if deck.one_back else f"{stem}-back", card.back)
        width, height = _pixels(card.front)
        size = {"width": str(width), "height": str(height)}
        attributes = {"entryName": card.label, "gpid": str(self.next), **size}
        slot = ET.SubElement(pile, "VASSAL.build.widget.CardSlot", attributes)
        slot.text = piece_text(front, back, card.label, self.next)
        self.next += 1

    def add_loose(self, stack: ET.Element, piece: Piece, turn: float) -> None:
        """Add one token or figure. A piece with a back can be flipped."""
        width, height = _pixels(piece.front)
        size = {"width": str(width), "height": str(height)}
        attributes = {"entryName": piece.label, "gpid": str(self.next), **size}
        slot = ET.SubElement(stack, "VASSAL.build.widget.PieceSlot", attributes)
        front = self._image(slug(piece.name), piece.front)
        back = self._image(f"{slug(piece.name)}-back", piece.back) if piece.back is not None else ""
        slot.text = piece_text(front, back, piece.label, self.next, turn)
        self.next += 1

    def _image(self, stem: str, face: Face) -> str:
        """Store the face's picture once and return its name; a second picture of the same name gets
        a number."""
        if id(face) not in self.names:
            taken = sum(name == f"{stem}.png" or name.startswith(f"{stem}~") for name in self.images)
            name = f"{stem}~{taken + 1}.png" if taken else f"{stem}.png"
            self.images[name] = png(picture_of(face, PER_INCH))
            self.names[id(face)] = name
        return self.names[id(face)]


def piece_text(front: str, back: str, name: str, number: int, turn: float = 0.0) -> str:
    """Return a piece in VASSAL's notation: its traits from the outermost in, then their states.

    ``rotate`` holds the number of positions, its keys and its commands; its state is the position.
    The mask ``obs`` of a piece with a back holds its key, picture, command, style (P: peek), name
    and who may look; its state is who masked the piece. ``piece`` holds picture and name; its state
    holds map, x, y, number and the count of properties.
    """
    traits = [(TURN, str(round(turn / 360 * TURNS) % TURNS))]
    if back:
        traits.append((f"obs;{FLIP};{back};Flip;P;?;player:;", "null"))
    traits.append((f"piece;;;{front};{_plain(name)}", f"null;0;0;{number};0"))
    types, states = zip(*traits, strict=True)
    return f"+/null/{_nested(types)}/{_nested(states)}"


def _nested(words: Sequence[str]) -> str:
    """Join the words with tabs, from the outermost in; the tabs of an inner text are escaped once
    for each word outside it."""
    *outer, text = words
    for word in reversed(outer):
        text = word + "\t" + text.replace("\t", "\\\t")
    return text


def _plain(name: str) -> str:
    """Return the name without the characters that separate VASSAL's fields."""
    return "".join(" " if char in ";/\\\t\n" else char for char in name)


def _pixels(face: Face) -> tuple[int, int]:
    scale = PER_INCH / 25.4
    return max(1, round(face.width * scale)), max(1, round(face.height * scale))


def _moduledata(table: VirtualTable, version: str) -> ET.Element:
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


def _xml(element: ET.Element) -> bytes:
    ET.indent(element)
    text: str = ET.tostring(element, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n{text}\n'.encode()
