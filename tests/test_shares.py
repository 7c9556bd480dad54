"""Each dear test is asked in one share, shares cost alike, and the table names tests that exist."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.shares import COSTS, DEAR, SHARES, Cost, find_share, read_costs, split_items, write_costs

pytest_plugins = ["pytester"]
TOP = Path(__file__).resolve().parent.parent


def expand_items() -> list[str]:
    """The items of the table's functions, as many as were measured."""
    return [f"{name}[{n}]" for name, cost in read_costs().items() for n in range(cost.items)]


def test_every_item_has_one_share_and_shares_cost_alike() -> None:
    costs, items = read_costs(), expand_items()
    share_of = split_items(items, costs)
    assert sorted(share_of) == sorted(items)
    filled = Counter[int]()
    for item in items:
        cost = costs[item.partition("[")[0]]
        filled[share_of[item]] += cost.seconds / cost.items  # type: ignore[assignment]  # a counter of floats
    assert len(filled) == SHARES
    assert max(filled.values()) < 1.25 * min(filled.values())


def test_what_a_file_sets_up_serves_one_share() -> None:
    costs = {"a.py::one": Cost(9, 1), "a.py::two": Cost(2, 2), "b.py::many": Cost(SHARES, SHARES)}
    items = ["a.py::one", "a.py::two[x]", "a.py::two[y]", *(f"b.py::many[{n}]" for n in range(SHARES)), "c.py::cheap"]
    share_of = split_items(items, costs)
    assert len({share_of[item] for item in items[:3]}) == 1
    assert len({share_of[f"b.py::many[{n}]"] for n in range(SHARES)}) == SHARES - 1
    assert "c.py::cheap" not in share_of


def test_every_function_of_the_table_exists() -> None:
    functions_by_file: dict[str, set[str]] = {}
    missing = []
    for name in read_costs():
        file, _, function = name.partition("::")
        if file not in functions_by_file:
            functions_by_file[file] = list_functions(TOP / file)
        missing += [name] * (function.rpartition("::")[2] not in functions_by_file[file])
    assert not missing, f"gone or renamed: {missing}; correct {COSTS.name} by hand or with --costs"


def list_functions(file: Path) -> set[str]:
    """The names of a file's functions and methods; none if there is no such file."""
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_a_share_is_a_number_or_that_of_the_commit() -> None:
    assert find_share(str(SHARES + 2)) == 2
    assert find_share("commit") in range(SHARES)


def test_the_table_keeps_what_is_dear(tmp_path: Path) -> None:
    file = tmp_path / "costs.tsv"
    write_costs([("a.py::f[1]", DEAR), ("a.py::f[2]", DEAR / 2), ("a.py::cheap", DEAR / 2)], file)
    assert read_costs(file) == {"a.py::f": Cost(round(1.5 * DEAR, 1), 2)}


def test_all_runs_together_ask_everything_once(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        f"import sys\nsys.path.insert(0, {str(TOP)!r})\n"
        "from pathlib import Path\nfrom tests import shares\nshares.COSTS, shares.SHARES = Path('costs.tsv'), 4\n"
        "shares.read_costs.__defaults__ = (shares.COSTS,)\n"
        "def pytest_addoption(parser): parser.addoption('--share', default='')\n"
        "def pytest_collection_modifyitems(config, items): shares.leave_out_other_shares(config, items)\n"
    )
    pytester.makepyfile(
        test_it="import pytest\n"
        "@pytest.mark.parametrize('n', range(8))\ndef test_dear(n): pass\ndef test_cheap(): pass\n"
    )
    (pytester.path / "costs.tsv").write_text("8.0\t8\ttest_it.py::test_dear\n", encoding="utf-8")
    runs = [pytester.runpytest_subprocess("-q", f"--share={n}").parseoutcomes()["passed"] for n in range(4)]
    assert runs == [3, 3, 3, 3]
    assert pytester.runpytest_subprocess("-q").parseoutcomes()["passed"] == 9
