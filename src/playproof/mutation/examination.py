"""Changes of one game, each examined in a process of its own: on this machine, or by the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError
from playproof.database.game import find_game
from playproof.generator.build.fingerprint import of_files
from playproof.mutation.sampling import (
    SURVIVED,
    VALUE,
    Effort,
    Verdict,
    hashed,
    mutant_of,
    outcome_of,
    parallel,
)
from playproof.mutation.value_outcomes import known, one_value
from playproof.mutation.values import Value
from playproof.mutation.ways_to_play import Setting
from playproof.referee.cluster import may_have_children, on_cluster


@dataclass
class Examination:
    """What a change is examined with: the settings, the limits, and verdicts of `earlier` runs by what they are of.
    `values` are changes of cards by their keys; None for changes of rules, which the settings know.

    A worker of a cluster reads the game's folder at the same path as the driver, because a change names a place in a
    file. The digest shows whether it is the same game."""

    settings: Sequence[Setting]
    effort: Effort
    earlier: Mapping[str, Verdict]
    values: Mapping[str, Value] | None = None

    def __reduce__(self) -> tuple[Callable[..., Examination], tuple[Any, ...]]:
        choices = [
            (s.ref, s.values, s.rulings, s.questions, s.small(self.effort.states)) for s in self.settings
        ]
        return _received, (os.getcwd(), choices, self.effort, self.earlier, self.values)

    @cached_property
    def digest(self) -> str:
        """The digest of the games, and of the places that changes name."""
        places: object = [list(setting.mutants) for setting in self.settings]
        if self.values is not None:
            places = of_files(read_by_lint(self.settings[0].ref))
        return hashed([[setting.digest for setting in self.settings], places])

    def verdict(self, key: str) -> Verdict:
        """Return the outcome of a change. A changed start is written in place, so this runs in its own process."""
        if self.values is None:
            return outcome_of(self.settings, key, self.effort, self.earlier)
        return one_value(self.settings, self.values[key], self.effort, self.earlier)

    def left_open(self, key: str, why: str) -> Verdict:
        """Return the verdict of a change that is not decided, and why."""
        if self.values is not None:
            value = self.values[key]
            return Verdict(key, value.place, VALUE, value.said, value.card, SURVIVED, "", why)
        mutant = mutant_of(self.settings, key)
        return Verdict(key, mutant.line, mutant.kind, mutant.said, mutant.owner, SURVIVED, "", why)

    def verdicts(self, keys: Sequence[str], workers: int, client: Any = None) -> Iterator[Verdict]:
        """Yield the outcome of each change, from so many processes, or from a cluster."""
        self.prepare()
        if client is not None and keys:
            return on_cluster(client, self, _examined, keys)
        return parallel(keys, self.verdict, workers, self.effort.limit, self.left_open)

    def prepare(self) -> None:
        """Make once, before processes fork, what all changes need."""
        for setting in self.settings:
            _ = setting.digest, setting.lines
            if self.values is None:
                _ = setting.mutants, setting.pool, setting.small(self.effort.states)
        if self.values is not None:
            known(self.settings[0].ref)


def read_by_lint(ref: str) -> list[Path]:
    """Return the files of a game's folder, without its claims; none if the game is rules alone."""
    try:
        folder = find_game(ref)
    except InputError:
        return []
    return [file for file in folder.rglob("*.*") if file.is_file() and file.name != "claims.yaml"]


def _received(
    folder: str,
    choices: Sequence[tuple[Any, ...]],
    effort: Effort,
    earlier: Mapping[str, Verdict],
    values: Mapping[str, Value] | None,
) -> Examination:
    """Return the examination in a worker, ready for its children."""
    os.chdir(folder)  # places in files are named as seen from here
    received = Examination([Setting(*choice) for choice in choices], effort, earlier, values)
    received.prepare()
    return received


def _examined(examination: Examination, key: str) -> Verdict:
    """Return one verdict, from a child process of a worker: it has its own limit, and may be killed."""
    may_have_children()
    [verdict] = parallel([key], examination.verdict, 1, examination.effort.limit, examination.left_open)
    assert isinstance(verdict, Verdict)
    return verdict
