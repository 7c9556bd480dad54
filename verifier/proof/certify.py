"""Makes certificates from what a search found, and an answer from those that the kernel accepts.

A method's result is only a proposal. Each kind of part has its translation here; a part without one
counts for nothing. The kernel computes the answer from the certificates that it accepted in this
run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

import z3

from playproof.rules.language import Game
from playproof.rules.language.phases import phase_values
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.deciding import Decision, decide, extreme, members, opposite, property_of
from playproof.verifier.kernel.digest import digest
from playproof.verifier.kernel.evidence import Setting, shows, texts
from playproof.verifier.kernel.exploration import COMPILED, MOST_STATES, Exploration, Graph, explored
from playproof.verifier.kernel.induction import SHOWN, Layer, Shown
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.solving import ALLOWED, ANSWERED
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Event, Length, Property, Statement
from playproof.verifier.kernel.strict import decode, plain
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.proof.always import hints, stated
from playproof.verifier.proof.evidence import Part
from playproof.verifier.proof.phases_end import phases_end, weighed
from playproof.verifier.proof.reach import negated
from playproof.verifier.proof.relaxation import potential
from playproof.verifier.proof.splitting import planned, planned_bounds, said_by
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_file import with_given
from playproof.verifier.questions.targets import Targets
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.portfolio import seek
from playproof.verifier.search.work import RLIMIT, spend

_FOR_WORDS = 0.9  # of a claim's budget
_LEAST_WORK = 60.0  # the kernel's least budget, however small the search's is
_QUICK_WORK = 10.0  # for a property of the rules that no claim states
_FEW_STATES = 20_000  # explored for such a property
_MOST_CELLS = 300  # of a game whose phases are shown to end without a claim; the largest took 75 s in vain
_NOT_QUICK: Cache[str, bool] = Cache()
"""Properties that little work does not show."""
_LAYERS: Cache[tuple[tuple[str, ...], tuple[str, ...]], Layer] = Cache()
"""Layers that the kernel has accepted, by the given conditions and the layer's own."""
Accepted = list[tuple[Certificate, Statement]]
T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """The kernel's result for a search: the decision, the setting with the accepted certificates,
    and the reasons for refusing others. `assumed` names the properties that the decision takes for
    granted."""

    decision: Decision
    setting: Setting
    reasons: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    rests: frozenset[str] = frozenset()


class Certifier:
    """Takes one question's proposals to the kernel. `grounds` are certificates of properties that
    the kernel accepted for other claims of the same setting."""

    def __init__(self, case: Case, question: Question, budget: Budget, grounds: Accepted | None = None) -> None:
        self.case, self.question, self.budget = case, question, budget
        self.grounds: Accepted = grounds or []
        self.good: Accepted = []
        self.reasons: list[str] = []

    def by_words(self) -> bool:
        """Return whether the claim's own words, with those of the given claims, answer it, so that
        no search is needed."""
        question = self.question
        name = property_of(question)
        if question.ask == "reach":
            return self._excluded_by_words()
        if question.ask not in ("always", "never") or not (name or question.given or stated(question)):
            return False
        if name and name != PHASES_END and not stated(question):  # no conditions to start from
            return False
        if name and self.grounds:  # another claim, which rests on this one, has shown it
            self._lean()
            if self._decision().known:
                return True
        layers = self._layers(question)
        if layers is None:
            return False
        if name == BOUNDS:
            splits = aside_learning(self.case.game, lambda b: planned_bounds(self.case.game, said_by(layers), b),
                                    self._words)
            self._offer([[Invariant(Property(name), layers, splits=splits)]] if splits is not None else [])
        elif name == PHASES_END:
            tries = [layers] if layers else _least_layers(self.case.game)
            found = (self._end(some, self._words) for some in tries)
            self._offer([[c] for c in islice((c for c in found if c is not None), 1)])
        elif name:
            self._offer([[Invariant(Property(name), layers, integers) for integers in (True, False)]])
        else:
            self._offer([[Invariant(opposite(question), layers, integers) for integers in (True, False)]])
        return self._decision().known

    def _excluded_by_words(self) -> bool:
        """Return whether the claims given to a `reach` claim exclude its target, either alone or
        together with the condition that the target never holds. A few games come first, because a
        target that they meet has no such proof."""
        question = self.question
        wanted = members(self.case.game, question) if question.given else []
        targets = [event.target(self.case.game) for _, event in wanted]
        if len(wanted) != 1 or seek(self.case, targets, self.budget, first_look=True).lines:
            return False
        for own in ([], negated(targets[0])):
            layers = self._layers(replace(question, of={"with": [*hints(question), *own]}))
            if layers is not None:
                self._offer([[Invariant(wanted[0][1], layers, integers) for integers in (True, False)]])
            if self._decision().known:
                return True
        return False

    def _layers(self, question: Question) -> tuple[Layer, ...] | None:
        """Return what the claim and the claims given to it say, as layers. Return None if the
        kernel refuses one."""
        layers: list[Layer] = []
        numbers: dict[str, tuple[int, ...]] = {}
        for claim in with_given(question):
            on = tuple(sorted({n for g in claim.given for n in numbers[g.id]}))
            if hints(claim):
                layer = self._layer(hints(claim), layers, on)
                if layer is None:
                    return None
                layers.append(layer)
                on = (*on, len(layers) - 1)
            numbers[claim.id] = on
        return tuple(layers)

    def _layer(self, own: Sequence[str], layers: Sequence[Layer], on: tuple[int, ...]) -> Layer | None:
        """Return a layer of conditions that the kernel accepts, with the game's phase conditions
        added if necessary; or None."""
        game, given = self.case.game, [text for n in on for text in layers[n].conjuncts]
        known, key = _LAYERS.of(self.case), (tuple(given), tuple(own))
        for texts_ in (own, [*own, *phases(game)]):
            if key not in known and (texts_ is own or len(texts_) > len(own)):
                found = aside_learning(game, lambda b, t=texts_: planned(game, given, t, b), self._words)  # type: ignore[misc]  # default
                if found is not None:
                    known[key] = found
        return replace(known[key], on=on) if key in known else None

    @property
    def _words(self) -> Budget:
        """Return the budget for proofs from the claim's own words. The rest is left to search for a
        line that refutes them."""
        return self.budget.share(_FOR_WORDS)

    def take(self, found: Found) -> Outcome:
        """Offer a method's parts to the kernel, and return the outcome."""
        if not self._decision().known:
            self._offer([list(Proposals(self.case, self.question, found).of(part)) for part in found.parts])
        return self.outcome()

    def narrowed(self, found: Found) -> Found:
        """Return the result with a closer bound if an extreme is open between two bounds and the
        given claims prove one."""
        question, least = self.question, self.question.ask == "minimum"
        proved, met = ("at least", "at most") if least else ("at most", "at least")
        if not question.given or proved not in found.bound or self._decision().known:
            return found
        layers, number = self._layers(question), Targets(self.case.game, question.where).number(question.of["number"])
        near, far = found.bound[met], found.bound[proved]
        near, others = (number.hi if least else number.lo) if near is None else near, list(self.good)
        while layers is not None and near != far:
            middle = (near + far + least) // 2  # nothing is beyond `far`; is anything beyond `middle`?
            event = extreme(question, "<" if least else ">", middle)
            if self._offer([[Invariant(event, layers, integers) for integers in (True, False)]]):
                far, self.good = middle, [*others, self.good[-1]]
            else:
                near = middle - 1 if least else middle + 1
        return replace(found, bound={**found.bound, proved: far})

    def outcome(self) -> Outcome:
        """Return the answer that the accepted certificates give."""
        decision = self._decision()
        assumed = decision.assumed(self._statements())
        if assumed:
            self._ground(assumed)
        setting = Setting(texts(self.question.values), texts(self.question.rulings), digest(self.case.game),
                          tuple(c for c, _ in self.good))
        rests = frozenset(c.leans_on() for c, _ in self.good)
        return Outcome(decision, setting, tuple(self.reasons), decision.assumed(self._statements()), rests)

    @property
    def properties(self) -> Accepted:
        """Return the accepted certificates of properties that other claims may rest on."""
        return [(c, s) for c, s in self.good
                if isinstance(s.about, Property) and s.so and (c, s) not in self.grounds]

    def _statements(self) -> list[Statement]:
        return [s for _, s in self.good]

    def _decision(self) -> Decision:
        return decide(self.case.game, self.question, self._statements())

    def _ground(self, wanted: Sequence[str]) -> None:
        """Add certificates of the properties that the answer assumes, if another claim has shown
        them or little work shows them."""
        self._lean()
        seen = self.case.seen
        small = seen is not None and seen.complete and seen.states <= _FEW_STATES
        for name in wanted:
            if name in self._decision().assumed(self._statements()) and name not in _NOT_QUICK.of(self.case):
                tried: list[Certificate] = [Exploration(Property(name), _FEW_STATES)] if small else self._quick(name)
                [(place, _)] = _accepted(self.case.game, [tried], Budget(_QUICK_WORK))
                if place is None:
                    _NOT_QUICK.of(self.case)[name] = True
                else:
                    self.good.append((tried[place], tried[place].statement()))

    def _lean(self) -> None:
        """Add the certificates that the kernel accepted for other claims. A run checks each of them
        once; `check` checks them for each file."""
        self.good += [ground for ground in self.grounds if ground not in self.good]

    def _quick(self, name: str) -> list[Certificate]:
        """Return the certificates that may show a property of the rules without conditions from any
        claim."""
        if name != PHASES_END:
            return [Invariant(Property(name))]
        if sum(f.size for f in self.case.game.fields) > _MOST_CELLS:
            return []
        found = (self._end(layers, Budget(_QUICK_WORK)) for layers in _least_layers(self.case.game))
        return list(islice((c for c in found if c is not None), 1))

    def _end(self, layers: Sequence[Layer], budget: Budget) -> Certificate | None:
        """Return a certificate that automatic phases end, or None if no numbers are found that they
        lower."""
        return aside_learning(self.case.game, lambda b: phases_end(self.case, layers, b), budget)

    def _offer(self, proposals: Sequence[Sequence[Certificate]]) -> bool:
        """Keep the first certificate of each list that the kernel accepts, and return whether there
        was one."""
        before = len(self.good)
        allowed = Budget(max(_LEAST_WORK, self.budget.work))
        accepted = _accepted(self.case.game, proposals, allowed)
        for some, (place, reason) in zip(proposals, accepted, strict=True):
            if place is not None:
                self.good.append((some[place], some[place].statement()))
            elif reason:
                self.reasons.append(reason)
        return len(self.good) > before


def _least_layers(game: Game) -> list[tuple[Layer, ...]]:
    """Return the two cheapest sets of layers: no conditions, and the conditions on which phases the
    game goes to."""
    some = tuple(phases(game))
    return [(), (Layer(some, True, ()),)] if some else [()]


Answers = list[tuple[int | None, str]]


def _accepted(game: Game, proposals: Sequence[Sequence[Certificate]], allowed: Budget) -> Answers:
    """Return, for each list, the place of the first certificate accepted, or None and the reason.
    Lists that ask Z3 are checked in a child process that can be ended; this process remembers what
    the child showed."""
    asks_z3 = any(c.rests == "Z3" for some in proposals for c in some)
    if not asks_z3:
        return [_first(game, some) for some in proposals]
    found = aside_learning(game, lambda _: [_first(game, some) for some in proposals], allowed)
    return found or [(None, f"stopped by the clock after {allowed.seconds:.0f} s") for _ in proposals]


def aside_learning(game: Game, work: Callable[[Budget], T | None], budget: Budget) -> T | None:
    """Return the result of `work`, run within the budget in a child process that can be ended. This
    process takes over the answers that the kernel got there, so it does not ask for them again."""
    def judge(own: Budget) -> tuple[T | None, set[Shown], dict[bytes, tuple[str, int]]]:
        z3.z3.Z3_DEBUG = False  # Z3 checks sorts itself; a second check in Python takes a third of the time
        ALLOWED.left = allowed = int(own.work * RLIMIT)
        found = work(own)
        spend((allowed - ALLOWED.left) / RLIMIT)
        return found, SHOWN.get(game, set()), ANSWERED

    found = aside(judge, budget)
    if found is None:
        return None
    SHOWN.setdefault(game, set()).update(found[1])
    ANSWERED.update(found[2])
    return found[0]


def _first(game: Game, some: Sequence[Certificate]) -> tuple[int | None, str]:
    reason = ""
    for place, certificate in enumerate(some):
        try:
            shows(certificate, game)
            return place, ""
        except NotShown as error:
            reason = reason or str(error)
    return None, reason


# -- from parts to certificates ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proposals:
    """The certificates that the parts of a method's result stand for."""

    case: Case
    question: Question
    found: Found

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
        question, bound = self.question, self.found.bound
        least = question.ask == "minimum"
        value = self.found.value if self.found.value is not None else bound.get("at most" if least else "at least", 0)
        if part["kind"] == "transcript":
            return extreme(question, "==", int(value))
        if self.found.vacuous:
            return Event(extreme(question, "", 0).of, plain(question.within))
        if part.get("rounds") is not None:
            return extreme(question, "<", int(part["rounds"]) + 1)
        shown = part.get("least" if least else "most")
        return extreme(question, "<" if least else ">", int(value if shown is None else shown))

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
                layers = tuple(Layer(tuple(s["conjuncts"]), integers, ()) for s in part["sets"] if s["conjuncts"])
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
        lasting.append(frozenset(row for row, some in enumerate(moves) if any(to in lasting[-1] for _, to in some)))
    row, line = 0, list[int]()
    for after in reversed(lasting[:-1]):
        ident, row = next(((i, to) for i, to in moves[row] if to in after), (-1, -1))
        if row < 0:
            break
        line.append(ident)
    return tuple(line)


_MAKERS: Mapping[str, Callable[[Proposals, Part], Iterator[Certificate]]] = {
    "transcript": Proposals.transcript, "exploration": Proposals.exploration, "invariant": Proposals.invariant,
    "relaxation": Proposals.relaxation, "k-induction": Proposals.k_induction, "bounded": Proposals.bounded,
    "length": Proposals.length, "chance": Proposals.certificate, "worked example": Proposals.certificate,
}


def phases(game: Game) -> list[str]:
    """Return, as conditions, which phases the game ever goes to. Steps keep these conditions
    together."""
    found = []
    for number, values in phase_values(game).items():
        f = game.fields[number]
        if len(values) <= f.hi - f.lo:
            found.append(" or ".join(f"{f.name} == {v}" for v in sorted(values)))
    return found


def answered(found: Found, outcome: Outcome) -> Found:
    """Return the result with the value that the kernel computed in place of the method's own."""
    decision = outcome.decision
    same = replace(found, value=decision.value, vacuous=decision.vacuous, parts=(), settings=(outcome.setting,),
                   assumed=outcome.assumed, whom=decision.whom)
    if decision.known:
        compiled = any(COMPILED in rests for rests in outcome.rests)
        method = f"{found.method}, which rests on compiled code" if compiled else found.method
        return replace(same, reason="", method=method)
    if found.known or found.vacuous:
        why = "; ".join(dict.fromkeys(outcome.reasons)) or "no certificate of this kind of evidence"
        return replace(same, reason=f"found, and not confirmed by the kernel: {why}")
    return same


__all__ = ["Certifier", "Outcome", "Proposals", "answered", "phases"]
