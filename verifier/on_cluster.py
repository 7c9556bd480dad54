"""Claims answered by the workers of a Dask cluster. A worker searches; this process checks.

prove("nim", begin=run_on(client))

A worker gets each setting's description, the cards and the claims, and sends back evidence: the text of a file as
`prove` writes it. This process reads that text as strictly as `check` reads a file, has the kernel check each
certificate against the game that it built itself, and computes the value from those that the kernel accepted. So a
worker that errs or lies can leave a claim open, and cannot answer it wrongly. What a worker says besides, such as why a
claim is open, goes with open answers only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from playproof.database.errors import InputError
from playproof.database.process_memory import keep_memory
from playproof.language import RulesError
from playproof.language.description import digest, read as read_description, write
from playproof.language.options import OptionError
from playproof.referee.cluster import may_have_children, on_cluster
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deals import Deal
from playproof.verifier.kernel.evidence import VERSION, File, key_of, read, settings_of
from playproof.verifier.kernel.strict import Unreadable, canonical, encode, plain
from playproof.verifier.proof.certify import Certifier, Outcome
from playproof.verifier.proof.deals import OPEN, sample_of, share
from playproof.verifier.prove import Allowance, Run, grounds_under
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case, ChangedCase
from playproof.verifier.search.child import aside
from playproof.verifier.search.work import done, spend, stopping_at

_NO_MORE: Any = object()
Item = tuple[Question, int | None]
"""A claim, or the claim with the number of one of its deals."""
Decided = tuple[Deal | str, float]
"""What is shown of a deal, or why nothing can be, and the work that this took."""


@dataclass(frozen=True)
class Reply:
    """A worker's answer to a claim: the text of its evidence, and what the search says of each setting by its key."""

    evidence: str
    words: Mapping[str, Conclusion]


@dataclass
class Request:
    """What a worker needs to answer any of the claims: the case of each setting, by the setting's key."""

    name: str
    errata: bool | str
    cases: Mapping[str, Case]
    chosen: Sequence[Question]
    claims: Mapping[str, Question]
    allowance: Allowance

    def __reduce__(self) -> tuple[Callable[..., Request], tuple[Any, ...]]:
        settings = {
            key: (write(case.game), case.values, case.rulings, case.machine)
            for key, case in self.cases.items()
        }
        cards = next((case.game.cards for case in self.cases.values()), None)
        others = (self.name, self.errata, self.chosen, dict(self.claims), self.allowance)
        return _received, (settings, cards, *others)

    @cached_property
    def digest(self) -> str:
        """The digest of the descriptions, the cards and the claims."""
        games = {key: [digest(case.game), _cards(case)] for key, case in self.cases.items()}
        claims = [question.as_json() for question in self.chosen]
        return sha256(canonical([games, claims, list(self.allowance)]).encode()).hexdigest()

    def searched(self, question: Question) -> Reply:
        """Answer a claim with a run of its own, so that it does not matter what else this process answers."""
        run = _Worker(self.name, self.errata)
        for _, variant in settings_of(question, self.claims):
            case = self.cases[key_of(variant)]
            own = ChangedCase(self.name, case.game, case.values, case.rulings, case.machine)
            run.hold(variant, own)
        budget = self.allowance.budget(question)
        with stopping_at(budget.end):
            for ground in grounds_under(question, self.chosen):
                run.find(ground, self.claims, self.allowance.budget(ground))
            run.answers.clear()
            whole = run.find(question, self.claims, budget)
        settings = tuple(setting for conclusion in run.answers.values() for setting in conclusion.settings)
        file = File(VERSION, self.name, self.errata, plain(question.as_json()), settings)
        words = run.answers or {key_of(question): whole}
        bare = {key: replace(conclusion, settings=(), offers=()) for key, conclusion in words.items()}
        return Reply(canonical(encode(file)), bare)


def _cards(case: Case) -> str:
    return str(getattr(case.game.cards, "digest", ""))


def _received(
    settings: Mapping[str, tuple[bytes, dict[str, str], dict[str, str], bool]], cards: Any, *others: Any
) -> Request:
    """Return in a worker what the driver sent, with the games as their descriptions have them."""
    name, errata, chosen, claims, allowance = others
    cases = dict[str, Case]()
    for key, (description, values, rulings, machine) in settings.items():
        game = read_description(description)
        game.foreign = False  # the driver is trusted anyway: it sends pickles
        game.cards = cards
        cases[key] = ChangedCase(name, game, values, rulings, machine)
    return Request(name, errata, cases, chosen, claims, allowance)


def searched(request: Request, item: Item) -> Reply | Decided | None:
    """Answer a claim, or decide one of its deals, in a child of a worker; None if the child was ended. Runs in a
    worker."""
    question, number = item
    case = request.cases[key_of(question)] if number is not None else None
    if case is not None:
        _ = case.compiled, case.play  # once for all children
    may_have_children()
    keep_memory()

    def in_child(_: Budget) -> Any:
        may_have_children()
        if case is None or number is None:
            return request.searched(question)
        before, budget = done(), request.allowance.budget(question)
        try:
            return sample_of(case, question).decided(number, budget), done() - before
        except (NotShown, RulesError, OverflowError) as error:
            return str(error), 0.0

    return aside(in_child, request.allowance.budget(question))


@dataclass
class _Worker(Run):
    """A run that keeps the answer to each setting, by the setting's key: the first that is known, else the last."""

    answers: dict[str, Conclusion] = field(default_factory=dict)

    def _of_one(self, question: Question, budget: Budget) -> Conclusion:
        conclusion = super()._of_one(question, budget)
        key = key_of(question)
        if key not in self.answers or not self.answers[key].known:
            self.answers[key] = conclusion
        return conclusion


@dataclass
class OnCluster(Run):
    """A run whose searches workers do. Each certificate that they send is checked here."""

    client: Any = None
    sent: deque[tuple[str, int | None]] = field(default_factory=deque)
    replies: Iterator[Reply | Decided | None] = field(default_factory=lambda: iter(()))
    there: dict[tuple[str, int | None], Any] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    """Claims of which no more deals are wanted."""
    at: str = ""
    """The claim that is being answered; its settings may be those of another claim."""

    def prepare(
        self, chosen: Sequence[Question], claims: Mapping[str, Question], allowance: Allowance
    ) -> None:
        """Send the claims to the workers. Those whose game cannot be built are answered here, which says why."""
        cases, ready = dict[str, Case](), list[Question]()
        for question in chosen:
            with suppress(RulesError, OptionError, InputError):
                for _, variant in settings_of(question, claims):
                    if key_of(variant) not in cases:
                        cases[key_of(variant)] = self.case(variant)
                before = [*grounds_under(question, chosen), question]
                ready += [each for each in before if each not in ready]
        request = Request(self.name, self.errata, cases, ready, claims, allowance)
        self.replies = on_cluster(self.client, request, searched, self._items(ready))

    def _items(self, questions: Sequence[Question]) -> Iterator[Item]:
        """Yield the work, deal by deal for a sample of deals, and note what was sent."""
        for question in questions:
            numbers = range(int(question.of["deals"])) if question.ask == "deals" else [None]
            for number in numbers:
                if question.id not in self.over:
                    self.sent.append((question.id, number))
                    yield question, number

    def _reply(self, number: int | None = None) -> Any:
        """Return the reply to the claim that is being answered, and keep those that come before it; None if there is
        none."""
        place = (self.at, number)
        answer: Reply | Decided | None
        while place not in self.there:
            answer = next(self.replies, _NO_MORE)
            if answer is _NO_MORE:
                return None
            self.there[self.sent.popleft()] = answer
        return self.there[place]

    def find(self, question: Question, claims: Mapping[str, Question], budget: Budget) -> Conclusion:
        """Return what the kernel accepts of a worker's answer, once it is there."""
        if self.at:  # one setting of the claim that is being answered
            return super().find(question, claims, budget)
        self.at = question.id
        try:
            if question.ask != "deals":
                self._reply()
            return super().find(question, claims, budget)
        except KeyboardInterrupt:
            budget.stopped = True
            return Conclusion(None, "", (), "stopped by hand")
        finally:
            self.at = ""

    def _sought(self, certifier: Certifier, question: Question, budget: Budget) -> tuple[Conclusion, Outcome]:
        """Offer the worker's certificates for one setting to the kernel, in place of a search."""
        if question.ask == "deals":
            words = share(certifier.case, question, budget, self._deal)
            self.over.add(self.at)
            return words, certifier.take(words)
        reply = self._reply()
        if reply is None or key_of(question) not in reply.words:
            reason = "a worker's process ended before it had an answer"
            return Conclusion(None, "", (), reason), certifier.outcome()
        words = reply.words[key_of(question)]
        try:
            settings = read(reply.evidence).settings
        except Unreadable as error:
            return Conclusion(
                None, "", (), f"a worker's evidence cannot be read: {error}"
            ), certifier.outcome()
        certificates = [c for s in settings if s.key == key_of(question) for c in s.certificates]
        outcome = certifier.take(replace(words, offers=tuple((each,) for each in certificates)))
        if not outcome.decision.known:
            return replace(words, reason=words.reason and f"a worker: {words.reason}"), outcome
        # Beside a value stands nothing that only the worker says.
        kinds = dict.fromkeys(each.kind for each in outcome.setting.certificates)
        return Conclusion(words.value, f"evidence of a worker: {', '.join(kinds)}"), outcome

    def _deal(self, number: int, budget: Budget) -> Deal:
        """Return what a worker shows of a deal, open if the work that is left here would not have sufficed. Raises
        NotShown if the worker cannot decide it."""
        reply = self._reply(number)
        deal, cost = reply or (OPEN, 0.0)
        if isinstance(deal, str):
            raise NotShown(f"a worker: {deal}")
        before = budget.left
        spend(cost)
        return deal if cost <= before else OPEN


def run_on(client: Any) -> Callable[..., Run]:
    """Return what begins a run on a cluster; a run in this process for None."""
    return Run if client is None else partial(OnCluster, client=client)
