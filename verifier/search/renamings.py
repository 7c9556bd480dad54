"""Proposes renamings that a game's rules may not notice: two suits, two columns, or two equal cards exchanged.

A list of n things shows in the rules as arrays of n cells, parameters of n values, and numbers of n values (or n + 1,
where one means "none"). For example, a pack of 20 cards in four suits is an array of 20 cells and another of 4. To
exchange two suits, blocks of five cells of the one and single cells of the other are exchanged together. Which numbers
mean such a thing is guessed, and tried on states of random games. The kernel certifies what is proposed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice, product

import numpy as np

from playproof.language import Action, Field, Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.symmetry import Renaming
from playproof.verifier.search.case import PLAIN, Budget, add_work_units_done

_SAMPLES = 20
_VARIANTS, _MOST_CHANGES = 80, 2
_MOST = 24  # renamings
_SHARE = 0.1  # of the work that is left
_GROUND = 400  # ground actions, each of which is a question to the kernel

ThingPermutations = Mapping[int, tuple[int, ...]]
"""For each number of things: the thing that takes the place of each."""
CellTuple = tuple[int, ...]


@dataclass(frozen=True)
class _StateSample:
    """A state of a random game: who acts, and its decisions with their weights and what they lead to."""

    state: CellTuple
    actor: int
    led: Mapping[int, tuple[int, CellTuple]]


def propose_renamings_and_whether_final(
    interpreter: Interpreter, sample_states: Sequence[Sequence[int]], budget: Budget
) -> tuple[list[Renaming], bool]:
    """Return renamings that the decisions of sampled states do not notice, and whether a larger budget would find no
    more."""
    game = interpreter.game
    if game.ground > _GROUND:
        return [], True
    samples = list(_iter_samples_of_real_and_random_states(interpreter, sample_states))
    work = budget.make_budget_of_share(_SHARE)
    renamings: list[Renaming] = []
    for kind in _iter_groups_of_thing_swaps(game):
        for swap in kind:
            if len(renamings) >= _MOST or work.left <= 0:
                return renamings, len(renamings) >= _MOST
            better = next(
                filter(
                    None,
                    (
                        _fit_renaming_to_samples_or_none(interpreter, v, samples)
                        for v in _iter_renaming_variants_of_swap(game, swap)
                    ),
                ),
                None,
            )
            if better is not None and better not in renamings:
                renamings.append(better)
    return renamings, True


def _iter_samples_of_real_and_random_states(
    interpreter: Interpreter, sample_states: Sequence[Sequence[int]]
) -> Iterator[_StateSample]:
    """Yield states of games, and others within bounds: the kernel asks of all states, so chance may show sooner what it
    would refuse."""
    if not len(sample_states):
        return
    r = random.Random(4)
    fields = [held for held in interpreter.game.fields for _ in range(held.size)]
    phases = [phase.number for phase in interpreter.game.phases if not phase.automatic]
    for _ in range(_SAMPLES):
        state = [int(n) for n in r.choice(sample_states)]
        yield from _iter_sample_of_state_if_valid(interpreter, state)
        for part in (0.2, 0.6):
            drawn = (r.randint(f.lo, f.hi) if r.random() < part else n for n, f in zip(state, fields, strict=True))
            yield from _iter_sample_of_state_if_valid(interpreter, [r.choice(phases), 0, *islice(drawn, 2, None)])


def _iter_sample_of_state_if_valid(interpreter: Interpreter, state: Sequence[int]) -> Iterator[_StateSample]:
    try:
        here = tuple(state)
        yield _StateSample(
            here,
            interpreter.actor(here),
            _compute_weight_and_successor_by_action(interpreter, here, interpreter.legal(here)),
        )
    except RulesError:
        return


def _compute_weight_and_successor_by_action(
    interpreter: Interpreter, state: CellTuple, legal_actions: Sequence[int]
) -> dict[int, tuple[int, CellTuple]]:
    add_work_units_done(PLAIN * len(legal_actions))
    return {
        ident: (interpreter.weight(state, ident), tuple(interpreter.apply(state, ident))) for ident in legal_actions
    }


# -- what may be exchanged ------------------------------------------------------------------------------------------


def _iter_groups_of_thing_swaps(game: Game) -> Iterator[Iterator[ThingPermutations]]:
    """Yield ways to exchange neighbours: single things, blocks (the cards of a suit), and every n-th (of a rank); then
    things with those as far from the other end, where ranks pair off to one sum, or the order may be turned round."""
    sizes = {size for held in game.fields for size in held.shape if size > 1}
    for size in sorted(sizes):
        for each in range(2, size // 2 + 1):
            if size % each == 0:
                yield (_make_swap_of_neighbouring_blocks(size, each, n) for n in range(size // each - 1))
                yield (_make_swap_of_every_nth_thing(size, size // each, n) for n in range(size // each - 1))
        yield ({size: _build_permutation_swapping_pairs(size, [(n, n + 1)])} for n in range(size - 1))
        yield ({size: _build_permutation_swapping_pairs(size, pairs)} for pairs in _iter_lists_of_mirrored_pairs(size))


def _iter_lists_of_mirrored_pairs(size: int) -> Iterator[list[tuple[int, int]]]:
    last = size - 1
    yield [(n, last - n) for n in range(size // 2)]
    yield from ([(n, last - n)] for n in range(size // 2))
    yield from ([(n, n + 1), (last - n - 1, last - n)] for n in range(size // 2 - 1))


def _make_swap_of_neighbouring_blocks(thing_count: int, block_size: int, block_index: int) -> ThingPermutations:
    pairs = [(block_index * block_size + k, (block_index + 1) * block_size + k) for k in range(block_size)]
    return {
        thing_count: _build_permutation_swapping_pairs(thing_count, pairs),
        thing_count // block_size: _build_permutation_swapping_pairs(
            thing_count // block_size, [(block_index, block_index + 1)]
        ),
    }


def _make_swap_of_every_nth_thing(thing_count: int, step: int, index: int) -> ThingPermutations:
    pairs = [(first + index, first + index + 1) for first in range(0, thing_count, step)]
    return {
        thing_count: _build_permutation_swapping_pairs(thing_count, pairs),
        step: _build_permutation_swapping_pairs(step, [(index, index + 1)]),
    }


def _build_permutation_swapping_pairs(size: int, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    new = [*range(size)]
    for left, right in pairs:
        new[left], new[right] = right, left
    return tuple(new)


# -- which numbers mean a thing -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RenamingVariant:
    """A renaming of states, with the renamings of each action that are still possible."""

    cells: CellTuple
    names: Mapping[int, CellTuple]
    actions: Mapping[int, tuple[CellTuple, ...]] = field(default_factory=dict)

    def apply_renaming_to_state(self, state: CellTuple, lowest_value_by_cell: Sequence[int]) -> CellTuple:
        """Return the renamed state."""
        renamed = [state[source] for source in self.cells]
        for cell, names in self.names.items():
            renamed[cell] = names[renamed[cell] - lowest_value_by_cell[cell]]
        return tuple(renamed)


def _iter_renaming_variants_of_swap(game: Game, swap: ThingPermutations) -> Iterator[_RenamingVariant]:
    """Yield guesses, those with the fewest changes to the plainest one first."""
    of_fields = [list(_iter_cell_sources_and_value_names(held, swap)) for held in game.fields[2:]]
    actions = {action.number: tuple(_iter_permutations_of_action_ids(action, swap)) for action in game.actions}
    for chosen in islice(_iter_choices_fewest_changes_first([len(options) for options in of_fields]), _VARIANTS):
        cells, names = [0, 1], dict[int, CellTuple]()
        for options, choice in zip(of_fields, chosen, strict=True):
            mine, values = options[choice]
            names |= {len(cells) + n: values for n in range(len(mine)) if values}
            cells += mine
        if cells != [*range(len(cells))] or names:
            yield _RenamingVariant(tuple(cells), names, actions)


def _iter_choices_fewest_changes_first(option_counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    open_places = [n for n, count in enumerate(option_counts) if count > 1]
    plain = [0] * len(option_counts)
    yield tuple(plain)
    for changes in range(1, _MOST_CHANGES + 1):
        for places in product(open_places, repeat=changes):
            if list(places) == sorted(set(places)):
                for values in product(*(range(1, option_counts[place]) for place in places)):
                    some = plain.copy()
                    for place, value in zip(places, values, strict=True):
                        some[place] = value
                    yield tuple(some)


def _iter_cell_sources_and_value_names(
    game_field: Field, swap: ThingPermutations
) -> Iterator[tuple[CellTuple, CellTuple]]:
    """Yield which cells those of a field are taken from, and the new names of its values (() if they stay)."""
    plain = np.arange(game_field.offset, game_field.offset + game_field.size).reshape(game_field.shape or (1,))
    moved = plain
    for axis, size in enumerate(game_field.shape):
        if size in swap:
            moved = np.take(moved, swap[size], axis=axis)
    values = [(), *_iter_permutations_of_values(game_field.lo, game_field.hi, swap)]
    yield from ((tuple(moved.ravel().tolist()), names) for names in values)
    if moved is not plain:
        yield from ((tuple(plain.ravel().tolist()), names) for names in values)


def _iter_permutations_of_values(lowest_value: int, highest_value: int, swap: ThingPermutations) -> Iterator[CellTuple]:
    count = highest_value - lowest_value + 1
    for size, things in swap.items():
        if count == size + 1:
            yield (lowest_value, *(lowest_value + 1 + n for n in things))
        if count in (size, size + 1):
            yield (*(lowest_value + n for n in things), *range(lowest_value + size, highest_value + 1))


def _iter_permutations_of_action_ids(action: Action, swap: ThingPermutations) -> Iterator[CellTuple]:
    """Yield what the decisions of an action may become."""
    of_params = [
        [swap[p.count], (*range(p.count),)] if p.count in swap else [(*range(p.count),)] for p in action.params
    ]
    for chosen in product(*of_params):
        lows = [p.low for p in action.params]
        yield tuple(
            action.get_ground_action_number(
                [
                    low + names[v - low]
                    for low, names, v in zip(lows, chosen, action.get_values_of_ground_action(i), strict=True)
                ]
            )
            for i in action.idents
        )


# -- candidates against samples -------------------------------------------------------------------------------------


def _fit_renaming_to_samples_or_none(
    interpreter: Interpreter, variant: _RenamingVariant, samples: Sequence[_StateSample]
) -> Renaming | None:
    """Return a renaming if no sampled decision notices it; in some phases it may rename nothing."""
    game = interpreter.game
    phases = frozenset(phase.number for phase in game.phases)
    while True:
        trial, wrong = _VariantTrial(interpreter, variant, phases), set[int]()
        for sample in samples:
            phase = sample.state[0]
            if phase in phases and phase not in wrong and not trial.narrow_variant_and_tell_if_sample_fits(sample):
                wrong.add(phase)
                if 2 * sum(each.state[0] in phases - wrong for each in samples) < len(samples):
                    return None
        if not wrong:
            break
        phases -= wrong
    if not trial.moves:
        return None
    names = tuple((cell, *values) for cell, values in sorted(variant.names.items()))
    decisions = (n for action in game.actions for n in trial.variant.actions[action.number][0])
    return Renaming(variant.cells, names, tuple(decisions), tuple(sorted(phases)))


class _VariantTrial:
    """A variant tried on samples, in some phases."""

    def __init__(self, play: Interpreter, variant: _RenamingVariant, phases: frozenset[int]) -> None:
        self.play, self.variant, self.phases = play, variant, phases
        self.lows = [f.lo for f in play.game.fields for _ in range(f.size)]
        self.moves = False

    def narrow_variant_and_tell_if_sample_fits(self, sample: _StateSample) -> bool:
        """Return whether a state and the renamed one have the same decisions, as far as can be seen."""
        renamed = self.variant.apply_renaming_to_state(sample.state, self.lows)
        self.moves |= renamed != sample.state
        try:
            add_work_units_done(PLAIN)
            if self.play.actor(renamed) != sample.actor:
                return False
            legal = set(self.play.legal(renamed))
            if len(legal) != len(sample.led) or not all(
                self._list_action_renamings_keeping_legality(a, sample, legal) for a in self.play.game.actions
            ):
                return False
            theirs = _compute_weight_and_successor_by_action(self.play, renamed, sorted(legal))
        except RulesError:
            return False
        possible: dict[int, tuple[CellTuple, ...]] = {}
        for action in self.play.game.actions:
            ways = self._list_action_renamings_keeping_legality(action, sample, theirs.keys())
            possible[action.number] = tuple(
                w for w in ways if self._do_renamed_actions_have_same_effect(action, w, sample, theirs)
            )
            if not possible[action.number]:
                return False
        self.variant = replace(self.variant, actions=possible)
        return True

    def _list_action_renamings_keeping_legality(
        self, action: Action, sample: _StateSample, legal_after_renaming: Set[int]
    ) -> list[CellTuple]:
        """Return the renamings of an action's decisions under which the same are legal."""
        return [
            way
            for way in self.variant.actions[action.number]
            if all(
                (i in sample.led) == (other in legal_after_renaming)
                for i, other in zip(action.idents, way, strict=True)
            )
        ]

    def _do_renamed_actions_have_same_effect(
        self,
        action: Action,
        renamed_actions: CellTuple,
        sample: _StateSample,
        renamed_effects: Mapping[int, tuple[int, CellTuple]],
    ) -> bool:
        """Return whether decisions weigh as much and lead as far as the renamed ones."""
        for ident, other in zip(action.idents, renamed_actions, strict=True):
            if ident in sample.led:
                (weight, after), (other_weight, other_after) = sample.led[ident], renamed_effects[other]
                related = after[1] or after[0] in self.phases
                same = after == other_after or (
                    related and self.variant.apply_renaming_to_state(after, self.lows) == other_after
                )
                if weight != other_weight or not same:
                    return False
        return True
