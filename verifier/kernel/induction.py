"""Conditions that every small step keeps: the heart of every "never" and "always".

A layer's conditions hold at the start, and after each small step from a state in which they hold, and with them those
of the layers that it builds on. A step's question is asked as a whole, or apart for each value of a place that the
certificate names (a parameter, a cell before the step), and where Z3 does not answer, for each value of the next. All
values of a place are gone through, so nothing can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import z3

from playproof.database.errors import Where
from playproof.rules.language import Action, Game, Interpreter, Phase
from playproof.rules.language.expr import Apply, Const, Op, Reduce, Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Cells, Env, Number, Reading, Step, Truth, alike, conj, disj, neg
from playproof.verifier.kernel.solving import WORK, answer
from playproof.verifier.questions.conditions import Formula

LITTLE = 4_000_000
"""Z3's work on a question that can still be split by a place."""

_MOST_CASES = 16  # that what a step adds to one summand is taken apart into

Piece = tuple[Term, Env]
"""One of the conditions that another consists of, and what its bound variables are."""
Known = dict[str, int]
"""Places (`cell 4`, `param 0`) whose values are fixed."""
Change = tuple[tuple[tuple[Truth, bool], ...], Number]
"""What a step adds to a summand, in a case: truths that are met, or not."""
Wrong = Callable[[Step, Cells], Truth]
"""What must not be, of a step and the cells before it."""


@dataclass(frozen=True)
class Split:
    """How questions about one step (or, with "", about every other) are asked: in which arithmetic, and apart for the
    values of which places: `cell 4`, `param 0`."""

    step: str
    integers: bool
    places: tuple[str, ...]


@dataclass(frozen=True)
class Layer:
    """Conditions that are kept together, if those of the earlier layers with the numbers `on` are; `integers` says in
    which arithmetic Z3 is asked where no split does."""

    conjuncts: tuple[str, ...]
    integers: bool
    splits: tuple[Split, ...]
    on: tuple[int, ...] = ()


Shown = tuple[str, tuple[str, ...], tuple[str, ...], bool, int, bool, tuple[str, ...]]
"""One question answered: what for, the conditions assumed, those asked about, whether an action, its or the phase's
number, the arithmetic, the places."""
_SHOWN: WeakKeyDictionary[Game, set[Shown]] = WeakKeyDictionary()
"""What was shown of each game: what one certificate has shown is not asked again for the next."""


def kept(game: Game, layers: Sequence[Layer]) -> None:
    """Every layer is inductive, given those before it that it names. Raises NotShown."""
    for number, layer in enumerate(layers):
        if any(not 0 <= n < number for n in layer.on):
            raise NotShown("a layer builds on one that does not come before it")
        given = [text for n in layer.on for text in layers[n].conjuncts]
        Inductive(game, [*given, *layer.conjuncts], layer.integers, layer.splits).check(layer.conjuncts)


def learnt(game: Game) -> frozenset[Shown]:
    """What was shown in this process."""
    return frozenset(_SHOWN.get(game, ()))


def note(game: Game, shown: Iterable[Shown]) -> None:
    """Take over what a child process of this run has shown."""
    _SHOWN.setdefault(game, set()).update(shown)


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
        self.splits = {split.step: split for split in splits}
        if len(self.splits) < len(splits):
            raise NotShown("a step is split in two ways")
        self._allowed = self.assumed(self.state)
        self._sides = {integers: self}

    def check(self, own: Sequence[str]) -> None:
        """Some of the conditions hold at the start and are kept. Raises NotShown."""
        play, start = Interpreter(self.game), self.game.initial()
        for text in own:
            if not play.value(self.terms[text], start):
                raise NotShown(f"`{text}` does not hold at the start")
        for what in self.reading.kinds():
            self.kept_by(what, own)

    def assumed(self, cells: Cells) -> list[Truth]:
        """The cells are within bounds, and every condition holds."""
        return [self.reading.typed(cells), *(self.reading.truth(t, cells, {}) for t in self.terms.values())]

    def split(self, what: Action | Phase) -> Split:
        """How questions about a kind of step are asked."""
        name = what.name if isinstance(what, Action) else f"automatic {what.name}"
        return self.splits.get(name, self.splits.get("", Split("", self.integers, ())))

    def side(self, what: Action | Phase) -> Inductive:
        """The same conditions in the arithmetic in which questions about a kind of step are asked."""
        integers = self.split(what).integers
        if integers not in self._sides:
            self._sides[integers] = Inductive(self.game, tuple(self.terms), integers, tuple(self.splits.values()))
        return self._sides[integers]

    def kept_by(self, what: Action | Phase, own: Sequence[str]) -> None:
        """A kind of step keeps some of the conditions. Raises NotShown."""
        self.once("kept", what, own, lambda: self.side(what).refuse(
            what, self.side(what).broken(what, own), f"`{what.name}` may break {' or '.join(own)}"))

    def once(self, purpose: str, what: Action | Phase, own: Sequence[str], ask: Callable[[], None]) -> None:
        """Show something of a kind of step, unless it was shown before."""
        known, split = _SHOWN.setdefault(self.game, set()), self.split(what)
        shown = (purpose, tuple(self.terms), tuple(own), isinstance(what, Action), what.number, split.integers,
                 split.places)
        if shown not in known:
            ask()
            known.add(shown)

    def broken(self, what: Action | Phase, own: Sequence[str]) -> list[Wrong]:
        """What a kind of step may break: the pieces of conditions that read what it writes."""
        step = self.reading.step(what, self.state, self.reading.params(what))
        fields = self.reading.fields
        written = {f.number for f, old, new in zip(fields, self.state, step.after, strict=True) if not alike(old, new)}
        return [partial(self._broken, piece) for text in own if written & set(self.terms[text].reads)
                for piece in pieces(self.terms[text], {})]

    def _broken(self, piece: Piece, step: Step, before: Cells) -> Truth:
        return conj([step.sound, neg(self._keeps(piece, before, step.after))])

    # -- questions ------------------------------------------------------------------------------------------

    def refuse(self, what: Action | Phase, wrongs: Sequence[Wrong], said: str) -> None:
        """No state that the conditions allow has a step with which one of these goes wrong. Raises NotShown."""
        found = self._settled(what, wrongs, self.split(what).places, {})
        if found != "unsat":
            raise NotShown(said if found == "sat" else f"{said}: Z3 gives no answer")

    def _settled(self, what: Action | Phase, wrongs: Sequence[Wrong], places: Sequence[str], known: Known) -> str:
        """Z3's answer: where places are named for each value of the first, and as a whole before that of the next;
        else of all together, and where it gives none, of either half."""
        if known or not places:
            found = self.ask(what, wrongs, known, LITTLE if places else WORK)
            if found != "unknown" or not (places or len(wrongs) > 1):
                return found
        if places:
            answers = (self._settled(what, wrongs, places[1:], {**known, places[0]: value})
                       for value in self.values(what, places[0]))
        else:
            half = len(wrongs) // 2
            answers = (self._settled(what, some, (), known) for some in (wrongs[:half], wrongs[half:]))
        return next((a for a in answers if a != "unsat"), "unsat")

    def ask(self, what: Action | Phase, wrongs: Sequence[Wrong], known: Known, work: int) -> str:
        """Z3's answer to "may one of these go wrong?", where some places have a value."""
        return answer([*self._allowed, *self.question(what, wrongs, known)], self.integers, work)

    def question(self, what: Action | Phase, wrongs: Sequence[Wrong], known: Known) -> list[Truth]:
        """That one of these goes wrong, and that the cells among the places have their values."""
        cells = [known.get(f"cell {n}", c) for n, c in enumerate(self.state)]
        params = [known.get(f"param {n}", p) for n, p in enumerate(self.reading.params(what))]
        step = self.reading.step(what, cells, params)
        same = (self.reading.compare("==", one, other) for one, other in zip(self.state, cells, strict=True)
                if one is not other)
        return [*same, disj(wrong(step, cells) for wrong in wrongs)]

    def values(self, what: Action | Phase, place: str) -> range:
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
        """Whether a condition holds after a step before which it held. What reads the same after it does; an equality
        of sums does if both sides gain as much as they lose: summands that the step leaves alone cancel before Z3 sees
        them."""
        term, env = piece
        if not (isinstance(term, Op) and term.op == "==" and max(a.hi - a.lo for a in term.args) > 1):
            was, now = self.reading.truth(term, before, env), self.reading.truth(term, after, env)
            return alike(was, now) or now
        changes = [change for sign, side in ((1, term.args[0]), (-1, term.args[1]))
                   for one, leaf, bound in self._summands(side, env, sign, before, after)
                   for change in self._changes(one, leaf, bound, before, after)]
        return self.reading.compare("==", self._together(changes), 0)

    def _changes(self, sign: int, leaf: Term, env: Env, before: Cells, after: Cells) -> list[Change]:
        """What a step adds to a summand: taken apart, unless there are too many cases."""
        was, now = self.reading.number(leaf, before, env), self.reading.number(leaf, after, env)
        some = list(islice(self._cases(sign, leaf, env, before, after), _MOST_CASES + 1))
        return some if len(some) <= _MOST_CASES else [((), self._gained(sign, was, now))]

    def _gained(self, sign: int, was: Number, now: Number) -> Number:
        return self.reading.combine("-", *((now, was) if sign > 0 else (was, now)))

    def _cases(self, sign: int, leaf: Term, env: Env, before: Cells, after: Cells) -> Iterator[Change]:
        """A cell written at an open index is `If(index == 3, new, old)`: such cases are taken apart where all that
        changed is of one case, so that what stays in it cancels."""
        was, seen = self.reading.number(leaf, before, env), _Seen(after)
        now = self.reading.number(leaf, seen, env)
        if alike(was, now):
            return
        cases = [_case(after[n]) for n in sorted(seen.places) if not alike(before[n], after[n])]
        case = cases[0] if all(c is not None and c.eq(cases[0]) for c in cases) else None
        if case is None:
            yield (), self._gained(sign, was, now)
            return
        for number, truth in ((1, True), (2, False)):
            cells = list(after)
            for n in seen.places:
                if not alike(before[n], after[n]):
                    cells[n] = cells[n].arg(number)
            for path, amount in self._cases(sign, leaf, env, before, cells):
                yield ((case, truth), *path), amount

    def _together(self, changes: Sequence[Change]) -> Number:
        """The sum of what changes. Of the cases `index == 3`, `index == 4` one is met at most, so what they add is a
        choice and no sum."""
        total: Number = 0
        cases: dict[int, tuple[Truth, list[Change], list[Change]]] = {}
        for path, amount in changes:
            if path:
                (case, truth), *rest = path
                cases.setdefault(case.get_id(), (case, [], []))[1 if truth else 2].append((tuple(rest), amount))
            else:
                total = self.reading.combine("+", total, amount)
        choices: dict[int, Number] = {}
        for case, met, unmet in cases.values():
            yes, no = self._together(met), self._together(unmet)
            if alike(no, 0) and z3.is_eq(case) and _plain(case.arg(1)):
                index = case.arg(0).get_id()
                choices[index] = self.reading.pick(case, yes, choices.get(index, 0))
            else:
                total = self.reading.combine("+", total, self.reading.pick(case, yes, no))
        for choice in choices.values():
            total = self.reading.combine("+", total, choice)
        return total

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


class _Seen(list[Number]):
    """Cells, and which of them were looked at."""

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.places: set[int] = set()

    def __getitem__(self, place: Any) -> Any:
        self.places.add(place)
        return super().__getitem__(place)


def _case(cell: Number) -> Truth | None:
    """The truth by which a cell is one of two values."""
    return cell.arg(0) if not isinstance(cell, int) and z3.is_app_of(cell, z3.Z3_OP_ITE) else None


def _plain(formula: Number) -> bool:
    return bool(z3.is_int_value(formula) or z3.is_bv_value(formula))


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


__all__ = ["LITTLE", "Inductive", "Known", "Layer", "Shown", "Split", "Wrong", "kept", "learnt", "note", "pieces",
           "read"]
