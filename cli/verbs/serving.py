"""serve: play in the browser."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Play at a table in the browser.")
@click.argument("games", nargs=-1)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free port.")
@click.option("--lan", is_flag=True, help="Open it to the local network, with QR codes for the seats.")
@click.option("--saves", type=click.Path(file_okay=False, path_type=Path), default=".playproof/tables",
              show_default=True, help="The folder of the games under way; each is saved at every move.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes in which bots think.  [default: by cores]")
@click.option("--pace", type=click.FloatRange(0, 10), default=0.35, show_default=True,
              help="Seconds a bot waits before it acts, so that people can follow.")
def serve(games: tuple[str, ...], port: int, lan: bool, saves: Path, workers: int | None, pace: float) -> int:
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
        run(chosen, port, saves, lan=lan, workers=workers, pace=pace, tell=click.echo)
    except Busy as error:
        click.echo(str(error), err=True)
        return 2
    return 0


@click.command(short_help="Make one page of a recorded game, with its pictures.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The page.  [default: FILE with .html]")
@click.option("--seat", type=click.IntRange(1), help="Show it as this seat saw it.  [default: all hands open]")
def replay(file: Path, out: Path | None, seat: int | None) -> int:
    """Make one HTML page of the transcript FILE: every moment of the table with the printed pictures, and the log.

    The page needs no server and nothing from the network: send it to a friend.
    """
    from playproof.generator.files import write_atomically
    from playproof.referee.judging import load
    from playproof.table.placing import NoTable, Spread
    from playproof.table.replay import replay_html

    match = load(file)
    players = match.game.players
    if seat is not None and seat > players:
        raise click.UsageError(f"the game has {players} seats, --seat names {seat}")
    try:
        spread = Spread(match.variant)
    except NoTable as error:
        click.echo(str(error), err=True)
        return 2
    target = out or file.with_suffix(".html")
    write_atomically(target, replay_html(match, spread, None if seat is None else seat - 1).encode())
    click.echo(f"{target}  ({target.stat().st_size / 1000:.0f} kB, {len(match.steps)} steps)")
    return 0
