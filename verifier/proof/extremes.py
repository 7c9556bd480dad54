"""Answers to `minimum` and `maximum`: the least or greatest value of a number where a condition
holds.

A line of play shows that play reaches a value. All states, all states up to a round, or an
invariant show that no value is better. If the two do not meet, the answer is UNKNOWN, with both
bounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from playproof.language import Term
from playproof.language.explorer import Exploration
from playproof.language.game import Game
from playproof.language.random import seed_of
from playproof.language.vector import evaluate
from playproof.verifier.kernel.deciding import extreme as stated
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.evidence import Offer, Proof, by_conditions, by_states, transcript
from playproof.verifier.proof.examples import lines_of_examples
from playproof.verifier.proof.induction import Bound, lower_bound, unreachable
from playproof.verifier.proof.nearest import in_none
from playproof.verifier.proof.unanswered import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import greedy_games, helpful_games
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.curious_games import Curious
from playproof.verifier.search.faults import isolate_method
from playproof.verifier.search.lines import Line, Play, Player
from playproof.verifier.search.old_lines import followed
from playproof.verifier.search.portfolio import absent, line_in, row_of_ending, seek, walker
from playproof.verifier.search.random_games import AtRandom
from playproof.verifier.search.replay import replay

_FIRST_LOOK = 6.0  # units of work for exploration before anything is proved
_SHARE = 0.25  # of the time left, for a method that may fail
_PROOF = 0.35  # of the time left, for a proof that may come to nothing
_MOST_TOLD = 4  # conditions that people may want to read
_ENDING = re.compile(r"(\boutcome [!=]=) (\d+)")
_RUN = 20_260_104


def extreme(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return the least (minimum) or greatest (maximum) value of a number where a condition holds."""
    reader = Targets(case.game, question.where)
    number, target = reader.number(str(question.of["number"])), _when(reader, question)
    best, line = best_of_examples(case, question) or (None, None)
    return Extreme(
        case,
        question,
        target,
        number,
        question.ask == "minimum",
        budget,
        best,
        line,
        "examples" if line else "",
    ).answer()


def best_of_examples(case: Case, question: Question) -> tuple[int, list[int]] | None:
    """Return the best value that the examples given to a claim and old lines reach, with its line; or None."""
    reader, least = Targets(case.game, question.where), question.ask == "minimum"
    number, target = reader.number(str(question.of["number"])), _when(reader, question)
    best: tuple[int, list[int]] | None = None
    for line in [*lines_of_examples(case, question), *(line.idents for line in followed(case))]:
        better = target
        while (replayed := replay(case, line, better)).hit is not None:
            value = case.play.value(number, replayed.state)
            if best is None or (value < best[0] if least else value > best[0]):
                best = value, list(line[: replayed.hit])
            more = number < value if least else number > value
            better = replace(target, condition=target.condition & more)
    return best


def _when(reader: Targets, question: Question) -> Target:
    return reader.one(question.of.get("when", {"holds": "1 == 1"}), question.within)


def beyond(target: Target, number: Term, value: int) -> Target:
    """Return the target restricted to states where the number is greater than a value."""
    return Target(target.name, target.spec, target.condition & (number > value), target.idents)


def _kept(game: Game, texts: Sequence[str]) -> str:
    """Return why a number is not better, in the conditions that every step keeps; "" if they are too many to read."""
    named = [
        _ENDING.sub(lambda found: f"{found[1]} '{game.outcome.field.show(int(found[2]))}'", text)
        for text in texts
    ]
    return f"every game keeps {'; and '.join(named)}" if 0 < len(named) <= _MOST_TOLD else ""


@dataclass(slots=True)
class Extreme:
    """The search for one extreme: `line` reaches the value `best`, and `proof` gives what shows the bound
    `bound` (if None, the field's range gives it)."""

    case: Case
    question: Question
    target: Target
    number: Term
    least: bool
    budget: Budget
    best: int | None = None
    line: list[int] | None = None
    method: str = ""
    bound: int = 0
    proof: Callable[[], Proof] | None = None
    lines: list[list[int]] = field(default_factory=list)

    def answer(self) -> Conclusion:
        """Search for lines, then for proofs, then for lines again, until the value and the bound
        meet."""
        self.bound = self.number.lo if self.least else self.number.hi
        if self._met():
            return self._answer()
        self._by_games()
        seen = self._explored(min(_FIRST_LOOK, self.budget.work / 4))
        if seen.complete:
            return self._of_all(seen)
        methods = {
            "helpful games": lambda: self._helpful(_SHARE / 2),
            "layers": self._by_layers,
            "invariant": self._by_invariant,
            "greedy games": self._greedy,
            "more helpful games": self._helpful,
            "more games": self._further,
        }
        for name, method in methods.items():
            if name == "helpful games" or not self._met():
                with isolate_method(self.case, name):
                    method()
        if self.case.seen is not None and self.case.seen.complete:
            return self._of_all(self.case.seen)
        return self._answer()

    def _beyond(self, value: int) -> Event:
        """Return the event that the number is better than a value."""
        return stated(self.question, "<" if self.least else ">", value)

    def _met(self) -> bool:
        return self.best == self.bound or self.budget.left <= 0

    def _answer(self) -> Conclusion:
        offers: list[Offer] = []
        methods = [self.method]
        if self.line is not None and self.best is not None:
            event = stated(self.question, "==", self.best)
            offers.append((transcript(self.case, event, self.line),))
        proof = None if self.proof is None else self.proof()
        if proof is not None:
            offers.append(proof.offer)
            methods.append(proof.method)
        method = " + ".join(name for name in dict.fromkeys(methods) if name)
        if self.best is not None and self.best == self.bound:
            if proof is None:  # the field's bounds alone show it
                offers.append(by_conditions(self.case, self._beyond(self.best), []))
            because = (
                {"because": f"nothing better can be: {proof.because}"} if proof and proof.because else {}
            )
            return Conclusion(self.best, method, tuple(offers), bound=because)
        low, high = (self.bound, self.best) if self.least else (self.best, self.bound)
        return Conclusion(
            None,
            method,
            tuple(offers),
            why(self.case, self.budget),
            {"at least": low, "at most": high, **bound_reached(self.case)},
        )

    # -- lines ----------------------------------------------------------------------------------------------

    def _offer(self, line: list[int] | None, method: str) -> None:
        """Keep a line that is better than the best one known, cut where it first meets the target."""
        if line is None:
            return
        replayed = replay(self.case, line, self._better())
        if replayed.hit is not None:
            self.best = self.case.play.value(self.number, replayed.state)
            self.line, self.method = line[: replayed.hit], method
            self.lines.append(self.line)

    def _better(self) -> Target:
        """Return the target restricted to values better than the best one known."""
        if self.best is None:
            return self.target
        more = self.number < self.best if self.least else self.number > self.best
        return Target(self.target.name, self.target.spec, self.target.condition & more, self.target.idents)

    def _by_games(self) -> None:
        """Find a first line, then improve it with random games and curious games."""
        self._helpful(_SHARE, enough=None)
        if self.best is not None:
            return
        search = seek(self.case, [self.target], self.budget.share(1 / 3), explore=False)
        if 0 in search.lines:
            self._offer(search.lines[0], search.method[0])
            for line in walker(self.case).notable:
                self._offer(line, "random games")
        if self.target.idents is None:
            self._improve(self.budget.share(_SHARE / 2))

    def _improve(self, budget: Budget, games: int = 400) -> None:
        curious = Curious(seed_of(_RUN, 0))
        for game in range(games):
            if budget.left <= 0 or self.best == self.bound:
                return
            player: Player
            if game % 2:
                player, method = curious, "curious games"
            else:
                player, method = AtRandom(seed_of(_RUN, game)), "random games"
            line = Play(self.case).to_the_end(player)
            self._offer(self._best_of(line), method)

    def _best_of(self, line: Line) -> list[int] | None:
        """Return the beginning of a line up to its best value where the target holds, or None if
        that is no improvement."""
        states = line.states
        rows = np.flatnonzero(evaluate(self.target.condition, states))
        line.forget()
        if not len(rows):
            return None
        values = evaluate(self.number, states[:, rows])
        best = int(values.min() if self.least else values.max())
        if self.best is not None and (best >= self.best if self.least else best <= self.best):
            return None
        first = int(np.flatnonzero(values == best)[0])
        return line.idents[: int(rows[first])]

    def _helpful(self, share: float = 0.7, enough: int | None = -1) -> None:
        """Play games in which all help one seat; `enough` None stops at the first line. For minima
        only."""
        if self.least:
            line = helpful_games.search(
                self.case,
                self.target,
                self.budget.share(share),
                number=self.number,
                below=self.best,
                enough=None if enough is None else self.bound,
            )
            self._offer(line, "helpful games")

    def _greedy(self) -> None:
        if self.least and self._is_round():
            line = greedy_games.search(
                self.case, self.target, self.budget.share(_SHARE), below=self.best, enough=self.bound
            )
            self._offer(line, "greedy games")

    def _further(self) -> None:
        """Explore on with the remaining budget: up to the last round that could be better, or all
        states."""
        if self._is_round() and self.least:
            self._explored(self.budget.left, None if self.best is None else self.best - 1)
            self._by_layers()
        else:
            self._explored(self.budget.left)

    # -- all states -----------------------------------------------------------------------------------------

    def _is_round(self) -> bool:
        name = self.case.game.facts.get("round")
        return name is not None and self.case.game.quantities[name] is self.number

    def _explored(self, work: float, rounds: int | None = None) -> Exploration:
        """Explore with so much work. If the number is the round to be minimised, the first hit
        among the states is best, and exploring stops there."""
        by_round = self.least and self._is_round()
        until = (lambda now: row_of_ending(now, self.target) is not None) if by_round else None
        seen = self.case.explored(self.budget, rounds=rounds, until=until, work=work)
        if by_round:
            self._offer(line_in(seen, self.target), "exploration")
        return seen

    def _by_layers(self) -> None:
        """For the fewest rounds, exclude all rounds that were searched completely without a hit."""
        seen = self.case.seen
        if seen is None or not self.least or not self._is_round():
            return
        done = [r for r in seen.layers if self.best is None or r < self.best]
        if not done or max(done) + 1 <= self.bound:
            return
        # An ending is noted in the layer of the state before it, though the action that ends may
        # raise the round.
        if not len(seen.rows(self.target.condition & (self.number <= max(done)))):
            self.bound = max(done) + 1
            self.proof = partial(self._up_to, seen, max(done))

    def _up_to(self, seen: Exploration, rounds: int) -> Proof:
        """Return the proof that the target holds in no state up to a round."""
        better = replace(self.target, condition=self.target.condition & (self.number <= rounds))
        words = in_none(self.case, seen, seen.layers[rounds], better, f" within round {rounds}")
        return Proof("exploration", by_states(self.case, self._beyond(rounds + 1), seen, rounds), words)

    def _of_all(self, seen: Exploration) -> Conclusion:
        """Return the extreme among all states."""
        if absent(seen, self.target):
            event = Event(stated(self.question, "", 0).of, plain(self.question.within))
            return Conclusion(None, "exploration", (by_states(self.case, event, seen),), vacuous=True)
        if self.target.idents is None:
            rows = seen.rows(self.target.condition)
            values = np.concatenate(
                [evaluate(self.number, seen.columns(int(row), int(row) + 1)) for row in rows]
            )
            best = int(values.min() if self.least else values.max())
            if self.best is None or self.best != best:
                first = int(np.flatnonzero(values == best)[0])
                self._offer(seen.path(int(rows[first])), "exploration")
            self.best = self.bound = best
            self.proof = lambda: Proof(
                "exploration",
                by_states(self.case, self._beyond(best), seen),
                in_none(self.case, seen, seen.states, self._better()),
            )
        return self._answer()

    # -- proofs ---------------------------------------------------------------------------------------------

    def _by_invariant(self) -> None:
        """Tighten the bound with mined invariants."""
        if self.least:
            result = aside(
                lambda b: lower_bound(
                    self.case, self.target, self.number, self.best, b, walker(self.case).notable + self.lines
                ),
                self.budget,
                _PROOF,
            )
        else:
            result = aside(self._at_most, self.budget, _PROOF)
        if result is not None:
            value, texts = result
            self._take(
                value,
                lambda: Proof(
                    "invariant",
                    by_conditions(self.case, self._beyond(value), texts),
                    _kept(self.case.game, texts),
                ),
            )

    def _at_most(self, budget: Budget) -> Bound | None:
        """Return the first upper bound that invariants show, tried from `best` up in growing steps, with these
        invariants; None if they show none."""
        value, step = self.number.lo if self.best is None else self.best, 1
        while value < self.bound and budget.left > 0:
            texts = unreachable(self.case, beyond(self.target, self.number, value), budget)
            if texts is not None:
                return value, texts
            value, step = value + step, 2 * step
        return None

    def _take(self, value: int, proof: Callable[[], Proof]) -> None:
        """Take up a bound if it is closer than the one there is."""
        if (value > self.bound) if self.least else (value < self.bound):
            self.bound, self.proof = value, proof
