"""Lines of play that break a law of steps: games in which every decision that the law speaks of is tried.

A game takes one of its legal actions; a law is often broken by another one that stands beside it. So at
each moment of each game all legal decisions of the law are looked at, whether they are taken or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.rules.language import Interpreter, RulesError
from playproof.rules.language.random import seed_of
from playproof.verifier.kernel.laws import barred, breaks
from playproof.verifier.questions.laws import Law
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.curious_games import Curious
from playproof.verifier.search.greedy_games import Greedy
from playproof.verifier.search.lines import LONGEST, Play, Player
from playproof.verifier.search.random_games import AtRandom
from playproof.verifier.search.work import INTERPRETED, spend

_RUN = 20_260_203
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
        tried = [i for i in idents if i in rule.idents] if rule.phase is None else [chosen]
        broken = _broken_by_one(judge, rule, before, tried)
        if broken is not None:
            return (*play.taken, broken)
        play.take(chosen)
    return None


def _broken_by_one(judge: Interpreter, rule: Law, before: Sequence[int], tried: Sequence[int]) -> int | None:
    """Return the first of these legal decisions that breaks the law, or None."""
    for ident in tried:
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
    env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
    return bool(judge.value(rule.when, before, env))


__all__ = ["broken_line"]
