"""What is kept of a game between runs: used while nothing has changed, and never after."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from playproof.language.machine.native import can_make_machine_code
from playproof.referee import Variant
from playproof.referee.batches import ReadingsDiffer
from playproof.referee.simulate import simulate

pytestmark = pytest.mark.skipif(not can_make_machine_code(), reason="without LLVM every run makes its game")

RULES = """
from pathlib import Path

from playproof import Game, when, win


def build(options):
    most = int((Path(__file__).parent / "most.txt").read_text())
    g = Game("coin", players=2)
    g.integer("turns", 0, 9)
    g.integer("last", 0, 1)
    flip = g.phase("flip", text="flip")

    @g.action(flip, "{side} up", side=["heads", "tails"])
    def turn(side):
        s = g.state
        s.turns = s.turns + 1
        s.last = side
        with when(s.turns == most):
            win("enough", winner=s.last)

    return g
"""


FEW, MANY = 20, 100
"""So many games are played in plain Python, and so many in machine code."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game that reads a file of its own, and an empty cache."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    game = tmp_path / "coin"
    game.mkdir()
    (game / "rules.py").write_text(RULES)
    (game / "most.txt").write_text("3")
    return game


def fresh(folder: Path) -> Variant:
    """The variant as another process would find it."""
    sys.modules.pop("playproof_game_coin", None)
    return Variant(str(folder))


def lengths(folder: Path) -> list[int]:
    """How long five games of a run take."""
    return sorted(simulate(fresh(folder), 5, jobs=1).tally.decisions)


@pytest.mark.parametrize("games", [FEW, MANY])
def test_an_unchanged_game_is_not_made_again(folder: Path, games: int) -> None:
    first = simulate(fresh(folder), games, seed=3, jobs=1)
    variant = fresh(folder)
    again = simulate(variant, games, seed=3, jobs=1)
    assert "game" not in variant.__dict__
    assert again.tally.wins == first.tally.wins
    assert again.checked == first.checked > 0
    assert variant.summary.texts == ("heads up", "tails up")
    assert variant.summary.title == "Coin"


def test_whatever_it_was_made_from_changes_it(folder: Path) -> None:
    assert lengths(folder) == [3]
    (folder / "most.txt").write_text("4")
    assert lengths(folder) == [4]
    (folder / "rules.py").write_text(RULES.replace("s.turns == most", "s.turns + 1 == most"))
    assert lengths(folder) == [3]
    before = fresh(folder).summary.digest
    (folder / "another.txt").write_text("a file that nothing reads yet, where files are read")
    assert fresh(folder).summary.digest != before


@pytest.mark.parametrize("games", [FEW, MANY])
def test_damaged_files_count_as_missing(folder: Path, games: int) -> None:
    whole = simulate(fresh(folder), games, jobs=1).tally
    cache = folder.parent / "cache"
    for path in (*cache.glob("playproof_s*.json"), *(cache / "answers").iterdir()):
        path.write_bytes(path.read_bytes()[:-9])
    assert simulate(fresh(folder), games, jobs=1).tally.endings == whole.endings


@pytest.mark.parametrize("games", [FEW, MANY])
def test_games_are_held_against_what_the_interpreter_said(folder: Path, games: int) -> None:
    simulate(fresh(folder), games, jobs=1)
    (said,) = (folder.parent / "cache" / "answers").iterdir()
    answers = json.loads(said.read_bytes())
    assert answers["0"][1] == 3
    answers["0"][1] = 2
    said.write_text(json.dumps(answers))
    with pytest.raises(ReadingsDiffer, match="game 0 of seed 0"):
        simulate(fresh(folder), games, jobs=1)


def test_a_warm_run_loads_neither_cards_nor_rules() -> None:
    program = (
        "import sys\nfrom playproof.cli.main import run_command_line_and_get_exit_status\n"
        "run_command_line_and_get_exit_status(['simulate', 'tic_tac_toe', '--games', '5', '--json'])\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'z3', 'pydantic', 'yaml'}), "
        "'playproof.examples.tic_tac_toe' in sys.modules, file=sys.stderr)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    cold, warm = (json.loads(run.stdout) for run in runs)
    assert cold | {"seconds": 0} == warm | {"seconds": 0}
    assert runs[1].stderr.endswith("[] False\n")


def test_what_the_interpreter_said_is_kept_for_each_way_to_play(folder: Path) -> None:
    """The two chapters of a game have the same files: one's results were compared with the other's games."""
    read = 'int((Path(__file__).parent / "most.txt").read_text())'
    (folder / "rules.py").write_text(RULES.replace(read, 'options.number("most", range(3, 6), 3)'))
    _ = Variant(str(folder), {"most": "4"}).summary  # what loads modules is over, as in another process
    variants = [Variant(str(folder), {"most": most}) for most in ("3", "5")]
    assert len({variant.summary.digest for variant in variants}) == 2
    ends = [simulate(Variant(str(folder), {"most": most}), 20, seed=1, jobs=1).tally.decisions for most in ("3", "5")]
    assert [list(counts) for counts in ends] == [[3], [5]]


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "nim", "eila"])
def test_few_games_are_those_of_machine_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few = simulate(Variant(name), FEW, seed=5, jobs=1)
    monkeypatch.setattr("playproof.referee.simulate._SAMPLED", 1)
    many = simulate(Variant(name), FEW, seed=5, jobs=1)
    assert few.tally.taken.tolist() == many.tally.taken.tolist()
    assert few.tally.worth.tolist() == many.tally.worth.tolist()
    for what in ("games", "endings", "decisions", "rounds", "returns", "wins", "ties", "began", "began_and_won"):
        assert getattr(few.tally, what) == getattr(many.tally, what), what
    assert (few.reading, few.checked, few.beyond, few.asked) == (many.reading, many.checked, many.beyond, many.asked)


def test_a_value_that_leaves_its_bounds_is_found_in_few_games_too(folder: Path) -> None:
    (folder / "most.txt").write_text("20")
    assert simulate(fresh(folder), FEW, jobs=1).first_game_with_violation == 0


def test_two_games_of_one_process_have_results_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have the same files once both are loaded: one's results were compared with the other's games."""
    for cache in ("first", "second"):  # the second time all modules are there
        monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / cache))
        digests = {Variant(name).summary.digest for name in ("pig", "nim")}
    assert len(digests) == 2


def test_many_games_after_few_keep_what_both_need(folder: Path) -> None:
    few = fresh(folder)
    simulate(few, FEW, jobs=1)
    assert few.summary.checked_source
    assert not few.summary.source
    simulate(fresh(folder), MANY, jobs=1)
    variant = fresh(folder)
    simulate(variant, MANY, jobs=1)
    assert variant.summary.checked_source
    assert variant.summary.source
    assert "game" not in variant.__dict__
