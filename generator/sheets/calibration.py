"""The calibration sheet: five crosses on the front, five scales on the back; a pin shows the
offset.

Push a pin through a cross: where it comes out on the scale, the user reads how far backs must move.
`playproof.generator.sheets.printer` stores that distance.
"""

from __future__ import annotations

from collections.abc import Iterator

from playproof.generator.scene import BLACK, Node, Page, Rect, Stroke, circle, line, rectangle
from playproof.generator.sheets.backs import Flip, behind
from playproof.generator.sheets.geometry import Size, Slot
from playproof.generator.sheets.lettering import BOLD, broken, letter
from playproof.generator.sheets.printer import FILE, way

FINE, BOLDER = Stroke(BLACK, 0.1), Stroke(BLACK, 0.25)
REACH = 5  # mm, the largest offset that can be read off
INSET = 30.0  # mm from the paper's edges to the outer crosses
HEADING, BODY, DIGIT = 14.0, 9.0, 6.0  # pt


def calibration(sheet: Size, flip: Flip) -> list[Page]:
    """Return front and back for one way of printing. No stored offset is applied, so the reading is
    the whole offset."""
    front = [node for x, y in targets(sheet) for node in _cross(x, y)]
    back = [node for x, y in targets(sheet) for node in _scales(*_behind(x, y, sheet, flip))]
    name = way(sheet, flip)
    return [
        Page(*sheet, (), (*front, *_steps(sheet, name)), label="calibration front"),
        Page(*sheet, (), (*back, *_legend(sheet, name)), label="calibration back"),
    ]


def targets(sheet: Size) -> tuple[tuple[float, float], ...]:
    """Return the five crosses of the front: near the corners and in the middle, not symmetric, so
    that every flip shows."""
    right, bottom = sheet.width - INSET - 10, sheet.height - INSET
    corners = ((INSET, INSET), (right, INSET), (INSET, bottom), (right, bottom))
    return (*corners, (sheet.width / 2, sheet.height / 2))


def _behind(x: float, y: float, sheet: Size, flip: Flip) -> tuple[float, float]:
    place = behind(Slot(Rect(x, y, 0, 0)), sheet, flip).trim
    return place.x, place.y


def _cross(x: float, y: float) -> Iterator[Node]:
    yield line(x - 8, y, x + 8, y, FINE)
    yield line(x, y - 8, x, y + 8, FINE)
    yield circle(x, y, 2, stroke=FINE)


def _scales(x: float, y: float) -> Iterator[Node]:
    """Return a grid of millimetres about (x, y) with numbers at its ends."""
    yield rectangle(Rect(x - REACH, y - REACH, 2 * REACH, 2 * REACH), stroke=FINE)
    for step in range(-REACH, REACH + 1):
        stroke = BOLDER if step == 0 else FINE
        yield line(x + step, y - REACH, x + step, y + REACH, stroke)
        yield line(x - REACH, y + step, x + REACH, y + step, stroke)
    for step in (-REACH, 0, REACH):
        yield letter(f"{step:+d}" if step else "0", x + step, y - REACH - 1, DIGIT, anchor="middle")
        yield letter(f"{step:+d}" if step else "0", x - REACH - 1, y + step + 0.7, DIGIT, anchor="end")
    yield letter("right", x + REACH + 1, y + 0.7, DIGIT)
    yield letter("down", x, y + REACH + 2.4, DIGIT, anchor="middle")


def _steps(sheet: Size, name: str) -> list[Node]:
    orientation, flip = name.split("-")
    text = (
        f"Print this sheet and its back as you print cards: {orientation}, both sides, turned on the "
        f"{flip} edge, at 100\u00a0% (no fit to page).",
        "Push a pin through the middle of every cross.",
        "Turn the sheet. On the scales of the back, read where each hole is: right and down count up, "
        "left and up count down.",
        f"Write the mean of the five readings into {FILE.as_posix()}, for example:",
    )
    width = min(120.0, sheet.width - 2 * INSET - 20)
    x, y = (sheet.width - width) / 2, INSET + 22
    nodes: list[Node] = [letter("Where do backs come out?", x, y, HEADING, font=BOLD)]
    y += 8
    for number, step in enumerate(text, 1):
        nodes.append(letter(f"{number}.", x - 1.5, y, BODY, font=BOLD, anchor="end"))
        for words in broken(step, width, BODY):
            nodes.append(letter(words, x, y, BODY))
            y += 4.2
        y += 1.2
    nodes.append(letter(f"{name}: {{right: 0.6, down: -0.4}}", x + 4, y, BODY, font=BOLD))
    return nodes


def _legend(sheet: Size, name: str) -> list[Node]:
    text = f"Back of the calibration sheet · {name} · read the holes here, in millimetres"
    return [letter(text, sheet.width / 2, INSET + 22, BODY, anchor="middle")]
