"""What Z3 says of the steps of a changed game: whether they are the same, and which law it showed before
and leaves open now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from playproof.language import Action, Phase, RulesError, Term
from playproof.language.expr import Const
from playproof.language.game import Game
from playproof.language.statements import (
    Statement,
    find_fields_read,
    find_written_fields,
    iter_statements,
    iter_subterms,
)
from playproof.mutation.detection import Detection, WatchedClaim
from playproof.mutation.mutants import field_numbers_read_by, terms_of_statement
from playproof.mutation.rewriting import TermSwaps
from playproof.verifier.kernel.certificate import Contradicted, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.reading import Number, Reading, SmallStep, Truth, conj, disj, is_same, neg
from playproof.verifier.kernel.solving import check_sat
from playproof.verifier.kernel.step_laws import check_every_step_obeys
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.always import list_conditions_of_claim_and_given
from playproof.verifier.questions.laws import Law

# -- same steps ----------------------------------------------------------------------------------------------
# Whether a changed game takes the same steps. Z3 answers this for each kind of step, from states that
# satisfy the kept claims.

WORK = 12_000_000
"""The limit of Z3's work on one kind of step."""


def have_same_steps(old: Game, new: Game, conditions: Sequence[str], work: int = WORK) -> bool:
    """Return whether Z3 shows that both games take the same small steps from each state in which
    the conditions hold, with the same actors, chance weights and values of endings. False if Z3
    gives no answer."""
    if old.get_initial_cells() != new.get_initial_cells() or old.payoffs is not new.payoffs:
        return False
    if any(a.winner is not b.winner for a, b in zip(old.endings, new.endings, strict=True)):
        return False
    if any(a.actor is not b.actor for a, b in zip(old.phases, new.phases, strict=True)):
        return False
    try:
        allowed = StepChecker(old, conditions, True, (), Context())
        second = Reading(new, True)
        pairs: list[tuple[Action | Phase, Action | Phase]] = [
            (a, b) for a, b in zip(old.actions, new.actions, strict=True) if a is not b
        ]
        pairs += [
            (a, b)
            for a, b in zip(old.phases, new.phases, strict=True)
            if a.automatic and a.body is not b.body
        ]
        return all(_is_step_unchanged(allowed, second, before, after, work) for before, after in pairs)
    except (NotShown, RulesError):
        return False


def _is_step_unchanged(
    allowed: StepChecker, second: Reading, before: Action | Phase, after: Action | Phase, work: int
) -> bool:
    """Return whether a kind of step does the same before and after the change."""
    first, cells = allowed.reading, allowed.state
    params = first.make_parameters(before)
    was, now = first.build_step(before, cells, params), second.build_step(after, cells, params)
    apart = [
        *_step_difference_formulas(first, was, now),
        _weight_difference_formula(first, second, before, after, params, cells),
    ]
    wrongs = [
        conj([was.legal, neg(now.legal)]),
        conj([now.legal, neg(was.legal)]),
        *(conj([was.legal, part]) for part in apart),
    ]
    return _are_all_impossible(allowed, [w for w in wrongs if w is not False], work)


def _are_all_impossible(allowed: StepChecker, formulas: Sequence[Truth], work: int) -> bool:
    """Return whether Z3 shows that none of these is possible. If Z3 gives no answer for all
    together, each half is asked separately."""
    if not formulas:
        return True
    together = check_sat(
        [*allowed.build_premises(allowed.state), disj(formulas)], True, allowed.context, work
    )
    if together != "unknown" or len(formulas) == 1:
        return together == "unsat"
    half = len(formulas) // 2
    return _are_all_impossible(allowed, formulas[:half], work) and _are_all_impossible(
        allowed, formulas[half:], work
    )


def _step_difference_formulas(reading: Reading, old_step: SmallStep, new_step: SmallStep) -> list[Truth]:
    """Return formulas that a cell differs after the step, or that only one of the steps has a
    fault."""
    cells = [
        neg(reading.compare("==", a, b))
        for a, b in zip(old_step.after, new_step.after, strict=True)
        if not is_same(a, b)
    ]
    old, new = disj(f.when for f in old_step.faults), disj(f.when for f in new_step.faults)
    return [*cells, conj([new, neg(old)]), conj([old, neg(new)])]


def _has_equal_chances(game: Game, action: Action) -> bool:
    """Return whether all outcomes of a chance action are equally likely: one positive constant
    weight, and no other action in its phases."""
    weight = action.weight
    if not isinstance(weight, Const) or weight.value <= 0:
        return False
    for phase in game.phases:
        numbers = [other.number for other in phase.actions]
        if action.number in numbers and len(numbers) > 1:
            return False
    return True


def _weight_difference_formula(
    first: Reading,
    second: Reading,
    before: Action | Phase,
    after: Action | Phase,
    params: Sequence[Number],
    cells: list[Number],
) -> Truth:
    """Return the formula that chance may give the action another weight. Weights that use kept
    locals count as different."""
    if not (isinstance(before, Action) and isinstance(after, Action)) or before.weight is after.weight:
        return False
    if before.weight is None or after.weight is None:
        return True
    if _has_equal_chances(first.game, before) and _has_equal_chances(second.game, after):
        return False
    env = before.bind_parameters(params)
    locals_used = [*before.weight.locals, *after.weight.locals]
    if any(local.number not in env for local in locals_used):
        return True
    old, new = first.read_number(before.weight, cells, env), first.read_number(after.weight, cells, env)
    return neg(first.compare("==", old, new))


# -- doubts --------------------------------------------------------------------------------------------------
# Laws that a changed game leaves open: Z3 showed them of every step before, and now finds a step that
# breaks them.

_LAWS = 8
"""Laws that are asked of one changed game."""
_MEMBER = re.compile(r"\d+|'[^']*'")


def find_law_left_open(
    old: Game, new: Game, watched: Iterable[WatchedClaim], work: int, swaps: TermSwaps | None = None
) -> Detection | None:
    """Return the first law of a changed step that Z3 shows of the old game and contradicts in the new one. `swaps` is
    what was exchanged."""
    changed = _changed_actions_and_phases(old, new)
    speaking = [
        claim
        for claim in watched
        if claim.law is not None and _is_law_about_changed_steps(new, claim.law, changed)
    ]
    questions = 0
    for claim in _order_laws_by_relevance(speaking, fields_touched_by_swaps(old, swaps or {})):
        if questions == _LAWS:
            return None
        if _does_z3_contradict(new, claim, work):
            if not _does_z3_contradict(old, claim, work):
                return Detection(claim.question.id, "left open: Z3 finds a step that breaks it")
            continue
        questions += 1
    return None


def _order_laws_by_relevance(claims: Iterable[WatchedClaim], touched: frozenset[int]) -> list[WatchedClaim]:
    """Return laws in the order in which to ask them: one of each family first, those that speak of what was touched
    before others."""
    families = Counter[tuple[str, str]]()
    ranked = list[tuple[int, int, WatchedClaim]]()
    for claim in claims:
        family = claim.question.id, _MEMBER.sub("#", repr(claim.question.of))
        families[family] += 1
        terms = claim.law.terms if claim.law is not None else []
        spoken_of = {field.number for term in terms for field in find_fields_read(term)}
        ranked.append((families[family], -len(spoken_of & touched), claim))
    return [claim for _, _, claim in sorted(ranked, key=lambda each: each[:2])]


def fields_touched_by_swaps(game: Game, swaps: Mapping[int, Any]) -> frozenset[int]:
    """Return the numbers of the fields of which the exchanged parts speak, and the statements that hold them."""
    bodies = [a.body for a in game.actions] + [p.body or () for p in game.phases]
    bodies += [procedure.body for procedure in game.procedures]
    parts: list[Term | Statement] = [
        s for body in bodies for s in iter_statements(body) if _contains_swapped_part(s, swaps)
    ]
    apart = [f.body for f in game.functions] + [a.weight for a in game.actions if a.weight is not None]
    parts += [term for term in apart if any(id(node) in swaps for node in iter_subterms(term))]
    for part in swaps.values():
        parts += part if isinstance(part, tuple) else (part,)
    numbers = set[int]()
    for part in parts:
        if isinstance(part, Term):
            numbers |= {field.number for field in find_fields_read(part)}
        else:
            numbers |= find_written_fields((part,)) | field_numbers_read_by(part)
    return frozenset(numbers)


def _contains_swapped_part(statement: Statement, swaps: Mapping[int, Any]) -> bool:
    """Return whether a statement is exchanged, or a part of a term in it."""
    return id(statement) in swaps or any(
        id(node) in swaps for term in terms_of_statement(statement) for node in iter_subterms(term)
    )


def _does_z3_contradict(game: Game, claim: WatchedClaim, work: int) -> bool:
    context = Context()
    try:
        with context.limit_work(work):
            check_every_step_obeys(
                game,
                tuple(list_conditions_of_claim_and_given(claim.question)),
                True,
                to_json(claim.question.of),
                context,
            )
    except Contradicted:
        return True
    except (NotShown, RulesError):
        return False
    return False


def _changed_actions_and_phases(old: Game, new: Game) -> frozenset[tuple[str, int]]:
    """Return the actions and automatic phases that a change touches, also through what they call."""
    actions = {("action", a.number) for a, b in zip(old.actions, new.actions, strict=True) if a is not b}
    phases = {
        ("phase", a.number) for a, b in zip(old.phases, new.phases, strict=True) if a.body is not b.body
    }
    return frozenset(actions | phases)


def _is_law_about_changed_steps(game: Game, law: Law, changed: frozenset[tuple[str, int]]) -> bool:
    if law.phase is not None:
        return ("phase", law.phase) in changed
    idents = law.possible or law.idents
    of_law = (a for a in game.actions if any(a.first <= i < a.first + a.count for i in idents))
    return any(("action", action.number) in changed for action in of_law)
