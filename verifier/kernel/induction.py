"""Conditions that every small step keeps: the core of every "never" and "always".

A layer's conditions hold at the start. They also hold after each small step from a state in which
they hold together with the conditions of the layers that this one builds on. Z3 answers the
question about a step as a whole, or separately for each value of a place that the certificate names
(a parameter, or a cell before the step). If Z3 gives no answer, the question is split by the next
place too. All values of a place are covered, so no case is left out.

A step from fewer conditions is a step from more states. So a question is asked first without the conditions that are
far from it, because they read other fields than it does. The name of a question is a digest of all that it says, and
of nothing else, so a game in which the step and these conditions are the same need not ask it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar, cast

from playproof.database.errors import Where
from playproof.language import Action, Interpreter, Phase
from playproof.language.description import compute_part_digest
from playproof.language.expr import Term
from playproof.language.game import Game
from playproof.language.traced_statements import Invoke, find_written_fields, iter_statements
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.changes import BoundTerm, keeps, pieces
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.reading import (
    Cells,
    Reading,
    SmallStep,
    Truth,
    alike,
    conj,
    disj,
    neg,
    terms_of,
)
from playproof.verifier.kernel.solving import WORK, answer, refuse
from playproof.verifier.questions.conditions import ConditionReader

LITTLE = 4_000_000
"""The limit of Z3's work on a question that can still be split by a place."""
_PATIENCE = 4 * LITTLE
"""The limit of Z3's work on a question without far conditions."""
_OTHERS = 2, 5
"""So many fields besides those of a question may its conditions read, first and then, before all are taken."""
_MOST_VALUES = 100_000

T = TypeVar("T")
Known = dict[str, int]
"""Places (`cell 4`, `param 0`) with fixed values."""
Wrong = Callable[[SmallStep, Cells], Truth]
"""A formula that must not hold, made from a step and the cells before it."""


@dataclass(frozen=True)
class Split:
    """How Z3 answers the questions about one step, or with `step` "" about every other step: in
    which arithmetic, and split by the values of which places (`cell 4`, `param 0`)."""

    step: str
    integers: bool
    places: tuple[str, ...]


@dataclass(frozen=True)
class Lemma:
    """Conditions that steps keep together, given the conditions of the earlier layers whose numbers
    are in `on`. `integers` selects Z3's arithmetic for steps without a split."""

    conjuncts: tuple[str, ...]
    integers: bool
    splits: tuple[Split, ...]
    on: tuple[int, ...] = ()


def kept(game: Game, layers: Sequence[Lemma], context: Context) -> None:
    """Check that every layer is inductive, given the earlier layers that it names. Raises NotShown.

    The theorem: every state of every game, those between automatic phases included, satisfies all
    layers. The premises: a layer holds before anything happens; each small step without a fault keeps
    it, from any cells within bounds that satisfy it and the layers it names (`Inductive.check`);
    these come before it, so that no layer supports itself; a split asks every value of its places
    (`values`).
    """
    for number, layer in enumerate(layers):
        if any(not 0 <= n < number for n in layer.on):
            raise NotShown("a layer builds on one that does not come before it")
        premises = [text for n in layer.on for text in layers[n].conjuncts]
        allowed = Inductive(game, [*premises, *layer.conjuncts], layer.integers, layer.splits, context)
        allowed.check(layer.conjuncts)


def read(game: Game, text: str) -> Term:
    """Return a condition's text as a term. Raises InputError."""
    return ConditionReader(game, Where("condition")).read_condition(text)


def touched(what: Action | Phase) -> frozenset[int]:
    """Return the numbers of the fields that a kind of step reads or writes, the phase and the ending included."""
    some = {0, 1, *(what.weight.reads if isinstance(what, Action) and what.weight is not None else ())}
    bodies = [what.body or ()]
    for body in bodies:  # it grows
        some |= find_written_fields(body)
        for statement in iter_statements(body):
            some.update(number for term in terms_of(statement) for number in term.reads)
            if isinstance(statement, Invoke):
                bodies.append(statement.procedure.body)
    return frozenset(some)


class Inductive:
    """Conditions assumed before each small step of a game, and questions about the steps. `extra`
    are further terms that questions use."""

    def __init__(
        self,
        game: Game,
        conjuncts: Sequence[str],
        integers: bool,
        splits: Sequence[Split],
        context: Context,
        extra: Sequence[Term] = (),
    ) -> None:
        self.game, self.integers, self.context, self.extra = game, integers, context, tuple(extra)
        self.terms = {text: read(game, text) for text in dict.fromkeys(conjuncts)}
        reading = Reading(game, integers, [*self.terms.values(), *extra])
        self.reading = context.once(game, ("reading", reading.width), lambda: reading)
        self.state = context.once(game, ("state", reading.width), self.reading.state)
        self.splits = {split.step: split for split in splits}
        if len(self.splits) < len(splits):
            raise NotShown("a step is split in two ways")
        self._sides = {integers: self}
        self._made: dict[tuple[object, ...], Any] = {}
        self._truths: dict[str, Truth] = {}

    def check(self, own: Sequence[str]) -> None:
        """Check that the conditions `own` hold at the start and that every kind of step keeps them.
        Raises NotShown."""
        play, start = Interpreter(self.game), self.game.get_initial_cells()
        for text in own:
            if not play.value(self.terms[text], start):
                raise NotShown(f"`{text}` does not hold at the start")
        for what in self.reading.kinds():
            self.kept_by(what, own)

    def assumed(self, cells: Cells) -> list[Truth]:
        """Return the formulas that the cells are within bounds and every condition holds."""
        if cells is self.state:  # asked of by every question about a step
            return [self._truth(""), *map(self._truth, self.terms)]
        return [self.reading.typed(cells), *(self.reading.truth(t, cells, {}) for t in self.terms.values())]

    def _truth(self, text: str) -> Truth:
        """Return the formula that a condition holds before a step, or with "" that all cells are within bounds."""
        if text not in self._truths:
            state = self.state
            whole = self.reading.truth(self.terms[text], state, {}) if text else self.reading.typed(state)
            self._truths[text] = whole
        return self._truths[text]

    def under(self, texts: Sequence[str]) -> Inductive:
        """Return the same questions under some of the conditions. What is shown under these holds under all."""
        other = object.__new__(Inductive)
        other.__dict__.update(self.__dict__, terms={text: self.terms[text] for text in texts})
        return other

    def slices(self, what: Action | Phase, about: Iterable[Term]) -> list[tuple[str, ...]]:
        """Return the conditions to assume in questions about a kind of step and the terms `about`: those that read
        hardly more than these do, then more, then all."""
        kind = "touched", isinstance(what, Action), what.number
        reads = self.context.once(self.game, kind, lambda: touched(what)).union(*(t.reads for t in about))
        far = {text: len(term.reads.keys() - reads) for text, term in self.terms.items()}
        slices = [tuple(filter(lambda text: far[text] <= most, far)) for most in _OTHERS]
        return list(dict.fromkeys((*slices, tuple(far))))

    def settle(
        self, question: object, slices: Sequence[Sequence[str]], ask: Callable[[Inductive], None]
    ) -> None:
        """Ask a question, unless it was settled before: under each of the `slices` of the conditions with little work,
        the last of which are all. The text of `question` says all that is asked but for these. Raises NotShown."""
        names = [self._named(question, texts) for texts in slices]
        if not self.context.steps.isdisjoint(names):
            return
        for name, texts in zip(names, slices, strict=True):
            last = texts is slices[-1]
            try:
                with self.context.limited(self.context.work if last else _PATIENCE):
                    ask(self if last else self.under(texts))
            except NotShown:
                if last:
                    raise
            else:
                self.context.steps.add(name)
                return

    def _named(self, question: object, texts: Sequence[str]) -> bytes:
        """Return the digest of a question under some of the conditions, whose order does not count."""
        return sha256(f"{self.reading.width} {question} {sorted(map(self.name, texts))}".encode()).digest()

    def exclude(self, cells: Cells, parts: Sequence[Truth], message: str) -> None:
        """Check that no state that the conditions allow satisfies all parts. Raises NotShown."""
        refuse([*self.assumed(cells), *parts], self.integers, message, self.context)

    def split(self, what: Action | Phase) -> Split:
        """Return how questions about a kind of step are split."""
        name = what.name if isinstance(what, Action) else f"automatic {what.name}"
        return self.splits.get(name, self.splits.get("", Split("", self.integers, ())))

    def side(self, what: Action | Phase) -> Inductive:
        """Return these conditions in the arithmetic that questions about a kind of step use."""
        return self.over(self.split(what).integers)

    def over(self, integers: bool) -> Inductive:
        """Return the same conditions over integers or bit-vectors."""
        if integers not in self._sides:
            other = Inductive(self.game, tuple(self.terms), integers, (), self.context, self.extra)
            other.splits = self.splits
            self._sides[integers] = other
        return self._sides[integers]

    def step(self, what: Action | Phase) -> SmallStep:
        """Return a kind of step from an open state; it is read once for a game, in each arithmetic."""
        kind = "step", self.reading.width, isinstance(what, Action), what.number
        read = partial(self.reading.step, what, self.state, self.reading.params(what))
        return self.context.once(self.game, kind, read)

    def made(self, purpose: str, what: Action | Phase, about: Sequence[object], make: Callable[[], T]) -> T:
        """Return what `make` builds for a kind of step and a purpose. Each is built once, because
        formulas cost more than Z3's answers."""
        key = purpose, isinstance(what, Action), what.number, *about
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])

    def kept_by(self, what: Action | Phase, own: Sequence[str]) -> None:
        """Check that a kind of step keeps the conditions `own`. Raises NotShown."""
        message = f"`{what.name}` may break {' or '.join(own)}"
        self.never("kept", what, own, message, lambda side: side.broken(what, own))

    def never(
        self,
        purpose: str,
        what: Action | Phase,
        own: Sequence[str],
        message: str,
        wrongs: Callable[[Inductive], list[Wrong]],
        about: Sequence[Term] = (),
    ) -> None:
        """Check that a kind of step makes none of `wrongs` true. These are made of nothing but the purpose, the step,
        the conditions `own` and the terms `about`. Raises NotShown."""
        split, side = self.split(what), self.side(what)
        names = sorted(map(self.name, own)), compute_part_digest(self.game, about)
        question = purpose, self.name(what), *names, split.integers, split.places
        slices = side.slices(what, [*(self.terms[text] for text in own), *about])
        side.settle(question, slices, lambda under: under.refuse(what, wrongs(under), message))

    def name(self, part: Action | Phase | str) -> str:
        """Return a digest of the content of a kind of step or of a condition."""
        key = part if isinstance(part, str) else (isinstance(part, Action), part.number)
        content = self.terms[part] if isinstance(part, str) else part
        return self.context.once(self.game, ("part", key), lambda: compute_part_digest(self.game, content))

    def broken(self, what: Action | Phase, own: Sequence[str]) -> list[Wrong]:
        """Return what a kind of step may break: those pieces of the conditions that read a field
        that it writes."""
        return self.made("broken", what, own, lambda: self._pieces(what, own))

    def _pieces(self, what: Action | Phase, own: Sequence[str]) -> list[Wrong]:
        both = zip(self.reading.fields, self.state, self.step(what).after, strict=True)
        written = {f.number for f, old, new in both if not alike(old, new)}
        wrong: list[Wrong] = []
        for text in own:
            term = self.terms[text]
            if written & set(term.reads):
                wrong += [partial(self._broken, piece) for piece in pieces(term, {})]
        return wrong

    def _broken(self, piece: BoundTerm, step: SmallStep, before: Cells) -> Truth:
        return conj([step.sound, neg(keeps(self.reading, piece, before, step.after))])

    # -- questions ------------------------------------------------------------------------------------------

    def refuse(self, what: Action | Phase, wrongs: Sequence[Wrong], message: str) -> None:
        """Check that no step of this kind, from a state that the conditions allow, makes one of
        `wrongs` true. Raises NotShown."""
        reply = self._settled(what, wrongs, self.split(what).places, {})
        if reply != "unsat":
            raise NotShown(message if reply == "sat" else f"{message}: Z3 gives no answer")

    def _settled(
        self, what: Action | Phase, wrongs: Sequence[Wrong], places: Sequence[str], fixed: Known
    ) -> str:
        """Return Z3's answer, with splits.

        If places remain, the question is asked for each value of the first one; before a further
        split, it is asked as a whole with little work. Without places, all `wrongs` are asked
        together, and if Z3 gives no answer, each half separately.
        """
        if fixed or not places:
            reply = self.ask(what, wrongs, fixed, LITTLE if places else WORK)
            if reply != "unknown" or not (places or len(wrongs) > 1):
                return reply
        if places:
            answers = (
                self._settled(what, wrongs, places[1:], {**fixed, places[0]: value})
                for value in self.values(what, places[0])
            )
        else:
            half = len(wrongs) // 2
            answers = (self._settled(what, some, (), fixed) for some in (wrongs[:half], wrongs[half:]))
        return next((a for a in answers if a != "unsat"), "unsat")

    def ask(self, what: Action | Phase, wrongs: Sequence[Wrong], fixed: Known, work: int) -> str:
        """Return Z3's answer to "may one of these go wrong?", with the places in `fixed` as they say."""
        parts = [*self.assumed(self.state), *self.question(what, wrongs, fixed)]
        return answer(parts, self.integers, self.context, work)

    def question(self, what: Action | Phase, wrongs: Sequence[Wrong], fixed: Known) -> list[Truth]:
        """Return the formulas that one of `wrongs` holds and that the known cells have their
        values."""
        return self.made(
            "question", what, (*wrongs, *fixed.items()), lambda: self._question(what, wrongs, fixed)
        )

    def _question(self, what: Action | Phase, wrongs: Sequence[Wrong], fixed: Known) -> list[Truth]:
        cells = [fixed.get(f"cell {n}", c) for n, c in enumerate(self.state)]
        params = [fixed.get(f"param {n}", p) for n, p in enumerate(self.reading.params(what))]
        step = self.reading.step(what, cells, params) if fixed else self.step(what)
        same = (
            self.reading.compare("==", cell, other)
            for cell, other in zip(self.state, cells, strict=True)
            if cell is not other
        )
        return [*same, disj(wrong(step, cells) for wrong in wrongs)]

    def values(self, what: Action | Phase, place: str) -> range:
        """Return every value that a place can have. Raises NotShown if there is no such place."""
        kind, _, digits = place.partition(" ")
        number = int(digits) if digits.isdecimal() and len(digits) < 9 else -1
        if kind == "cell" and 0 <= number < len(self.reading.fields):
            field = self.reading.fields[number]
            if field.hi - field.lo >= _MOST_VALUES:
                raise NotShown(f"{place} has too many values to split by")
            return range(field.lo, field.hi + 1)
        params = what.params if isinstance(what, Action) else ()
        if kind == "param" and 0 <= number < len(params):
            return params[number].values
        raise NotShown(f"there is no place {place[:40]!r} to split by")
