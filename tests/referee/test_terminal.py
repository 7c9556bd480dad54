"""The terminal, driven line by line: what a person meets, and that nothing hidden shows."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from playproof.database.installation import EXAMPLES
from playproof.referee import Match, Variant, judge
from playproof.referee.recorded_games import load
from playproof.referee.terminal import TerminalSession
from playproof.referee.text_table import render_table_seen_by_seat

Tiny = Callable[..., Variant]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


def sitting(variant: Variant, *lines: str, seats: tuple[str, ...] = ("person",), seed: int = 0) -> str:
    """What the terminal shows for these lines of input; the input ends after them."""
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None)
    given: Iterator[str] = iter(lines)
    TerminalSession(variant, seats, seed, console, lambda prompt: next(given, None)).run_until_quit_or_input_ends()
    return out.getvalue()


def drawn(variant: Variant, state: list[int], seat: int | None) -> str:
    out = io.StringIO()
    Console(file=out, width=80, color_system=None).print(
        render_table_seen_by_seat(variant.play, state, seat, variant.title)
    )
    return out.getvalue()


def test_a_whole_game_by_numbers_and_words(tiny: Tiny) -> None:
    shown = sitting(tiny("twins", days="1"), "1", "sleep")
    assert "Twins | round 1 | Wanderer" in shown
    assert " 1 take the path" in shown
    assert "The game is over: the last day is over (draw)." in shown


def test_why_cites_the_rule_and_where_a_designer_wrote_it(tmp_path: Path) -> None:
    shown = sitting(Variant("tic_tac_toe"), "mark 4", "why mark 4", "why 4", "why", "why fly", seats=("person",) * 2)
    assert "T1: the cell is taken" in shown
    assert "written in" not in shown  # who plays a game that comes with Playproof reads no file of it
    (tmp_path / "rules.py").write_text((EXAMPLES / "tic_tac_toe.py").read_text("utf-8"), "utf-8")
    own = sitting(Variant(str(tmp_path)), "mark 4", "why mark 4", seats=("person",) * 2)
    assert "written in rules.py:" in own
    assert "why what?" in shown
    assert 'cannot read "fly"' in shown
    assert "nothing forbids it: mark 3" in sitting(Variant("tic_tac_toe"), "why mark 3", seats=("person",) * 2)


def test_a_small_terminal_shows_a_hand_before_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAYPROOF_MACHINE")  # a hint is searched for
    out = io.StringIO()
    small = Console(file=out, width=80, height=24, force_terminal=True, color_system=None)
    lines = iter(["hint", "help", "quit"])
    TerminalSession(
        Variant("opale"), ("person", "random"), 7, small, lambda prompt: next(lines)
    ).run_until_quit_or_input_ends()
    first, _, rest = out.getvalue().partition("page 1 of 2")
    assert first.index("play cards:") < first.index("Coral Dragon 2  1 × Mother of Pearl 2")
    assert "a free place" not in first  # the board is on the next page
    assert "searching ...\n\nhint: " in rest or "searching ...\nhint: " in rest
    assert max(map(len, rest.split("\n"))) <= 80
    assert "or page N" in rest


def test_why_understands_shortened_words_but_moves_do_not() -> None:
    """A question costs nothing; a move is taken only in words that name it."""
    shown = sitting(Variant("tic_tac_toe"), "mark 4", "why ma 4", "why ma", "q", seats=("person",) * 2)
    assert "not legal: mark 4" in shown
    assert "nothing forbids it: mark 0\nsuch words are also in: mark 1, mark 2, mark 3 and 5 more" in shown
    assert "player 2: mark" not in shown


def test_why_names_the_nearest_actions_of_words_that_are_no_action() -> None:
    shown = sitting(Variant("eila"), "why gain fod", "why fod", "why xyzzy", "q")
    assert "did you mean" in shown
    assert "Food" in shown.partition('cannot read "fod"')[2].partition("xyzzy")[0]
    assert "`table` shows what can be done now" in shown.partition('cannot read "xyzzy"')[2]


def test_refusals_help_on(tiny: Tiny) -> None:
    shown = sitting(Variant("tic_tac_toe"), "mark 4", "mark 4", "mrak 3", "99", "xyzzy", "", seats=("person",) * 2)
    assert "not legal: mark 4; T1: the cell is taken" in shown
    assert 'did you mean "mark 3"' in shown
    assert "there is no choice 99; choose 1 to 8" in shown
    assert "`help` lists the commands" in shown
    ambiguous = sitting(tiny("twins"), "take the path")
    assert '"take the path" may be "take the path [#0]" or "take the path [#1]"' in ambiguous


def test_undo_goes_back_over_the_bot() -> None:
    shown = sitting(Variant("tic_tac_toe"), "mark 4", "undo", "undo", "log", seats=("person", "random"))
    assert "taken back: mark 4" in shown
    assert "there is nothing to take back" in shown
    assert "   1  player 1" not in shown


def test_saving_loading_and_judging(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    seats = ("person", "random")
    shown = sitting(Variant("tic_tac_toe"), "mark 4", f"save {file}", "mark 0", f"load {file}", "log", seats=seats)
    assert f"saved as {file}" in shown.replace("\n", "")
    assert [f.code for f in judge(file)] == []
    assert "   2  player 2" in shown
    bad = sitting(Variant("tic_tac_toe"), f"load {tmp_path}/none", f"save {file}/x", seats=seats)
    assert "PP604" in bad
    assert "cannot write" in bad
    other = sitting(Variant("nim"), f"load {file}", seats=("person", "random"))
    assert "that is a game of Tic tac toe" in other


def test_seed_help_hint_and_quit() -> None:
    shown = sitting(
        Variant("tic_tac_toe"),
        "seed",
        "seed 5",
        "seed",
        "seed x",
        "help",
        "hint",
        "quit",
        "mark 4",
        seats=("person", "random"),
    )
    assert "seed 0" in shown
    assert "seed 5" in shown
    assert "a seed is a whole number" in shown
    assert "why WORDS" in shown
    assert "hint: 5  mark 4" in shown
    assert re.search(r"of 5 searches; [\d,]+ of [\d,]+ tries, mean return -?\d\.\d\d \(.* to .*\); next", shown)
    assert "player 1: mark" not in shown


def test_a_bot_that_takes_its_time_says_so() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True)
    given: Iterator[str] = iter(["mark 4"])
    TerminalSession(
        Variant("tic_tac_toe"), ("person", "mcts:200"), 0, console, lambda prompt: next(given, None)
    ).run_until_quit_or_input_ends()
    assert "mcts:200 is thinking" in out.getvalue()


def test_nothing_hidden_shows() -> None:
    """The first player sees neither the other's card nor the deal of it, until the game is over."""
    shown = sitting(Variant("kuhn_poker"), "log", "table", seats=("person", "random"), seed=5)
    assert "deal jack to player 1" in shown
    assert "deal ? to player 2" in shown
    assert "queen" not in shown


def test_the_next_person_at_the_screen_is_told_what_happened_and_no_more() -> None:
    shown = sitting(Variant("kuhn_poker"), "bet", seats=("person", "person"), seed=5)
    second = shown.rpartition("deal ? to player 1")[2]
    assert "chance: deal queen to player 2" in second
    assert "player 1: bet" in second
    assert "jack" not in second


def test_bots_alone_play_to_the_end() -> None:
    shown = sitting(Variant("tic_tac_toe"), seats=("random", "random"))
    assert "The game is over" in shown
    assert "steps before these" not in shown


def test_long_tales_are_cut(tiny: Tiny) -> None:
    shown = sitting(tiny("hands"), seats=("random", "random"), seed=1)
    assert "12 steps" not in shown
    assert sitting(Variant("clock_patience"), seats=("person",)).count("a card of rank") <= 12


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_terminal(tiny: Tiny, width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    for variant in (Variant("tic_tac_toe"), Variant("kuhn_poker"), Variant("peg_solitaire"), tiny("hands")):
        TerminalSession(
            variant, ("person",) * variant.game.players, 1, console, lambda prompt: None
        ).run_until_quit_or_input_ends()
    assert max(map(len, out.getvalue().splitlines())) <= width


def test_a_board_shows_marks_and_the_numbers_of_empty_cells() -> None:
    match = Match(Variant("tic_tac_toe")).apply_all(["mark 4", "mark 0"])
    text = drawn(match.variant, match.state, None)
    assert [line[7:12] for line in text.splitlines()[1:4]] == ["o 1 2", "3 x 5", "6 7 8"]
    assert "turn" not in text


def test_a_drawn_board_keeps_its_gaps() -> None:
    variant = Variant("peg_solitaire")
    rows = drawn(variant, variant.play.start(), None).splitlines()[1:8]
    assert rows[0].rstrip() == " peg     o o o"
    assert rows[3].rstrip() == "     o o o - o o o"


def test_what_each_player_has_stands_in_columns(tiny: Tiny) -> None:
    match = Match(tiny("hands"), 3)
    match.settle()
    mine = drawn(match.variant, match.state, 0)
    assert "blue (you)" in mine
    (hand,) = [line for line in mine.splitlines() if line.strip().startswith("hand")]
    assert "pearl" in hand
    assert hand.rstrip().endswith("?")
    assert "bag" not in mine
    assert "bag" in drawn(match.variant, match.state, None)


def at_the_table(seats: list[str], *lines: str) -> tuple[TerminalSession, io.StringIO]:
    """A game that goes on, and what its terminal shows."""
    out = io.StringIO()
    session = TerminalSession(Variant("tic_tac_toe"), seats, 3, Console(file=out, width=100), lambda prompt: None)
    session.play_to_person_autosave_and_show()
    for line in lines:
        session.handle_input_line(line)
    return session, out


def test_what_was_taken_back_is_taken_again_with_what_followed() -> None:
    session, _ = at_the_table(["person", "random"], "5", "undo")
    assert session.match.actions == []
    before, _ = at_the_table(["person", "random"], "5")
    session.handle_input_line("redo")
    assert session.match.actions == before.match.actions
    session.handle_input_line("redo")
    session.handle_input_line("undo")
    session.handle_input_line("1")
    session.handle_input_line("redo")
    assert len(session.match.actions) == 2


def test_the_game_is_kept_at_every_move(tmp_path: Path) -> None:
    kept = tmp_path / "play" / "game.txt"
    session, _ = at_the_table(["person", "random"])
    session.autosave = kept
    session.handle_input_line("5")
    assert load(kept).actions == session.match.actions
    session.handle_input_line("1")
    assert load(kept).actions == session.match.actions


def test_a_place_where_nothing_can_be_kept_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    session, out = at_the_table(["person", "random"])
    session.autosave = tmp_path / "file" / "game.txt"
    session.handle_input_line("5")
    assert "the game cannot be kept" in out.getvalue()
    assert session.autosave is None


def test_why_finds_actions_of_other_moments() -> None:
    out = io.StringIO()
    session = TerminalSession(Variant("eila"), ["person"], 1, Console(file=out, width=100), lambda prompt: None)
    session.play_to_person_autosave_and_show()
    session.handle_input_line("why on the Goal")
    assert "it is for another moment: place tokens on the Goal; now is: choose an option" in out.getvalue()
    assert out.getvalue().count("rulebook R27: ") == 1
    session.handle_input_line("why")
    assert "For example: why 001 Under" in out.getvalue()
    assert "is revealed" not in out.getvalue().partition("For example")[2]  # no player does that


def test_hints_and_answers_say_an_before_a_vowel() -> None:
    out = io.StringIO()
    seats = ["person", "person"]
    session = TerminalSession(Variant("opale"), seats, 3, Console(file=out, width=100), lambda prompt: None)
    session.play_to_person_autosave_and_show()
    session.handle_input_line("play 1 Octopus Hunter")
    for asked in ("hint", "why 1", "why lay a Octopus Hunter worth 1", "why lay an Octopus Hunter worth 2"):
        session.handle_input_line(asked)
    assert "lay an Octopus Hunter" in out.getvalue()
    assert "a Octopus" not in out.getvalue()
    assert "no action" not in out.getvalue()


def test_one_key_reads_the_card_of_a_choice() -> None:
    out = io.StringIO()
    session = TerminalSession(Variant("eila"), ["person"], 1, Console(file=out, width=100), lambda prompt: None)
    session.play_to_person_autosave_and_show()
    out.truncate(0)
    session.handle_input_line("?1")
    assert "Under the Great Tree (event, chapter 0)" in out.getvalue()


def test_boards_stand_beside_the_choices() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, height=24)
    session = TerminalSession(Variant("olith"), ["person", "person"], 1, console, lambda prompt: None)
    session.play_to_person_autosave_and_show()
    session.take_numbered_choice_and_play_on(1)
    session.take_numbered_choice_and_play_on(1)
    out.truncate(0)
    out.seek(0)
    session.table("")
    lines = [line for line in out.getvalue().splitlines() if line.strip()]
    board = next(n for n, line in enumerate(lines) if "level 4" in line)
    assert len(lines) - board <= 22, "the board and the choices are seen together at 80 by 24"


def test_the_board_of_opale_and_its_choices_are_seen_together() -> None:
    """At 80 by 24, after a few turns: each spot with its cards and its free places."""
    match = Match(Variant("opale"), 3)
    for _ in range(6):
        match.settle()
        match.apply(match.legal()[0].ident)
    match.settle()
    lines = drawn(match.variant, match.state, match.actor).splitlines()
    spots = [c.name for c in match.variant.data.components.values() if c.kind == "spot"]
    board = "\n".join(lines[next(n for n, line in enumerate(lines) if spots[0] in line and "×" not in line[:6]) :])
    assert all(spot in board for spot in spots)
    lying = match.variant.game.get_field("lying")
    for spot, many in zip(spots, match.state[lying.offset : lying.offset + lying.size], strict=True):
        told = board.partition(spot)[2].lstrip()
        assert told.startswith("_") == (many == 0), f"{spot}: {told[:10]}"
    assert len(lines) + len(match.legal()) + 3 <= 24


def test_the_way_up_is_drawn_and_who_stands_where() -> None:
    match = Match(Variant("eurydice"), 3)
    assert "row 6" in drawn(match.variant, match.state, 0)
    while match.round != 2:
        match.settle()
        match.apply(match.legal()[-1].ident)
    lines = drawn(match.variant, match.state, 0).splitlines()
    (here,) = [line for line in lines if "<you>" in line]
    lane = match.variant.game.get_field("lane")
    assert here.strip().startswith("row 2")
    assert (here.index("<you>") > 44) == (match.state[lane.offset] == 1)
    assert len(lines) <= 19


def test_a_terminal_that_knows_only_ascii_gets_other_letters_not_a_crash() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "playproof", "play", "eila", "--seed", "1"],
        input=b"1\nquit\n",
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PLAYPROOF_MACHINE": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_a_large_game_fits_a_small_terminal_by_pages(golden: Callable[[str, str], None]) -> None:
    """At 80 x 24, what is printed between two prompts is never higher or wider. All pages are turned."""
    out, screens, choices = io.StringIO(), list[str](), iter(range(30))
    small = Console(file=out, width=80, height=24, force_terminal=True, color_system=None)

    def ask(prompt: str) -> str | None:
        screens.append(out.getvalue() + prompt)
        out.seek(0)
        out.truncate()
        if session.at + 1 < len(session.pages):
            return ""
        typed = {3: "board 1", 4: "page 2", 5: "page 9", 6: "log", 7: "help", 8: "table shop"}
        return typed.get(number := next(choices, 99)) or ("1" if number < 99 else None)

    session = TerminalSession(Variant("olith", {"players": "4"}), ("person", *["random"] * 3), 5, small, ask)
    session.run_until_quit_or_input_ends()
    rows = [line.rstrip() for screen in screens for line in screen.split("\n")]
    assert max(screen.count("\n") + 1 for screen in screens) <= 24
    assert max(map(len, rows)) <= 80
    assert len(session.pages) > 1
    # Nothing is lost by turning pages: what a pipe prints of the same table is all there.
    whole = io.StringIO()
    table = render_table_seen_by_seat(session.match.play, session.match.state, 0, session.variant.title)
    Console(file=whole, width=80, color_system=None).print(table)
    last = {" ".join(line.split()) for screen in screens[-len(session.pages) :] for line in screen.split("\n")}
    assert {" ".join(line.split()) for line in whole.getvalue().split("\n")} <= last | {""}
    golden("olith-80x24.txt", "\n".join(line.rstrip() for line in "\n=====\n".join(screens[:14]).split("\n")) + "\n")
