"""Random claims about random games: every answer is compared with one that plain functions give by going through all
states, and every evidence file is checked.

`PLAYPROOF_DRAWN=1600` tries so many seeds, as `make walks` does (half an hour); PLAYPROOF_SEED names the first. About a
third of them draw a game that is neither too large nor over at once. With `pytest -s` each seed is printed when it is
done.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from playproof.language import RulesError
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.prove import load_claims_as_questions_or_raise, prove
from playproof.verifier.questions.claim_check import list_mistakes_in_questions
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import GameCase
from tests.verifier.drawn_at_once import AtOnce, draw_at_once
from tests.verifier.drawn_chances import Chances, OfTeams
from tests.verifier.drawn_claims import OPEN, VACUOUS, Asked, Claims
from tests.verifier.drawn_games import Drawn, Graph, Large, Setting, drawn, graph, rules

SEEDS = int(os.environ.get("PLAYPROOF_DRAWN", "4"))
FIRST = int(os.environ.get("PLAYPROOF_SEED", "100"))
CLAIMS = 10
GAME = """\
title: Drawn
version: "0.1"
players: {min: 1, max: 4}
languages: [en]
about: {en: "A game drawn at random."}
source: mine
components: []
"""
Graphs = dict[tuple[int, bool], Graph]


def graphs_of(game: Drawn) -> Graphs | None:
    """All that can happen under each setting; None if that is too much, or next to nothing."""
    settings = [(level, ruled) for level in game.levels for ruled in (False, True)] or [(1, False)]
    try:
        found = {(level, ruled): graph(Setting(game, level, ruled)) for level, ruled in settings}
    except Large:
        return None
    return found if max(len(one.states) for one in found.values()) > 2 else None


def written(folder: Path, game: Drawn, graphs: Graphs) -> bool:
    """Write the game, and return whether the language accepts it: some rules can never be carried out."""
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text(rules(game), encoding="utf-8")
    (folder / "game.yaml").write_text(GAME, encoding="utf-8")
    (folder / "vocabulary.yaml").write_text("terms: {}\nkinds: {}\n", encoding="utf-8")
    try:
        for level, ruled in graphs if game.levels else ():
            build(str(folder), Options({"level": str(level)}, {"A1": "changed" if ruled else "plain"}))
        if not game.levels:
            build(str(folder), Options())
    except RulesError:
        return False
    return True


def asked_of(folder: Path, game: Drawn, graphs: Graphs, seed: int, claims: type[Claims] = Claims) -> dict[str, Asked]:
    """Draw claims and write those down that are not refused because the first state answers them."""
    asked = {f"c{n}": one for n, one in enumerate(claims(game, graphs, seed).draw(CLAIMS))}
    for one in asked.values():
        for name, text in one.files:
            (folder / name).write_text(text, encoding="utf-8")
    write_claims(folder, asked)
    known = load_claims_as_questions_or_raise(str(folder))
    early = {
        name
        for name in asked
        for finding in list_mistakes_in_questions(str(folder), [known[name]], known)
        if "before anybody acts" in finding.message
    }
    kept = {name: one for name, one in asked.items() if name not in early}
    if kept:
        write_claims(folder, kept)
    return kept


def write_claims(folder: Path, asked: dict[str, Asked]) -> None:
    claims = {
        name: {"says": f"{name} is so.", **{k: v for k, v in one.claim.items() if v is not None}}
        for name, one in asked.items()
    }
    (folder / "claims.yaml").write_text(json.dumps({"claims": claims}), encoding="utf-8")


def differs(answer: Answer, one: Asked, truth: Any) -> bool:
    """Whether an answer is another one than the plain functions give."""
    value = VACUOUS if answer.verdict is Verdict.VACUOUS else answer.value
    if answer.verdict is Verdict.UNKNOWN or truth == OPEN:
        return False
    if not alike(value, truth):
        return True
    if value == VACUOUS:
        return False
    expect = one.claim.get("expect")
    wanted = value is not False if expect is None else alike(truth, expect)
    return (answer.verdict is Verdict.PROVEN) != wanted


def alike(value: Any, truth: Any) -> bool:
    if isinstance(value, float) or isinstance(truth, float):
        return not isinstance(value, str | list) and not isinstance(truth, str | list) and abs(value - truth) < 1e-6
    if isinstance(value, list) and isinstance(truth, list):
        return sorted(value) == sorted(truth)
    return type(value) is type(truth) and bool(value == truth)


def compared(
    folder: Path,
    seed: int,
    counts: Counter[str],
    claims: type[Claims] = Claims,
    in_teams: bool = False,
    at_once: bool = False,
) -> list[str]:
    """Return what is wrong with the answers about the game of a seed."""
    game = (draw_at_once if at_once else drawn)(seed, in_teams)
    graphs = graphs_of(game)
    if graphs is None or not written(folder, game, graphs):
        return []
    counts["games"] += 1
    asked = asked_of(folder, game, graphs, seed, claims)
    wrong = []
    for answer in prove(str(folder), only=[*asked], machine=False, games=200, work=2, output=folder / "out"):
        one = asked[answer.id]
        truth = one.value(graphs)
        said = f"seed {seed}, {json.dumps(one.claim)}: {answer.verdict.value} {answer.value}, truly {truth}"
        told = "unknown" if answer.verdict is Verdict.UNKNOWN else "open" if truth == OPEN else "compared"
        counts[f"{answer.ask} {told}"] += 1
        if differs(answer, one, truth):
            wrong.append(said)
        if answer.evidence and answer.verdict is not Verdict.UNKNOWN:
            checked = check_evidence_file_to_result(answer.evidence, game=str(folder))
            if checked.findings or checked.verdict is not answer.verdict:
                wrong.append(f"{said}; check: {checked.findings}")
    return wrong


# -- the tests --------------------------------------------------------------------------------------------------


# others up to here draw games that are too large, or none
SAMPLE = (44, 46, 51, 52, 56, 57, 58, 66, 71, 72, 73)


@pytest.mark.parametrize("seed", SAMPLE)
def test_answers_are_those_of_plain_functions(seed: int, tmp_path: Path) -> None:
    some_compared(tmp_path / "drawn", seed)


@pytest.mark.parametrize("seed", [4730, 4830])  # games in which every claim is decided
def test_answers_of_chances_and_strategies_are_those_of_plain_functions(seed: int, tmp_path: Path) -> None:
    some_compared(tmp_path / "drawn", seed, Chances)


@pytest.mark.parametrize("seed", SAMPLE[::3])
def test_so_they_are_where_states_are_not_gone_through(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda case, budget: None)
    some_compared(tmp_path / "drawn", seed)


def some_compared(folder: Path, seed: int, claims: type[Claims] = Claims) -> None:
    counts: Counter[str] = Counter()
    assert compared(folder, seed, counts, claims) == []
    assert counts["games"] == 1
    assert any(what.endswith(" compared") for what in counts)


def compare_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claims: type[Claims], in_teams: bool = False, at_once: bool = False
) -> None:
    """Compare the answers about drawn games; in every second one the verifier may not visit all states."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    small = GameCase.explore_all_states_or_none_if_many
    for seed in range(FIRST, FIRST + SEEDS):
        monkeypatch.setattr(
            GameCase, "explore_all_states_or_none_if_many", small if seed % 2 else lambda case, budget: None
        )
        wrong += compared(tmp_path / str(seed), seed, counts, claims, in_teams, at_once=at_once)
        # A run that is cut still says how far it came; PLAYPROOF_SEED goes on from there.
        answers = sum(n for what, n in counts.items() if what.endswith(" compared"))
        print(f"seed {seed}: {counts['games']} games, {answers} answers compared", *wrong, sep="\n", flush=True)
    print(*(f"{count:6,} {what}" for what, count in sorted(counts.items())), sep="\n")
    assert not wrong


@pytest.mark.parametrize("claims", [Claims, Chances])
def test_so_they_are_in_many_games(claims: type[Claims], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_many(tmp_path, monkeypatch, claims)


# -- games in which some play together --------------------------------------------------------------------------


TEAMS = (18, 55, 130, 280, 428)  # games in which other teams give other answers
STUCK = 111  # its rules break before anybody acts: claims are open, and none is misread


@pytest.mark.parametrize("seed", [*TEAMS, STUCK])
def test_answers_about_teams_are_those_of_plain_functions(seed: int, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    assert compared(tmp_path / "drawn", seed, counts, OfTeams, in_teams=True) == []
    assert counts["games"] == 1


@pytest.mark.walks("PLAYPROOF_DRAWN")
@pytest.mark.parametrize("claims", [Claims, Chances, OfTeams])
def test_so_they_are_in_many_games_of_teams(
    claims: type[Claims], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_many(tmp_path, monkeypatch, claims, in_teams=True)


# -- games in which all choose at once --------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "in_teams"), [(101, False), (106, False), (102, True), (105, True), (110, True)])
def test_answers_about_choices_at_once_are_those_of_plain_functions(seed: int, in_teams: bool, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    assert compared(tmp_path / "drawn", seed, counts, AtOnce, in_teams, at_once=True) == []
    assert counts["games"] == 1


@pytest.mark.walks("PLAYPROOF_DRAWN")
@pytest.mark.parametrize("in_teams", [False, True])
def test_so_they_are_in_many_games_of_choices_at_once(
    in_teams: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_many(tmp_path, monkeypatch, AtOnce, in_teams, at_once=True)
