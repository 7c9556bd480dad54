"""A game as a file: what is written reads back alike, without the game's Python; anything else is refused."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from playproof.language import CHANCE, Game, Interpreter, RulesError, Sees, keep, require, tie, when, win
from playproof.language.compiled import Compiled, generate_module_source, load_source_as_cached_python_module
from playproof.language.description import DescriptionError, digest, read, write
from playproof.language.description.builders import MOST_DEPTH
from playproof.language.description.file_rows import LOOPS, OPERATIONS, SECTIONS, format_description_file
from playproof.language.options import Options
from playproof.language.registry import build, list_example_game_names
from playproof.verifier.kernel.statements import BOUNDS, Property
from playproof.verifier.questions.context import Context
from tests.language.json_schema import KEYWORDS, fits, keywords_of
from tests.verifier.closed_sets import exploration

HERE = Path(__file__).parents[1]
FOLDERS = [
    str(folder) for package in ("referee", "verifier") for folder in sorted((HERE / package / "games").iterdir())
]
SCHEMA = json.loads((HERE.parent / "docs" / "maintain" / "description.schema.json").read_text(encoding="utf-8"))
SETTINGS: list[tuple[str, dict[str, str], dict[str, str]]] = [
    *((name, {}, {}) for name in [*list_example_game_names(), *FOLDERS]),
    ("peg_solitaire", {"board": "triangle"}, {}),
    ("nim", {"heaps": "1-2"}, {}),
    ("eila", {}, {"A11": "heart"}),
    ("eila", {"chapter": "1", "carried": "I01 H01"}, {}),
    ("opale", {"seashells": "yes"}, {}),
    ("eurydice", {}, {}),
    ("olith", {}, {"A1": "battle"}),
]


def made(ref: str, options: dict[str, str] | None = None, rulings: dict[str, str] | None = None) -> Game:
    return build(ref, Options(options or {}, rulings or {}))


def small(change: Callable[[Game], object] = lambda g: None, name: str = "small") -> Game:
    """A game of one field, which an action raises."""
    g = Game(name)
    s = g.state
    g.integer("x", 0, 3)
    play = g.phase("play")

    @g.action(play, "raise it by {n}", n=range(1, 3))
    def up(n: Any) -> None:
        require(s.x < 3, "R1", "it is at {}", s.x)
        old = keep(s.x)
        s.x = old + n
        with when(old == 2):
            win("done")

    change(g)
    return g.seal()


def file_of(game: Game) -> dict[str, Any]:
    return dict(json.loads(write(game)))


def bytes_of(sections: dict[str, Any]) -> bytes:
    return format_description_file(sections).encode()


# -- what is written reads back -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ref", "options", "rulings"), SETTINGS, ids=lambda v: Path(v).name if type(v) is str else "")
def test_a_read_game_is_the_game(ref: str, options: dict[str, str], rulings: dict[str, str]) -> None:
    game = made(ref, options, rulings)
    data = write(game)
    again = read(data)
    assert write(again) == data
    assert again.setting == game.setting
    assert fits(json.loads(data), SCHEMA, SCHEMA)
    assert generate_module_source(again) == generate_module_source(game)
    play_both(game, again, steps=25)


def play_both(game: Game, again: Game, steps: int) -> None:
    """Play one random game in both, and compare all that a player meets."""
    first, second, chosen = Interpreter(game), Interpreter(again), random.Random(3)
    state = first.start()
    assert second.start() == state
    for _ in range(steps):
        legal = first.legal(state)
        assert second.legal(state) == legal
        if not legal:
            break
        ident = chosen.choice(legal)
        assert (game.show(ident), first.weight(state, ident)) == (again.show(ident), second.weight(state, ident))
        after = attempt(first, state, ident)
        assert attempt(second, state, ident) == after
        refused = chosen.randrange(game.ground)
        assert refusals(first, state, refused) == refusals(second, state, refused)
        if isinstance(after, str):
            break
        state = after
    assert first.returns(state) == second.returns(state)
    for name in game.quantities:
        assert first.quantity(name, state) == second.quantity(name, state)


def attempt(play: Interpreter, state: list[int], ident: int) -> list[int] | str:
    try:
        return play.apply(state, ident)
    except RulesError as error:
        return error.message


def refusals(play: Interpreter, state: list[int], ident: int) -> list[str]:
    try:
        return [str(broken) for broken in play.why_not(state, ident)]
    except RulesError as error:
        return [error.message]


@pytest.mark.parametrize("name", ["pig", "masked_guests"])
def test_machine_code_of_a_read_game_plays_the_same(name: str) -> None:
    game = made(name)
    again = read(write(game))
    runs = [Compiled(g).run_playouts(200, 5) for g in (game, again)]
    assert (runs[0].returns == runs[1].returns).all()
    assert runs[0].returns.any()


def test_the_kernel_accepts_evidence_of_the_game_for_the_read_game() -> None:
    game = made("nim", {"heaps": "1-2"})
    again = read(write(game))
    for either in (game, again):
        exploration(Property(BOUNDS), 8).require_valid_for_game(either, Context())
    assert digest(again) == digest(game) == sha256(write(game)).hexdigest()


BY_ITSELF = """
import sys
from playproof.language.description import read, write
data = sys.stdin.buffer.read()
assert write(read(data)) == data
loaded = [name for name in sys.modules if name.startswith(("playproof.cards", "playproof.examples"))]
assert not loaded, loaded
from playproof.language.registry import build
from playproof.language.options import Options
build("tic_tac_toe")  # other locals were numbered before
sys.stdout.buffer.write(write(build("eila", Options({"chapter": "0"}))))
"""


def test_another_process_reads_it_without_the_rules_and_writes_the_same_bytes() -> None:
    data = write(made("eila"))
    ran = subprocess.run(
        [sys.executable, "-c", BY_ITSELF],
        input=data,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        check=False,
    )
    assert ran.stderr.decode() == ""
    assert ran.stdout == data


def test_the_setting_is_what_differs_from_the_defaults() -> None:
    usual = write(made("eila"))
    assert write(made("eila", {"chapter": "0", "carried": ""}, {"A11": "nothing"})) == usual
    other = made("eila", {}, {"A11": "heart"})
    assert other.setting == {"options": {}, "rulings": {"A11": "heart"}}


def test_the_digest_changes_with_words_and_not_with_places() -> None:
    """A description says what players read, and not in which line of Python it was written."""
    one = small()
    exec("def away(g):\n    pass\n", here := dict[str, Any]())
    assert digest(small(here["away"])) == digest(one)
    assert digest(small(lambda g: g.fact(title="Other"))) != digest(one)
    assert digest(small(name="other")) != digest(one)


def test_places_of_a_read_game_are_lines_of_its_file() -> None:
    data = write(small())
    with pytest.raises(RulesError) as told:
        Interpreter(read(data, "small.json")).apply([0, 0, 2], 1)
    line = data.decode().splitlines()[told.value.place.line - 1]
    assert (told.value.place.file, line[:9]) == ("small.json", '[["requir')


def test_the_schema_has_the_same_form_as_the_reader() -> None:
    """What it refuses, the reader refuses; it has the same keys, operators and statements."""
    assert keywords_of(SCHEMA) <= KEYWORDS
    assert tuple(SCHEMA["required"]) == tuple(SCHEMA["properties"]) == SECTIONS
    kinds = [
        word
        for row in SCHEMA["$defs"]["term"]["anyOf"][1:]
        for word in row["prefixItems"][0].get("enum", [row["prefixItems"][0].get("const")])
    ]
    assert sorted(kinds) == sorted(["local", "read", "lookup", "call", *OPERATIONS, *LOOPS])
    refused = 0
    for data in changed_files(write(made("pig")), 2, 100):
        try:
            value = json.loads(data)
        except ValueError:
            continue
        if not fits(value, SCHEMA, SCHEMA):
            refused += 1
            with pytest.raises(DescriptionError):
                read(data)
    assert refused > 50


# -- what is refused ------------------------------------------------------------------------------------------------


def put(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(sections: dict[str, Any]) -> None:
        at: Any = sections
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(sections: dict[str, Any]) -> None:
        at: Any = sections
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]

    return change


def doubled(sections: dict[str, Any]) -> None:
    """Sixty terms, each twice the one before: 2^60 of them, unfolded."""
    first = len(sections["terms"])
    sections["terms"] += [["+", *[1 if n == 0 else first + n - 1] * 2] for n in range(60)]


def deep(sections: dict[str, Any]) -> None:
    first = len(sections["terms"])
    rows = [["-", first + n - 1 if n else 1, 1] for n in range(MOST_DEPTH + 1)]
    sections["terms"] += rows


def wide(sections: dict[str, Any]) -> None:
    """Thousands of fields, and hundreds of terms that each read them all: no file, but memory, is large."""
    fields, terms = sections["fields"], sections["terms"]
    fields += [{**fields[2], "name": f"f{n}"} for n in range(2_048)]
    level = list(range(len(terms), len(terms) + 2_048))
    terms += [["read", n + 3, 0] for n in range(2_048)]
    while len(level) > 1:
        terms += [["+", *pair] for pair in zip(level[::2], level[1::2], strict=True)]
        level = list(range(len(terms) - len(level) // 2, len(terms)))
    terms += [["+", level[0], 1]] * 500


def endless(sections: dict[str, Any]) -> None:
    """Loops in loops: more work than a step may do."""
    names, rows = len(sections["locals"]), len(sections["terms"])
    sections["locals"] += [["i", 0, 9_999], ["j", 0, 9_999]]
    sections["terms"] += [["sum", names, 0], ["sum", names + 1, rows]]


def add_second_action_of_same_name(sections: dict[str, Any]) -> None:
    """A second action of the first one's name, without its parameter."""
    sections["actions"].append({**sections["actions"][0], "params": [], "text": "wait", "does": 1})


def never_fits(sections: dict[str, Any]) -> None:
    sections["terms"].append(9)
    sections["blocks"][2][2][3] = len(sections["terms"]) - 1


REFUSED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "an unknown key": (put("endings", 0, "more", to=1), "no key `more`"),
    "an unknown section": (put("more", to=1), "no key `more`"),
    "a missing key": (drop("endings", 0, "rule"), "`rule` is missing"),
    "a missing section": (drop("facts"), "`facts` is missing"),
    "another version": (put("playproof-game", to=2), "expected version 1 of descriptions, found 2"),
    "no version": (put("playproof-game", to=True), "found True"),
    "a fraction": (put("players", to=1.5), "whole numbers"),
    "no seats": (put("players", to=0), "expected 1..100"),
    "a team too few": (put("players", to=2), "do not hold each of 2 seats once"),
    "a start outside its bounds": (put("fields", 2, "start", to=[4]), "expected 0..3, found 4"),
    "a start that is too long": (put("fields", 2, "start", to=[0, 0]), "expected 1 to 1 values"),
    "too many cells": (put("fields", 2, "shape", to=[600, 600]), "cells"),
    "too few labels": (put("fields", 2, "labels", to=["a"]), "a label for each"),
    "a first field of another name": (put("fields", 0, "name", to="y"), "expected `phase`"),
    "two fields of one name": (put("fields", 2, "name", to="phase"), "PP322"),
    "two actions of one name": (add_second_action_of_same_name, "two actions are called `up`"),
    "an index outside": (put("terms", 3, to=["read", 2, 2]), "may lie outside 0..0"),
    "a term below": (put("terms", 1, to=["read", 2, 9]), "expected 0..0, found 9"),
    "a term of its own": (put("terms", 3, to=["<", 3, 2]), "expected 0..2"),
    "an unknown operator": (put("terms", 3, to=["**", 1, 2]), "expected one of local"),
    "an operand too many": (put("terms", 3, to=["<", 1, 2, 2]), "expected 2 value(s) after `<`"),
    "a comparison that is decided": (put("terms", 3, to=["<", 0, 2]), "its bounds decide it"),
    "bounds that are too wide": (put("terms", 2, to=1 << 260), "256 bits"),
    "a number of many digits": (put("terms", 2, to=10**90), "80 digits"),
    "many terms unfolded": (doubled, "too many"),
    "terms too deep in one another": (deep, "inside each other"),
    "loops of loops": (endless, "too many"),
    "more phases than a game counts": (lambda d: d["phases"].extend(d["phases"] * 4_096), "4,096 rows"),
    "terms that read everything": (wide, "read more than"),
    "a condition that is a number": (put("blocks", 2, 0, 1, to=1), "a truth value"),
    "a value that never fits": (never_fits, "holds 0..3, the value is 9"),
    "an ending assigned": (put("blocks", 2, 2, 1, to=1), "is not assigned"),
    "an ending too far": (put("blocks", 0, 0, 1, to=1), "expected 0..0"),
    "a block inside itself": (put("blocks", 2, 3, 2, to=2), "none of the blocks above"),
    "an unknown statement": (put("blocks", 0, 0, to=["print", 0]), "expected one of set"),
    "a requirement after an effect": (lambda d: d["blocks"][2].append(d["blocks"][2][0]), "after an effect"),
    "a sentence without its value": (put("blocks", 2, 0, 4, to=[]), "1 place(s) for values, 0 given"),
    "a sentence with a width": (put("blocks", 2, 0, 3, to="{:>99999999}"), "for values"),
    "a text with a width": (put("actions", 0, "text", to="{n:>99999999}"), "PP339"),
    "a text with an attribute": (put("actions", 0, "text", to="{n.__class__}"), "PP339"),
    "a text too few": (put("actions", 0, "text", to=["a"]), "expected 2 to 2 values"),
    "a text that says nothing": (put("actions", 0, "text", to=["a", " "]), "PP339"),
    "an escape": (put("actions", 0, "text", to="\x1b[2J"), "printable"),
    "a text that turns round": (put("name", to="a\u202eb"), "printable"),
    "two lines": (put("fields", 2, "name", to="x\ny"), "printable"),
    "half a letter": (put("name", to="\ud800"), "printable"),
    "a phase too far": (put("actions", 0, "phases", to=[1]), "expected 0..0"),
    "a local bound twice": (lambda d: d["actions"][0]["params"].append(d["actions"][0]["params"][0]), "two places"),
    "a local out of scope": (put("quantities", to=[["q", 4]]), "has no value here"),
    "a weight of a player's": (put("actions", 0, "weight", to=2), "PP337"),
    "a secret of no parameter": (put("actions", 0, "secret", to=["m"]), "is no parameter"),
    "an actor that is no seat": (put("phases", 0, "actor", to=2), "PP336"),
    "an automatic phase without effects": (put("phases", 0, "actor", to="nobody"), "PP326"),
    "a fact nobody knows": (put("facts", to=[["rond", 1]]), "PP338"),
    "a fact of another type": (put("facts", to=[["hidden", [["x"]]]]), "what the fact `hidden` holds"),
    "a fact about nothing": (put("facts", to=[["round", "x"]]), "PP338"),
    "a fact twice": (put("facts", to=[["title", "a"], ["title", "b"]]), "stands twice"),
    "a fact too deep": (put("facts", to=[["own", json.loads("[" * 25 + "]" * 25)]]), "in each other"),
    "a term nobody needs": (lambda d: d["terms"].append(17), "expected the line"),
    "rows in another order": (lambda d: d["terms"].insert(0, 5), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_description_is_refused(name: str) -> None:
    change, words = REFUSED[name]
    sections = file_of(small())
    change(sections)
    try:
        data = bytes_of(sections) if "more" not in sections else json.dumps(sections).encode()
    except (KeyError, UnicodeEncodeError):
        data = json.dumps(sections).encode()
    with pytest.raises(DescriptionError) as told:
        read(data)
    assert told.value.code == "PP370"
    assert words in f"{told.value} {told.value.hint}"


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"1", b"\xff", b"{}", b"[" * 100_000, b'{"playproof-game":1}', b"9" * 5_000_000],
    ids=range(9),
)
def test_what_is_no_file_is_refused(data: bytes) -> None:
    with pytest.raises(DescriptionError):
        read(data)


def test_another_form_of_the_same_is_refused() -> None:
    data = write(small())
    for other in (data + b"\n", data.replace(b",", b", ", 1), json.dumps(json.loads(data)).encode()):
        with pytest.raises(DescriptionError):
            read(other)
    twice = data.replace(b'"players":1', b'"players":1,\n"players":1')
    with pytest.raises(DescriptionError):
        read(twice)


def changed_files(data: bytes, seed: int, count: int) -> Iterator[bytes]:
    """Files with one value exchanged, or one byte."""
    chosen, whole = random.Random(seed), json.loads(data)
    values = [0, 1, -1, 7, 2**70, True, None, "", "x", "{a}", [], {}, ["local", 0], ["read", 2, 0], "chance"]
    for _ in range(count):
        other = json.loads(data)
        at, key, below = None, None, other
        while isinstance(below, dict | list) and below and (at is None or chosen.random() < 0.8):
            at, key = below, chosen.choice([*below] if isinstance(below, dict) else range(len(below)))
            below = below[key]
        assert at is not None
        at[key] = below + chosen.choice([-1, 1]) if type(below) is int else chosen.choice(values)
        try:
            yield bytes_of(other) if set(other) == set(whole) else json.dumps(other).encode()
        except TypeError:
            yield json.dumps(other).encode()
        wrong = bytearray(data)
        wrong[chosen.randrange(len(wrong))] = chosen.randrange(256)
        yield bytes(wrong)


@pytest.mark.parametrize("name", ["pig", "leduc_poker"])
def test_a_changed_file_is_refused_or_another_game(name: str) -> None:
    """Whatever was exchanged: an error with its line, or a game that every reading can take."""
    game, accepted = made(name), 0
    for data in changed_files(write(game), 1, 150):
        try:
            other = read(data)
        except DescriptionError:
            continue
        accepted += 1
        assert write(other) == data
        compile(generate_module_source(other), "source", "exec")
        play = Interpreter(other)
        state = play.start()
        play.apply(state, play.legal(state)[0])
    assert accepted


# -- what a stranger's file may not do ------------------------------------------------------------------------------

EVIL = '"""\nraise SystemExit("it ran")\nx = """'


def test_names_are_never_code(tmp_path: Path) -> None:
    """A name that ends the docstring, or a comment, is only letters in the source that is made of it."""

    def named(g: Game) -> None:
        table = g.table("t\nraise SystemExit('it ran') #", [1, 2, 3, 4])
        g.quantity("looked up", table[g.state.x])
        g.fact(round="looked up")

    game = small(named, name=EVIL)
    for source in (
        generate_module_source(game),
        generate_module_source(game, checked=True),
        generate_module_source(game, watched=True),
    ):
        assert "raise SystemExit" not in source
        load_source_as_cached_python_module(source)
    Compiled(game).run_playouts(3, 1)


def test_a_name_that_begins_with_a_digit_is_a_name() -> None:
    def digits(g: Game) -> None:
        @g.action(g.phases[0], "go on")
        def on() -> None:
            one = keep(g.state.x, "1st")
            g.state.x = one

    compile(generate_module_source(small(digits)), "source", "exec")


def test_machine_code_stays_within_its_arrays() -> None:
    """A rule that leaves its bounds is a fault of the rules. Machine code does not name it, but keeps the value inside,
    so that no place outside an array is read or written."""
    g = Game("far")
    s = g.state
    g.integer("x", 0, 3)
    g.array("kept", 4, 0, 9)
    play = g.phase("play", CHANCE)

    @g.action(play, "go on")
    def on() -> None:
        s.x = s.x + 1
        s.kept[s.x] = s.kept[s.x] + 5
        far = keep(s.x)
        with when(s.kept[far] == 9):
            win("far")

    data = write(g.seal())
    ours, theirs = generate_module_source(g), generate_module_source(read(data))
    assert ours == theirs
    compiled = Compiled(read(data))
    state = compiled.start()
    for _ in range(40):
        compiled.apply(state, 0)
    assert [int(v) for v in state[2:]] == [3, 0, 5, 5, 9]
    assert "min((S[2] + 1), 3)" in theirs


def test_a_game_whose_words_no_line_can_show_is_not_written() -> None:
    for change in (
        lambda g: g.quantity("a\nb", 1),
        lambda g: g.quantity("a\x07", 1),
        lambda g: g.table("a\u202eb", [1]),
    ):
        with pytest.raises(RulesError, match="PP339"):
            write(small(change))
    paragraphs = small(lambda g: g.fact(own={"told": "one\ntwo"}))
    assert write(read(write(paragraphs))) == write(paragraphs)


@pytest.mark.parametrize("value", [0.5, b"ab", 1j, range(3), {1, 2}, {1: 2}, slice(2)], ids=repr)
def test_a_fact_that_is_no_data_is_refused_where_it_is_declared(value: object) -> None:
    with pytest.raises(RulesError, match="PP338 the fact `own` holds"):
        small(lambda g: g.fact(own={"odd": [value]}))


def test_texts_made_by_functions_become_data() -> None:
    game = made("peg_solitaire")
    (leap,) = game.actions
    assert isinstance(leap.text, tuple)
    assert (len(leap.text), leap.text[0]) == (leap.count, game.show(0))
    hidden = small(lambda g: g.array("hand", (1, 2), sees=Sees.OWNER))
    assert write(read(write(hidden))) == write(hidden)


@pytest.mark.parametrize("word", [b'"owner"', b'"others"'])
def test_what_a_seat_sees_of_its_row_needs_a_row_for_each_seat(word: bytes) -> None:
    game = Game("hands", players=2)
    game.array("hand", 2, 0, 1, sees=Sees.OWNER)
    game.add_action(game.phase("play", 0), lambda: tie("done"), "stop", name="stop")
    data = write(game.seal()).replace(b'"sees":"owner"', b'"sees":' + word)
    read(data)
    with pytest.raises(DescriptionError, match="first index over the seats"):
        read(data.replace(b'"shape":[2],"start":[0,0]', b'"shape":[3],"start":[0,0,0]'))
