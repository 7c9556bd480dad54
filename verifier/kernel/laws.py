"""Certificates for laws of steps: each small step from an allowed state keeps the law, or each step
of an exploration does, or the last decision of a line breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from playproof.database.errors import Where
from playproof.rules.language import Action, Game, Interpreter, Phase, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.exploration import explored
from playproof.verifier.kernel.induction import Inductive, Layer, kept
from playproof.verifier.kernel.reading import Env, Number, Reading, conj, disj, neg
from playproof.verifier.kernel.solving import refuse
from playproof.verifier.kernel.statements import BOUNDS, Statement
from playproof.verifier.kernel.statements import Law as Claimed
from playproof.verifier.kernel.strict import Json, Unreadable, shown
from playproof.verifier.kernel.transcript import replayed, spoken
from playproof.verifier.questions.laws import Law, law


def read(game: Game, spec: Json) -> Law:
    """Return the law that a certificate speaks of. Raises InputError, or Unreadable if the data is
    no law."""
    try:
        return law(game, spec, Where(game.name))
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        raise Unreadable(f"{shown(spec)} is no law") from None


def breaks(play: Interpreter, rule: Law, before: Sequence[int], ident: int) -> bool:
    """Return whether a legal decision, or an automatic phase that follows it, breaks a law."""
    return broken_on(play, rule, before, ident, play.moments(before, ident))


def broken_on(play: Interpreter, rule: Law, before: Sequence[int], ident: int,
              moments: Sequence[Sequence[int]]) -> bool:
    """Return whether a decision breaks a law, or an automatic phase on the way through `moments`,
    the states that follow it."""
    if ident in rule.idents:
        action = play.game.action_of(ident)
        env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
        if _wrong(play, rule, before, moments[0], env):
            return True
    return rule.phase is not None and phase_breaks(play, rule, moments)


def phase_breaks(play: Interpreter, rule: Law, moments: Sequence[Sequence[int]]) -> bool:
    """Return whether the law's phase breaks it between two neighbouring states of `moments`, which
    automatic phases join."""
    return any(state[0] == rule.phase and _wrong(play, rule, state, after, {}) for state, after in pairwise(moments))


def _wrong(play: Interpreter, rule: Law, before: Sequence[int], after: Sequence[int], env: Env) -> bool:
    if not play.value(rule.when, before, dict(env)):
        return False
    changed = all(play.value(c.number, after) - play.value(c.number, before) == play.value(c.amount, before, dict(env))
                  for c in rule.changes)
    return not (play.value(rule.needs, before, dict(env)) and play.value(rule.leads, after, dict(env)) and changed)


def barred(play: Interpreter, rule: Law, state: Sequence[int]) -> bool:
    """Return whether somebody is to act where the law wants one of some decisions to be legal, and
    none is."""
    return rule.possible is not None and not play.terminal(state) and bool(play.value(rule.when, state)) \
        and not rule.possible & set(play.legal(state))


def _at_the_start(play: Interpreter, rule: Law) -> bool:
    return rule.phase is not None and phase_breaks(play, rule, list(play.settling(play.game.initial())))


@dataclass(frozen=True)
class LawBroken(Certificate):
    """A line of actions from the start whose last action breaks the law, or after which no decision
    is legal that the law wants."""

    kind: ClassVar[str] = "law broken"
    law: Json
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """State that some game breaks the law."""
        return Statement(Claimed(self.law), False)

    def check(self, game: Game) -> None:
        """Replay the line. Raises NotShown if it does not break the law."""
        play, rule = Interpreter(game), read(game, self.law)
        try:
            before = replayed(play, self.idents[:-1])
            after = replayed(play, self.idents[-1:], before)
            last = breaks(play, rule, before, self.idents[-1]) if self.idents else _at_the_start(play, rule)
            met = last or barred(play, rule, after)
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None
        if not met:
            raise NotShown("the line does not break the law")
        spoken(game, self.idents, self.words)


@dataclass(frozen=True)
class LawInStates(Certificate):
    """An exploration of all states in which no decision breaks the law."""

    kind: ClassVar[str] = "law in all states"
    law: Json
    states: int

    def statement(self) -> Statement:
        """State that no game breaks the law."""
        return Statement(Claimed(self.law))

    def check(self, game: Game) -> None:
        """Enumerate the states and look at every decision. Raises NotShown."""
        play, rule, graph = Interpreter(game), read(game, self.law), explored(game, self.states)
        for row, state in enumerate(graph.cells.tolist()):
            if barred(play, rule, state) or any(breaks(play, rule, state, ident) for ident, _ in graph.moves(row)):
                raise NotShown("a decision breaks the law")
        if _at_the_start(play, rule):
            raise NotShown("the start breaks the law")


@dataclass(frozen=True)
class LawKept(Certificate):
    """Layers of conditions that steps keep; from each state that they allow, each decision obeys
    the law."""

    kind: ClassVar[str] = "law kept"
    rests: ClassVar[str] = "Z3"
    law: Json
    layers: tuple[Layer, ...]
    integers: bool

    def statement(self) -> Statement:
        """State that no game breaks the law, if no value leaves its bounds."""
        return Statement(Claimed(self.law), True, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Check that steps keep every layer, and that Z3 finds no decision that breaks the law.
        Raises NotShown."""
        kept(game, self.layers)
        rule = read(game, self.law)
        allowed = Inductive(game, [text for layer in self.layers for text in layer.conjuncts], self.integers, (),
                            rule.terms)
        if rule.possible is not None:
            _can(allowed, rule, rule.possible)
        for action in game.actions:
            for params in _grounds(allowed.reading, action, rule.idents):
                _obeyed(allowed, rule, action, params)
        if rule.phase is not None:
            _obeyed(allowed, rule, game.phases[rule.phase], ())


def _grounds(reading: Reading, action: Action, taken: frozenset[int]) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in range(action.first, action.first + action.count) if i in taken]
    return [reading.params(action)] if len(mine) == action.count else [action.values(i) for i in mine]


def _obeyed(allowed: Inductive, rule: Law, what: Action | Phase, params: tuple[Number, ...]) -> None:
    reading, before = allowed.reading, allowed.state
    step = reading.step(what, before, params)
    env: Env = dict(zip((p.local.number for p in what.params), params, strict=True)) if isinstance(what, Action) else {}
    obeyed = [reading.truth(rule.needs, before, env), reading.truth(rule.leads, step.after, env)]
    for change in rule.changes:
        was, now = reading.number(change.number, before, env), reading.number(change.number, step.after, env)
        obeyed.append(reading.compare("==", now, reading.combine("+", was, reading.number(change.amount, before, env))))
    refuse([*allowed.assumed(before), step.sound, reading.truth(rule.when, before, env), neg(conj(obeyed))],
           allowed.integers, f"`{step.name}` may break the law")


def _can(allowed: Inductive, rule: Law, wanted: frozenset[int]) -> None:
    reading, cells = allowed.reading, allowed.state
    game = reading.game
    steps = [reading.step(a, cells, a.values(i)).legal for a in game.actions
             for i in range(a.first, a.first + a.count) if i in wanted]
    here = [*allowed.assumed(cells), reading.compare("==", cells[1], 0), reading.settled(cells),
            reading.truth(rule.when, cells, {})]
    refuse([*here, neg(disj(steps))], allowed.integers, "such a decision may be refused there")


__all__ = ["LawBroken", "LawInStates", "LawKept", "barred", "breaks", "phase_breaks", "read"]
