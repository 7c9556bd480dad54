"""The verb migrate: files of older versions, and what they need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from playproof.cli.arguments import json_option
from playproof.cli.documents import add_to_json_document


class _FileOrGamePath(click.Path):
    """A path, or the name of a game of the package, which stands for its folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fails for one that does not exist."""
        from playproof.database.game import find_game_folder, list_games_in_folder

        named = not Path(value).exists() and value in list_games_in_folder()
        return find_game_folder(value) if named else super().convert(value, param, ctx)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=_FileOrGamePath(exists=True, path_type=Path))
@click.option("--write", "wanted", is_flag=True, help="Write the changes: all of them, or none.")
@json_option
def migrate(paths: tuple[Path, ...], wanted: bool, as_json: bool) -> None:
    """Say of PATHS (games, recorded games, evidence, archives) what each file is, and what it needs to be
    read by this version.

    Nothing is written without --write. A file of a newer version is refused by its name; then nothing is written.
    """
    from playproof.archives.migration import plan_migrations, write_migrations

    plans = plan_migrations(paths)
    if wanted:
        write_migrations(plans)
    rows = [
        {
            "path": str(each.path),
            "kind": each.kind,
            "where": str(change.where),
            "change": change.what,
            "by_hand": change.by_hand,
        }
        for each in plans
        for change in each.changes
    ]
    if as_json:
        add_to_json_document(
            {"files": [{"path": str(each.path), "kind": each.kind} for each in plans], "changes": rows}
        )
        return
    for row in rows:
        done = "by hand" if row["by_hand"] else "changed" if wanted else "change"
        click.echo(f"{done:<8} {row['where']}: {row['change']}")
    current = sum(1 for each in plans if not each.changes)
    click.echo(f"{current} of {len(plans)} files are as this version reads them")
    if any(not row["by_hand"] for row in rows) and not wanted:
        click.echo("nothing is written yet; add --write")
