"""Lines of play that break a law of steps: games in which every decision that the law speaks of is tried.

A game takes one of its legal actions; a law is often broken by another one that stands beside it. So at
each moment of each game all legal decisions of the law are looked at, whether they are taken or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.language import Interpreter, RulesError, Term
from playproof.language.expr import Const, logical_and, logical_not
from playproof.language.random import make_game_seed
from playproof.verifier.kernel.laws import does_decision_break_law, is_wanted_decision_refused
from playproof.verifier.questions.laws import Law
from playproof.verifier.questions.targets import Target
from playproof.verifier.search import best_first
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.curious_games import CuriousPlayer
from playproof.verifier.search.greedy_games import GreedyPlayer
from playproof.verifier.search.lines import LONGEST, GameInProgress, Player
from playproof.verifier.search.random_games import RandomPlayer
from playproof.verifier.search.work import INTERPRETED, spend_work

_RUN = 20_260_203
_ASKED = INTERPRETED / 20  # to ask a condition of a law
_MOST_TAKEN = 400_000  # actions in all games: some games go on and on


def find_law_breaking_line(
    case: GameCase, rule: Law, budget: Budget, max_rounds: int
) -> tuple[int, ...] | None:
    """Return actions from the start, the last of which breaks the law, or behind which no decision is
    legal that the law wants; None if no game of at most `games` rounds of players shows one."""
    taken = 0
    for number, player in enumerate(_iter_players(case, rule, max_rounds)):
        if budget.left <= 0 or taken > _MOST_TAKEN:
            return None
        play = GameInProgress(case)
        line = _play_game_watching_law(play, rule, player, budget)
        if line is not None:
            return line
        taken += len(play.taken)
        if number % 50 == 0:
            budget.report_progress(f"{number} games watched for a step that breaks the law")
    return None


def search_law_breaking_line(case: GameCase, rule: Law, budget: Budget) -> tuple[int, ...] | None:
    """Return a line that breaks a law, found by going to states in which a decision would break what the law needs, or
    behind which what it leads to fails; None if there is none. It is for games without chance."""
    if any(phase.chance for phase in case.game.phases):
        return None
    targets = [
        Target("", None, logical_and(rule.when, logical_not(rule.needs)), rule.idents),
        Target("", None, logical_not(rule.leads)),
    ]
    for target in targets:
        if isinstance(target.condition, Const) or target.condition.locals:
            continue
        line = best_first.search_line_best_first(case, target, budget.take_share(1 / 2))
        if line and _is_law_broken_by_last_decision(case, rule, line):
            return tuple(line)
    return None


def _is_law_broken_by_last_decision(case: GameCase, rule: Law, line: Sequence[int]) -> bool:
    """Return whether the last decision of a line breaks a law."""
    play, state = case.play, case.play.start()
    spend_work(INTERPRETED * len(line))
    for ident in line[:-1]:
        state = play.apply(state, ident)
    return does_decision_break_law(play, rule, state, line[-1])


def _iter_players(case: GameCase, rule: Law, games: int) -> Iterator[Player]:
    """Yield players in turn: one drawn at random, a curious one, and one that looks at the evaluation."""
    curious, eager = CuriousPlayer(make_game_seed(_RUN, 0)), CuriousPlayer(make_game_seed(_RUN, 1))
    eager.wanted = rule.idents
    for game in range(games):
        yield RandomPlayer(make_game_seed(_RUN, game))
        yield curious
        if rule.idents:
            yield eager
        if "evaluate" in case.game.facts and game % 10 == 0:  # they look at every action, which takes long
            yield GreedyPlayer(make_game_seed(_RUN, game))


def _play_game_watching_law(
    play: GameInProgress, rule: Law, player: Player, budget: Budget
) -> tuple[int, ...] | None:
    """Play one game to its end. Return the line that breaks the law, or None."""
    while len(play.taken) < LONGEST and budget.left > 0 and play.find_legal_actions():
        chosen = player.choose(play, play.module.actor(play.state))
        broken = find_law_breach_in_state(play.case.play, rule, list(play.state), list(play.idents), chosen)
        if broken is not None:
            return (*play.taken, *broken)
        play.take_action(chosen)
    return None


def find_law_breach_in_state(
    judge: Interpreter,
    rule: Law,
    state: Sequence[int],
    legal_idents: Sequence[int],
    chosen: int | None = None,
) -> tuple[int, ...] | None:
    """Return what breaks a law in a state where these decisions are legal: nothing more if none is legal that the law
    wants, else the first that breaks it; None if nothing does. Of what automatic phases do behind a decision it is
    asked by the one that is `chosen`, if any."""
    if _can_lack_required_decision(judge, rule, state, legal_idents) and is_wanted_decision_refused(
        judge, rule, state
    ):
        return ()
    if rule.phase is None:
        candidates = [ident for ident in legal_idents if ident in rule.idents]
    else:
        candidates = [] if chosen is None else [chosen]
    breaking = _find_first_breaking_decision(judge, rule, state, candidates)
    return None if breaking is None else (breaking,)


def _can_lack_required_decision(
    judge: Interpreter, rule: Law, state: Sequence[int], legal_idents: Sequence[int]
) -> bool:
    """Return whether no decision is legal that the law wants, as far as the compiled reading tells: it is much faster
    than the interpreter, which is asked next."""
    if rule.possible is not None:
        return rule.possible.isdisjoint(legal_idents)
    if rule.legal is None:
        return False
    refused = rule.idents.difference(legal_idents)
    spend_work(_ASKED * len(refused))
    return any(
        _is_decision_covered_by_law(judge, rule, state, ident)
        and _is_term_true_for_action(judge, rule.legal, state, ident)
        for ident in refused
    )


def _find_first_breaking_decision(
    judge: Interpreter, rule: Law, state: Sequence[int], idents: Sequence[int]
) -> int | None:
    """Return the first of these legal decisions that breaks the law, or None."""
    for ident in idents:
        if rule.phase is None and not _is_decision_covered_by_law(judge, rule, state, ident):
            continue
        spend_work(INTERPRETED)
        try:
            if does_decision_break_law(judge, rule, state, ident):
                return ident
        except RulesError:  # a line that the rules cannot carry out is another claim's
            continue
    return None


def _is_decision_covered_by_law(judge: Interpreter, rule: Law, state: Sequence[int], ident: int) -> bool:
    """Return whether the law is about this decision here: a cheap question before the step is carried out."""
    return _is_term_true_for_action(judge, rule.when, state, ident)


def _is_term_true_for_action(judge: Interpreter, term: Term, state: Sequence[int], ident: int) -> bool:
    action = judge.game.get_action_of_ident(ident)
    return bool(judge.value(term, state, dict(action.bind_parameters(action.get_parameter_values(ident)))))
