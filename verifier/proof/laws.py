"""Answers to `step`: a law about decisions. Games that break it are looked for, one by one and by thousands
in machine code; Z3 or a sweep of all states shows that every step keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, RulesError, Term
from playproof.language.compiled import Compiled
from playproof.language.expr import Const, conjunction, disjunction, logical_and, logical_not
from playproof.language.game import Game
from playproof.language.python_source import find_plain_conditions
from playproof.language.random import make_game_seed
from playproof.language.statements import substitute_locals
from playproof.language.watched_source import EXTRA, get_flaw_ending_number
from playproof.verifier.kernel.exploration import Exploration
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.laws import (
    does_decision_break_law,
    does_start_break_law,
    is_wanted_decision_refused,
)
from playproof.verifier.kernel.statements import Law as Claimed
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.always import list_conditions_of_claim_and_given
from playproof.verifier.proof.certificate_offers import build_transcript, submit_certificates_to_kernel
from playproof.verifier.questions.claims import Question, Target
from playproof.verifier.questions.laws import Law, read_step_law
from playproof.verifier.questions.ledger import expand_law_family, is_law_family
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import best_first
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, spend_work
from playproof.verifier.search.guided_games import SEEING, GreedyPlayer, play_greedy_game
from playproof.verifier.search.lines_of_play import LONGEST, GameInProgress, PlayedLine, Player
from playproof.verifier.search.random_games import CuriousPlayer, RandomPlayer, play_random_game

# Answers to `step`: a law about decisions. A game that is found breaks it, or Z3 or a sweep of all states
# shows that every step keeps it. Where Z3 finds a step that breaks the law, it may start from a state that
# no game reaches; so games are watched for one that does, before the claim is left open.

_GAMES, _SEEN_RUN = 40, 20_260_202
_MORE_GAMES = 1_000  # of each kind of player, once Z3 has found a step that may break the law
_SHARE = 0.1  # of the budget: for a first proof, and for games that may break it
States = npt.NDArray[np.int64]


def answer_step_law_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether every small step obeys the law, or all laws of a family."""
    return (
        _answer_law_family(case, question, budget)
        if is_law_family(question.of)
        else _answer_one_law(case, question, budget)
    )


def _answer_law_family(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether the laws of a family are obeyed: shown together if Z3 can, else each by itself."""
    each = expand_law_family(case.game, question.of, question.where)
    if not each:
        return Conclusion(True, "cards", vacuous=True)
    together = Invariant(Claimed([to_json(spec) for _, spec in each]), _build_condition_lemma(question))
    alone = dict[int, Conclusion]()  # by place: several laws of a list may have one name
    if case.explore_if_small(budget) is None:
        if _is_certificate_accepted(case, together, budget):
            return Conclusion(True, "step by step", ((together,),), bound={"members": len(each)})
        part = min(_SHARE, 1 / len(each))  # one that holds takes little; what is left is for the others
        for place, (_, spec) in enumerate(each):
            certificate = Invariant(Claimed(to_json(spec)), _build_condition_lemma(question))
            if _is_certificate_accepted(case, certificate, budget.take_share(part)):
                alone[place] = Conclusion(True, "step by step", ((certificate,),))
    for place, (name, spec) in enumerate(each):
        if place in alone:
            continue
        answer = _answer_one_law(
            case, replace(question, of=spec), budget.take_share(1 / (len(each) - len(alone)))
        )
        if answer.value is False:
            return replace(answer, bound={"breaks": name})
        alone[place] = answer
    answers = [alone[place] for place in range(len(each))]
    offers = tuple(offer for answer in answers for offer in answer.offers)
    open_members = [name for (name, _), answer in zip(each, answers, strict=True) if answer.value is None]
    if open_members:
        return Conclusion(None, "step by step", offers, f"open: {', '.join(open_members[:6])}")
    return Conclusion(True, answers[0].method, offers, bound={"members": len(each)})


def _build_condition_lemma(question: Question) -> tuple[Lemma, ...]:
    texts = tuple(list_conditions_of_claim_and_given(question))
    return (Lemma(texts, True, ()),) if texts else ()


def _answer_one_law(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    rule, about = read_step_law(case.game, question.of, question.where), Claimed(to_json(question.of))
    if does_start_break_law(case.play, rule):
        return _conclude_law_broken(case, about, (), "the start")
    seen, certificate = case.explore_if_small(budget), Invariant(about, _build_condition_lemma(question))
    # A proof is far cheaper than games, where the law is true.
    if seen is None and _is_certificate_accepted(case, certificate, budget.take_share(_SHARE)):
        return Conclusion(True, "step by step", ((certificate,),))
    for line in _iter_random_lines(case, budget.take_share(_SHARE)):
        place = find_first_law_breach(case.play, rule, line.states, line.idents, budget)
        if place is not None:
            return _conclude_law_broken(case, about, tuple(line.idents[:place]), "games at random")
    if seen is not None:
        return Conclusion(True, "exploration", ((Exploration(about, seen.states),),))
    if not _is_certificate_accepted(case, certificate, budget):
        # What Z3 finds may be a state that no game reaches, so a game is looked for.
        idents = find_law_breaking_line(
            case, rule, budget.take_share(1 / 4), _MORE_GAMES
        ) or find_law_breach_in_batches(case, rule, budget.take_share(1 / 2))
        if idents is not None:
            return _conclude_law_broken(case, about, idents, "games watched")
        idents = search_law_breaking_line(case, rule, budget.take_share(1 / 2))
        if idents is not None:
            return _conclude_law_broken(case, about, idents, "best-first search")
    return Conclusion(True, "step by step", ((certificate,),))


def _is_certificate_accepted(case: GameCase, certificate: Invariant, budget: Budget) -> bool:
    """Return whether the kernel accepts a certificate."""
    ((place, _),) = submit_certificates_to_kernel(case, [[certificate]], budget)
    return place is not None


def _conclude_law_broken(
    case: GameCase, statement: Claimed, idents: tuple[int, ...], method: str
) -> Conclusion:
    return Conclusion(False, method, ((build_transcript(case, statement, idents),),))


def find_first_law_breach(
    play: Interpreter, rule: Law, states: States, idents: Sequence[int], budget: Budget
) -> int | None:
    """Return the number of actions after which a line breaks the law. Return None if the line keeps
    the law or the budget runs out."""
    for number, ident in enumerate(idents):
        if budget.left <= 0:
            return None
        before = [int(cell) for cell in states[:, number]]
        if is_wanted_decision_refused(play, rule, before):
            return number
        if (rule.phase is not None or ident in rule.idents) and does_decision_break_law(
            play, rule, before, ident
        ):
            return number + 1
    return None


def _iter_random_lines(case: GameCase, budget: Budget) -> Iterator[PlayedLine]:
    for game in range(_GAMES):
        if budget.left <= 0:
            return
        yield play_random_game(case, _SEEN_RUN, game)


# -- law breakers --------------------------------------------------------------------------------------------
# Lines of play that break a law of steps: games in which every decision that the law speaks of is tried.

_SEARCH_RUN = 20_260_203
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
    curious, eager = (
        CuriousPlayer(make_game_seed(_SEARCH_RUN, 0)),
        CuriousPlayer(make_game_seed(_SEARCH_RUN, 1)),
    )
    eager.wanted = rule.idents
    for game in range(games):
        yield RandomPlayer(make_game_seed(_SEARCH_RUN, game))
        yield curious
        if rule.idents:
            yield eager
        if "evaluate" in case.game.facts and game % 10 == 0:  # they look at every action, which takes long
            yield GreedyPlayer(make_game_seed(_SEARCH_RUN, game))


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


# -- watched laws --------------------------------------------------------------------------------------------
# Lines of play that break a law of steps, from thousands of games in machine code.

_BATCH_RUN = 20_260_203
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
                _BATCH, _BATCH_RUN, first=first, policies=[kind.policy] * seats, longest=LONGEST
            )
            spend_work(case.step_cost * kind.looks * int(batch.decisions.sum()))
            for number in np.flatnonzero(batch.endings == get_flaw_ending_number(game))[:_REPLAYED]:
                line = kind.again(playing, _BATCH_RUN, first + int(number)).idents
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
