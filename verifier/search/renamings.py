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
from playproof.verifier.search.case import Budget
from playproof.verifier.search.work import PLAIN, spend

_SAMPLES = 20
_VARIANTS, _MOST_CHANGES = 80, 2
_MOST = 24  # renamings
_SHARE = 0.1  # of the work that is left
_GROUND = 400  # ground actions, each of which is a question to the kernel

Swap = Mapping[int, tuple[int, ...]]
"""For each number of things: the thing that takes the place of each."""
Cells = tuple[int, ...]


@dataclass(frozen=True)
class _Sample:
    """A state of a random game: who acts, and its decisions with their weights and what they lead to."""

    state: Cells
    actor: int
    led: Mapping[int, tuple[int, Cells]]


def proposed(
    play: Interpreter, states: Sequence[Sequence[int]], budget: Budget
) -> tuple[list[Renaming], bool]:
    """Return renamings that the decisions of sampled states do not notice, and whether a larger budget would find no
    more."""
    game = play.game
    if game.ground > _GROUND:
        return [], True
    samples = list(_samples(play, states))
    work = budget.share(_SHARE)
    renamings: list[Renaming] = []
    for kind in _kinds(game):
        for swap in kind:
            if len(renamings) >= _MOST or work.left <= 0:
                return renamings, len(renamings) >= _MOST
            better = next(filter(None, (_fits(play, v, samples) for v in _variants(game, swap))), None)
            if better is not None and better not in renamings:
                renamings.append(better)
    return renamings, True


def _samples(play: Interpreter, states: Sequence[Sequence[int]]) -> Iterator[_Sample]:
    """Yield states of games, and others within bounds: the kernel asks of all states, so chance may show sooner what it
    would refuse."""
    r = random.Random(4)
    fields = [held for held in play.game.fields for _ in range(held.size)]
    phases = [phase.number for phase in play.game.phases if not phase.automatic]
    for _ in range(_SAMPLES):
        state = [int(n) for n in r.choice(states)]
        yield from _sample(play, state)
        for part in (0.2, 0.6):
            drawn = (
                r.randint(f.lo, f.hi) if r.random() < part else n for n, f in zip(state, fields, strict=True)
            )
            yield from _sample(play, [r.choice(phases), 0, *islice(drawn, 2, None)])


def _sample(play: Interpreter, state: Sequence[int]) -> Iterator[_Sample]:
    try:
        here = tuple(state)
        yield _Sample(here, play.actor(here), _led(play, here, play.legal(here)))
    except RulesError:
        return


def _led(play: Interpreter, state: Cells, legal: Sequence[int]) -> dict[int, tuple[int, Cells]]:
    spend(PLAIN * len(legal))
    return {ident: (play.weight(state, ident), tuple(play.apply(state, ident))) for ident in legal}


# -- what may be exchanged ------------------------------------------------------------------------------------------


def _kinds(game: Game) -> Iterator[Iterator[Swap]]:
    """Yield ways to exchange neighbours: single things, blocks (the cards of a suit), and every n-th (of a rank); then
    things with those as far from the other end, where ranks pair off to one sum, or the order may be turned round."""
    sizes = {size for held in game.fields for size in held.shape if size > 1}
    for size in sorted(sizes):
        for each in range(2, size // 2 + 1):
            if size % each == 0:
                yield (_blocks(size, each, n) for n in range(size // each - 1))
                yield (_every(size, size // each, n) for n in range(size // each - 1))
        yield ({size: _exchanged(size, [(n, n + 1)])} for n in range(size - 1))
        yield ({size: _exchanged(size, pairs)} for pairs in _mirrored(size))


def _mirrored(size: int) -> Iterator[list[tuple[int, int]]]:
    last = size - 1
    yield [(n, last - n) for n in range(size // 2)]
    yield from ([(n, last - n)] for n in range(size // 2))
    yield from ([(n, n + 1), (last - n - 1, last - n)] for n in range(size // 2 - 1))


def _blocks(size: int, each: int, n: int) -> Swap:
    pairs = [(n * each + k, (n + 1) * each + k) for k in range(each)]
    return {size: _exchanged(size, pairs), size // each: _exchanged(size // each, [(n, n + 1)])}


def _every(size: int, apart: int, n: int) -> Swap:
    pairs = [(first + n, first + n + 1) for first in range(0, size, apart)]
    return {size: _exchanged(size, pairs), apart: _exchanged(apart, [(n, n + 1)])}


def _exchanged(size: int, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    new = [*range(size)]
    for left, right in pairs:
        new[left], new[right] = right, left
    return tuple(new)


# -- which numbers mean a thing -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Variant:
    """A renaming of states, with the renamings of each action that are still possible."""

    cells: Cells
    names: Mapping[int, Cells]
    actions: Mapping[int, tuple[Cells, ...]] = field(default_factory=dict)

    def of(self, state: Cells, lows: Sequence[int]) -> Cells:
        """Return the renamed state."""
        renamed = [state[source] for source in self.cells]
        for cell, names in self.names.items():
            renamed[cell] = names[renamed[cell] - lows[cell]]
        return tuple(renamed)


def _variants(game: Game, swap: Swap) -> Iterator[_Variant]:
    """Yield guesses, those with the fewest changes to the plainest one first."""
    of_fields = [list(_of_field(held, swap)) for held in game.fields[2:]]
    actions = {action.number: tuple(_of_action(action, swap)) for action in game.actions}
    for chosen in islice(_few_changes([len(options) for options in of_fields]), _VARIANTS):
        cells, names = [0, 1], dict[int, Cells]()
        for options, choice in zip(of_fields, chosen, strict=True):
            mine, values = options[choice]
            names |= {len(cells) + n: values for n in range(len(mine)) if values}
            cells += mine
        if cells != [*range(len(cells))] or names:
            yield _Variant(tuple(cells), names, actions)


def _few_changes(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    open_places = [n for n, count in enumerate(counts) if count > 1]
    plain = [0] * len(counts)
    yield tuple(plain)
    for changes in range(1, _MOST_CHANGES + 1):
        for places in product(open_places, repeat=changes):
            if list(places) == sorted(set(places)):
                for values in product(*(range(1, counts[place]) for place in places)):
                    some = plain.copy()
                    for place, value in zip(places, values, strict=True):
                        some[place] = value
                    yield tuple(some)


def _of_field(held: Field, swap: Swap) -> Iterator[tuple[Cells, Cells]]:
    """Yield which cells those of a field are taken from, and the new names of its values (() if they stay)."""
    plain = np.arange(held.offset, held.offset + held.size).reshape(held.shape or (1,))
    moved = plain
    for axis, size in enumerate(held.shape):
        if size in swap:
            moved = np.take(moved, swap[size], axis=axis)
    values = [(), *_of_values(held.lo, held.hi, swap)]
    yield from ((tuple(moved.ravel().tolist()), names) for names in values)
    if moved is not plain:
        yield from ((tuple(plain.ravel().tolist()), names) for names in values)


def _of_values(low: int, high: int, swap: Swap) -> Iterator[Cells]:
    count = high - low + 1
    for size, things in swap.items():
        if count == size + 1:
            yield (low, *(low + 1 + n for n in things))
        if count in (size, size + 1):
            yield (*(low + n for n in things), *range(low + size, high + 1))


def _of_action(action: Action, swap: Swap) -> Iterator[Cells]:
    """Yield what the decisions of an action may become."""
    of_params = [
        [swap[p.count], (*range(p.count),)] if p.count in swap else [(*range(p.count),)]
        for p in action.params
    ]
    for chosen in product(*of_params):
        lows = [p.low for p in action.params]
        yield tuple(
            action.ident(
                [low + names[v - low] for low, names, v in zip(lows, chosen, action.values(i), strict=True)]
            )
            for i in action.idents
        )


# -- trying ---------------------------------------------------------------------------------------------------------


def _fits(play: Interpreter, variant: _Variant, samples: Sequence[_Sample]) -> Renaming | None:
    """Return a renaming if no sampled decision notices it; in some phases it may rename nothing."""
    game = play.game
    phases = frozenset(phase.number for phase in game.phases)
    while True:
        trial, wrong = _Trial(play, variant, phases), set[int]()
        for sample in samples:
            phase = sample.state[0]
            if phase in phases and phase not in wrong and not trial.keeps(sample):
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


class _Trial:
    """A variant tried on samples, in some phases."""

    def __init__(self, play: Interpreter, variant: _Variant, phases: frozenset[int]) -> None:
        self.play, self.variant, self.phases = play, variant, phases
        self.lows = [f.lo for f in play.game.fields for _ in range(f.size)]
        self.moves = False

    def keeps(self, sample: _Sample) -> bool:
        """Return whether a state and the renamed one have the same decisions, as far as can be seen."""
        renamed = self.variant.of(sample.state, self.lows)
        self.moves |= renamed != sample.state
        try:
            spend(PLAIN)
            if self.play.actor(renamed) != sample.actor:
                return False
            legal = set(self.play.legal(renamed))
            if len(legal) != len(sample.led) or not all(
                self._ways(a, sample, legal) for a in self.play.game.actions
            ):
                return False
            theirs = _led(self.play, renamed, sorted(legal))
        except RulesError:
            return False
        possible: dict[int, tuple[Cells, ...]] = {}
        for action in self.play.game.actions:
            ways = self._ways(action, sample, theirs.keys())
            possible[action.number] = tuple(w for w in ways if self._same(action, w, sample, theirs))
            if not possible[action.number]:
                return False
        self.variant = replace(self.variant, actions=possible)
        return True

    def _ways(self, action: Action, sample: _Sample, legal: Set[int]) -> list[Cells]:
        """Return the renamings of an action's decisions under which the same are legal."""
        return [
            way
            for way in self.variant.actions[action.number]
            if all((i in sample.led) == (other in legal) for i, other in zip(action.idents, way, strict=True))
        ]

    def _same(
        self, action: Action, way: Cells, sample: _Sample, theirs: Mapping[int, tuple[int, Cells]]
    ) -> bool:
        """Return whether decisions weigh as much and lead as far as the renamed ones."""
        for ident, other in zip(action.idents, way, strict=True):
            if ident in sample.led:
                (weight, after), (other_weight, other_after) = sample.led[ident], theirs[other]
                related = after[1] or after[0] in self.phases
                same = after == other_after or (related and self.variant.of(after, self.lows) == other_after)
                if weight != other_weight or not same:
                    return False
        return True
