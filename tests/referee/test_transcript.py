"""Transcripts: what is written can be read back; a wrong one is refused where it is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.database.game import EXAMPLES
from playproof.language import CHANCE
from playproof.language.random import Stream
from playproof.referee import Match, Variant, judge, load, save
from playproof.referee.recorded_games import load_campaign_matches_or_raise
from playproof.referee.simulate import replay
from playproof.referee.transcript import parse_transcript_text_or_raise, write

Tiny = Callable[..., Variant]
HEAD = "playproof transcript 1\ngame: tic_tac_toe\n"


def judged(tmp_path: Path, text: str, game: str | None = None) -> list[str]:
    """The findings of a transcript, as `line:column: code message`."""
    file = tmp_path / "game.txt"
    file.write_text(text, encoding="utf-8")
    return [str(f).split("game.txt:", 1)[1] for f in judge(file, game=game)]


def test_a_match_survives_saving_and_loading(tmp_path: Path, tiny: Tiny) -> None:
    file = tmp_path / "match.txt"
    match = Match(tiny("twins", {"A1": "harsh"}, days="3"), seed=9, seats=["person"]).apply_all([0, "sleep", 1])
    save(match, file)
    again = load(file, match.variant.ref)
    assert again.actions == match.actions
    assert again.state == match.state
    assert (again.seed, again.seats, dict(again.variant.rulings)) == (9, ("person",), {"A1": "harsh"})
    assert write(again) == write(match)
    assert [p.name for p in tmp_path.iterdir()] == ["match.txt"]


def test_the_text_is_as_documented(tiny: Tiny) -> None:
    match = Match(tiny("twins", days="1")).apply_all([0, "sleep"])
    header, body = write(match).split("\n\n", 1)
    assert header.startswith("playproof transcript 1\ngame: ")
    assert "option days: 1" in header
    assert body == ("   1  1/Wanderer: take the path [#0]\n   2  1/Wanderer: sleep\n\nend: the last day is over | 0\n")


def test_a_finished_game_is_accepted(tmp_path: Path) -> None:
    for seed in range(4):
        match = Match(Variant("kuhn_poker"), seed)
        match.settle()
        match.apply_all(["pass", "bet", "pass"])
        assert judged(tmp_path, write(match)) == []


def test_a_person_may_leave_out_numbers_and_names(tmp_path: Path) -> None:
    assert judged(tmp_path, HEAD + "\n# a friendly game\nmark 4\n\nplayer 2: mark 0\n") == []


def test_words_may_begin_with_a_number_and_hold_a_colon(tmp_path: Path) -> None:
    """Cards are named by number: "001 ..., A: ..." is no move number and no player."""
    variant = Variant("eila")
    first = Match(variant).legal()[0].text
    assert first.startswith("001 ")
    assert ":" in first
    head = "playproof transcript 1\ngame: eila\n"
    for line in (first, f"1 {first}", f"1. player: {first}", f"1 1/player: {first}", f"player: {first}"):
        assert judged(tmp_path, f"{head}{line}\n") == []
    assert "PP607" in judged(tmp_path, f"{head}2 {first}\n")[0]


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        (
            "1 player 1: mark 4\n2 player 2: mark 4\n",
            "4:1: PP602 move 2 by player 2: not legal: mark 4; T1: the cell is taken",
        ),
        ("1 player 1: mark 4\n2 player 1: mark 3\n", "4:1: PP607 player 2 is to act, not player 1"),
        ("1 player 1: mark 4\n  3 player 2: mark 3\n", "4:3: PP607 expected move 2, found move 3"),
        ("1 player 3: mark 4\n", "3:1: PP607 nobody is called"),
        ("1 player 1: mrak 4\n", "3:1: PP601 move 1: cannot read"),
        ("mark 0\nmark 3\nmark 1\nmark 4\nmark 2\nmark 5\n", "8:1: PP602 move 6: not legal: mark 5; the game is over"),
        (
            "mark 0\nend: three in a row | 1 -1\n",
            "4:1: PP609 the transcript ends the game here, but player 2 is to act",
        ),
        (
            "mark 0\nmark 3\nmark 1\nmark 4\nmark 2\nend: three in a row | -1 1\n",
            "8:1: PP609 expected `end: three in a row | 1 -1`",
        ),
    ],
)
def test_the_first_wrong_line_is_named_with_its_rule(tmp_path: Path, body: str, finding: str) -> None:
    found = judged(tmp_path, HEAD + body)
    assert len(found) == 1
    assert found[0].startswith(finding)


def test_a_wrong_round_is_refused(tmp_path: Path, tiny: Tiny) -> None:
    twins = tiny("twins")
    text = write(Match(twins).apply_all([0])).replace("1/Wanderer", "2/Wanderer")
    assert "PP607 it is round 1, not 2" in judged(tmp_path, text, twins.ref)[0]


@pytest.mark.parametrize("digest", ["0123456789abcdef" * 4, "0"])
def test_changed_rules_are_a_warning(tmp_path: Path, digest: str) -> None:
    (found,) = judged(tmp_path, HEAD + f"description: {digest}\n\nmark 4\n")
    assert "PP608 warning" in found
    assert digest[:16] in found


def test_rules_that_changed_under_equal_cards_are_found_out(tmp_path: Path) -> None:
    """A game of its own folder, recorded; then one number of its rules changes. It is played on where the
    moves still fit, and every reader of the record says so."""
    rules = tmp_path / "heaps" / "rules.py"
    rules.parent.mkdir()
    source = (EXAMPLES / "nim.py").read_text(encoding="utf-8")
    rules.write_text(source, encoding="utf-8")
    match = Match(Variant(str(rules.parent))).apply_all(["take 1 from heap 0"])
    saved = tmp_path / "saved.txt"
    saved.write_text(write(match), encoding="utf-8")
    assert judge(saved, game=str(rules.parent)) == []
    rules.write_text("\n" + source, encoding="utf-8")  # another place, the same game
    assert judge(saved, game=str(rules.parent)) == []
    rules.write_text(source.replace("(3, 4, 5)", "(3, 4, 6)"), encoding="utf-8")
    (found,) = judge(saved, game=str(rules.parent))
    assert (found.code, found.severity) == ("PP608", "warning")
    told = list[str]()
    assert len(load_campaign_matches_or_raise(saved, str(rules.parent), told.append)[0].steps) == 1
    assert [match.variant.digest[:16] in line for line in told] == [True]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "PP605"),
        ("a novel\n", "PP605"),
        ("playproof transcript 2\ngame: tic_tac_toe\n", "PP605"),
        ("playproof transcript 1\n\nmark 4\n", "PP605"),
        (HEAD + "game: nim\n", "PP605"),
        (HEAD + "seed: soon\n", "PP605"),
        (HEAD + "mark 4\nend: x\nmark 5\n", "PP605"),
    ],
)
def test_text_that_is_no_transcript_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_transcript_text_or_raise(text)
    assert [f.code for f in refused.value.findings] == [code]


@pytest.mark.parametrize(
    "text", ["playproof transcript 1\ngame: no_such_game\n", HEAD + "option chapter: 1\n", HEAD + "ruling A99: x\n"]
)
def test_an_unknown_game_or_option_is_a_finding(tmp_path: Path, text: str) -> None:
    (found,) = judged(tmp_path, text)
    assert "PP606" in found


def test_a_missing_or_binary_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="PP604"):
        judge(tmp_path / "nowhere.txt")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="binary:1:1: PP102 expected UTF-8 text, found the byte 0xff"):
        judge(tmp_path / "binary")


def test_the_mark_that_editors_put_before_utf_8_is_passed_over(tmp_path: Path) -> None:
    text = "\ufeffplayproof transcript 1\ngame: tic_tac_toe\nseed: 1\n\nplayer 1: mark 4\n"
    (tmp_path / "marked.txt").write_text(text, "utf-8")
    assert judge(tmp_path / "marked.txt") == []


def test_loading_a_wrong_transcript_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text(HEAD + "mark 4\nmark 4\n", encoding="utf-8")
    with pytest.raises(InputError, match="PP602"):
        load(file)


def test_a_seat_that_the_game_has_not_is_refused(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, HEAD + "seat 1: person\nseat 7: person\n\nmark 4\n")
    assert "PP606 expected seats up to 2, found `seat 7`" in found


@pytest.mark.parametrize("bots", [("random", "random"), ("greedy", "random")])
def test_another_seed_than_was_played_is_refused(tmp_path: Path, bots: tuple[str, ...]) -> None:
    text = write(replay(Variant("kuhn_poker"), bots, 3, 5))
    assert judged(tmp_path, text) == []
    seed = next(line for line in text.splitlines() if line.startswith("seed:"))
    # Of five other seeds at least one deals other cards; each that does is found.
    found = [judged(tmp_path, text.replace(seed, f"seed: {number}")) for number in range(5)]
    assert any("PP611 with seed" in line for lines in found for line in lines)


def test_a_game_at_the_table_follows_its_seed(tmp_path: Path) -> None:
    match = Match(Variant("kuhn_poker"), 8, seats=["person", "person"])
    match.settle()
    text = write(match.apply_all(["pass"]))
    assert judged(tmp_path, text) == []
    other = next(
        n
        for n in range(9, 99)
        if Match(Variant("kuhn_poker"), n).take_chance_action_of_seed_or_raise().ident != match.actions[0]
    )
    (found,) = judged(tmp_path, text.replace("seed: 8", f"seed: {other}"))
    assert "PP611" in found
    assert "in move 1:" in found
    assert judged(tmp_path, text.replace("seed: 8\n", "")) == []  # cards of paper have no seed


def test_a_game_of_a_run_may_go_on_at_the_table(tmp_path: Path) -> None:
    whole = replay(Variant("pig"), ["random"], 3, 5)
    match = Match(whole.variant, whole.seed, seats=whole.seats).apply_all(whole.actions[:6])
    while len(match.steps) < 14:
        if match.actor == CHANCE:
            match.take_chance_action_of_seed_or_raise()
        else:
            match.apply(match.legal()[0].ident)
    assert judged(tmp_path, write(match)) == []


@pytest.mark.parametrize(("name", "times"), [("eila", 20), ("kuhn_poker", 150)])
def test_no_spoilt_transcript_raises_anything_but_findings(tmp_path: Path, name: str, times: int) -> None:
    """Lines dropped, doubled, swapped, cut and smeared: findings or InputError, never another error."""
    variant = Variant(name)
    whole = write(replay(variant, ["random"], 1, 0)).splitlines()
    stream, file, refused = Stream(7), tmp_path / "spoilt.txt", 0
    for _ in range(times):
        lines = list(whole)
        for _ in range(1 + stream.below(3)):
            here, there = stream.below(len(lines)), stream.below(len(lines))
            spoil = stream.below(6)
            if spoil == 0 and len(lines) > 1:
                del lines[here]
            elif spoil == 1:
                lines.insert(there, lines[here])
            elif spoil == 2:
                lines[here], lines[there] = lines[there], lines[here]
            elif spoil == 3:
                lines[here] = lines[here][: stream.below(len(lines[here]) + 1)]
            elif spoil == 4:
                lines[here] = lines[here].replace(":", "::", 1)
            else:
                lines[here] = "".join(chr(32 + stream.below(900)) for _ in range(stream.below(40)))
        file.write_text("\n".join(lines), encoding="utf-8")
        try:
            refused += any(f.severity == "error" for f in judge(file))
        except InputError:
            refused += 1
    assert times // 3 < refused <= times


def test_the_time_of_each_decision_is_written_and_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("playproof.referee.match.monotonic", lambda: now[0])
    match = Match(Variant("tic_tac_toe")).start_timing()
    for cell, wait in ((0, 2.5), (1, 9.0), (4, 1.25)):
        now[0] += wait
        match.apply(cell)
    match.undo()
    now[0] += 4.0
    match.apply(8)
    text = write(match)
    assert "seconds: 2.5 9.0 4.0\n" in text
    written = parse_transcript_text_or_raise(text)
    assert written.seconds == (2.5, 9.0, 4.0)
    assert "seconds" not in write(Match(Variant("tic_tac_toe")).apply_all([0, 1]))
    with pytest.raises(InputError, match="expected a number per action after `seconds:`, 3, found 2"):
        parse_transcript_text_or_raise(text.replace("2.5 9.0 4.0", "2.5 9.0"))
    with pytest.raises(InputError, match="expected a number after `seconds:`, found `soon`"):
        parse_transcript_text_or_raise(text.replace("9.0", "soon"))
