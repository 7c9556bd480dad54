"""Short texts in sequence, with line breaks only between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text


@dataclass(frozen=True)
class WrappedItems:
    """Items on as few lines as possible, `gap` spaces between them."""

    items: Sequence[Text]
    gap: int = 3

    def wrap_lines(self, width: int) -> Iterator[Text]:
        """Yield the items in lines of at most `width` characters. A longer item has a line of
        its own."""
        line = Text()
        for item in self.items:
            if line and line.cell_len + self.gap + item.cell_len > width:
                yield line
                line = Text()
            if line:
                line.append(" " * self.gap)
            line.append_text(item)
        if line:
            yield line

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield from self.wrap_lines(options.max_width)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widths = [item.cell_len for item in self.items]
        whole = sum(widths) + self.gap * max(0, len(widths) - 1)
        return Measurement(max(widths, default=0), whole).with_maximum(options.max_width)
