"""Pages of text filled from the top: a column of instructions with numbered steps, and text and drawings
that run down as many pages as they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from playproof.generator.scene import BLACK, Colour, Node, Page, Rect, Stroke, build_line_path
from playproof.generator.sheets.marks import FreePlace, move_nodes_to_free_place
from playproof.generator.sheets.slots import Size
from playproof.generator.type.shaping import BOLD, PLAIN, iter_lines_wrapped_to_width, typeset_anchored_text_line

# -- column --------------------------------------------------------------------------------------------------
# A page of instructions that is filled from the top: headings, numbered steps, drawings.

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
        for words in iter_lines_wrapped_to_width(title, self.width, TITLE, BOLD):
            self.nodes.append(typeset_anchored_text_line(words, MARGIN, self.y, TITLE, font=BOLD))
            self.y += 9

    def add_heading_below_text(self, text: str) -> None:
        self.y += 3
        self.nodes.append(typeset_anchored_text_line(text, MARGIN, self.y, HEAD, font=BOLD))
        self.y += 6

    def add_numbered_steps(self, steps: Sequence[str]) -> None:
        """Add numbered sentences, broken to the column's width."""
        for number, step in enumerate(steps, 1):
            self.nodes.append(
                typeset_anchored_text_line(f"{number}.", MARGIN + 4, self.y, BODY, font=BOLD, anchor="end")
            )
            for words in iter_lines_wrapped_to_width(step, self.width - 6, BODY):
                self.nodes.append(typeset_anchored_text_line(words, MARGIN + 6, self.y, BODY))
                self.y += LEADING
            self.y += 1

    def add_unnumbered_sentence(self, text: str, *, bold: bool = False) -> None:
        """Add a sentence without a number, broken to the column's width."""
        font = BOLD if bold else PLAIN
        for words in iter_lines_wrapped_to_width(text, self.width - 6, BODY, font):
            self.nodes.append(typeset_anchored_text_line(words, MARGIN + 6, self.y, BODY, font=font))
            self.y += LEADING
        self.y += 0.6

    def compute_size_left_for_drawing(self, left: float, top: float, max_size: Size) -> Size:
        """Return the size left for a drawing at this place, at most `max_size`; 0 in a direction
        without room."""
        width, height = self.sheet.width - MARGIN - left, self.sheet.height - MARGIN - top
        return Size(max(0.0, min(max_size.width, width)), max(0.0, min(max_size.height, height)))

    def add_drawing_below_text(self, nodes: tuple[Node, ...], size: Size) -> None:
        """Add a drawing below the text."""
        self.nodes.append(move_nodes_to_free_place(nodes, FreePlace(Rect(MARGIN + 6, self.y, *size), False)))
        self.y += size.height + 4


# -- flowing -------------------------------------------------------------------------------------------------
# Text, lines and drawings that run down as many pages as they need.

FLOW_MARGIN, FLOW_HEAD, FLOW_BODY = 18.0, 13.0, 10.0  # mm, then points
FLOW_LEADING = 4.7  # mm from line to line of `FLOW_BODY`
RULE = Stroke(Colour(0.86, 0.8, 0.7), 0.3)


@dataclass
class PageFlow:
    """Pages that are filled from the top. `y` is where the next thing goes."""

    sheet: Size
    y: float = FLOW_MARGIN
    nodes: list[Node] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    @property
    def width_between_margins(self) -> float:
        """The width between the margins."""
        return self.sheet.width - 2 * FLOW_MARGIN

    def begin_page_unless_height_fits(self, height: float) -> None:
        """Begin a new page if the rest of this one is lower than that."""
        if self.y + height > self.sheet.height - FLOW_MARGIN:
            self.finish_page_and_begin_new_one()

    def finish_page_and_begin_new_one(self) -> None:
        """Begin a new page."""
        self.pages.append(Page(*self.sheet, (), tuple(self.nodes)))
        self.nodes, self.y = [], FLOW_MARGIN

    def add_wrapped_text(
        self, text: str, size: float = FLOW_BODY, *, font: str = PLAIN, colour: Colour = BLACK
    ) -> None:
        """Add a sentence, broken to the width."""
        leading = FLOW_LEADING * size / FLOW_BODY
        for words in iter_lines_wrapped_to_width(text, self.width_between_margins, size, font):
            self.begin_page_unless_height_fits(leading)
            self.y += leading
            self.nodes.append(typeset_anchored_text_line(words, FLOW_MARGIN, self.y, size, font=font, colour=colour))

    def add_ruled_heading(self, text: str, height_kept_with_heading: float = 16) -> None:
        """Add a heading with a rule, on the page of the first `height_kept_with_heading` mm under it."""
        self.begin_page_unless_height_fits(height_kept_with_heading)
        self.y += 5
        self.add_wrapped_text(text, FLOW_HEAD, font=BOLD)
        self.y += 1.6
        self.nodes.append(build_line_path(FLOW_MARGIN, self.y, self.sheet.width - FLOW_MARGIN, self.y, RULE))
        self.y += 1.5
