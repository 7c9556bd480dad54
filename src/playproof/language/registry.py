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
from typing import Any, NamedTuple, TypeVar

from playproof.database.errors import FindingCollector, InputError, make_path_relative_to_working_folder
from playproof.database.files import claim_output_folder_or_raise_if_taken, refuse_output_folders_of_other_games
from playproof.database.game import Game as Cards, has_game_file_or_printable_sheets, load_game
from playproof.database.game_files import find_misplaced_rules_file
from playproof.database.installation import CARDS, EXAMPLES
from playproof.language import Place, RulesError
from playproof.language.archive import load_descriptions_unless_rules_exist
from playproof.language.errors import find_definition_place, raise_first_carrying_all_if_any
from playproof.language.expr import Const, Read
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.options import OptionError, Options
from playproof.language.python_mistakes import convert_python_error_to_rules_error
from playproof.language.untraced_python import find_errors_of_ineffective_python

# Finds a game's rules by name or folder and builds its description.

_T = TypeVar("_T")
_OF_A_FOLDER = "playproof_game_"


class UnknownGame(LookupError):
    """No rules exist under this name."""


def list_bundled_game_names() -> list[str]:
    """Games in cards/ that have rules, in alphabetical order."""
    return sorted(file.parent.parent.name for file in CARDS.glob("*/rules/__init__.py"))


def list_example_game_names() -> list[str]:
    """Small public-domain games in examples/."""
    return sorted(p.stem for p in EXAMPLES.glob("*.py") if p.stem != "__init__")


def is_name_of_bundled_game(name: str) -> bool:
    """Return whether a bundled game or example has this name. The name then means that game, even if a folder in
    the working directory is called so too."""
    return name in list_bundled_game_names() or name in list_example_game_names()


def get_name_recorded_for_game(game_ref: str) -> str:
    """Return the name of a game by which files record it: its bundled name, or the name of its folder. It is never
    a path, because a file must not say whose rules are run."""
    return game_ref if is_name_of_bundled_game(game_ref) else Path(game_ref).resolve().name


def get_own_output_folder_or_raise(parent_folder: Path, game_ref: str, *, claim_ownership: bool = False) -> Path:
    """Return the folder below `parent_folder` for what is made of a game. Raises InputError (PP113) if it holds
    what was made of another game of the same name. Whoever writes there first says `claim_ownership`."""
    folder = parent_folder / get_name_recorded_for_game(game_ref)
    if claim_ownership:
        claim_output_folder_or_raise_if_taken(folder, _find_folder_or_file_of_game(game_ref))
    else:
        refuse_output_folders_of_other_games([(folder, _find_folder_or_file_of_game(game_ref))])
    return folder


def claim_name_of_game_here(game_ref: str) -> None:
    """Record that files that are called after this game, beside the folders of results, are this game's. Raises
    InputError (PP113) if they are those of another game of the same name."""
    get_own_output_folder_or_raise(Path(".playproof", "games"), game_ref, claim_ownership=True)


def _find_folder_or_file_of_game(game_ref: str) -> Path:
    """Return the folder or file in which a game is written."""
    if game_ref in list_bundled_game_names():
        return CARDS / game_ref
    if is_name_of_bundled_game(game_ref):
        return EXAMPLES / f"{game_ref}.py"
    return Path(game_ref)


def is_game_recorded_under_name(game_ref: str, recorded_name: str) -> bool:
    """Return whether a game is the one that a file records so."""
    return get_name_recorded_for_game(game_ref) == recorded_name


def load_rules_module(game_ref: str) -> ModuleType:
    """Return the module with `build(options)` (or `build(options, data)` if cards/ has data for the
    game).

    `game_ref` is the name of a game in cards/ or examples/, or a folder that holds `rules.py` or
    `rules/__init__.py`.
    """
    folder = Path(game_ref)
    if game_ref and not is_name_of_bundled_game(game_ref) and folder.is_dir():
        if folder.resolve().parent == CARDS and folder.resolve().name in list_bundled_game_names():
            return load_rules_module(folder.resolve().name)
        for file in (folder / "rules.py", folder / "rules" / "__init__.py"):
            if file.is_file():
                return _load_rules_module_from_file(file, f"{_OF_A_FOLDER}{folder.resolve().name}")
    if game_ref in list_bundled_game_names():
        return _load_converting_python_errors(lambda: importlib.import_module(f"playproof.cards.{game_ref}.rules"))
    if game_ref in list_example_game_names():
        return _load_converting_python_errors(lambda: importlib.import_module(f"playproof.examples.{game_ref}"))
    if folder.is_dir():
        elsewhere = find_misplaced_rules_file(folder)
        way_out = (
            f"; move {make_path_relative_to_working_folder(elsewhere)} to "
            f"{make_path_relative_to_working_folder(folder / 'rules.py')}"
            if elsewhere
            else " (to print needs none; `playproof docs tutorial-rules` says how rules are written)"
        )
        message = (
            f"expected rules.py or rules/__init__.py in "
            f"{make_path_relative_to_working_folder(folder)}, found neither{way_out}"
        )
        raise UnknownGame(message)
    raise UnknownGame(
        f"no rules for `{game_ref}`; known are {', '.join([*list_bundled_game_names(), *list_example_game_names()])}"
    )


def require_rules_or_descriptions(game_ref: str) -> None:
    """Check that a name or folder is a game with rules or descriptions. Raises UnknownGame."""
    if load_descriptions_unless_rules_exist(game_ref) is None:
        load_rules_module(game_ref)


def _load_converting_python_errors(load: Callable[[], _T]) -> _T:
    """Load rules. An exception in them, such as a misspelt import or a syntax error, becomes a
    RulesError."""
    try:
        return load()
    except (RulesError, InputError):
        raise
    except (Exception, SystemExit) as error:
        raise convert_python_error_to_rules_error(error) from error


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
        # of `is` and its like, which `find_errors_of_ineffective_python` names with their place
        warnings.simplefilter("ignore", SyntaxWarning)
        _load_converting_python_errors(lambda: _load_without_bytecode(lambda: loader.exec_module(module)))
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


def has_rules_but_no_cards(game_ref: str) -> bool:
    """Return whether a name or folder is a game that has rules and no cards. Raises RulesError if the rules
    cannot be loaded."""
    folder = Path(game_ref)
    if has_game_file_or_printable_sheets(folder) or game_ref in list_bundled_game_names():
        return False
    if load_descriptions_unless_rules_exist(game_ref) is not None:
        return True
    has_rules = (folder / "rules.py").is_file() or (folder / "rules" / "__init__.py").is_file()
    return (has_rules or is_name_of_bundled_game(game_ref)) and not _does_build_take_second_parameter(
        load_rules_module(game_ref)
    )


def load_cards_if_rules_need_them(game_ref: str, errata: bool | str = True) -> Any:
    """Return the cards of a game, patched as `database.load_game` says, or None if its rules take
    no data."""
    return load_game(game_ref, errata=errata) if needs_cards_to_build_rules(game_ref) else None


def needs_cards_to_build_rules(game_ref: str) -> bool:
    """Return whether the rules of a game are built from cards."""
    described = load_descriptions_unless_rules_exist(game_ref)
    return (
        _does_build_take_second_parameter(load_rules_module(game_ref)) if described is None else bool(described.cards)
    )


def _does_build_take_second_parameter(module: ModuleType) -> bool:
    """Return whether the rules are `build(options, data)` and not `build(options)`."""
    return len(signature(module.build).parameters) > 1


def build(ref: str, options: Options | None = None, data: Any = None) -> Game:
    """Return the game's description under the given options; `data` replaces its cards (for
    errata)."""
    chosen = options or Options()
    described = load_descriptions_unless_rules_exist(ref)
    if described is not None:
        cards = data if data is not None else load_cards_if_rules_need_them(ref)
        game = described.load_described_game(chosen, cards)
        game.cards = cards
        return game
    module = load_rules_module(ref)
    cards = data if data is not None else load_cards_if_rules_need_them(ref)
    without_effect = find_errors_of_ineffective_python(_list_rule_files_unless_bundled(module))
    try:
        game = _build_and_seal_game(module, chosen, cards)
    except RulesError as error:
        raise_first_carrying_all_if_any(_keep_first_error_of_each_line_sorted([*error.all, *without_effect]))
        raise
    raise_first_carrying_all_if_any(_keep_first_error_of_each_line_sorted(without_effect))
    game.cards = cards
    return game


def _list_rule_files_unless_bundled(module: ModuleType) -> list[Path]:
    """Return the files of rules that a designer wrote. Those of the bundled games are read by a test."""
    if not module.__name__.startswith(_OF_A_FOLDER) or module.__file__ is None:
        return []
    file = Path(module.__file__)
    return sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]


def _keep_first_error_of_each_line_sorted(errors: Sequence[RulesError]) -> list[RulesError]:
    """Return the errors in the order of their lines. One error per line is enough: the first one caused
    what follows there."""
    lines: dict[tuple[str, int], RulesError] = {}
    for error in errors:
        lines.setdefault((error.place.file, error.place.line), error)
    return sorted(lines.values(), key=lambda e: (e.place.file, e.place.line, e.place.column))


def _build_and_seal_game(module: ModuleType, options: Options, cards: Any) -> Game:
    """Return the finished description, which agrees with the options and the cards."""
    arguments = [options, cards] if _does_build_take_second_parameter(module) else [options]
    if isinstance(cards, Cards):
        options.in_force.update(cards.ruled)
    game = _call_build_function(module, arguments)
    set_start_numbers_from_options(game, options)
    if options.list_names_never_asked_for():
        names, rulings = sorted(options.asked - options.read.keys()), sorted(options.read)
        raise OptionError(
            f"`{game.name}` does not know {', '.join(options.list_names_never_asked_for())}; it knows "
            f"{', '.join(names) or 'no options'}{_format_ruling_names(rulings)}"
        )
    game.setting = options.get_non_default_setting()
    if isinstance(cards, Cards):
        _refuse_disagreement_with_game_yaml(game, options, cards)
    return game.seal()


def _format_ruling_names(rulings: Sequence[str]) -> str:
    return f", and as rulings {', '.join(rulings)}" if rulings else ""


def _refuse_disagreement_with_game_yaml(game: Game, options: Options, cards: Cards) -> None:
    """Check that the rules' options and number of players agree with game.yaml. Raises
    InputError."""
    collector, facts = FindingCollector(), cards.facts
    for name, switch in facts.options.items():
        allowed = options.choices.get(name)
        if allowed is None:
            continue  # read as free text, or not under these other options
        where = cards.node.get_node_or_nearest_ancestor(["options", name]).where
        listed = [str(value) for value in switch.values]
        usual = allowed[0]
        if sorted(allowed) != sorted(listed):
            collector.add_finding(
                "PP350",
                where,
                f"option `{name}`: expected the values of the rules, {', '.join(allowed)}; found {', '.join(listed)}",
            )
        elif str(switch.default) != usual:
            collector.add_finding(
                "PP350", where, f"option `{name}`: the rules' default is {usual}, found {switch.default}"
            )
    players, where = facts.players, cards.node.get_node_or_nearest_ancestor(["players"]).where
    written = (cards.folder / "game.yaml").is_file()  # cards of a spreadsheet alone say nothing of players
    counts = [int(n) for n in options.choices.get("players", ()) if n.isdigit()] or [game.players]
    fewest, most = min(counts), max(counts)
    if written and players is not None and (players.min, players.max) != (fewest, most):
        collector.add_finding(
            "PP350",
            where,
            f"expected {fewest} to {most} players, as the rules have it; found {players.min} to {players.max}",
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
        raise convert_python_error_to_rules_error(error) from error
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


class FieldCell(NamedTuple):
    field: Field
    cell_index: int


def map_single_cell_quantities_to_field_and_cell(game: Game) -> dict[str, FieldCell]:
    """Return the quantities of a game that are one cell: the field and the place in it, by name. The phase and the
    outcome are none, because the game itself says how they begin."""
    own = (game.current_phase.field, game.outcome.field)
    return {
        name: FieldCell(term.field, term.index.value)
        for name, term in game.quantities.items()
        if isinstance(term, Read) and isinstance(term.index, Const) and term.field not in own
    }


def set_start_numbers_from_options(game: Game, options: Options) -> None:
    """Give the chosen numbers to a game that is not sealed yet. Raises OptionError."""
    there = map_single_cell_quantities_to_field_and_cell(game)
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
