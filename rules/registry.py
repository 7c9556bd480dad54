"""Finds a game's rules by name or folder and builds its description."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from playproof.database.errors import Collector, InputError, short_path
from playproof.database.game import Game as Cards
from playproof.rules.language import Game, Place, RulesError
from playproof.rules.language.errors import mistake
from playproof.rules.options import OptionError, Options

_T = TypeVar("_T")
HOUSE = Path(__file__).resolve().parent.parent


class UnknownGame(LookupError):
    """No rules exist under this name."""


def names() -> list[str]:
    """Games with rules in rules/, in alphabetical order."""
    folders = {file.parent.name for file in (HOUSE / "rules").glob("*/__init__.py")}
    return sorted(folders - {"language"})


def example_names() -> list[str]:
    """Small public-domain games in examples/."""
    return sorted(p.stem for p in (HOUSE / "examples").glob("*.py") if p.stem != "__init__")


def module_of(ref: str) -> ModuleType:
    """Return the module with `build(options)` (or `build(options, data)` if cards/ has data for the
    game).

    `ref` is a name in rules/ or examples/, a folder that holds `rules.py` or `rules/__init__.py`,
    or the folder in cards/ of a game with rules here.
    """
    folder = Path(ref)
    if ref and ref not in names() and folder.is_dir():  # a bundled game's name means its rules, as it means its cards
        for file in (folder / "rules.py", folder / "rules" / "__init__.py"):
            if file.is_file():
                return _from_file(file, f"playproof_game_{folder.resolve().name}")
        if folder.resolve().parent == HOUSE / "cards":
            ref = folder.resolve().name
    if ref in names():
        return _run(lambda: importlib.import_module(f"playproof.rules.{ref}"))
    if ref in example_names():
        return _run(lambda: importlib.import_module(f"playproof.examples.{ref}"))
    if folder.is_dir():
        raise UnknownGame(f"expected rules.py or rules/__init__.py in {short_path(folder)}, found neither")
    raise UnknownGame(f"no rules for `{ref}`; known are {', '.join([*names(), *example_names()])}")


def _run(load: Callable[[], _T]) -> _T:
    """Load rules. An exception in them, such as a misspelt import or a syntax error, becomes a
    RulesError."""
    try:
        return load()
    except (RulesError, InputError):
        raise
    except Exception as error:
        raise mistake(error) from error


def _from_file(file: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    loader = spec.loader if spec else None
    if spec is None or loader is None:
        raise UnknownGame(f"{file} cannot be read as rules")
    module = importlib.util.module_from_spec(spec)
    for known in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[known]  # of another folder of that name, or as the files were
    sys.modules[name] = module  # modules beside it ask for it by name, and so do dataclasses in it
    _run(lambda: loader.exec_module(module))
    if not callable(getattr(module, "build", None)):  # a file of rules that says no game is no game without rules
        raise RulesError("PP802", "these rules have no function `build(options)`", "write one that returns the game",
                         Place(str(file), 1))
    return module


def data_of(ref: str, errata: bool | str = True) -> Any:
    """Return the cards of a game, patched as `database.load_game` says, or None if its rules take
    no data."""
    if not _takes_data(module_of(ref)):
        return None
    from playproof.database.game import load_game  # games without cards do without the schemas
    return load_game(ref, errata=errata)


def _takes_data(module: ModuleType) -> bool:
    """Return whether the rules are `build(options, data)` and not `build(options)`."""
    return len(signature(module.build).parameters) > 1


def build(ref: str, options: Options | None = None, data: Any = None) -> Game:
    """Return the game's description under the given options; `data` replaces its cards (for
    errata)."""
    chosen = options or Options()
    module = module_of(ref)
    cards = data if data is not None else data_of(ref)
    game = _described(module, [chosen, cards] if _takes_data(module) else [chosen])
    if chosen.unknown():
        names, rulings = sorted(chosen.asked - chosen.read.keys()), sorted(chosen.read)
        raise OptionError(f"`{game.name}` does not know {', '.join(chosen.unknown())}; it knows "
                          f"{', '.join(names) or 'no options'}{_and_rulings(rulings)}")
    if isinstance(cards, Cards):
        _agrees(game, chosen, cards)
    return game.seal()


def _and_rulings(rulings: Sequence[str]) -> str:
    return f", and as rulings {', '.join(rulings)}" if rulings else ""


def _agrees(game: Game, chosen: Options, cards: Cards) -> None:
    """Check that the rules' options and number of players agree with game.yaml. Raises
    InputError."""
    collector, facts = Collector(), cards.facts
    for name, switch in facts.options.items():
        known = chosen.choices.get(name)
        if known is None:
            continue  # read as free text, or not under these other options
        where = cards.node.at(["options", name]).where
        if sorted(known) != sorted(map(str, switch.values)):
            collector.add("PP350", where, f"option `{name}`: expected the values of the rules, {', '.join(known)}; "
                          f"found {', '.join(map(str, switch.values))}")
        elif str(switch.default) != known[0]:
            collector.add("PP350", where, f"option `{name}`: the rules' default is {known[0]}, found {switch.default}")
    players, where = facts.players, cards.node.at(["players"]).where
    most = [int(n) for n in chosen.choices.get("players", ()) if n.isdigit()] or [game.players]
    if players is not None and (players.min, players.max) != (min(most), max(most)):
        collector.add("PP350", where, f"expected {min(most)} to {max(most)} players, as the rules have it; found "
                      f"{players.min} to {players.max}")
    collector.check()


def _described(module: ModuleType, arguments: list[Any]) -> Game:
    """Return what `build` returns. A Python mistake in it becomes a RulesError with its line."""
    place = Place(module.build.__code__.co_filename, module.build.__code__.co_firstlineno)
    try:
        game = module.build(*arguments)
    except (RulesError, OptionError, InputError):
        raise
    except Exception as error:
        raise mistake(error) from error
    if not isinstance(game, Game):
        raise RulesError("PP346", f"`build` has to return the game, it returned {game!r}",
                         "end it with `return g`", place)
    return game
