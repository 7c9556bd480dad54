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
from playproof.language.explorer import Exploration, evaluate_term_in_many_states
from playproof.language.game import Game
from playproof.language.random import make_game_seed
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import build_event_of_number_compared_with_value as stated
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.proof.certificate_offers import (
    CertificateOffer,
    MethodProof,
    build_exploration_certificate_excluding_event,
    build_invariant_certificates_excluding_event,
    build_transcript_showing_statement,
    run_in_child_within_budget_or_none,
)
from playproof.verifier.proof.counting import list_playable_lines_of_given_examples
from playproof.verifier.proof.explanations import (
    describe_target_absence_from_states,
    explain_why_no_answer,
    get_exploration_progress_as_json,
)
from playproof.verifier.proof.induction import (
    ProvedBound,
    find_conditions_excluding_target_or_none,
    find_proved_lower_bound_or_none,
)
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import guided_games
from playproof.verifier.search.case import Budget, GameCase, record_and_swallow_unexpected_exceptions
from playproof.verifier.search.lines_of_play import (
    ActionLine,
    GameInProgress,
    PlayedLine,
    Player,
    replay_line_until_target_is_met,
)
from playproof.verifier.search.portfolio import (
    find_explored_line_to_target_or_none,
    find_first_ending_row_of_target_or_none,
    get_shared_random_games,
    is_target_absent_from_exploration,
    play_games_along_stored_lines,
    search_lines_to_targets_by_all_methods,
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
    number, target = (reader.number_text_to_term(str(question.of["number"])), _read_target_of_when(reader, question))
    best, line = find_best_known_line_or_none(case, question) or (None, None)
    return ExtremeSearch(
        case, question, target, number, question.ask == "minimum", budget, best, line, "examples" if line else ""
    ).search_extreme_value()


def find_best_known_line_or_none(case: GameCase, question: Question) -> tuple[int, ActionLine] | None:
    """Return the best value that the examples given to a claim and old lines reach, with its line; or None."""
    reader, least = TargetReader(case.game, question.where), question.ask == "minimum"
    number, target = (reader.number_text_to_term(str(question.of["number"])), _read_target_of_when(reader, question))
    best: tuple[int, ActionLine] | None = None
    for line in [
        *list_playable_lines_of_given_examples(case, question),
        *(line.idents for line in play_games_along_stored_lines(case)),
    ]:
        better = target
        while (replayed := replay_line_until_target_is_met(case, line, better)).hit is not None:
            value = case.play.value(number, replayed.state)
            if best is None or (value < best[0] if least else value > best[0]):
                best = value, list(line[: replayed.hit])
            more = number < value if least else number > value
            better = replace(target, condition=target.condition & more)
    return best


def _read_target_of_when(reader: TargetReader, question: Question) -> Target:
    return reader.read_single_target_of_spec(question.of.get("when", {"holds": "1 == 1"}), question.within)


def restrict_target_to_number_above_value(target: Target, number: Term, lower_limit: int) -> Target:
    """Return the target restricted to states where the number is greater than a value."""
    return Target(target.name, target.spec, target.condition & (number > lower_limit), target.idents)


def _describe_kept_conditions_or_empty_if_many(game: Game, condition_texts: Sequence[str]) -> str:
    """Return why a number is not better, in the conditions that every step keeps; "" if they are too many to read."""
    named = [
        _ENDING.sub(lambda found: f"{found[1]} '{game.outcome.field.format_value(int(found[2]))}'", text)
        for text in condition_texts
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
    line: ActionLine | None = None
    method: str = ""
    bound: int = 0
    proof: Callable[[], MethodProof] | None = None
    lines: list[ActionLine] = field(default_factory=list)

    def search_extreme_value(self) -> Conclusion:
        """Search for lines, then for proofs, then for lines again, until the value and the bound
        meet."""
        self.bound = self.number.lo if self.least else self.number.hi
        if self._is_optimum_proved_or_budget_spent():
            return self._build_conclusion_from_line_and_proof()
        self._search_lines_by_games()
        seen = self._explore_and_keep_line_of_fewer_rounds(min(_FIRST_LOOK, self.budget.work / 4))
        if seen.complete:
            return self._conclude_extreme_from_all_states(seen)
        methods = {
            "helpful games": lambda: self._lower_minimum_by_cooperative_games(_SHARE / 2),
            "layers": self._raise_bound_by_searched_rounds,
            "invariant": self._tighten_bound_by_mined_invariants,
            "greedy games": self._lower_minimum_rounds_by_greedy_games,
            "more helpful games": self._lower_minimum_by_cooperative_games,
            "more games": self._explore_with_remaining_budget,
        }
        for name, method in methods.items():
            if name == "helpful games" or not self._is_optimum_proved_or_budget_spent():
                with record_and_swallow_unexpected_exceptions(self.case, name):
                    method()
        if self.case.seen is not None and self.case.seen.complete:
            return self._conclude_extreme_from_all_states(self.case.seen)
        return self._build_conclusion_from_line_and_proof()

    def _build_event_of_number_beating_value(self, value: int) -> Event:
        """Return the event that the number is better than a value."""
        return stated(self.question, "<" if self.least else ">", value)

    def _is_optimum_proved_or_budget_spent(self) -> bool:
        return self.best == self.bound or self.budget.left <= 0

    def _build_conclusion_from_line_and_proof(self) -> Conclusion:
        offers: list[CertificateOffer] = []
        methods = [self.method]
        if self.line is not None and self.best is not None:
            event = stated(self.question, "==", self.best)
            offers.append((build_transcript_showing_statement(self.case, event, self.line),))
        proof = None if self.proof is None else self.proof()
        if proof is not None:
            offers.append(proof.offer)
            methods.append(proof.method)
        method = " + ".join(name for name in dict.fromkeys(methods) if name)
        if self.best is not None and self.best == self.bound:
            if proof is None:  # the field's bounds alone show it
                offers.append(
                    build_invariant_certificates_excluding_event(
                        self.case, self._build_event_of_number_beating_value(self.best), []
                    )
                )
            because = {"because": f"nothing better can be: {proof.because}"} if proof and proof.because else {}
            return Conclusion(self.best, method, tuple(offers), bound=because)
        low, high = (self.bound, self.best) if self.least else (self.best, self.bound)
        return Conclusion(
            None,
            method,
            tuple(offers),
            explain_why_no_answer(self.case, self.budget),
            {"at least": low, "at most": high, **get_exploration_progress_as_json(self.case)},
        )

    # -- lines ----------------------------------------------------------------------------------------------

    def _keep_line_if_better(self, line: ActionLine | None, method_name: str) -> None:
        """Keep a line that is better than the best one known, cut where it first meets the target."""
        if line is None:
            return
        replayed = replay_line_until_target_is_met(self.case, line, self._build_target_better_than_best())
        if replayed.hit is not None:
            self.best = self.case.play.value(self.number, replayed.state)
            self.line, self.method = line[: replayed.hit], method_name
            self.lines.append(self.line)

    def _build_target_better_than_best(self) -> Target:
        """Return the target restricted to values better than the best one known."""
        if self.best is None:
            return self.target
        more = self.number < self.best if self.least else self.number > self.best
        return Target(self.target.name, self.target.spec, self.target.condition & more, self.target.idents)

    def _search_lines_by_games(self) -> None:
        """Find a first line, then improve it with random games and curious games."""
        self._lower_minimum_by_cooperative_games(_SHARE, stop_at_first_line=True)
        if self.best is not None:
            return
        search = search_lines_to_targets_by_all_methods(
            self.case, [self.target], self.budget.make_budget_of_share(1 / 3), explore=False
        )
        if 0 in search.lines:
            self._keep_line_if_better(search.lines[0], search.method[0])
            for line in get_shared_random_games(self.case).notable:
                self._keep_line_if_better(line, "random games")
        if self.target.idents is None:
            self._improve_line_by_games(self.budget.make_budget_of_share(_SHARE / 2))

    def _improve_line_by_games(self, budget: Budget, max_games: int = 400) -> None:
        curious = CuriousPlayer(make_game_seed(_RUN, 0))
        for game in range(max_games):
            if budget.left <= 0 or self.best == self.bound:
                return
            player: Player
            if game % 2:
                player, method = curious, "curious games"
            else:
                player, method = RandomPlayer(make_game_seed(_RUN, game)), "random games"
            line = GameInProgress(self.case).play_to_end_with_player(player)
            self._keep_line_if_better(self._cut_line_at_improved_value_or_none(line), method)

    def _cut_line_at_improved_value_or_none(self, line: PlayedLine) -> ActionLine | None:
        """Return the beginning of a line up to its best value where the target holds, or None if
        that is no improvement."""
        states = line.states
        rows = np.flatnonzero(evaluate_term_in_many_states(self.target.condition, states))
        line.forget_cached_states()
        if not len(rows):
            return None
        values = evaluate_term_in_many_states(self.number, states[:, rows])
        best = int(values.min() if self.least else values.max())
        if self.best is not None and (best >= self.best if self.least else best <= self.best):
            return None
        first = int(np.flatnonzero(values == best)[0])
        return line.idents[: int(rows[first])]

    def _lower_minimum_by_cooperative_games(self, share: float = 0.7, *, stop_at_first_line: bool = False) -> None:
        """Play games in which all help one seat, to lower a minimum. For a maximum nothing is played."""
        if self.least:
            line = guided_games.search_line_by_cooperative_beams_or_none(
                self.case,
                self.target,
                self.budget.make_budget_of_share(share),
                minimized_number=self.number,
                number_below=self.best,
                good_enough_number=None if stop_at_first_line else self.bound,
            )
            self._keep_line_if_better(line, "helpful games")

    def _lower_minimum_rounds_by_greedy_games(self) -> None:
        if self.least and self._is_number_the_declared_round():
            line = guided_games.search_line_by_greedy_games_or_none(
                self.case,
                self.target,
                self.budget.make_budget_of_share(_SHARE),
                fewer_rounds_than=self.best,
                enough_rounds=self.bound,
            )
            self._keep_line_if_better(line, "greedy games")

    def _explore_with_remaining_budget(self) -> None:
        """Explore on with the remaining budget: up to the last round that could be better, or all
        states."""
        if self._is_number_the_declared_round() and self.least:
            self._explore_and_keep_line_of_fewer_rounds(self.budget.left, None if self.best is None else self.best - 1)
            self._raise_bound_by_searched_rounds()
        else:
            self._explore_and_keep_line_of_fewer_rounds(self.budget.left)

    # -- all states -----------------------------------------------------------------------------------------

    def _is_number_the_declared_round(self) -> bool:
        name = self.case.game.facts.get("round")
        return name is not None and self.case.game.quantities[name] is self.number

    def _explore_and_keep_line_of_fewer_rounds(self, max_work: float, until_round: int | None = None) -> Exploration:
        """Explore with so much work. If the number is the round to be minimised, the first hit
        among the states is best, and exploring stops there."""
        by_round = self.least and self._is_number_the_declared_round()
        until = (
            (lambda now: find_first_ending_row_of_target_or_none(now, self.target) is not None) if by_round else None
        )
        seen = self.case.extend_shared_exploration(
            self.budget, until_round=until_round, is_enough=until, max_work=max_work
        )
        if by_round:
            self._keep_line_if_better(find_explored_line_to_target_or_none(seen, self.target), "exploration")
        return seen

    def _raise_bound_by_searched_rounds(self) -> None:
        """For the fewest rounds, exclude all rounds that were searched completely without a hit."""
        seen = self.case.seen
        if seen is None or not self.least or not self._is_number_the_declared_round():
            return
        done = [r for r in seen.layers if self.best is None or r < self.best]
        if not done or max(done) + 1 <= self.bound:
            return
        # An ending is noted in the layer of the state before it, though the action that ends may
        # raise the round.
        if not len(seen.find_rows_where_condition_holds(self.target.condition & (self.number <= max(done)))):
            self.bound = max(done) + 1
            self.proof = partial(self._build_proof_of_none_up_to_round, seen, max(done))

    def _build_proof_of_none_up_to_round(self, exploration: Exploration, last_round: int) -> MethodProof:
        """Return the proof that the target holds in no state up to a round."""
        better = replace(self.target, condition=self.target.condition & (self.number <= last_round))
        words = describe_target_absence_from_states(
            self.case, exploration, exploration.layers[last_round], better, f" within round {last_round}"
        )
        return MethodProof(
            "exploration",
            build_exploration_certificate_excluding_event(
                self.case, self._build_event_of_number_beating_value(last_round + 1), exploration, last_round
            ),
            words,
        )

    def _conclude_extreme_from_all_states(self, exploration: Exploration) -> Conclusion:
        """Return the extreme among all states."""
        if is_target_absent_from_exploration(exploration, self.target):
            event = Event(stated(self.question, "", 0).of, to_plain_json_data(self.question.within))
            return Conclusion(
                None,
                "exploration",
                (build_exploration_certificate_excluding_event(self.case, event, exploration),),
                vacuous=True,
            )
        if self.target.idents is None:
            rows = exploration.find_rows_where_condition_holds(self.target.condition)
            values = np.concatenate(
                [
                    evaluate_term_in_many_states(
                        self.number, exploration.unpack_rows_into_columns(int(row), int(row) + 1)
                    )
                    for row in rows
                ]
            )
            best = int(values.min() if self.least else values.max())
            if self.best is None or self.best != best:
                first = int(np.flatnonzero(values == best)[0])
                self._keep_line_if_better(
                    exploration.list_action_numbers_from_start_to_row(int(rows[first])), "exploration"
                )
            self.best = self.bound = best
            self.proof = lambda: MethodProof(
                "exploration",
                build_exploration_certificate_excluding_event(
                    self.case, self._build_event_of_number_beating_value(best), exploration
                ),
                describe_target_absence_from_states(
                    self.case, exploration, exploration.states, self._build_target_better_than_best()
                ),
            )
        return self._build_conclusion_from_line_and_proof()

    # -- proofs ---------------------------------------------------------------------------------------------

    def _tighten_bound_by_mined_invariants(self) -> None:
        """Tighten the bound with mined invariants."""
        if self.least:
            result = run_in_child_within_budget_or_none(
                lambda b: find_proved_lower_bound_or_none(
                    self.case,
                    self.target,
                    self.number,
                    self.best,
                    b,
                    get_shared_random_games(self.case).notable + self.lines,
                ),
                self.budget,
                _PROOF,
            )
        else:
            result = run_in_child_within_budget_or_none(
                self._find_bound_by_mined_invariants_or_none, self.budget, _PROOF
            )
        if result is not None:
            value, texts = result
            self._set_bound_if_closer(
                value,
                lambda: MethodProof(
                    "invariant",
                    build_invariant_certificates_excluding_event(
                        self.case, self._build_event_of_number_beating_value(value), texts
                    ),
                    _describe_kept_conditions_or_empty_if_many(self.case.game, texts),
                ),
            )

    def _find_bound_by_mined_invariants_or_none(self, budget: Budget) -> ProvedBound | None:
        """Return the first upper bound that invariants show, tried from the best known value up in growing steps, with
        these invariants; None if they show none."""
        value, step = self.number.lo if self.best is None else self.best, 1
        while value < self.bound and budget.left > 0:
            texts = find_conditions_excluding_target_or_none(
                self.case, restrict_target_to_number_above_value(self.target, self.number, value), budget
            )
            if texts is not None:
                return value, texts
            value, step = value + step, 2 * step
        return None

    def _set_bound_if_closer(self, bound: int, proof: Callable[[], MethodProof]) -> None:
        """Take up a bound if it is closer than the one there is."""
        if (bound > self.bound) if self.least else (bound < self.bound):
            self.bound, self.proof = bound, proof
