"""Whatever is written in place of a value: the game loads, or every finding has a place. Never a traceback."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from playproof.database.errors import Finding, InputError
from playproof.database.game import load_game
from playproof.database.lint import lint
from playproof.database.source import read_yaml_file

SAMPLE = 60  # mutants tried of each file, spread evenly
JUNK: list[Any] = [None, "", "zzz", "{x}", -1, 10**9, 1.5, True, [], {}, ["zzz"], {"zzz": 1}, {"en": 3}]


def paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value below `data`."""
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


def mutants(data: Any) -> Iterator[Any]:
    """Copies of `data` with one value replaced, or one key renamed."""
    for *above, last in paths(data):
        for junk in [*JUNK, "renamed"]:
            mutant = copy.deepcopy(data)
            parent = mutant
            for key in above:
                parent = parent[key]
            if junk == "renamed" and isinstance(parent, dict):
                parent["zzz"] = parent.pop(last)
            else:
                parent[last] = junk
            yield mutant


def findings_of(folder: Path) -> Sequence[Finding]:
    """What is wrong with a game; any exception but InputError fails the test."""
    try:
        return lint(load_game(folder))
    except InputError as error:
        return error.findings


@pytest.mark.parametrize("name", ["game", "shells", "tokens", "tools", "rulebook", "claims", "vocabulary", "errata/1"])
def test_no_value_makes_it_crash(make_game, name: str) -> None:
    erratum = "version: '1'\ndate: 2026-01-02\nnote: x\nchanges: [{component: '01', path: part, to: 1}]\n"
    folder: Path = make_game(**{"errata/1": erratum})
    path = folder / f"{name}.yaml"
    every = list(mutants(read_yaml_file(path).data))
    for mutant in every[:: max(1, len(every) // SAMPLE)]:
        path.write_text(yaml.safe_dump(mutant, allow_unicode=True, sort_keys=False), encoding="utf-8")
        assert all(finding.where.line >= 1 and finding.message for finding in findings_of(folder))
