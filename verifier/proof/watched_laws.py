"""Lines of play that break a law of steps, from thousands of games in machine code.

A game ends there as soon as its state says that a decision of the law is refused or legal against it, or where it ends
otherwise than an automatic phase should. The few that end so are played again, and the law itself is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from playproof.language import RulesError, Term
from playproof.language.compiled import Compiled
from playproof.language.expr import Const, both, conjunction, disjunction, negate
from playproof.language.game import Game
from playproof.language.python_source import plain_conditions
from playproof.language.walks import substitute
from playproof.language.watched_source import EXTRA, broken_ending
from playproof.verifier.kernel.laws import breaks
from playproof.verifier.proof.law_breakers import broken_here
from playproof.verifier.questions.laws import Law
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.greedy_games import SEEING, greedy_game
from playproof.verifier.search.lines import LONGEST, Line
from playproof.verifier.search.random_games import played
from playproof.verifier.search.work import spend

_RUN = 20_260_203
_BATCH, _MOST_BATCHES = 1_000, 20
_REPLAYED = 5  # games of a batch that are played again
_MOST_DECISIONS = 100  # ground actions of a law that are watched


@dataclass(frozen=True)
class Kind:
    """A kind of player: its `policy` in machine code, how many steps it looks at for each that it takes, and what plays
    one game of a run `again`."""

    policy: int
    looks: int
    again: Callable[[Case, int, int], Line]


_AT_RANDOM, _GREEDY = Kind(0, 1, played), Kind(SEEING, 10, greedy_game)


def broken_in_batches(case: Case, rule: Law, budget: Budget) -> tuple[int, ...] | None:
    """Return a line that breaks a law, with what breaks it as its last action, or behind which no decision is legal
    that the law wants; None if no game shows one."""
    wrong = _at_the_end(case.game, rule) if rule.phase is not None else _at_a_decision(case.game, rule)
    if wrong is None or not case.machine:
        return None
    game = copy(case.game)
    game.facts = {**case.game.facts, "invariants": {"law": negate(wrong)}}
    watched, playing, seats = Compiled(game, watched=True), _playing(case, game), game.players
    players = [_AT_RANDOM, _GREEDY] if "evaluate" in game.facts else [_AT_RANDOM]
    for first in range(0, _MOST_BATCHES * _BATCH, _BATCH):
        for kind in players:
            if budget.left <= 0:
                return None
            batch = watched.playouts(
                _BATCH, _RUN, first=first, policies=[kind.policy] * seats, longest=LONGEST
            )
            spend(case.step * kind.looks * int(batch.decisions.sum()))
            for number in np.flatnonzero(batch.endings == broken_ending(game))[:_REPLAYED]:
                line = kind.again(playing, _RUN, first + int(number)).idents
                broken = _broken_at_last(case, rule, line)
                if broken is not None:
                    return broken
        budget.say(f"{first + _BATCH:,} games watched in machine code")
    return None


def _at_the_end(game: Game, rule: Law) -> Term | None:
    """Return the condition that the game is over and a law about what an automatic phase leads to failed last."""
    if not rule.leads.reads or rule.leads.locals:
        return None
    return both(game.state.outcome != 0, negate(rule.leads))


def _at_a_decision(game: Game, rule: Law) -> Term | None:
    """Return the condition that a decision is legal of which the law says that it is not or needs what fails, or one is
    refused that the law wants; None if the state does not show it."""
    if not rule.idents or len(rule.idents) > _MOST_DECISIONS:
        return None
    ways: list[Term] = []
    for ident in sorted(rule.idents):
        action = game.action_of(ident)
        required = plain_conditions(action.body)
        if required is None:
            return None
        values = {number: Const(value) for number, value in action.bound(action.values(ident)).items()}
        legal = conjunction(substitute(term, values) for term in required)
        due = disjunction(game.state.phase == number for number in action.phases)
        spoken_of = both(due, substitute(rule.when, values))
        wrong = both(legal, negate(substitute(rule.needs, values)))
        if rule.legal is not None:
            wrong = disjunction([wrong, substitute(rule.legal, values) != legal])
        ways.append(both(spoken_of, wrong))
    wrong = both(game.state.outcome == 0, disjunction(ways))
    return None if isinstance(wrong, Const) else wrong


def _playing(case: Case, game: Game) -> Case:
    """Return a case that plays a watched game in plain Python, as its machine code does."""
    watched = copy(case)
    watched.game, watched.caches = game, {}
    watched.plain = Compiled(game, machine=False, watched=True)
    watched.first = (*case.first, *[0] * EXTRA)
    return watched


def _broken_at_last(case: Case, rule: Law, line: Sequence[int]) -> tuple[int, ...] | None:
    """Return a line up to what breaks the law at its end: its last action, that a decision is refused behind it, or one
    that is legal there; None if nothing does."""
    play, before, state = case.play, case.play.start(), case.play.start()
    try:
        for ident in line:
            before, state = state, play.apply(state, ident)
        if line and breaks(play, rule, before, line[-1]):
            return tuple(line)
        broken = broken_here(play, rule, state, play.legal(state))
    except RulesError:  # a line that the rules cannot carry out is another claim's
        return None
    return None if broken is None else (*line, *broken)
