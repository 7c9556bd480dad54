"""The parts of a game's machine code. A part is compiled as a whole when one of its functions is
first called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from playproof.language import random
from playproof.language.machine import (
    draws,
    explorer_loops,
    generated_functions,
    layer_loops,
    players,
    records,
    regrets,
    replays,
    sets,
    state_table,
    trees,
    unseen,
)
from playproof.language.machine.kinds import KINDS, Kind


@dataclass(frozen=True)
class CodePart:
    """Functions that Python calls (`entries`), and the modules that contain them and their helpers.
    `inside` says that states enter only through `enter` or in packed form and that nothing outside
    reads their cells."""

    name: str
    modules: tuple[ModuleType, ...]
    entries: tuple[str, ...]
    inside: bool = False

    @cached_property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Each module's name and text, and those of `sets`, which generated source calls."""
        return tuple(
            (m.__name__.rpartition(".")[2], Path(inspect.getfile(m)).read_text(encoding="utf-8"))
            for m in (*self.modules, sets)
        )

    def find_python_function_of_entry_or_none(self, name: str) -> Callable[..., Any] | None:
        """The Python function of an entry."""
        return next((getattr(m, name) for m in (*self.modules, generated_functions) if hasattr(m, name)), None)


_STEPS = ("settle", "legal", "apply", "actor", "returns", "round_of", "worth_of", "pack", "unpack")
_SMALL = (random, draws)
STEPS = CodePart("steps", _SMALL, _STEPS)
GAMES = CodePart("games", (*_SMALL, unseen, players), ("playouts",), inside=True)
MIXED = CodePart("mixed", (*_SMALL, unseen, players), ("playouts_with_policies",), inside=True)
SEARCH = CodePart(
    "search",
    (*_SMALL, state_table, explorer_loops),
    ("expand_queued_states", "put_rows_into_empty_table", "move_waiting_states_to_queue", "find_least_waiting_round"),
    inside=True,
)
NET = CodePart(
    "net", (*_SMALL, state_table, explorer_loops), ("write_successor_edges", "sweep_best_play_values"), inside=True
)
TREES = CodePart(
    "trees",
    (*_SMALL, state_table, unseen, players, trees),
    ("grow_search_tree", "follow_actions_and_get_node_key", "refill_node_table"),
)
OPEN_TREES = CodePart(  # for games that hide nothing, whose states need not be read cell by cell
    "open_trees", (*_SMALL, state_table, unseen, players, trees), ("grow_search_tree", "refill_node_table"), inside=True
)
REGRETS = CodePart("regrets", (*_SMALL, state_table, unseen, players, trees, regrets), ("let_seats_learn_in_turn",))
RECORDS = CodePart(
    "records",
    (*_SMALL, unseen, players, records),
    ("write_states_and_steps_of_games", "write_win_chances_along_games", "play_games_with_one_change"),
)
LAYERS = CodePart(
    "layers",
    (*_SMALL, state_table, explorer_loops, layer_loops),
    ("write_edges_of_layer_states", "add_states_to_waiting_layer", "put_rows_into_empty_table"),
    inside=True,
)
REPLAYS = CodePart(
    "replays",
    (*_SMALL, replays),
    ("extend_histories_by_step", "change_history_until_step_fits", "write_varied_history_or_copy"),
)
PARTS = (STEPS, GAMES, MIXED, SEARCH, NET, TREES, REGRETS)
OPEN_PARTS = (STEPS, GAMES, MIXED, SEARCH, NET, OPEN_TREES)
"""The parts for a game that hides nothing."""


def get_parameter_and_result_kinds(function: Callable[..., Any]) -> tuple[tuple[Kind, ...], Kind | None]:
    """Return the kinds of a function's parameters and of its result, from its annotations."""
    kinds = dict(function.__annotations__)
    result = kinds.pop("return")
    spread = tuple(
        KINDS[kind]
        for named in kinds.values()
        for kind in _list_kinds_of_parameter_expanding_named_tuple(function, named)
    )
    return spread, None if result == "None" else KINDS[result]


def _list_kinds_of_parameter_expanding_named_tuple(function: Callable[..., Any], annotation: str) -> list[str]:
    """Return the kinds of a parameter, of which a named tuple has one for each field."""
    group = function.__globals__.get(annotation)
    if not (isinstance(group, type) and issubclass(group, tuple)):
        return [annotation]
    return [kind.__forward_arg__ for kind in group.__annotations__.values()]


def copy_part_functions_into_module(module: ModuleType, parts: Sequence[CodePart] = PARTS) -> None:
    """Put the parts' functions into a generated module, where they find the game's own functions:
    this is the plain Python reading.

    The functions keep their files and lines, so that tracebacks, coverage and debuggers show the
    original source.
    """
    space = vars(module)
    for source in {m.__name__: m for m in (sets, *(m for part in parts for m in part.modules))}.values():
        for name, value in vars(source).items():
            if isinstance(value, FunctionType) and value.__module__ == source.__name__:
                space[name] = FunctionType(value.__code__, space, name, value.__defaults__, value.__closure__)
            elif isinstance(value, int | ModuleType) and name not in space:
                space[name] = value
