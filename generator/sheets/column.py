"""A page of instructions that is filled from the top: headings, numbered steps, drawings."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.generator.scene import Node, Rect
from playproof.generator.sheets.free_paper import FreePlace
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.lettering import BOLD, PLAIN, iter_wrapped_lines, set_text_line
from playproof.generator.sheets.margins import move_to_place

MARGIN = 18.0  # mm
TITLE, HEAD, BODY = 20.0, 12.0, 9.5  # pt
LEADING = 4.4  # mm


class InstructionColumn:
    """A page that is filled from the top. `y` is where the next line goes."""

    def __init__(self, sheet: Size, title: str) -> None:
        self.sheet = sheet
        self.width = sheet.width - 2 * MARGIN
        self.nodes: list[Node] = []
        self.y = MARGIN + 6
        for words in iter_wrapped_lines(title, self.width, TITLE, BOLD):
            self.nodes.append(set_text_line(words, MARGIN, self.y, TITLE, font=BOLD))
            self.y += 9

    def add_heading(self, text: str) -> None:
        self.y += 3
        self.nodes.append(set_text_line(text, MARGIN, self.y, HEAD, font=BOLD))
        self.y += 6

    def add_numbered_steps(self, steps: Sequence[str]) -> None:
        """Add numbered sentences, broken to the column's width."""
        for number, step in enumerate(steps, 1):
            self.nodes.append(set_text_line(f"{number}.", MARGIN + 4, self.y, BODY, font=BOLD, anchor="end"))
            for words in iter_wrapped_lines(step, self.width - 6, BODY):
                self.nodes.append(set_text_line(words, MARGIN + 6, self.y, BODY))
                self.y += LEADING
            self.y += 1

    def add_line(self, text: str, *, bold: bool = False) -> None:
        """Add a sentence without a number, broken to the column's width."""
        font = BOLD if bold else PLAIN
        for words in iter_wrapped_lines(text, self.width - 6, BODY, font):
            self.nodes.append(set_text_line(words, MARGIN + 6, self.y, BODY, font=font))
            self.y += LEADING
        self.y += 0.6

    def compute_room_for_drawing(self, left: float, top: float, max_size: Size) -> Size:
        """Return the size left for a drawing at this place, at most `most`; 0 in a direction
        without room."""
        width, height = self.sheet.width - MARGIN - left, self.sheet.height - MARGIN - top
        return Size(max(0.0, min(max_size.width, width)), max(0.0, min(max_size.height, height)))

    def add_drawing(self, nodes: tuple[Node, ...], size: Size) -> None:
        """Add a drawing below the text."""
        self.nodes.append(move_to_place(nodes, FreePlace(Rect(MARGIN + 6, self.y, *size), False)))
        self.y += size.height + 4
