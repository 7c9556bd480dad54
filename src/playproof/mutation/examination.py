"""Changes of one game, each examined in a process of its own: on this machine, or by the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError
from playproof.database.game import find_game_folder
from playproof.generator.build.fingerprint import hash_files
from playproof.generator.layout.layout_files import LAYOUTS, find_layout_folder
from playproof.mutation.sampling import (
    SURVIVED,
    VALUE,
    MutantOutcome,
    MutationLimits,
    StoredOutcomes,
    examine_mutant,
    find_mutant,
    run_in_child_processes,
    sha256_of_json,
)
from playproof.mutation.value_outcomes import examine_changed_value, lint_keys_of_unchanged_game
from playproof.mutation.values import YamlValueChange
from playproof.mutation.ways_to_play import ClaimSetting
from playproof.referee.cluster import allow_child_processes, map_on_cluster


@dataclass
class MutantExamination:
    """What a change is examined with: the settings, the limits, and outcomes of `earlier` runs by what they are of,
    which workers of a cluster do not get. `values` are changes of cards by their keys; None for changes of rules, which
    the settings know.

    A worker of a cluster reads the game's folder at the same path as the driver, because a change names a place in a
    file. The digest shows whether it is the same game."""

    settings: Sequence[ClaimSetting]
    effort: MutationLimits
    earlier: StoredOutcomes | None = None
    values: Mapping[str, YamlValueChange] | None = None

    def __reduce__(self) -> tuple[Callable[..., MutantExamination], tuple[Any, ...]]:
        choices = [
            (s.ref, s.values, s.rulings, s.questions, s.is_small_enough_to_search(self.effort.states))
            for s in self.settings
        ]
        return _restore_examination_in_worker, (os.getcwd(), choices, self.effort, self.values)

    @cached_property
    def digest(self) -> str:
        """The digest of the games, and of the places that changes name."""
        places: object = [list(setting.mutants) for setting in self.settings]
        if self.values is not None:
            places = hash_files(find_files_read_by_lint(self.settings[0].ref))
        return sha256_of_json([[setting.digest for setting in self.settings], places])

    def examine_change(self, key: str) -> MutantOutcome:
        """Return the outcome of a change. A changed start is written in place, so this runs in its own process."""
        if self.values is None:
            return examine_mutant(self.settings, key, self.effort, self.earlier)
        return examine_changed_value(self.settings, self.values[key], self.effort, self.earlier)

    def undecided_outcome(self, key: str, reason: str) -> MutantOutcome:
        """Return the verdict of a change that is not decided, and why."""
        if self.values is not None:
            value = self.values[key]
            return MutantOutcome(key, value.place, VALUE, value.change_text, value.card, SURVIVED, "", reason)
        mutant = find_mutant(self.settings, key)
        return MutantOutcome(
            key, mutant.file_and_line, mutant.kind, mutant.said, mutant.owner, SURVIVED, "", reason
        )

    def examine_changes(
        self, keys: Sequence[str], workers: int, client: Any = None
    ) -> Iterator[MutantOutcome]:
        """Yield the outcome of each change, from so many processes, or from a cluster."""
        self.compute_shared_data()
        if client is not None and keys:
            return map_on_cluster(client, self, _examine_in_child_process, keys)
        return run_in_child_processes(
            keys, self.examine_change, workers, self.effort.limit, self.undecided_outcome
        )

    def compute_shared_data(self) -> None:
        """Make once, before processes fork, what all changes need."""
        for setting in self.settings:
            _ = setting.digest, setting.example_lines
            if self.values is None:
                _ = (
                    setting.mutants,
                    setting.random_games,
                    setting.is_small_enough_to_search(self.effort.states),
                )
        if self.values is not None:
            lint_keys_of_unchanged_game(self.settings[0].ref)


def find_files_read_by_lint(ref: str) -> list[Path]:
    """Return the files of a game's folder, without its claims, and those of its looks; none if the game is rules
    alone."""
    try:
        folder = find_game_folder(ref)
    except InputError:
        return []
    folders = {folder, find_layout_folder(folder), LAYOUTS / "common"}
    files = {file for each in folders for file in each.rglob("*.*") if file.is_file()}
    return sorted(file for file in files if file.name != "claims.yaml" and file.suffix != ".pyc")


def _restore_examination_in_worker(
    folder: str,
    choices: Sequence[tuple[Any, ...]],
    effort: MutationLimits,
    values: Mapping[str, YamlValueChange] | None,
) -> MutantExamination:
    """Return the examination in a worker, ready for its children."""
    os.chdir(folder)  # places in files are named as seen from here
    received = MutantExamination([ClaimSetting(*choice) for choice in choices], effort, values=values)
    received.compute_shared_data()
    return received


def _examine_in_child_process(examination: MutantExamination, key: str) -> MutantOutcome:
    """Return one verdict, from a child process of a worker: it has its own limit, and may be killed."""
    allow_child_processes()
    [verdict] = run_in_child_processes(
        [key], examination.examine_change, 1, examination.effort.limit, examination.undecided_outcome
    )
    assert isinstance(verdict, MutantOutcome)
    return verdict
