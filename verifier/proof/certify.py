"""Answers a question from the certificates that the kernel accepts, of what a search found or of
what the claim's own words say. The kernel computes the answer from those that it accepted in this
run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from playproof.database.errors import InputError
from playproof.language.game import Game
from playproof.language.machine.native import NoMachineCode
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.deciding import Decision, decide, extreme, members, opposite, property_of
from playproof.verifier.kernel.evidence import Setting, shows, texts
from playproof.verifier.kernel.exploration import COMPILED, Exploration
from playproof.verifier.kernel.induction import Inductive, Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Event, Property, Secrecy
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.always import conditions_of, hints
from playproof.verifier.proof.evidence import lines_in, phases, refitted, transcript
from playproof.verifier.proof.extremes import best_of_examples
from playproof.verifier.proof.kernel_submission import accepted, aside_learning
from playproof.verifier.proof.known_layers import LAYERS, Layers, keep_layers, layers_of
from playproof.verifier.proof.phases_end import phases_end
from playproof.verifier.proof.reach import negated
from playproof.verifier.proof.splitting import conditions_in, planned, planned_bounds
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_file import with_given
from playproof.verifier.questions.targets import Targets
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.portfolio import seek

_FOR_WORDS = 0.9  # of a claim's budget
_LEAST_WORK = 60.0  # the kernel's least budget, however small the search's is
_AT_A_GLANCE = 2.0  # for what the given claims may imply
_QUICK_WORK = 10.0  # for a property of the rules that no claim states
_FEW_STATES = 20_000  # explored for such a property
_MOST_CELLS = 300  # of a game whose phases are shown to end without a claim; the largest took 75 s in vain
_NOT_QUICK: Cache[str, bool] = Cache()
"""Properties that little work does not show."""
_REFUSED: Cache[str, float] = Cache()
"""Invariants made for other cards that the kernel did not accept for a case, as text, and the work that it had."""
Accepted = list[tuple[Certificate, Theorem]]


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

    def __init__(
        self, case: Case, question: Question, budget: Budget, grounds: Accepted | None = None
    ) -> None:
        self.case, self.question, self.budget = case, question, budget
        self.grounds: Accepted = grounds or []
        self.good: Accepted = []
        self.reasons: list[str] = []
        self._old_layers: Layers = {}

    def carried(self, certificates: Sequence[Certificate]) -> bool:
        """Return whether certificates that were made for other cards answer the claim here too. The kernel checks
        each of them against this game, so it does not matter who made them."""
        if not certificates:
            return False
        with suppress(InputError, NoMachineCode):  # one may name an action that these cards do not have
            lines, others = ([c for c in certificates if bool(lines_in(c)) is so] for so in (True, False))
            fit = [self._offer([[c]]) or self._offer([[refitted(self.case, c)]]) for c in lines]
            if all(fit):  # else Z3, which takes longer, is not asked in vain
                refused, work = _REFUSED.of(self.case), self._kernels.work
                self._offer_old([c for c in others if refused.get(repr(c), 0.0) < work])
        if self._decision().known:
            return True
        self.good, self.reasons = [], []
        for certificate in certificates:  # what does not answer the claim may hold in part
            self._old_layers.update(layers_of(self.case.game, certificate))
        return False

    def _offer_old(self, certificates: Sequence[Certificate]) -> None:
        """Offer certificates that were made for other cards. Those of bounds stand in the files of many claims."""
        self._offer([[certificate] for certificate in certificates])
        good = [certificate for certificate, _ in self.good]
        invariants = (repr(c) for c in certificates if isinstance(c, Invariant) and c not in good)
        _REFUSED.of(self.case).update(dict.fromkeys(invariants, self._kernels.work))

    def by_words(self) -> bool:
        """Return whether the claim's own words, with those of the given claims, answer it, so that
        no search is needed."""
        question = self.question
        name = property_of(question)
        if question.ask == "reach":
            return self._excluded_by_words()
        if question.ask in ("minimum", "maximum"):
            return self._met_by_words()
        if question.ask == "secret":
            return self._kept_by_words()
        if question.ask not in ("always", "never"):
            return False
        conditions = conditions_of(question)
        if not (name or question.given or conditions):
            return False
        if name and name != PHASES_END and not conditions:  # nothing to start from
            return False
        if name and self.grounds:  # another claim, which rests on this one, has shown it
            self._lean()
            if self._decision().known:
                return True
        if not name and self._follows():
            return True
        layers = self._layers(question)
        if layers is None:
            return False
        if name == BOUNDS:
            self._offer_bounds(layers)
        elif name == PHASES_END:
            tries = [layers] if layers else _least_layers(self.case.game)
            self._offer([self._first_end(tries, lambda: self._words)])
        else:
            about = Property(name) if name else opposite(question)
            self._offer([_over_both(about, layers)])
        return self._decision().known

    def _follows(self) -> bool:
        """Return whether the claims given to a claim imply it. Then its words need no layer of their own; one that
        adds words under `with` needs it."""
        question = self.question
        if not question.given or question.ask != "always" or len(hints(question)) > 1:
            return False
        layers = self._layers(question, own=False)
        if layers is not None:
            self._offer([_over_both(opposite(question), layers)], Budget(_AT_A_GLANCE))
        return self._decision().known

    def _offer_bounds(self, layers: tuple[Lemma, ...]) -> None:
        """Offer that the layers keep every value in its bounds, with the splits that this needs."""
        conditions = conditions_in(layers)
        splits = aside_learning(self.case, lambda b: planned_bounds(self.case, conditions, b), self._words)
        if splits is not None:
            self._offer([[Invariant(Property(BOUNDS), layers, splits=splits)]])

    def _excluded_by_words(self) -> bool:
        """Return whether the claims given to a `reach` claim exclude its target, either alone or
        together with the condition that the target never holds. A few games come first, because a
        target that they meet has no such proof."""
        question = self.question
        wanted = members(self.case.game, question, self.case.context) if question.given else []
        targets = [event.target(self.case.game) for _, event in wanted]
        if len(wanted) != 1 or seek(self.case, targets, self.budget, first_look=True).lines:
            return False
        for own in ([], negated(targets[0])):
            layers = self._layers(replace(question, of={"with": [*hints(question), *own]}))
            if layers is not None:
                self._offer([_over_both(wanted[0][1], layers)])
            if self._decision().known:
                return True
        return False

    def _kept_by_words(self) -> bool:
        """Return whether the claims given to a `secret` claim show that every step keeps it. That the
        secret can differ is left to a search."""
        layers = self._layers(self.question) if self.question.given else None
        if layers is not None:
            about = Secrecy(plain(self.question.of))
            self._offer([[Invariant(about, layers, integers) for integers in (True, False)]])
        return self._decision().known

    def _met_by_words(self) -> bool:
        """Return whether an example given to a `minimum` or `maximum` reaches a value, and the
        conditions given leave no room for a better one."""
        case, question = self.case, self.question
        reached = best_of_examples(case, question)
        layers = self._layers(question) if reached is not None else None
        if reached is None or layers is None:
            return False
        value, line = reached
        beyond = extreme(question, "<" if question.ask == "minimum" else ">", value)
        self._offer([[transcript(case, extreme(question, "==", value), line)], _over_both(beyond, layers)])
        return self._decision().known

    def _layers(self, question: Question, own: bool = True) -> tuple[Lemma, ...] | None:
        """Return what the claim (if `own`) and the claims given to it say, as layers. Return None if the
        kernel refuses one."""
        layers: list[Lemma] = []
        numbers: dict[str, tuple[int, ...]] = {}
        for claim in with_given(question):  # the claims given to a claim come before it
            below: set[int] = set()
            for other in claim.given:
                below.update(numbers[other.id])
            on = tuple(sorted(below))
            if hints(claim) and (own or claim.id != question.id):
                layer = self._layer(hints(claim), layers, on)
                if layer is None:
                    return None
                layers.append(layer)
                on = (*on, len(layers) - 1)
            numbers[claim.id] = on
        return tuple(layers)

    def _layer(self, own: Sequence[str], layers: Sequence[Lemma], on: tuple[int, ...]) -> Lemma | None:
        """Return a layer of conditions that the kernel accepts, with the game's phase conditions
        added if necessary; or None."""
        assumed = [text for n in on for text in layers[n].conjuncts]
        cache, key = LAYERS.of(self.case), (tuple(assumed), tuple(own))
        if key not in cache:
            old = self._old_layers.get(key)
            layer = self._still_kept(assumed, old) or self._planned(assumed, own, old)
            if layer is None:
                return None
            cache[key] = layer
        return replace(cache[key], on=on)

    def _still_kept(self, assumed: Sequence[str], old: Lemma | None) -> Lemma | None:
        """Return a layer that was made for other cards if steps keep it here too, or None."""
        case = self.case

        def kept(_: Budget) -> Lemma | None:
            assert old is not None
            with suppress(NotShown, InputError):  # one may name what these cards do not have
                judge = Inductive(
                    case.game, [*assumed, *old.conjuncts], old.integers, old.splits, case.context
                )
                judge.check(old.conjuncts)
                return old
            return None

        return None if old is None else aside_learning(case, kept, self._kernels)

    def _planned(self, assumed: Sequence[str], own: Sequence[str], old: Lemma | None) -> Lemma | None:
        """Return a layer of conditions over those assumed, planned first without the game's phase
        conditions and then with them; or None. The `old` layer is of these conditions, for other cards."""
        case = self.case
        layer = aside_learning(case, lambda b: planned(case, assumed, own, b, old), self._words)
        of_phases = phases(case.game)
        if layer is not None or not of_phases:
            return layer
        return aside_learning(case, lambda b: planned(case, assumed, [*own, *of_phases], b, old), self._words)

    @property
    def _words(self) -> Budget:
        """Return the budget for proofs from the claim's own words. The rest is left to search for a
        line that refutes them."""
        return self.budget.share(_FOR_WORDS)

    @property
    def _kernels(self) -> Budget:
        """Return the budget for the kernel to check what was proposed."""
        return Budget(max(_LEAST_WORK, self.budget.work))

    def take(self, answer: Conclusion) -> Outcome:
        """Offer a method's certificates to the kernel, and return the outcome."""
        if not self._decision().known:
            self._offer(answer.offers)
        return self.outcome()

    def narrowed(self, answer: Conclusion) -> Conclusion:
        """Return the result with a closer bound if an extreme is open between two bounds and the
        given claims prove one."""
        question, least = self.question, self.question.ask == "minimum"
        proved, met = ("at least", "at most") if least else ("at most", "at least")
        if question.ask not in ("minimum", "maximum") or not question.given:
            return answer
        if proved not in answer.bound or self._decision().known:
            return answer
        layers, number = (
            self._layers(question),
            Targets(self.case.game, question.where).number(question.of["number"]),
        )
        near, far = answer.bound[met], answer.bound[proved]
        if near is None:  # no line reaches any value
            near = number.hi if least else number.lo
        others = list(self.good)
        while layers is not None and near != far:
            middle = (near + far + least) // 2  # nothing is beyond `far`; is anything beyond `middle`?
            event = extreme(question, "<" if least else ">", middle)
            if self._offer([_over_both(event, layers)]):
                far, self.good = middle, [*others, self.good[-1]]
            else:
                near = middle - 1 if least else middle + 1
        return replace(answer, bound={**answer.bound, proved: far})

    def outcome(self) -> Outcome:
        """Return the answer that the accepted certificates give."""
        decision = self._decision()
        assumed = decision.assumed(self._statements())
        if assumed:
            self._ground(assumed)
        setting = Setting(
            texts(self.question.values),
            texts(self.question.rulings),
            self.case.context.name(self.case.game),
            tuple(c for c, _ in self.good),
        )
        rests = frozenset(c.leans_on() for c, _ in self.good)
        return Outcome(decision, setting, tuple(self.reasons), decision.assumed(self._statements()), rests)

    @property
    def properties(self) -> Accepted:
        """Return the accepted certificates of properties that other claims may rest on."""
        return [
            (c, s)
            for c, s in self.good
            if isinstance(s.about, Property) and s.so and (c, s) not in self.grounds
        ]

    def _statements(self) -> list[Theorem]:
        return [s for _, s in self.good]

    def _decision(self) -> Decision:
        return decide(self.case.game, self.question, self._statements(), self.case.context)

    def _ground(self, wanted: Sequence[str]) -> None:
        """Add certificates of the properties that the answer assumes, if another claim has shown
        them or little work shows them."""
        self._lean()
        for name in wanted:
            still_assumed = name in self._decision().assumed(self._statements())
            if not still_assumed or name in _NOT_QUICK.of(self.case):
                continue
            tries = self._quick(name)
            [(place, _)] = accepted(self.case, [tries], Budget(_QUICK_WORK))
            if place is None:
                _NOT_QUICK.of(self.case)[name] = True
            else:
                self.good.append((tries[place], shows(tries[place], self.case.game, self.case.context)))

    def _lean(self) -> None:
        """Add the certificates that the kernel accepted for other claims. A run checks each of them
        once; `check` checks them for each file."""
        self.good += [ground for ground in self.grounds if ground not in self.good]

    def _quick(self, name: str) -> list[Certificate]:
        """Return the certificates that may show a property of the rules without conditions from any
        claim."""
        seen = self.case.seen
        if seen is not None and seen.complete and seen.states <= _FEW_STATES:
            return [Exploration(Property(name), seen.states)]
        if name != PHASES_END:
            return [Invariant(Property(name))]
        if sum(f.size for f in self.case.game.fields) > _MOST_CELLS:
            return []
        return self._first_end(_least_layers(self.case.game), lambda: Budget(_QUICK_WORK))

    def _first_end(
        self, tries: Sequence[tuple[Lemma, ...]], budget: Callable[[], Budget]
    ) -> list[Certificate]:
        """Return the first certificate that automatic phases end, from one of several sets of
        layers, each with a budget of its own; [] if there is none."""
        for layers in tries:
            certificate = self._end(layers, budget())
            if certificate is not None:
                return [certificate]
        return []

    def _end(self, layers: Sequence[Lemma], budget: Budget) -> Certificate | None:
        """Return a certificate that automatic phases end, or None if no numbers are found that they
        lower."""
        return aside_learning(self.case, lambda b: phases_end(self.case, layers, b), budget)

    def _offer(self, proposals: Sequence[Sequence[Certificate]], allowed: Budget | None = None) -> bool:
        """Keep the first certificate of each list that the kernel accepts, and return whether there
        was one."""
        before = len(self.good)
        answers = accepted(self.case, proposals, allowed or self._kernels)
        for some, (place, reason) in zip(proposals, answers, strict=True):
            if place is not None:
                self.good.append((some[place], shows(some[place], self.case.game, self.case.context)))
                keep_layers(self.case, some[place])
            elif reason:
                self.reasons.append(reason)
        return len(self.good) > before


def _over_both(about: Event | Property, layers: tuple[Lemma, ...]) -> list[Certificate]:
    """Return an invariant over integers, then the same over bit-vectors."""
    return [Invariant(about, layers, integers) for integers in (True, False)]


def _least_layers(game: Game) -> list[tuple[Lemma, ...]]:
    """Return the two cheapest sets of layers: no conditions, and the conditions on which phases the
    game goes to."""
    of_phases = tuple(phases(game))
    return [(), (Lemma(of_phases, True, ()),)] if of_phases else [()]


def answered(answer: Conclusion, outcome: Outcome) -> Conclusion:
    """Return the result with the value that the kernel computed in place of the method's own."""
    decision = outcome.decision
    same = replace(
        answer,
        value=decision.value,
        vacuous=decision.vacuous,
        offers=(),
        settings=(outcome.setting,),
        assumed=outcome.assumed,
        whom=decision.whom,
    )
    if decision.known:
        compiled = any(COMPILED in rests for rests in outcome.rests)
        method = f"{answer.method}, which rests on compiled code" if compiled else answer.method
        return replace(same, reason="", method=method)
    if answer.known or answer.vacuous:
        why = "; ".join(dict.fromkeys(outcome.reasons)) or "no certificate of this kind of evidence"
        # Why it is so was not shown either.
        bound = {name: told for name, told in same.bound.items() if name != "because"}
        return replace(same, reason=f"found, and not confirmed by the kernel: {why}", bound=bound)
    return same
