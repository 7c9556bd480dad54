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
    find_fields_term_depends_on,
    find_numbers_of_written_fields,
    iter_statements_recursively,
    iter_term_and_subterms,
)
from playproof.mutation.detection import Detection, WatchedClaim
from playproof.mutation.mutants import find_field_numbers_read_by_statement, list_terms_directly_in_statement
from playproof.mutation.rewriting import TermSwaps
from playproof.verifier.kernel.certificate import Contradicted, NotShown
from playproof.verifier.kernel.formula_reading import Reading, SmallStep
from playproof.verifier.kernel.formulas import (
    Number,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    is_same_number_or_formula,
    negate_formula,
)
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.invariant import require_every_step_obeys_laws
from playproof.verifier.kernel.laws import Law
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.kernel.z3_questions import ask_z3_sat_unsat_or_unknown
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.questions.context import Context

# -- same steps ----------------------------------------------------------------------------------------------
# Whether a changed game takes the same steps. Z3 answers this for each kind of step, from states that
# satisfy the kept claims.

WORK = 12_000_000
"""The limit of Z3's work on one kind of step."""


def does_z3_show_same_steps(old: Game, new: Game, conditions: Sequence[str], work_limit: int = WORK) -> bool:
    """Return whether Z3 shows that both games take the same small steps from each state in which
    the conditions hold, with the same actors, chance weights and values of endings. False if Z3
    gives no answer."""
    if (
        old.get_state_before_automatic_phases() != new.get_state_before_automatic_phases()
        or old.payoffs is not new.payoffs
    ):
        return False
    if any(a.winner is not b.winner for a, b in zip(old.endings, new.endings, strict=True)):
        return False
    if any(a.actor is not b.actor for a, b in zip(old.phases, new.phases, strict=True)):
        return False
    try:
        allowed = StepChecker(old, conditions, True, (), Context())
        second = Reading(new)
        pairs: list[tuple[Action | Phase, Action | Phase]] = [
            (a, b) for a, b in zip(old.actions, new.actions, strict=True) if a is not b
        ]
        pairs += [(a, b) for a, b in zip(old.phases, new.phases, strict=True) if a.automatic and a.body is not b.body]
        return all(_does_z3_show_step_unchanged(allowed, second, before, after, work_limit) for before, after in pairs)
    except (NotShown, RulesError):
        return False


def _does_z3_show_step_unchanged(
    old_checker: StepChecker, new_reading: Reading, before: Action | Phase, after: Action | Phase, work_limit: int
) -> bool:
    """Return whether a kind of step does the same before and after the change."""
    first, cells = old_checker.reading, old_checker.state
    params = first.make_symbolic_parameters(before)
    was, now = (first.build_symbolic_step(before, cells, params), new_reading.build_symbolic_step(after, cells, params))
    apart = [
        *_build_step_difference_formulas(first, was, now),
        _build_chance_weight_difference_formula(first, new_reading, before, after, params, cells),
    ]
    wrongs = [
        conjoin_formulas([was.legal, negate_formula(now.legal)]),
        conjoin_formulas([now.legal, negate_formula(was.legal)]),
        *(conjoin_formulas([was.legal, part]) for part in apart),
    ]
    return _does_z3_show_all_impossible(old_checker, [w for w in wrongs if w is not False], work_limit)


def _does_z3_show_all_impossible(checker: StepChecker, formulas: Sequence[Truth], work_limit: int) -> bool:
    """Return whether Z3 shows that none of these is possible. If Z3 gives no answer for all
    together, each half is asked separately."""
    if not formulas:
        return True
    together = ask_z3_sat_unsat_or_unknown(
        [*checker.build_bounds_and_condition_formulas(checker.state), disjoin_formulas(formulas)],
        True,
        checker.context,
        work_limit,
    )
    if together != "unknown" or len(formulas) == 1:
        return together == "unsat"
    half = len(formulas) // 2
    return _does_z3_show_all_impossible(checker, formulas[:half], work_limit) and _does_z3_show_all_impossible(
        checker, formulas[half:], work_limit
    )


def _build_step_difference_formulas(reading: Reading, old_step: SmallStep, new_step: SmallStep) -> list[Truth]:
    """Return formulas that a cell differs after the step, or that only one of the steps has a
    fault."""
    cells = [
        negate_formula(reading.build_comparison_formula("==", a, b))
        for a, b in zip(old_step.after, new_step.after, strict=True)
        if not is_same_number_or_formula(a, b)
    ]
    old, new = (disjoin_formulas(f.when for f in old_step.faults), disjoin_formulas(f.when for f in new_step.faults))
    return [*cells, conjoin_formulas([new, negate_formula(old)]), conjoin_formulas([old, negate_formula(new)])]


def _has_equally_likely_outcomes(game: Game, action: Action) -> bool:
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


def _build_chance_weight_difference_formula(
    old_reading: Reading,
    new_reading: Reading,
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
    if _has_equally_likely_outcomes(old_reading.game, before) and _has_equally_likely_outcomes(new_reading.game, after):
        return False
    env = before.map_parameter_numbers_to_values(params)
    locals_used = [*before.weight.locals, *after.weight.locals]
    if any(local.number not in env for local in locals_used):
        return True
    old, new = (
        old_reading.build_term_value(before.weight, cells, env),
        old_reading.build_term_value(after.weight, cells, env),
    )
    return negate_formula(old_reading.build_comparison_formula("==", old, new))


# -- laws left open ------------------------------------------------------------------------------------------
# Laws that a changed game leaves open: Z3 showed them of every step before, and now finds a step that
# breaks them.

_LAWS = 8
"""Laws that are asked of one changed game."""
_MEMBER = re.compile(r"\d+|'[^']*'")


def find_law_only_change_breaks_or_none(
    old: Game, new: Game, watched_claims: Iterable[WatchedClaim], work_limit: int, swaps: TermSwaps | None = None
) -> Detection | None:
    """Return the first law of a changed step that Z3 shows of the old game and contradicts in the new one. `swaps` is
    what was exchanged."""
    changed = _find_changed_actions_and_phases(old, new)
    speaking = [
        claim
        for claim in watched_claims
        if claim.law is not None and _is_law_about_changed_steps(new, claim.law, changed)
    ]
    questions = 0
    for claim in _order_laws_by_relevance(speaking, find_field_numbers_touched_by_swaps(old, swaps or {})):
        if questions == _LAWS:
            return None
        if _does_z3_contradict_law(new, claim, work_limit):
            if not _does_z3_contradict_law(old, claim, work_limit):
                return Detection(claim.question.id, "left open: Z3 finds a step that breaks it")
            continue
        questions += 1
    return None


def _order_laws_by_relevance(
    claims: Iterable[WatchedClaim], touched_field_numbers: frozenset[int]
) -> list[WatchedClaim]:
    """Return laws in the order in which to ask them: one of each family first, those that speak of what was touched
    before others."""
    families = Counter[tuple[str, str]]()
    ranked = list[tuple[int, int, WatchedClaim]]()
    for claim in claims:
        family = claim.question.id, _MEMBER.sub("#", repr(claim.question.of))
        families[family] += 1
        terms = claim.law.terms if claim.law is not None else []
        spoken_of = {field.number for term in terms for field in find_fields_term_depends_on(term)}
        ranked.append((families[family], -len(spoken_of & touched_field_numbers), claim))
    return [claim for _, _, claim in sorted(ranked, key=lambda each: each[:2])]


def find_field_numbers_touched_by_swaps(game: Game, swaps: Mapping[int, Any]) -> frozenset[int]:
    """Return the numbers of the fields of which the exchanged parts speak, and the statements that hold them."""
    bodies = [a.body for a in game.actions] + [p.body or () for p in game.phases]
    bodies += [procedure.body for procedure in game.procedures]
    parts: list[Term | Statement] = [
        s for body in bodies for s in iter_statements_recursively(body) if _contains_swapped_part(s, swaps)
    ]
    apart = [f.body for f in game.functions] + [a.weight for a in game.actions if a.weight is not None]
    parts += [term for term in apart if any(id(node) in swaps for node in iter_term_and_subterms(term))]
    for part in swaps.values():
        parts += part if isinstance(part, tuple) else (part,)
    numbers = set[int]()
    for part in parts:
        if isinstance(part, Term):
            numbers |= {field.number for field in find_fields_term_depends_on(part)}
        else:
            numbers |= find_numbers_of_written_fields((part,)) | find_field_numbers_read_by_statement(part)
    return frozenset(numbers)


def _contains_swapped_part(statement: Statement, swaps: Mapping[int, Any]) -> bool:
    """Return whether a statement is exchanged, or a part of a term in it."""
    return id(statement) in swaps or any(
        id(node) in swaps
        for term in list_terms_directly_in_statement(statement)
        for node in iter_term_and_subterms(term)
    )


def _does_z3_contradict_law(game: Game, claim: WatchedClaim, work_limit: int) -> bool:
    context = Context()
    try:
        with context.limit_z3_work_temporarily(work_limit):
            require_every_step_obeys_laws(
                game,
                tuple(list_condition_texts_of_claim_and_given(claim.question)),
                True,
                to_plain_json_data(claim.question.of),
                context,
            )
    except Contradicted:
        return True
    except (NotShown, RulesError):
        return False
    return False


def _find_changed_actions_and_phases(old: Game, new: Game) -> frozenset[tuple[str, int]]:
    """Return the actions and automatic phases that a change touches, also through what they call."""
    actions = {("action", a.number) for a, b in zip(old.actions, new.actions, strict=True) if a is not b}
    phases = {("phase", a.number) for a, b in zip(old.phases, new.phases, strict=True) if a.body is not b.body}
    return frozenset(actions | phases)


def _is_law_about_changed_steps(game: Game, law: Law, changed_steps: frozenset[tuple[str, int]]) -> bool:
    if law.phase is not None:
        return ("phase", law.phase) in changed_steps
    idents = law.possible or law.idents
    of_law = (a for a in game.actions if any(a.first <= i < a.first + a.count for i in idents))
    return any(("action", action.number) in changed_steps for action in of_law)
