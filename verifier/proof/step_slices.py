"""What a question about one kind of small step depends on, and which of these questions were answered before.

Most cards change few steps. Two versions of a game therefore share most questions: the same step, the same
conditions before it, the same condition after it. The digest of a question holds everything that decides it: the step
with all that it runs, looks up and writes, the bounds of every field in it, and the conditions. It holds nothing of
the rest of the game. Conditions about other fields are left out of a question if it is answered without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256

from playproof.language import Action, Phase
from playproof.language.expr import Function, Local, Table, Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.traced_statements import Invoke, Procedure, Require, walk, written_by
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import LITTLE, Inductive, Wrong
from playproof.verifier.kernel.reading import terms_of

_NO_MEANING = frozenset(("place", "name", "number", "labels", "reads", "locals"))
"""Parts that say where and for whom something is written, or that follow from other parts."""
_FEW_OTHERS = 2
"""Fields besides those of a step and its question that a condition may read without being left out."""
_PATIENCE = 4 * LITTLE
"""Work on a question without some of the conditions."""
Kind = Action | Phase


class ShownSteps:
    """The digests of questions about steps that the kernel answered as wanted. Those in `earlier` are not asked."""

    def __init__(self, earlier: set[bytes] | None = None) -> None:
        self.digests = set[bytes](earlier or ())

    def __call__(
        self,
        judge: Inductive,
        what: Kind,
        purpose: str,
        own: Sequence[str],
        wrongs: Callable[[Inductive], list[Wrong]],
    ) -> bool:
        """Return whether a kind of step makes none of `wrongs` true, which `own` are the conditions of, from states in
        which the judge's conditions hold; as an earlier question says, or the kernel."""
        split, slices = judge.split(what), slices_of(judge)
        way = f"{purpose} {split.integers} {' '.join(split.places)}"
        after = [judge.terms[text] for text in own]
        choices = {
            slices.question(way, what, (judge.terms[text] for text in texts), after): texts
            for texts in (slices.near(judge, what, own), tuple(judge.terms))
        }
        if not self.digests.isdisjoint(choices):
            return True
        name = next(
            (name for name, texts in choices.items() if self._asked(judge, what, texts, wrongs)), None
        )
        self.digests.update([] if name is None else [name])
        return name is not None

    @staticmethod
    def _asked(
        judge: Inductive, what: Kind, texts: Sequence[str], wrongs: Callable[[Inductive], list[Wrong]]
    ) -> bool:
        """Return whether the kernel answers a question under some conditions: with little work, if these are not
        all."""
        under, context = slices_of(judge).under(judge, texts), judge.context
        before, some = context.work, context.work if under is judge else min(context.work, _PATIENCE)
        try:
            with context.limited(some):
                under.refuse(what, wrongs(judge), "")
                some -= context.work
        except NotShown:
            return False
        context.work = before - some
        return True


def slices_of(judge: Inductive) -> Slices:
    """Return the digests of a game's parts, which are made once."""
    return judge.context.once(judge.game, "slices", lambda: Slices(judge.game))


class Slices:
    """Digests of the parts of one game. A part that is digested is kept, so that its identity stays its own."""

    def __init__(self, game: Game) -> None:
        self._state = frozenset(f.number for f in game.fields if f.offset < 2)  # the phase and the ending
        self._digests: dict[int, tuple[object, bytes]] = {}
        self._touched: dict[int, tuple[object, frozenset[int]]] = {}
        self._judges: dict[tuple[int, tuple[str, ...]], tuple[Inductive, Inductive]] = {}

    def touched(self, what: Kind) -> frozenset[int]:
        """Return the numbers of the fields that a kind of step reads or writes."""
        if id(what) not in self._touched:
            numbers = set(self._state)
            if isinstance(what, Action) and what.weight is not None:
                numbers.update(what.weight.reads)
            bodies = [what.body or ()]
            while bodies:
                body = bodies.pop()
                numbers |= written_by(body)
                for statement in walk(body):
                    numbers.update(number for term in terms_of(statement) for number in term.reads)
                    if isinstance(statement, Invoke):
                        bodies.append(statement.procedure.body)
            self._touched[id(what)] = what, frozenset(numbers)
        return self._touched[id(what)][1]

    def near(self, judge: Inductive, what: Kind, own: Sequence[str]) -> tuple[str, ...]:
        """Return those of the judge's conditions that read hardly more than a step and the conditions `own` do."""
        about = self.touched(what).union(*(judge.terms[text].reads for text in own))
        some = judge.terms.items()
        return tuple(text for text, term in some if len(term.reads.keys() - about) <= _FEW_OTHERS)

    def under(self, judge: Inductive, texts: Sequence[str]) -> Inductive:
        """Return the judge's questions under some of its conditions, made once; the judge if these are all."""
        if len(texts) == len(judge.terms):
            return judge
        key = id(judge), tuple(texts)
        if key not in self._judges:
            self._judges[key] = judge, judge.under(texts)
        return self._judges[key][1]

    def question(self, way: str, what: Kind, before: Iterable[Term], after: Iterable[Term]) -> bytes:
        """Return the digest of the question whether a kind of step, from any cells within bounds that satisfy the terms
        `before`, keeps the terms `after`, or does not break the rules; `way` says which, and how Z3 is asked. The order
        of the terms does not count."""
        sides = (sorted({self.digest(term) for term in some}) for some in (before, after))
        return _hashed(way, self.digest(what), *(b"".join(side) for side in sides))

    def digest(self, part: object) -> bytes:
        """Return the digest of an action, a phase, a function, a procedure or a condition: equal digests mean that it
        has the same meaning."""
        if id(part) not in self._digests:
            self._digests[id(part)] = part, _Spelling(self.digest).whole(part)
        return self._digests[id(part)][1]


class _Spelling:
    """Spells one part of a game, which has locals of its own: they are numbered in the order in which they are met,
    because a game that is traced again has others."""

    def __init__(self, named: Callable[[object], bytes]) -> None:
        self._named = named  # the digest of what is written elsewhere and named here
        self._locals: dict[int, int] = {}
        self._digests: dict[int, tuple[object, bytes]] = {}

    def whole(self, part: object) -> bytes:
        """Return the digest of a part."""
        return _hashed(type(part).__name__, *map(self._digest, self._content(part)))

    def _digest(self, part: object) -> bytes:
        if part is None or isinstance(part, bool | int | str):
            return _hashed(type(part).__name__, repr(part))
        if id(part) not in self._digests:
            elsewhere = isinstance(part, Function | Procedure)
            self._digests[id(part)] = part, self._named(part) if elsewhere else self.whole(part)
        return self._digests[id(part)][1]

    def _content(self, part: object) -> Sequence[object]:
        match part:
            case tuple() | list() | range():
                return list(part)
            case Field():
                return [part.number, part.offset, part.size, part.lo, part.hi]
            case Action():
                return [part.phases, part.params, part.body, part.weight]
            case Phase():
                return [part.number, part.automatic, part.body]
            case Require():
                return [part.condition]  # the rest is what a refusal says
            case Function() | Procedure():
                return [part.params, part.body]
            case Table():
                return [part.shape, part.values]
            case Local():
                return [
                    self._locals.setdefault(part.number, len(self._locals)),
                    part.lo,
                    part.hi,
                    part.counts,
                ]
            case Term():
                slots = [slot for kind in type(part).__mro__ for slot in getattr(kind, "__slots__", ())]
                return [getattr(part, slot) for slot in slots if slot not in _NO_MEANING]
            case _ if is_dataclass(part):
                return [getattr(part, f.name) for f in fields(part) if f.name not in _NO_MEANING]
        raise TypeError(f"no digest of {type(part).__name__}")


def _hashed(*parts: str | bytes) -> bytes:
    made = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8) + data)
    return made.digest()
