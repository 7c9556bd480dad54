"""What a question about one kind of small step depends on, and which of these questions were answered before.

Most cards change few steps. Two versions of a game therefore share most questions: the same step, the same
conditions before it, the same condition after it. The digest of a question holds everything that decides it, and
nothing of the rest of the game. Conditions about other fields are left out of a question if it is answered without
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

from playproof.language import Action, Phase
from playproof.language.game import Game
from playproof.language.traced_statements import Invoke, walk, written_by
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import LITTLE, Inductive, Wrong
from playproof.verifier.kernel.reading import terms_of

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
        choices = {
            question(judge, way, what, texts, own): texts
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


def question(judge: Inductive, way: str, what: Kind, before: Sequence[str], after: Sequence[str]) -> bytes:
    """Return the digest of the question whether a kind of step, from any cells within bounds that satisfy the judge's
    conditions `before`, keeps those of them in `after`, or does not break the rules; `way` says which, and how Z3 is
    asked. The order of the conditions does not count."""
    conditions = [sorted({judge.name(text) for text in texts}) for texts in (before, after)]
    return sha256(f"{way} {judge.reading.width} {judge.name(what)} {conditions}".encode()).digest()


def slices_of(judge: Inductive) -> Slices:
    """Return which conditions of the judge's game lie near its steps. It is made once for a game."""
    return judge.context.once(judge.game, "slices", lambda: Slices(judge.game))


class Slices:
    """Which conditions of one game lie near a kind of step. What is looked at is kept, so that its identity stays its
    own."""

    def __init__(self, game: Game) -> None:
        self._state = frozenset(f.number for f in game.fields if f.offset < 2)  # the phase and the ending
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
