"""One page of a whole game: complete, small, and in need of nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from playproof.referee import Match, Variant
from playproof.referee.transcript import save
from playproof.table import TableLayout
from playproof.table.panels import describe_ending_with_results_or_empty
from playproof.table.replay_page import render_replay_page_html
from playproof.table.scene import Score


def played(game: str, steps: int) -> Match:
    match, dice = Match(Variant(game), 4), Random(4)
    for _ in range(steps):
        match.settle()
        if match.over:
            break
        match.apply(dice.choice(match.play.legal(match.state)))
    return match


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    assert found
    loaded: dict[str, object] = json.loads(found[1])
    return loaded


@pytest.mark.parametrize("game", ["eila", "eurydice", "olith", "opale"])
def test_every_moment_is_in_it(game: str) -> None:
    match = played(game, 30)
    spread = TableLayout(match.variant)
    data = data_of(render_replay_page_html(match, spread))
    steps = data["steps"]
    assert isinstance(steps, list)
    assert len(steps) == len(match.states)
    # What the changes add up to is the last scene.
    here: dict[str, list[object]] = {}
    for step in steps:
        here = {key: value for key, value in here.items() if key not in step["gone"]} | step["put"]
    scene = spread.make_scene_seen_by_seat(match.state)
    assert len(here) == len(scene.surfaces) + len(scene.pieces)
    for surface in scene.surfaces:
        for piece in scene.list_pieces_on(surface):
            x = round(surface.x + piece.x - piece.width / 2, 2)
            assert here[f"p {piece.key}"][2] == x


def test_who_plays_and_what_each_has_stands_at_every_moment() -> None:
    match, dice = Match(Variant("opale", rulings={"A18": "open"}), 4, seats=["person", "greedy"]), Random(4)
    points = match.game.get_field("points")
    while not any(match.state[points.offset : points.offset + points.size]):
        match.settle()
        match.apply(dice.choice(match.play.legal(match.state)))
    data = data_of(render_replay_page_html(match, TableLayout(match.variant)))
    assert data["seats"] == ["blue", "red (greedy)"]
    steps = data["steps"]
    assert isinstance(steps, list)
    for step, state in zip(steps, match.states, strict=True):
        told = [int(scores.split()[0]) for scores in step["scores"]]
        assert told == [match.play.quantity(f"{seat} points", state) for seat in ("blue", "red")]


def test_the_end_tells_what_each_has_won() -> None:
    match = Match(Variant("tic_tac_toe"), 1)
    assert describe_ending_with_results_or_empty(match, ("Ada", "Bo")) == ""
    match.apply_all([0, 3, 1, 4, 2])
    assert describe_ending_with_results_or_empty(match, ("Ada", "Bo")).endswith(" Ada won, Bo lost.")


@pytest.mark.parametrize(
    ("returns", "words"),
    [
        ((1, -1), "Ada won, Bo lost"),
        ((0, 0), "Ada tied, Bo tied"),
        ((1, 0), "Ada 1st with 1, Bo 2nd with 0"),
        ((2, 3), "Bo 1st with 3, Ada 2nd with 2"),
        ((3, 3), "Ada tied with 3, Bo tied with 3"),
    ],
)
def test_scores_of_one_and_minus_one_say_who_won(returns: tuple[int, ...], words: str) -> None:
    match: Any = SimpleNamespace(ending=SimpleNamespace(kind="scores", reason="done"), returns=lambda: returns)
    assert describe_ending_with_results_or_empty(match, ("Ada", "Bo")) == f"The game is over: done. {words}."


@pytest.mark.parametrize(
    ("kind", "returns", "words"),
    [("loss", (-1, -1), "Both lost"), ("win", (1, 1, 1), "All won"), ("loss", (-1, -1, -1, -1), "All lost")],
)
def test_who_wins_or_loses_together_has_no_place(kind: str, returns: tuple[int, ...], words: str) -> None:
    match: Any = SimpleNamespace(ending=SimpleNamespace(kind=kind, reason="done"), returns=lambda: returns)
    assert (
        describe_ending_with_results_or_empty(match, ("Ada", "Bo", "Cy", "Di")) == f"The game is over: done. {words}."
    )


def test_three_and_more_have_places_and_scores() -> None:
    match: Any = SimpleNamespace(ending=SimpleNamespace(kind="scores", reason="done"), returns=lambda: (-1, 1, -1))
    scores = [Score(seat, "tokens", value) for seat, value in enumerate(("5", "8", "5"))]
    words = "Bo 1st, 8 tokens; Ada 2nd together, 5 tokens; Cy 2nd together, 5 tokens"
    assert (
        describe_ending_with_results_or_empty(match, ("Ada", "Bo", "Cy"), scores) == f"The game is over: done. {words}."
    )


def test_it_needs_nothing_from_elsewhere() -> None:
    page = render_replay_page_html(played("eila", 5), TableLayout(Variant("eila")))
    assert not re.search(r'(?:src|href)="(?!data:)', page.partition('id="game"')[0])
    assert "default-src 'none'" in page
    assert "unsafe" not in page.partition("<style>")[0]
    assert page.count("</script>") == 2


def test_a_seats_replay_shows_what_the_seat_saw() -> None:
    """The pictures of a seat's page are those of its own scenes: no card of the other hand is among them."""
    match = played("opale", 20)
    spread = TableLayout(match.variant)
    for seat in (0, 1):
        page = render_replay_page_html(match, spread, seat)
        seen = [spread.make_scene_seen_by_seat(state, seat) for state in match.states]
        own = {p.picture for scene in seen for p in scene.pieces} | {s.picture for s in seen[0].surfaces if s.picture}
        everything = {p.picture for state in match.states for p in spread.make_scene_seen_by_seat(state).pieces}
        pictures = data_of(page)["pictures"]
        assert isinstance(pictures, list)
        assert len(pictures) == len(own)
        assert everything - own


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    from playproof.cli.main import run_command_line_and_get_exit_status

    save(played("tic_tac_toe", 3), tmp_path / "plain.txt")
    save(played("eila", 3), tmp_path / "game.txt")
    assert run_command_line_and_get_exit_status(["log", "replay", str(tmp_path / "game.txt")]) == 0
    assert (tmp_path / "game.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run_command_line_and_get_exit_status(["log", "replay", str(tmp_path / "plain.txt")]) == 2


def test_a_replay_runs_in_a_browser(browser, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "game.html"
    match = played("opale", 12)
    file.write_text(render_replay_page_html(match, TableLayout(match.variant)), encoding="utf-8")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    assert page.locator("#step").inner_text() == f"0/{len(match.steps)}"
    page.locator("#on").click()
    assert page.locator("#step").inner_text().startswith("1/")
    changed = [
        key
        for key, value in data_of(file.read_text(encoding="utf-8"))["steps"][1]["put"].items()  # type: ignore[index]
        if value[0]
    ]
    assert 0 < page.locator("#felt .new").count() <= len(changed)
    page.locator("#log li").last.click()
    assert page.locator("#felt image").count() > 5
    page.close()
    assert not errors
