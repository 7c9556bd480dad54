"""What seats are sent in drawn games in which all choose at once (`drawn_at_once`), against functions written apart.

Histories are grouped by what the rules of sight say: nobody sees what another chooses until all have chosen, and then
everybody does. The referee's information must group them alike, whether choices are then cleared, the game goes on, or
chance acts. The words of the log must tell no more than that, and each revealed choice.

`PLAYPROOF_DRAWN=1600` tries so many seeds, as `make walks` does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from playproof.language import Interpreter, RulesError
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.referee.events import make_events_of_step_as_heard_by_seat
from playproof.referee.observations import collect_observations_of_seat_from_start, get_cached_observation_model
from tests.verifier.drawn_at_once import draw_at_once
from tests.verifier.drawn_games import Drawn, Large, Setting, State, graph, rules

MANY = int(os.environ.get("PLAYPROOF_DRAWN", "0"))
STEPS, HISTORIES = 7, 250

Moments = list[State]
History = tuple[list[int], list[Moments]]
"""Actions, and the states at the start and after each of them, each with those after its automatic phases."""


class _Sight:
    """What a seat of a drawn game is sent."""

    def __init__(self, play: Setting, seat: int) -> None:
        self.play, self.seat = play, seat
        secret = {f"_bid_hidden[{other}]" for other in range(play.game.players) if other != seat}
        self.cells = [at for name, at in play.at.items() if name not in secret and name != play.game.hidden]

    def sent(self, history: History) -> tuple[Any, ...]:
        """Return all that the seat was sent in a history."""
        actions, steps = history
        found: list[Any] = [self.looks(steps[0])]
        for ident, before, after in zip(actions, steps, steps[1:], strict=False):
            found.append((self.hears(ident, before[-1]), self.looks(after)))
        return tuple(found)

    def hears(self, ident: int, before: State) -> tuple[Any, ...]:
        act, bound = self.play.idents[ident]
        actor = self.play.actor(before)
        return actor, act.name, tuple(bound.values()) if actor == self.seat else len(bound)

    def looks(self, moments: Moments) -> tuple[Any, ...]:
        """Return what looks new from moment to moment, and who acts then, with the seat's own choices."""
        views: list[Any] = []
        for moment in moments:
            view = [moment[at] for at in self.cells]
            views += [view] if view != (views or [None])[-1] else []
        last = moments[-1]
        if last[self.play.over]:
            return repr(views), last[self.play.over]
        actor = self.play.actor(last)
        return repr(views), last[self.play.phase], actor, tuple(self.play.legal(last)) if actor == self.seat else ()

    def list_revealed_choices(self, history: History) -> list[tuple[int, ...]]:
        """Return what all have chosen, each time that it is shown; the least choice is 1, and 0 is none."""
        shown = []
        for step in history[1]:
            for moment, after in pairwise(step):
                if moment[self.play.phase] == len(self.play.game.phases) + 1:  # the phase that shows all
                    shown.append(tuple(after[self.play.at[f"bid[{seat}]"]] for seat in range(self.play.game.players)))
        return shown


def iter_histories(play: Setting) -> Iterator[History]:
    """Yield histories, the short ones first."""
    waiting: list[History] = [([], [play.start()])]
    for count, (actions, steps) in enumerate(waiting):
        yield actions, steps
        if count + 1 == HISTORIES:
            return
        if len(actions) < STEPS and len(waiting) < HISTORIES:
            for ident in play.legal(steps[-1][-1]):
                waiting.append(([*actions, ident], [*steps, play.moments(steps[-1][-1], ident)]))


def get_game_without_breaks_or_none(seed: int, in_teams: bool) -> Drawn | None:
    game = draw_at_once(seed, in_teams)
    try:
        return None if graph(Setting(game)).breaks else game
    except Large:
        return game  # `iter_histories` looks at its beginning


def check_views(seed: int, folder: Path, in_teams: bool = False) -> int:
    """Compare what the seats of a drawn game are sent. Return how many different choices of all were revealed."""
    drawn = get_game_without_breaks_or_none(seed, in_teams)
    if drawn is None:
        return 0
    (folder / "rules.py").write_text(rules(drawn), encoding="utf-8")
    try:
        game = build(str(folder), Options())
    except RulesError:  # some rules can never be carried out
        return 0
    play, described = Setting(drawn), Interpreter(game)
    numbers = {game.show(ident): ident for ident in range(game.ground)}
    reveals: set[tuple[int, ...]] = set()
    histories = list(iter_histories(play))
    for seat in range(drawn.players):
        sight, named = _Sight(play, seat), f"seed {seed}, seat {seat}"
        known, words, shown = Groups(), Groups(), Groups()
        for history in histories:
            information, log = follow_as_seat(described, [numbers[play.words(ident)] for ident in history[0]], seat)
            sent, revealed = sight.sent(history), sight.list_revealed_choices(history)
            known.add(sent, information)
            words.add(sent, log)
            shown.add(log, tuple(revealed))
            reveals |= {*revealed}
        assert known.is_function(), f"{named}: told apart by what nobody sent"
        assert known.is_one_to_one(), f"{named}: not told apart"
        assert words.is_function(), f"{named}: the log tells what is hidden"
        assert shown.is_function(), f"{named}: the log of a reveal leaves a value out"
    return len(reveals)


class Groups:
    """What belongs to each key."""

    def __init__(self) -> None:
        self.held: dict[Any, set[Any]] = {}

    def add(self, key: Any, value: Any) -> None:
        self.held.setdefault(key, set()).add(value)

    def is_function(self) -> bool:
        return all(len(values) == 1 for values in self.held.values())

    def is_one_to_one(self) -> bool:
        return len(set().union(*self.held.values())) == len(self.held)


def follow_as_seat(play: Interpreter, actions: list[int], seat: int) -> tuple[Any, tuple[str, ...]]:
    """Return the information of a seat after these actions, and the sentences of its log."""
    model, states = get_cached_observation_model(play.game), [play.start()]
    log: list[str] = []
    for number, ident in enumerate(actions, 1):
        log += map(str, make_events_of_step_as_heard_by_seat(model, states[-1], ident, seat, number))
        states.append(play.apply(states[-1], ident))
    return collect_observations_of_seat_from_start(model, states, actions, seat), tuple(log)


@pytest.mark.parametrize("seed", [201, 204, 211, 219, 228, 231, 234, 237])
def test_choices_made_at_once_are_told_when_they_are_revealed_and_not_before(seed: int, tmp_path: Path) -> None:
    assert check_views(seed, tmp_path, in_teams=seed % 3 == 0) > 3


@pytest.mark.walks("PLAYPROOF_DRAWN")
def test_so_they_are_in_many_games(tmp_path: Path) -> None:
    for seed in range(1000, 1000 + MANY // 4):
        found = check_views(seed, tmp_path, in_teams=seed % 3 == 0)
        print(f"seed {seed}: {found} revealed choices told alike", flush=True)
