"""The verb new: a small complete game to start from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

from playproof.cli.arguments import OutputPath, is_parameter_given, json_option, show_progress_text
from playproof.cli.documents import add_to_json_document
from playproof.database.places import PACKAGE

HERE = PACKAGE / "cli"
TEMPLATE, KINDS, COOKBOOK = HERE / "template", HERE / "kinds", HERE / "cookbook"
ORDINARY = "solo"
SCHEMAS = ".schemas"
_COMMON = {"gitignore.txt": ".gitignore", "github.txt": ".github/workflows/playproof.yml"}


def list_game_kinds() -> list[str]:
    """Return the kinds of game that `new` can write."""
    return sorted(
        [ORDINARY, *(path.name for path in KINDS.iterdir() if path.is_dir() and path.name != "common")]
    )


def list_cookbook_games() -> list[str]:
    """Return the games of the cookbook."""
    return sorted(path.name for path in COOKBOOK.iterdir() if (path / "rules.py").is_file())


@click.command()
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(list_game_kinds()),
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
    "--from",
    "mechanism",
    type=click.Choice(list_cookbook_games()),
    metavar="NAME",
    help="Begin with the rules of a game of the cookbook instead, such as draft.",
)
@click.option(
    "--in",
    "parent",
    type=OutputPath(folder=True),
    default=".",
    show_default=True,
    help="Make the game's folder in this folder.",
)
@json_option
def new(name: str, kind: str, sheet: Path | None, mechanism: str | None, parent: Path, as_json: bool) -> None:
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
        raise InputError.from_single_finding(
            "PP807", Where(folder), "a file or folder of this name exists already"
        )
    if sheet is not None:
        if mechanism or is_parameter_given("kind"):
            raise click.UsageError("--sheet is the beginning of a game; leave out --kind and --from")
        _make_game_from_sheet(folder, sheet, as_json)
        return
    source = COOKBOOK / mechanism if mechanism else TEMPLATE if kind == ORDINARY else KINDS / kind
    made = [
        _write_text_file(folder / target, text)
        for target, text in _iter_new_game_files(source, name, mechanism)
    ]
    made += _write_editor_files(folder)
    if as_json:
        add_to_json_document({"folder": str(folder), "files": [str(path) for path in made]})
        return
    click.echo("\n  ".join([f"made {folder}: try", *_suggest_first_commands(folder)]))


def _make_game_from_sheet(folder: Path, sheet: Path, as_json: bool) -> None:
    """Write a game from a sheet, and say what became of each of its columns."""
    from playproof.cli.sheet_start import create_game_from_sheet

    with show_progress_text(f"reading {sheet.name}"):
        starts = create_game_from_sheet(sheet, folder)
        for target, text in _iter_common_files():
            _write_text_file(folder / target, text)
        _write_editor_files(folder)
    if as_json:
        files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
        add_to_json_document(
            {"folder": str(folder), "files": files, "kinds": [start.as_json() for start in starts]}
        )
        return
    click.echo("\n".join(line for start in starts for line in start.format_lines()))
    looks = ", ".join(str(folder / "layouts" / f"{start.kind}.yaml") for start in starts)
    click.echo(f"how they look is in {looks}")
    click.echo("\n  ".join([f"made {folder}: try", *_suggest_first_commands(folder)]))


def _iter_new_game_files(source: Path, name: str, mechanism: str | None) -> Iterator[tuple[str, str]]:
    """Yield the path of each file of a new game, and its text."""
    title = name.replace("_", " ").title()
    for path in sorted(p for p in source.rglob("*") if p.is_file() and p.suffix != ".pyc"):
        target = path.relative_to(source).as_posix().removesuffix(".txt")
        text = path.read_text(encoding="utf-8")
        if mechanism:
            text = text.replace(f'Game("{mechanism}"', f'Game("{name}"')
        yield target, text.replace("@NAME@", name).replace("@TITLE@", title)
    yield from _iter_common_files()


def _iter_common_files() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that every new game gets."""
    for file, target in _COMMON.items():
        text = (KINDS / "common" / file).read_text(encoding="utf-8")
        yield target, text.replace("@PLAYPROOF@", find_pip_requirement())


def find_pip_requirement() -> str:
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


def _write_text_file(path: Path, text: str) -> Path:
    from playproof.database.files import write_atomically

    write_atomically(path, text.encode())
    return path


def _write_editor_files(folder: Path) -> list[Path]:
    """Write schemas of the game's files, and tell editors that speak YAML's language server which file has which."""
    from playproof.database.game import SPECIAL, has_cards, load_game
    from playproof.database.game_schema import make_schema, write
    from playproof.database.source import read_yaml_file
    from playproof.generator.build.products import BuildSpec
    from playproof.generator.layout.layout_schema import build_layout_schema

    schemas = folder / SCHEMAS
    written = (
        write(load_game(folder), schemas) if has_cards(folder) or (folder / "claims.yaml").is_file() else []
    )
    written.append(
        _write_text_file(schemas / "layout.schema.json", json.dumps(build_layout_schema(), indent=2) + "\n")
    )
    of_build = json.dumps(make_schema(BuildSpec, "Playproof: build"), indent=2)
    written.append(_write_text_file(schemas / "build.schema.json", of_build + "\n"))
    by_file = {"layouts/*.yaml": "layout"} | {f"{stem}.yaml": stem for stem in SPECIAL}
    cards = [path for path in folder.glob("*.yaml") if path.stem not in SPECIAL]
    by_file |= {path.name: str(read_yaml_file(path).get_nearest(["kind"]).value) for path in cards}
    by_schema: dict[str, str | list[str]] = {schema: file for file, schema in by_file.items()}
    by_schema |= {"layout": ["layouts/*.yaml", "!layouts/build.yaml"], "build": "layouts/build.yaml"}
    by_schema["erratum"] = "errata/*.yaml"
    settings = {
        "yaml.schemas": {f"./{SCHEMAS}/{schema}.schema.json": file for schema, file in by_schema.items()}
    }
    written.append(
        _write_text_file(folder / ".vscode" / "settings.json", json.dumps(settings, indent=2) + "\n")
    )
    for file, schema in by_file.items():
        for path in folder.glob(file):
            up = "../" * (len(path.relative_to(folder).parts) - 1)
            line = f"# yaml-language-server: $schema={up}{SCHEMAS}/{schema}.schema.json\n"
            _write_text_file(path, line + path.read_text(encoding="utf-8"))
    return written


def _suggest_first_commands(folder: Path) -> list[str]:
    """Return the commands that show the most of a new game."""
    from playproof.database.game import has_rules

    play = (
        [f"playproof play {folder}", f"playproof simulate {folder} --games 10000"]
        if has_rules(folder)
        else []
    )
    build = [f"playproof build {folder}"] if (folder / "layouts").is_dir() else []
    prove = [f"playproof prove {folder}"] if (folder / "claims.yaml").is_file() else []
    return [*play, *build, *prove] if play else [f"playproof lint {folder}", *build]
