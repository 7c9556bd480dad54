"""Games played with paper: true games are told, and what nobody tells never stands in the way of what is true."""

from __future__ import annotations

from random import Random

import pytest

from playproof.language import CHANCE
from playproof.referee import Match, Variant
from playproof.referee.errors import NotLegal
from playproof.referee.reported_match import ReportedMatch

# Game, options, each at an own page, and so many steps of it (a whole game is short where None stands).
PAPER = [
    ("eila", {}, False, None),
    ("eurydice", {}, False, None),
    ("opale", {}, False, 110),
    ("opale", {}, True, 50),
    ("olith", {}, False, 45),
    ("olith", {"players": "3"}, True, 30),
]


def true_game(variant: Variant, seed: int, most: int | None = None) -> Match:
    """What really happens at the table."""
    match, dice = Match(variant, seed), Random(seed)
    while not match.over and len(match.steps) < (most or 400):
        if match.actor == CHANCE:
            match.take_chance_action_of_seed_or_raise()
        else:
            match.apply(dice.choice(match.play.legal(match.state)))
    return match


def told(true: Match, *, apart: bool) -> tuple[ReportedMatch, int]:
    """A companion that was told a true game as people tell it, and how often it had to suppose other cards."""
    paper, again = ReportedMatch(Match(true.variant, 5), apart=apart), 0
    shown: list[object] = []
    while True:
        while paper.take_unreportable_chance_step_or_none() is not None:
            pass
        match = paper.match
        shown += [
            paper.observe_step_as_people_at_table(match.states[n], match.actions[n])
            for n in range(len(shown), len(match.steps))
        ]
        if len(match.steps) >= len(true.steps):
            return paper, again
        before = list(match.actions)
        paper.record_report_revising_supposed_steps(as_told(paper, true, len(before)))
        if before != match.actions[:-1]:
            again += 1
            now = [
                paper.observe_step_as_people_at_table(s, a)
                for s, a in zip(match.states, match.actions[:-1], strict=False)
            ]
            assert now == shown, "what was told and shown has changed"


def as_told(paper: ReportedMatch, true: Match, number: int) -> int:
    """What a person picks: the true action, or the offer that reads as they saw it."""
    ident = true.actions[number]
    offered = {offer.ident: offer for offer in paper.list_actions_people_may_report()}
    if ident in offered:
        return ident
    seen = paper.observe_step_as_people_at_table(true.states[number], ident)
    play, now = paper.match.play, paper.match.state
    alike = [i for i in offered if not play.why_not(now, i) and paper.observe_step_as_people_at_table(now, i) == seen]
    return alike[0] if alike else ident


@pytest.mark.parametrize(("game", "options", "apart", "most"), PAPER)
def test_a_true_game_is_followed(game: str, options: dict[str, str], apart: bool, most: int | None) -> None:
    true = true_game(Variant(game, options), 101, most)
    paper, again = told(true, apart=apart)
    if apart or game == "eila":
        assert again == 0, "all is told, so nothing is supposed anew"
        assert paper.match.actions[: len(true.actions)] == true.actions
    if game == "opale" and not apart:
        assert again > 20, "hands that nobody told must have been supposed anew"


def test_people_say_how_it_ended_where_nobody_told_the_cards_that_decide() -> None:
    true = true_game(Variant("eurydice"), 100)
    paper, _ = told(true, apart=False)
    ends = paper.map_possible_results_to_action_histories()
    assert len(ends) == 2
    assert true.ending is not None
    end = f"{true.ending.reason} ({true.returns()[0]:+d})"
    paper.replace_history(ends[end])
    assert paper.match.returns() == true.returns()
    assert paper.match.over


def test_what_the_rules_forbid_is_refused_whatever_is_supposed() -> None:
    true = true_game(Variant("opale"), 102, 40)
    paper, _ = told(true, apart=False)
    play = paper.match.play
    while true.actor == CHANCE:
        true.take_chance_action_of_seed_or_raise()
    actions = list(paper.match.actions)
    forbidden = [i for i in range(paper.match.game.ground) if paper.find_surely_failing_requirements_or_none(i)]
    assert not set(forbidden) & set(play.legal(true.state)), "what is legal at the table is refused"
    for ident in forbidden[::25]:
        with pytest.raises(NotLegal):
            paper.record_report_revising_supposed_steps(ident)
    assert paper.match.actions == actions


def test_only_what_nobody_sees_happens_by_itself() -> None:
    paper = ReportedMatch(Match(Variant("eurydice"), 1))
    while paper.take_unreportable_chance_step_or_none() is not None:
        pass
    assert not any(paper.loose)
    assert len(paper.list_actions_people_may_report()) > 1, "the first special card is drawn by a person"
    assert all(not offer.loose for offer in paper.list_actions_people_may_report())
