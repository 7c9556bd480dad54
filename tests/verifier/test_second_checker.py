"""The second checker is written from the pages alone, in another language. It and the kernel say the same of true,
false and changed certificates of games drawn at random."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import Game, Interpreter, RulesError
from playproof.language.description import digest, write
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.evidence import VERSION, check_certificate_to_theorem
from playproof.verifier.kernel.exploration import ExplorationCertificate, enumerate_states_from_start
from playproof.verifier.kernel.statements import PROPERTIES, Event, LawObeyed, LengthLimit, Property, Subject
from playproof.verifier.kernel.strict_json import Json, Unreadable, encode_typed_value_as_json
from playproof.verifier.kernel.transcript import TranscriptCertificate
from tests.language.symbolic_zoo import random_game

pytestmark = pytest.mark.needs("g++")
SOURCE = Path(__file__).parents[2] / "verifier" / "second_checker.cpp"
SEEDS = range(int(os.environ.get("PLAYPROOF_STEPS", "12")))
MOST_STATES = 150


def test_the_page_names_the_version_that_is_written() -> None:
    page = Path(__file__).parents[2] / "docs" / "maintain" / "evidence.md"
    assert f"| the version of the format: {VERSION} |" in page.read_text("utf-8")


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("second") / "second_checker"
    subprocess.run(["g++", "-std=c++20", "-O0", "-o", str(program), str(SOURCE)], check=True)
    return program


def subjects(game: Game, rng: random.Random) -> Iterator[Subject]:
    """What certificates may be about, some of it nonsense."""
    yield from map(Property, (*PROPERTIES, "no such property"))
    for ending in game.endings:
        yield Event({"outcome": ending.kind, "reason": ending.reason})
    yield Event({"outcome": ["win", "loss"]}, {"rounds": 1})
    actions = rng.sample(range(game.ground), min(4, game.ground))
    for ident in actions:
        action = game.get_action_of_ground_action_number(ident)
        values = {
            p.local.name: p.format_value(v)
            for p, v in zip(action.params, action.get_values_of_ground_action(ident), strict=True)
        }
        yield Event({"action": game.show(ident)})
        yield Event({"action": action.name, **values}, "outcome == 0")
        yield LawObeyed({"action": action.name, "changes": {name: rng.randint(-1, 1) for name in [*game.handles][:1]}})
        yield LawObeyed({"when": "outcome == 0", "can": {"action": action.name}})
    for field in game.fields:
        cell = field.name + (f"[{', '.join('0' * len(field.shape))}]" if field.shape else "")
        yield Event(f"{cell} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {rng.randint(field.lo, field.hi)}")
        yield Event({"holds": f"not (-{cell} * 2 + 1 < {rng.randint(-3, 3)} or {cell} == {cell})"})
        yield Event({"not": {"holds": f"{field.lo} <= {cell} < {field.hi}"}}, "outcome > 0")
    for phase in game.phases:
        yield Event({"reach": f'phase == "{phase.name}" and outcome == playing'})
        if phase.automatic:
            yield LawObeyed({"phase": phase.name, "leads": "outcome == 0"})


def lines(play: Interpreter, rng: random.Random) -> Iterator[tuple[int, ...]]:
    """Legal lines from the start, and one that is not legal."""
    for _ in range(3):
        line, state = list[int](), play.start()
        while (legal := play.legal(state)) and len(line) < 6:
            line.append(rng.choice(legal))
            yield tuple(line)
            state = play.apply(state, line[-1])
    yield (rng.randrange(play.game.ground),) * 2
    yield ()


def certificates(game: Game, rng: random.Random) -> Iterator[Certificate]:
    """True and false certificates of both kinds."""
    play, about = Interpreter(game), list(subjects(game, rng))
    states, all_lines = 1, list[tuple[int, ...]]([()])
    with suppress(NotShown, RulesError):
        states = len(enumerate_states_from_start(game, True, MOST_STATES, None, 0).cells)
    with suppress(RulesError):
        all_lines = list(lines(play, rng))
    for each in about:
        yield ExplorationCertificate(each, states)
        for line in rng.sample(all_lines, min(4, len(all_lines))):
            yield TranscriptCertificate(each, line, tuple(map(game.show, line)))
    for most in (0, 3, 40):
        yield ExplorationCertificate(LengthLimit(most), states)
        line = rng.choice(all_lines)
        yield TranscriptCertificate(LengthLimit(most), line, tuple(map(game.show, line)))
    yield ExplorationCertificate(about[0], states + 1)
    yield ExplorationCertificate(about[0], states - 1)
    yield ExplorationCertificate(about[0], states, most=1)
    line = all_lines[0]
    yield TranscriptCertificate(LengthLimit(len(line) - 1), line, tuple(map(game.show, line)))
    yield TranscriptCertificate(LengthLimit(len(line) - 1), line, (*map(game.show, line), "and so on"))
    yield replace(TranscriptCertificate(LengthLimit(0), line, ()), idents=(game.ground,), words=("nothing",))


def by_the_kernel(game: Game, certificate: Certificate, context: Context) -> str:
    try:
        check_certificate_to_theorem(certificate, game, context)
    except (NotShown, Unreadable, InputError, RulesError):
        return "refused"
    return "shown"


def evidence(game: Game, made: list[Json]) -> dict[str, Any]:
    setting = {"options": {}, "rulings": {}, "digest": digest(game), "certificates": made}
    return {"playproof": VERSION, "game": game.name, "errata": True, "claim": {}, "settings": [setting]}


def asked(checker: Path, folder: Path, *files: Path) -> list[list[str]]:
    """The lines that the second checker prints, as their columns."""
    ran = subprocess.run([str(checker), str(folder), *map(str, files)], capture_output=True, text=True, check=False)
    assert not ran.stderr
    return [line.split("\t") for line in ran.stdout.splitlines()]


def test_two_checkers_agree_on_certificates_of_drawn_games(checker: Path, tmp_path: Path) -> None:
    by_kernel: dict[tuple[str, str], str] = {}
    words: dict[tuple[str, str], str] = {}
    for seed in SEEDS:
        rng, context = random.Random(seed), Context()
        game = random_game(seed).seal()
        made = list(certificates(game, rng))
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(evidence(game, [encode_typed_value_as_json(c) for c in made])), "utf-8")
        (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
        for number, certificate in enumerate(made, 1):
            by_kernel[str(file), str(number)] = by_the_kernel(game, certificate, context)
            words[str(file), str(number)] = str(certificate)
    rows = asked(checker, tmp_path, *(tmp_path / f"{seed}.json" for seed in SEEDS))
    by_second = {(row[1], row[2]): row[0] for row in rows}
    assert [
        (words[key], by_kernel[key], by_second.get(key)) for key in by_kernel if by_kernel[key] != by_second.get(key)
    ] == []
    counts = Counter((certificate.split("(")[0], by_kernel[key]) for key, certificate in words.items())
    assert min(counts.values()) > 5 * len(SEEDS), counts


def changed(data: dict[str, Any]) -> Iterator[str]:
    """Copies of an evidence file that are no evidence any more, or false."""
    text = json.dumps(data)
    yield text[: len(text) // 2]
    yield text + "x"
    yield text.replace('"playproof": 4', '"playproof": 2')
    yield text.replace('"playproof": 4', '"playproof": 4, "playproof": 4')
    yield text.replace('"playproof": 4', '"playproof": 4.0')
    yield text.replace('"playproof": 4', '"playproof": 4, "verdict": "PROVEN"')
    yield text.replace('"most": 0}, "idents"', '"most": 0, "more": 1}, "idents"')
    yield text.replace('"most": 0}, "idents"', '"most": NaN}, "idents"')
    yield text.replace('"most": 0}, "idents"', f'"most": {"9" * 80}}}, "idents"')
    yield text.replace('"kind": "transcript"', '"kind": "theorem"')
    yield text.replace('"kind": "transcript", ', "")
    digest = data["settings"][0]["digest"]
    yield text.replace(digest, "../" * 10 + digest)
    yield text.replace(digest, digest[::-1])
    yield text.replace('"claim": {}', f'"claim": {"[" * 40}{"]" * 40}')
    yield text.replace('"options": {}', '"options": {"goal": 3}')
    yield text.replace('"idents": [0', '"idents": [-1')
    yield text.replace('"words": ["', '"words": ["\\ud800')


def test_what_is_changed_both_refuse(checker: Path, tmp_path: Path) -> None:
    game = build("nim")
    play = Interpreter(game)
    first = play.legal(play.start())[0]
    line = (first, play.legal(play.apply(play.start(), first))[0])
    data = evidence(
        game, [encode_typed_value_as_json(TranscriptCertificate(LengthLimit(0), line, tuple(map(game.show, line))))]
    )
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
    files = []
    for number, text in enumerate([json.dumps(data), *changed(data)]):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(text, "utf-8")
        assert number == 0 or text != json.dumps(data)
    rows = asked(checker, tmp_path, *files)
    assert [row[0] for row in rows if row[1] == str(files[0])] == ["shown"]
    accepted = {row[1] for row in rows if row[0] == "shown"}
    assert accepted == {str(files[0])}
    assert {row[1] for row in rows} == set(map(str, files))


def test_a_description_under_another_digest_is_refused(checker: Path, tmp_path: Path) -> None:
    game = build("nim")
    data = evidence(game, [encode_typed_value_as_json(ExplorationCertificate(Property(PROPERTIES[0]), 1))])
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game).replace(b'"nim"', b'"nym"'))
    (tmp_path / "evidence.json").write_text(json.dumps(data), "utf-8")
    [[answer, *_, why]] = asked(checker, tmp_path, tmp_path / "evidence.json")
    assert (answer, why) == ("unreadable", "the description has another digest than its name")


def test_what_the_second_checker_does_not_know_is_left_and_not_refused(checker: Path, tmp_path: Path) -> None:
    """Kinds of certificates, laws and conditions that came later: a file that holds one is read all the same."""
    game = build("nim")
    play = Interpreter(game)
    name, line = game.actions[0].name, (play.legal(play.start())[0],)
    words, states = (tuple(map(game.show, line)), len(enumerate_states_from_start(game, True, 10_000, None, 0).cells))
    later: list[Certificate] = [
        TranscriptCertificate(Event({"holds": "sum(i in heap: heap[i]) < 99"}), line, words),
        TranscriptCertificate(Event({"holds": "heap[outcome] < 99"}), line, words),
        ExplorationCertificate(LawObeyed({"action": name, "leads": "outcome >= was(outcome)"}), states),
        ExplorationCertificate(LawObeyed({"action": name, "only": ["heap", "turn", "outcome"]}), states),
    ]
    known = TranscriptCertificate(LengthLimit(0), line, words)
    made = [encode_typed_value_as_json(certificate) for certificate in (*later, known)]
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(evidence(game, [{"kind": "tally", "of": {}}, *made])), "utf-8")
    assert [row[0] for row in asked(checker, tmp_path, file)] == [*["left"] * 5, "shown"]
    assert [by_the_kernel(game, certificate, Context()) for certificate in (*later, known)] == ["shown"] * 5
