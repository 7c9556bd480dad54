"""The verb new: a small complete game to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from playproof.cli.arguments import Target, json_option, print_json
from playproof.database.places import PACKAGE

TEMPLATE = PACKAGE / "cli" / "template"


@click.command()
@click.argument("name")
@click.option(
    "--in",
    "parent",
    type=Target(folder=True),
    default=".",
    show_default=True,
    help="Make the game's folder in this folder.",
)
@json_option
def new(name: str, parent: Path, as_json: bool) -> None:
    """Write a small complete game into a new folder NAME: cards, layouts, rules and claims.

    You can build, play and prove it at once.
    """
    from playproof.database.errors import Finding, InputError, Where

    if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", name):
        raise click.UsageError(f"a game's name is small letters, digits and _, found `{name}`")
    folder = parent / name
    if folder.exists():
        raise InputError([Finding("PP807", Where(folder), "a file or folder of this name exists already")])
    title = name.replace("_", " ").title()
    made: list[str] = []
    for source in sorted(p for p in TEMPLATE.rglob("*") if p.is_file()):
        target = folder / source.relative_to(TEMPLATE).with_suffix(
            "" if source.suffix == ".txt" else source.suffix
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8").replace("@NAME@", name).replace("@TITLE@", title)
        target.write_text(text, encoding="utf-8")
        made.append(str(target))
    if as_json:
        print_json({"folder": str(folder), "files": made})
        return
    click.echo(
        f"made {folder}: try\n  playproof play {folder}\n  playproof simulate {folder} --games 10000\n"
        f"  playproof build {folder}\n  playproof prove {folder}"
    )
