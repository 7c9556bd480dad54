"""serve: play in the browser."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command(short_help="Play at a table in the browser.")
@click.argument("games", nargs=-1)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free port.")
@click.option("--lan", is_flag=True, help="Open it to the local network, with QR codes for the seats.")
@click.option("--saves", type=click.Path(file_okay=False, path_type=Path), default=".playproof/tables",
              show_default=True, help="The folder of the games under way; each is saved at every move.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes in which bots think.  [default: by cores]")
def serve(games: tuple[str, ...], port: int, lan: bool, saves: Path, workers: int | None) -> int | None:
    """Put GAMES (default: all) on a table in the browser: the printed boards and cards, people and bots at the seats.

    It answers on this machine only; with --lan also in the local network. Ctrl-C stops it; the games go on where they
    were when it is started again.
    """
    from playproof.rules.registry import example_names, module_of, names
    from playproof.table.running import Busy, run

    chosen = games or (*names(), *example_names())
    for game in chosen:
        module_of(game)
    try:
        run(chosen, port, saves, lan=lan, workers=workers, tell=click.echo)
    except Busy as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    return None
