"""Typst on the same deck: the same words, fonts and icons, nine cards to a page.

`python -m tests.benchmarks.presswork.typeset FOLDER COUNT`.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import typst

from tests.benchmarks.presswork.deck import ICONS, cards

LAYOUTS = Path(__file__).resolve().parents[3] / "layouts"
SOURCE = """
#set page(width: 210mm, height: 297mm, margin: (x: 9.75mm, y: 15.15mm))
#set text(font: "Alegreya", size: 9pt)
#let icon(name) = box(image(name + ".svg", height: 0.9em), baseline: 0.1em)
#let card(c) = box(width: 63.5mm, height: 88.9mm, fill: rgb("#f8f2e2"), {
  place(dx: 3mm, dy: 3mm, rect(width: 57.5mm, height: 82.9mm, radius: 3mm, stroke: 0.6mm + rgb("#7a5c3a")))
  place(dx: 6mm, dy: 6mm, box(width: 51.5mm, height: 8mm, align(center + horizon, text(13pt, weight: "bold", c.title))))
  place(dx: 6mm, dy: 40mm, box(width: 51.5mm, align(center, text(style: "italic", c.kind))))
  place(dx: 6mm, dy: 47mm, box(width: 51.5mm, height: 36mm,
    c.words.map(w => if w.starts-with(":") { icon(w.trim(":")) } else { w }).join(" ")))
})
#grid(columns: 3, ..json("cards.json").map(card))
"""


def main(folder: Path, count: int) -> None:
    """Write the source and its data next to the icons, and compile it with Playproof's own fonts
    alone."""
    place = folder / "typst"
    place.mkdir(exist_ok=True)
    for name in ICONS:
        shutil.copy(LAYOUTS / "icons" / f"{name}.svg", place / f"{name}.svg")
    deck = [{"title": title, "kind": kind, "words": words} for title, kind, words in cards(count)]
    (place / "cards.json").write_text(json.dumps(deck), "utf-8")
    (place / "deck.typ").write_text(SOURCE, "utf-8")
    typst.compile(
        str(place / "deck.typ"),
        output=str(folder / "typeset.pdf"),
        root=str(place),
        font_paths=[str(LAYOUTS / "fonts")],
        ignore_system_fonts=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
