"""Combat in its three steps: commit Power, roll dice, play cards; its verdict (R50-R58); and what bounds
Attack Points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from playproof import Local, Term, Value, all_of, goto, keep, max_of, otherwise, pick, require, sum_of, weight, when
from playproof.language.expr import as_term

from .cards import Bonus, EffectOperation, Mana, Script, Skill, Slot
from .draw import DeckRules
from .interrupts import can_give_up_location_at_any_time
from .phases import PhaseConditions, build_implication_term
from .shared_rules import SharedRules
from .table import GameUnderConstruction, Procedure

# Combat in its three steps: commit Power, roll dice, play cards; and its verdict (R50-R58).


@dataclass(frozen=True)
class CombatStart:
    """How an attack begins: the sides are set; then a location's owner is alerted."""

    start: Procedure
    alert: Procedure


def declare_combat(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> CombatStart:
    """The rules of combat."""
    combat = _declare_attack_start_procedures(w, common)
    _declare_defence_of_location(w)
    _declare_spending_of_power_in_combat(w, common)
    _declare_combat_dice_roll(w)
    _declare_card_playing_turns_in_combat(w, common)
    _declare_combat_verdict(w, common, draws)
    return combat


def count_rolls_by_dice_total(faces: tuple[int, ...], dice_count: int) -> list[int]:
    """How many ways `dice_count` dice show each total from -dice_count to +dice_count (faces -1, 0, +1)."""
    ways = Counter(sum(roll) for roll in product(faces, repeat=dice_count))
    return [ways[n] for n in range(-dice_count, dice_count + 1)]


def _declare_attack_start_procedures(w: GameUnderConstruction, common: SharedRules) -> CombatStart:
    g, s, ph, n = w.g, w.s, w.ph, w.players

    def standing(player: Value) -> Value:
        """AP from Loyalty Card and locations, counted before Power (R54)."""
        return common.bonus(player, Bonus.ATTACK) + sum_of(len(Slot), lambda i: w.loc_attack[s.slot[player, i]])

    @g.procedure(defender=n, target=len(w.sites) + len(w.locations) + 1)
    def start(defender: Local, target: Local) -> None:
        """The attacker's unit takes its place; both count their standing AP."""
        s.defender = defender
        s.target = target
        s.side = 0
        s.ap[0] = standing(s.turn) + w.skill[s.held - 1, Skill.ATTACK]
        s.fighter = s.held
        s.held = 0
        guard = pick(target <= len(w.sites), w.skill[s.site_kind[target - 1], Skill.DEFEND], 0)
        s.ap[1] = standing(defender) + guard

    @g.procedure(defender=n, card=len(w.locations))
    def alert(defender: Local, card: Local) -> None:
        """A unit on the location defends it; without one its owner may send one (R52)."""
        with when(s.loc_unit[card] > 0):
            s.ap[1] = s.ap[1] + w.skill[s.loc_unit[card] - 1, Skill.DEFEND]
            goto(ph.muster)
        with otherwise():
            s.by = defender
            goto(ph.defend)

    return CombatStart(start, alert)


def _declare_defence_of_location(w: GameUnderConstruction) -> None:
    """The owner of a location brings any unexhausted unit, or gives the location up (R52)."""
    g, s, ph = w.g, w.s, w.ph

    def join(kind: Value) -> None:
        card = s.target - 1 - len(w.sites)
        s.loc_unit[card] = kind + 1
        s.ap[1] = s.ap[1] + w.skill[kind, Skill.DEFEND]
        goto(ph.muster)

    @g.action(ph.defend, "defend with {kind} from camp", kind=w.kinds, name="defend from camp", rule="R52")
    def from_camp(kind: Local) -> None:
        require(s.camp[s.by, kind] > 0, "R52", "no such unit is in your camp")
        s.camp[s.by, kind] = s.camp[s.by, kind] - 1
        join(kind)

    @g.action(ph.defend, "defend with {kind} from Port", kind=w.kinds, name="defend from port", rule="R52")
    def from_port(kind: Local) -> None:
        require(s.port[s.by, kind] > 0, "R52", "no such unit of yours is in Port")
        s.port[s.by, kind] = s.port[s.by, kind] - 1
        join(kind)

    @g.action(ph.defend, "defend with the unit on {site}", site=w.site_names, name="defend from site", rule="R52")
    def from_site(site: Local) -> None:
        require(s.site_owner[site] == s.by + 1, "R52", "no unit of yours stands there")
        kind = keep(s.site_kind[site])
        s.site_owner[site] = 0
        s.site_kind[site] = 0
        join(kind)

    @g.action(
        ph.defend, "defend with the unit on your {slot} location", slot=Slot, name="defend from location", rule="R52"
    )
    def from_location(slot: Local) -> None:
        require(
            (s.slot[s.by, slot] > 0) & (s.loc_unit[s.slot[s.by, slot] - 1] > 0), "R52", "no unit of yours stands there"
        )
        card = keep(s.slot[s.by, slot] - 1)
        kind = keep(s.loc_unit[card] - 1)
        s.loc_unit[card] = 0
        join(kind)

    @g.action(ph.defend, "leave the location undefended", name="surrender", rule="R52")
    def surrender() -> None:
        s.ap[0] = 1
        s.ap[1] = 0
        goto(ph.verdict)


def _declare_spending_of_power_in_combat(w: GameUnderConstruction, common: SharedRules) -> None:
    """Step 1: the attacker, then the defender, spends Power, 1 AP each (R54)."""
    g, s, ph = w.g, w.s, w.ph

    def next_side() -> None:
        with when(s.side == 0):
            s.side = 1
            goto(ph.muster)
        with otherwise():
            s.side = 0
            goto(ph.dice)

    @g.on(ph.muster, rule="R54")
    def muster() -> None:
        """Whoever has neither Power nor Consumables is not asked."""
        s.by = pick(s.side == 0, s.turn, s.defender)
        s.shifted = 0
        with when((s.mana[s.by, Mana.POWER] > 0) | common.has_kit(s.by) | can_give_up_location_at_any_time(w, s.by)):
            goto(ph.commit)
        with otherwise():
            next_side()

    @g.action(ph.commit, "commit {power} Power", power=range(w.limit + 1), name="commit", rule="R54")
    def commit(power: Local) -> None:
        require(s.mana[s.by, Mana.POWER] >= power, "R54", "you have {} Power", s.mana[s.by, Mana.POWER])
        s.mana[s.by, Mana.POWER] = s.mana[s.by, Mana.POWER] - power
        s.ap[s.side] = s.ap[s.side] + power
        next_side()


def _declare_combat_dice_roll(w: GameUnderConstruction) -> None:
    """Step 2: each rolls the combat dice (R55)."""
    g, s, ph = w.g, w.s, w.ph
    dice = w.cards.combat_dice
    ways = g.table("ways", count_rolls_by_dice_total(w.cards.combat_die, dice))

    @g.action(ph.dice, "the dice show {total}", total=range(-dice, dice + 1), name="combat dice", rule="R55")
    def roll(total: Local) -> None:
        weight(ways[total + dice])
        s.ap[s.side] = s.ap[s.side] + total
        s.rolled[s.side] = total
        with when(s.rerolling):
            s.rerolling = 0
            goto(ph.resolve)
        with otherwise(s.side == 0):
            s.side = 1
        with otherwise():
            s.side = 0
            goto(ph.rally)


def _declare_card_playing_turns_in_combat(w: GameUnderConstruction, common: SharedRules) -> None:
    """Step 3: the attacker, then the defender, plays cards (R56). The cards themselves are in `artifacts`."""
    g, s, ph = w.g, w.s, w.ph

    @g.on(ph.rally, rule="R56")
    def rally() -> None:
        """Whoever holds no card at all is not asked."""
        s.by = pick(s.side == 0, s.turn, s.defender)
        s.shifted = 0
        with when((s.hand_size[s.by] > 0) | common.has_kit(s.by) | can_give_up_location_at_any_time(w, s.by)):
            goto(ph.clash)
        with otherwise(s.side == 0):
            s.side = 1
        with otherwise():
            s.side = 0
            goto(ph.parley)

    @g.action(ph.clash, "play no more cards", name="stand", rule="R56")
    def stand() -> None:
        with when(s.side == 0):
            s.side = 1
            goto(ph.rally)
        with otherwise():
            s.side = 0
            goto(ph.parley)


def _declare_combat_verdict(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    """The victor keeps the place, the defeated unit is exhausted (R51, R53, R58, A10)."""
    g, s, ph = w.g, w.s, w.ph
    sites = len(w.sites)

    @g.procedure(wins=2, both=2)
    def settle(wins: Local, both: Local) -> None:
        unit, target = keep(s.fighter), keep(s.target)
        s.by = s.turn
        s.fighter = 0
        s.target = 0
        s.draw_back = ph.pause.number
        goto(ph.pause)
        with when((wins == 0) | (both == 1)):
            s.exhausted[s.turn, unit - 1] = s.exhausted[s.turn, unit - 1] + 1
        with when(target <= sites):
            site = target - 1
            with when((wins == 1) | (both == 1)):
                common.exhaust(site)
            with when((wins == 1) & (both == 0)):
                common.arrive(s.turn, unit - 1, site)
                s.acted[site] = 1
        with otherwise((wins == 1) | (both == 1)):
            _settle_fight_over_location(w, draws, target - 1 - sites, unit, both)

    @g.on(ph.verdict, rule="R51 R53 R58")
    def verdict() -> None:
        floor = w.rulings.a24 == "zero"
        attack, defence = ((max_of(s.ap[i], 0) if floor else s.ap[i]) for i in range(2))
        wins, tie = keep(attack > defence), keep(attack == defence)
        again = keep(tie & ~s.fought_again) if w.rulings.a10 == "reroll" else 0
        for i in range(2):
            s.ap[i] = pick(again, s.ap[i] - s.rolled[i], 0) if w.rulings.a10 == "reroll" else 0
            s.rolled[i] = 0
        s.side = 0
        with when(again):
            s.fought_again = 1
            goto(ph.dice)
        with otherwise():
            s.fought_again = 0
            settle(wins, tie if w.rulings.a10 == "both" else 0)

    g.quantity("fighting", s.target > 0)


def _settle_fight_over_location(
    w: GameUnderConstruction, draws: DeckRules, card: Value, unit: Value, both_exhausted: Value
) -> None:
    """The defender's unit is exhausted; the location goes to the attacker's mat, the attacker's unit on it."""
    s = w.s
    guard = keep(s.loc_unit[card])
    with when(guard > 0):
        s.exhausted[s.defender, guard - 1] = s.exhausted[s.defender, guard - 1] + 1
        s.loc_unit[card] = 0
    with when(both_exhausted == 0):
        for slot in Slot:
            with when(s.slot[s.defender, slot] == card + 1):
                s.slot[s.defender, slot] = 0
        s.loc_unit[card] = unit
        draws.house(s.turn, card)


# -- Attack Points --------------------------------------------------------------------------------------------------
# What Attack Points amount to: the sources they have in one combat bound them.


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
            else pick(m.is_current_phase_one_of(ph.defend) | m.is_running_effect_played_in(ph.defend), 0, skill)
        )
        power = pick(early & (s.side <= side), 0, w.limit)
        rest = pick(
            m.is_running_effect_played_in(ph.commit, ph.clash, ph.last) & (s.side == side), coming[s.script, s.line], 0
        )
        fight += [plain >= 0, plain + rest <= ready + unit + power + _sum_attack_points_of_played_cards(w, player)]
    thrown = ~early & ~(m.is_current_phase_one_of(ph.dice) & ~s.rerolling & (s.side == 0))
    return all_of(
        [
            build_implication_term(m.is_combat_going_on, all_of(fight)),
            build_implication_term(~(m.is_combat_going_on & thrown), (s.rolled[0] == 0) & (s.rolled[1] == 0)),
            build_implication_term(m.is_current_phase_one_of(ph.dice) & ~s.rerolling, s.rolled[1] == 0),
        ]
    )


def _tabulate_attack_points_left_by_line(scripts: Sequence[Script]) -> list[list[int]]:
    """Attack Points that each script still gives, by line."""
    width = max(map(len, scripts)) + 2

    def sum_points_from_line(script: Script, line: int) -> int:
        return sum(n for op, n in script[line:] if op == EffectOperation.ATTACK)

    return [[sum_points_from_line(script, line) for line in range(width)] for script in scripts]


def _sum_attack_points_of_played_cards(w: GameUnderConstruction, player: Value) -> Term:
    """Attack Points of the artifacts that a player has laid out, and of the Consumables that the player lacks."""
    gives = [row[0] for row in _tabulate_attack_points_left_by_line(w.cards.scripts)]
    cards = len(w.artifacts)
    laid = sum_of(w.s.laid[player, c] * gives[c] for c in range(cards) if gives[c])
    used = sum_of((1 - w.s.kit[player, k]) * gives[cards + k] for k in range(len(w.consumables)) if gives[cards + k])
    return as_term(laid + used)
