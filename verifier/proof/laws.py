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
from playproof.language.expr import Const, make_and_term, make_conjunction_term, make_disjunction_term, make_not_term
from playproof.language.game import Game
from playproof.language.python_source import list_requirements_if_all_come_first
from playproof.language.random import make_game_seed
from playproof.language.statements import substitute_locals
from playproof.language.watched_source import EXTRA, get_flaw_ending_number
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.laws import (
    Law,
    do_automatic_phases_at_start_break_law,
    does_decision_or_phase_after_it_break_law,
    is_decision_required_by_law_illegal,
)
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.statements import LawObeyed as Claimed
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.proof.certificate_offers import (
    build_transcript_showing_statement,
    find_accepted_index_or_reason_per_list,
)
from playproof.verifier.questions.claims import Question, is_family_of_laws
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.questions.ledger import list_names_and_specs_of_laws
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import best_first
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, add_work_units_done
from playproof.verifier.search.guided_games import SEEING, GreedyPlayer, play_greedy_game_of_run
from playproof.verifier.search.lines_of_play import LONGEST, GameInProgress, PlayedLine, Player
from playproof.verifier.search.random_games import CuriousPlayer, RandomPlayer, play_random_game_of_run

# Answers to `step`: a law about decisions. A game that is found breaks it, or Z3 or a sweep of all states
# shows that every step keeps it. Where Z3 finds a step that breaks the law, it may start from a state that
# no game reaches; so games are watched for one that does, before the claim is left open.

_GAMES, _SEEN_RUN = 40, 20_260_202
_MORE_GAMES = 1_000  # of each kind of player, once Z3 has found a step that may break the law
_SHARE = 0.1  # of the budget: for a first proof, and for games that may break it
States = npt.NDArray[np.int64]
LawBreach = tuple[int, ...]
"""Actions from the start, the last of which breaks a law, or behind which no decision is legal that the law wants."""


def answer_step_law_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether every small step obeys the law, or all laws of a family."""
    return (
        _answer_family_of_step_laws(case, question, budget)
        if is_family_of_laws(question.of)
        else _answer_single_step_law(case, question, budget)
    )


def _answer_family_of_step_laws(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether the laws of a family are obeyed: shown together if Z3 can, else each by itself."""
    each = list_names_and_specs_of_laws(case.game, question.of, question.where)
    if not each:
        return Conclusion(True, "cards", vacuous=True)
    together = InvariantCertificate(
        Claimed([to_plain_json_data(spec) for _, spec in each]), _build_lemma_of_conditions_if_any(question)
    )
    alone = dict[int, Conclusion]()  # by place: several laws of a list may have one name
    if case.explore_all_states_or_none_if_many(budget) is None:
        if _does_kernel_accept_certificate(case, together, budget):
            return Conclusion(True, "step by step", ((together,),), bound={"members": len(each)})
        part = min(_SHARE, 1 / len(each))  # one that holds takes little; what is left is for the others
        for place, (_, spec) in enumerate(each):
            certificate = InvariantCertificate(
                Claimed(to_plain_json_data(spec)), _build_lemma_of_conditions_if_any(question)
            )
            if _does_kernel_accept_certificate(case, certificate, budget.make_budget_of_share(part)):
                alone[place] = Conclusion(True, "step by step", ((certificate,),))
    for place, (name, spec) in enumerate(each):
        if place in alone:
            continue
        answer = _answer_single_step_law(
            case, replace(question, of=spec), budget.make_budget_of_share(1 / (len(each) - len(alone)))
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


def _build_lemma_of_conditions_if_any(question: Question) -> tuple[Lemma, ...]:
    texts = tuple(list_condition_texts_of_claim_and_given(question))
    return (Lemma(texts, True, ()),) if texts else ()


def _answer_single_step_law(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    rule, about = (law_spec_to_law(case.game, question.of, question.where), Claimed(to_plain_json_data(question.of)))
    if do_automatic_phases_at_start_break_law(case.play, rule):
        return _conclude_law_broken_by_line(case, about, (), "the start")
    seen, certificate = (
        case.explore_all_states_or_none_if_many(budget),
        InvariantCertificate(about, _build_lemma_of_conditions_if_any(question)),
    )
    # A proof is far cheaper than games, where the law is true.
    if seen is None and _does_kernel_accept_certificate(case, certificate, budget.make_budget_of_share(_SHARE)):
        return Conclusion(True, "step by step", ((certificate,),))
    for line in _iter_lines_of_random_games(case, budget.make_budget_of_share(_SHARE)):
        place = count_actions_until_law_breaks_or_none(case.play, rule, line.states, line.idents, budget)
        if place is not None:
            return _conclude_law_broken_by_line(case, about, tuple(line.idents[:place]), "games at random")
    if seen is not None:
        return Conclusion(True, "exploration", ((ClosedSetCertificate(about, Listing(seen.states)),),))
    if not _does_kernel_accept_certificate(case, certificate, budget):
        # What Z3 finds may be a state that no game reaches, so a game is looked for.
        idents = find_law_breach_by_games_or_none(
            case, rule, budget.make_budget_of_share(1 / 4), _MORE_GAMES
        ) or find_law_breach_by_compiled_or_none(case, rule, budget.make_budget_of_share(1 / 2))
        if idents is not None:
            return _conclude_law_broken_by_line(case, about, idents, "games watched")
        idents = search_law_breach_best_first_or_none(case, rule, budget.make_budget_of_share(1 / 2))
        if idents is not None:
            return _conclude_law_broken_by_line(case, about, idents, "best-first search")
    return Conclusion(True, "step by step", ((certificate,),))


def _does_kernel_accept_certificate(case: GameCase, certificate: InvariantCertificate, budget: Budget) -> bool:
    """Return whether the kernel accepts a certificate."""
    ((place, _),) = find_accepted_index_or_reason_per_list(case, [[certificate]], budget)
    return place is not None


def _conclude_law_broken_by_line(
    case: GameCase, statement: Claimed, line_actions: tuple[int, ...], method: str
) -> Conclusion:
    return Conclusion(False, method, ((build_transcript_showing_statement(case, statement, line_actions),),))


def count_actions_until_law_breaks_or_none(
    interpreter: Interpreter, law: Law, state_columns: States, line_actions: Sequence[int], budget: Budget
) -> int | None:
    """Return the number of actions after which a line breaks the law. Return None if the line keeps
    the law or the budget runs out."""
    for number, ident in enumerate(line_actions):
        if budget.left <= 0:
            return None
        before = [int(cell) for cell in state_columns[:, number]]
        if is_decision_required_by_law_illegal(interpreter, law, before):
            return number
        if (law.phase is not None or ident in law.idents) and does_decision_or_phase_after_it_break_law(
            interpreter, law, before, ident
        ):
            return number + 1
    return None


def _iter_lines_of_random_games(case: GameCase, budget: Budget) -> Iterator[PlayedLine]:
    for game in range(_GAMES):
        if budget.left <= 0:
            return
        yield play_random_game_of_run(case, _SEEN_RUN, game)


# -- law breakers --------------------------------------------------------------------------------------------
# Lines of play that break a law of steps: games in which every decision that the law speaks of is tried.

_SEARCH_RUN = 20_260_203
_ASKED = INTERPRETED / 20  # to ask a condition of a law
_MOST_TAKEN = 400_000  # actions in all games: some games go on and on


def find_law_breach_by_games_or_none(case: GameCase, law: Law, budget: Budget, max_rounds: int) -> LawBreach | None:
    """Return actions from the start, the last of which breaks the law, or behind which no decision is
    legal that the law wants; None if no game of at most `max_rounds` rounds of players shows one."""
    taken = 0
    for number, player in enumerate(_iter_players_of_games_to_watch(case, law, max_rounds)):
        if budget.left <= 0 or taken > _MOST_TAKEN:
            return None
        play = GameInProgress(case)
        line = _play_game_until_law_breaks_or_none(play, law, player, budget)
        if line is not None:
            return line
        taken += len(play.taken)
        if number % 50 == 0:
            budget.report_progress_line(f"{number} games watched for a step that breaks the law")
    return None


def search_law_breach_best_first_or_none(case: GameCase, law: Law, budget: Budget) -> LawBreach | None:
    """Return a line that breaks a law, found by going to states in which a decision would break what the law needs, or
    behind which what it leads to fails; None if there is none. It is for games without chance."""
    if any(phase.chance for phase in case.game.phases):
        return None
    targets = [
        Target("", None, make_and_term(law.when, make_not_term(law.needs)), law.idents),
        Target("", None, make_not_term(law.leads)),
    ]
    for target in targets:
        if isinstance(target.condition, Const) or target.condition.locals:
            continue
        line = best_first.search_line_best_first_or_none(case, target, budget.make_budget_of_share(1 / 2))
        if line and _does_last_decision_break_law(case, law, line):
            return tuple(line)
    return None


def _does_last_decision_break_law(case: GameCase, law: Law, line: Sequence[int]) -> bool:
    """Return whether the last decision of a line breaks a law."""
    play, state = case.play, case.play.start()
    add_work_units_done(INTERPRETED * len(line))
    for ident in line[:-1]:
        state = play.apply(state, ident)
    return does_decision_or_phase_after_it_break_law(play, law, state, line[-1])


def _iter_players_of_games_to_watch(case: GameCase, law: Law, game_count: int) -> Iterator[Player]:
    """Yield players in turn: one drawn at random, a curious one, and one that looks at the evaluation."""
    curious, eager = (CuriousPlayer(make_game_seed(_SEARCH_RUN, 0)), CuriousPlayer(make_game_seed(_SEARCH_RUN, 1)))
    eager.wanted = law.idents
    for game in range(game_count):
        yield RandomPlayer(make_game_seed(_SEARCH_RUN, game))
        yield curious
        if law.idents:
            yield eager
        if "evaluate" in case.game.facts and game % 10 == 0:  # they look at every action, which takes long
            yield GreedyPlayer(make_game_seed(_SEARCH_RUN, game))


def _play_game_until_law_breaks_or_none(
    game_in_progress: GameInProgress, law: Law, player: Player, budget: Budget
) -> LawBreach | None:
    """Play one game to its end. Return the line that breaks the law, or None."""
    while (
        len(game_in_progress.taken) < LONGEST
        and budget.left > 0
        and game_in_progress.update_legal_actions_and_tell_if_any()
    ):
        chosen = player.choose(game_in_progress, game_in_progress.module.actor(game_in_progress.state))
        broken = find_actions_to_law_breach_or_none(
            game_in_progress.case.play, law, list(game_in_progress.state), list(game_in_progress.idents), chosen
        )
        if broken is not None:
            return (*game_in_progress.taken, *broken)
        game_in_progress.take_action_or_end_if_rules_break(chosen)
    return None


def find_actions_to_law_breach_or_none(
    interpreter: Interpreter,
    law: Law,
    state: Sequence[int],
    legal_actions: Sequence[int],
    chosen_action: int | None = None,
) -> tuple[int, ...] | None:
    """Return what breaks a law in a state where these decisions are legal: nothing more if none is legal that the law
    wants, else the first that breaks it; None if nothing does. Of what automatic phases do behind a decision it is
    asked by the one that is `chosen_action`, if any."""
    if _may_required_decision_be_missing(
        interpreter, law, state, legal_actions
    ) and is_decision_required_by_law_illegal(interpreter, law, state):
        return ()
    if law.phase is None:
        candidates = [ident for ident in legal_actions if ident in law.idents]
    else:
        candidates = [] if chosen_action is None else [chosen_action]
    breaking = _find_first_law_breaking_action_or_none(interpreter, law, state, candidates)
    return None if breaking is None else (breaking,)


def _may_required_decision_be_missing(
    interpreter: Interpreter, law: Law, state: Sequence[int], legal_actions: Sequence[int]
) -> bool:
    """Return whether no decision is legal that the law wants, as far as the compiled reading tells: it is much faster
    than the interpreter, which is asked next."""
    if law.possible is not None:
        return law.possible.isdisjoint(legal_actions)
    if law.legal is None:
        return False
    refused = law.idents.difference(legal_actions)
    add_work_units_done(_ASKED * len(refused))
    return any(
        _does_law_apply_to_decision(interpreter, law, state, ident)
        and _does_term_hold_for_action(interpreter, law.legal, state, ident)
        for ident in refused
    )


def _find_first_law_breaking_action_or_none(
    interpreter: Interpreter, law: Law, state: Sequence[int], candidate_actions: Sequence[int]
) -> int | None:
    """Return the first of these legal decisions that breaks the law, or None."""
    for ident in candidate_actions:
        if law.phase is None and not _does_law_apply_to_decision(interpreter, law, state, ident):
            continue
        add_work_units_done(INTERPRETED)
        try:
            if does_decision_or_phase_after_it_break_law(interpreter, law, state, ident):
                return ident
        except RulesError:  # a line that the rules cannot carry out is another claim's
            continue
    return None


def _does_law_apply_to_decision(interpreter: Interpreter, law: Law, state: Sequence[int], action_id: int) -> bool:
    """Return whether the law is about this decision here: a cheap question before the step is carried out."""
    return _does_term_hold_for_action(interpreter, law.when, state, action_id)


def _does_term_hold_for_action(interpreter: Interpreter, term: Term, state: Sequence[int], action_id: int) -> bool:
    action = interpreter.game.get_action_of_ground_action_number(action_id)
    return bool(
        interpreter.value(
            term, state, dict(action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id)))
        )
    )


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


_AT_RANDOM, _GREEDY = (PlayerKind(0, 1, play_random_game_of_run), PlayerKind(SEEING, 10, play_greedy_game_of_run))


def find_law_breach_by_compiled_or_none(case: GameCase, law: Law, budget: Budget) -> LawBreach | None:
    """Return a line that breaks a law, with what breaks it as its last action, or behind which no decision is legal
    that the law wants; None if no game shows one."""
    wrong = (
        _build_law_broken_at_end_or_none(case.game, law)
        if law.phase is not None
        else _build_law_breaker_is_legal_term_or_none(case.game, law)
    )
    if wrong is None or not case.machine:
        return None
    game = copy(case.game)
    game.facts = {**case.game.facts, "invariants": {"law": make_not_term(wrong)}}
    watched, playing, seats = (Compiled(game, watched=True), _make_plain_case_of_watched_game(case, game), game.players)
    players = [_AT_RANDOM, _GREEDY] if "evaluate" in game.facts else [_AT_RANDOM]
    for first in range(0, _MOST_BATCHES * _BATCH, _BATCH):
        for kind in players:
            if budget.left <= 0:
                return None
            batch = watched.run_playouts(
                _BATCH, _BATCH_RUN, first_game=first, policies=[kind.policy] * seats, max_decisions=LONGEST
            )
            add_work_units_done(case.step_cost * kind.looks * int(batch.decisions.sum()))
            for number in np.flatnonzero(batch.endings == get_flaw_ending_number(game))[:_REPLAYED]:
                line = kind.again(playing, _BATCH_RUN, first + int(number)).idents
                broken = _extend_line_to_law_breach_or_none(case, law, line)
                if broken is not None:
                    return broken
        budget.report_progress_line(f"{first + _BATCH:,} games watched in machine code")
    return None


def _build_law_broken_at_end_or_none(game: Game, law: Law) -> Term | None:
    """Return the condition that the game is over and a law about what an automatic phase leads to failed last."""
    if not law.leads.reads or law.leads.locals:
        return None
    return make_and_term(game.state.outcome != 0, make_not_term(law.leads))


def _build_law_breaker_is_legal_term_or_none(game: Game, law: Law) -> Term | None:
    """Return the condition that a decision is legal of which the law says that it is not or needs what fails, or one is
    refused that the law wants; None if the state does not show it."""
    if not law.idents or len(law.idents) > _MOST_DECISIONS:
        return None
    ways: list[Term] = []
    for ident in sorted(law.idents):
        action = game.get_action_of_ground_action_number(ident)
        required = list_requirements_if_all_come_first(action.body)
        if required is None:
            return None
        values = {
            number: Const(value)
            for number, value in action.map_parameter_numbers_to_values(
                action.get_values_of_ground_action(ident)
            ).items()
        }
        legal = make_conjunction_term(substitute_locals(term, values) for term in required)
        due = make_disjunction_term(game.state.phase == number for number in action.phases)
        spoken_of = make_and_term(due, substitute_locals(law.when, values))
        wrong = make_and_term(legal, make_not_term(substitute_locals(law.needs, values)))
        if law.legal is not None:
            wrong = make_disjunction_term([wrong, substitute_locals(law.legal, values) != legal])
        ways.append(make_and_term(spoken_of, wrong))
    wrong = make_and_term(game.state.outcome == 0, make_disjunction_term(ways))
    return None if isinstance(wrong, Const) else wrong


def _make_plain_case_of_watched_game(case: GameCase, watched_game: Game) -> GameCase:
    """Return a case that plays a watched game in plain Python, as its machine code does."""
    watched = copy(case)
    watched.game, watched.caches = watched_game, {}
    watched.plain = Compiled(watched_game, machine=False, watched=True)
    watched.first = (*case.first, *[0] * EXTRA)
    return watched


def _extend_line_to_law_breach_or_none(case: GameCase, law: Law, line: Sequence[int]) -> LawBreach | None:
    """Return a line up to what breaks the law at its end: its last action, that a decision is refused behind it, or one
    that is legal there; None if nothing does."""
    play, before, state = case.play, case.play.start(), case.play.start()
    try:
        for ident in line:
            before, state = state, play.apply(state, ident)
        if line and does_decision_or_phase_after_it_break_law(play, law, before, line[-1]):
            return tuple(line)
        broken = find_actions_to_law_breach_or_none(play, law, state, play.legal(state))
    except RulesError:  # a line that the rules cannot carry out is another claim's
        return None
    return None if broken is None else (*line, *broken)
