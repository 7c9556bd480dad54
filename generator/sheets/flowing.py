"""Text, lines and drawings that run down as many pages as they need."""

from __future__ import annotations

from dataclasses import dataclass, field

from playproof.generator.scene import BLACK, Colour, Node, Page, Stroke, line
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.lettering import BOLD, PLAIN, iter_wrapped_lines, set_text_line

MARGIN, HEAD, BODY = 18.0, 13.0, 10.0  # mm, then points
LEADING = 4.7  # mm from line to line of `BODY`
RULE = Stroke(Colour(0.86, 0.8, 0.7), 0.3)


@dataclass
class PageFlow:
    """Pages that are filled from the top. `y` is where the next thing goes."""

    sheet: Size
    y: float = MARGIN
    nodes: list[Node] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    @property
    def room(self) -> float:
        """The width between the margins."""
        return self.sheet.width - 2 * MARGIN

    def ensure_room(self, height: float) -> None:
        """Begin a new page if the rest of this one is lower than that."""
        if self.y + height > self.sheet.height - MARGIN:
            self.begin_page()

    def begin_page(self) -> None:
        """Begin a new page."""
        self.pages.append(Page(*self.sheet, (), tuple(self.nodes)))
        self.nodes, self.y = [], MARGIN

    def add_text(self, text: str, size: float = BODY, *, font: str = PLAIN, colour: Colour = BLACK) -> None:
        """Add a sentence, broken to the width."""
        leading = LEADING * size / BODY
        for words in iter_wrapped_lines(text, self.room, size, font):
            self.ensure_room(leading)
            self.y += leading
            self.nodes.append(set_text_line(words, MARGIN, self.y, size, font=font, colour=colour))

    def add_heading(self, text: str, below: float = 16) -> None:
        """Add a heading with a rule, on the page of the first `below` mm under it."""
        self.ensure_room(below)
        self.y += 5
        self.add_text(text, HEAD, font=BOLD)
        self.y += 1.6
        self.nodes.append(line(MARGIN, self.y, self.sheet.width - MARGIN, self.y, RULE))
        self.y += 1.5
