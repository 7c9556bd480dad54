"""Games that follow each other: what is told and carried, and that a saved campaign is judged in order."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.errors import InputError
from playproof.language import RulesError
from playproof.referee import Match, Variant, judge
from playproof.referee.recorded_games import load, load_campaign_matches_or_raise
from playproof.referee.terminal import TerminalSession
from playproof.referee.transcript import (
    describe_next_campaign_game_or_empty,
    get_next_game_of_campaign_or_none,
    save_matches_as_transcripts,
    start_next_campaign_match_or_none,
)

Tiny = Callable[..., Variant]
STAGES = str(Path(__file__).parent / "games" / "stages")
WINS = Path(__file__).resolve().parents[2] / "cards/eila/games/won-in-the-seventh-night.txt"


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


def session(variant: Variant, *lines: str) -> tuple[str, TerminalSession]:
    """What the terminal shows for these lines, and the session as it was left."""
    out = io.StringIO()
    given: Iterator[str] = iter(lines)
    played = TerminalSession(
        variant, ("person",), 0, Console(file=out, width=100, color_system=None), lambda prompt: next(given, None)
    )
    played.run_until_quit_or_input_ends()
    return out.getvalue(), played


def played(variant: Variant, *moves: str) -> Match:
    """A match after these moves."""
    match = Match(variant)
    for words in moves:
        match.apply(words)
    return match


WON = ("find the rope", "find the knife", "find the lamp", "leave")


def test_the_story_is_told_and_the_next_game_begins_with_what_is_carried(tiny: Tiny) -> None:
    shown, left = session(tiny("stages"), *WON, "next", "why find the lamp")
    told = [
        shown.index(text)
        for text in (
            "Stage 1\n",
            "It is dark.",
            "Stage 1 is done",
            "Much of it.",
            "`next`: Stage 2 begins with lamp, rope, knife",
            "Stage 2\n",
        )
    ]
    assert told == sorted(told), "before the game, after it, and before the next"
    assert "S1: it is found" in shown
    assert left.match.variant.options == {"stage": "2", "bag": "lamp rope knife"}


def test_the_player_chooses_the_order(tiny: Tiny) -> None:
    shown, left = session(tiny("stages"), *WON, "next knife rope", "next rope lamp")
    assert "expected each of lamp, rope once, found knife, rope" in shown
    assert left.match.variant.options["bag"] == "rope lamp knife"


def test_nothing_follows_a_game_under_way_or_the_last_one(tiny: Tiny) -> None:
    shown, left = session(tiny("stages"), "next", "leave", "next", "leave", "next")
    assert "first this game must end" in shown
    assert "no game follows this one" in shown
    assert get_next_game_of_campaign_or_none(left.match) is None
    assert "Stage 2 is done" in shown


@pytest.mark.parametrize(("ruling", "options"), [("same", {"stage": "2", "bag": "knife"}), ("first", {"stage": "1"})])
def test_after_a_loss_the_game_begins_again(tiny: Tiny, ruling: str, options: dict[str, str]) -> None:
    variant = tiny("stages", {"A1": ruling}, stage="2", bag="knife")
    shown, left = session(variant, "fall", "next")
    assert left.match.variant.options == options
    assert f"`next`: Stage {options['stage']} begins again\n" in shown
    assert "is done" not in shown, "the ending is told after a win only"
    assert not left.match.over
    assert left.match.seed != left.earlier[0].seed, "chance does not deal the same again"


def test_undo_goes_back_to_the_game_before(tiny: Tiny) -> None:
    _, left = session(tiny("stages"), *WON, "next", "undo", "undo")
    assert left.earlier == []
    assert [step.text for step in left.match.steps] == list(WON[:3])


def test_a_campaign_is_saved_judged_and_gone_on_with(tiny: Tiny, tmp_path: Path) -> None:
    file = tmp_path / "campaign.txt"
    session(tiny("stages"), "fall", "next", *WON, "next rope lamp", f"save {file}")
    assert judge(file, game=STAGES) == []
    assert [match.over for match in load_campaign_matches_or_raise(file, STAGES)] == [True, True, False]
    assert load(file, STAGES).variant.options == {"stage": "2", "bag": "rope lamp knife"}
    _, left = session(tiny("stages"), f"load {file}", "leave", f"save {file}")
    assert len(left.earlier) == 2
    assert judge(file, check=True, game=STAGES) == []
    assert run_command_line_and_get_exit_status(["log", "judge", str(file), "--game", STAGES, "--json"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("option bag: lamp rope knife", "option bag: lamp knife rope", "PP612"),  # the knife has its place
        ("option bag: lamp rope knife", "option bag: lamp rope", "PP612"),
        ("option stage: 2\n", "", "PP612"),
        ("   4  player: leave\n", "", "PP609"),
        ("   1  player: find the rope\n", "   1  player: find the lamp\n", "PP602"),
    ],
)
def test_a_campaign_that_does_not_follow_is_refused(tiny: Tiny, tmp_path: Path, old: str, new: str, code: str) -> None:
    file, first = tmp_path / "campaign.txt", played(tiny("stages"), *WON)
    second = start_next_campaign_match_or_none(first, 2)
    assert second is not None
    save_matches_as_transcripts([first, second], file)
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    findings = [f for f in judge(file, game=STAGES) if f.severity == "error"]
    assert [f.code for f in findings] == [code]
    assert findings[0].where.line > 1
    with pytest.raises(InputError):
        load(file, STAGES)


def test_a_second_game_behind_one_that_nothing_follows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "two.txt"
    save_matches_as_transcripts([Match(Variant("tic_tac_toe")), Match(Variant("tic_tac_toe"))], file)
    assert [(f.code, f.where.line) for f in judge(file)] == [("PP612", 7)]


def test_on_a_screen_of_24_rows_the_end_of_a_story_comes_before_the_table() -> None:
    out, match = io.StringIO(), load(WINS)
    screen = Console(file=out, width=80, height=24, force_terminal=True, color_system=None)
    played = TerminalSession(match.variant, ("person",), 0, screen, lambda prompt: None)
    played.match = match
    played.play_to_person_autosave_and_show()
    first = out.getvalue()
    assert first.count("\n") < 24
    assert first.index("The game is over") < first.index("The Lamp Is Lit") < first.index("`next`: Chapter 1")
    assert first.endswith("page 1 of 2: Enter shows the next, `page N` another\n")
    played.handle_input_line("")
    assert "owned" in out.getvalue().removeprefix(first)


def test_lines_are_counted_through_the_file(tiny: Tiny, tmp_path: Path) -> None:
    file, first = tmp_path / "campaign.txt", played(tiny("stages"), *WON)
    second = start_next_campaign_match_or_none(first, 2)
    assert second is not None
    save_matches_as_transcripts([first, second], file)
    lines = [*file.read_text().splitlines(), "fly"]
    file.write_text("\n".join(lines))
    assert [(f.code, f.where.line) for f in judge(file, game=STAGES)] == [("PP601", len(lines))]


def test_the_second_chapter_of_a_published_game_begins_with_what_was_kept(tmp_path: Path) -> None:
    """R34 to R37 with the real cards: the recorded win of Chapter 0, then Chapter 1, saved and judged."""
    first = load(WINS)
    assert describe_next_campaign_game_or_empty(first) == "Chapter 1 begins with I01 Tool"
    shown, left = session(first.variant, f"load {WINS}", "next", "1", f"save {tmp_path / 'c.txt'}")
    assert "The Lamp Is Lit" in shown
    assert "The Gorge" in shown
    assert shown.index("The Lamp Is Lit") < shown.index("Chapter 1 begins with I01 Tool") < shown.index("The Gorge")
    assert left.match.play.quantity("owns I01", left.match.states[0]) == 1
    assert judge(tmp_path / "c.txt") == []


def test_a_campaign_with_a_part_that_nothing_reads_is_refused() -> None:
    from playproof.language import Game, win

    g = Game("odd")
    phase = g.phase("only", 0)

    @g.action(phase, "win")
    def end() -> None:
        win("done", 0)

    g.fact(campaign={"wonn": {"stage": "2"}})  # type: ignore[typeddict-unknown-key]  # the slip is the point
    with pytest.raises(RulesError, match="no part called `wonn`"):
        g.seal()
