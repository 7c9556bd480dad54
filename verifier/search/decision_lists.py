"""Finds a short list of rules by which a seat plays as well as it can, for games that can be gone through whole.

All states and their chances under best play come first. Each action then has a regret: how much less it is worth than
the best one of its state. Rules are added one by one ("separate and conquer"): of all pairs of a condition and a
choice, the one that keeps most regret away from the states that no rule covers yet. The kernel says how good a list is.
Source: Rivest, "Learning decision lists", Machine Learning 2, 1987.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Term
from playproof.language.expr import Const, as_term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.closed_sets import (
    SCALE,
    compute_lower_and_upper_state_values,
    make_layers_of_one,
    make_play_of_seekers,
)
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.state_graphs import (
    StateGraph,
    enumerate_states_from_start,
    put_all_states_in_one_layer,
)
from playproof.verifier.kernel.strategies import (
    compute_strategy_chance_bounds_at_start,
    enumerate_states_under_strategy,
)
from playproof.verifier.questions.claims import Spec
from playproof.verifier.questions.strategies import EVALUATION, strategy_spec_to_strategy
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import GameCase

MOST_STATES = 150_000
_MOST_ENTRIES = 40_000_000  # of the matrices of conditions and of choices
_THRESHOLDS, _MOST_CELLS, _MOST_NUMBERS, _MOST_ACTIONS = 24, 60, 24, 200
_MOST_PAIRED = 6  # numbers of which sums and differences are compared too
_DEEP, _BEAM = 3, 6
_PER_PART = 0.97  # what a rule is worth for each part of its condition
_SAME = 1e-9
_VISITS, _AT_RANDOM = 400, 0.1
_CAUTION = (1.0, 10.0)  # how much more a regret counts than what a rule keeps away
_AGAIN = 4  # lists for each caution: a list leads to other states than best play does
_EXACTLY = 12  # parts of a condition, where nothing may be lost
_MOST_TRIED = 60  # lists that are played while numbers in conditions are moved
_WRONG = 1e6
RuleSpecs = list[dict[str, Any]]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
RowArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RuleListProposal:
    """Rules, and bounds on the chance to reach the target by them."""

    rules: RuleSpecs
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class SolvedGame:
    """All states of a game; each one's chance under best play; who acts, where a seat stands for its team; the edges
    between them, with their weights."""

    game: Game
    graph: StateGraph
    values: FloatArray
    actors: RowArray
    weights: RowArray

    def list_edges_where_seat_chooses(self, seat: int) -> RowArray:
        """Return the edges from states in which the seat has a choice, in the order of the states."""
        edges = self.graph.edges
        several = np.diff(self.graph.first) > 1
        return np.flatnonzero((self.actors[edges[:, 0]] == seat) & several[edges[:, 0]])

    def compute_regret_of_each_edge(self, edges: RowArray) -> FloatArray:
        """Return how much less an edge is worth than the best one of its state."""
        of = self.graph.edges[edges]
        return np.maximum(self.values[of[:, 0]] - self.values[of[:, 2]], 0.0)


def find_best_rule_list_and_best_play_chance(
    case: GameCase, target_spec: Spec, seat: int, max_rules: int
) -> tuple[RuleListProposal, Fraction]:
    """Return the best list of at most so many rules that is found, and a lower bound on the chance of best play. Raises
    NotShown if the game has too many states, or hides something from the seat."""
    game = case.game
    team = game.get_team_of_seat(seat)
    seen = [
        f.make_mask_of_cells_seen_by_seat(member, game.players) for member in team for f in game.fields if f.lo < f.hi
    ]
    if not all(map(all, seen)):
        who = f"seat {seat}" if len(team) == 1 else f"one of the seats {', '.join(map(str, team))}"
        raise NotShown(f"something is hidden from {who}, and no rules are searched for then")
    played, chance = _solve_best_play_of_seat(case, target_spec, seat)
    if not chance:
        raise NotShown(f"seat {seat} has no chance against best play")
    best: RuleListProposal | None = None
    for good in (_mark_edges_of_best_play(played, seat), _mark_best_edges_nearer_to_target(played, seat)):
        for rules in filter(None, _iter_learned_rule_lists(played, seat, good, max_rules)):
            low, high = _compute_chance_bounds_of_rule_list(case, target_spec, seat, rules)
            if best is None or (low, -len(rules)) > (best.low, -len(best.rules)):
                best = RuleListProposal(rules, low, high)
        if best is not None and best.low >= chance - Fraction(1, 10**8):
            break
    if best is None:
        raise NotShown(f"no rules were found, or seat {seat} never has a choice")
    if best.low < chance:
        best = _improve_numbers_in_conditions(case, target_spec, seat, best)
    return _remove_unneeded_rules_and_conditions(case, target_spec, seat, best), chance


def _solve_best_play_of_seat(case: GameCase, target_spec: Spec, seat: int) -> tuple[SolvedGame, Fraction]:
    game = case.game
    graph = enumerate_states_from_start(game, False, MOST_STATES)
    layer = put_all_states_in_one_layer(
        graph, game, TargetReader(game).read_single_target_of_spec(target_spec, None).condition
    )
    no_end = np.zeros(1, dtype=np.int64)
    team = game.get_team_of_seat(seat)
    play, made = make_play_of_seekers("mean", team), make_layers_of_one(layer)
    low, _ = compute_lower_and_upper_state_values(made, (no_end, no_end), play, case.context)
    chance = Fraction(int(low[0]), SCALE)
    assert layer.weight is not None
    actors = np.where(np.isin(layer.actor, team), seat, layer.actor).astype(np.int64)
    return SolvedGame(game, graph, low / SCALE, actors, layer.weight.astype(np.int64)), chance


def _compute_chance_bounds_of_rule_list(
    case: GameCase, target_spec: Spec, seat: int, rules: RuleSpecs
) -> tuple[Fraction, Fraction]:
    of = rule_list_to_strategy_spec(case.game, target_spec, seat, rules)
    graph = enumerate_states_under_strategy(
        case.game, strategy_spec_to_strategy(case.game, of), of, MOST_STATES, case.context
    )
    return compute_strategy_chance_bounds_at_start(case.game, of, None, "mean", graph, case.context)


def rule_list_to_strategy_spec(game: Game, target_spec: Spec, seat: int, rules: RuleSpecs) -> dict[str, Any]:
    """Return what a `strategy_spec_to_strategy` claim says of rules by which a seat's team plays: all of it, so no
    seat is named."""
    alone = {"seat": seat} if game.get_team_of_seat(seat) == (seat,) else {}
    return {"target": target_spec, **alone, "play": rules}


def _improve_numbers_in_conditions(
    case: GameCase, target_spec: Spec, seat: int, proposal: RuleListProposal
) -> RuleListProposal:
    """Return a proposal in which moving no number of a condition by a little makes it better, as far as was tried."""
    tried, better = 0, True
    while better and tried < _MOST_TRIED:
        better = False
        for number, rule in enumerate(proposal.rules):
            for place in re.finditer(r"(?<=[=<>] )-?\d+", rule.get("when", "")):
                for by in (-4, -1, 1, 4):
                    when = f"{rule['when'][: place.start()]}{int(place[0]) + by}{rule['when'][place.end() :]}"
                    rules = [*proposal.rules[:number], {**rule, "when": when}, *proposal.rules[number + 1 :]]
                    tried += 1
                    low, high = _compute_chance_bounds_of_rule_list(case, target_spec, seat, rules)
                    if low > proposal.low:
                        proposal, better = RuleListProposal(rules, low, high), True
                        break
                if proposal.rules[number] is not rule:
                    break
    return proposal


def _remove_unneeded_rules_and_conditions(
    case: GameCase, target_spec: Spec, seat: int, proposal: RuleListProposal
) -> RuleListProposal:
    """Return a proposal without rules, and without parts of conditions, that are not needed."""
    for number in reversed(range(len(proposal.rules))):
        rule = proposal.rules[number]
        shorter: list[RuleSpecs] = [proposal.rules[:number] + proposal.rules[number + 1 :]]
        parts = rule["when"].split(" and ") if "when" in rule else []
        for part in parts if len(parts) > 1 else ():
            fewer = {**rule, "when": " and ".join(p for p in parts if p != part)}
            shorter.append([*proposal.rules[:number], fewer, *proposal.rules[number + 1 :]])
        for rules in filter(None, shorter):
            low, high = _compute_chance_bounds_of_rule_list(case, target_spec, seat, rules)
            if low >= proposal.low:
                proposal = RuleListProposal(rules, low, high)
                break
    return proposal


# -- which actions are good -------------------------------------------------------------------------------------------


def _mark_edges_of_best_play(solved: SolvedGame, seat: int) -> BoolArray:
    """Return the edges that best play may take: all of others and of chance, and the seat's without regret."""
    edges = solved.graph.edges
    mine = solved.actors[edges[:, 0]] == seat
    good: BoolArray = ~mine | (solved.values[edges[:, 2]] >= solved.values[edges[:, 0]] - _SAME)
    return good


def _mark_best_edges_nearer_to_target(solved: SolvedGame, seat: int) -> BoolArray:
    """Return those of them that come nearer to the target, so that nobody goes round in circles."""
    good, edges = _mark_edges_of_best_play(solved, seat), solved.graph.edges
    mine = solved.actors[edges[:, 0]] == seat
    ends = np.diff(solved.graph.first) == 0
    far = np.where(ends & (solved.values > _SAME), 0, len(ends))
    for distance in range(1, len(ends)):
        near = good & (far[edges[:, 2]] < distance) & (far[edges[:, 0]] > distance)
        if not near.any():
            break
        far[edges[near, 0]] = distance
    nearer: BoolArray = good & (~mine | (far[edges[:, 2]] < far[edges[:, 0]]) | (solved.values[edges[:, 0]] <= _SAME))
    return nearer


def _compute_expected_visits_of_each_state(
    solved: SolvedGame, seat: int, good_edges: BoolArray, random_move_weight: float
) -> FloatArray:
    """Return how often play meets each state, if the seat takes good actions, and now and then any."""
    edges = solved.graph.edges
    mine = solved.actors[edges[:, 0]] == seat
    share = np.where(solved.actors[edges[:, 0]] == CHANCE, solved.weights, 1).astype(np.float64)
    share[mine] = np.where(good_edges[mine], 1.0, random_move_weight)
    share /= np.maximum(np.bincount(edges[:, 0], share, len(solved.values)), 1e-300)[edges[:, 0]]
    now: FloatArray = np.zeros(len(solved.values))
    now[0] = 1.0
    visits = now.copy()
    for _ in range(_VISITS):
        now = np.bincount(edges[:, 2], now[edges[:, 0]] * share, len(now)).astype(np.float64)
        visits += now
        if now.sum() < _SAME:
            break
    return visits


# -- what rules can say -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleChoice:
    """What a rule takes: its words, and which edges of the seat's decisions that leaves."""

    words: dict[str, Any]
    edges: BoolArray


def _iter_possible_action_choices(
    solved: SolvedGame, choice_edges: RowArray, first_edge_by_state: RowArray
) -> Iterator[RuleChoice]:
    """Yield single actions, actions of one name (also by their parameters), and all by what lies behind them."""
    game, of = solved.game, solved.graph.edges[choice_edges]
    idents = of[:, 1]
    for number, ident in enumerate(np.unique(idents).tolist()):
        action = game.get_action_of_ground_action_number(ident)
        if action.params and number < _MOST_ACTIONS:
            pairs = zip(action.params, action.get_values_of_ground_action(ident), strict=True)
            spec = {"action": action.name, **{p.local.name: value for p, value in pairs}}
            yield RuleChoice({"take": spec}, idents == ident)
    for action in game.actions:
        mine = (idents >= action.first) & (idents < action.first + action.count)
        if not mine.any():
            continue
        yield RuleChoice({"take": action.name}, mine)
        values = np.array([action.get_values_of_ground_action(i) for i in action.idents])
        for n, param in enumerate(action.params if action.count > 1 else ()):
            number_of = np.where(mine, values[np.clip(idents - action.first, 0, action.count - 1), n], 0)
            for word, sign in (("most", 1), ("least", -1)):
                words = {"take": action.name, word: {"parameter": param.local.name}}
                yield RuleChoice(words, _mark_edges_of_greatest_number(sign * number_of, mine, first_edge_by_state))
    for text, term in _list_texts_and_terms_of_numbers(game)[:_MOST_NUMBERS]:
        behind = (
            ColumnReading(game, [term]).evaluate_term_in_each_state(term, solved.graph.cells[of[:, 2]]).astype(np.int64)
        )
        for word, sign in (("most", 1), ("least", -1)):
            yield RuleChoice(
                {word: text},
                _mark_edges_of_greatest_number(
                    sign * behind, np.ones(len(choice_edges), dtype=np.bool_), first_edge_by_state
                ),
            )


def _mark_edges_of_greatest_number(
    number_by_edge: RowArray, allowed_edges: BoolArray, first_edge_by_state: RowArray
) -> BoolArray:
    """Return the edges of each state, among some, whose number is the greatest."""
    low = np.where(allowed_edges, number_by_edge, np.iinfo(np.int64).min)
    counts = np.diff([*first_edge_by_state, len(number_by_edge)])
    greatest: BoolArray = low == np.repeat(np.maximum.reduceat(low, first_edge_by_state), counts)
    return allowed_edges & greatest


def _list_texts_and_terms_of_numbers(game: Game) -> list[tuple[str, Term]]:
    """Return numbers that a rule may compare, as claims write them: quantities, the evaluation, cells."""
    declared = game.facts.get("evaluate")
    numbers = [(f"`{name}`", term) for name, term in game.quantities.items()]
    if declared is not None and not isinstance(declared, list | tuple):
        numbers.append((EVALUATION, as_term(declared)))
    numbers += [(f"`{f.name}`", as_term(game.handles[f.name])) for f in game.fields[2:] if not f.shape]
    return [(text.replace("`", "") if text.strip("`").isidentifier() else text, term) for text, term in numbers]


def _iter_condition_texts_and_truths(solved: SolvedGame, state_rows: RowArray) -> Iterator[tuple[str, BoolArray]]:
    """Yield conditions on states: nothing, and comparisons of numbers and cells with values that they have."""
    yield "", np.ones(len(state_rows), dtype=np.bool_)
    cells, game = solved.graph.cells[state_rows], solved.game
    columns = [
        (text, np.asarray(ColumnReading(game, [term]).evaluate_term_in_each_state(term, cells)).astype(np.int64))
        for text, term in _list_texts_and_terms_of_numbers(game)
        if text != EVALUATION and not isinstance(term, Const)
    ]
    arrays = [f for f in game.fields[2:] if f.shape and f.lo < f.hi]
    for held in arrays if sum(f.size for f in arrays) <= _MOST_CELLS else ():
        for place in range(held.size):
            where = ", ".join(str(int(n)) for n in np.unravel_index(place, held.shape))
            name = held.name if held.name.isidentifier() else f"`{held.name}`"
            columns.append((f"{name}[{where}]", cells[:, held.offset + place].astype(np.int64)))
    lone = [column for column in columns if "[" not in column[0]]
    for (one, mine), (other, theirs) in combinations(lone if len(lone) <= _MOST_PAIRED else (), 2):
        columns += [(f"{one} + {other}", mine + theirs), (f"{one} - {other}", mine - theirs)]
    met = set[bytes]()
    for text, values in columns:
        distinct = np.unique(values)
        chosen = distinct[np.unique(np.linspace(0, len(distinct) - 1, _THRESHOLDS).astype(int))].tolist()
        for value in chosen:
            for sign, marks in ((">=", values >= value), ("<=", values <= value), ("==", values == value)):
                key = marks.tobytes()
                if not marks.all() and marks.any() and key not in met:
                    met.add(key)
                    yield f"{text} {sign} {value}", marks


# -- lists ------------------------------------------------------------------------------------------------------------


@dataclass
class _RuleListLearner:
    """Learns lists for the states `rows`, in which the seat has a choice. `losses` is what each choice may lose in each
    state, and below 0 where it is not possible."""

    texts: list[str]
    conditions: FloatArray
    choices: list[RuleChoice]
    losses: FloatArray
    worst: FloatArray
    weights: FloatArray
    of_state: RowArray

    def learn_rule_list_and_mark_edges_it_leaves(
        self, max_rules: int, regret_weight: float
    ) -> tuple[RuleSpecs, BoolArray]:
        """Return rules, each of which keeps as much regret away as it can, and the edges that they leave; with the
        caution _WRONG, none that loses anything."""
        left, rules = np.ones(self.losses.shape[1]), RuleSpecs()
        taken = np.zeros(len(self.of_state), dtype=np.bool_)
        saved = self.worst - (1 + regret_weight) * np.maximum(self.losses - _SAME, 0.0)
        gains = np.where(self.losses < 0, 0.0, saved * self.weights)
        while len(rules) < max_rules:
            last = len(rules) == max_rules - 1
            deep = _EXACTLY if regret_weight == _WRONG else _DEEP
            score, parts, choice = self._find_best_rule_value_conditions_choice(
                gains * left, 0 if last and regret_weight != _WRONG else deep
            )
            if score <= 0 and regret_weight == _WRONG and (left * self.weights * self.worst).any():
                parts, choice = self._find_harmless_conditions_and_choice(
                    gains * left, int((left * self.weights * self.worst).argmax())
                )
            elif score <= 0:
                break
            rules.append(self._format_rule_as_spec(parts, choice))
            covered = np.prod(self.conditions[parts], axis=0) > 0
            covered &= (self.losses[choice] >= 0) & (left > 0)
            taken |= covered[self.of_state] & self.choices[choice].edges
            left[covered] = 0.0
            if not (left * self.weights * self.worst).any():
                break
        return rules, taken | (left > 0)[self.of_state]

    def _find_best_rule_value_conditions_choice(
        self, gain_by_choice_and_state: FloatArray, max_depth: int
    ) -> tuple[float, list[int], int]:
        """Return the best rule: what it is worth, the numbers of its conditions, and that of its choice."""
        if not max_depth:
            totals = gain_by_choice_and_state.sum(axis=1)
            return float(totals.max()), [], int(totals.argmax())
        scores = self.conditions @ gain_by_choice_and_state.T
        scores[1:] *= _PER_PART
        order = np.argsort(-scores, axis=None, kind="stable")[:_BEAM]
        starts = [divmod(int(n), scores.shape[1]) for n in order]
        part, choice = starts[0]
        best = float(scores[part, choice]), [part] if part else [], choice
        for first, choice in starts:
            parts, mine = [first], gain_by_choice_and_state[choice] * self.conditions[first]
            while parts[-1] and len(parts) < max_depth:
                more = self.conditions @ mine * _PER_PART ** (len(parts) + 1)
                parts.append(int(more.argmax()))
                mine = mine * self.conditions[parts[-1]]
                if parts[-1] and float(more.max()) > best[0]:
                    best = float(more.max()), [*parts], choice
        return best

    def _find_harmless_conditions_and_choice(
        self, gain_by_choice_and_state: FloatArray, state: int
    ) -> tuple[list[int], int]:
        """Return a rule that fits one state and loses nothing: conditions that hold there, until no other state that
        they leave loses."""
        fine = np.flatnonzero((self.losses[:, state] >= 0) & (gain_by_choice_and_state[:, state] >= 0))
        choice = int(fine[gain_by_choice_and_state[fine].sum(axis=1).argmax()])
        parts, mine = list[int](), gain_by_choice_and_state[choice]
        while mine.min() < 0 and len(parts) < len(self.texts):
            totals = np.where(self.conditions[:, state] > 0, self.conditions @ mine, -np.inf)
            totals[[0, *parts]] = -np.inf
            parts.append(int(totals.argmax()))
            mine = mine * self.conditions[parts[-1]]
        return parts, choice

    def _format_rule_as_spec(self, condition_numbers: Sequence[int], choice_number: int) -> dict[str, Any]:
        words = self.choices[choice_number].words
        return (
            {"when": " and ".join(self.texts[n] for n in condition_numbers), **words}
            if condition_numbers
            else {**words}
        )


def _iter_learned_rule_lists(
    solved: SolvedGame, seat: int, good_edges: BoolArray, max_rules: int
) -> Iterator[RuleSpecs]:
    """Yield lists: one that loses nothing if it is short enough, and some that lose little."""
    edges = solved.list_edges_where_seat_chooses(seat)
    if not len(edges):
        return
    rows, firsts = np.unique(solved.graph.edges[edges, 0], return_index=True)
    by_edges = dict[bytes, RuleChoice]()
    for each in _iter_possible_action_choices(solved, edges, firsts):  # of equal ones the first, which is the plainest
        by_edges.setdefault(each.edges.tobytes(), each)
    choices = [*by_edges.values()]
    named = list(_iter_condition_texts_and_truths(solved, rows))
    if len(rows) * (len(choices) + len(named)) > _MOST_ENTRIES:
        raise NotShown(f"{len(rows):,} decisions are too many for a search of rules")
    bad = np.where(
        good_edges[edges],
        solved.compute_regret_of_each_edge(edges),
        np.maximum(solved.compute_regret_of_each_edge(edges), 1e-6),
    )
    losses = np.array([np.maximum.reduceat(np.where(c.edges, bad, -1.0), firsts) for c in choices])
    texts, conditions = [text for text, _ in named], np.array([marks for _, marks in named], dtype=np.float64)
    worst = np.maximum.reduceat(bad, firsts)
    on_the_way = (_compute_expected_visits_of_each_state(solved, seat, good_edges, 0.0)[rows] > 0).astype(np.float64)
    exact = np.where(worst > _SAME, 1.0, 0.0)
    of_state = np.repeat(np.arange(len(rows)), np.diff([*firsts, len(edges)]))
    learner = _RuleListLearner(texts, conditions, choices, losses, exact, on_the_way, of_state)
    yield learner.learn_rule_list_and_mark_edges_it_leaves(max_rules, _WRONG)[0]
    often = _compute_expected_visits_of_each_state(solved, seat, good_edges, _AT_RANDOM)[rows]
    for caution in _CAUTION:
        weights = often
        for _ in range(_AGAIN):
            rules, taken = replace(learner, worst=worst, weights=weights).learn_rule_list_and_mark_edges_it_leaves(
                max_rules, caution
            )
            yield rules
            left = good_edges.copy()
            left[edges] = taken
            weights = (weights + _compute_expected_visits_of_each_state(solved, seat, left, _AT_RANDOM)[rows]) / 2
