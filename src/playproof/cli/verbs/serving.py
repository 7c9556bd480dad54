"""The verbs serve, workshop and replay: play and edit in the browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    OutputPath,
    count_option,
    editable_game_argument,
    game_option,
    games_argument,
    out_option,
    saves_option,
)

if TYPE_CHECKING:
    from playproof.generator.build import BuiltFile


@click.command()
@games_argument(required=False)
@count_option("--port", 0, 8765, "The port; 0 takes any free port.", 65535)
@click.option("--lan", is_flag=True, help="Open the table to the local network, with QR codes for the seats.")
@click.option(
    "--public-url",
    metavar="URL",
    default="",
    help="The address that a proxy on this machine shows to the world: https://games.example. Needs --behind-proxy.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine brings people here; the lobby opens to whoever has its key.",
)
@click.option(
    "--keep-days", type=click.IntRange(1), help="Delete tables that nobody has touched for so many days."
)
@saves_option("The folder of the games in progress; each is saved after every move.")
@click.option(
    "--workers", type=click.IntRange(1, 64), help="How many processes bots use.  [default: by cores]"
)
@click.option(
    "--pace",
    type=click.FloatRange(0, 10),
    default=0.35,
    show_default=True,
    help="Seconds a bot waits before it acts, so that people can follow.",
)
def serve(
    games: tuple[str, ...],
    port: int,
    lan: bool,
    public_url: str,
    behind_proxy: bool,
    keep_days: int | None,
    saves: Path,
    workers: int | None,
    pace: float,
) -> int:
    """Put GAMES (default: that of this folder, else all) on a table in the browser: the printed boards and
    cards, people and bots at the seats.

    The table answers on this machine only; with --lan also in the local network. Ctrl-C stops it.
    When you start it again, the games continue where they were.
    """
    from playproof.language.registry import check_playable, list_example_names, list_game_names
    from playproof.table.start_server import PortUnavailable, run_server

    public = public_url.rstrip("/")
    if bool(public) != behind_proxy:
        raise click.UsageError(
            "--public-url and --behind-proxy belong together: one names the address, the other the way"
        )
    if public and not re.fullmatch(r"https?://[\w.-]+(:\d+)?", public, re.ASCII):
        raise click.UsageError(
            f"--public-url: expected https://HOST or https://HOST:PORT, found {public_url}"
        )
    chosen = games or (*list_game_names(), *list_example_names())
    for game in chosen:
        check_playable(game)
    try:
        run_server(
            chosen,
            port,
            saves,
            lan=lan,
            public=public,
            workers=workers,
            pace=pace,
            keep_days=keep_days,
            print_line=click.echo,
        )
    except PortUnavailable as error:
        click.echo(str(error), err=True)
        return 2
    return 0


@click.command()
@editable_game_argument
@count_option("--port", 0, 8765, "The port; 0 takes any free port.", 65535)
@out_option("Make the print files below this folder, in the game's own folder.")
@click.option(
    "--paper", default="A4", show_default=True, metavar="NAME", help="The paper of the print files."
)
@click.option(
    "--lan", is_flag=True, help="Open the tables to the local network, and the workshop to nobody there."
)
@saves_option("The folder of the games in progress.")
def workshop(game: str, port: int, out: Path, paper: str, lan: bool, saves: Path) -> int:
    """Show GAME in the browser while you edit it: every face, old beside new, lint, sheets and
    rulebook.

    The page follows each save. A click on a part of a face shows the file and the line that made
    it. A card's own page edits its lines. The claims that a save can touch are proved again, and
    each verdict shows as it is found. You can play the game at the same address, with --lan also
    with others, who see nothing of the workshop.
    """
    from playproof.cli.saved_claims import make_claim_asker
    from playproof.language.registry import UnknownGame, check_playable
    from playproof.linting.whole_game import lint_whole_game
    from playproof.table.editing import EditedGame
    from playproof.table.start_server import PortUnavailable, run_server

    playable: tuple[str, ...] = (game,)
    try:
        check_playable(game)
    except UnknownGame:
        playable = ()  # cards without rules yet
    ask = make_claim_asker(game, out) if playable else None
    edited = EditedGame(
        game, lambda: lint_whole_game(game), lambda: _build_outdated_files(game, out, paper), ask
    )
    try:
        run_server(playable, port, saves, lan=lan, edited=edited, print_line=click.echo)
    except PortUnavailable as error:
        click.echo(str(error), err=True)
        return 2
    return 0


def _build_outdated_files(name: str, out: Path, paper: str) -> list[BuiltFile]:
    """Build the print files that are out of date and return all of them."""
    from playproof.cli.recorded_moves import RefereedGamePlayer
    from playproof.database.game import load_game
    from playproof.generator.build import build
    from playproof.generator.sheets import load_printer

    game = load_game(name)
    return build(game, out / game.name, papers=[paper], printer=load_printer(), plays=RefereedGamePlayer())


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=OutputPath(folder=False), help="Write the page here.  [default: FILE with .html]")
@click.option(
    "--seat", type=click.IntRange(1), help="Show the game as this seat saw it.  [default: all hands open]"
)
@game_option
def replay(file: Path, out: Path | None, seat: int | None, game: str | None) -> int:
    """Make one HTML page of the transcript FILE: every moment of the table with the printed
    pictures, and the log.

    The page needs no server and nothing from the network, so you can send it to a friend.
    """
    from playproof.database.files import write_atomically
    from playproof.referee.judging import load
    from playproof.table.placing import NoTable, TableLayout
    from playproof.table.replay_page import render_replay_html

    match = load(file, game)
    players = match.game.players
    if seat is not None and seat > players:
        raise click.UsageError(f"the game has {players} seats, --seat names {seat}")
    try:
        spread = TableLayout(match.variant)
    except NoTable as error:
        click.echo(str(error), err=True)
        return 2
    target = out or file.with_suffix(".html")
    write_atomically(target, render_replay_html(match, spread, None if seat is None else seat - 1).encode())
    click.echo(f"{target}  ({target.stat().st_size / 1000:.0f} kB, {len(match.steps)} steps)")
    return 0
