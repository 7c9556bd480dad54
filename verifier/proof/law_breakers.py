"""Lines of play that break a law of steps: games in which every decision that the law speaks of is tried.

A game takes one of its legal actions; a law is often broken by another one that stands beside it. So at
each moment of each game all legal decisions of the law are looked at, whether they are taken or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

import numpy as np

from playproof.language import Interpreter, RulesError
from playproof.language.compiled import Compiled
from playproof.language.expr import Const, both, negate
from playproof.language.random import seed_of
from playproof.language.watched_source import broken_ending
from playproof.verifier.kernel.laws import barred, breaks
from playproof.verifier.questions.laws import Law
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import best_first
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.curious_games import Curious
from playproof.verifier.search.greedy_games import Greedy, greedy_game
from playproof.verifier.search.lines import LONGEST, Play, Player
from playproof.verifier.search.random_games import AtRandom, played
from playproof.verifier.search.work import INTERPRETED, spend

_RUN = 20_260_203
_BATCH, _MOST_BATCHES = 1_000, 20
_REPLAYED = 5  # games of a batch whose end is looked at again
_LOOKS = 10  # steps looked at for each that is taken: a greedy player looks at every action
_MOST_TAKEN = 400_000  # actions in all games: some games go on and on


def broken_line(case: Case, rule: Law, budget: Budget, games: int) -> tuple[int, ...] | None:
    """Return actions from the start, the last of which breaks the law, or behind which no decision is
    legal that the law wants; None if no game of at most `games` rounds of players shows one."""
    taken = 0
    for number, player in enumerate(_players(case, rule, games)):
        if budget.left <= 0 or taken > _MOST_TAKEN:
            return None
        play = Play(case)
        line = _watched(play, rule, player, budget)
        if line is not None:
            return line
        taken += len(play.taken)
        if number % 50 == 0:
            budget.say(f"{number} games watched for a step that breaks the law")
    return None


def broken_end(case: Case, rule: Law, budget: Budget) -> tuple[int, ...] | None:
    """Return a line that breaks a law about what an automatic phase leads to, and ends with that; None if
    no game shows one.

    Thousands of games in machine code are asked at their end whether `leads` holds. The few in which it does
    not are played again, and the law itself is asked of their last step.
    """
    if rule.phase is None or not rule.leads.reads or rule.leads.locals or not case.machine:
        return None
    game = copy(case.game)
    at_the_end = (game.state.outcome == 0) | (rule.leads != 0)
    game.facts = {**case.game.facts, "invariants": {"law": at_the_end}}
    watched, seats = Compiled(game, watched=True), case.game.players
    policies = [([0] * seats, played)]
    if "evaluate" in game.facts:
        policies.append(([1] * seats, greedy_game))
    for first in range(0, _MOST_BATCHES * _BATCH, _BATCH):
        for policy, again in policies:
            if budget.left <= 0:
                return None
            batch = watched.playouts(_BATCH, _RUN, first=first, policies=policy, longest=LONGEST)
            spend(case.step * _LOOKS * int(batch.decisions.sum()))
            for number in np.flatnonzero(batch.endings == broken_ending(game))[:_REPLAYED]:
                line = again(case, _RUN, first + int(number))
                before = [int(cell) for cell in line.states[:, -2]]
                if breaks(case.play, rule, before, line.idents[-1]):
                    return tuple(line.idents)
        budget.say(f"{first + _BATCH:,} games asked at their end")
    return None


def broken_by_search(case: Case, rule: Law, budget: Budget) -> tuple[int, ...] | None:
    """Return a line that breaks a law, found by going to states in which a decision would break what the law needs, or
    behind which what it leads to fails; None if there is none. It is for games without chance."""
    if any(phase.chance for phase in case.game.phases):
        return None
    targets = [
        Target("", None, both(rule.when, negate(rule.needs)), rule.idents),
        Target("", None, negate(rule.leads)),
    ]
    for target in targets:
        if isinstance(target.condition, Const) or target.condition.locals:
            continue
        line = best_first.search(case, target, budget.share(1 / 2))
        if line and _breaks_at_last(case, rule, line):
            return tuple(line)
    return None


def _breaks_at_last(case: Case, rule: Law, line: Sequence[int]) -> bool:
    """Return whether the last decision of a line breaks a law."""
    play, state = case.play, case.play.start()
    spend(INTERPRETED * len(line))
    for ident in line[:-1]:
        state = play.apply(state, ident)
    return breaks(play, rule, state, line[-1])


def _players(case: Case, rule: Law, games: int) -> Iterator[Player]:
    """Yield players in turn: one drawn at random, a curious one, and one that looks at the evaluation."""
    curious, eager = Curious(seed_of(_RUN, 0)), Curious(seed_of(_RUN, 1))
    eager.wanted = rule.idents
    for game in range(games):
        yield AtRandom(seed_of(_RUN, game))
        yield curious
        if rule.idents:
            yield eager
        if "evaluate" in case.game.facts and game % 10 == 0:  # they look at every action, which takes long
            yield Greedy(seed_of(_RUN, game))


def _watched(play: Play, rule: Law, player: Player, budget: Budget) -> tuple[int, ...] | None:
    """Play one game to its end. Return the line that breaks the law, or None."""
    judge = play.case.play
    while len(play.taken) < LONGEST and budget.left > 0 and play.look():
        before, idents = list(play.state), list(play.idents)
        if barred(judge, rule, before):
            return tuple(play.taken)
        chosen = player.choose(play, play.module.actor(play.state))
        if rule.phase is None:
            candidates = [ident for ident in idents if ident in rule.idents]
        else:  # what the automatic phases behind a decision do is asked of the one that is taken
            candidates = [chosen]
        breaking = _first_breaking(judge, rule, before, candidates)
        if breaking is not None:
            return (*play.taken, breaking)
        play.take(chosen)
    return None


def _first_breaking(
    judge: Interpreter, rule: Law, before: Sequence[int], idents: Sequence[int]
) -> int | None:
    """Return the first of these legal decisions that breaks the law, or None."""
    for ident in idents:
        if rule.phase is None and not _speaks_of(judge, rule, before, ident):
            continue
        spend(INTERPRETED)
        try:
            if breaks(judge, rule, before, ident):
                return ident
        except RulesError:  # a line that the rules cannot carry out is another claim's
            continue
    return None


def _speaks_of(judge: Interpreter, rule: Law, before: Sequence[int], ident: int) -> bool:
    """Return whether the law is about this decision here: a cheap question before the step is carried out."""
    action = judge.game.action_of(ident)
    env = action.bound(action.values(ident))
    return bool(judge.value(rule.when, before, env))
