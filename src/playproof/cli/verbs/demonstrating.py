"""The verb demo: one game from its YAML to print, proof and play."""

from __future__ import annotations

from pathlib import Path

import click

from playproof.cli.arguments import out_option


@click.command()
@out_option("Write into this folder.")
def demo(out: Path) -> int:
    """Print, prove, replay and simulate the demo game, and say where everything is.

    It types the commands that you would type, and shows each. It takes about half a minute.
    """
    from playproof.cli.demo import read_demo_settings, run_demo

    return run_demo(read_demo_settings(), out)
