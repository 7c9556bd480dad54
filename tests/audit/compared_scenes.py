"""Compares what lies on the table: the scenes of random games in every setting, language and
seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from playproof.mutation.claim_settings import ClaimSetting
from playproof.mutation.mutant_games import play_random_games
from playproof.verifier.search.case import GivenGameCase
from tests.audit.prints import alike

if TYPE_CHECKING:
    from playproof.generator.layout.layout_renderer import LayoutRenderer
    from playproof.referee.variant import Variant
    from playproof.referee.view import View
    from playproof.table import TableLayout
    from playproof.table.table_layout import DiceThrow

GAMES = 8
STATES = 60
"""States taken from each setting."""
THROWS = 6
"""Throws taken from each action that throws dice."""


class Tables:
    """The tables of an unchanged game in some settings."""

    def __init__(self, settings: Sequence[ClaimSetting], languages: Sequence[str]) -> None:
        self.settings = settings
        self.languages = languages
        self._views: dict[int, list[View]] = {}

    def differs(self, looks: LayoutRenderer) -> str:
        """Return the first setting whose table differs from the unchanged one, or "". Raises
        InputError if the file is refused."""
        for number, setting in enumerate(self.settings):
            for language in self.languages:
                known = self._known[number, language]
                now = self._scenes(number, language, looks)
                if any(not alike(one, other) for one, other in zip(known, now, strict=True)):
                    return f"table, {setting.name}"
        return ""

    def start(self, looks: LayoutRenderer) -> None:
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

    def _scenes(self, number: int, language: str, looks: LayoutRenderer) -> Iterator[object]:
        """Yield everything that somebody could see at the table."""
        from playproof.table import TableLayout
        from playproof.table.table_layout import NoTable
        from playproof.table.table_view import arrange_surfaces_for_each_screen

        try:
            spread = TableLayout(self._variants[number], looks, language)
        except NoTable:
            return
        yield sorted(spread.list_names_of_shown_fields() | set(spread.spec.off))
        views = self._seen(number)
        throws = self._throws(spread)
        for view in views[:1]:
            trees = tuple(spread.spec.screens.items())
            yield arrange_surfaces_for_each_screen(
                ("", None), spread.make_scene_from_view(view), trees, (view.seat, spread.game.players)
            )
        for at, view in enumerate(views):
            yield spread.make_scene_from_view(view, throws if at % 8 == 0 else ())

    def _seen(self, number: int) -> list[View]:
        """Return states of random games, each as one of the seats, or the referee, sees it."""
        from playproof.referee.view import View

        if number not in self._views:
            setting = self.settings[number]
            case = GivenGameCase(setting.ref, setting.game, setting.values, setting.rulings)
            states = [state for line in play_random_games(case, GAMES, 0) for state in line.states]
            step = max(1, len(states) // STATES)
            seats = [None, *range(setting.game.players)]
            self._views[number] = [
                View.of(setting.game, state, seats[at % len(seats)]) for at, state in enumerate(states[::step])
            ]
        return self._views[number]

    def _throws(self, spread: TableLayout) -> list[DiceThrow]:
        """Return throws of dice that actions of chance may make."""
        from playproof.table.table_layout import DiceThrow

        found = []
        for action in spread.game.actions:
            if action.name in spread.spec.throws:
                for ident in action.idents[:THROWS]:
                    values = zip(action.params, action.get_values_of_ground_action(ident), strict=True)
                    found.append(DiceThrow(action.name, {p.local.name: value for p, value in values}))
        return found
