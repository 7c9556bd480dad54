"""Conditions that every small step keeps: the heart of every "never" and "always".

A layer's conditions hold at the start, and after each small step from a state in which they hold, and with them those
of the layers that it builds on. A step's question is asked as a whole, or apart for each value of a place that the
certificate names (a parameter, a cell before the step), and where Z3 does not answer, for each value of the next. All
values of a place are gone through, so nothing can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

from playproof.database.errors import Where
from playproof.rules.language import Action, Game, Interpreter, Phase
from playproof.rules.language.expr import Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.changes import Piece, keeps, pieces
from playproof.verifier.kernel.reading import Cells, Reading, Step, Truth, alike, conj, disj, neg
from playproof.verifier.kernel.solving import WORK, answer
from playproof.verifier.questions.conditions import Formula

LITTLE = 4_000_000
"""Z3's work on a question that can still be split by a place."""

Known = dict[str, int]
"""Places (`cell 4`, `param 0`) whose values are fixed."""
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
    """Conditions assumed before each small step of a game, and questions about the steps; `extra` are the terms that
    are asked about besides."""

    def __init__(self, game: Game, conjuncts: Sequence[str], integers: bool, splits: Sequence[Split],
                 extra: Sequence[Term] = ()) -> None:
        self.game, self.integers, self.extra = game, integers, tuple(extra)
        self.terms = {text: read(game, text) for text in dict.fromkeys(conjuncts)}
        self.reading = Reading(game, integers, [*self.terms.values(), *extra])
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
            self._sides[integers] = Inductive(self.game, tuple(self.terms), integers, tuple(self.splits.values()),
                                              self.extra)
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
        return conj([step.sound, neg(keeps(self.reading, piece, before, step.after))])

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


__all__ = ["LITTLE", "Inductive", "Known", "Layer", "Shown", "Split", "Wrong", "kept", "learnt", "note", "read"]
