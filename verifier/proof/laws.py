"""Answers to `step`: a law about decisions. A game that is found breaks it, or Z3 or a sweep of all
states shows that every step keeps it. Where Z3 finds a step that breaks the law, it may start from a state
that no game reaches; so games are watched for one that does, before the claim is left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter
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
from playproof.verifier.proof.evidence import build_transcript
from playproof.verifier.proof.kernel_submission import submit_certificates_to_kernel
from playproof.verifier.proof.law_breakers import find_law_breaking_line, search_law_breaking_line
from playproof.verifier.proof.watched_laws import find_law_breach_in_batches
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.families import expand_law_family, is_law_family
from playproof.verifier.questions.laws import Law, read_step_law
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines import PlayedLine
from playproof.verifier.search.random_games import play_random_game

_GAMES, _RUN = 40, 20_260_202
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
        yield play_random_game(case, _RUN, game)
