"""What one page shows: a sitting, the seat that looks, the moment. Every part of a page is made from this."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape

from playproof.language import Move
from playproof.referee.view import View
from playproof.table.faces import FacePictures
from playproof.table.placing import TableLayout, find_visible_throws
from playproof.table.scene import Scene, Score
from playproof.table.sitting import GameSession

REMEMBERED = 24_576  # pieces, spots and lines of the log as text, each reader's apart

# a table and a seat: what one has seen must not make the other's page faster
ReaderKey = tuple[str, int | None]


@dataclass(frozen=True)
class PageContext:
    """What a page shows: a sitting, the seat that looks (None: a spectator), and the step (None:
    now)."""

    session: GameSession
    seat: int | None
    base: str  # the address of this seat's page, without a slash at its end
    layout: TableLayout | None
    pictures: FacePictures | None
    step: int | None = None
    reply: str = ""

    @property
    def now(self) -> bool:
        """Whether the present is shown."""
        return self.step is None

    @property
    def reader(self) -> int | None:
        """The seat whose secrets the page may show; None on a page that lies open for all."""
        return None if self.session.open_page else self.seat

    @property
    def memory(self) -> ReaderKey:
        """Whose remembered pieces and lines this page may use."""
        return self.session.ident, self.seat

    @cached_property
    def view(self) -> View:
        """The view of the seat."""
        return self.session.make_view_of_seat(self.seat, self.step)

    @cached_property
    def scene(self) -> Scene | None:
        """The table as the seat sees it; None if the game has no printed table."""
        if self.layout is None:
            return None
        return self.layout.lay_out_view(
            self.view, find_visible_throws(self.session.match, self.step), self.memory
        )

    @property
    def scores(self) -> tuple[Score, ...]:
        """What each seat has as far as the reader may know, at the moment that the page shows."""
        if self.now and self.session.match.over:
            return self.final_scores
        return self.scene.scores if self.scene is not None else ()

    @cached_property
    def final_scores(self) -> tuple[Score, ...]:
        """What each seat has at the end of the finished game, with what was hidden until then."""
        if self.layout is None:
            return ()
        # With paper, cards that nobody told are only supposed.
        state = self.session.match.state if self.session.reported_match is None else None
        return (
            self.layout.lay_out_view(self.session.make_view_of_seat(self.seat))
            if state is None
            else self.layout.make_scene(state)
        ).scores

    @cached_property
    def moves(self) -> list[Move]:
        """The actions the seat may take."""
        return self.session.list_moves_of_seat(self.seat) if self.now else []


def render_form(context: PageContext, verb: str, content: str) -> str:
    """Return a form that asks for a change of the table, as it was when the page was made."""
    return (
        f'<form method="post" action="{escape(context.base)}/{verb}"><input type="hidden" name="version" '
        f'value="{context.session.version}">{content}</form>'
    )
