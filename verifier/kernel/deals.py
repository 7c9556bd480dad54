"""Deals: of a sample of shuffles, how many can be won by a player alone who sees all cards.

Chance acts first, and then never again: it deals. Deal number n of a seed is drawn here, from SHA-256, so that
no evidence can choose its deals. Each is *won* by a line of the player's, *lost* because none of the states that
the player can come to from it meets the target, or *open*.

The theorem (Clopper and Pearson, Biometrika 26, 1934): if deals are drawn independently and k of n meet a target
that a deal meets with chance p, then p is at least the least number with which k or more of n come with a chance
of 1/40, in 39 of 40 samples; and at most as many the other way round. With the won deals as k for the lower
bound, and the won and the open ones for the upper, the interval holds p in 95 % of all samples, however the open
deals fall. It is exact, and says nothing of one sample for certain.

The premises, and where they are checked: each deal is drawn with the weights of the rules
(`draw_state_after_deal_or_raise`); a line is legal, the player's own, and meets the target
(`_require_line_wins_after_deal`); a lost deal's states are all gone through, in none of them does chance act, and none
meets the target (`_require_target_unreachable_after_deal`). Deals with more states than the kernel reads are left to
compiled code, but only by certificates of a kind of their own. Digests of different deals are taken to be independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import ClassVar

from playproof.language import CHANCE, Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, require_stated_state_count
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.state_graphs import COMPILED, VECTORS, enumerate_states_from_start
from playproof.verifier.kernel.statements import (
    BOUNDS,
    PHASES_END,
    Event,
    Statement,
    Subject,
    target_spec_to_event,
)
from playproof.verifier.kernel.transcript import replay_legal_actions
from playproof.verifier.questions.claims import Question

FEW_STATES = 500
"""The interpreter goes through up to so many states behind a lost deal; more are read in columns."""
MOST_READ = 4_000_000
"""States behind a lost deal times ground actions, up to which the kernel reads them."""
MOST_DEALS = 10_000
_MOST_DRAWN = 10_000
"""Draws of one deal."""
_GRID = 10_000
"""Bounds of a share are multiples of 1 / _GRID, rounded away from it."""
_ONE_SIDE = 40
"""Each bound is wrong once in so many samples."""


@dataclass(frozen=True)
class WinnableShare(Subject):
    """Of the first `deals` shuffles of a seed, `won` can come to the event and `lost` cannot."""

    kind: ClassVar[str] = "share"
    event: Event
    seed: int
    deals: int
    won: int
    lost: int

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the bounds of the share of shuffles that meet the target, of exactly the question's sample."""
        if question.ask != "deals":
            return None
        event, seed = target_spec_to_event(question.of["share"]), int(question.of.get("seed", 1))
        if (event.key, seed, int(question.of["deals"])) != (self.event.key, self.seed, self.deals):
            return None
        return Decision(list(self.interval), see_all=True)

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds of the share of all shuffles, right in 95 % of samples."""
        lower_of_lost = compute_lower_95_percent_bound_of_share(self.lost, self.deals)
        return compute_lower_95_percent_bound_of_share(self.won, self.deals), round(1 - lower_of_lost, 4)


@dataclass(frozen=True)
class DealEvidence:
    """What is shown of one deal: a `line` behind it that meets the target; or that none of its `states` does;
    or nothing, with no line and no states."""

    line: tuple[int, ...]
    states: int


@dataclass(frozen=True)
class SampledDealsCertificate(Certificate):
    """Evidence for each of the first deals of a seed."""

    kind: ClassVar[str] = "deals"
    event: Event
    seed: int
    deals: tuple[DealEvidence, ...]

    def describe_what_must_be_trusted(self, needs_solver: bool = True) -> str:
        """Return what enumerates the states of lost deals: the interpreter for few, the vector reading for
        many."""
        is_vector_read = self.rests != COMPILED and any(deal.states > FEW_STATES for deal in self.deals)
        return VECTORS if is_vector_read else self.rests

    def build_proved_statement(self) -> Statement:
        """State how many deals are won and lost."""
        won = sum(bool(deal.line) for deal in self.deals)
        lost = sum(deal.states > 0 for deal in self.deals)
        return Statement(WinnableShare(self.event, self.seed, len(self.deals), won, lost))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Draw each deal, and replay its line or go through its states. Raises NotShown."""
        target = self.event.build_condition_and_actions(game, context)
        if game.players != 1 or target.idents is not None or not 1 <= len(self.deals) <= MOST_DEALS:
            raise NotShown(f"expected one player, a condition, and 1 to {MOST_DEALS:,} deals")
        most = compute_max_states_kernel_enumerates(game)
        if any(deal.states > most for deal in self.deals) != isinstance(self, CompiledDealsCertificate):
            raise NotShown("compiled code must go through deals of more states than the kernel reads, and no others")
        play = Interpreter(game)
        for number, deal in enumerate(self.deals):
            try:
                if deal.states < 0 or (deal.line and deal.states):
                    raise NotShown("expected a line, a number of states, or neither")
                if deal.line:
                    dealt = draw_state_after_deal_or_raise(play, self.seed, number)
                    _require_line_wins_after_deal(play, target, dealt, deal.line)
                elif deal.states:
                    dealt = draw_state_after_deal_or_raise(play, self.seed, number)
                    _require_target_unreachable_after_deal(game, target, dealt, deal.states, context)
            except (NotShown, RulesError) as error:
                raise NotShown(f"deal {number}: {error}") from None


@dataclass(frozen=True)
class CompiledDealsCertificate(SampledDealsCertificate):
    """Deals of which some have more states than the kernel goes through: compiled code, which the caller lends in the
    context, went through those, and the verdict says that it rests on it."""

    kind: ClassVar[str] = "compiled deals"
    rests: ClassVar[str] = COMPILED

    def build_proved_statement(self) -> Statement:
        """State how many are won and lost, if the rules keep their bounds: compiled code does not look at them."""
        return replace(super().build_proved_statement(), grounds=(BOUNDS, PHASES_END))


def compute_max_states_kernel_enumerates(game: Game) -> int:
    """Return how many states behind a lost deal the kernel reads itself."""
    return max(FEW_STATES, MOST_READ // max(1, game.ground))


def draw_state_after_deal_or_raise(interpreter: Interpreter, seed: int, deal_number: int) -> list[int]:
    """Return the state behind a deal, in which the player is to act or the game is over. Raises NotShown if
    chance goes on for ever."""
    state = interpreter.start()
    for drawn in range(_MOST_DRAWN):
        if interpreter.terminal(state) or interpreter.actor(state) != CHANCE:
            return state
        results = interpreter.legal(state)
        weights = [interpreter.weight(state, ident) for ident in results]
        if not weights or min(weights) <= 0:
            raise NotShown("a result of chance has no weight")
        lot = int.from_bytes(sha256(f"{seed}/{deal_number}/{drawn}".encode()).digest()) % sum(weights)
        place = 0
        while lot >= weights[place]:
            lot -= weights[place]
            place += 1
        state = interpreter.apply(state, results[place])
    raise NotShown(f"the deal has more than {_MOST_DRAWN:,} draws")


def _require_line_wins_after_deal(
    interpreter: Interpreter, target: Target, dealt_state: list[int], player_actions: tuple[int, ...]
) -> None:
    for ident in player_actions:
        if not interpreter.terminal(dealt_state) and interpreter.actor(dealt_state) == CHANCE:
            raise NotShown("chance acts after the deal")
        dealt_state = replay_legal_actions(interpreter, (ident,), dealt_state)
    if not interpreter.value(target.condition, dealt_state):
        raise NotShown("the line does not meet the target")


def _require_target_unreachable_after_deal(
    game: Game, target: Target, dealt_state: list[int], state_count: int, context: Context
) -> None:
    """Go through all states behind a deal. Raises NotShown if one meets the target, if chance acts in one, or if there
    are not so many."""
    if state_count > compute_max_states_kernel_enumerates(game):
        fault = context.compiled and context.compiled(game, target, ("", 0), state_count, dealt_state)
        if fault != "":
            raise NotShown(fault or f"{state_count:,} states are more than the kernel goes through")
        return
    graph = enumerate_states_from_start(
        game, state_count <= FEW_STATES, state_count, start_state=dealt_state, keep_moves=False
    )
    if graph.evaluate_condition_in_each_state(game, target.condition).any():
        raise NotShown("the target is met")
    if (graph.list_actor_of_each_state(game)[graph.cells[:, 1] == 0] == CHANCE).any():
        raise NotShown("chance acts after the deal")
    require_stated_state_count(len(graph.cells), state_count)


def compute_lower_95_percent_bound_of_share(hit_count: int, sample_size: int) -> float:
    """Return the greatest share on the grid with which `hit_count` or more of the deals come with a chance of at
    most 1/40; 0 for none."""
    low, high = 0, _GRID
    while hit_count and high - low > 1:
        middle = (low + high) // 2
        ways, times = 1, 0  # ways to choose the deals that meet it, and how often so many of them come
        for met in range(sample_size, hit_count - 1, -1):
            times += ways * middle**met * (_GRID - middle) ** (sample_size - met)
            ways = ways * met // (sample_size - met + 1)
        low, high = (middle, high) if _ONE_SIDE * times <= _GRID**sample_size else (low, middle)
    return low / _GRID
