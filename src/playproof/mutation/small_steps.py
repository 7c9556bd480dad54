"""Laws asked of all small steps of some games at once: which decisions and automatic phases break one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.expr import Term
from playproof.language.game import Game
from playproof.language.vector import evaluate_term
from playproof.mutation.plays import BY_ITSELF, PlayedGame
from playproof.verifier.questions.laws import Law

ColumnArray = npt.NDArray[Any]


class SmallStepTable:
    """The small steps of games. The kernel decides what breaks a law (`kernel/laws.py`); here whole games are
    searched for steps that it should be asked about."""

    def __init__(self, game: Game, batch: Sequence[PlayedGame]) -> None:
        self.game, self.batch = game, batch
        counts = [len(played.steps) for played in batch]
        self.cells = np.array([m for played in batch for m in played.moments], dtype=np.int64).T
        self.steps = np.array([s for played in batch for s in played.steps], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(batch)), counts)
        # A game has one moment more than steps, so each game behind the first moves its columns by one.
        self.before = np.arange(len(self.steps)) + self.owner

    @cached_property
    def _phase_of_automatic_steps(self) -> ColumnArray:
        return np.where(self.steps == BY_ITSELF, self.cells[0, self.before], -1)

    @cached_property
    def _steps_by_action(self) -> dict[int, ColumnArray]:
        """The steps by each ground action."""
        order = np.argsort(self.steps, kind="stable")
        idents, starts = np.unique(self.steps[order], return_index=True)
        parts = np.split(order, starts[1:]) if idents.size else []  # games of no step, too, make one part
        return dict(zip(map(int, idents), parts, strict=True))

    def find_lines_breaking_law(self, rule: Law) -> list[list[int]]:
        """Return lines of play whose last step may break a law, or the automatic phases behind it."""
        wrong = [self.before[:0]]
        if rule.phase is not None:
            wrong.append(
                self._select_steps_breaking_law(
                    rule, np.flatnonzero(self._phase_of_automatic_steps == rule.phase), {}
                )
            )
        for action in self.game.actions:
            taken = [i for i in action.idents if i in self._steps_by_action]
            idents = [i for i in taken if i in rule.idents]
            if idents:
                counts = [len(self._steps_by_action[i]) for i in idents]
                values = np.repeat(
                    np.array([action.get_parameter_values(i) for i in idents], dtype=np.int64), counts, axis=0
                )
                params = {p.local.number: values[:, n] for n, p in enumerate(action.params)}
                wrong.append(
                    self._select_steps_breaking_law(
                        rule, np.concatenate([self._steps_by_action[i] for i in idents]), params
                    )
                )
        return [self._actions_up_to_step(int(step)) for step in np.concatenate(wrong)]

    def _select_steps_breaking_law(
        self, rule: Law, places: ColumnArray, params: dict[int, ColumnArray]
    ) -> ColumnArray:
        """Return those of the steps that break the law. Terms are asked only of states in which `when` holds: in
        others they may be about a place that is not there."""
        limited = np.flatnonzero(self._evaluate_at(rule.when, self.before[places], params) != 0)
        places, params = places[limited], {n: column[limited] for n, column in params.items()}
        if not places.size:
            return places
        before = self.before[places]
        after = before + 1
        later = {**params, **{n.number: self._evaluate_at(term, before, params) for n, term in rule.before}}
        obeyed = self._evaluate_at(rule.needs, before, params) != 0
        obeyed &= self._evaluate_at(rule.leads, after, later) != 0
        for change in rule.changes:
            grown = self._evaluate_at(change.number, after, later) - self._evaluate_at(
                change.number, before, later
            )
            obeyed &= grown == self._evaluate_at(change.amount, before, params)
        if rule.only is not None:
            changed = self.cells[:, before] != self.cells[:, after]
            for place in rule.only.places:
                changed[self._evaluate_at(place, before, params), np.arange(places.size)] = False
            obeyed &= ~changed[rule.only.list_unchanged_cells(self.game)].any(axis=0)
        broken: ColumnArray = places[~obeyed]
        return broken

    def _evaluate_at(self, term: Term, columns: ColumnArray, params: dict[int, ColumnArray]) -> ColumnArray:
        """Return a term's value in each of these moments."""
        values: ColumnArray = evaluate_term(term, self.cells[:, columns], dict(params))
        return values

    def _actions_up_to_step(self, step: int) -> list[int]:
        """Return the actions of a game up to a step."""
        owner = int(self.owner[step])
        first = int(np.searchsorted(self.owner, owner))
        taken = int(np.count_nonzero(self.steps[first : step + 1] >= 0))
        return self.batch[owner].idents[:taken]
