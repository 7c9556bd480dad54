"""Invariants: what never happens or always holds, because every small step keeps some conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from playproof.language import Action, Phase, Place
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import (
    BadStepFormula,
    Lemma,
    Split,
    StepChecker,
    require_layers_inductive,
)
from playproof.verifier.kernel.rank import require_automatic_phases_end, require_every_step_lowers_number
from playproof.verifier.kernel.reading import Cells, Fault, SmallStep, Truth, disjoin_formulas, negate_formula
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    LawObeyed,
    LengthLimit,
    Property,
    Secrecy,
    Statement,
    Subject,
)
from playproof.verifier.kernel.step_laws import require_every_step_obeys_laws
from playproof.verifier.kernel.unwinding import require_every_step_keeps_secret
from playproof.verifier.questions.claims import Target


@dataclass(frozen=True)
class InvariantCertificate(Certificate):
    """Layers of conditions that every small step keeps, and what follows from them:

        an event        never happens: no allowed state meets it
        a property      no step leaves bounds; whoever is to act can; automatic phases lower `numbers`
        a length        is not exceeded: every step lowers the one of `numbers`
        a law           is obeyed by every step
        a secret        is kept by every step, from any two states that are alike but for it

    `integers` and `splits` say how Z3 is asked what follows, as they do in a layer.
    """

    kind: ClassVar[str] = "invariant"
    rests: ClassVar[str] = "Z3"
    about: Subject
    layers: tuple[Lemma, ...] = ()
    integers: bool = True
    splits: tuple[Split, ...] = ()
    numbers: tuple[str, ...] = ()

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, or that the property, the length or the law is kept;
        all but BOUNDS themselves are shown only if no value leaves its bounds."""
        grounds: tuple[str, ...] = (BOUNDS,)
        if self.about == Property(BOUNDS):
            grounds = ()
        elif self.about == Property(NO_DEAD_END):
            grounds = (BOUNDS, PHASES_END)
        return Statement(self.about, not isinstance(self.about, Event), grounds)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Check that steps keep every layer, and that the statement follows. Raises NotShown."""
        require_layers_inductive(game, self.layers, context)
        conjuncts = [text for layer in self.layers for text in layer.conjuncts]
        match self.about:
            case Event():
                require_conditions_exclude_target(
                    game, conjuncts, self.about.build_condition_and_actions(game), self.integers, context
                )
            case Property(name=name) if name == BOUNDS:
                allowed = StepChecker(game, conjuncts, self.integers, self.splits, context)
                for what in allowed.reading.iter_actions_and_automatic_phases():
                    require_step_stays_within_bounds(allowed, what)
            case Property(name=name) if name == NO_DEAD_END:
                allowed = StepChecker(game, conjuncts, self.integers, self.splits, context)
                for phase in game.phases:
                    require_legal_action_in_phase(allowed, phase)
            case Property(name=name) if name == PHASES_END:
                require_automatic_phases_end(game, conjuncts, self.numbers, self.splits, context)
            case LengthLimit(most=most):
                require_every_step_lowers_number(game, conjuncts, self.numbers, most, context)
            case LawObeyed(law=law):
                require_every_step_obeys_laws(game, conjuncts, self.integers, law, context)
            case Secrecy(of=of):
                require_every_step_keeps_secret(game, conjuncts, self.integers, of, context)
            case _:
                raise NotShown("no invariant can show this")


def require_conditions_exclude_target(
    game: Game, assumed_conditions: Sequence[str], target: Target, integers: bool, context: Context
) -> None:
    """Check that no state that satisfies the conditions meets the target, at rest: no automatic phase is due there.
    Raises NotShown."""
    allowed = StepChecker(game, assumed_conditions, integers, (), context, [target.condition])
    reading, cells = allowed.reading, allowed.state
    here = [
        reading.build_somebody_acts_or_game_over_formula(cells),
        reading.build_term_is_true_formula(target.condition, cells, {}),
    ]
    ways: list[list[Truth]] = [here]
    if target.idents is not None:
        ways = [
            [*here, reading.build_action_is_legal_formula(cells, ident)] for ident in sorted(target.idents)
        ]
    for way in ways:
        allowed.require_no_state_satisfies(cells, way, "the conditions leave room for it")


def require_step_stays_within_bounds(checker: StepChecker, action_or_phase: Action | Phase) -> None:
    """Check that a kind of step from an allowed state within bounds makes no value leave its
    bounds. Raises NotShown."""
    checker.require_step_makes_no_formula_true(
        "bounds",
        action_or_phase,
        (),
        f"`{action_or_phase.name}` may leave bounds",
        lambda side: build_fault_formula_per_kind(side, action_or_phase),
    )


def build_fault_formula_per_kind(
    checker: StepChecker, action_or_phase: Action | Phase
) -> list[BadStepFormula]:
    """Return what may go wrong in a kind of step: one entry for each known kind of fault, then one
    for any other."""
    kinds = list(
        dict.fromkeys(map(_get_fault_message_and_place, checker.get_symbolic_step(action_or_phase).faults))
    )
    return checker.get_or_build_for_step(
        "faults",
        action_or_phase,
        (),
        lambda: [
            *(partial(_build_formula_of_fault_of_kinds, (kind,), True) for kind in kinds),
            partial(_build_formula_of_fault_of_kinds, tuple(kinds), False),
        ],
    )


def _build_formula_of_fault_of_kinds(
    kinds: Sequence[tuple[str, Place]], is_among: bool, step: SmallStep, _: Cells
) -> Truth:
    """Return the formula that a step has a fault among these kinds, or (if not `among`) of any
    other kind."""
    return disjoin_formulas(
        f.when for f in step.faults if (_get_fault_message_and_place(f) in kinds) == is_among
    )


def _get_fault_message_and_place(fault: Fault) -> tuple[str, Place]:
    return fault.message, fault.place


def require_legal_action_in_phase(checker: StepChecker, phase: Phase) -> None:
    """Check that whoever is to act in a phase, in an allowed state, has a legal action. Raises NotShown."""
    if phase.automatic:
        return
    cells = [phase.number, 0, *checker.state[2:]]
    legal = [
        checker.reading.build_action_is_legal_formula(cells, ident)
        for action in phase.actions
        for ident in action.idents
    ]
    checker.require_no_state_satisfies(
        cells, [negate_formula(disjoin_formulas(legal))], f"a dead end in phase `{phase.name}`"
    )
