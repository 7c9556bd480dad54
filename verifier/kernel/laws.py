"""Laws of steps: kept by each decision from a state that conditions allow, by each in an exploration, or broken by the
last decision of a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import z3

from playproof.database.errors import Where
from playproof.rules.language import Action, Game, Interpreter, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.exploration import explored
from playproof.verifier.kernel.induction import Inductive, Layer, kept
from playproof.verifier.kernel.reading import Cells, Env, Number, Reading, Truth, conj, disj, neg
from playproof.verifier.kernel.solving import answer, refuse
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Broken, Obeyed, Statement
from playproof.verifier.kernel.strict import Json, Unreadable, shown
from playproof.verifier.kernel.transcript import replayed, spoken
from playproof.verifier.questions.laws import Law, law

_MOST_PATHS = 300
"""Ways through automatic phases that are followed behind one decision."""
_PATH_WORK = 3_000_000
"""Z3's work on whether a way can be gone at all; where it does not say, the way is gone."""


def read(game: Game, spec: Json) -> Law:
    """The law that a certificate speaks of. Raises InputError, and Unreadable for what is no law."""
    try:
        return law(game, spec, Where(game.name))
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        raise Unreadable(f"{shown(spec)} is no law") from None


def breaks(play: Interpreter, rule: Law, before: Sequence[int], ident: int, after: Sequence[int]) -> bool:
    """Whether a legal decision breaks a law."""
    if rule.possible is not None or (rule.idents is not None and ident not in rule.idents):
        return False
    action = play.game.action_of(ident)
    env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
    if not play.value(rule.when, before, dict(env)):
        return False
    changed = all(play.value(c.number, after) - play.value(c.number, before) == play.value(c.amount, before, dict(env))
                  for c in rule.changes)
    return not (play.value(rule.needs, before, dict(env)) and play.value(rule.leads, after, dict(env)) and changed)


def barred(play: Interpreter, rule: Law, state: Sequence[int]) -> bool:
    """Whether somebody is to act where the law wants a decision to be legal, and none of those is."""
    return rule.possible is not None and not play.terminal(state) and bool(play.value(rule.when, state)) \
        and not rule.possible & set(play.legal(state))


@dataclass(frozen=True)
class LawBroken(Certificate):
    """Actions from the start, of which the last breaks the law, or behind which nothing is legal that it wants."""

    kind: ClassVar[str] = "law broken"
    law: Json
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """A game breaks the law."""
        return Broken(self.law)

    def check(self, game: Game) -> None:
        """Replay it."""
        play, rule = Interpreter(game), read(game, self.law)
        try:
            before = replayed(play, self.idents[:-1])
            after = replayed(play, self.idents[-1:], before)
            met = barred(play, rule, after) or (bool(self.idents)
                                                and breaks(play, rule, before, self.idents[-1], after))
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None
        if not met:
            raise NotShown("the line does not break the law")
        spoken(game, self.idents, self.words)


@dataclass(frozen=True)
class LawInStates(Certificate):
    """All states are there, and no decision in them breaks the law."""

    kind: ClassVar[str] = "law in all states"
    law: Json
    states: int

    def statement(self) -> Statement:
        """No game breaks the law."""
        return Obeyed(self.law)

    def check(self, game: Game) -> None:
        """Explore, and look at every decision."""
        play, rule, graph = Interpreter(game), read(game, self.law), explored(game, self.states)
        for state, moves in zip(graph.states, graph.moves, strict=True):
            if barred(play, rule, state) or any(breaks(play, rule, state, i, graph.states[to]) for i, to in moves):
                raise NotShown("a decision breaks the law")


@dataclass(frozen=True)
class LawKept(Certificate):
    """Layers of conditions that steps keep; from each state that they allow, each decision obeys the law."""

    kind: ClassVar[str] = "law kept"
    rests: ClassVar[str] = "Z3"
    law: Json
    layers: tuple[Layer, ...]
    integers: bool

    def statement(self) -> Statement:
        """No game breaks the law, if no value leaves its bounds and automatic phases end."""
        return Obeyed(self.law, (BOUNDS, PHASES_END))

    def check(self, game: Game) -> None:
        """Every layer is kept, and Z3 finds no decision that breaks the law."""
        kept(game, self.layers)
        rule = read(game, self.law)
        allowed = Inductive(game, [text for layer in self.layers for text in layer.conjuncts], self.integers, ())
        if not self.integers:
            allowed.reading = Reading(game, False, [*allowed.terms.values(), *rule.terms])
            allowed.state = allowed.reading.state()
        if rule.possible is not None:
            _can(allowed, rule, rule.possible)
            return
        for action in game.actions:
            for params in _grounds(allowed.reading, action, rule.taken(game)):
                _obeyed(allowed, rule, action, params)


def _grounds(reading: Reading, action: Action, taken: frozenset[int]) -> list[tuple[Number, ...]]:
    """The parameters of the decisions meant: open, where all are, else one by one."""
    mine = [i for i in range(action.first, action.first + action.count) if i in taken]
    return [reading.params(action)] if len(mine) == action.count else [action.values(i) for i in mine]


def _obeyed(allowed: Inductive, rule: Law, action: Action, params: tuple[Number, ...]) -> None:
    reading, before = allowed.reading, allowed.state
    env: Env = {p.local.number: v for p, v in zip(action.params, params, strict=True)}
    step = reading.step(action, before, params)
    here = [*allowed.assumed(before), step.legal, reading.truth(rule.when, before, env)]
    needed = reading.truth(rule.needs, before, env)
    if needed is not True:
        refuse([*here, neg(needed)], allowed.integers, f"`{action.name}` may be taken without what it needs")
    if not rule.changes and rule.leads is Law(None, rule.when).leads:
        return
    for path, after in _settling(allowed, [*here, step.sound], step.after):
        obeyed = [reading.truth(rule.leads, after, env)]
        for change in rule.changes:
            was, now = reading.number(change.number, before, env), reading.number(change.number, after, env)
            amount = reading.number(change.amount, before, env)
            obeyed.append(reading.compare("==", now, reading.combine("+", was, amount)))
        refuse([*here, step.sound, path, neg(conj(obeyed))], allowed.integers, f"`{action.name}` may break the law")


def _settling(allowed: Inductive, given: list[Truth], cells: Cells) -> Iterator[tuple[Truth, Cells]]:
    """The states behind automatic phases, each with the way that leads to it."""
    reading, waiting, followed = allowed.reading, [(True, cells)], 0
    automatic = [p for p in reading.game.phases if p.automatic]
    while waiting:
        path, now = waiting.pop()
        followed += 1
        if followed > _MOST_PATHS:
            raise NotShown("too many ways through automatic phases")
        rests = conj([path, reading.settled(now)])
        if not _impossible(allowed, given, rests):
            yield rests, now
        for phase in automatic:
            due = conj([path, reading.compare("==", now[1], 0), reading.compare("==", now[0], phase.number)])
            if not _impossible(allowed, given, due):
                step = reading.step(phase, now, ())
                waiting.append((conj([due, step.sound]), step.after))


def _impossible(allowed: Inductive, given: list[Truth], path: Truth) -> bool:
    if isinstance(path, bool):
        return not path
    simple: Any = z3.simplify(path)
    return bool(z3.is_false(simple)) or answer([*given, simple], allowed.integers, _PATH_WORK) == "unsat"


def _can(allowed: Inductive, rule: Law, wanted: frozenset[int]) -> None:
    reading, cells = allowed.reading, allowed.state
    game = reading.game
    steps = [reading.step(a, cells, a.values(i)).legal for a in game.actions
             for i in range(a.first, a.first + a.count) if i in wanted]
    here = [*allowed.assumed(cells), reading.compare("==", cells[1], 0), reading.settled(cells),
            reading.truth(rule.when, cells, {})]
    refuse([*here, neg(disj(steps))], allowed.integers, "such a decision may be refused there")


__all__ = ["LawBroken", "LawInStates", "LawKept", "barred", "breaks", "read"]
