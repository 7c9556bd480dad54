"""Laws of steps, as `ask: step` states them: what a decision needs, changes and leads to, and what
must be possible.

    {action: place, changes: {placed: 1, tonight: 1}}      each such decision adds so much
    {action: pay, needs: "mana > 0", leads: "mana >= 0"}   holds before it; holds after it
    {phase: upkeep, when: "mana > 0", changes: {mana: -1}} what an automatic phase does
    {when: "phase == night", can: {action: pass}}          some such decision is legal there

A law is about small steps: the effects of an action or of an automatic phase itself, not the
automatic phases that follow. `when` limits it to steps from states in which a condition holds. The
amount of a change may be an expression over the state before the step and the action's parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.language import Game, Term
from playproof.language.expr import Local, as_term
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.targets import Spec, Targets

KEYS = ("when", "needs", "changes", "leads", "can")
_TRUE = as_term(1)


@dataclass(frozen=True)
class Change:
    """A number that a decision changes, and the amount."""

    number: Term
    amount: Term


@dataclass(frozen=True)
class Law:
    """A law that every decision in `idents`, or every run of the automatic `phase`, obeys. With
    `possible`, the law says instead that one of those decisions is legal whenever `when` holds."""

    idents: frozenset[int]
    when: Term
    phase: int | None = None
    needs: Term = _TRUE
    leads: Term = _TRUE
    changes: tuple[Change, ...] = ()
    possible: frozenset[int] | None = None

    @property
    def terms(self) -> list[Term]:
        """Every term of the law."""
        return [self.when, self.needs, self.leads, *(t for c in self.changes for t in (c.number, c.amount))]


class _WithParameters(Formula):
    """Reads conditions that may name an action's parameters."""

    def __init__(self, game: Game, where: Where, parameters: Mapping[str, Local]) -> None:
        super().__init__(game, where)
        self.parameters = parameters

    def named(self, name: str) -> Term:
        parameter = self.parameters.get(name)
        return super().named(name) if parameter is None else parameter

    def names(self) -> list[str]:
        return [*self.parameters, *super().names()]


def law(game: Game, spec: Spec, where: Where | None = None) -> Law:
    """Return the law that a specification states. Raises InputError if it cannot be understood."""
    place = where or Where(game.name)
    if not isinstance(spec, Mapping):
        raise _wrong(place, f"expected a law of steps, found {spec!r}", "write {action: ..., changes: {...}}")
    target = {k: v for k, v in spec.items() if k not in KEYS}
    if not set(spec) & {"needs", "changes", "leads", "can"}:
        raise _wrong(place, "the law says nothing", "give it needs, changes, leads or can")
    reader = Targets(game, place)
    if "can" in spec:
        if target or set(spec) - {"when", "can"}:
            raise _wrong(place, "`can` stands with `when` alone", "make two claims")
        when = reader.formula.read(str(spec.get("when", "1 == 1")))
        return Law(frozenset(), when, possible=_idents(reader, spec["can"]))
    phase = _phase(game, place, target.pop("phase")) if "phase" in target else None
    if target and phase is not None:
        raise _wrong(place, "a law speaks of actions or of a phase", "make two claims")
    idents = _idents(reader, target) if phase is None else frozenset[int]()
    formula = _WithParameters(game, place, _parameters(game, idents))
    changes = {} if spec.get("changes") is None else spec["changes"]
    if not isinstance(changes, Mapping):
        raise _wrong(place, f"expected `changes` as `number: by how much`, found {changes!r}")

    def read(key: str) -> Term:
        return formula.read(str(spec[key])) if key in spec else _TRUE

    return Law(
        idents,
        read("when"),
        phase,
        read("needs"),
        read("leads"),
        tuple(Change(reader.number(str(n)), formula.read(str(by))) for n, by in changes.items()),
    )


def _phase(game: Game, where: Where, name: object) -> int:
    """Return the number of an automatic phase. Raises InputError."""
    found = next((p.number for p in game.phases if p.automatic and p.name == name), None)
    if found is None:
        known = [p.name for p in game.phases if p.automatic]
        raise _wrong(where, f"there is no automatic phase `{name}`", did_you_mean(str(name), known))
    return found


def _idents(reader: Targets, target: Any) -> frozenset[int]:
    """Return the ground actions of a target, or of a list of action names. Raises InputError."""
    if isinstance(target, Mapping) and isinstance(target.get("action"), list):
        each = [{**target, "action": name} for name in target["action"]]
        if not each:  # no decision breaks a law about none
            raise _wrong(reader.where, "the law speaks of an empty list of actions", "name the actions")
        return frozenset().union(*(reader.one(one).idents or frozenset() for one in each))
    found = reader.one(target).idents
    if found is None:
        raise _wrong(reader.where, "a law of steps speaks of an action", "name it with `action: ...`")
    return found


def _parameters(game: Game, idents: frozenset[int]) -> dict[str, Local]:
    """Return the parameters that a condition may name: those of the action, if the law is about one
    action only."""
    actions = [a for a in game.actions if any(a.first <= i < a.first + a.count for i in idents)]
    return {p.local.name: p.local for p in actions[0].params} if len(actions) == 1 else {}


def _wrong(where: Where, message: str, hint: str = "") -> InputError:
    return InputError([Finding("PP701", where, message, hint)])
