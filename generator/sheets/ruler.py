"""The scale ruler: 50 mm and 2 inches on every sheet, so that users notice "fit to page" before
they cut."""

from __future__ import annotations

from functools import lru_cache

from playproof.generator.scene import BLACK, Node, Rect, Stroke, Symbol, line
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.lettering import set_text_line

RULER = Size(59.5, 3.0)  # mm, labels included
HAIR = Stroke(BLACK, 0.15)
TALL, LOW = 1.5, 0.8  # mm, ticks
LABEL = 6.0  # pt: two lines of capitals are as high as the ticks


def draw_ruler() -> tuple[Node, ...]:
    """Draw the ruler from the top left corner of a box of the size RULER."""
    middle = RULER.height / 2
    marks: list[Node] = [line(0, middle, 50.8, middle, HAIR)]
    for mm in range(51):
        marks.append(line(mm, middle, mm, middle - _get_mark_height(mm, whole=10, half=5), HAIR))
    for eighth in range(17):
        x = eighth * 25.4 / 8
        marks.append(line(x, middle, x, middle + _get_mark_height(eighth, whole=8, half=4), HAIR))
    marks.append(set_text_line("50 mm", 51.8, middle - 0.1, LABEL))
    marks.append(set_text_line("2 in", 51.8, middle + 1.5, LABEL))
    return tuple(marks)


def _get_mark_height(step: int, *, whole: int, half: int) -> float:
    """Return the height of a mark: tall at whole units, lower at halves, lowest between."""
    if step % whole == 0:
        return TALL
    return LOW if step % half == 0 else LOW / 2


@lru_cache(maxsize=1)
def get_ruler_symbol() -> Symbol:
    """Return the ruler as a symbol, so that a file stores it once."""
    return Symbol("ruler", Rect(0, 0, RULER.width, RULER.height).expand(0.5), draw_ruler())
