"""What Attack Points amount to: the sources they have in one combat bound them."""

from __future__ import annotations

from collections.abc import Sequence

from playproof import Term, Value, all_of, pick, sum_of
from playproof.language.expr import as_term

from .board import Slot
from .cards import EffectOperation, Script
from .moment import PhaseConditions, implies
from .world import Tabletop


def build_invariant_of_attack_points(m: PhaseConditions) -> Term:
    """Attack Points without the dice: what stands ready, at most a track of Power, and each card played once."""
    s, w, ph = m.s, m.w, m.ph
    early = m.is_current_phase_one_of(ph.defend, ph.muster, ph.commit) | m.is_running_effect_played_in(
        ph.defend, ph.commit
    )
    ready = max(c.amount for c in w.cards.loyalties) + len(Slot) * max(c.attack for c in w.cards.locations)
    skill = max(c.amount for c in w.cards.mercenaries)
    coming = m.g.table("coming", _tabulate_attack_points_left_by_line(w.cards.scripts))
    fight = []
    for side, player in enumerate((s.turn, s.defender)):
        plain = s.ap[side] - pick(s.rerolling & (s.side == side), 0, s.rolled[side])
        unit = (
            skill
            if side == 0
            else pick(
                m.is_current_phase_one_of(ph.defend) | m.is_running_effect_played_in(ph.defend), 0, skill
            )
        )
        power = pick(early & (s.side <= side), 0, w.limit)
        rest = pick(
            m.is_running_effect_played_in(ph.commit, ph.clash, ph.last) & (s.side == side),
            coming[s.script, s.line],
            0,
        )
        fight += [
            plain >= 0,
            plain + rest <= ready + unit + power + _sum_attack_points_of_played_cards(w, player),
        ]
    thrown = ~early & ~(m.is_current_phase_one_of(ph.dice) & ~s.rerolling & (s.side == 0))
    return all_of(
        [
            implies(m.is_combat_going_on, all_of(fight)),
            implies(~(m.is_combat_going_on & thrown), (s.rolled[0] == 0) & (s.rolled[1] == 0)),
            implies(m.is_current_phase_one_of(ph.dice) & ~s.rerolling, s.rolled[1] == 0),
        ]
    )


def _tabulate_attack_points_left_by_line(scripts: Sequence[Script]) -> list[list[int]]:
    """Attack Points that each script still gives, by line."""
    width = max(map(len, scripts)) + 2

    def behind(script: Script, line: int) -> int:
        return sum(n for op, n in script[line:] if op == EffectOperation.ATTACK)

    return [[behind(script, line) for line in range(width)] for script in scripts]


def _sum_attack_points_of_played_cards(w: Tabletop, player: Value) -> Term:
    """Attack Points of the artifacts that a player has laid out, and of the Consumables that the player lacks."""
    gives = [row[0] for row in _tabulate_attack_points_left_by_line(w.cards.scripts)]
    cards = len(w.artifacts)
    laid = sum_of(w.s.laid[player, c] * gives[c] for c in range(cards) if gives[c])
    used = sum_of(
        (1 - w.s.kit[player, k]) * gives[cards + k] for k in range(len(w.consumables)) if gives[cards + k]
    )
    return as_term(laid + used)
