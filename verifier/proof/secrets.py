"""Answers to `secret`: two games that are alike to a seat and then are told apart, or a sweep of all
states, or Z3 shows that every step keeps the secret."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random

from playproof.language import CHANCE, RulesError
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.exploration import Exploration
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.look_alikes import LookAlikes, heard, outcomes, read, same_step, sent, views
from playproof.verifier.kernel.statements import Apart, Secrecy
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.always import conditions_of
from playproof.verifier.proof.evidence import Offer
from playproof.verifier.proof.kernel_submission import accepted
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.secrecy import Secret
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import INTERPRETED, spend

_RUN = 20_261_123
_GAMES = 200  # pairs of games played at random
_WIDE = 1_500  # pairs of states gone through from the start
_LONGEST = 1_000  # actions of a pair of games; some games never end
_SHARE = 0.3  # of the work, for pairs; of that, for those from the start
_TURNED = 0.3  # how often the other game takes another decision that looks the same

State = tuple[int, ...]


@dataclass
class _Pair:
    """Two lines that were alike to the seat so far, and the states behind them."""

    first: State
    second: State
    line: tuple[int, ...] = ()
    other: tuple[int, ...] = ()


@dataclass
class _Search:
    """Looks for pairs of games that a seat cannot tell apart, and for what tells them apart then."""

    case: Case
    hidden: Secret
    budget: Budget
    alike: set[tuple[State, State]] = field(default_factory=set)
    apart: _Pair | None = None
    parting: tuple[_Pair, int] | None = None

    def run(self) -> None:
        """Go through pairs from the start, then play pairs of games at random."""
        start = tuple(self.case.play.start())
        self._wide(_Pair(start, start), self.budget.share(_SHARE))
        chance = Random(_RUN)
        for _ in range(_GAMES):
            if self.parting or self.budget.left <= 0:
                return
            self._deep(_Pair(start, start), chance)

    def _wide(self, start: _Pair, budget: Budget) -> None:
        waiting, seen = deque([start]), {(start.first, start.second)}
        while waiting and len(seen) < _WIDE and not self.parting and budget.left > 0:
            here = waiting.popleft()
            for after in self._next(here):
                if (after.first, after.second) not in seen:
                    seen.add((after.first, after.second))
                    self._look(after)
                    waiting.append(after)

    def _next(self, here: _Pair) -> Iterator[_Pair]:
        for mine, theirs in product(self._legal(here.first), self._legal(here.second)):
            if self._same(here, mine, theirs):
                yield self._after(here, mine, theirs)

    def _deep(self, here: _Pair, chance: Random) -> None:
        while not self.parting and self.budget.left > 0 and len(here.line) < _LONGEST:
            choices, legal = self._legal(here.first), self._legal(here.second)
            if not choices:  # the game is over, or nobody can act
                return
            mine = chance.choice(choices)
            chance.shuffle(legal)
            if chance.random() >= _TURNED:  # rather the same decision
                legal.sort(key=lambda ident: ident != mine)
            theirs = next((i for i in legal if self._same(here, mine, i)), None)
            if theirs is None:
                return
            here = self._after(here, mine, theirs)
            self._look(here)

    def _legal(self, state: State) -> list[int]:
        spend(INTERPRETED)
        return self.case.play.legal(state)

    def _same(self, here: _Pair, mine: int, theirs: int) -> bool:
        if mine == theirs and here.first == here.second:
            return True
        play, hidden = self.case.play, self.hidden
        if heard(play, hidden, here.first, mine) != heard(play, hidden, here.second, theirs):
            return False
        spend(INTERPRETED)
        return same_step(play, hidden, (here.first, mine), (here.second, theirs))

    def _after(self, here: _Pair, mine: int, theirs: int) -> _Pair:
        first, second = self.case.play.apply(here.first, mine), self.case.play.apply(here.second, theirs)
        return _Pair(tuple(first), tuple(second), (*here.line, mine), (*here.other, theirs))

    def _look(self, here: _Pair) -> None:
        """Look at a pair of states that may be alike but for the secret."""
        hidden, play = self.hidden, self.case.play
        if (
            not hidden.apart(here.first, here.second)
            or (here.first, here.second) in self.alike
            or (hidden.rest(here.first) != hidden.rest(here.second))
        ):
            return
        self.alike.add((here.first, here.second))
        self.apart = self.apart or here
        if sent(play, hidden, here.first) != sent(play, hidden, here.second):
            self.parting = here, -1
            return
        if sent(play, hidden, here.first) == (CHANCE,):
            self._look_at_chance(here)
            return
        for ident in sorted(set(self._legal(here.first)) & set(self._legal(here.second))):
            spend(2 * INTERPRETED)
            if views(play, hidden, here.first, ident) != views(play, hidden, here.second, ident):
                self.parting = here, ident
                return

    def _look_at_chance(self, here: _Pair) -> None:
        for pair in (here, _Pair(here.second, here.first, here.other, here.line)):
            mine, theirs = (
                outcomes(self.case.play, self.hidden, state) for state in (pair.first, pair.second)
            )
            spend(INTERPRETED * (len(mine) + len(theirs)))
            for seen in mine.keys() - theirs.keys():
                self.parting = pair, mine[seen]
                return


def kept(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return whether what a seat is sent keeps a secret. Where neither is shown, the bound says how many
    pairs of states were compared."""
    of = plain(question.of)
    search = _Search(case, read(case.game, of), budget.share(_SHARE))
    try:
        search.run()
    except RulesError as error:
        if search.parting is None:
            return Conclusion(None, "look-alikes", (), f"the rules break: {error.message}")
    if search.parting is not None:
        pair, last = search.parting
        return Conclusion(False, "look-alikes", ((_certificate(case, Secrecy(of), pair, last),),))
    pairs = {"pairs": len(search.alike)}
    shows_apart: list[Offer] = [(_certificate(case, Apart(of), search.apart),)] if search.apart else []
    seen = case.small(budget)
    if seen is not None:
        subjects = [Secrecy(of), Apart(of)][: 2 - len(shows_apart)]
        explorations: list[list[Certificate]] = [[Exploration(about, seen.states)] for about in subjects]
        return _shown(case, explorations, shows_apart, "exploration", pairs, budget)
    texts = tuple(conditions_of(question))
    layers = (Lemma(texts, True, ()),) if texts else ()
    tries: list[Certificate] = [Invariant(Secrecy(of), layers, integers) for integers in (True, False)]
    return _shown(case, [tries], shows_apart, "step by step", pairs, budget)


def _shown(
    case: Case,
    proposals: list[list[Certificate]],
    shows_apart: list[Offer],
    method: str,
    pairs: dict[str, int],
    budget: Budget,
) -> Conclusion:
    """Return what the kernel accepts of the proposals."""
    answers = accepted(case, proposals, budget)
    offers = [
        (some[place],) for some, (place, _) in zip(proposals, answers, strict=True) if place is not None
    ]
    reason = f"{pairs['pairs']} look-alike pairs were compared, and none told apart"
    if len(offers) + len(shows_apart) == 2:
        return Conclusion(True, method, (*offers, *shows_apart), bound=pairs)
    if not offers:
        reason += f"; {next(why for place, why in answers if place is None)}"
    elif not shows_apart:
        reason += "; no two games were found in which the secret alone differs"
    return Conclusion(None, method, (*offers, *shows_apart), reason, pairs)


def _certificate(case: Case, about: Secrecy | Apart, pair: _Pair, last: int = -1) -> LookAlikes:
    words, others = (tuple(map(case.game.show, line)) for line in (pair.line, pair.other))
    return LookAlikes(about, pair.line, pair.other, words, others, last)
