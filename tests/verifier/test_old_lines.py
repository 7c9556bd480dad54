"""Lines of play of other cards are followed in the game as it is now, by the nearest legal decisions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from playproof.language import CHANCE, Game, Local, goto, lose, otherwise, require, when, win
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof import extremes
from playproof.verifier.proof.certificate_offers import (
    build_transcript_showing_statement,
    copy_certificate_with_replayed_lines,
)
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search import portfolio
from playproof.verifier.search.case import Budget, GivenGameCase, get_work_units_done
from playproof.verifier.search.lines_of_play import does_target_depend_only_on_ending, replay_line_until_target_is_met
from playproof.verifier.search.portfolio import EarlierLines

TURNS = 12
WON = {"outcome": "win"}


def heap(worths: Sequence[int], wanted: int, extra: bool = False, lay_a: str = "lay") -> Game:
    """Chance shows a card and a player lays any, so many times; the points laid must be as wanted. `extra`: there is
    one more action, which is numbered before all others, and may be taken while nothing lies there. `lay_a` is what
    laying a card is called."""
    g = Game("heap")
    s = g.state
    g.integer("points", 0, TURNS * max(worths))
    g.integer("laid", 0, TURNS)
    show, lay = g.phase("show", CHANCE), g.phase("lay")
    cards = [str(worth) for worth in worths]
    if extra:

        @g.action(show, "shuffle {times} times", times=3)
        def shuffle(times: Local) -> None:
            require(s.laid == 0, "H1", "cards lie there")

    @g.action(show, "show {card}", card=cards)
    def showing(card: Local) -> None:
        goto(lay)

    @g.action(lay, f"{lay_a} {{card}}", card=cards)
    def laying(card: Local) -> None:
        for number, worth in enumerate(worths):
            with when(card == number):
                s.points += worth
        s.laid += 1
        goto(show)
        with when(s.laid == TURNS):
            with when(s.points != wanted):
                lose("other points")
            with otherwise():
                win("as wanted")

    g.quantity("points", s.points)
    return g.seal()


def held(old: Game, new: Game, words: Sequence[str]) -> tuple[GivenGameCase, tuple[int, ...]]:
    """Return a case of the new game that holds a line of the old one, and the line."""
    case, line = GivenGameCase("heap", new, {}, {}), tuple(old.idents_by_text[word][0] for word in words)
    portfolio.store_old_lines_for_next_question(case, EarlierLines(old, [line]))
    return case, line


@pytest.mark.parametrize(("extra", "more"), [(False, False), (True, False), (False, True)])
def test_a_line_goes_as_before_with_the_card_that_changed(extra: bool, more: bool) -> None:
    """Also where actions have other numbers, and where an old decision is gone or a new card is there."""
    words = ["shuffle 0 times"] * extra + ["show 5", "lay 5", "show 1", "lay 3"] * (TURNS // 2)
    new = heap([1, 3, 4, 9] if more else [1, 3, 4], 42)
    case, line = held(heap([1, 3, 5], 48, extra), new, words)
    old = build_transcript_showing_statement(
        GivenGameCase("heap", heap([1, 3, 5], 48, extra), {}, {}), Event(WON), line
    )
    assert old.words == tuple(words)
    with pytest.raises(NotShown):
        check_certificate_to_theorem(old, case.game, case.context)
    [hit] = portfolio.search_lines_near_old_lines_by_position(
        case, [TargetReader(case.game).read_single_target_of_spec(WON)], Budget(2.0)
    ).values()
    assert [case.game.show(ident) for ident in hit] == ["show 4", "lay 4", "show 1", "lay 3"] * (TURNS // 2)
    if not extra:  # of the same length
        check_certificate_to_theorem(copy_certificate_with_replayed_lines(case, old), case.game, case.context)


def test_a_line_goes_on_through_an_action_that_is_called_otherwise() -> None:
    words = ["show 5", "lay 5", "show 1", "lay 3"] * (TURNS // 2)
    case, _ = held(heap([1, 3, 5], 48), heap([1, 3, 5], 48, lay_a="place"), words)
    [hit] = portfolio.search_lines_near_old_lines_by_position(
        case, [TargetReader(case.game).read_single_target_of_spec(WON)], Budget(2.0)
    ).values()
    assert [case.game.show(ident) for ident in hit] == [word.replace("lay", "place") for word in words]


def test_a_line_that_misses_its_target_leads_near_it() -> None:
    """All cards but one are the dearest: of random games, fewer than one in 40,000 does that."""
    case, _ = held(heap([1, 3, 5], 60), heap([1, 3, 4], 47), ["show 5", "lay 5"] * TURNS)
    target = TargetReader(case.game).read_single_target_of_spec(WON)
    [hit] = portfolio.search_lines_near_old_lines_by_position(case, [target], Budget(2.0)).values()
    assert replay_line_until_target_is_met(case, hit, target).hit == len(hit)


def test_a_target_that_is_out_of_reach_now_costs_little() -> None:
    case, _ = held(heap([1, 3, 5], 60), heap([2, 2, 4], 47), ["show 5", "lay 5"] * TURNS)
    before = get_work_units_done()
    assert (
        portfolio.search_lines_near_old_lines_by_position(
            case, [TargetReader(case.game).read_single_target_of_spec(WON)], Budget(60.0)
        )
        == {}
    )
    assert get_work_units_done() - before < 1


def test_the_line_of_a_greatest_number_gives_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it meets the bound of the number, nothing is searched."""
    case, _ = held(heap([1, 3, 5], 60), heap([1, 3, 4], 60), ["show 5", "lay 5"] * TURNS)
    monkeypatch.setattr(extremes, "search_lines_to_targets_by_all_methods", None)
    question = Question("most", "maximum", {"number": "points", "when": {"holds": "outcome > 0"}})
    conclusion = extremes.answer_minimum_or_maximum_claim(case, question, Budget(20.0))
    assert conclusion.value == TURNS * 4
    for offer in conclusion.offers:
        check_certificate_to_theorem(offer[0], case.game, case.context)


def test_what_depends_on_the_ending_alone_reads_nothing_else() -> None:
    game = heap([1, 2], 20)
    read = TargetReader(game).read_single_target_of_spec
    targets = {
        "win": read(WON),
        "points": read({"holds": "points >= 3"}),
        "win with points": read(WON, "points >= 3"),
        "still running": read({"holds": "outcome == 0"}),
        "an action": read({"action": "laying"}),
    }
    assert [name for name, target in targets.items() if does_target_depend_only_on_ending(game, target)] == ["win"]
