"""Before a turn: the Fate Wheel, God's Favor, New Recruits, Corruption (R74-R79). The windows are in
`windows`."""

from __future__ import annotations

from playproof import Local, goto, keep, let, otherwise, require, sum_of, variable, when

from .shared_rules import SharedRules, is_site_open_to_token
from .table import WHEEL_ICONS, GameUnderConstruction

GOD, RECRUITS = (WHEEL_ICONS.index(icon) for icon in ("god", "recruits"))


def declare_fate_wheel(w: GameUnderConstruction, common: SharedRules) -> None:
    """Everything that happens before a turn."""
    _declare_wheel_advance_or_game_end(w)
    _declare_effect_of_wheel_space(w, common)
    _declare_victory_token_placement(w, common)


def _declare_wheel_advance_or_game_end(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph
    last = len(w.spaces) - 1

    @g.on(ph.wheel, rule="R8 R15 R74 R79 R2")
    def advance() -> None:
        with when(s.turn != s.first):
            s.turns = s.turns + 1
            s.home = ph.turn.number
            goto(ph.turn)
        with otherwise(s.wheel == last):
            goto(ph.final)
        with otherwise():
            s.turns = s.turns + 1
            s.wheel = s.wheel + 1
            goto(ph.favour)


def _declare_effect_of_wheel_space(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph, n = w.g, w.s, w.ph, w.players
    next_crystal = g.table("crystal_at", _list_crystal_index_by_space(w.spaces))

    @g.on(ph.favour, rule="R75 R76 R77 R78")
    def favour() -> None:
        goto(ph.council)
        with when(w.icon[s.wheel] == RECRUITS):
            for q in range(n):
                with when(s.supply[q] > 0):
                    s.supply[q] = s.supply[q] - 1
                    s.exhausted[q, 0] = s.exhausted[q, 0] + 1
        with otherwise(w.icon[s.wheel] == GOD):
            place = keep(next_crystal[s.wheel])
            colour = keep(s.crystal[place])
            best, who = variable(0, 0, w.limit, "best"), variable(0, 0, n - 1, "who")
            for away in range(n):
                seat = keep((s.first + away) % n)
                with when(s.mana[seat, colour] > best):
                    let(best, s.mana[seat, colour])
                    let(who, seat)
            paid = best > 0
            if w.rulings.a11 == "nobody":
                paid = paid & (sum_of(s.mana[q, colour] == best for q in range(n)) == 1)
            with when(paid):
                s.crystal_left[place] = 0
                s.crystals[who] = s.crystals[who] + 1
                s.first = who
                s.turn = who
                s.by = who
                with when(common.has_place(who)):
                    s.token_back = ph.council.number
                    goto(ph.token)


def _list_crystal_index_by_space(spaces: tuple[str, ...]) -> list[int]:
    """For each space of the wheel, the number of the crystal on it (0 where there is none)."""
    seen, numbers = 0, []
    for icon in spaces:
        numbers.append(min(seen, 2) if icon == "god" else 0)
        seen += icon == "god"
    return numbers


def _declare_victory_token_placement(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.token, "place a Victory Token on {site}", site=w.site_names, name="place token", rule="R73 R76")
    def place(site: Local) -> None:
        require(is_site_open_to_token(w, common, s.by, site), "R63", "the region is locked")
        require(common.token_fits(s.by, site), "R32", "another player's Victory Token lies there")
        common.place_token(s.by, site)
        goto(s.token_back)
