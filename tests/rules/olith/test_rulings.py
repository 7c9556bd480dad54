"""Every option of every ruling makes the difference it says."""

from __future__ import annotations

import pytest

from playproof.cards.olith.rules.cards import ActionCard
from playproof.cards.olith.rules.rulings import CHOICES
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.invariant import require_step_stays_within_bounds
from playproof.verifier.questions.context import Context
from tests.rules.olith.scene import FOREST, POWER, SOUL, WISDOM, Scene, real


def last_round(**rulings: str) -> Scene:
    """Seat 1 is about to end the last round of a game in which both have one token."""
    t = Scene(2, **rulings).wheel(11).token(0, "red 1a").token(1, "blue 1a").mana(0, 0, 0, 0).mana(1, 0, 0, 0)
    return t.turn(1, ActionCard.TACTICS)


def attack(**rulings: str) -> Scene:
    """Seat 0 attacks seat 1 on red 1a; nobody has mana or cards."""
    t = Scene(2, **rulings).turn(0, ActionCard.COMBAT).stand(1, "red 1a").mana(0, 0, 0, 0).mana(1, 0, 0, 0)
    return t.do("move basic unit from camp", "attack red 1a")


def test_the_switches_are_those_of_the_rulebook() -> None:
    written = {r.id: (r.default, set(r.options)) for r in real().rulings.values() if len(r.options) > 1}
    assert written == {i: (options[0], set(options)) for i, options in CHOICES.items()}


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(OptionError, match="A10=coin: expected one of defender, reroll, both"):
        build("olith", Options({}, {"A10": "coin"}))
    with pytest.raises(OptionError, match="players=5"):
        build("olith", Options({"players": "5"}))


def test_a_reading_moves_no_field_and_no_phase_of_the_others() -> None:
    """Else every step would be another one, and nothing shown of it would hold under the reading."""

    def places(rulings: dict[str, str]) -> tuple[list[str], list[str]]:
        game = build("olith", Options({}, rulings))
        return [field.name for field in game.fields], [phase.name for phase in game.phases]

    fields, phases = places({})
    for ruling, choices in CHOICES.items():
        for choice in choices[1:]:
            there = places({ruling: choice})
            assert there[0][: len(fields)] == fields, (ruling, choice)
            assert there[1][: len(phases)] == phases, (ruling, choice)


def test_a1_battle_and_shared() -> None:
    t = last_round(A1="shared").do("end the Action Turn")
    assert t.ending == "a tie that nothing breaks: victory is shared"
    t = last_round(A1="battle").mana(0, 0, 1, 0).do("end the Action Turn")
    t.do("the final dice show 0", "the final dice show 2")
    assert t.ending == "a tie, broken by the final battle"
    assert t.play.returns(t.state) == (-1, 1)
    t = last_round(A1="battle").do("end the Action Turn", "the final dice show 1", "the final dice show 1")
    assert t.ending == "a tie that nothing breaks: victory is shared"


def test_a2_uniform_and_reroll() -> None:
    assert set(Scene(2, A2="uniform").phase("region").chances().values()) == {1}
    t = Scene(2, A2="reroll").phase("region")
    assert list(t.chances()) == [
        "the Active Region is blue 1",
        "the Active Region is red 1",
        "the Active Region is yellow 1",
    ]
    t["atlas", 1, SOUL] = 2
    assert "the Active Region is blue 2" in t.chances()


def test_a3_together_after_the_wheel() -> None:
    t = Scene(2, A3="together").turn(1, ActionCard.TACTICS).mana(0, 0, 2, 0).mana(1, 2, 0, 0)
    t.do("end the Action Turn")
    assert (t.now, t["by"], t["wheel"]) == ("unlock", 0, 1)
    t.do("unlock the next red region with 0 Wisdom", "unlock nothing more")
    assert (t.now, t["by"]) == ("unlock", 1)
    t.do("unlock the next blue region with 0 Wisdom", "unlock nothing more")
    assert (t.now, t["by"]) == ("turn", 0)
    t.turn(0, ActionCard.TACTICS).mana(0, 9, 9, 9).do("end the Action Turn")
    assert (t.now, t["by"]) == ("turn", 1), "the wheel did not move, so nobody unlocks"


def test_a3_who_is_asked_first_may_offer_artifacts_and_the_others_are_still_asked() -> None:
    """Random games never came there: five Artifacts, a level 4 site, and the wheel has just moved."""
    game = Scene(2, A3="together").game
    conditions = [f"`{name}` == 1" for name in ("remembered", "allegiance")]
    steps = StepChecker(game, conditions, True, (), Context())
    offering = [a for a in game.actions if a.name in ("offer", "discard for token")]
    for step in offering:
        steps.require_step_keeps_conditions(step, conditions)
    assert len(offering) == 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a1_battle_rolls_for_nobody_who_does_not_play(players: int) -> None:
    """Whose dice are rolled stays within bounds from every state that the conditions allow."""
    game = Scene(players, A1="battle").game
    conditions = ["`allegiance` == 1"]
    steps = StepChecker(game, conditions, True, (), Context())
    rolling = [a for a in game.actions if a.name == "final battle"]
    rolling += [p for p in game.phases if p.name in ("final", "duel_over")]
    for step in rolling:
        steps.require_step_keeps_conditions(step, conditions)
        require_step_stays_within_bounds(steps, step)
    assert len(rolling) == 3


def test_a4_soul() -> None:
    t = Scene(2, A4="soul").turn(0).mana(0, 0, 5, 5)
    t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 0, 2
    t.do("prepare: basic unit from exhausted to camp")
    assert t.refused("prepare: basic unit from exhausted to camp") == {"R26"}
    t.mana(0, 1, 5, 5).do("prepare: basic unit from exhausted to camp")
    assert t.refused("pay 1 power") == {"R42"}
    t.do("pay 1 soul")


def test_a5_paid() -> None:
    t = Scene(2, A5="paid").turn(0).stand(0, "red 1a", "red 1b").mana(0, 0, 0, 1)
    t.do("prepare: the unit on red 1a to camp")
    assert t["mana", 0, WISDOM] == 1
    t.do("prepare: the unit on red 1b to camp", "pay 1 wisdom")
    assert t["camp", 0, "basic"] == 2
    t.stand(0, "red 1c")
    t["camp", 0, "basic"] = 1
    assert t.refused("prepare: the unit on red 1c to camp") == {"R26"}


def test_a5b_must() -> None:
    t = Scene(2, A5b="must").turn(0)
    t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 1, 1
    assert t.refused("play the Tactics card") == {"R23"}
    t.do("prepare: basic unit from exhausted to camp", "play the Tactics card")


def test_a6_ties() -> None:
    t = Scene(2, A6="ties").turn(0).active("red 1a").stand(0, "red 1a").stand(1, "red 1b")
    assert t.can("take a Victory Turn")
    t.stand(1, "red 1c")
    assert t.refused("take a Victory Turn") == {"R30"}


def test_a7_one() -> None:
    t = Scene(2, A7="one").turn(0).active("red 1a").stand(0, "red 1a").token(0, "red 1a").do("take a Victory Turn")
    assert t.refused("exhaust the unit on red 1a for a Victory Token") == {"R32"}


def test_a8_always() -> None:
    t = Scene(2, A8="always").turn(0, ActionCard.TACTICS).stand(1, "red 1a").do("move basic unit from camp")
    assert t.can("attack red 1a")


def test_a9_origin() -> None:
    t = Scene(2, A9="origin").turn(0, ActionCard.EXPEDITION).stand(0, "red 1a").mana(0, 0, 0, 0)
    t.do("excavate red 1a", "draw Cracked Idol")
    t["port", 0, "basic"] = 1
    t.do("sell Cracked Idol")
    assert t["mana", 0, POWER] == 1
    assert t.now == "act"


def test_a10_reroll_and_both() -> None:
    t = attack(A10="reroll").do("the dice show 1", "the dice show 1")
    assert t.now == "dice"
    t.do("the dice show 0", "the dice show 0")
    assert t["site_owner", "red 1a"] == 2, "once; then the defender"
    assert t["exhausted", 0, "basic"] == 1
    t = attack(A10="both").do("the dice show 1", "the dice show 1")
    assert t["site_owner", "red 1a"] == 0
    assert [t["exhausted", q, "basic"] for q in range(2)] == [1, 1]
    assert t.sound()


def test_a11_nobody_in_a_tie() -> None:
    t = Scene(2, A11="nobody").wheel(1).turn(1, ActionCard.TACTICS).mana(0, 1, 0, 0).mana(1, 1, 0, 0)
    t.do("end the Action Turn")
    assert t["crystal_left", 0] == 1
    t = Scene(2).wheel(1).turn(1, ActionCard.TACTICS).mana(0, 1, 0, 0).mana(1, 1, 0, 0).do("end the Action Turn")
    assert (t.now, t["by"]) == ("token", 0), "by default the first player of those tied"


def test_a11b_anyone() -> None:
    t = Scene(2, A11b="anyone").phase("token", 0)
    assert t.refused("place a Victory Token on red 2a") == {"R63"}
    t["atlas", 1, POWER] = 2
    assert t.can("place a Victory Token on red 2a")


def test_a12_youngest() -> None:
    t = Scene(2, A12="youngest")
    assert list(t.chances()) == ["player 1 starts"]


@pytest.mark.parametrize("spaces", ["10", "12", "14"])
def test_a13_spaces(spaces: str) -> None:
    t = Scene(2, A13=spaces)
    assert t.game.get_field("wheel").hi == int(spaces) - 1
    assert t.game.get_field("turns").hi == 2 * int(spaces)
    wheels = real().components["board"].get("wheels")
    assert sorted(filter("none".__ne__, wheels[spaces])) == [  # type: ignore[index]  # a mapping, as declared
        "corruption",
        "god",
        "god",
        "god",
        "recruits",
        "recruits",
    ]


def test_a14_unlimited() -> None:
    t = Scene(2, A14="unlimited").turn(0, ActionCard.TACTICS).give(0, "a106").mana(0, 0, 9, 0).do("play Ember Jar")
    assert t["mana", 0, POWER] == 12


def test_a15_forbidden() -> None:
    t = Scene(2, A15="forbidden").turn(0, ActionCard.EXPEDITION).stand(0, "red 4a")
    assert t.can("excavate red 4a")
    for card in ("a401", "a402", "a403", "a404", "a405"):
        t["deck_artifacts", card] = 0
    t["deck_locations", "l401"] = 0
    assert t.refused("excavate red 4a") == {"R45"}


def test_a17_own() -> None:
    t = Scene(2, A17="own").turn(0, ActionCard.EXPEDITION).stand(0, "red 1a").mana(0, 0, 5, 0).wheel(5)
    t["dug", "red 1a"], t["digger", "red 1a"] = 1, 2
    assert t.refused("corrupt red 1a") == {"R47"}
    t["digger", "red 1a"] = 1
    assert t.can("corrupt red 1a")


def test_a18_wisdom() -> None:
    t = Scene(2, A18="wisdom").turn(0, ActionCard.EXPEDITION).stand(0, "red 2a").mana(0, 5, 1, 1).wheel(5)
    t["dug", "red 2a"] = 1
    t.do("corrupt red 2a")
    assert t.refused("pay 1 soul") == {"R42"}
    t.do("pay 1 wisdom", "pay 1 power")
    assert t.now == "draw"


def test_a24_zero() -> None:
    t = attack(A24="zero").do("the dice show -1", "the dice show -2")
    assert t["site_owner", "red 1a"] == 2, "both count as zero, a tie"
    t = attack().do("the dice show -1", "the dice show -2")
    assert t["site_owner", "red 1a"] == 1


def test_a25_seven() -> None:
    hand = ("a101", "a102", "a103", "a104", "a105", "a106", "a107", "a108")
    t = Scene(2, A25="seven").turn(0, ActionCard.TACTICS).give(0, *hand).mana(0, 0, 0, 0).do("end the Action Turn")
    assert t.now == "trim"
    assert not t.can("keep the hand")
    t.do("discard Cracked Idol", "keep the hand")
    assert t["hand_size", 0] == 7
    assert t["turn"] == 1


def test_a28_first() -> None:
    t = Scene(2, A28="first").turn(0, ActionCard.EXPEDITION).give(0, "a102")
    t["atlas", 0, SOUL] = 3
    t.do("play Digging Song")
    assert t.now == "draw"
    assert t["deck"] == 0


def test_rulings_without_a_choice_hold() -> None:
    """A16 (once), A19 (own), A20, A21, A22, A23, A26, A27, A30 have one reading; here are A19 and A30."""
    t = Scene().turn(0, ActionCard.TACTICS).stand(0, "red 1a").kit(0, "c3").own(0, FOREST, "l311")
    t["atlas", 1, POWER] = 4
    t.do("move basic unit from camp")
    assert t.refused("to red 2a") == {"R63"}, "another player's Atlas Token does not help (A19)"
