"""protograf on the same deck. It cannot set icons among the words, so they stand below them.

`python -m tests.benchmarks.presswork.other FOLDER COUNT`.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from protograf import Card, Create, Data, Deck, Save, T, image, rectangle, text

from tests.benchmarks.presswork.deck import ICONS, cards

LOOKS = Path(__file__).resolve().parents[3] / "layouts" / "icons"


def main(folder: Path, count: int) -> None:
    """Draw the deck, nine cards to a page."""
    Create(filename=str(folder / "other.pdf"), paper="A4", margin=0.5)
    rows = [["ID", "TITLE", "TYPE", "TEXT"]]
    for number, (title, kind, words) in enumerate(cards(count)):
        rows.append([str(number), title, kind, " ".join(word for word in words if not word.startswith(":"))])
    Data(data_list=rows)
    Deck(cards=count, width=6.35, height=8.89, fill="#f8f2e2", stroke="black", frame="rectangle")
    Card(
        "all",
        rectangle(x=0.3, y=0.3, width=5.75, height=8.29, stroke="#7a5c3a", stroke_width=1.5, fill=None, rounding=0.3),
        text(text=T("{{ TITLE }}"), x=3.2, y=1.2, font_size=13),
        text(text=T("{{ TYPE }}"), x=3.2, y=4.4, font_size=9),
        text(text=T("{{ TEXT }}"), x=0.6, y=4.7, width=5.1, height=3.3, font_size=9, wrap=True, align="left"),
        *(
            image(str(LOOKS / f"{icon}.svg"), x=0.6 + 0.3 * at, y=8, width=0.25, height=0.25)
            for at, icon in enumerate(ICONS)
        ),
    )
    Save()


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        where, how_many = sys.argv.pop(1), sys.argv.pop(1)  # protograf reads the command line itself
        main(Path(where), int(how_many))
