"""The second checker is written from the pages alone, in another language. It and the kernel say the same of true,
false and changed certificates of games drawn at random."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import CHANCE, Game, IllegalAction, Interpreter, RulesError, lose, weight, win
from playproof.language.description import digest, write
from playproof.language.registry import build
from playproof.verifier.kernel.card_tally import (
    CardTallyCertificate,
    digest_game_cards_cached_or_empty,
    encode_game_cards_as_json,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, list_partners_of_seat
from playproof.verifier.kernel.closed_set_certificate import (
    ClosedSetCertificate,
    count_states_and_get_distance_or_minus_1,
)
from playproof.verifier.kernel.evidence import VERSION, check_certificate_to_theorem
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.state_graphs import enumerate_states_from_start
from playproof.verifier.kernel.statements import PROPERTIES, Event, LawObeyed, LengthLimit, Property, Subject
from playproof.verifier.kernel.strict_json import Json, Unreadable, encode_typed_value_as_json
from playproof.verifier.kernel.transcript import CycleCertificate, TranscriptCertificate, WorkedExampleCertificate
from playproof.verifier.proof.best_play import compute_best_play_bounds
from playproof.verifier.questions.claim_check import claim_to_question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise
from tests.language.symbolic_zoo import random_game
from tests.verifier.closed_sets import exploration, moved, restate, solved_chance, state_count, state_distance
from tests.verifier.places import places_of

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
        if field.shape:
            places = ", ".join([f"i + {rng.randint(-1, 1)} * outcome", *"0" * (len(field.shape) - 1)])
            yield Event(
                {"holds": f"{rng.choice(['any', 'all'])}(i in {field.name}: {field.name}[{places}] == {field.hi})"}
            )
            yield Event({"holds": f"sum(i in {field.name}: {field.name}[{places}] > i) < 2"})
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
    """True and false certificates of each kind that needs no cards."""
    play, about = Interpreter(game), list(subjects(game, rng))
    states, all_lines = 1, list[tuple[int, ...]]([()])
    with suppress(NotShown, RulesError):
        states = len(enumerate_states_from_start(game, True, MOST_STATES, None, 0).cells)
    with suppress(RulesError):
        all_lines = list(lines(play, rng))
    for each in about:
        yield exploration(each, states)
        for line in rng.sample(all_lines, min(4, len(all_lines))):
            yield TranscriptCertificate(each, line, tuple(map(game.show, line)))
    for most in (0, 3, 40):
        yield exploration(LengthLimit(most), states)
        line = rng.choice(all_lines)
        yield TranscriptCertificate(LengthLimit(most), line, tuple(map(game.show, line)))
    yield exploration(about[0], states + 1)
    yield exploration(about[0], states - 1)
    yield exploration(about[0], states, most=1)
    line = all_lines[0]
    yield from draw_circles(game, play, all_lines, rng)
    yield from draw_examples(game, play, all_lines, rng)
    if states > 1:
        yield from draw_counts_and_distances(game, states, [each for each in about if isinstance(each, Event)], rng)
        yield from draw_chances(game, rng)
    yield TranscriptCertificate(LengthLimit(len(line) - 1), line, tuple(map(game.show, line)))
    yield TranscriptCertificate(LengthLimit(len(line) - 1), line, (*map(game.show, line), "and so on"))
    yield replace(TranscriptCertificate(LengthLimit(0), line, ()), idents=(game.ground,), words=("nothing",))


def draw_circles(
    game: Game, play: Interpreter, all_lines: list[tuple[int, ...]], rng: random.Random
) -> Iterator[Certificate]:
    """Lines that come back to a state, and the same with another place where the circle begins."""
    for line in all_lines:
        with suppress(RulesError, IllegalAction):
            states = [play.start()]
            for ident in line:
                states.append(play.apply(states[-1], ident))
            for before in {rng.randrange(-1, len(line) + 1), *range(len(line))}:
                if before == len(line) - 1 or states[-1] == states[before]:
                    yield CycleCertificate(before, line, tuple(map(game.show, line)))


def draw_examples(
    game: Game, play: Interpreter, all_lines: list[tuple[int, ...]], rng: random.Random
) -> Iterator[Certificate]:
    """Lines in words, with what holds on the way and what is not legal, some of it false."""
    for line in rng.sample(all_lines, min(6, len(all_lines))):
        entries = [f"{game.show(ident)} [#{ident}]" for ident in line]
        entries.insert(rng.randrange(len(entries) + 1), rng.choice(["now: outcome == 0", "now: outcome > 0"]))
        ident = rng.randrange(game.ground)
        entries.append(f"refused: {game.show(ident)} [#{ident}]")
        ends = [f"{e.reason} | {n}" for e in game.endings for n in ("1", "-1", "1 -1", "-1 1", "0 0")]
        example = {"line": entries, "then": [rng.choice(["outcome >= 0", "phase == 0", "outcome == playing"])]}
        ended = example | {"end": rng.choice(ends or ["over"])}
        with suppress(RulesError, IllegalAction):
            state = play.start()
            for each in line:
                state = play.apply(state, each)
            if ending := play.ending(state):
                ended["end"] = f"{ending.reason} | {' '.join(map(str, play.returns(state)))}"
        for each_example in (example, ended, {"line": entries[:1]}):
            yield WorkedExampleCertificate(each_example, True)
            yield WorkedExampleCertificate(each_example, False)


def draw_counts_and_distances(
    game: Game, states: int, events: list[Event], rng: random.Random
) -> Iterator[Certificate]:
    """True counts and distances, and those that are one off."""
    for event in rng.sample(events, min(8, len(events))):
        cells = enumerate_states_from_start(game, True, MOST_STATES, None, 0).cells.tolist()
        with suppress(NotShown, InputError, RulesError):
            target = event.build_condition_and_actions(game, Context())
            met = sum(bool(Interpreter(game).value(target.condition, state)) for state in cells)
            for off in (0, rng.choice([-1, 1])):
                yield state_count(event, states, met + off)
                yield state_count(event, states + off, met)
                for far in (False, True):
                    _, away = count_states_and_get_distance_or_minus_1(game, event, far, states, Context())
                    yield state_distance(event, far, states, away + off)


def draw_chances(game: Game, rng: random.Random) -> Iterator[Certificate]:
    """True chances, and the same with one entry of one vector changed, or with a state left out."""
    event = Event(
        {"outcome": [rng.choice(["win", "loss"]), "draw"]} if rng.random() < 0.5 else {"holds": "outcome > 0"}
    )
    seat = rng.randrange(game.players)
    for luck in ("mean", "best", "worst"):
        with suppress(NotShown, InputError, RulesError):
            found, start = places_of(
                game, event.build_condition_and_actions(game, Context()).condition, luck, seat, Context()
            )
            made = solved_chance(compute_best_play_bounds(found), event, luck, seat, start)
            good = restate(made, partners=list_partners_of_seat(game, seat))
            yield good
            yield from (change_chances(good, rng) for _ in range(6))
            yield restate(good, values=(*good.vector.values[:-1], good.vector.values[-1] + Fraction(1, 7)))
            yield restate(good, seat=(seat + 1) % game.players)
            yield moved(good, rng.randrange(len(found)))


def change_chances(good: Any, rng: random.Random) -> Certificate:
    """Return the certificate with one entry changed, or without one state."""
    row, which = rng.randrange(len(good.vector.upper)), rng.choice(["upper", "lower", "ranks", "state"])
    vectors = {name: list(getattr(good.vector, name)) for name in ("upper", "lower", "ranks")}
    for name, vector in vectors.items():
        if which == "state":
            del vector[row]
        elif which == name:
            vector[row] += rng.choice([-1, 1])
    return restate(good, **{name: tuple(vector) for name, vector in vectors.items()})


def by_the_kernel(game: Game, certificate: Certificate, context: Context) -> str:
    try:
        check_certificate_to_theorem(certificate, game, context)
    except (NotShown, Unreadable, InputError, RulesError):
        return "refused"
    return "shown"


def list_readings(game: Game, certificates: Iterable[Certificate]) -> list[Json]:
    """What the words of certificates mean, as `reads` of a setting has it; words that nobody reads are left out."""
    context, rows = Context(), dict[str, Json]()
    for certificate in certificates:
        with suppress(Unreadable, KeyError, TypeError, AttributeError):
            for kind, words in certificate.list_claim_parts():
                with suppress(Unreadable, InputError, RulesError):
                    rows[json.dumps([kind, words])] = [kind, words, context.read_claim_part(game, kind, words)]
    return list(rows.values())


def evidence(game: Game, certificates: Iterable[Certificate], more: Iterable[Json] = ()) -> dict[str, Any]:
    certificates = list(certificates)
    setting = {
        "options": {},
        "rulings": {},
        "digest": digest(game),
        "certificates": [*more, *map(encode_typed_value_as_json, certificates)],
        "reads": list_readings(game, certificates),
    }
    return {"playproof": VERSION, "game": game.name, "errata": True, "claim": {}, "settings": [setting]}


def list_checker_lines(checker: Path, folder: Path, *files: Path) -> list[list[str]]:
    """The lines that the second checker prints of certificates, as their columns. What it says of the files, and its
    exit status, follow from them."""
    ran = subprocess.run([str(checker), str(folder), *map(str, files)], capture_output=True, text=True, check=False)
    assert not ran.stderr
    rows = [line.split("\t") for line in ran.stdout.splitlines() if not line.startswith("means\t")]
    of_files = {row[1]: row[0] for row in rows if row[0].isupper()}
    rows = [row for row in rows if not row[0].isupper()]
    for name in {row[1] for row in rows}:
        answers = {row[0] for row in rows if row[1] == name}
        worst = next(each for each in ("unreadable", "refused", "left", "shown") if each in answers)
        assert of_files.get(name) == {"refused": "REFUSED", "left": "LEFT", "shown": "CONFIRMED"}.get(worst)
    answers = {row[0] for row in rows}
    status = [number for word, number in (("unreadable", 2), ("refused", 1), ("left", 3)) if word in answers]
    assert ran.returncode == (status or [0])[0]
    return rows


def test_two_checkers_agree_on_certificates_of_drawn_games(checker: Path, tmp_path: Path) -> None:
    by_kernel: dict[tuple[str, str], str] = {}
    made_by_place: dict[tuple[str, str], Certificate] = {}
    for seed in SEEDS:
        rng, context = random.Random(seed), Context()
        game = random_game(seed).seal()
        made = list(certificates(game, rng))
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(evidence(game, made)), "utf-8")
        (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
        for number, certificate in enumerate(made, 1):
            by_kernel[str(file), str(number)] = by_the_kernel(game, certificate, context)
            made_by_place[str(file), str(number)] = certificate
    rows = list_checker_lines(checker, tmp_path, *(tmp_path / f"{seed}.json" for seed in SEEDS))
    by_second = {(row[1], row[2]): row[0] for row in rows}
    assert [
        (str(made_by_place[key]), by_kernel[key], by_second.get(key))
        for key in by_kernel
        if by_kernel[key] != by_second.get(key)
    ] == []
    counts = Counter((get_kind(certificate), by_kernel[key]) for key, certificate in made_by_place.items())
    assert len(counts) == 2 * 7, counts
    assert min(counts.values()) > len(SEEDS), counts


def get_kind(certificate: Certificate) -> str:
    """Return the kind of a certificate, and of a closed set what it alone shows."""
    about = certificate.about.kind if isinstance(certificate, ClosedSetCertificate) else ""
    return about if about in ("count", "distance", "chance") else certificate.kind


def draw_invariants(game: Game, rng: random.Random) -> Iterator[InvariantCertificate]:
    """Invariants of all kinds, most of them false: conditions, numbers and what they are to show are drawn."""
    cells = [f.name + (f"[{', '.join('0' * len(f.shape))}]" if f.shape else "") for f in game.fields]
    bounds = [f"{f.lo} <= {cell} <= {f.hi}" for f, cell in zip(game.fields, cells, strict=True)]
    about: list[Subject] = [*map(Property, PROPERTIES), *(LengthLimit(most) for most in (3, 40))]
    about += [each for each in subjects(game, rng) if isinstance(each, Event | LawObeyed)]
    for each in about:
        for _ in range(2):
            field, cell = rng.choice([*zip(game.fields, cells, strict=True)])
            drawn = [f"{cell} {rng.choice(['<', '==', '!=', '<='])} {rng.randint(field.lo, field.hi)}", "outcome >= 0"]
            texts = [rng.choice([*drawn, f"not ({drawn[0]}) or {rng.choice(bounds)}", f"{drawn[0]} or outcome > 0"])]
            layers = (Lemma(tuple(texts), True, ()), Lemma((rng.choice(drawn),), True, (), (0,)))[: rng.randrange(3)]
            yield InvariantCertificate(each, layers, numbers=(f"{rng.choice(['', '-'])}{rng.choice(cells)}",))
    if about:
        yield InvariantCertificate(about[0], (Lemma(("1 == 1",), True, (), (0,)),))


def test_what_ranges_show_of_every_step_z3_shows_too(checker: Path, tmp_path: Path) -> None:
    """The second checker takes states apart where the kernel asks Z3. It may show less, and nothing else."""
    made: dict[tuple[str, str], tuple[Game, InvariantCertificate]] = {}
    seeds = SEEDS[: max(3, len(SEEDS) // 4)]
    for seed in seeds:
        rng, game = random.Random(seed), random_game(seed).seal()
        drawn, file = list(draw_invariants(game, rng)), tmp_path / f"{seed}.json"
        drawn = rng.sample(drawn, 8)
        file.write_text(json.dumps(evidence(game, drawn)), "utf-8")
        (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
        made |= {(str(file), str(number)): (game, each) for number, each in enumerate(drawn, 1)}
    rows = list_checker_lines(checker, tmp_path, *(tmp_path / f"{seed}.json" for seed in seeds))
    shown = [made[row[1], row[2]] for row in rows if row[0] == "shown"]
    assert 0 < len(shown) < len(made) * 3 / 4
    context = Context()
    assert [(game.name, each) for game, each in shown if by_the_kernel(game, each, context) != "shown"] == []


def changed(data: dict[str, Any]) -> Iterator[str]:
    """Copies of an evidence file that are no evidence any more, or false."""
    text = json.dumps(data)
    yield text[: len(text) // 2]
    yield text + "x"
    yield text.replace('"playproof": 6', '"playproof": 2')
    yield text.replace('"playproof": 6', '"playproof": 6, "playproof": 6')
    yield text.replace('"playproof": 6', '"playproof": 6.0')
    yield text.replace('"playproof": 6', '"playproof": 6, "verdict": "PROVEN"')
    yield text.replace('"most": 0}, "idents"', '"most": 0, "more": 1}, "idents"')
    yield text.replace('"most": 0}, "idents"', '"most": NaN}, "idents"')
    yield text.replace('"most": 0}, "idents"', f'"most": {"9" * 80}}}, "idents"')
    yield text.replace('"kind": "transcript"', '"kind": "theorem"')
    yield text.replace('"kind": "transcript", ', "")
    digest = data["settings"][0]["digest"]
    yield text.replace(digest, "../" * 10 + digest)
    yield text.replace(digest, digest[::-1])
    yield text.replace('"claim": {}', f'"claim": {"[" * 300}{"]" * 300}')
    yield text.replace('"options": {}', '"options": {"goal": 3}')
    yield text.replace('"idents": [0', '"idents": [-1')
    yield text.replace('"words": ["', '"words": ["\\ud800')


def test_what_is_changed_both_refuse(checker: Path, tmp_path: Path) -> None:
    game = build("nim")
    play = Interpreter(game)
    first = play.legal(play.start())[0]
    line = (first, play.legal(play.apply(play.start(), first))[0])
    data = evidence(game, [TranscriptCertificate(LengthLimit(0), line, tuple(map(game.show, line)))])
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
    files = []
    for number, text in enumerate([json.dumps(data), *changed(data)]):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(text, "utf-8")
        assert number == 0 or text != json.dumps(data)
    rows = list_checker_lines(checker, tmp_path, *files)
    assert [row[0] for row in rows if row[1] == str(files[0])] == ["shown"]
    accepted = {row[1] for row in rows if row[0] == "shown"}
    assert accepted == {str(files[0])}
    assert {row[1] for row in rows} == set(map(str, files))


def test_a_description_under_another_digest_is_refused(checker: Path, tmp_path: Path) -> None:
    game = build("nim")
    data = evidence(game, [exploration(Property(PROPERTIES[0]), 1)])
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game).replace(b'"nim"', b'"nym"'))
    (tmp_path / "evidence.json").write_text(json.dumps(data), "utf-8")
    [[answer, *_, why]] = list_checker_lines(checker, tmp_path, tmp_path / "evidence.json")
    assert (answer, why) == ("unreadable", "the description has another digest than its name")


def test_what_the_second_checker_does_not_know_is_left_and_not_refused(checker: Path, tmp_path: Path) -> None:
    """Kinds of certificates, laws and conditions that came later: a file that holds one is read all the same."""
    game = build("nim")
    play = Interpreter(game)
    name, line = game.actions[0].name, (play.legal(play.start())[0],)
    words, states = (tuple(map(game.show, line)), len(enumerate_states_from_start(game, True, 10_000, None, 0).cells))
    later: list[Certificate] = [
        exploration(LawObeyed({"action": name, "leads": "outcome >= was(outcome)"}), states),
        exploration(LawObeyed({"action": name, "only": ["heap", "turn", "outcome"]}), states),
    ]
    known = TranscriptCertificate(LengthLimit(0), line, words)
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(evidence(game, [*later, known], [{"kind": "weights", "of": {}}])), "utf-8")
    assert [row[0] for row in list_checker_lines(checker, tmp_path, file)] == ["left", *["shown"] * 3]
    assert [by_the_kernel(game, certificate, Context()) for certificate in (*later, known)] == ["shown"] * 3
    (tmp_path / "empty.json").write_text(json.dumps(evidence(game, [])), "utf-8")
    ran = subprocess.run([str(checker), str(tmp_path), str(tmp_path / "empty.json")], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout.split(b"\t")[0]) == (3, b"LEFT")


@pytest.mark.parametrize("name", ["eila", "eurydice", "olith", "opale"])
def test_cards_are_counted_alike(name: str, checker: Path, tmp_path: Path) -> None:
    """Each claim about cards, with true rows and values, and with a row left out or another value."""
    game, made, expected = build(name), list[Certificate](), list[str]()
    cards = digest_game_cards_cached_or_empty(game, Context())
    asked_of = [claim_to_question(claim).of for claim in game.cards.claims.values() if claim.data["ask"] == "ledger"]
    more = [{"each": each, "by": "kind"} for each in ("card", "copy", "option", "effect")]
    for number, of in enumerate([*asked_of, *more, {"where": 'id == ""', "sum": "count"}]):
        with suppress(InputError):
            counted = count_ledger_claim_on_cards_or_raise(tuple(game.cards.components.values()), of)
            good = CardTallyCertificate(of, cards, counted.value, counted.members)
            other = {"x": 1} if isinstance(counted.value, dict) else not counted.value
            changed = [replace(good, value=other), replace(good, rows=(*good.rows[1:], "a card"))]
            changed = [] if number % 5 else [*changed, *([replace(good, rows=good.rows[1:])] if good.rows else [])]
            made += [good, *changed]
            expected += ["shown", *["refused"] * len(changed)]
    (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
    (tmp_path / "evidence.json").write_text(json.dumps(evidence(game, made)), "utf-8")
    rows = list_checker_lines(checker, tmp_path, tmp_path / "evidence.json")
    assert {row[0] for row in rows} == {"left"}  # without the cards
    data = encode_game_cards_as_json(game)
    assert sha256(data).hexdigest() == cards
    (tmp_path / f"{cards}.json").write_bytes(data)
    rows = list_checker_lines(checker, tmp_path, tmp_path / "evidence.json")
    assert [
        (str(c), row[0], row[4]) for c, row, wanted in zip(made, rows, expected, strict=True) if row[0] != wanted
    ] == []
    (tmp_path / f"{cards}.json").write_bytes(data.replace(b"1", b"2", 1))
    assert {row[0] for row in list_checker_lines(checker, tmp_path, tmp_path / "evidence.json")} == {"unreadable"}


def test_a_changed_weight_of_chance_changes_the_chance(checker: Path, tmp_path: Path) -> None:
    """The same certificate, of a coin that falls otherwise."""

    def coin(heads: int) -> Game:
        g = Game("coin", players=1)
        fall = g.phase("fall", CHANCE)

        @g.action(fall, "heads")
        def heads_up() -> None:
            weight(heads)
            win("heads", winner=0)

        @g.action(fall, "tails")
        def tails() -> None:
            lose("tails")

        return g.seal()

    event = Event({"outcome": "win"})
    for heads, answer in ((1, "shown"), (2, "refused"), (3, "refused")):
        game = coin(heads)
        found, start = places_of(
            coin(1), event.build_condition_and_actions(coin(1), Context()).condition, "mean", 0, Context()
        )
        good = solved_chance(compute_best_play_bounds(found), event, "mean", 0, start)
        (tmp_path / f"{digest(game)}.json").write_bytes(write(game))
        (tmp_path / "evidence.json").write_text(json.dumps(evidence(game, [good])), "utf-8")
        assert [row[0] for row in list_checker_lines(checker, tmp_path, tmp_path / "evidence.json")] == [answer]
        assert by_the_kernel(game, good, Context()) == answer
