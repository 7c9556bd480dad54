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
from playproof.language.explorer import Exploration, evaluate_term
from playproof.language.game import Game
from playproof.language.random import make_game_seed
from playproof.verifier.kernel.deciding import build_extreme_event as stated
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.certificate_offers import (
    CertificateOffer,
    MethodProof,
    build_exploration_excluding_event,
    build_invariants_excluding_event,
    build_transcript,
    run_in_child_process,
)
from playproof.verifier.proof.counting import play_given_examples
from playproof.verifier.proof.explanations import (
    describe_target_absence,
    explain_no_answer,
    exploration_progress_to_json,
)
from playproof.verifier.proof.induction import ProvedBound, find_unreachability_conditions, prove_lower_bound
from playproof.verifier.questions.claims import Question, Target, TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import guided_games
from playproof.verifier.search.case import Budget, GameCase, isolate_method
from playproof.verifier.search.lines_of_play import GameInProgress, PlayedLine, Player, replay_line
from playproof.verifier.search.portfolio import (
    find_ending_row_meeting_target,
    find_line_in_exploration,
    get_random_games,
    is_target_absent,
    replay_stored_lines,
    search_lines_to_targets,
)
from playproof.verifier.search.random_games import CuriousPlayer, RandomPlayer

_FIRST_LOOK = 6.0  # units of work for exploration before anything is proved
_SHARE = 0.25  # of the time left, for a method that may fail
_PROOF = 0.35  # of the time left, for a proof that may come to nothing
_MOST_TOLD = 4  # conditions that people may want to read
_ENDING = re.compile(r"(\boutcome [!=]=) (\d+)")
_RUN = 20_260_104


def answer_minimum_or_maximum_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the least (minimum) or greatest (maximum) value of a number where a condition holds."""
    reader = TargetReader(case.game, question.where)
    number, target = reader.number_to_term(str(question.of["number"])), _read_when_target(reader, question)
    best, line = find_best_example_line(case, question) or (None, None)
    return ExtremeSearch(
        case,
        question,
        target,
        number,
        question.ask == "minimum",
        budget,
        best,
        line,
        "examples" if line else "",
    ).search_extreme()


def find_best_example_line(case: GameCase, question: Question) -> tuple[int, list[int]] | None:
    """Return the best value that the examples given to a claim and old lines reach, with its line; or None."""
    reader, least = TargetReader(case.game, question.where), question.ask == "minimum"
    number, target = reader.number_to_term(str(question.of["number"])), _read_when_target(reader, question)
    best: tuple[int, list[int]] | None = None
    for line in [*play_given_examples(case, question), *(line.idents for line in replay_stored_lines(case))]:
        better = target
        while (replayed := replay_line(case, line, better)).hit is not None:
            value = case.play.value(number, replayed.state)
            if best is None or (value < best[0] if least else value > best[0]):
                best = value, list(line[: replayed.hit])
            more = number < value if least else number > value
            better = replace(target, condition=target.condition & more)
    return best


def _read_when_target(reader: TargetReader, question: Question) -> Target:
    return reader.read_single_target(question.of.get("when", {"holds": "1 == 1"}), question.within)


def restrict_target_to_greater_number(target: Target, number: Term, value: int) -> Target:
    """Return the target restricted to states where the number is greater than a value."""
    return Target(target.name, target.spec, target.condition & (number > value), target.idents)


def _describe_kept_conditions(game: Game, texts: Sequence[str]) -> str:
    """Return why a number is not better, in the conditions that every step keeps; "" if they are too many to read."""
    named = [
        _ENDING.sub(lambda found: f"{found[1]} '{game.outcome.field.format_value(int(found[2]))}'", text)
        for text in texts
    ]
    return f"every game keeps {'; and '.join(named)}" if 0 < len(named) <= _MOST_TOLD else ""


@dataclass(slots=True)
class ExtremeSearch:
    """The search for one extreme: `line` reaches the value `best`, and `proof` gives what shows the bound
    `bound` (if None, the field's range gives it)."""

    case: GameCase
    question: Question
    target: Target
    number: Term
    least: bool
    budget: Budget
    best: int | None = None
    line: list[int] | None = None
    method: str = ""
    bound: int = 0
    proof: Callable[[], MethodProof] | None = None
    lines: list[list[int]] = field(default_factory=list)

    def search_extreme(self) -> Conclusion:
        """Search for lines, then for proofs, then for lines again, until the value and the bound
        meet."""
        self.bound = self.number.lo if self.least else self.number.hi
        if self._is_search_over():
            return self._build_conclusion()
        self._search_by_games()
        seen = self._explore_with_work(min(_FIRST_LOOK, self.budget.work / 4))
        if seen.complete:
            return self._conclude_from_all_states(seen)
        methods = {
            "helpful games": lambda: self._search_helpful_games(_SHARE / 2),
            "layers": self._raise_bound_by_rounds,
            "invariant": self._tighten_bound_by_invariant,
            "greedy games": self._search_greedy_games,
            "more helpful games": self._search_helpful_games,
            "more games": self._explore_remaining,
        }
        for name, method in methods.items():
            if name == "helpful games" or not self._is_search_over():
                with isolate_method(self.case, name):
                    method()
        if self.case.seen is not None and self.case.seen.complete:
            return self._conclude_from_all_states(self.case.seen)
        return self._build_conclusion()

    def _build_better_event(self, value: int) -> Event:
        """Return the event that the number is better than a value."""
        return stated(self.question, "<" if self.least else ">", value)

    def _is_search_over(self) -> bool:
        return self.best == self.bound or self.budget.left <= 0

    def _build_conclusion(self) -> Conclusion:
        offers: list[CertificateOffer] = []
        methods = [self.method]
        if self.line is not None and self.best is not None:
            event = stated(self.question, "==", self.best)
            offers.append((build_transcript(self.case, event, self.line),))
        proof = None if self.proof is None else self.proof()
        if proof is not None:
            offers.append(proof.offer)
            methods.append(proof.method)
        method = " + ".join(name for name in dict.fromkeys(methods) if name)
        if self.best is not None and self.best == self.bound:
            if proof is None:  # the field's bounds alone show it
                offers.append(
                    build_invariants_excluding_event(self.case, self._build_better_event(self.best), [])
                )
            because = (
                {"because": f"nothing better can be: {proof.because}"} if proof and proof.because else {}
            )
            return Conclusion(self.best, method, tuple(offers), bound=because)
        low, high = (self.bound, self.best) if self.least else (self.best, self.bound)
        return Conclusion(
            None,
            method,
            tuple(offers),
            explain_no_answer(self.case, self.budget),
            {"at least": low, "at most": high, **exploration_progress_to_json(self.case)},
        )

    # -- lines ----------------------------------------------------------------------------------------------

    def _keep_better_line(self, line: list[int] | None, method: str) -> None:
        """Keep a line that is better than the best one known, cut where it first meets the target."""
        if line is None:
            return
        replayed = replay_line(self.case, line, self._build_better_target())
        if replayed.hit is not None:
            self.best = self.case.play.value(self.number, replayed.state)
            self.line, self.method = line[: replayed.hit], method
            self.lines.append(self.line)

    def _build_better_target(self) -> Target:
        """Return the target restricted to values better than the best one known."""
        if self.best is None:
            return self.target
        more = self.number < self.best if self.least else self.number > self.best
        return Target(self.target.name, self.target.spec, self.target.condition & more, self.target.idents)

    def _search_by_games(self) -> None:
        """Find a first line, then improve it with random games and curious games."""
        self._search_helpful_games(_SHARE, enough=None)
        if self.best is not None:
            return
        search = search_lines_to_targets(
            self.case, [self.target], self.budget.take_share(1 / 3), explore=False
        )
        if 0 in search.lines:
            self._keep_better_line(search.lines[0], search.method[0])
            for line in get_random_games(self.case).notable:
                self._keep_better_line(line, "random games")
        if self.target.idents is None:
            self._improve_by_games(self.budget.take_share(_SHARE / 2))

    def _improve_by_games(self, budget: Budget, games: int = 400) -> None:
        curious = CuriousPlayer(make_game_seed(_RUN, 0))
        for game in range(games):
            if budget.left <= 0 or self.best == self.bound:
                return
            player: Player
            if game % 2:
                player, method = curious, "curious games"
            else:
                player, method = RandomPlayer(make_game_seed(_RUN, game)), "random games"
            line = GameInProgress(self.case).play_to_end(player)
            self._keep_better_line(self._cut_line_at_best_value(line), method)

    def _cut_line_at_best_value(self, line: PlayedLine) -> list[int] | None:
        """Return the beginning of a line up to its best value where the target holds, or None if
        that is no improvement."""
        states = line.states
        rows = np.flatnonzero(evaluate_term(self.target.condition, states))
        line.drop_states()
        if not len(rows):
            return None
        values = evaluate_term(self.number, states[:, rows])
        best = int(values.min() if self.least else values.max())
        if self.best is not None and (best >= self.best if self.least else best <= self.best):
            return None
        first = int(np.flatnonzero(values == best)[0])
        return line.idents[: int(rows[first])]

    def _search_helpful_games(self, share: float = 0.7, enough: int | None = -1) -> None:
        """Play games in which all help one seat; `enough` None stops at the first line. For minima
        only."""
        if self.least:
            line = guided_games.search_line_by_helpful_games(
                self.case,
                self.target,
                self.budget.take_share(share),
                number=self.number,
                below_value=self.best,
                enough_value=None if enough is None else self.bound,
            )
            self._keep_better_line(line, "helpful games")

    def _search_greedy_games(self) -> None:
        if self.least and self._is_round_counter():
            line = guided_games.search_line_by_greedy_games(
                self.case,
                self.target,
                self.budget.take_share(_SHARE),
                fewer_rounds_than=self.best,
                enough_rounds=self.bound,
            )
            self._keep_better_line(line, "greedy games")

    def _explore_remaining(self) -> None:
        """Explore on with the remaining budget: up to the last round that could be better, or all
        states."""
        if self._is_round_counter() and self.least:
            self._explore_with_work(self.budget.left, None if self.best is None else self.best - 1)
            self._raise_bound_by_rounds()
        else:
            self._explore_with_work(self.budget.left)

    # -- all states -----------------------------------------------------------------------------------------

    def _is_round_counter(self) -> bool:
        name = self.case.game.facts.get("round")
        return name is not None and self.case.game.quantities[name] is self.number

    def _explore_with_work(self, work: float, rounds: int | None = None) -> Exploration:
        """Explore with so much work. If the number is the round to be minimised, the first hit
        among the states is best, and exploring stops there."""
        by_round = self.least and self._is_round_counter()
        until = (
            (lambda now: find_ending_row_meeting_target(now, self.target) is not None) if by_round else None
        )
        seen = self.case.extend_exploration(self.budget, rounds=rounds, until=until, work=work)
        if by_round:
            self._keep_better_line(find_line_in_exploration(seen, self.target), "exploration")
        return seen

    def _raise_bound_by_rounds(self) -> None:
        """For the fewest rounds, exclude all rounds that were searched completely without a hit."""
        seen = self.case.seen
        if seen is None or not self.least or not self._is_round_counter():
            return
        done = [r for r in seen.layers if self.best is None or r < self.best]
        if not done or max(done) + 1 <= self.bound:
            return
        # An ending is noted in the layer of the state before it, though the action that ends may
        # raise the round.
        if not len(seen.find_rows_where(self.target.condition & (self.number <= max(done)))):
            self.bound = max(done) + 1
            self.proof = partial(self._prove_none_up_to_round, seen, max(done))

    def _prove_none_up_to_round(self, seen: Exploration, rounds: int) -> MethodProof:
        """Return the proof that the target holds in no state up to a round."""
        better = replace(self.target, condition=self.target.condition & (self.number <= rounds))
        words = describe_target_absence(
            self.case, seen, seen.layers[rounds], better, f" within round {rounds}"
        )
        return MethodProof(
            "exploration",
            build_exploration_excluding_event(self.case, self._build_better_event(rounds + 1), seen, rounds),
            words,
        )

    def _conclude_from_all_states(self, seen: Exploration) -> Conclusion:
        """Return the extreme among all states."""
        if is_target_absent(seen, self.target):
            event = Event(stated(self.question, "", 0).of, to_json(self.question.within))
            return Conclusion(
                None,
                "exploration",
                (build_exploration_excluding_event(self.case, event, seen),),
                vacuous=True,
            )
        if self.target.idents is None:
            rows = seen.find_rows_where(self.target.condition)
            values = np.concatenate(
                [evaluate_term(self.number, seen.get_state_columns(int(row), int(row) + 1)) for row in rows]
            )
            best = int(values.min() if self.least else values.max())
            if self.best is None or self.best != best:
                first = int(np.flatnonzero(values == best)[0])
                self._keep_better_line(seen.find_path_to_row(int(rows[first])), "exploration")
            self.best = self.bound = best
            self.proof = lambda: MethodProof(
                "exploration",
                build_exploration_excluding_event(self.case, self._build_better_event(best), seen),
                describe_target_absence(self.case, seen, seen.states, self._build_better_target()),
            )
        return self._build_conclusion()

    # -- proofs ---------------------------------------------------------------------------------------------

    def _tighten_bound_by_invariant(self) -> None:
        """Tighten the bound with mined invariants."""
        if self.least:
            result = run_in_child_process(
                lambda b: prove_lower_bound(
                    self.case,
                    self.target,
                    self.number,
                    self.best,
                    b,
                    get_random_games(self.case).notable + self.lines,
                ),
                self.budget,
                _PROOF,
            )
        else:
            result = run_in_child_process(self._find_upper_bound_by_invariants, self.budget, _PROOF)
        if result is not None:
            value, texts = result
            self._take_closer_bound(
                value,
                lambda: MethodProof(
                    "invariant",
                    build_invariants_excluding_event(self.case, self._build_better_event(value), texts),
                    _describe_kept_conditions(self.case.game, texts),
                ),
            )

    def _find_upper_bound_by_invariants(self, budget: Budget) -> ProvedBound | None:
        """Return the first upper bound that invariants show, tried from `best` up in growing steps, with these
        invariants; None if they show none."""
        value, step = self.number.lo if self.best is None else self.best, 1
        while value < self.bound and budget.left > 0:
            texts = find_unreachability_conditions(
                self.case, restrict_target_to_greater_number(self.target, self.number, value), budget
            )
            if texts is not None:
                return value, texts
            value, step = value + step, 2 * step
        return None

    def _take_closer_bound(self, value: int, proof: Callable[[], MethodProof]) -> None:
        """Take up a bound if it is closer than the one there is."""
        if (value > self.bound) if self.least else (value < self.bound):
            self.bound, self.proof = value, proof
