"""Conditions that every small step keeps: the heart of every "never" and "always".

A layer's conditions hold at the start, and after each small step from a state in which all of them hold. Each step and
condition is a question of its own. Where Z3 does not answer a question with little work, it is split by the values of
the places that the certificate names (a parameter, a cell), one place after the other; all values of a place are gone
through, so nothing can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

from playproof.database.errors import Where
from playproof.rules.language import Action, Game, Interpreter, Phase
from playproof.rules.language.expr import Apply, Const, Op, Reduce, Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Cells, Env, Number, Reading, Step, Truth, alike, conj, disj, neg
from playproof.verifier.kernel.solving import WORK, answer
from playproof.verifier.questions.conditions import Formula

_FIRST, _NEXT = 3_000_000, 10_000_000
"""Z3's work on all of a step's questions together, and on one that can still be split."""
_PLACES = 4

Piece = tuple[Term, Env]
"""One of the conditions that another consists of, and what its bound variables are."""
Known = dict[str, int]
"""Places (`cell 4`, `param 0`) whose values are fixed."""
Wrong = Callable[[Step, Cells], Truth]
"""What must not be, of a step and the cells before it."""


@dataclass(frozen=True)
class Split:
    """By which places questions about one step (or, with "", about every other) are split: `cell 4`, `param 0`."""

    step: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class Layer:
    """Conditions that are kept together; `integers` says in which arithmetic Z3 is asked."""

    conjuncts: tuple[str, ...]
    integers: bool
    splits: tuple[Split, ...]


_KEPT: WeakKeyDictionary[Game, set[Layer]] = WeakKeyDictionary()
"""Layers shown to be kept, for each game: what one certificate has shown is not asked again for the next."""


def kept(game: Game, layers: Sequence[Layer]) -> None:
    """Every layer is inductive by itself. Raises NotShown."""
    known = _KEPT.setdefault(game, set())
    for layer in layers:
        if layer not in known:
            Inductive(game, layer.conjuncts, layer.integers, layer.splits).check()
            known.add(layer)


def learnt(game: Game) -> frozenset[Layer]:
    """Layers shown to be kept in this process."""
    return frozenset(_KEPT.get(game, ()))


def note(game: Game, layers: Iterable[Layer]) -> None:
    """Take over what a child process of this run has shown."""
    _KEPT.setdefault(game, set()).update(layers)


def read(game: Game, text: str) -> Term:
    """A condition's text as a term. Raises InputError."""
    return Formula(game, Where("condition")).read(text)


class Inductive:
    """Conditions assumed before each small step of a game, and questions about the steps."""

    def __init__(self, game: Game, conjuncts: Sequence[str], integers: bool, splits: Sequence[Split]) -> None:
        self.game, self.integers = game, integers
        self.terms = {text: read(game, text) for text in dict.fromkeys(conjuncts)}
        self.reading = Reading(game, integers, list(self.terms.values()))
        self.state = self.reading.state()
        self.splits = {split.step: split.places for split in splits}

    def check(self) -> None:
        """The conditions hold at the start and are kept. Raises NotShown."""
        play, start = Interpreter(self.game), self.game.initial()
        for text, term in self.terms.items():
            if not play.value(term, start):
                raise NotShown(f"`{text}` does not hold at the start")
        for what in self.reading.kinds():
            self._kept_by(what)

    def assumed(self, cells: Cells) -> list[Truth]:
        """The cells are within bounds, and every condition holds."""
        return [self.reading.typed(cells), *(self.reading.truth(t, cells, {}) for t in self.terms.values())]

    def _kept_by(self, what: Action | Phase) -> None:
        step = self.reading.step(what, self.state, self.reading.params(what))
        fields = self.reading.fields
        written = {f.number for f, old, new in zip(fields, self.state, step.after, strict=True) if not alike(old, new)}
        asked = [(text, piece) for text, term in self.terms.items() if written & set(term.reads)
                 for piece in pieces(term, {})]
        if not asked or self._ask(step, self.state, lambda s, c: disj(self._broken(p, s, c) for _, p in asked),
                                  _FIRST) == "unsat":
            return
        for text, piece in asked:
            self.refuse(what, partial(self._broken, piece), f"`{step.name}` may break `{text}`")

    def _broken(self, piece: Piece, step: Step, before: Cells) -> Truth:
        return conj([step.sound, neg(self._keeps(piece, before, step.after))])

    # -- questions ------------------------------------------------------------------------------------------

    def refuse(self, what: Action | Phase, wrong: Wrong, said: str) -> None:
        """No state that the conditions allow has such a step. Raises NotShown."""
        name = what.name if isinstance(what, Action) else f"automatic {what.name}"
        places = self.splits.get(name, self.splits.get("", ()))[:_PLACES]
        found = self._settled(what, wrong, places, {})
        if found != "unsat":
            raise NotShown(said if found == "sat" else f"{said}: Z3 gives no answer")

    def _settled(self, what: Action | Phase, wrong: Wrong, places: Sequence[str], known: Known) -> str:
        """Z3's answer as a whole, else for each value of the next place."""
        cells, params = self._fixed(what, known)
        step = self.reading.step(what, cells, params)
        found = self._ask(step, cells, wrong, _NEXT if places else WORK)
        if found != "unknown" or not places:
            return found
        answers = (self._settled(what, wrong, places[1:], {**known, places[0]: value})
                   for value in self._values(what, places[0]))
        return next((a for a in answers if a != "unsat"), "unsat")

    def _ask(self, step: Step, cells: Cells, wrong: Wrong, work: int) -> str:
        asked = wrong(step, cells)
        return "unsat" if asked is False else answer([*self.assumed(cells), asked], self.integers, work)

    def _fixed(self, what: Action | Phase, known: Known) -> tuple[Cells, list[Number]]:
        cells = [known.get(f"cell {n}", c) for n, c in enumerate(self.state)]
        return cells, [known.get(f"param {n}", p) for n, p in enumerate(self.reading.params(what))]

    def _values(self, what: Action | Phase, place: str) -> range:
        """Every value that a place can have."""
        kind, _, digits = place.partition(" ")
        number = int(digits) if digits.isdecimal() and len(digits) < 9 else -1
        if kind == "cell" and 0 <= number < len(self.reading.fields):
            field = self.reading.fields[number]
            return range(field.lo, field.hi + 1)
        params = what.params if isinstance(what, Action) else ()
        if kind == "param" and 0 <= number < len(params):
            return range(params[number].low, params[number].low + params[number].count)
        raise NotShown(f"there is no place {place[:40]!r} to split by")

    # -- what a step changes --------------------------------------------------------------------------------

    def _keeps(self, piece: Piece, before: Cells, after: Cells) -> Truth:
        """Whether a condition holds after a step before which it held. An equality of sums holds on if both sides
        gain as much as they lose; summands that the step leaves alone cancel before Z3 sees them."""
        term, env = piece
        if not (isinstance(term, Op) and term.op == "==" and max(a.hi - a.lo for a in term.args) > 1):
            return self.reading.truth(term, after, env)
        gained: Number = 0
        lost: Number = 0
        for sign, side in ((1, term.args[0]), (-1, term.args[1])):
            for one, leaf, bound in self._summands(side, env, sign, before, after):
                was, now = self.reading.number(leaf, before, bound), self.reading.number(leaf, after, bound)
                if not alike(was, now):
                    more, less = (now, was) if one > 0 else (was, now)
                    gained, lost = self.reading.combine("+", gained, more), self.reading.combine("+", lost, less)
        return self.reading.compare("==", gained, lost)

    def _summands(self, term: Term, env: Env, sign: int, before: Cells,
                  after: Cells) -> Iterator[tuple[int, Term, Env]]:
        """The terms that a sum consists of, with their signs; a named function is a sum where its arguments stay."""
        match term:
            case Op(op="+" | "-", args=(left, right)):
                yield from self._summands(left, env, sign, before, after)
                yield from self._summands(right, env, sign if term.op == "+" else -sign, before, after)
            case Reduce(kind="sum"):
                for i in range(term.start, term.stop):
                    yield from self._summands(term.body, {**env, term.var.number: i}, sign, before, after)
            case Apply(function=function):
                was = [self.reading.number(x, before, env) for x in term.args]
                now = [self.reading.number(x, after, env) for x in term.args]
                if all(map(alike, was, now)):
                    inner = {p.number: x for p, x in zip(function.params, was, strict=True)}
                    yield from self._summands(function.body, inner, sign, before, after)
                else:
                    yield sign, term, env
            case _:
                yield sign, term, env


def pieces(term: Term, env: Env) -> Iterator[Piece]:
    """The conditions that all hold just where a term does. A conjunction may be written `... == 1`."""
    match term:
        case Op(op="and"):
            for each in term.args:
                yield from pieces(each, env)
        case Reduce(kind="all"):
            for i in range(term.start, term.stop):
                yield from pieces(term.body, {**env, term.var.number: i})
        case Op(op="==", args=(inner, Const(value=1))) if (inner.lo, inner.hi) == (0, 1):
            yield from pieces(inner, env)
        case _:
            yield term, env


__all__ = ["Inductive", "Layer", "Split", "kept", "learnt", "note", "pieces", "read"]
