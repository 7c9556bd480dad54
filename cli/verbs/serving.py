"""serve: play in the browser, look at what was built."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Play and look in the browser, on this machine only.")
@click.argument("games", nargs=-1)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free port.")
@click.option("--built", type=click.Path(file_okay=False, path_type=Path), default="output", show_default=True,
              help="The folder of built files.")
@click.option("--bot", default="greedy", show_default=True, help="Who plays the other seats.")
def serve(games: tuple[str, ...], port: int, built: Path, bot: str) -> None:
    """Show a web page on this machine only: play GAMES (default: all) and look at what was built."""
    from playproof.referee.bots import make_bot
    from playproof.referee.variant import Variant
    from playproof.referee.web import HOST, Site, playable, server
    from playproof.rules.registry import example_names, names

    make_bot(bot)
    chosen = {v.title: v for v in map(Variant, games)} if games else playable([*names(), *example_names()])
    running = server(Site(chosen, built, bot), port)
    click.echo(f"http://{HOST}:{running.server_port}/  (Ctrl-C stops)")
    with running:
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            click.echo("stopped")
