"""The verbs export archive and export unpack."""

from __future__ import annotations

from pathlib import Path

import click

from playproof.cli.arguments import OutputPath, editable_game_argument, json_option, papers_option
from playproof.cli.documents import add_to_json_document


@click.command()
@editable_game_argument
@click.option("--out", type=OutputPath(folder=False), help="Write the archive here.  [default: GAME.zip]")
@click.option(
    "--evidence",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Put in the evidence of this folder.  [default: output/GAME/evidence, if there]",
)
@click.option("--sheets", is_flag=True, help="Put in the print files, and the fonts that they show.")
@papers_option
@json_option
def archive(
    game: str, out: Path | None, evidence: Path | None, sheets: bool, papers: tuple[str, ...], as_json: bool
) -> None:
    """Make an archive of GAME: its cards, layouts, claims, evidence and rulebook, its Python as source, and
    descriptions of the default setting, of each value of an option or ruling, and of each setting that a claim asks
    about or a recorded game was played under.

    Every command takes an archive where it takes a game, and runs none of its Python without --trust.
    """
    from hashlib import sha256

    from playproof.archives.contents import build_game_archive
    from playproof.database.files import write_atomically
    from playproof.language.registry import get_game_name, get_output_folder

    usual = Path("output") / get_game_name(game) / "evidence"
    if evidence is None and usual.is_dir():
        evidence = get_output_folder(Path("output"), game) / "evidence"
    proofs = evidence
    made = build_game_archive(game, evidence=proofs, sheets=(papers or ("A4", "Letter")) if sheets else ())
    for file in made.old:
        click.echo(f"{proofs}/{file}: left out, it is of other rules; prove the claim again", err=True)
    target = out or Path(f"{made.name}.zip")
    write_atomically(target, made.data)
    name = sha256(made.data).hexdigest()
    if as_json:
        rows = [{**setting, "description": digest} for setting, digest in made.settings]
        add_to_json_document(
            {"path": str(target), "digest": name, "files": len(made.files), "settings": rows}
        )
        return
    settings = "1 setting" if len(made.settings) == 1 else f"{len(made.settings)} settings"
    click.echo(f"{target}  ({len(made.data) / 1000:.0f} kB, {len(made.files)} files, {settings})")


@click.command()
@click.argument("file", metavar="ARCHIVE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--in",
    "parent",
    type=OutputPath(folder=True),
    default=".",
    show_default=True,
    help="Make the game's folder in this folder.",
)
@json_option
def unpack(file: Path, parent: Path, as_json: bool) -> None:
    """Write the files of ARCHIVE into a new folder, with its Python.

    Commands that take this folder run its Python. Do so if you trust who wrote it.
    """
    from playproof.database.errors import InputError, Where
    from playproof.language.archive import unpack_archive as write_files

    try:
        folder = write_files(str(file), parent)
    except FileExistsError as error:
        raise InputError.from_single_finding("PP807", Where(parent), str(error)) from None
    if as_json:
        add_to_json_document({"folder": str(folder)})
    else:
        click.echo(f"{folder}: commands that take this folder run its Python")
