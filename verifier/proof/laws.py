"""Answers to `step`: a law of decisions, broken by a game that is found, or shown by Z3, or in all states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from playproof.rules.language import Game
from playproof.rules.language.vector import evaluate
from playproof.verifier.kernel.induction import Layer
from playproof.verifier.kernel.laws import LawBroken, LawInStates, LawKept
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.always import stated
from playproof.verifier.proof.evidence import Part
from playproof.verifier.proof.reach import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.laws import Law, law
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import Line
from playproof.verifier.search.random_games import played

_GAMES, _RUN = 300, 20_260_202
_SHARE = 0.2  # of the time, for games that may break it
States = npt.NDArray[np.int64]


def obeyed(case: Case, question: Question, budget: Budget) -> Found:
    """Whether every decision obeys the law."""
    rule = law(case.game, question.of, question.where)
    for line in _lines(case, budget.share(_SHARE)):
        places = broken_by(case.game, rule, line.states, line.idents)
        if len(places):
            idents = tuple(line.idents[: int(places[0]) + 1])
            words = tuple(case.game.show(i) for i in idents)
            broken = LawBroken(plain(question.of), idents, words)
            return Found(False, "games at random", (_part(broken.to_json()),))
    seen = case.small(budget)
    if seen is not None:
        return Found(True, "exploration", (_part(LawInStates(plain(question.of), seen.states).to_json()),))
    texts = tuple(stated(question))
    layers = (Layer(texts, True, ()),) if texts else ()
    parts = tuple(_part(LawKept(plain(question.of), layers, integers).to_json()) for integers in (True,))
    return Found(True, "step by step", parts, why(case, budget) if budget.stopped else "",
                 bound_reached(case) if budget.stopped else {})


def _part(data: object) -> Part:
    assert isinstance(data, dict)
    return data


def _lines(case: Case, budget: Budget) -> Iterator[Line]:
    for game in range(_GAMES):
        if budget.left <= 0:
            return
        yield played(case, _RUN, game)


def broken_by(game: Game, rule: Law, states: States, idents: Sequence[int],
              steps: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
    """Positions of the decisions that break a law of decisions. `states` are columns, `idents` the decisions between
    neighbours; with `steps` only at these positions a decision leads from a column to the next."""
    if rule.possible is not None or not len(idents):
        return np.zeros(0, dtype=np.int64)
    taken = np.asarray(idents, dtype=np.int64)
    at = np.arange(len(taken)) if steps is None else steps
    if rule.idents is not None:
        at = at[np.isin(taken[at], np.fromiter(rule.idents, dtype=np.int64))]
    found = list(_by_action(game, rule, states, taken, at))
    return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


def _by_action(game: Game, rule: Law, states: States, taken: States, at: States) -> Iterator[States]:
    """The same for each action by itself, whose parameters the law may name."""
    for action in game.actions:
        mine = at[(taken[at] >= action.first) & (taken[at] < action.first + action.count)]
        if not len(mine):
            continue
        values = np.array([action.values(int(i)) for i in taken[mine]], dtype=np.int64).reshape(len(mine), -1)
        env = {p.local.number: values[:, n] for n, p in enumerate(action.params)}
        before, after = states[:, mine], states[:, mine + 1]
        fine = evaluate(rule.needs, before, dict(env)) != 0
        fine &= evaluate(rule.leads, after, dict(env)) != 0
        for change in rule.changes:
            gained = evaluate(change.number, after) - evaluate(change.number, before)
            fine &= gained == evaluate(change.amount, before, dict(env))
        yield mine[(evaluate(rule.when, before, dict(env)) != 0) & ~fine]


__all__ = ["broken_by", "obeyed"]
