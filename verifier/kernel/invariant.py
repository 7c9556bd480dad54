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
    check_inductive_layers,
)
from playproof.verifier.kernel.rank import check_every_step_falls, check_phases_end
from playproof.verifier.kernel.reading import Cells, Fault, SmallStep, Truth, disj, neg
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    Law,
    Length,
    Property,
    Secrecy,
    Statement,
    Subject,
)
from playproof.verifier.kernel.step_laws import check_every_step_obeys
from playproof.verifier.kernel.unwinding import check_every_step_keeps_secret
from playproof.verifier.questions.claims import Target


@dataclass(frozen=True)
class Invariant(Certificate):
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

    def statement(self) -> Statement:
        """State that the event never happens, or that the property, the length or the law is kept;
        all but BOUNDS themselves are shown only if no value leaves its bounds."""
        grounds: tuple[str, ...] = (BOUNDS,)
        if self.about == Property(BOUNDS):
            grounds = ()
        elif self.about == Property(NO_DEAD_END):
            grounds = (BOUNDS, PHASES_END)
        return Statement(self.about, not isinstance(self.about, Event), grounds)

    def check(self, game: Game, context: Context) -> None:
        """Check that steps keep every layer, and that the statement follows. Raises NotShown."""
        check_inductive_layers(game, self.layers, context)
        conjuncts = [text for layer in self.layers for text in layer.conjuncts]
        match self.about:
            case Event():
                check_target_excluded(game, conjuncts, self.about.build_target(game), self.integers, context)
            case Property(name=name) if name == BOUNDS:
                allowed = StepChecker(game, conjuncts, self.integers, self.splits, context)
                for what in allowed.reading.iter_step_kinds():
                    check_step_within_bounds(allowed, what)
            case Property(name=name) if name == NO_DEAD_END:
                allowed = StepChecker(game, conjuncts, self.integers, self.splits, context)
                for phase in game.phases:
                    check_no_dead_end(allowed, phase)
            case Property(name=name) if name == PHASES_END:
                check_phases_end(game, conjuncts, self.numbers, self.splits, context)
            case Length(most=most):
                check_every_step_falls(game, conjuncts, self.numbers, most, context)
            case Law(law=law):
                check_every_step_obeys(game, conjuncts, self.integers, law, context)
            case Secrecy(of=of):
                check_every_step_keeps_secret(game, conjuncts, self.integers, of, context)
            case _:
                raise NotShown("no invariant can show this")


def check_target_excluded(
    game: Game, conjuncts: Sequence[str], target: Target, integers: bool, context: Context
) -> None:
    """Check that no state that satisfies the conditions meets the target, at rest: no automatic phase is due there.
    Raises NotShown."""
    allowed = StepChecker(game, conjuncts, integers, (), context, [target.condition])
    reading, cells = allowed.reading, allowed.state
    here = [reading.build_settled_formula(cells), reading.read_truth(target.condition, cells, {})]
    ways: list[list[Truth]] = [here]
    if target.idents is not None:
        ways = [[*here, reading.build_legal_formula(cells, ident)] for ident in sorted(target.idents)]
    for way in ways:
        allowed.check_no_state(cells, way, "the conditions leave room for it")


def check_step_within_bounds(checker: StepChecker, part: Action | Phase) -> None:
    """Check that a kind of step from an allowed state within bounds makes no value leave its
    bounds. Raises NotShown."""
    checker.check_step_never(
        "bounds", part, (), f"`{part.name}` may leave bounds", lambda side: build_fault_formulas(side, part)
    )


def build_fault_formulas(checker: StepChecker, part: Action | Phase) -> list[BadStepFormula]:
    """Return what may go wrong in a kind of step: one entry for each known kind of fault, then one
    for any other."""
    kinds = list(dict.fromkeys(map(_get_fault_kind, checker.get_open_step(part).faults)))
    return checker.build_once_for_step(
        "faults",
        part,
        (),
        lambda: [
            *(partial(_build_fault_formula, (kind,), True) for kind in kinds),
            partial(_build_fault_formula, tuple(kinds), False),
        ],
    )


def _build_fault_formula(
    kinds: Sequence[tuple[str, Place]], is_among: bool, step: SmallStep, _: Cells
) -> Truth:
    """Return the formula that a step has a fault among these kinds, or (if not `among`) of any
    other kind."""
    return disj(f.when for f in step.faults if (_get_fault_kind(f) in kinds) == is_among)


def _get_fault_kind(fault: Fault) -> tuple[str, Place]:
    return fault.message, fault.place


def check_no_dead_end(checker: StepChecker, phase: Phase) -> None:
    """Check that whoever is to act in a phase, in an allowed state, has a legal action. Raises NotShown."""
    if phase.automatic:
        return
    cells = [phase.number, 0, *checker.state[2:]]
    legal = [
        checker.reading.build_legal_formula(cells, ident)
        for action in phase.actions
        for ident in action.idents
    ]
    checker.check_no_state(cells, [neg(disj(legal))], f"a dead end in phase `{phase.name}`")
