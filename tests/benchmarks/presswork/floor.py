"""The floor: bare ReportLab, no layout, no shaping, no checks; frame and icons as forms.

`python -m tests.benchmarks.presswork.floor FOLDER COUNT`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from tests.benchmarks.presswork.deck import ICONS, cards

WIDTH, HEIGHT = 180.0, 252.0  # points


def main(folder: Path, count: int) -> None:
    """Draw the deck, nine cards to a page."""
    canvas = Canvas(str(folder / "floor.pdf"), pagesize=A4, pageCompression=1)
    _forms(canvas)
    for number, (title, kind, words) in enumerate(cards(count)):
        slot = number % 9
        if number and slot == 0:
            canvas.showPage()
        canvas.saveState()
        canvas.translate(20 + slot % 3 * WIDTH, 20 + slot // 3 * HEIGHT)
        canvas.doForm("frame")
        canvas.setFont("Helvetica-Bold", 13)
        canvas.drawCentredString(WIDTH / 2, 215, title)
        canvas.setFont("Helvetica", 9)
        canvas.drawCentredString(WIDTH / 2, 130, kind)
        text = " ".join(word for word in words if not word.startswith(":"))
        for at, line in enumerate(simpleSplit(text, "Helvetica", 9, 146)):
            canvas.drawString(17, 112 - 11 * at, line)
        for at, icon in enumerate(ICONS):
            canvas.saveState()
            canvas.translate(17 + 12 * at, 20)
            canvas.doForm(icon)
            canvas.restoreState()
        canvas.restoreState()
    canvas.save()


def _forms(canvas: Canvas) -> None:
    canvas.beginForm("frame")
    canvas.setFillColorRGB(0.97, 0.95, 0.89)
    canvas.rect(0, 0, WIDTH, HEIGHT, stroke=0, fill=1)
    canvas.roundRect(8, 8, WIDTH - 16, HEIGHT - 16, 8)
    canvas.endForm()
    for icon in ICONS:
        canvas.beginForm(icon)
        canvas.circle(5, 5, 4, fill=1)
        canvas.endForm()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
