"""The kernel is small, imports nothing clever, and reads games as the interpreter does."""

from __future__ import annotations

import ast
import importlib
import io
import os
import random
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MappingProxyType, ModuleType

import numpy as np
import pytest

from playproof.language import BoundsError, Game, Interpreter, RulesError, require, win
from playproof.language.description import digest
from playproof.language.expr import Const
from playproof.language.options import Options
from playproof.language.registry import build, list_bundled_game_names, list_example_game_names
from playproof.language.state_handles import Var
from playproof.verifier.bridges.second_solver import SecondSolver, load_cvc5_or_raise
from playproof.verifier.kernel import state_graphs, z3_questions
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.evidence import KINDS
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.induction import Lemma, Split, StepChecker, require_layers_inductive
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.state_graphs import (
    StateGraph,
    compute_longest_path_length_or_none,
    enumerate_game_states_cached,
)
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END, Event, LawObeyed, LengthLimit, Property
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, map_kinds_to_subclasses
from playproof.verifier.kernel.transcript import TranscriptCertificate
from playproof.verifier.kernel_files import list_kernel_files_behind_kinds
from playproof.verifier.prove import prove
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import GameCase
from tests.verifier.closed_sets import compiled_exploration, exploration
from tests.verifier.conftest import HARVEST

VERIFIER = Path(__file__).resolve().parents[2] / "verifier"
READS_CLAIMS = [VERIFIER / "questions" / f"{name}.py" for name in ("card_rows", "claims", "secrecy")]
READ = [[path.stem] for path in READS_CLAIMS]
TRUSTED = sorted((VERIFIER / "kernel").glob("*.py")) + READS_CLAIMS
# Of the rules: "" holds the interpreter, "game" a game as data, "description" its name.
LANGUAGE = {"", "declarations", "description", "expr", "fields", "game", "secrecy", "statements"}
# Of the cards: what claims about cards count.
DATABASE = {f"playproof.database.{name}" for name in ("claims_yaml", "components", "errors")}
OTHERS = {
    "abc",
    "ast",
    "collections",
    "contextlib",
    "dataclasses",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "numpy",
    "operator",
    "pathlib",
    "re",
    "types",
    "typing",
    "weakref",
    "z3",
    "__future__",
}
# With all that claims may say of states, chances, strategies, secrets, cards, symmetries, and games of turns,
# what compiled code lists, strategies beside best play and in worths, questions asked under few conditions first, and
# what players who do not see all may believe.
MOST_LINES = 7_550
MOST_OF_THE_CORE = 1_520  # with lines of play, which need no more
PORTERS = str(Path(HARVEST).parent / "porters")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


@pytest.mark.parametrize("path", TRUSTED, ids=lambda p: p.stem)
def test_the_kernel_imports_no_search_and_no_generated_code(path: Path) -> None:
    """The interpreter, the term tree, Z3, numpy, the standard library; what reads claims, the database's errors."""
    wrong = []
    for name in imported(path):
        language = name.removeprefix("playproof.language").removeprefix(".")
        if name.startswith("playproof.language"):
            wrong += [name] if language not in LANGUAGE else []
        elif name.startswith("playproof.verifier."):
            _, _, package, *file = name.split(".")
            wrong += [name] if package != "kernel" and (package != "questions" or file not in READ) else []
        elif name.startswith("playproof."):
            wrong += [name] if name not in DATABASE else []
        else:
            wrong += [name] if name.split(".")[0] not in OTHERS else []
    assert wrong == []


def test_nothing_else_of_the_verifier_is_loaded_with_the_kernel() -> None:
    """Of questions/, what reads claims alone: not what searches, words answers, or says early what is wrong."""
    script = "import sys, playproof.verifier.kernel.evidence; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name for name in ran.stdout.split() if name.startswith("playproof.")}
    mine = {".".join(name.split(".")[:4]) for name in loaded if name.startswith("playproof.verifier.")}
    files = {f"playproof.verifier.{path.parent.name}.{path.stem}" for path in TRUSTED if path.stem != "__init__"}
    packages = {"playproof.verifier.kernel", "playproof.verifier.questions"}
    assert mine == files | packages
    assert {name.split(".")[1] for name in loaded} == {"database", "language", "verifier"}
    assert not {"playproof.language.compiled", "playproof.language.explorer", "llvmlite"} & set(ran.stdout.split())


def code_lines(path: Path) -> int:
    """Lines that hold code: no blank ones, no comments, no docstrings."""
    text = path.read_text(encoding="utf-8")
    documented = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    idle = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return len({line for t in tokens if t.type not in idle for line in range(t.start[0], t.end[0] + 1)} - documented)


def test_an_evening_is_enough_to_read_it() -> None:
    sizes = {f"{path.parent.name}.{path.stem}": code_lines(path) for path in TRUSTED}
    assert sum(sizes.values()) < MOST_LINES
    parts = parts_of_the_page()
    assert sum(map(sizes.__getitem__, parts[1] | parts[2])) < MOST_OF_THE_CORE


def test_the_page_that_leads_through_it_gives_its_sizes() -> None:
    page = PARTS.read_text(encoding="utf-8")
    sizes = {(path.parent.name, path.stem): code_lines(path) for path in TRUSTED}
    for files, lines in re.findall(r"^\|[^|]*\|([^|]*\.py[^|]*)\| (\d+) \|", page, re.MULTILINE):
        package = "questions" if "questions/" in files else "kernel"
        named = re.findall(r"(\w+)\.py", files)
        assert sum(sizes.pop((package, name)) for name in named) == int(lines), files
    assert set(sizes.values()) == {0}


PAGE = VERIFIER.parent / "docs" / "explanations" / "what-is-trusted.md"
PARTS = VERIFIER.parent / "docs" / "maintain" / "kernel.md"
NEEDS = {
    1: set(),
    2: {1},
    3: {1, 2},
    4: {1},
    5: {1, 2, 3, 4},
    6: {1, 4, 9},
    7: {1, 2, 3, 4, 6, 9, 11},
    8: {1, 4, 5},
    9: {1},
    10: {1, 2, 6, 9, 11, 16},
    11: {1, 2, 4, 6, 9},
    12: {1, 4, 6, 9, 10, 11, 16},
    13: {1, 2, 6},
    14: {1, 3, 16},
    15: {1},
    16: {1},
}
"""The parts of the kernel that each part imports."""


def parts_of_the_page() -> dict[int, set[str]]:
    """The files of each part, as `kernel.laws` and `questions.laws`."""
    parts: dict[int, set[str]] = {}
    for number, files in re.findall(
        r"^\| ((?:\d+\. [^|]*)?)\|([^|]*\.py[^|]*)\| \d+ \|", PARTS.read_text("utf-8"), re.MULTILINE
    ):
        part = int(number.partition(".")[0]) if number.strip() else max(parts)
        package = "questions" if "questions/" in files else "kernel"
        parts.setdefault(part, set()).update(f"{package}.{name}" for name in re.findall(r"(\w+)\.py", files))
    return parts


def test_a_part_of_the_kernel_imports_only_the_parts_that_the_page_names() -> None:
    parts = parts_of_the_page()
    part_of = {file: part for part, files in parts.items() for file in files}
    for path in TRUSTED:
        me = f"{path.parent.name}.{path.stem}"
        if me not in part_of or me == "kernel.evidence":  # which lists all kinds
            continue
        theirs = {name.removeprefix("playproof.verifier.") for name in imported(path)} & part_of.keys()
        allowed = NEEDS[part_of[me]] | {part_of[me]}
        assert {n for n in theirs if part_of[n] not in allowed} == set(), me


def test_the_page_says_how_much_each_verdict_asks_to_read() -> None:
    sizes = {f"{path.parent.name}.{path.stem}": code_lines(path) for path in TRUSTED}
    lines = {part: sum(map(sizes.__getitem__, files)) for part, files in parts_of_the_page().items()}
    table = re.findall(r"^\| [^|]+ \| ([\d, to]+) \| (\d+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(table) == 11
    for named, number in table:
        spans = [tuple(map(int, span.split(" to "))) for span in named.split(", ")]
        chosen = {part for span in spans for part in range(span[0], span[-1] + 1)}
        assert all(NEEDS[part] <= chosen for part in chosen), named
        assert sum(lines[part] for part in chosen) == int(number), named


def test_check_names_the_files_that_the_page_names() -> None:
    """Of each kind of certificate, with all that they import: some row of the page but the last has all of them."""
    parts = parts_of_the_page()
    rows = re.findall(r"^\| [^|]+ \| ([\d, to]+) \| \d+ \|$", PAGE.read_text("utf-8"), re.MULTILINE)[:-1]
    of_rows = []
    for row in rows:
        spans = [tuple(map(int, span.split(" to "))) for span in row.split(", ")]
        of_rows.append(set().union(*(parts[n] for span in spans for n in range(span[0], span[-1] + 1))))
    for kind, made in map_kinds_to_subclasses(Certificate).items():
        files = {path.removesuffix(".py").replace("/", ".") for path in list_kernel_files_behind_kinds([kind])}
        assert made.__module__.removeprefix("playproof.verifier.") in files
        assert any(files <= row for row in of_rows), kind


def test_every_kind_of_certificate_is_the_kernels() -> None:
    modules = {module.__name__ for module in KINDS}
    assert {made.__module__ for made in map_kinds_to_subclasses(Certificate).values()} <= modules


def test_a_kind_has_one_class() -> None:
    with pytest.raises(TypeError, match="kind of its own"):
        type("Second", (Certificate,), {"kind": "transcript"})


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@pytest.mark.parametrize("path", sorted((VERIFIER / "kernel").glob("*.py")), ids=lambda p: p.stem)
def test_nobody_has_to_read_a_comprehension_inside_another(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    outer = [node for node in ast.walk(tree) if isinstance(node, COMPREHENSIONS)]
    nested = [
        node.lineno
        for node in outer
        if len(node.generators) > 2 or any(i is not node and isinstance(i, COMPREHENSIONS) for i in ast.walk(node))
    ]
    assert nested == []


STEPS = int(os.environ.get("PLAYPROOF_STEPS", "0"))
"""Steps of each game that are compared; `make prove` asks for thousands."""


# -- the reading, compared with the interpreter -------------------------------------------------------------------

GAMES = [(name, {}) for name in (*list_example_game_names(), *(n for n in list_bundled_game_names() if n != "eila"))]
GAMES += [("eila", {"chapter": "0"}), ("eila", {"chapter": "1"})]


@pytest.mark.parametrize(("ref", "options"), GAMES, ids=lambda x: x if isinstance(x, str) else "")
def test_steps_are_those_of_the_interpreter(ref: str, options: dict[str, str]) -> None:
    """Legal and illegal actions in the states of random games: the same are legal, and lead to the same states."""
    game, r = build(ref, Options(options)), random.Random(7)
    play, reading = Interpreter(game), Reading(game)
    state, compared = play.start(), 0
    while compared < (STEPS or 400):
        legal = set() if play.terminal(state) else set(play.legal(state))
        if not legal:
            state = play.start()
            continue
        some = r.sample(sorted(legal), min(3, len(legal))) + [r.randrange(game.ground) for _ in range(5)]
        for ident in some:
            _compare(play, reading, state, ident, ident in legal)
            compared += 1
        state = play.apply(state, r.choice(sorted(legal)))


def _compare(play: Interpreter, reading: Reading, state: list[int], ident: int, legal: bool) -> None:
    game = play.game
    action = game.get_action_of_ground_action_number(ident)
    step = reading.build_symbolic_step(action, state, action.get_values_of_ground_action(ident))
    assert step.legal is legal, game.show(ident)
    if not legal:
        return
    sound, cells = step.sound, list(step.after)
    while sound is True and not cells[1] and game.phases[cells[0]].automatic:
        step = reading.build_symbolic_step(game.phases[cells[0]], cells, ())
        sound, cells = step.sound, list(step.after)
    try:
        after = play.apply(state, ident)
    except BoundsError:
        assert sound is False
    else:
        assert (sound, cells) == (True, after)


@pytest.mark.parametrize(("ref", "options"), GAMES, ids=lambda x: x if isinstance(x, str) else "")
def test_columns_are_those_of_the_interpreter(ref: str, options: dict[str, str]) -> None:
    """Every kind of step, in states of random games: legal in the same ones, with the same weight and result."""
    game = build(ref, Options(options))
    states = met_in_games(game, 120 if STEPS else 10)
    play, columns = Interpreter(game), ColumnReading(game, list(game.quantities.values()))
    cells = np.array(states, dtype=np.int64)
    for term in game.quantities.values():
        assert columns.evaluate_term_in_each_state(term, cells).tolist() == [play.value(term, s) for s in states]
    legal = [set() if s[1] else set(play.legal(s)) for s in states]
    for ident in range(game.ground):
        action = game.get_action_of_ground_action_number(ident)
        for phase in action.phases:
            here = np.flatnonzero((cells[:, 0] == phase) & (cells[:, 1] == 0))
            if not len(here):
                continue
            found = here[
                columns.find_rows_where_action_is_legal(action, ident, columns.state_rows_to_columns(cells[here]))
            ]
            assert found.tolist() == [n for n in here.tolist() if ident in legal[n]], game.show(ident)
            if len(found):
                after = columns.apply_action_and_automatic_phases(action, ident, cells[found])
                assert after.tolist() == [play.apply(states[n], ident) for n in found.tolist()]
                assert columns.evaluate_action_weight_in_each_state(action, ident, cells[found]).tolist() == [
                    play.weight(states[n], ident) for n in found.tolist()
                ]


def met_in_games(game: Game, games: int) -> list[list[int]]:
    """Different states in random games: of each the last, and some on the way, so that all phases are there."""
    play, r, met = Interpreter(game), random.Random(11), {}
    for _ in range(games):
        state = play.start()
        for _ in range(60):
            met[tuple(state)] = state
            idents = [] if play.terminal(state) else play.legal(state)
            if not idents:
                break
            state = play.apply(state, r.choice(idents))
    return r.sample(list(met.values()), min(len(met), 400 if STEPS else 25))


SMALL_GAMES = [
    ("nim", {}),
    ("pig", {"goal": "8"}),
    ("blackjack", {"deck": "endless"}),
    (HARVEST, {}),
    ("clock_patience", {"ranks": "3"}),
    (PORTERS, {}),
]


@pytest.mark.parametrize(("ref", "options"), SMALL_GAMES, ids=lambda x: Path(x).name if isinstance(x, str) else "")
def test_both_ways_of_exploring_find_the_same(ref: str, options: dict[str, str]) -> None:
    game = build(ref, Options(options))
    one, other = (state_graphs.enumerate_states_from_start(game, few, 20_000, None, 0) for few in (True, False))
    assert compute_longest_path_length_or_none(one) == compute_longest_path_length_or_none(other)
    assert steps_of(one) == steps_of(other)
    assert (one.compute_chance_weight_of_each_edge(game).sum(), one.list_actor_of_each_state(game).sum()) == (
        other.compute_chance_weight_of_each_edge(game).sum(),
        other.list_actor_of_each_state(game).sum(),
    )


def steps_of(graph: StateGraph) -> set[tuple[object, ...]]:
    cells = [tuple(row) for row in graph.cells.tolist()]
    return {(cells[row], ident, cells[to]) for row, ident, to in graph.edges.tolist()}


@pytest.mark.parametrize("start", ["odd", "far"])
def test_half_of_all_positions_of_the_eight_puzzle(start: str) -> None:
    """181,440 positions are gone through; one half holds the solution, the other does not."""
    game = build(str(Path(HARVEST).parent / "sliding"), Options({"size": "3", "start": start}))
    shown = exploration(Event({"outcome": "win"}), 181_440)
    assert "vector reading" in shown.describe_what_must_be_trusted()
    if start == "odd":
        shown.require_valid_for_game(game, Context())
    else:
        with pytest.raises(NotShown, match="met in state"):
            shown.require_valid_for_game(game, Context())
    with pytest.raises(NotShown, match="more than 181,439 states"):
        exploration(Event({"outcome": "win"}), 181_439).require_valid_for_game(
            build(str(Path(HARVEST).parent / "sliding"), Options({"size": "3", "start": start})), Context()
        )


# -- what it must refuse ----------------------------------------------------------------------------------------


def harvest() -> GameCase:
    return GameCase(HARVEST, machine=False)


def porters(leak: str = "no") -> Game:
    return GameCase(PORTERS, {"leak": leak}, machine=False).game


@pytest.mark.parametrize(
    "place",
    [
        "cell 999",
        "param 5",
        "cell -1",
        "row 1",
        "cell 1e3",
        "cell",
        "",
        "after 0",
        "cell 0'",
        "s0",
        "CELL 0",
        " cell 0",
        "cell  0",
        "param 0 1",
    ],
)
def test_a_split_by_no_place_is_refused(place: str) -> None:
    """Places are parameters, and cells before the step: nothing names a cell after it."""
    game = harvest().game
    asked = StepChecker(game, (), True, (), Context())
    assert asked.list_all_values_of_place(game.actions[0], "cell 0") == range(game.current_phase.field.hi + 1)
    with pytest.raises(NotShown, match="no place"):
        asked.list_all_values_of_place(game.actions[0], place)
    with pytest.raises(NotShown, match="no place"):
        require_layers_inductive(
            porters(), (Lemma(("cubes == 9",), True, (Split("lift", True, (place,)),)),), Context()
        )


SPLITS = [
    (),
    (Split("lift", True, ("param 0",)),),
    (Split("lift", False, ("param 0", "cell 7")),),
    (Split("", True, ("cell 7",)),),
    (Split("lay", False, ("cell 7", "cell 6", "cell 6")),),
    (Split("", False, ()), Split("lay", True, ("cell 7",))),
]


@pytest.mark.parametrize("splits", SPLITS)
@pytest.mark.parametrize("integers", [True, False])
def test_no_split_makes_a_false_condition_true(splits: tuple[Split, ...], integers: bool) -> None:
    """What one value of one place breaks is found however the question is put; what is true stays true."""
    require_layers_inductive(porters(), (Lemma(("cubes == 9",), integers, splits),), Context())
    true = Lemma(("load <= 8 or hut[3] == 0",), integers, splits, (0,))
    require_layers_inductive(porters(), (Lemma(("cubes == 9",), integers, ()), true), Context())
    for broken in ("at != 3", "load != 9", "hut[2] < 9", "cubes == 9 and hut[0] != 4"):
        layers = (Lemma(("cubes == 9",), integers, ()), Lemma((broken,), integers, splits, (0,)))
        with pytest.raises(NotShown, match="may break"):
            require_layers_inductive(porters(), layers, Context())
    with pytest.raises(NotShown, match="may break"):
        require_layers_inductive(porters("yes"), (Lemma(("cubes == 9",), integers, splits),), Context())


def test_all_values_of_a_split_place_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value of the first place, and where Z3 does not answer, each of the second beside it: none is left out."""
    asked: list[dict[str, int]] = []

    def ask(_: StepChecker, what: object, wrongs: object, known: dict[str, int], work: int) -> str:
        asked.append(known)
        return "unknown" if len(known) == 1 and known["param 0"] == 2 else "unsat"

    monkeypatch.setattr(StepChecker, "ask_z3_whether_step_can_go_wrong", ask)
    game = porters()
    made = StepChecker(game, ("cubes == 9",), True, (Split("lift", True, ("param 0", "cell 7")),), Context())
    lift = next(a for a in game.actions if a.name == "lift")
    made.require_step_keeps_conditions(lift, ("cubes == 9",))
    assert asked == [{"param 0": 1}, {"param 0": 2}, *({"param 0": 2, "cell 7": at} for at in range(4)), {"param 0": 3}]


@pytest.mark.parametrize("open_", [[], [3]])
def test_a_question_without_an_answer_is_asked_in_halves(open_: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to single conditions; what stays open then is not shown."""
    sizes: list[int] = []

    def ask(_: StepChecker, what: object, wrongs: list[object], known: object, work: int) -> str:
        sizes.append(len(wrongs))
        return "unknown" if len(wrongs) > 1 or len(sizes) - 1 in open_ else "unsat"

    monkeypatch.setattr(StepChecker, "ask_z3_whether_step_can_go_wrong", ask)
    texts = ("cubes == 9", "load <= 8", "hut[0] <= 8 and hut[1] <= 8")
    made = StepChecker(porters(), texts, True, (), Context())
    if open_:
        with pytest.raises(NotShown, match="no answer"):
            made.require_step_keeps_conditions(made.game.actions[1], texts)
    else:
        made.require_step_keeps_conditions(made.game.actions[1], texts)
        assert sizes == [4, 2, 1, 1, 2, 1, 1]


def test_a_step_split_in_two_ways_is_refused() -> None:
    twice = (Split("lift", True, ("param 0",)), Split("lift", True, ("cell 7",)))
    with pytest.raises(NotShown, match="two ways"):
        require_layers_inductive(porters(), (Lemma(("cubes == 9",), True, twice),), Context())


@pytest.mark.parametrize("on", [(0,), (1,), (-1,), (7,)])
def test_a_layer_builds_only_on_those_before_it(on: tuple[int, ...]) -> None:
    """Two false conditions do not hold each other up, nor does one itself."""
    with pytest.raises(NotShown, match="before it"):
        require_layers_inductive(
            porters(), (Lemma(("load < 9",), True, (), on), Lemma(("load < 9",), True, (), (0,))), Context()
        )


def test_what_was_shown_for_one_layer_is_not_taken_for_another() -> None:
    """The same condition, once with what it leans on and once without, in one run."""
    game = porters()
    leaning = Lemma(("load <= 8 or hut[0] == 0",), True, (), (0,))
    require_layers_inductive(game, (Lemma(("cubes == 9",), True, ()), leaning), Context())
    with pytest.raises(NotShown, match="may break"):
        require_layers_inductive(game, (replace(leaning, on=()),), Context())
    with pytest.raises(NotShown, match="may break"):
        require_layers_inductive(game, (Lemma(("at <= 3",), True, ()), leaning), Context())


def test_bounds_are_shown_step_by_step_and_not_taken_from_elsewhere() -> None:
    game = porters()
    layers = (Lemma(("cubes == 9",), True, ()),)
    for splits in ((), (Split("lift", True, ("param 0",)),), (Split("", False, ("cell 7",)),)):
        InvariantCertificate(Property("bounds"), layers, splits=splits).require_valid_for_game(game, Context())
        with pytest.raises(NotShown, match="bounds"):
            InvariantCertificate(Property("bounds"), splits=splits).require_valid_for_game(game, Context())
        with pytest.raises(NotShown, match="bounds"):
            InvariantCertificate(
                Property("bounds"), (Lemma(("load <= 9",), True, ()),), splits=splits
            ).require_valid_for_game(game, Context())


def test_conditions_that_are_not_kept_or_say_too_little_are_refused() -> None:
    game, event = GameCase(PORTERS, machine=False).game, Event({"holds": "cubes != 9"})
    for integers in (True, False):
        InvariantCertificate(event, (Lemma(("cubes == 9",), integers, ()),), integers).require_valid_for_game(
            game, Context()
        )
        split = Lemma(("cubes == 9",), integers, (Split("", integers, ("cell 0",)),))
        InvariantCertificate(event, (split,), integers).require_valid_for_game(game, Context())
    for conjuncts, said in (
        (("load <= 0",), "may break"),
        (("1 == 1",), "leave room"),
        (("cubes == 8",), "does not hold at the start"),
        ((), "leave room"),
    ):
        with pytest.raises(NotShown, match=said):
            InvariantCertificate(event, (Lemma(conjuncts, True, ()),)).require_valid_for_game(game, Context())


@pytest.mark.parametrize("text", ["256 * load > 0", "4096 * load > 0", "load * load * load * load * load > 0"])
def test_numbers_that_outgrow_the_game_are_read_whole(text: str) -> None:
    """A load is carried in some games. In the bits that hold all that the game counts, 256 of them would be nothing."""
    game, event = porters(), Event({"holds": text})
    for integers in (True, False):
        with pytest.raises(NotShown, match="room"):
            InvariantCertificate(event, (), integers).require_valid_for_game(game, Context())
    with pytest.raises(NotShown, match="may break"):
        InvariantCertificate(LawObeyed({"action": "lift", "leads": f"not ({text})"}), (), False).require_valid_for_game(
            game, Context()
        )


def test_an_exploration_may_not_follow_a_number_that_falls() -> None:
    game = harvest().game
    assert "Z3" in exploration(Event({"outcome": "win"}), 1000, "round", 2).describe_what_must_be_trusted()
    assert "Z3" not in exploration(Event({"outcome": "win"}), 1000).describe_what_must_be_trusted()
    with pytest.raises(NotShown, match="lower the number"):
        exploration(Event({"outcome": "win"}), 1000, "grain", 0).require_valid_for_game(game, Context())
    with pytest.raises(NotShown, match="more than"):
        enumerate_game_states_cached(harvest().game, 3, Context())


FEW, MANY = 100, 30_000
"""So many states are gone through by the interpreter, and in columns."""


@pytest.mark.parametrize("states", [FEW, MANY])
@pytest.mark.parametrize("kind", ["only", "late", "endless"])
def test_an_exploration_fails_where_the_rules_break(kind: str, states: int) -> None:
    game = build(str(Path(HARVEST).parent / "overflow"), Options({"kind": kind}))
    for about in (Property(BOUNDS), Property(NO_DEAD_END), LengthLimit(10**6), Event({"holds": "1 == 2"})):
        with pytest.raises(NotShown, match=r"rules break|automatic phases in a row"):
            exploration(about, states).require_valid_for_game(game, Context())


def one_step(most: int, again: bool) -> Game:
    """A game of one action that is ever legal; it leads to a dead end or (again and again) in a circle."""
    game = Game("one step")
    game.integer("n", 0, most)
    road = game.phase("road")

    @game.action(road, "go on")
    def go_on() -> None:
        if not again:
            require(game.state.n == 0, "H1", "only once")
        game.state.n = 1 - game.state.n

    @game.action(road, "arrive")
    def arrive() -> None:
        require(game.state.n == most, "H2", "never so far")
        win("there")

    return game.seal()


@pytest.mark.parametrize("few", [0, FEW])
def test_dead_ends_and_circles(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the interpreter, and in columns as if it read no state."""
    monkeypatch.setattr(state_graphs, "FEW_STATES", few)
    stuck, circle, states = one_step(2, False), one_step(2, True), 2
    exploration(Property(NO_DEAD_END), states).require_valid_for_game(circle, Context())
    exploration(LengthLimit(1), states).require_valid_for_game(stuck, Context())
    for certificate, game, why in (
        (exploration(Property(NO_DEAD_END), states), stuck, "dead end"),
        (exploration(LengthLimit(10**6), states), circle, "circles"),
        (exploration(LengthLimit(0), states), stuck, "1 decisions"),
        (exploration(Property(BOUNDS), 1), stuck, "states"),
        (InvariantCertificate(Property(NO_DEAD_END)), stuck, "dead end"),
        (InvariantCertificate(LengthLimit(10**6), numbers=("n",)), circle, "may leave the rank"),
        (TranscriptCertificate(Property(NO_DEAD_END), (0,), ("go on",)), circle, "does not show"),
    ):
        with pytest.raises(NotShown, match=why):
            certificate.require_valid_for_game(game, Context())
    TranscriptCertificate(Property(NO_DEAD_END), (0,), ("go on",)).require_valid_for_game(stuck, Context())


def test_numbers_of_more_than_64_bits_are_not_read_in_columns() -> None:
    with pytest.raises(NotShown, match="64 bits"):
        exploration(Property(BOUNDS), MANY).require_valid_for_game(one_step(2**60, False), Context())


def test_a_few_thousand_states_of_such_numbers_are_read_by_the_interpreter() -> None:
    with pytest.raises(NotShown, match="there are 2 states, the evidence speaks of 1,500"):
        exploration(Property(BOUNDS), 1_500).require_valid_for_game(one_step(2**60, False), Context())


def walk(side: int) -> Game:
    """A game of `side` times `side` states: each walk goes up or across, to the far corner."""
    game = Game("walk")
    numbers = [game.integer(name, 0, side - 1) for name in ("up", "across")]
    road = game.phase("road")
    for number in numbers:

        def go(number: Var = number) -> None:
            require(number < side - 1, "W1", "that is the edge")
            number.set(number + 1)

        game.add_action(road, go, f"go {number.field.name}", name=number.field.name)

    @game.action(road, "arrive")
    def arrive() -> None:
        require((numbers[0] == side - 1) & (numbers[1] == side - 1), "W2", "not there yet")
        win("there")

    return game.seal()


@pytest.mark.parametrize(("side", "by_rows"), [(31, True), (32, False)])
def test_the_interpreter_reads_a_thousand_states_and_no_more(
    side: int, by_rows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes twenty times as long, which was most of `prove` for a small board."""
    asked = list[str]()

    class Watched(state_graphs.RowReader):
        def __init__(self, game: Game) -> None:
            asked.append(game.name)
            super().__init__(game)

    monkeypatch.setattr(state_graphs, "RowReader", Watched)
    certificate = exploration(LengthLimit(2 * side - 1), side * side + 1)
    certificate.require_valid_for_game(walk(side), Context())
    assert bool(asked) == by_rows
    assert (certificate.describe_what_must_be_trusted() == state_graphs.VECTORS) != by_rows
    for wrong in (side * side, side * side + 2, 900, 1_100, MANY):
        with pytest.raises(NotShown, match="states"):
            exploration(LengthLimit(2 * side - 1), wrong).require_valid_for_game(walk(side), Context())


def test_the_digest_covers_what_claims_speak_of() -> None:
    one, other = harvest().game, harvest().game
    assert digest(one) == digest(other)
    name = next(iter(other.quantities))
    other.quantities[name] = other.quantities[name] + 0 * other.quantities[name] - 1
    assert digest(one) != digest(other)
    third = harvest().game
    third.facts["round"] = "stored"
    assert digest(one) != digest(third)
    apart, together = harvest().game, harvest().game
    apart.players = together.players = 2
    apart.teams, together.teams = ((0,), (1,)), ((0, 1),)
    assert digest(apart) != digest(together)


LONG = {"kind": "transcript", "about": {"kind": "length", "most": 1}, "idents": [], "words": []}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"kind": 7},
        {"kind": "transcript"},
        {"kind": "no such kind"},
        {"kind": "property", "name": "bounds"},
        {**LONG, "about": {"kind": "length", "most": 1.5}},
        {**LONG, "about": None},
        {**LONG, "about": {"kind": "transcript", "most": 1}},
        {**LONG, "idents": [1.5]},
        {**LONG, "idents": [True]},
        {**LONG, "more": 1},
    ],
)
def test_data_of_no_certificate_is_unreadable(data: object) -> None:
    with pytest.raises(Unreadable):
        decode_json_as_type_or_raise(Certificate, data)


def test_a_broken_rule_is_no_traceback() -> None:
    overflow = str(Path(HARVEST).parent / "overflow")
    game = build(overflow, Options({"kind": "only"}))
    with pytest.raises(RulesError):
        Interpreter(game).apply(Interpreter(game).start(), 0)
    with pytest.raises(NotShown, match="rules break"):
        enumerate_game_states_cached(game, 100, Context())
    assert issubclass(ClosedSetCertificate, Certificate)


# -- the second solver ------------------------------------------------------------------------------------------


def test_solvers_that_contradict_each_other_are_an_error() -> None:
    """Whatever the second says is only compared: it cannot make a certificate hold, and a contradiction is told."""
    game = GameCase(PORTERS, machine=False).game
    good = InvariantCertificate(Event({"holds": "cubes != 9"}), (Lemma(("cubes == 9",), True, ()),))
    heard: list[str] = []
    good.require_valid_for_game(game, Context(second=lambda text: heard.append(text) or "unknown"))
    assert heard
    with pytest.raises(z3_questions.Disagreement, match="Z3 says unsat, the second sat"):
        good.require_valid_for_game(game, Context(second=lambda _: "sat"))


def test_cvc5_answers_what_the_kernel_asks() -> None:
    pytest.importorskip("cvc5")
    game, asked = GameCase(PORTERS, machine=False).game, load_cvc5_or_raise()
    InvariantCertificate(Event({"holds": "cubes != 9"}), (Lemma(("cubes == 9",), True, ()),)).require_valid_for_game(
        game, Context(second=asked)
    )
    with pytest.raises(NotShown, match="may break"):
        InvariantCertificate(Event({"holds": "load > 0"}), (Lemma(("load <= 0",), True, ()),)).require_valid_for_game(
            game, Context(second=asked)
        )
    assert asked.answers == asked.questions >= 3


def test_what_cvc5_is_asked_by_child_processes_is_counted() -> None:
    pytest.importorskip("cvc5")
    asked = load_cvc5_or_raise()
    [found] = prove("eila", only=["c0-three-hearts"], machine=False, second=asked)
    assert found.verdict is Verdict.PROVEN
    assert asked.questions > 0


def test_questions_that_are_too_long_for_cvc5_are_counted_and_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "playproof.verifier.bridges.second_solver.ask_cvc5_sat_unsat_or_unknown", lambda _: pytest.fail("asked")
    )
    asked = SecondSolver()
    assert asked("; " + "very " * 20_000 + "long") == "unknown"
    assert str(asked).endswith("asked 0 questions over integers and answered 0, all as Z3 did; too long for it: 1")


# -- the context ------------------------------------------------------------------------------------------------


def test_no_module_of_the_kernel_holds_anything_that_can_change() -> None:
    """What a run allows, asks and has settled is in its context: no assignment elsewhere reaches a verdict."""
    for path in TRUSTED:
        module = importlib.import_module(f"playproof.verifier.{path.parent.name}.{path.stem}")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        brought = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        for name, value in vars(module).items():
            if not name.startswith("__") and name not in brought:
                assert _fixed(value), f"{module.__name__}.{name} can change: {type(value).__name__}"
        assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Global)]


def _fixed(value: object) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_fixed, value))
    if isinstance(value, MappingProxyType):
        return all(map(_fixed, value.values()))
    if is_dataclass(value) and not isinstance(value, type):
        frozen = value.__dataclass_params__.frozen  # type: ignore[attr-defined]
        return frozen and all(_fixed(getattr(value, field.name)) for field in fields(value))
    if hasattr(value, "cache_info"):  # a function that remembers
        return False
    plain = bool | int | float | str | Fraction | re.Pattern | Const | np.number | None
    return isinstance(value, plain | type | ModuleType | FunctionType | BuiltinFunctionType) or _names_types(value)


def _names_types(value: object) -> bool:
    """Whether it is an annotation, which is data for readers and for the decoder alone."""
    return type(value).__module__ in ("typing", "types", "__future__", "collections.abc")


def test_a_context_allows_only_so_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3_questions, "_RANGE_WORK", 0)
    context = Context()
    game, good = porters(), Lemma(("cubes == 9",), True, ())
    with context.limit_z3_work_temporarily(0), pytest.raises(NotShown, match="no answer"):
        require_layers_inductive(game, (good,), context)
    before = context.work
    with context.limit_z3_work_temporarily(10**9), context.limit_z3_work_temporarily(10**12):  # the outer limit holds
        assert context.work == 10**9
        require_layers_inductive(game, (good,), context)
    assert before - 10**9 < context.work < before  # what was spent is gone
    with context.limit_z3_work_temporarily(0), pytest.raises(NotShown, match="no answer"):
        require_layers_inductive(game, (good, Lemma(("load <= 8 or hut[0] == 0",), True, (), (0,))), context)


def test_compiled_code_is_asked_by_its_own_kind_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it says: an exploration by the kernel does not hear it, and without it nothing is shown."""
    event, game = Event({"holds": "stored == 4"}), harvest().game  # some game comes to it
    heard: list[int] = []
    lying = Context(compiled=lambda *asked: heard.append(asked[3]) or "")
    for states in (900, MANY, state_graphs.MOST_STATES + 1):
        with pytest.raises(NotShown):
            exploration(event, states).require_valid_for_game(game, lying)
    with pytest.raises(NotShown, match="itself"):
        compiled_exploration(event, MANY).require_valid_for_game(game, lying)
    assert not heard
    many = compiled_exploration(event, state_graphs.MOST_STATES + 1)
    with pytest.raises(NotShown, match="more than the kernel goes through"):
        many.require_valid_for_game(game, Context())
    many.require_valid_for_game(game, lying)
    assert heard == [many.listing.states]
    assert "compiled code" in many.describe_what_must_be_trusted()
    with pytest.raises(NotShown, match="lower the number"):
        exploration(event, many.listing.states, "grain", rise=1).require_valid_for_game(game, lying)
    with pytest.raises(NotShown, match="where the number is more"):
        exploration(event, many.listing.states, "round", rise=1).require_valid_for_game(game, lying)
