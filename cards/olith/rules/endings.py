"""The last round, the tie rule and what each seat gets (R1-R3, R79, A1)."""

from __future__ import annotations

from collections.abc import Callable

from playproof import Local, Term, all_of, cases, goto, max_of, otherwise, pick, score, sum_of, weight, when

from .board import COLOURS, LEVELS, Mana
from .combat import count_rolls_by_dice_total
from .common import SharedRules
from .world import Tabletop

RankingKey = Callable[[int], Term]


def declare_game_ends_and_returns(w: Tabletop, common: SharedRules) -> None:
    """Both endings."""
    _declare_returns_of_seats(w)
    keys = _list_reasons_with_ranking_keys(w, common)
    _declare_final_ranking(w, keys)
    if w.rulings.a1 == "battle":
        _declare_final_battle(w)


def _declare_returns_of_seats(w: Tabletop) -> None:
    """+1 to the only winner, 0 to those who share, -1 to the others."""
    s, n = w.s, w.players
    shared = sum_of(s.won[q] for q in range(n)) > 1
    w.g.returns(*(pick(s.won[q], pick(shared, 0, 1), -1) for q in range(n)))


def _list_reasons_with_ranking_keys(w: Tabletop, common: SharedRules) -> list[tuple[str, RankingKey]]:
    """Tokens first; then, by ruling A1, crystals, mana, unlocked levels. Each key contains those before it."""
    s = w.s
    most_mana = w.limit * len(Mana) + 1
    most_levels = LEVELS * len(COLOURS) + 1

    def tokens(q: int) -> Term:
        placed: Term = s.placed[q]
        return placed

    def crystals(q: int) -> Term:
        more: Term = s.crystals[q]
        return tokens(q) * 4 + more

    def mana(q: int) -> Term:
        return crystals(q) * most_mana + common.wealth(q)

    def levels(q: int) -> Term:
        return mana(q) * most_levels + sum_of(len(COLOURS), lambda c: s.atlas[q, c])

    keys: list[tuple[str, RankingKey]] = [("the wheel ended: most Victory Tokens", tokens)]
    if w.rulings.a1 == "tiebreak":
        keys += [
            ("a tie, broken by crystals", crystals),
            ("a tie, broken by mana", mana),
            ("a tie, broken by unlocked levels", levels),
        ]
    return keys


def _declare_final_ranking(w: Tabletop, reasons_with_ranking_keys: list[tuple[str, RankingKey]]) -> None:
    g, s, ph, n = w.g, w.s, w.ph, w.players

    def leads(key: RankingKey, q: int) -> Term:
        return all_of(key(r) <= key(q) for r in range(n))

    def crown(key: RankingKey) -> None:
        for q in range(n):
            s.won[q] = leads(key, q)

    @g.on(ph.final, rule="R2 R3 R79")
    def final() -> None:
        """The wheel cannot move: the first key that one player alone leads decides."""
        case = cases()
        for reason, key in reasons_with_ranking_keys:
            with case(sum_of(leads(key, q) for q in range(n)) == 1):
                crown(key)
                score(reason, rule="R79")
        with otherwise():
            crown(reasons_with_ranking_keys[-1][1])
            if ph.duel_over is not None:
                s.asked = 0
                goto(ph.duel_over)
            else:
                score("a tie that nothing breaks: victory is shared", rule="R3")


def _declare_final_battle(w: Tabletop) -> None:
    """A1 = battle: the tied players roll four combat dice and add all their Power."""
    g, s, ph, n = w.g, w.s, w.ph, w.players
    dice = w.cards.combat_dice
    ways = g.table("duel_ways", count_rolls_by_dice_total(w.cards.combat_die, dice))
    assert ph.duel is not None
    assert ph.duel_over is not None
    duel, duel_over = ph.duel, ph.duel_over

    @g.on(duel_over, rule="R3")
    def over() -> None:
        with when(s.asked < n):
            with when(s.won[s.asked]):
                goto(duel)
            with otherwise():
                s.asked = s.asked + 1
        with otherwise():
            best = max_of(*(s.duel_ap[q] for q in range(n)))
            for q in range(n):
                s.won[q] = s.won[q] & (s.duel_ap[q] == best)
            with when(sum_of(s.won[q] for q in range(n)) == 1):
                score("a tie, broken by the final battle", rule="R3")
            with otherwise():
                score("a tie that nothing breaks: victory is shared", rule="R3")

    @g.action(
        duel, "the final dice show {total}", total=range(-dice, dice + 1), name="final battle", rule="R3 R55"
    )
    def roll(total: Local) -> None:
        weight(ways[total + dice])
        s.duel_ap[s.asked] = (
            s.mana[s.asked, Mana.POWER] + total + dice
        )  # the same offset for all keeps it positive
        s.asked = s.asked + 1
        goto(duel_over)
