"""Playing cards on a spot and triggering its effect (R6-R33)."""

from __future__ import annotations

from collections.abc import Callable

from playproof import Const, Local, any_of, cite, goto, keep, otherwise, require, when

from .cards import Spot
from .state import CITY, GameUnderConstruction
from .turn import give_pawn_to_player_to_move


def declare_card_play_and_effects(t: GameUnderConstruction) -> None:
    """The play itself, the cards one by one where points differ, and what a full spot does."""
    for spot in t.spots:
        t.g.add_action(
            t.at["play"],
            _build_body_of_playing_on_spot(t, spot),
            f"play {{number}} {spot.name}",
            rule="R6",
            name=f"play {spot.name}",
            public="number",
            number=range(1, t.printed.most_in_hand + 1),
        )
        if len(spot.faces) > 1:
            t.g.add_action(
                t.at["lay"],
                _build_body_of_laying_one_card(t, spot),
                f"lay a {spot.name} worth {{points}}",
                rule="R6 R10",
                name=f"lay {spot.name}",
                points=[str(f.points) for f in spot.faces],
            )
    _declare_pass_and_forbidden_look(t)
    _declare_resolution_of_full_spots(t)
    _declare_choices_of_target(t)


# -- putting cards down -------------------------------------------------------------------------------------------


def _build_body_of_playing_on_spot(t: GameUnderConstruction, spot: Spot) -> Callable[[Local], None]:
    """Some cards of one picture are played; points do not make them different (A16).

    What comes next depends on the spot alone, which everybody sees: where its cards differ in points, the player
    lays them one by one.
    """
    s = t.s

    def play(number: Local) -> None:
        held = t.count_cards_of_spot_in_hand(s.turn, spot)
        require(held >= number, "R6", "you hold {} of these, not {}", held, number)
        if not spot.is_pile:
            free = spot.silhouettes - t.lying[spot.place]
            require(free >= number, "R12", "there are {} free silhouettes for {} cards", free, number)
        if t.readings.seashells:
            require(t.barred[1 - s.turn] != spot.place + 1, "R48", "a shell of the other player bars this spot")
            require(s.first_spot != spot.place + 1, "R45", "the second play must be on another spot")
        s.spot = spot.place + 1
        if len(spot.faces) > 1:
            # Asked even where the hand leaves no choice: who is not asked would show what is left in the hand.
            s.to_lay = number
            goto(t.at["lay"])
        else:
            t.move_cards_from_hand_to_spot(s.turn, spot.faces[0], number)
            goto(t.at["resolve"])

    return play


def _build_body_of_laying_one_card(t: GameUnderConstruction, spot: Spot) -> Callable[[Local], None]:
    """One of the cards of the announced play is laid; the player says which."""
    s = t.s

    def lay(points: Local) -> None:
        require(s.spot == spot.place + 1, "R6", "the cards of one play must be identical")
        held = any_of((points == i) & (t.hand[s.turn, f.place] > 0) for i, f in enumerate(spot.faces))
        require(held, "R6", "you hold no such card")
        for i, face in enumerate(spot.faces):
            with when(points == i):
                t.move_cards_from_hand_to_spot(s.turn, face, 1)
        s.to_lay -= 1
        with when(s.to_lay == 0):
            goto(t.at["resolve"])

    return lay


def _declare_pass_and_forbidden_look(t: GameUnderConstruction) -> None:
    """What people try and the rules forbid: playing nothing while something can be played, and looking under a pile."""
    g, s = t.g, t.s
    redraws = t.readings.reads("A13", "redraw")

    @g.action(t.at["play"], "play nothing", rule="R6", name="pass")
    def play_nothing() -> None:
        stuck = ~any_of(t.can_mover_play_on_spot(spot) for spot in t.spots)
        require(Const(0) if redraws else stuck, "R6", "at least one card must be played")
        with when(s.last_turn == 1):
            goto(t.at["count"])
        with otherwise():
            goto(t.phase_after_refill)

    @g.action(t.at["play"], "look under {spot}", rule="R11", name="look", spot=[x.name for x in t.spots])
    def look(spot: Local) -> None:
        require(Const(0), "R11", "nobody looks at covered cards")
        s.spot = spot  # never happens


# -- effects ------------------------------------------------------------------------------------------------------


def _declare_resolution_of_full_spots(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["resolve"], rule="R7 R13 R18 R19 R21 R22 R23 R26 R27 R29")
    def resolve() -> None:
        goto(t.at["played"])
        for spot in t.spots:
            if spot.arrows or spot.takes_own or spot.takes_tray:
                full = Const(1) if spot.is_pile else t.lying[spot.place] == spot.silhouettes
                with when((s.spot == spot.place + 1) & full):
                    _take_cards_by_effect_of_full_spot(t, spot)


def _take_cards_by_effect_of_full_spot(t: GameUnderConstruction, spot: Spot) -> None:
    """The effect of one spot. Its own cards leave first: no arrow leads back to where it starts."""
    s = t.s
    if spot.takes_own:
        cite("R28")
        t.score_cards_of_spot_for_mover(spot)
        if spot.brings_pawn:
            give_pawn_to_player_to_move(t)
    if spot.to_tray:
        cite("R20", "R30")
        t.move_cards_of_spot_to_tray(spot)
    if spot.takes_tray:
        cite("R31", "R32", "R33", "R34")
        t.score_cards_of_tray_for_mover()
        t.empty_spot(spot)
        s.city_piles += 1
        with when((s.city_piles == t.printed.city_piles) & (s.over == 0)):
            s.over = CITY
    if len(spot.arrows) == 1:
        _take_cards_and_pawn_of_spot(t, t.spots[spot.arrows[0]])
    elif spot.arrows:
        _take_target_of_two_arrows_or_ask(t, spot)


def _take_target_of_two_arrows_or_ask(t: GameUnderConstruction, spot: Spot) -> None:
    """Two arrows: the player chooses (A2); there is nothing to choose where both spots are empty (R16)."""
    first_spot, second_spot = (t.spots[place] for place in spot.arrows)
    first, second = keep(t.lying[first_spot.place]), keep(t.lying[second_spot.place])
    if t.readings.reads("A2", "only-full"):
        with when((first > 0) & (second == 0)):
            _take_cards_and_pawn_of_spot(t, first_spot)
        with otherwise((first == 0) & (second > 0)):
            _take_cards_and_pawn_of_spot(t, second_spot)
        with otherwise(first > 0):
            goto(t.at["target"])
    else:
        with when(first + second > 0):
            goto(t.at["target"])


def _declare_choices_of_target(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    choosers = [spot for spot in t.spots if len(spot.arrows) > 1]
    for target in t.spots:
        origins = [spot for spot in choosers if target.place in spot.arrows]
        if origins:
            g.add_action(
                t.at["target"],
                _build_body_of_taking_target(t, target, origins),
                f"take all {target.name}",
                rule="R14 R19 R21 R23",
                name=f"take {target.name}",
            )
    if t.readings.reads("A5", "decline"):

        @g.action(t.at["target"], "take nothing", rule="R29", name="decline")
        def decline() -> None:
            may = any_of(s.spot == spot.place + 1 for spot in choosers if not spot.is_pile)
            require(may, "R29", "only the spot whose effect says that you can take may be declined")
            goto(t.at["played"])


def _build_body_of_taking_target(t: GameUnderConstruction, target: Spot, origins: list[Spot]) -> Callable[[], None]:
    s = t.s

    def take() -> None:
        require(any_of(s.spot == origin.place + 1 for origin in origins), "R14", "no arrow leads from here to there")
        goto(t.at["played"])
        _take_cards_and_pawn_of_spot(t, target)

    return take


def _take_cards_and_pawn_of_spot(t: GameUnderConstruction, target: Spot) -> None:
    cite("R15", "R16")
    lain = keep(t.lying[target.place])
    t.score_cards_of_spot_for_mover(target)
    if target.brings_pawn:
        with when(lain > 0):
            give_pawn_to_player_to_move(t)
