"""Whether a changed game takes the same steps. Z3 answers this for each kind of step, from states
that satisfy the kept claims."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Action, Phase, RulesError
from playproof.language.expr import Const
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.reading import Number, Reading, SmallStep, Truth, conj, disj, is_same, neg
from playproof.verifier.kernel.solving import check_sat

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
