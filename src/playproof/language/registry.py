"""Finds a game's rules by name or folder and builds its description, with the options that every game
has.

Such a number is a quantity that is one cell, as `g.quantity("food", s.food)` declares it. What the rules do before
anybody acts comes after it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from playproof.database.errors import FindingCollector, InputError, shorten_path
from playproof.database.files import check_output_folders, claim_output_folder
from playproof.database.game import Game as Cards, has_cards, load_game
from playproof.database.game_files import find_unread_rules_file
from playproof.database.installation import CARDS, EXAMPLES
from playproof.language import Place, RulesError
from playproof.language.archive import load_description_folder
from playproof.language.errors import find_definition_place, raise_all
from playproof.language.expr import Const, Read
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.options import OptionError, Options
from playproof.language.python_mistakes import convert_python_error
from playproof.language.untraced_python import find_ineffective_python

# Finds a game's rules by name or folder and builds its description.

_T = TypeVar("_T")
_OF_A_FOLDER = "playproof_game_"


class UnknownGame(LookupError):
    """No rules exist under this name."""


def list_game_names() -> list[str]:
    """Games in cards/ that have rules, in alphabetical order."""
    return sorted(file.parent.parent.name for file in CARDS.glob("*/rules/__init__.py"))


def list_example_names() -> list[str]:
    """Small public-domain games in examples/."""
    return sorted(p.stem for p in EXAMPLES.glob("*.py") if p.stem != "__init__")


def list_published_names() -> list[str]:
    """Games of published results in examples/published/, which results.yaml speaks of."""
    return sorted(p.stem for p in (EXAMPLES / "published").glob("*.py") if p.stem != "__init__")


def is_installed(name: str) -> bool:
    """Return whether a bundled game or example has this name. The name then means that game, even if a folder in
    the working directory is called so too."""
    return name in list_game_names() or name in list_example_names() or name in list_published_names()


def get_game_name(ref: str) -> str:
    """Return the name of a game by which files record it: its bundled name, or the name of its folder. It is never
    a path, because a file must not say whose rules are run."""
    return ref if is_installed(ref) else Path(ref).resolve().name


def get_output_folder(out: Path, ref: str, *, claim: bool = False) -> Path:
    """Return the folder below `out` for what is made of a game. Raises InputError (PP113) if it holds what was made of
    another game of the same name. Whoever writes there first says `claim`."""
    folder = out / get_game_name(ref)
    if claim:
        claim_output_folder(folder, _find_game_source(ref))
    else:
        check_output_folders([(folder, _find_game_source(ref))])
    return folder


def _find_game_source(ref: str) -> Path:
    """Return the folder or file in which a game is written."""
    if ref in list_game_names():
        return CARDS / ref
    if is_installed(ref):
        return (EXAMPLES if ref in list_example_names() else EXAMPLES / "published") / f"{ref}.py"
    return Path(ref)


def is_recorded_as(ref: str, recorded: str) -> bool:
    """Return whether a game is the one that a file records so."""
    return get_game_name(ref) == recorded


def load_rules_module(ref: str) -> ModuleType:
    """Return the module with `build(options)` (or `build(options, data)` if cards/ has data for the
    game).

    `ref` is the name of a game in cards/ or examples/, or a folder that holds `rules.py` or
    `rules/__init__.py`.
    """
    folder = Path(ref)
    if ref and not is_installed(ref) and folder.is_dir():
        if folder.resolve().parent == CARDS and folder.resolve().name in list_game_names():
            return load_rules_module(folder.resolve().name)
        for file in (folder / "rules.py", folder / "rules" / "__init__.py"):
            if file.is_file():
                return _load_rules_module_from_file(file, f"{_OF_A_FOLDER}{folder.resolve().name}")
    if ref in list_game_names():
        return _run_loader(lambda: importlib.import_module(f"playproof.cards.{ref}.rules"))
    if ref in list_example_names():
        return _run_loader(lambda: importlib.import_module(f"playproof.examples.{ref}"))
    if ref in list_published_names():
        return _run_loader(lambda: importlib.import_module(f"playproof.examples.published.{ref}"))
    if folder.is_dir():
        elsewhere = find_unread_rules_file(folder)
        way_out = (
            f"; move {shorten_path(elsewhere)} to {shorten_path(folder / 'rules.py')}" if elsewhere else ""
        )
        message = f"expected rules.py or rules/__init__.py in {shorten_path(folder)}, found neither{way_out}"
        raise UnknownGame(message)
    raise UnknownGame(
        f"no rules for `{ref}`; known are {', '.join([*list_game_names(), *list_example_names()])}"
    )


def check_playable(ref: str) -> None:
    """Check that a name or folder is a game with rules or descriptions. Raises UnknownGame."""
    if load_description_folder(ref) is None:
        load_rules_module(ref)


def _run_loader(load: Callable[[], _T]) -> _T:
    """Load rules. An exception in them, such as a misspelt import or a syntax error, becomes a
    RulesError."""
    try:
        return load()
    except (RulesError, InputError):
        raise
    except (Exception, SystemExit) as error:
        raise convert_python_error(error) from error


def _load_without_bytecode(load: Callable[[], _T]) -> _T:
    """Load rules and keep no bytecode of them. Python knows a source by its size and by whole seconds: rules that are
    saved twice in one second would be played as they were at first."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return load()
    finally:
        sys.dont_write_bytecode = before


def _load_rules_module_from_file(file: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    loader = spec.loader if spec else None
    if spec is None or loader is None:
        raise UnknownGame(f"{file} cannot be read as rules")
    module = importlib.util.module_from_spec(spec)
    stale = [loaded for loaded in sys.modules if loaded == name or loaded.startswith(f"{name}.")]
    for module_name in stale:  # of another folder of that name, or as the files were
        del sys.modules[module_name]
    sys.modules[name] = module  # modules beside it ask for it by name, and so do dataclasses in it
    with warnings.catch_warnings():
        # of `is` and its like, which `find_ineffective_python` names with their place
        warnings.simplefilter("ignore", SyntaxWarning)
        _run_loader(lambda: _load_without_bytecode(lambda: loader.exec_module(module)))
    # a file of rules that says no game is no game without rules
    if not callable(getattr(module, "build", None)):
        raise RulesError(
            "PP802",
            "these rules have no function `build(options)`",
            "write one that returns the game",
            Place(str(file), 1, 1),
        )
    takes = signature(module.build).parameters
    if not 1 <= len(takes) <= 2:
        raise RulesError(
            "PP802",
            f"`build` takes ({', '.join(takes)})",
            "write `def build(options):`, or `def build(options, data):` for a game with cards",
            find_definition_place(module.build),
        )
    return module


def is_without_cards(ref: str) -> bool:
    """Return whether a name or folder is a game that has rules and no cards. Raises RulesError if the rules
    cannot be loaded."""
    folder = Path(ref)
    if has_cards(folder) or ref in list_game_names():
        return False
    if load_description_folder(ref) is not None:
        return True
    has_rules = (folder / "rules.py").is_file() or (folder / "rules" / "__init__.py").is_file()
    return (has_rules or is_installed(ref)) and not _needs_data(load_rules_module(ref))


def load_game_cards(ref: str, errata: bool | str = True) -> Any:
    """Return the cards of a game, patched as `database.load_game` says, or None if its rules take
    no data."""
    return load_game(ref, errata=errata) if needs_cards(ref) else None


def needs_cards(ref: str) -> bool:
    """Return whether the rules of a game are built from cards."""
    described = load_description_folder(ref)
    return _needs_data(load_rules_module(ref)) if described is None else bool(described.cards)


def _needs_data(module: ModuleType) -> bool:
    """Return whether the rules are `build(options, data)` and not `build(options)`."""
    return len(signature(module.build).parameters) > 1


def build(ref: str, options: Options | None = None, data: Any = None) -> Game:
    """Return the game's description under the given options; `data` replaces its cards (for
    errata)."""
    chosen = options or Options()
    described = load_description_folder(ref)
    if described is not None:
        cards = data if data is not None else load_game_cards(ref)
        game = described.load_game_for_options(chosen, cards)
        game.cards = cards
        return game
    module = load_rules_module(ref)
    cards = data if data is not None else load_game_cards(ref)
    without_effect = find_ineffective_python(_list_written_files(module))
    try:
        game = _build_and_seal(module, chosen, cards)
    except RulesError as error:
        raise_all(_sort_errors_by_place([*error.all, *without_effect]))
        raise
    raise_all(_sort_errors_by_place(without_effect))
    game.cards = cards
    return game


def _list_written_files(module: ModuleType) -> list[Path]:
    """Return the files of rules that a designer wrote. Those of the bundled games are read by a test."""
    if not module.__name__.startswith(_OF_A_FOLDER) or module.__file__ is None:
        return []
    file = Path(module.__file__)
    return sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]


def _sort_errors_by_place(errors: Sequence[RulesError]) -> list[RulesError]:
    """Return the errors in the order of their lines. One error per line is enough: the first one caused
    what follows there."""
    lines: dict[tuple[str, int], RulesError] = {}
    for error in errors:
        lines.setdefault((error.place.file, error.place.line), error)
    return sorted(lines.values(), key=lambda e: (e.place.file, e.place.line, e.place.column))


def _build_and_seal(module: ModuleType, options: Options, cards: Any) -> Game:
    """Return the finished description, which agrees with the options and the cards."""
    arguments = [options, cards] if _needs_data(module) else [options]
    if isinstance(cards, Cards):
        options.in_force.update(cards.ruled)
    game = _call_build_function(module, arguments)
    apply_start_options(game, options)
    if options.list_unknown_names():
        names, rulings = sorted(options.asked - options.read.keys()), sorted(options.read)
        raise OptionError(
            f"`{game.name}` does not know {', '.join(options.list_unknown_names())}; it knows "
            f"{', '.join(names) or 'no options'}{_format_ruling_names(rulings)}"
        )
    game.setting = options.get_non_default_setting()
    if isinstance(cards, Cards):
        _check_agrees_with_cards(game, options, cards)
    return game.seal()


def _format_ruling_names(rulings: Sequence[str]) -> str:
    return f", and as rulings {', '.join(rulings)}" if rulings else ""


def _check_agrees_with_cards(game: Game, options: Options, cards: Cards) -> None:
    """Check that the rules' options and number of players agree with game.yaml. Raises
    InputError."""
    collector, facts = FindingCollector(), cards.facts
    for name, switch in facts.options.items():
        allowed = options.choices.get(name)
        if allowed is None:
            continue  # read as free text, or not under these other options
        where = cards.node.get_nearest(["options", name]).where
        listed = [str(value) for value in switch.values]
        usual = allowed[0]
        if sorted(allowed) != sorted(listed):
            collector.add_finding(
                "PP350",
                where,
                f"option `{name}`: expected the values of the rules, {', '.join(allowed)}; "
                f"found {', '.join(listed)}",
            )
        elif str(switch.default) != usual:
            collector.add_finding(
                "PP350", where, f"option `{name}`: the rules' default is {usual}, found {switch.default}"
            )
    players, where = facts.players, cards.node.get_nearest(["players"]).where
    written = (cards.folder / "game.yaml").is_file()  # cards of a spreadsheet alone say nothing of players
    counts = [int(n) for n in options.choices.get("players", ()) if n.isdigit()] or [game.players]
    fewest, most = min(counts), max(counts)
    if written and players is not None and (players.min, players.max) != (fewest, most):
        collector.add_finding(
            "PP350",
            where,
            f"expected {fewest} to {most} players, as the rules have it; found "
            f"{players.min} to {players.max}",
        )
    collector.raise_if_errors()


def _describe_type(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _call_build_function(module: ModuleType, arguments: list[Any]) -> Game:
    """Return what `build` returns. A Python mistake in it becomes a RulesError with its line."""
    place = find_definition_place(module.build)
    try:
        game = module.build(*arguments)
    except (RulesError, OptionError, InputError):
        raise
    except (Exception, SystemExit) as error:
        raise convert_python_error(error) from error
    if not isinstance(game, Game):
        raise RulesError(
            "PP346",
            f"`build` has to return the game, it returned {_describe_type(game)}",
            "end it with `return g`",
            place,
        )
    return game


# -- changed start -------------------------------------------------------------------------------------------
# Other numbers to start with, as options that every game has: `start.food=2` begins with 2 Food.

PREFIX = "start."
"""How the name of such an option begins."""


def find_start_quantities(game: Game) -> dict[str, tuple[Field, int]]:
    """Return the quantities of a game that are one cell: the field and the place in it, by name. The phase and the
    outcome are none, because the game itself says how they begin."""
    own = (game.current_phase.field, game.outcome.field)
    return {
        name: (term.field, term.index.value)
        for name, term in game.quantities.items()
        if isinstance(term, Read) and isinstance(term.index, Const) and term.field not in own
    }


def apply_start_options(game: Game, options: Options) -> None:
    """Give the chosen numbers to a game that is not sealed yet. Raises OptionError."""
    there = find_start_quantities(game)
    for option, chosen in options.values.items():
        name = option.removeprefix(PREFIX)
        if name == option or option in options.asked:  # no such option, or one that the rules know
            continue
        if name not in there:
            raise OptionError(f"{option}: `{game.name}` starts with {', '.join(there) or 'no such numbers'}")
        field, cell = there[name]
        written = str(chosen)
        value = int(written) if written.removeprefix("-").isdecimal() else None
        if value is None or not field.lo <= value <= field.hi:
            raise OptionError(f"{option}={written}: expected a number from {field.lo} to {field.hi}")
        options.asked.add(option)
        options.usual[option] = str(field.start[cell])
        field.start = (*field.start[:cell], value, *field.start[cell + 1 :])
