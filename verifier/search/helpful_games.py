"""A beam of games in which everybody, chance included, has one aim: how soon can the target happen
at best?

The aim is to help one seat, by the evaluation that the game itself declares for that seat; or to
keep the seats equal, which leads to ties. The beam searches states layer by layer of a number
(rounds, turns), and keeps the best of each layer and of each depth within it. A beam can only
answer yes. It plays in plain Python, so a narrow beam answers within a second, and every few runs
the width doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from playproof.language import RulesError, Term
from playproof.language.expr import as_term
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import breaches
from playproof.verifier.search.caches import Cache, IdentityKey
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines import find_endings_meeting_target
from playproof.verifier.search.work import PLAIN, spend_work

_RUN = 20_260_103
_NARROW, _WIDEST = 24, 6_000
ALIKE = -1  # in place of a seat: all stay alike
_SHAKES = (0, 32, 12)  # the largest random addition to a state's worth, in turn
ActionPath = tuple["ActionPath | None", int]
BeamEntry = tuple[int, list[int], "ActionPath | None"]  # worth, state, the actions that led there


_RUNS: Cache[tuple[IdentityKey, IdentityKey], int] = Cache()
"""The number of beams so far, by target condition and number."""


def search_line_by_helpful_games(
    case: GameCase,
    target: Target,
    budget: Budget,
    *,
    number: Term | None = None,
    below_value: int | None = None,
    enough_value: int | None = None,
) -> list[int] | None:
    """Return a line to an ending of the target at which `number` (default: the round) is less than
    `below`.

    If `enough` is None, it stops with the first line found. Otherwise it looks for better ones
    until the number is down to `enough` or the budget is used up. Returns None if the game declares
    no evaluation, or if no line was found.
    """
    if "evaluate" not in case.game.facts or find_endings_meeting_target(case, target) is None:
        return None
    term, best = _get_layer_term(case) if number is None else number, None
    # a second search goes on with wider beams
    runs, key = (_RUNS.get_entries(case), (IdentityKey(target.condition), IdentityKey(term)))
    run = runs.get(key, 0)
    below_value = term.hi + 1 if below_value is None else below_value
    while budget.left > 0:
        aims = case.game.players + (case.game.players > 1)
        seat, turn = run % aims, run // aims
        width = _NARROW * 2 ** (turn // len(_SHAKES))
        if width > _WIDEST:
            break
        aim = seat if seat < case.game.players else ALIKE
        beam = BeamSearch(case, target.condition, term, aim, width, _SHAKES[turn % len(_SHAKES)], run, budget)
        hit = beam.search_wanted_end(below_value)
        run += 1
        runs[key] = run
        budget.report_progress(f"{run} beams of games in which all have one aim, the last {width} wide")
        if hit is not None:
            below_value, best = hit
        if best is not None and (enough_value is None or below_value <= enough_value):
            break
    return best


def _get_layer_term(case: GameCase) -> Term:
    name = case.game.facts.get("round")
    return case.game.quantities[name] if name else as_term(0)


@dataclass(slots=True)
class BeamSearch:
    """One run: it keeps `width` states, and adds at most `shake` at random to a state's worth to
    `seat` (or ALIKE)."""

    case: GameCase
    wanted: Term
    number: Term
    seat: int
    width: int
    shake: int
    run: int
    budget: Budget
    waiting: dict[int, list[BeamEntry]] = field(default_factory=dict)
    met: set[int] = field(default_factory=set)
    random: Callable[[int], int] = field(init=False)

    def search_wanted_end(self, below_value: int) -> tuple[int, list[int]] | None:
        """Return the number at the first wanted end found and the line to it, or None if no end has
        a number below the limit."""
        self.random = Stream(make_game_seed(_RUN, self.run)).below
        first = list(self.case.first)
        self.waiting[self._compute_layer_number(first)] = [(0, first, None)]
        while self.waiting and (now := min(self.waiting)) < below_value:
            front = self._keep_best_entries(self.waiting.pop(now))
            while front and self.budget.left > 0:
                fresh: list[BeamEntry] = []
                for _, state, path in front:
                    end = self._expand_state(state, path, now, fresh)
                    if end is not None and self._compute_layer_number(end[1]) < below_value:
                        return self._compute_layer_number(end[1]), _path_to_line(end[2])
                front = self._keep_best_entries(fresh)
            if self.budget.left <= 0:
                return None
        return None

    def _expand_state(
        self, state: list[int], path: ActionPath | None, now: int, next_entries: list[BeamEntry]
    ) -> BeamEntry | None:
        """Add the state after each legal action to `fresh`, or to `waiting` if the number has
        risen. Return the first wanted end instead, if there is one."""
        module, idents = self.case.plain.module, self._list_legal_actions(state)
        spend_work(PLAIN * (1 + 2 * len(idents)))
        for ident in idents:
            after = state.copy()
            try:
                module.apply(after, ident)
            except RulesError as error:
                breaches.record_rule_breaking_line(self.case, [*_path_to_line(path), ident], error)
                continue
            key = hash(tuple(after))  # two states with one hash: the second is lost, which a beam may do
            if key in self.met:
                continue
            self.met.add(key)
            if after[1]:
                if self.case.play.value(self.wanted, after):
                    return 0, after, (path, ident)
                continue
            worth = self._evaluate_state(after)
            if self.shake:
                worth += self.random(self.shake)
            value = self._compute_layer_number(after)
            entries = next_entries if value <= now else self.waiting.setdefault(value, [])
            entries.append((worth, after, (path, ident)))
        return None

    def _evaluate_state(self, state: list[int]) -> int:
        worth_of = self.case.plain.module.worth_of
        if self.seat != ALIKE:
            return int(worth_of(state, self.seat))
        worths = [worth_of(state, seat) for seat in range(self.case.game.players)]
        return int(min(worths) - max(worths))

    def _list_legal_actions(self, state: list[int]) -> list[int]:
        module = self.case.plain.module
        out, weights = [0] * module.WIDTH, [0] * module.WIDTH
        return out[: module.legal(state, out, weights)]

    def _compute_layer_number(self, state: list[int]) -> int:
        return self.case.play.value(self.number, state)

    def _keep_best_entries(self, entries: list[BeamEntry]) -> list[BeamEntry]:
        entries.sort(key=lambda entry: -entry[0])
        return entries[: self.width]


def _path_to_line(path: ActionPath | None) -> list[int]:
    idents: list[int] = []
    while path is not None:
        path, ident = path
        idents.append(ident)
    return idents[::-1]
