"""The verbs new, sheet and lint: a small complete game to start from, its cards in spreadsheets, and its checks."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from playproof.cli.arguments import (
    folder_of_new_game_option,
    game_argument_refusing_archives,
    game_argument_with_trust_option,
    games_argument_with_trust_option,
    is_parameter_given_on_command_line,
    json_option,
    print_findings_and_choose_exit_status,
    show_progress_of_work_in_words,
)
from playproof.cli.output import add_command_result_to_json_document, print_json
from playproof.database.installation import PACKAGE

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.generator.layout.first_layout import CardSize


# -- making --------------------------------------------------------------------------------------------------
# The verb new: a small complete game to start from.

HERE = PACKAGE / "cli"
TEMPLATE, KINDS, COOKBOOK = HERE / "template", HERE / "kinds", HERE / "cookbook"
ORDINARY = "solo"
SCHEMAS = ".schemas"
_COMMON = {"gitignore.txt": ".gitignore", "github.txt": ".github/workflows/playproof.yml"}


def list_template_kinds_of_new_games() -> list[str]:
    """Return the kinds of game that `new` can write."""
    return sorted([ORDINARY, *(path.name for path in KINDS.iterdir() if path.is_dir() and path.name != "common")])


def list_names_of_cookbook_games() -> list[str]:
    """Return the games of the cookbook."""
    return sorted(path.name for path in COOKBOOK.iterdir() if (path / "rules.py").is_file())


@click.command("new")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(list_template_kinds_of_new_games()),
    default=ORDINARY,
    show_default=True,
    help="What kind of game. `cards` and `party` keep their cards in a sheet.",
)
@click.option(
    "--sheet",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Begin with a sheet of cards of your own (XLSX, ODS, CSV, TSV, JSON) and a layout drafted for it.",
)
@click.option(
    "--size",
    metavar="SIZE",
    help="How large the cards of --sheet are: poker, bridge, tarot, mini or another size of layouts; or 70x120 in mm.",
)
@click.option(
    "--from",
    "mechanism",
    type=click.Choice(list_names_of_cookbook_games()),
    metavar="NAME",
    help="Begin with the rules of a game of the cookbook instead, such as draft.",
)
@folder_of_new_game_option
@json_option
def write_new_game(
    name: str, kind: str, sheet: Path | None, size: str | None, mechanism: str | None, parent: Path, as_json: bool
) -> None:
    """Write a small complete game into a new folder NAME: cards, layouts, rules and claims.

    You can build, play and prove it at once. With --sheet, it is a game of your own cards: each column
    becomes a title, a text, a number or a picture on them, by what its cells hold, and pictures beside the sheet are
    copied. The folder also gets a .gitignore, schemas for editors, and a workflow for GitHub that lints, proves and
    builds.
    """
    from playproof.database.errors import InputError, Where
    from playproof.database.files import DEVICE

    if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", name) or DEVICE.match(name):
        near = re.sub(r"\W+", "_", name.lower()).strip("_0123456789") or "mygame"
        if DEVICE.match(name):  # Windows makes no folder of this name
            near += "_game"
        message = f"a game's name is small letters, digits and _, found `{name}`; write `{near}`"
        raise click.UsageError(message)
    folder = parent / name
    if folder.exists():
        message = "a file or folder of this name exists already"
        raise InputError.from_single_finding(
            "PP807", Where(folder, 0), message, _make_hint_for_existing_new_folder(folder)
        )
    if size is not None and sheet is None:
        raise click.UsageError(
            "--size is of cards of your own: --sheet; a game of a --kind has its sizes in layouts/*.yaml, `size:`"
        )
    if sheet is not None:
        if mechanism or is_parameter_given_on_command_line("kind"):
            raise click.UsageError("--sheet is the beginning of a game; leave out --kind and --from")
        _create_game_from_sheet_and_report(folder, sheet, size, as_json)
        return
    source = COOKBOOK / mechanism if mechanism else TEMPLATE if kind == ORDINARY else KINDS / kind
    made = [
        _write_text_file_and_return_path(folder / target, text)
        for target, text in _iter_paths_and_texts_of_new_game(source, name, mechanism)
    ]
    made += _write_schemas_and_mark_yaml_files(folder)
    if as_json:
        add_command_result_to_json_document({"folder": str(folder), "files": [str(path) for path in made]})
        return
    click.echo("\n  ".join([f"made {folder}: try", *_list_first_commands_to_try(folder)]))


def _make_hint_for_existing_new_folder(folder: Path) -> str:
    """Return what to do where the folder of a new game exists."""
    from playproof.database.game import has_game_file_or_printable_sheets, has_rules_file

    stem = folder.name.rstrip("0123456789")
    names = (f"{stem}{number}" for number in itertools.count(2))
    free = next(name for name in names if not (folder.parent / name).exists())
    if folder.is_dir() and (has_game_file_or_printable_sheets(folder) or has_rules_file(folder)):
        return f"it is a game, `playproof build {folder}` prints it; for a new one take a name as `{free}`"
    return f"take a name as `{free}`, or delete it first"


def _parse_card_size_or_raise_usage_error(size: str) -> CardSize:
    """Return the size of cards that an option asks for. Raises UsageError."""
    from playproof.database.errors import make_nearest_or_possible_words_hint
    from playproof.generator.layout.first_layout import LARGEST_CARD, SMALLEST_CARD, parse_card_size_or_none
    from playproof.generator.layout.model import SIZES

    parsed = parse_card_size_or_none(size)
    if parsed is None:
        message = (
            f"--size expects the name of a size, or `70x120` with sides of {SMALLEST_CARD:g} to {LARGEST_CARD:g} mm, "
            f"found `{size}`"
        )
        raise click.UsageError(f"{message}; {make_nearest_or_possible_words_hint(size, SIZES)}")
    return parsed


def _create_game_from_sheet_and_report(game_folder: Path, sheet: Path, size: str | None, as_json: bool) -> None:
    """Write a game from a sheet, and say what became of each of its columns."""
    from playproof.generator.layout.game_from_sheet import create_game_folder_from_sheet

    card_size = None if size is None else _parse_card_size_or_raise_usage_error(size)
    with show_progress_of_work_in_words(f"reading {sheet.name}") as report_progress:
        imported = create_game_folder_from_sheet(sheet, game_folder, card_size, report_progress)
        for target, text in _iter_paths_and_texts_of_common_files():
            _write_text_file_and_return_path(game_folder / target, text)
        _write_schemas_and_mark_yaml_files(game_folder)
    if as_json:
        files = sorted(str(path) for path in game_folder.rglob("*") if path.is_file())
        add_command_result_to_json_document(
            {"folder": str(game_folder), "files": files, "kinds": [start.as_json() for start in imported.kinds]}
            | {"left_out": list(imported.left_out), "language": imported.language}
        )
        return
    click.echo("\n".join(imported.iter_import_report_lines()))
    click.echo(f"{sheet.name} was copied: edit {game_folder / sheet.name} from now on")
    looks = ", ".join(str(game_folder / "layouts" / f"{start.kind}.yaml") for start in imported.kinds)
    click.echo(f"how they look is in {looks}")
    click.echo("\n  ".join([f"made {game_folder}: try", *_list_first_commands_to_try(game_folder)]))


class NewFile(NamedTuple):
    path: str
    text: str


def _iter_paths_and_texts_of_new_game(
    template_folder: Path, game_name: str, cookbook_game: str | None
) -> Iterator[NewFile]:
    """Yield the path of each file of a new game, and its text."""
    title = game_name.replace("_", " ").title()
    for path in sorted(p for p in template_folder.rglob("*") if p.is_file() and p.suffix != ".pyc"):
        target = path.relative_to(template_folder).as_posix().removesuffix(".txt")
        text = path.read_text(encoding="utf-8")
        if cookbook_game:
            text = text.replace(f'Game("{cookbook_game}"', f'Game("{game_name}"')
        yield NewFile(target, text.replace("@NAME@", game_name).replace("@TITLE@", title))
    yield from _iter_paths_and_texts_of_common_files()


def _iter_paths_and_texts_of_common_files() -> Iterator[NewFile]:
    """Yield the path and the text of each file that every new game gets."""
    for file, target in _COMMON.items():
        text = (KINDS / "common" / file).read_text(encoding="utf-8")
        yield NewFile(target, text.replace("@PLAYPROOF@", find_pip_requirement_or_empty()))


def find_pip_requirement_or_empty() -> str:
    """Return what `pip install` takes on another machine to install this Playproof: the address in version control
    that it came from, or its name and version if it came from an index. Return "" for a wheel or a folder of this
    machine, which no other machine has."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution("playproof")
    except PackageNotFoundError:
        return ""
    # by PEP 610; there is none after an install from an index
    origin = installed.read_text("direct_url.json")
    if origin is None:
        return f"playproof=={installed.version}"
    source = json.loads(origin)
    version_control = source.get("vcs_info")
    if version_control is None or source["url"].startswith("file:"):
        return ""
    return f"{version_control['vcs']}+{source['url']}@{version_control['commit_id']}"


def _write_text_file_and_return_path(path: Path, text: str) -> Path:
    from playproof.database.files import write_file_atomically

    write_file_atomically(path, text.encode())
    return path


def _write_schemas_and_mark_yaml_files(game_folder: Path) -> list[Path]:
    """Write schemas of the game's files, and tell editors that speak YAML's language server which file has which."""
    from playproof.database.component_files import SPECIAL
    from playproof.database.game import has_game_file_or_printable_sheets, load_game
    from playproof.database.game_schema import make_json_schema_of_model, write
    from playproof.database.source import read_yaml_file
    from playproof.generator.build.products import BuildSpec
    from playproof.generator.layout.model import build_layout_json_schema

    schemas = game_folder / SCHEMAS
    written = (
        write(load_game(game_folder), schemas)
        if has_game_file_or_printable_sheets(game_folder) or (game_folder / "claims.yaml").is_file()
        else []
    )
    written.append(
        _write_text_file_and_return_path(
            schemas / "layout.schema.json", json.dumps(build_layout_json_schema(), indent=2) + "\n"
        )
    )
    of_build = json.dumps(make_json_schema_of_model(BuildSpec, "Playproof: build"), indent=2)
    written.append(_write_text_file_and_return_path(schemas / "build.schema.json", of_build + "\n"))
    by_file = {"layouts/*.yaml": "layout"} | {f"{stem}.yaml": stem for stem in SPECIAL}
    cards = [path for path in game_folder.glob("*.yaml") if path.stem not in SPECIAL]
    by_file |= {path.name: str(read_yaml_file(path).get_node_or_nearest_ancestor(["kind"]).value) for path in cards}
    by_schema: dict[str, str | list[str]] = {schema: file for file, schema in by_file.items()}
    by_schema |= {"layout": ["layouts/*.yaml", "!layouts/build.yaml"], "build": "layouts/build.yaml"}
    by_schema["erratum"] = "errata/*.yaml"
    settings = {"yaml.schemas": {f"./{SCHEMAS}/{schema}.schema.json": file for schema, file in by_schema.items()}}
    written.append(
        _write_text_file_and_return_path(
            game_folder / ".vscode" / "settings.json", json.dumps(settings, indent=2) + "\n"
        )
    )
    for file, schema in by_file.items():
        for path in game_folder.glob(file):
            up = "../" * (len(path.relative_to(game_folder).parts) - 1)
            line = f"# yaml-language-server: $schema={up}{SCHEMAS}/{schema}.schema.json\n"
            _write_text_file_and_return_path(path, line + path.read_text(encoding="utf-8"))
    return written


def _list_first_commands_to_try(game_folder: Path) -> list[str]:
    """Return the commands that show the most of a new game."""
    from playproof.database.game import has_rules_file

    play = (
        [f"playproof play {game_folder}", f"playproof simulate {game_folder} --games 10000"]
        if has_rules_file(game_folder)
        else []
    )
    build = [f"playproof build {game_folder}"] if (game_folder / "layouts").is_dir() else []
    prove = [f"playproof prove {game_folder}"] if (game_folder / "claims.yaml").is_file() else []
    return [*play, *build, *prove] if play else [f"playproof lint {game_folder}", *build]


# -- sheet ---------------------------------------------------------------------------------------------------
# The verb sheet: cards to and from spreadsheets.


@click.group("sheet")
def group_sheet_commands() -> None:
    """Take the cards of a game to a spreadsheet and back, or fetch published sheets."""


@group_sheet_commands.command("export", short_help="Write the cards of a game as a spreadsheet.")
@game_argument_with_trust_option
@click.argument("to", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "tsv"]),
    default="csv",
    show_default=True,
    help="The format of the files in a folder.",
)
@json_option
def export_(game: str, to: Path, form: str, as_json: bool) -> None:
    """Write the cards of GAME to TO: one workbook if it ends in .xlsx, else a folder of text files.

    Each YAML file of cards becomes a sheet, each card a row, each property a column.
    """
    from playproof.database.files import write_file_atomically
    from playproof.database.game import require_game_folder
    from playproof.database.sheet_exchange import encode_sheet_files_by_name, make_sheets_of_unpatched_game

    folder = require_game_folder(game)
    if to.suffix and to.suffix.lower() != ".xlsx":
        raise click.UsageError(f"expected a name that ends in .xlsx, or a folder, found `{to}`")
    is_book = to.suffix.lower() == ".xlsx"
    target = to.parent if is_book else to
    files = encode_sheet_files_by_name(make_sheets_of_unpatched_game(folder), "xlsx" if is_book else form, to.stem)
    for name, raw in files.items():
        write_file_atomically(target / name, raw)
    paths = [str(target / name) for name in files]
    if as_json:
        add_command_result_to_json_document({"files": paths})
    else:
        click.echo("\n".join(f"made     {path}" for path in paths))


@group_sheet_commands.command("import", short_help="Take a changed spreadsheet back into the game.")
@game_argument_refusing_archives
@click.argument("source", metavar="FROM", type=click.Path(exists=True, path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Say which files would change, and write none.")
@click.option("--watch", is_flag=True, help="Then keep running, and take every saved change, until Ctrl-C.")
@json_option
def import_(game: str, source: Path, only_check: bool, watch: bool, as_json: bool) -> None:
    """Take the sheets of FROM, a file or a folder that `sheet export` wrote, back into the YAML files of GAME.

    Cells that did not change keep every byte of the YAML, comments too. If anything is wrong in the
    sheets, nothing is written, and each mistake is named by sheet, row and column.
    """
    from playproof.database.game import require_game_folder
    from playproof.database.sheet_exchange import (
        make_changed_yaml_files_from_sheets,
        read_worksheets_of_file_or_folder,
        write_all_files_or_none,
    )

    folder = require_game_folder(game)

    def once() -> None:
        changed = make_changed_yaml_files_from_sheets(folder, read_worksheets_of_file_or_folder(source))
        if not only_check:
            write_all_files_or_none(changed)
        if as_json:
            part = {"changed": [str(path) for path in changed], "written": not only_check}
            if watch:
                print_json({"ok": True, "findings": [], **part})
            else:
                add_command_result_to_json_document(part)
            return
        verb = "would change" if only_check else "changed "
        click.echo("\n".join(f"{verb} {path}" for path in changed) or "nothing differs")

    if not watch:
        once()
        return
    _import_sheets_after_every_save(source, once)


def _import_sheets_after_every_save(sheet_source: Path, import_once: Callable[[], None]) -> None:
    """Take the sheets now and after every save. A mistake is reported, and the last good state stays."""
    import watchfiles

    from playproof.database.errors import InputError

    def attempt() -> None:
        try:
            import_once()
        except InputError as error:
            click.echo(str(error), err=True)

    attempt()
    click.echo("watching; Ctrl-C ends")
    for _ in watchfiles.watch(sheet_source if sheet_source.is_dir() else sheet_source.parent, recursive=False):
        attempt()


@group_sheet_commands.command("fetch", short_help="Fetch published sheets again.")
@game_argument_refusing_archives
@json_option
def fetch(game: str, as_json: bool) -> None:
    """Fetch the sheets of GAME that have a `url` in game.yaml, such as published Google Sheets.

    They are kept as files beside the game. If one cannot be fetched or read, all files stay as they
    were.
    """
    from playproof.database.game import require_game_folder
    from playproof.database.sheet_exchange import download_published_sheets_into_game

    paths = [str(path) for path in download_published_sheets_into_game(require_game_folder(game))]
    if as_json:
        add_command_result_to_json_document({"files": paths})
    else:
        click.echo("\n".join(f"fetched  {path}" for path in paths) or "no sheet has a `url` in game.yaml")


@group_sheet_commands.command("ids", short_help="List the ids of the cards, and where each card is written.")
@game_argument_with_trust_option
@json_option
def ids(game: str, as_json: bool) -> None:
    """List the cards of GAME with their ids: those that are written, and those made from names for rows without one."""
    from playproof.database.game import load_game

    components = load_game(game).components.values()
    if as_json:
        add_command_result_to_json_document(
            {"ids": [{"id": c.id, "name": c.name, "where": str(c.where)} for c in components]}
        )
        return
    width = max((len(component.id) for component in components), default=0)
    click.echo("\n".join(f"{component.id:<{width}}  {component.where}" for component in components))


# -- linting -------------------------------------------------------------------------------------------------
# The verb lint: check that the data is consistent in itself and with the rules.


@click.command("lint")
@games_argument_with_trust_option()
@json_option
def lint_games(games: tuple[str, ...], as_json: bool) -> int:
    """Check the cards of GAMES: counts, numbers, calls, costs, icons, texts and provenance.

    Also draw every face once, lay the table of layouts, and check that rulebook and rules name the
    same things, that each claim can be understood, and that the printed pieces are enough to play.
    Of rules without cards, check the rules alone. If there is no error, some hundred steps of
    random games look for rules that break, and for what they tell of hidden cards.
    """
    from playproof.database.errors import make_path_relative_to_working_folder
    from playproof.database.process_memory import pause_garbage_collection_and_freeze_objects
    from playproof.database.source import enable_cache_of_parsed_files

    enable_cache_of_parsed_files()  # a game is read once for its findings, and again with each proposed erratum
    findings: list[Finding] = []
    names = [str(make_path_relative_to_working_folder(Path(game))) for game in games]
    with show_progress_of_work_in_words(f"checking {names[0]}") as say, pause_garbage_collection_and_freeze_objects():
        for game, name in zip(games, names, strict=True):
            say(f"checking {name}")
            findings += _list_lint_and_random_play_findings(game)
    return print_findings_and_choose_exit_status(
        findings, as_json=as_json, success_message=f"no errors in {', '.join(names)}"
    )


def _list_lint_and_random_play_findings(game_ref: str) -> list[Finding]:
    """Return the findings of a game; one without cards has only rules and claims to check."""
    from playproof.language.registry import has_rules_but_no_cards

    if has_rules_but_no_cards(game_ref):
        from playproof.linting.rules import collect_findings_on_rules_without_cards

        return _add_random_play_findings_if_no_error(
            game_ref,
            [*collect_findings_on_rules_without_cards(game_ref), *_list_claim_mistakes_without_cards(game_ref)],
        )
    from playproof.cli.output import findings_from_rules_error
    from playproof.database.errors import InputError
    from playproof.database.game import require_game_folder
    from playproof.language import RulesError
    from playproof.linting.whole_game import list_all_lint_findings_of_game, list_errors_in_layout_files

    try:
        return _add_random_play_findings_if_no_error(
            game_ref, list_all_lint_findings_of_game(game_ref, jobs=os.cpu_count() or 1)
        )
    except RulesError as error:  # it hides no mistake of the layouts
        raise InputError(
            [*findings_from_rules_error(error), *list_errors_in_layout_files(require_game_folder(game_ref))]
        ) from None


def _add_random_play_findings_if_no_error(game_ref: str, findings: list[Finding]) -> list[Finding]:
    """Return findings with those of random games, if there is no error and there are rules."""
    from playproof.language.registry import UnknownGame, build
    from playproof.linting.random_play import list_problems_found_by_random_play

    if any(finding.severity == "error" for finding in findings):
        return findings
    try:
        return [*findings, *list_problems_found_by_random_play(build(game_ref))]
    except UnknownGame:  # cards without rules
        return findings


def _list_claim_mistakes_without_cards(game_ref: str) -> list[Finding]:
    """Return what is wrong in the claims of a game without cards, if it has any."""
    from playproof.language.registry import is_name_of_bundled_game

    if is_name_of_bundled_game(game_ref) or not (Path(game_ref) / "claims.yaml").is_file():
        return []
    from playproof.database.game import load_game
    from playproof.verifier.questions.claim_check import claims_to_questions_by_id_or_raise, list_mistakes_in_questions
    from playproof.verifier.questions.claims_of_game import replace_seat_names_by_numbers

    claims = replace_seat_names_by_numbers(game_ref, claims_to_questions_by_id_or_raise(load_game(game_ref).claims))
    return list_mistakes_in_questions(game_ref, claims.values(), claims)
