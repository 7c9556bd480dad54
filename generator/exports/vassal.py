"""VASSAL: a module, that is a ZIP with `buildFile.xml`, `moduledata` and flat `images/`.

Read in VASSAL's reference manual and source: elements are named after Java classes, a card is a piece in a
mask (its back), and a deck is a DrawPile on a map.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

from PIL import Image

from generator.exports.raster import png
from generator.exports.table import Deck, Table, accepted, picture_of, slug
from generator.files import write_atomically
from generator.scene import Face
from generator.sheets.pieces import Piece

VERSION = "3.7.0"  # of VASSAL, the oldest that reads buildFile.xml with its suffix
PER_INCH = 100.0  # cards of 250 x 350 pixels
FLIP = "70,130"  # Ctrl F, as VASSAL writes keys: character code, then modifiers
CLOTH = (70, 96, 84)
APART = 40  # px between decks
STAMP = (1980, 1, 1, 0, 0, 0)  # the earliest date a ZIP knows, so that builds repeat

Images = dict[str, bytes]


def write(table: Table, path: Path, version: str = "1.0") -> Path:
    """The module as a `.vmod` file."""
    accepted(table)
    images: Images = {}
    build = _module(table, version, images)
    parts = {"buildFile.xml": _xml(build), "moduledata": _xml(_moduledata(table, version))}
    parts |= {f"images/{name}": data for name, data in sorted(images.items())}
    write_atomically(path, _zipped(parts))
    return path


def _module(table: Table, version: str, images: Images) -> ET.Element:
    slots = _Slots(images)
    module = ET.Element(
        "VASSAL.build.GameModule",
        {"name": table.name, "version": version, "VassalVersion": VERSION, "description": table.name,
         "ModuleOther1": "", "ModuleOther2": ""},
    )  # fmt: skip
    ET.SubElement(module, "VASSAL.build.module.BasicCommandEncoder")
    ET.SubElement(module, "VASSAL.build.module.Documentation")
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


def _map(module: ET.Element, table: Table, slots: _Slots) -> None:
    attributes = {"mapName": "Table", "buttonName": "", "launch": "false"}
    made = ET.SubElement(module, "VASSAL.build.module.Map", attributes)
    boards = list(_boards(table, slots.images))
    picker = ET.SubElement(made, "VASSAL.build.module.map.BoardPicker", {"title": "Choose a board"})
    for name, file, (width, height) in boards:
        size = {"width": str(width), "height": str(height)}
        ET.SubElement(picker, "VASSAL.build.module.map.boardPicker.Board", {"name": name, "image": file, **size})
    ET.SubElement(made, "VASSAL.build.module.map.StackMetrics")
    ET.SubElement(made, "VASSAL.build.module.map.Zoomer", {"zoomLevels": "0.25,0.5,1.0,2.0"})
    ET.SubElement(made, "VASSAL.build.module.map.CounterDetailViewer", {"delay": "500", "zoomLevel": "1.0"})
    x = APART
    for deck in table.decks:
        width, height = _pixels(deck.cards[0].front)
        _deck(made, deck, slots, (x + width // 2, APART + height // 2), boards[0][0])
        x += width + APART


def _boards(table: Table, images: Images) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """A plain cloth with room for every deck, and the game's own boards."""
    width = APART + sum(_pixels(deck.cards[0].front)[0] + APART for deck in table.decks)
    size = (max(width, 1600), 1200)
    images["cloth.png"] = png(Image.new("RGB", size, CLOTH))
    yield "Cloth", "cloth.png", size
    for board in table.boards:
        picture = picture_of(board.front, PER_INCH)
        name = f"board-{slug(board.name)}.png"
        images[name] = png(picture)
        yield board.name, name, picture.size


def _deck(parent: ET.Element, deck: Deck, slots: _Slots, place: tuple[int, int], board: str) -> None:
    width, height = _pixels(deck.cards[0].front)
    pile = ET.SubElement(
        parent,
        "VASSAL.build.module.map.DrawPile",
        {"name": deck.name, "owningBoard": board, "x": str(place[0]), "y": str(place[1]),
         "width": str(width), "height": str(height), "faceDown": "Always", "shuffle": "Via right-click Menu",
         "draw": "true", "drawFaceUp": "false", "allowMultiple": "false", "allowSelect": "true",
         "reversible": "false", "reshufflable": "false", "maxStack": "15"},
    )  # fmt: skip
    for card in deck.cards:
        for _ in range(card.count):
            slots.add(pile, deck, card)


class _Slots:
    """Card slots, numbered through the module, and the pictures that they need."""

    def __init__(self, images: Images) -> None:
        self.images = images
        self.names: dict[int, str] = {}  # by face
        self.next = 0

    def add(self, pile: ET.Element, deck: Deck, card: Piece) -> None:
        """One card in a deck."""
        assert card.back is not None, "accepted() lets only cards with backs through"
        stem = f"{slug(deck.name)}-{slug(card.name)}"
        front = self._image(stem, card.front)
        back = self._image(f"{slug(deck.name)}-back" if deck.one_back else f"{stem}-back", card.back)
        width, height = _pixels(card.front)
        size = {"width": str(width), "height": str(height)}
        attributes = {"entryName": card.name, "gpid": str(self.next), **size}
        slot = ET.SubElement(pile, "VASSAL.build.widget.CardSlot", attributes)
        slot.text = piece_text(front, back, card.name, self.next)
        self.next += 1

    def _image(self, stem: str, face: Face) -> str:
        """The face's picture, stored once; a second card of the same name gets a number."""
        if id(face) not in self.names:
            taken = sum(name == f"{stem}.png" or name.startswith(f"{stem}~") for name in self.images)
            name = f"{stem}~{taken + 1}.png" if taken else f"{stem}.png"
            self.images[name] = png(picture_of(face, PER_INCH))
            self.names[id(face)] = name
        return self.names[id(face)]


def piece_text(front: str, back: str, name: str, number: int) -> str:
    """A card in VASSAL's own words: traits from outside in, joined by tabs, then their states.

    The mask `obs` has its key, picture, command, style (P: peek), name and who may see; `piece` has picture
    and name; states are `null` (masked by nobody) and map, x, y, number and count of properties.
    """
    plain = "".join(" " if char in ";/\\\t\n" else char for char in name)
    mask = f"obs;{FLIP};{back};Flip;P;?;player:;"
    return f"+/null/{mask}\tpiece;;;{front};{plain}/null\tnull;0;0;{number};0"


def _pixels(face: Face) -> tuple[int, int]:
    scale = PER_INCH / 25.4
    return max(1, round(face.width * scale)), max(1, round(face.height * scale))


def _moduledata(table: Table, version: str) -> ET.Element:
    data = ET.Element("data", {"version": "1"})
    words = (("version", version), ("extra1", ""), ("extra2", ""), ("VassalVersion", VERSION),
             ("dateSaved", "0"), ("description", table.name), ("name", table.name))  # fmt: skip
    for tag, text in words:
        ET.SubElement(data, tag).text = text
    return data


def _xml(element: ET.Element) -> bytes:
    ET.indent(element)
    text: str = ET.tostring(element, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n{text}\n'.encode()


def _zipped(parts: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            entry = zipfile.ZipInfo(name, STAMP)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return out.getvalue()
