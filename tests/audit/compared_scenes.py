"""Compares what lies on the table: the scenes of random games in every setting, language and
seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from playproof.mutation.distinguishing_games import lines_of
from playproof.mutation.ways_to_play import Setting
from playproof.verifier.search.case import ChangedCase
from tests.audit.prints import alike

if TYPE_CHECKING:
    from playproof.generator.layout.bind import Looks
    from playproof.referee.variant import Variant
    from playproof.referee.view import View
    from playproof.table import Spread
    from playproof.table.placing import Throw

GAMES = 8
STATES = 60
"""States taken from each setting."""
THROWS = 6
"""Throws taken from each action that throws dice."""


class Tables:
    """The tables of an unchanged game in some settings."""

    def __init__(self, settings: Sequence[Setting], languages: Sequence[str]) -> None:
        self.settings = settings
        self.languages = languages
        self._views: dict[int, list[View]] = {}

    def differs(self, looks: Looks) -> str:
        """Return the first setting whose table differs from the unchanged one, or "". Raises
        InputError if the file is refused."""
        for number, setting in enumerate(self.settings):
            for language in self.languages:
                known = self._known[number, language]
                now = self._scenes(number, language, looks)
                if any(not alike(one, other) for one, other in zip(known, now, strict=True)):
                    return f"table, {setting.name}"
        return ""

    def start(self, looks: Looks) -> None:
        """Lay the unchanged tables."""
        self._known = {
            (number, language): list(self._scenes(number, language, looks))
            for number in range(len(self.settings))
            for language in self.languages
        }

    @cached_property
    def _variants(self) -> list[Variant]:
        from playproof.referee.variant import Variant

        return [Variant(s.ref, s.values, s.rulings) for s in self.settings]

    def _scenes(self, number: int, language: str, looks: Looks) -> Iterator[object]:
        """Yield everything that somebody could see at the table."""
        from playproof.table import Spread
        from playproof.table.arranging import screens
        from playproof.table.placing import NoTable

        try:
            spread = Spread(self._variants[number], looks, language)
        except NoTable:
            return
        yield sorted(spread.shown() | set(spread.spec.off))
        views = self._seen(number)
        throws = self._throws(spread)
        for view in views[:1]:
            trees = tuple(spread.spec.screens.items())
            yield screens(("", None), spread.lay(view), trees, (view.seat, spread.game.players))
        for at, view in enumerate(views):
            yield spread.lay(view, throws if at % 8 == 0 else ())

    def _seen(self, number: int) -> list[View]:
        """Return states of random games, each as one of the seats, or the referee, sees it."""
        from playproof.referee.view import View

        if number not in self._views:
            setting = self.settings[number]
            case = ChangedCase(setting.ref, setting.game, setting.values, setting.rulings)
            states = [state for line in lines_of(case, GAMES, 0) for state in line.states]
            step = max(1, len(states) // STATES)
            seats = [None, *range(setting.game.players)]
            self._views[number] = [
                View.of(setting.game, state, seats[at % len(seats)])
                for at, state in enumerate(states[::step])
            ]
        return self._views[number]

    def _throws(self, spread: Spread) -> list[Throw]:
        """Return throws of dice that actions of chance may make."""
        from playproof.table.placing import Throw

        found = []
        for action in spread.game.actions:
            if action.name in spread.spec.throws:
                for ident in action.idents[:THROWS]:
                    values = zip(action.params, action.values(ident), strict=True)
                    found.append(Throw(action.name, {p.local.name: value for p, value in values}))
        return found
