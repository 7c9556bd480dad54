"""The verb sheet: cards to and from spreadsheets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from playproof.cli.arguments import editable_game_argument, game_argument, json_option
from playproof.cli.documents import add_to_json_document, print_json


@click.group()
def sheet() -> None:
    """Take the cards of a game to a spreadsheet and back, or fetch published sheets."""


@sheet.command("export", short_help="Write the cards of a game as a spreadsheet.")
@game_argument
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
    from playproof.database.files import write_atomically
    from playproof.database.game import find_game_folder
    from playproof.database.sheet_export import export_sheets, format_sheet_files

    folder = find_game_folder(game)
    if to.suffix and to.suffix.lower() != ".xlsx":
        raise click.UsageError(f"expected a name that ends in .xlsx, or a folder, found `{to}`")
    is_book = to.suffix.lower() == ".xlsx"
    target = to.parent if is_book else to
    files = format_sheet_files(export_sheets(folder), "xlsx" if is_book else form, to.stem)
    for name, raw in files.items():
        write_atomically(target / name, raw)
    paths = [str(target / name) for name in files]
    if as_json:
        add_to_json_document({"files": paths})
    else:
        click.echo("\n".join(f"made     {path}" for path in paths))


@sheet.command("import", short_help="Take a changed spreadsheet back into the game.")
@editable_game_argument
@click.argument("source", metavar="FROM", type=click.Path(exists=True, path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Say which files would change, and write none.")
@click.option("--watch", is_flag=True, help="Then keep running, and take every saved change, until Ctrl-C.")
@json_option
def import_(game: str, source: Path, only_check: bool, watch: bool, as_json: bool) -> None:
    """Take the sheets of FROM, a file or a folder that `sheet export` wrote, back into the YAML files of GAME.

    Cells that did not change keep every byte of the YAML, comments too. If anything is wrong in the
    sheets, nothing is written, and each mistake is named by sheet, row and column.
    """
    from playproof.database.game import find_game_folder
    from playproof.database.sheet_import import import_sheets, read_all_tables, write_all_files

    folder = find_game_folder(game)

    def once() -> None:
        changed = import_sheets(folder, read_all_tables(source))
        if not only_check:
            write_all_files(changed)
        if as_json:
            part = {"changed": [str(path) for path in changed], "written": not only_check}
            if watch:
                print_json({"ok": True, "findings": [], **part})
            else:
                add_to_json_document(part)
            return
        verb = "would change" if only_check else "changed "
        click.echo("\n".join(f"{verb} {path}" for path in changed) or "nothing differs")

    if not watch:
        once()
        return
    _import_after_every_save(source, once)


def _import_after_every_save(source: Path, import_once: Callable[[], None]) -> None:
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
    for _ in watchfiles.watch(source if source.is_dir() else source.parent, recursive=False):
        attempt()


@sheet.command("fetch", short_help="Fetch published sheets again.")
@editable_game_argument
@json_option
def fetch(game: str, as_json: bool) -> None:
    """Fetch the sheets of GAME that have a `url` in game.yaml, such as published Google Sheets.

    They are kept as files beside the game. If one cannot be fetched or read, all files stay as they
    were.
    """
    from playproof.database.game import find_game_folder
    from playproof.database.sheet_fetch import fetch_sheets

    paths = [str(path) for path in fetch_sheets(find_game_folder(game))]
    if as_json:
        add_to_json_document({"files": paths})
    else:
        click.echo("\n".join(f"fetched  {path}" for path in paths) or "no sheet has a `url` in game.yaml")


@sheet.command("ids", short_help="List the ids of the cards, and where each card is written.")
@game_argument
@json_option
def ids(game: str, as_json: bool) -> None:
    """List the cards of GAME with their ids: those that are written, and those made from names for rows without one."""
    from playproof.database.game import load_game

    components = load_game(game).components.values()
    if as_json:
        add_to_json_document(
            {"ids": [{"id": c.id, "name": c.name, "where": str(c.where)} for c in components]}
        )
        return
    width = max((len(component.id) for component in components), default=0)
    click.echo("\n".join(f"{component.id:<{width}}  {component.where}" for component in components))
