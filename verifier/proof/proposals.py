"""The certificates that the parts of a method's result stand for.

A method's result is only a proposal. Each kind of part has its translation here; a part without one
counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from playproof.language import Game
from playproof.language.phases import phase_values
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.deciding import extreme, members, opposite
from playproof.verifier.kernel.exploration import MOST_STATES, Exploration, Graph, explored
from playproof.verifier.kernel.induction import Layer
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Event, Length, Property
from playproof.verifier.kernel.strict import decode, plain
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.proof.evidence import Part
from playproof.verifier.proof.phases_end import weighed
from playproof.verifier.proof.relaxation import potential
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Case


@dataclass(frozen=True)
class Proposals:
    """The certificates that the parts of a method's result stand for."""

    case: Case
    question: Question
    answer: Found

    def of(self, part: Part) -> Iterator[Certificate]:
        """Yield the certificates that a part may stand for, likeliest first; none for an unknown
        kind."""
        make = _MAKERS.get(str(part["kind"]))
        if "about" in part:
            yield from self.certificate(part)
        elif make is not None:
            yield from make(self, part)

    def event(self, part: Part) -> Event:
        """Return the event that a part shows or excludes."""
        question = self.question
        if question.ask in ("minimum", "maximum"):
            return self._extreme(part)
        if question.ask in ("never", "always"):
            return opposite(question)
        if question.ask == "luck":
            return Event(plain(question.of), plain(question.within))
        wanted = members(self.case.game, question)
        return next((e for name, e in wanted if name == part.get("name")), wanted[0][1])

    def _extreme(self, part: Part) -> Event:
        question, bound = self.question, self.answer.bound
        least = question.ask == "minimum"
        value = self.answer.value
        if value is None:  # open: the value that a line reached
            value = bound.get("at most" if least else "at least", 0)
        if part["kind"] == "transcript":
            return extreme(question, "==", int(value))
        if self.answer.vacuous:
            return Event(extreme(question, "", 0).of, plain(question.within))
        if part.get("rounds") is not None:
            return extreme(question, "<", int(part["rounds"]) + 1)
        proved = part.get("least" if least else "most")
        return extreme(question, "<" if least else ">", int(value if proved is None else proved))

    def transcript(self, part: Part) -> Iterator[Certificate]:
        """Yield the certificate of a line of play."""
        idents, words = tuple(int(i) for i in part["idents"]), tuple(map(str, part["words"]))
        if "property" in part:
            yield Transcript(Property(str(part["property"])), idents, words)
        elif "decisions" in part:
            yield Transcript(Length(len(idents) - 1), idents, words)
        else:
            yield Transcript(self.event(part), idents, words)

    def exploration(self, part: Part) -> Iterator[Certificate]:
        """Yield certificates about all states, or about all up to a round."""
        if int(part["states"]) > MOST_STATES and "property" in part:
            return
        if part.get("property") == "length":
            yield from self._length_of_games(part)
        elif "property" in part:
            yield Exploration(Property(str(part["property"])), int(part["states"]))
        elif part.get("rounds") is None:
            yield Exploration(self.event(part), int(part["states"]))
        else:  # the kernel also counts states beyond the last round, without expanding them
            round_ = str(self.case.game.facts["round"])
            try:
                count = len(explored(self.case.game, MOST_STATES, (round_, int(part["rounds"]))).cells)
            except NotShown:
                count = max(int(part["states"]), MOST_STATES + 1)
            yield Exploration(self.event(part), count, round_, int(part["rounds"]))

    def invariant(self, part: Part) -> Iterator[Certificate]:
        """Yield certificates of conditions that steps keep, alone and with the game's phase
        conditions."""
        if "property" in part:
            for integers in (True, False):
                layers = tuple(
                    Layer(tuple(s["conjuncts"]), integers, ()) for s in part["sets"] if s["conjuncts"]
                )
                yield Invariant(Property(str(part["property"])), layers, integers)
            return
        conjuncts = tuple(map(str, part["conjuncts"]))
        first = bool(part.get("integers", True))
        for texts_ in (conjuncts, (*conjuncts, *phases(self.case.game))):
            for integers in (first, not first):
                layers = (Layer(texts_, integers, ()),) if texts_ else ()
                yield Invariant(self.event(part), layers, False)

    def relaxation(self, part: Part) -> Iterator[Certificate]:
        """Yield invariants that state a relaxation as a sum that no step raises."""
        layers = (Layer(tuple(potential(self.case, part)), True, ()),)
        for k in (0, 1):
            yield Invariant(self.event(part), layers, k=k)

    def k_induction(self, part: Part) -> Iterator[Certificate]:
        """Yield the certificate of a k-induction."""
        conjuncts = tuple(map(str, part["conjuncts"]))
        layers = (Layer(conjuncts, True, ()),) if conjuncts else ()
        yield Invariant(self.event(part), layers, False, k=int(part["k"]))

    def bounded(self, part: Part) -> Iterator[Certificate]:
        """Yield a search up to the longest game. The part counts steps with their automatic phases;
        the certificate counts small steps, hence the factor."""
        yield Invariant(self.event(part), (), False, k=8 * int(part["steps"]) + 8)

    def length(self, part: Part) -> Iterator[Certificate]:
        """Yield the certificate of a rank."""
        if "rank" in part:
            yield Invariant(Length(int(part["steps"])), numbers=(weighed(self.case.game, part["rank"]),))

    def _length_of_games(self, part: Part) -> Iterator[Certificate]:
        """Yield the length of the longest game, or a game that is longer than claimed."""
        states, claimed = int(part["states"]), int(self.question.of["ends"])
        if part["longest"] is not None and int(part["longest"]) <= claimed:
            yield Exploration(Length(int(part["longest"])), states)
        else:
            line = _line_of(explored(self.case.game, states), claimed + 1)
            yield Transcript(Length(len(line) - 1), line, tuple(map(self.case.game.show, line)))

    def certificate(self, part: Part) -> Iterator[Certificate]:
        """Yield a part that already is a certificate, such as chance bounds or a line that breaks
        the rules."""
        yield decode(Certificate, {k: v for k, v in part.items() if k not in ("target", "name")})


def _line_of(graph: Graph, length: int) -> tuple[int, ...]:
    """Return a line of so many moves from row 0, or a shorter one if there is none."""
    moves = [graph.moves(row) for row in range(len(graph.cells))]
    lasting = [frozenset(range(len(moves)))]  # rows from which at least so many moves can be made
    while len(lasting) <= length and 0 in lasting[-1]:
        lasting.append(frozenset(row for row in range(len(moves)) if _leads_to(moves[row], lasting[-1])))
    row, line = 0, list[int]()
    for after in reversed(lasting[:-1]):
        onward = _leads_to(moves[row], after)
        if onward is None:
            break
        ident, row = onward
        line.append(ident)
    return tuple(line)


def _leads_to(moves: Sequence[tuple[int, int]], rows: frozenset[int]) -> tuple[int, int] | None:
    """Return the first move that leads to one of these rows, as action and row; or None."""
    return next(((ident, to) for ident, to in moves if to in rows), None)


_MAKERS: Mapping[str, Callable[[Proposals, Part], Iterator[Certificate]]] = {
    "transcript": Proposals.transcript,
    "exploration": Proposals.exploration,
    "invariant": Proposals.invariant,
    "relaxation": Proposals.relaxation,
    "k-induction": Proposals.k_induction,
    "bounded": Proposals.bounded,
    "length": Proposals.length,
    "chance": Proposals.certificate,
    "circle": Proposals.certificate,
    "layered chance": Proposals.certificate,
    "layered worth": Proposals.certificate,
    "worked example": Proposals.certificate,
}


def phases(game: Game) -> list[str]:
    """Return, as conditions, which phases the game ever goes to. Steps keep these conditions
    together."""
    conditions = []
    for number, values in phase_values(game).items():
        f = game.fields[number]
        if len(values) <= f.hi - f.lo:  # the field does not take all values of its type
            conditions.append(" or ".join(f"{f.name} == {v}" for v in sorted(values)))
    return conditions


__all__ = ["Proposals", "phases"]
