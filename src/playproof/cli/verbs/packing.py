"""The verbs pack and unpack."""

from __future__ import annotations

from pathlib import Path

import click

from playproof.cli.arguments import Target, json_option, print_json


@click.command(short_help="Make one file of a game, which others use without running its Python.")
@click.argument("game")
@click.option("--out", type=Target(folder=False), help="Write the archive here.  [default: GAME.zip]")
@json_option
def pack(game: str, out: Path | None, as_json: bool) -> None:
    """Make an archive of GAME: its cards, layouts, claims and rulebook, its Python as source, and a
    description of the default setting, of each value of an option, and of each setting that a claim asks about.

    Every command takes an archive where it takes a game, and runs none of its Python.
    """
    from hashlib import sha256

    from playproof.archives.contents import archive_of
    from playproof.generator.files import write_atomically

    made = archive_of(game)
    target = out or Path(f"{made.name}.zip")
    write_atomically(target, made.data)
    name = sha256(made.data).hexdigest()
    if as_json:
        rows = [{**setting, "description": digest} for setting, digest in made.settings]
        print_json({"path": str(target), "digest": name, "files": len(made.files), "settings": rows})
        return
    settings = "1 setting" if len(made.settings) == 1 else f"{len(made.settings)} settings"
    click.echo(f"{target}  ({len(made.data) / 1000:.0f} kB, {len(made.files)} files, {settings})")


@click.command(short_help="Write the files of an archive into a folder.")
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--in",
    "parent",
    type=Target(folder=True),
    default=".",
    show_default=True,
    help="Make the game's folder in this folder.",
)
@json_option
def unpack(archive: Path, parent: Path, as_json: bool) -> None:
    """Write the files of ARCHIVE into a new folder, with its Python.

    Commands that take this folder run its Python. Do so if you trust who wrote it.
    """
    from playproof.database.errors import Finding, InputError, Where
    from playproof.language.archive import unpack as write_files

    try:
        folder = write_files(str(archive), parent)
    except FileExistsError as error:
        raise InputError([Finding("PP807", Where(parent), str(error))]) from None
    if as_json:
        print_json({"folder": str(folder)})
    else:
        click.echo(f"{folder}: commands that take this folder run its Python")
