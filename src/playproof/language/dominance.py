"""Dominance: a game declares which of two states is better; searches use the order only after Z3
has proved it.

A game declares directions, `g.fact(better={"hearts": +1, "round": -1})`, and optionally a condition
that both states must meet to be comparable, `better_when=s.round > 1`. State s is *better or equal*
to t if every cell of the named fields is better or equal in its direction and all other cells are
the same.

`prove` shows that this order is a simulation: whatever is legal in t is legal in s and leads to a
better or equal state, or s has already won the most that can be won, or t has lost the most that
can be lost. The proof covers each small step (an action, or one automatic phase) from any two
states within their bounds. It holds for whole steps too: two states of which one is better run the
same automatic phases side by side. The proof assumes that no value leaves its bounds on the way;
the verifier proves that.

A search may drop a state when it has found a better one. This preserves only the best return that
play and luck together can reach, and the fewest rounds to it. It does not preserve counts of
states, losses, dead actions or values against chance; do not ask such a search for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import z3

from playproof.language.errors import RulesError
from playproof.language.expr import Term
from playproof.language.game import Game
from playproof.language.state_order import Proved, condition, digest
from playproof.language.symbolic import Move, Sym, Symbolic, Truth, as_z3, conj, disj, neg, truth

Directions = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Refuted:
    """A counterexample: two states, the better one first, and the step that breaks the order."""

    better: tuple[int, ...]
    worse: tuple[int, ...]
    step: str
    why: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Z3 neither proved nor refuted the order."""

    reason: str


Result = Proved | Refuted | Unknown


def declared(game: Game) -> dict[str, int]:
    """Return the directions a game declares: +1 if more is better, -1 if less is; {} if it declares
    none."""
    return dict(game.facts.get("better") or {})


def prove(
    game: Game, directions: Directions | None = None, *, given: Sequence[Term] = (), seconds: float = 60.0
) -> Result:
    """Prove or refute that the order (default: the declared one) is a simulation. `given` are
    invariants; they are proved first and then assumed of both states. Only games of one seat are
    allowed: with an opponent, a state that is better for one is worse for the other."""
    chosen = declared(game) if directions is None else dict(directions)
    _check(game, chosen)
    return _Proof(game, chosen, tuple(given), seconds).run()


def _check(game: Game, directions: Directions) -> None:
    if game.players != 1:
        raise RulesError("PP340", f"`{game.name}` has {game.players} seats; `better` is for one seat")
    if not directions:
        message = f"`{game.name}` does not declare which values are better"
        raise RulesError("PP341", message, 'write g.fact(better={"gold": +1})')
    for name, sign in directions.items():
        game.field_named(name)
        if sign not in (1, -1) or name in ("phase", "outcome"):
            raise RulesError(
                "PP342", f"`better` of `{name}` is {sign}", "use +1 or -1, and neither phase nor outcome"
            )


class _Proof:
    """Two open states and the small steps from both with the same parameters: `t` is any state, `s`
    is better than or equal to it."""

    def __init__(self, game: Game, directions: Directions, given: tuple[Term, ...], seconds: float) -> None:
        self.game, self.directions, self.given = game.seal(), directions, given
        self.deadline, self.began = perf_counter() + seconds, perf_counter()
        self.reading = Symbolic(game)
        named = {game.field_named(n).number: sign for n, sign in directions.items()}
        self.sign = [named.get(f.number, 0) for f in self.reading.fields]
        self.worse = self.reading.state("t")
        other = self.reading.state("s")
        self.better = [o if sign else w for w, o, sign in zip(self.worse, other, self.sign, strict=True)]
        round_name = game.facts.get("round")
        self.round = game.quantities.get(str(round_name)) if round_name else None
        self.least, self.most = _returns_between(game)

    def run(self) -> Result:
        """Check the invariants, then the rounds, then each small step."""
        steps = list(
            zip(self.reading.moves(self.better, "a"), self.reading.moves(self.worse, "a"), strict=True)
        )
        for term in self.given:
            if not self._inductive(term):
                return Unknown(f"an invariant it rests on is not inductive: {term!r}")
        if self.round is not None:
            answer = self._ask("at rest", "its round is later", neg(self._sooner(self.better, self.worse)))
            if answer is not None:
                return answer
        for ours, theirs in steps:
            answer = self._step(ours, theirs)
            if answer is not None:
                return answer
        directions = tuple(sorted(self.directions.items()))
        return Proved(digest(self.game), directions, self.given, len(steps), perf_counter() - self.began)

    # -- obligations ----------------------------------------------------------------------------------------

    def _step(self, ours: Move, theirs: Move) -> Result | None:
        """Ask Z3 whether one small step can break the order. Return its first answer that does not
        rule that out, else None."""
        legal = (theirs.outcome.sound,)
        answer = self._ask(ours.name, "it is not legal in the better state", *legal, neg(ours.outcome.legal))
        if answer is None and ours.action is not None and ours.action.weight is not None:
            answer = self._ask(
                ours.name, "chance weighs it differently", *legal, neg(self._same_chance(ours, theirs))
            )
        if answer is None and ours.action is not None and ours.action.weight is not None:
            chance = self._by_chance(ours)
            answer = self._ask(
                ours.name,
                "chance brings it in the better state only",
                chance,
                ours.outcome.sound,
                neg(theirs.outcome.legal),
            )
        both = (*legal, ours.outcome.sound)
        if answer is None:
            answer = self._ask(
                ours.name,
                "it leads to states of which the first is not better",
                *both,
                neg(self._follows(ours.outcome.after, theirs.outcome.after)),
            )
        if answer is None and self.round is not None:
            back = neg(
                self.reading.arithmetic.compare(
                    "<=",
                    self.reading.value(self.round, self.worse),
                    self.reading.value(self.round, theirs.outcome.after),
                )
            )
            answer = self._ask(ours.name, "it goes back to an earlier round", *legal, back)
        return answer

    def _follows(self, s: Sequence[Sym], t: Sequence[Sym]) -> Truth:
        """Return the condition that s is better or equal, or s has won the most and no later than
        t, or t has lost the most, or both are over and s is no worse and no later."""
        a, r = self.reading.arithmetic, self.reading
        ours, theirs = self._return(s), self._return(t)
        sooner = True if self.round is None else self._sooner(s, t)
        won = conj(r.over(s), a.compare("==", ours, self.most), sooner)
        lost = conj(r.over(t), a.compare("==", theirs, self.least))
        no_worse = conj(r.over(s), r.over(t), a.compare("<=", theirs, ours), sooner)
        return disj(self._ordered(s, t), won, lost, no_worse)

    def _ordered(self, s: Sequence[Sym], t: Sequence[Sym]) -> Truth:
        """Return the condition that the states are the same, or that s is better or equal and the
        two are comparable."""
        a = self.reading.arithmetic
        order, same = [], []
        for ours, theirs, sign in zip(s, t, self.sign, strict=True):
            equal = a.compare("==", ours, theirs)
            same.append(equal)
            if sign > 0:
                order.append(a.compare("<=", theirs, ours))
            elif sign < 0:
                order.append(a.compare("<=", ours, theirs))
            else:
                order.append(equal)
        return disj(conj(*same), conj(*order, self._comparable(s), self._comparable(t)))

    def _comparable(self, state: Sequence[Sym]) -> Truth:
        return truth(self.reading.value(condition(self.game), state))

    def _sooner(self, s: Sequence[Sym], t: Sequence[Sym]) -> Truth:
        assert self.round is not None
        value = self.reading.value
        return self.reading.arithmetic.compare("<=", value(self.round, s), value(self.round, t))

    def _return(self, state: Sequence[Sym]) -> Sym:
        """The seat's return in a finished state, as `Interpreter.returns` reads it."""
        return self.reading.value(self.game.results[0], state)

    # -- chance ---------------------------------------------------------------------------------------------

    def _by_chance(self, move: Move) -> Truth:
        """Return the condition that chance acts in the better state."""
        assert move.action is not None
        a = self.reading.arithmetic
        return disj(
            *(
                conj(
                    a.compare("==", self.better[0], p),
                    a.compare("==", self.reading.value(self.game.phases[p].actor, self.better), -1),
                )
                for p in move.action.phases
            )
        )

    def _same_chance(self, ours: Move, theirs: Move) -> Truth:
        same = self.reading.arithmetic.compare(
            "==", self._weight(ours, self.better), self._weight(theirs, self.worse)
        )
        return disj(neg(self._by_chance(ours)), same)

    def _weight(self, move: Move, state: Sequence[Sym]) -> Sym:
        assert move.action is not None
        assert move.action.weight is not None
        env = {p.local.number: v for p, v in zip(move.action.params, move.params, strict=True)}
        for statement in move.action.kept:
            env[statement.local.number] = self.reading.walker.value(statement.value, state, env)
        return self.reading.walker.value(move.action.weight, state, env)

    # -- asking ---------------------------------------------------------------------------------------------

    def _ask(self, step: str, why: str, *parts: Truth) -> Result | None:
        """Return None if no two ordered states satisfy all parts together; else return what Z3
        found."""
        solver = self._solver()
        solver.add(self.reading.typed(self.better), as_z3(self._ordered(self.better, self.worse)))
        for term in self.given:
            solver.add(
                *(as_z3(truth(self.reading.value(term, state))) for state in (self.better, self.worse))
            )
        solver.add(*(as_z3(p) for p in parts))
        answer = solver.check()
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            return Unknown(f"`{step}`: Z3 gave no answer ({solver.reason_unknown()})")
        model = solver.model()
        better, worse = (tuple(self.reading.read(state, model)) for state in (self.better, self.worse))
        return Refuted(better, worse, step, why)

    def _inductive(self, term: Term) -> bool:
        """Return whether a term holds at the start and every small step preserves it, without other
        invariants."""
        from playproof.language.interpreter import Interpreter

        if not Interpreter(self.game).value(term, self.game.initial()):
            return False
        held = as_z3(truth(self.reading.value(term, self.worse)))
        for move in self.reading.moves(self.worse, "a"):
            solver = self._solver()
            solver.add(held, as_z3(move.outcome.sound))
            solver.add(as_z3(neg(truth(self.reading.value(term, move.outcome.after)))))
            if solver.check() != z3.unsat:
                return False
        return True

    def _solver(self) -> Any:
        solver = z3.SolverFor("QF_BV")
        solver.set(timeout=max(1, int(1000 * (self.deadline - perf_counter()))))
        solver.add(self.reading.typed(self.worse))
        return solver


def _returns_between(game: Game) -> tuple[int, int]:
    """Return bounds on the seat's return."""
    return game.results[0].lo, game.results[0].hi
