"""Lines of play that break a law of steps: games in which every decision that the law speaks of is tried.

A game takes one of its legal actions; a law is often broken by another one that stands beside it. So at
each moment of each game all legal decisions of the law are looked at, whether they are taken or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.language import Interpreter, RulesError, Term
from playproof.language.expr import Const, both, negate
from playproof.language.random import seed_of
from playproof.verifier.kernel.laws import barred, breaks
from playproof.verifier.questions.laws import Law
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import best_first
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.curious_games import Curious
from playproof.verifier.search.greedy_games import Greedy
from playproof.verifier.search.lines import LONGEST, Play, Player
from playproof.verifier.search.random_games import AtRandom
from playproof.verifier.search.work import INTERPRETED, spend

_RUN = 20_260_203
_ASKED = INTERPRETED / 20  # to ask a condition of a law
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
    while len(play.taken) < LONGEST and budget.left > 0 and play.look():
        chosen = player.choose(play, play.module.actor(play.state))
        broken = broken_here(play.case.play, rule, list(play.state), list(play.idents), chosen)
        if broken is not None:
            return (*play.taken, *broken)
        play.take(chosen)
    return None


def broken_here(
    judge: Interpreter, rule: Law, state: Sequence[int], idents: Sequence[int], chosen: int | None = None
) -> tuple[int, ...] | None:
    """Return what breaks a law in a state where these decisions are legal: nothing more if none is legal that the law
    wants, else the first that breaks it; None if nothing does. Of what automatic phases do behind a decision it is
    asked by the one that is `chosen`, if any."""
    if _may_be_barred(judge, rule, state, idents) and barred(judge, rule, state):
        return ()
    if rule.phase is None:
        candidates = [ident for ident in idents if ident in rule.idents]
    else:
        candidates = [] if chosen is None else [chosen]
    breaking = _first_breaking(judge, rule, state, candidates)
    return None if breaking is None else (breaking,)


def _may_be_barred(judge: Interpreter, rule: Law, before: Sequence[int], idents: Sequence[int]) -> bool:
    """Return whether no decision is legal that the law wants, as far as the compiled reading tells: it is much faster
    than the interpreter, which is asked next."""
    if rule.possible is not None:
        return rule.possible.isdisjoint(idents)
    if rule.legal is None:
        return False
    refused = rule.idents.difference(idents)
    spend(_ASKED * len(refused))
    return any(
        _speaks_of(judge, rule, before, ident) and _is_true(judge, rule.legal, before, ident)
        for ident in refused
    )


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
    return _is_true(judge, rule.when, before, ident)


def _is_true(judge: Interpreter, term: Term, before: Sequence[int], ident: int) -> bool:
    action = judge.game.action_of(ident)
    return bool(judge.value(term, before, dict(action.bound(action.values(ident)))))
