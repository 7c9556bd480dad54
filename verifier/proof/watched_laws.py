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
from playproof.language.expr import Const, conjunction, disjunction, logical_and, logical_not
from playproof.language.game import Game
from playproof.language.python_source import find_plain_conditions
from playproof.language.walks import substitute_locals
from playproof.language.watched_source import EXTRA, get_flaw_ending_number
from playproof.verifier.kernel.laws import does_decision_break_law
from playproof.verifier.proof.law_breakers import find_law_breach_in_state
from playproof.verifier.questions.laws import Law
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.greedy_games import SEEING, play_greedy_game
from playproof.verifier.search.lines import LONGEST, PlayedLine
from playproof.verifier.search.random_games import play_random_game
from playproof.verifier.search.work import spend_work

_RUN = 20_260_203
_BATCH, _MOST_BATCHES = 1_000, 20
_REPLAYED = 5  # games of a batch that are played again
_MOST_DECISIONS = 100  # ground actions of a law that are watched


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player: its `policy` in machine code, how many steps it looks at for each that it takes, and what plays
    one game of a run `again`."""

    policy: int
    looks: int
    again: Callable[[GameCase, int, int], PlayedLine]


_AT_RANDOM, _GREEDY = PlayerKind(0, 1, play_random_game), PlayerKind(SEEING, 10, play_greedy_game)


def find_law_breach_in_batches(case: GameCase, rule: Law, budget: Budget) -> tuple[int, ...] | None:
    """Return a line that breaks a law, with what breaks it as its last action, or behind which no decision is legal
    that the law wants; None if no game shows one."""
    wrong = (
        _build_end_violation_condition(case.game, rule)
        if rule.phase is not None
        else _build_decision_violation_condition(case.game, rule)
    )
    if wrong is None or not case.machine:
        return None
    game = copy(case.game)
    game.facts = {**case.game.facts, "invariants": {"law": logical_not(wrong)}}
    watched, playing, seats = Compiled(game, watched=True), _make_plain_python_case(case, game), game.players
    players = [_AT_RANDOM, _GREEDY] if "evaluate" in game.facts else [_AT_RANDOM]
    for first in range(0, _MOST_BATCHES * _BATCH, _BATCH):
        for kind in players:
            if budget.left <= 0:
                return None
            batch = watched.run_playouts(
                _BATCH, _RUN, first=first, policies=[kind.policy] * seats, longest=LONGEST
            )
            spend_work(case.step_cost * kind.looks * int(batch.decisions.sum()))
            for number in np.flatnonzero(batch.endings == get_flaw_ending_number(game))[:_REPLAYED]:
                line = kind.again(playing, _RUN, first + int(number)).idents
                broken = _extend_line_to_law_breach(case, rule, line)
                if broken is not None:
                    return broken
        budget.report_progress(f"{first + _BATCH:,} games watched in machine code")
    return None


def _build_end_violation_condition(game: Game, rule: Law) -> Term | None:
    """Return the condition that the game is over and a law about what an automatic phase leads to failed last."""
    if not rule.leads.reads or rule.leads.locals:
        return None
    return logical_and(game.state.outcome != 0, logical_not(rule.leads))


def _build_decision_violation_condition(game: Game, rule: Law) -> Term | None:
    """Return the condition that a decision is legal of which the law says that it is not or needs what fails, or one is
    refused that the law wants; None if the state does not show it."""
    if not rule.idents or len(rule.idents) > _MOST_DECISIONS:
        return None
    ways: list[Term] = []
    for ident in sorted(rule.idents):
        action = game.get_action_of_ident(ident)
        required = find_plain_conditions(action.body)
        if required is None:
            return None
        values = {
            number: Const(value)
            for number, value in action.bind_parameters(action.get_parameter_values(ident)).items()
        }
        legal = conjunction(substitute_locals(term, values) for term in required)
        due = disjunction(game.state.phase == number for number in action.phases)
        spoken_of = logical_and(due, substitute_locals(rule.when, values))
        wrong = logical_and(legal, logical_not(substitute_locals(rule.needs, values)))
        if rule.legal is not None:
            wrong = disjunction([wrong, substitute_locals(rule.legal, values) != legal])
        ways.append(logical_and(spoken_of, wrong))
    wrong = logical_and(game.state.outcome == 0, disjunction(ways))
    return None if isinstance(wrong, Const) else wrong


def _make_plain_python_case(case: GameCase, game: Game) -> GameCase:
    """Return a case that plays a watched game in plain Python, as its machine code does."""
    watched = copy(case)
    watched.game, watched.caches = game, {}
    watched.plain = Compiled(game, machine=False, watched=True)
    watched.first = (*case.first, *[0] * EXTRA)
    return watched


def _extend_line_to_law_breach(case: GameCase, rule: Law, line: Sequence[int]) -> tuple[int, ...] | None:
    """Return a line up to what breaks the law at its end: its last action, that a decision is refused behind it, or one
    that is legal there; None if nothing does."""
    play, before, state = case.play, case.play.start(), case.play.start()
    try:
        for ident in line:
            before, state = state, play.apply(state, ident)
        if line and does_decision_break_law(play, rule, before, line[-1]):
            return tuple(line)
        broken = find_law_breach_in_state(play, rule, state, play.legal(state))
    except RulesError:  # a line that the rules cannot carry out is another claim's
        return None
    return None if broken is None else (*line, *broken)
