"""Small games, layouts and faces for the tests of the press."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pypdfium2
from PIL.Image import Resampling

from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.scene import Face, Glyphs, Group, Node, Page, Placement, Transform, Use

VOCABULARY = """
terms:
  resource:
    food: {name: {en: Food, fr: Nourriture}, icon: food, colour: "#cc8844"}
    gold: {name: {en: Gold, fr: Or}, icon: gold}
  zone:
    past: {name: {en: Past}, icon: to-past}
effects:
  gain:
    args: {amounts: {type: amounts, group: resource}}
    each: amounts
    cost: true
    text: "+{n} {term}"
kinds:
  card:
    name: {en: Card}
    id: '[a-z]\\d+'
    fields:
      title: words
      text: {type: words, required: false}
      level: {type: integer, required: false}
      goal: {type: list, of: {type: term, group: resource}, required: false}
      art: {type: text, required: false}
      options: {type: options, required: false}
"""

GAME = """
title: {en: Test Game, fr: Jeu d'essai}
version: "1.0"
players: {min: 1, max: 1}
languages: [en, fr]
about: {en: a game for tests}
source: playproof
components: []
"""

CARDS = """kind: card
components:
  a1:
    title: {en: First, fr: Premier}
    text: {en: "Gain 2 :food: and go.", fr: "Gagne 2 :food: et pars."}
    level: 3
    goal: [food, gold, food]
    options:
      A: {do: [{gain: {food: 1}}], to: past}
      B: {pay: [{gain: {gold: 2}}], do: [{gain: {food: 3}}], to: past}
  a2:
    title: {en: Second, fr: Second}
"""

LAYOUT = """kind: card
size: poker
colours: {ink: "#222222", paper: "#f6f0e0"}
styles:
  text: {family: alegreya, size: 9, colour: ink}
  title: {family: alegreya, bold: true, size: 14, min: 9, align: centre, valign: middle}
front:
  elements:
    - {shape: rect, box: trim, fill: paper}
    - {name: title, text: "{title}", box: [4, 4, 55.5, 9], style: title}
    - {name: text, text: "{text}", box: {x: 4, right: 4, below: title, gap: 2, height: 30}}
"""


def make_game(folder: Path, cards: str = CARDS, vocabulary: str = VOCABULARY) -> Path:
    """A game's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "game.yaml").write_text(GAME, "utf-8")
    (folder / "vocabulary.yaml").write_text(vocabulary, "utf-8")
    (folder / "cards.yaml").write_text(cards, "utf-8")
    return folder


def make_layouts(folder: Path, **layouts: str) -> Path:
    """A folder of layouts, one a keyword."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (layouts or {"card": LAYOUT}).items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return folder


def front(*elements: str, head: str = "") -> str:
    """A layout with just these elements, one a line."""
    lines = "\n".join(f"    - {element}" for element in elements)
    return f"kind: card\nsize: [60, 80]\n{head}front:\n  elements:\n{lines}\n"


def page_of(face: Face) -> Page:
    """A page just as large as the face."""
    return Page(face.width, face.height, (Placement(face, Transform()),))


def pdf_of(*faces: Face, **options: object) -> bytes:
    """Faces as a PDF, one a page."""
    return render_pages_to_pdf_bytes([page_of(face) for face in faces], metadata=Metadata("test"), **options)  # type: ignore[arg-type]


def words_of(pdf: bytes, page: int = 0) -> str:
    """The text a reader copies from a page."""
    with pypdfium2.PdfDocument(pdf) as document:
        return str(document[page].get_textpage().get_text_range())


FINE = 8  # pixels a millimetre, averaged to one: what lies on whole millimetres then comes out sharp


def picture_of(face: Face) -> str:
    """A face as rows of characters, one a square millimetre: `#` dark, `+` middle, `.` light."""
    size = (round(face.width), round(face.height))
    (large,) = render_faces_at_exact_pixels([face], (size[0] * FINE, size[1] * FINE))
    image = large.convert("L").resize(size, Resampling.BOX)
    rows = []
    for y in range(image.height):
        levels = [image.getpixel((x, y)) for x in range(image.width)]
        rows.append("".join("#" if level < 96 else "+" if level < 200 else "." for level in levels))
    return "\n".join(rows)


def walked(nodes: tuple[Node, ...], transform: Transform = Transform()) -> Iterator[tuple[Node, Transform]]:  # noqa: B008  # an immutable value
    """Every node with the map from its coordinates to the face's, into groups and symbols."""
    for node in nodes:
        yield node, transform
        if isinstance(node, Group):
            yield from walked(node.children, node.transform.then(transform))
        elif isinstance(node, Use):
            yield from walked(node.symbol.children, node.transform.then(transform))


def texts(face: Face) -> list[str]:
    """Every line of text of a face."""
    return [node.text for node, _ in walked(face.nodes) if isinstance(node, Glyphs)]
