"""mutate: which lines of the rules and which cards no claim speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import FALSE, game_argument, json_option, print_json, seed_option, status

if TYPE_CHECKING:
    from playproof.mutants import Mutated


@click.command(short_help="Change rules and cards one at a time; say what no claim notices.")
@game_argument
@click.option("--number", type=click.IntRange(0), default=100, show_default=True,
              help="How many changes of the rules to try.")
@click.option("--cards", type=click.IntRange(0), default=0, show_default=True,
              help="How many changes of values on cards to try.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True,
              help="How many changes to try at the same time.")
@click.option("--least", type=click.IntRange(0, 100), default=0, show_default=True,
              help="The exit status is 1 if a smaller share, in percent, is noticed.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default="output", show_default=True,
              help="Keep results below this folder; a stopped run continues from there.")
@click.option("--marks", type=click.Path(dir_okay=False, path_type=Path),
              help="Print the cards with changes that nobody noticed, and mark the changes, as a PDF.")
@seed_option
@json_option
def mutate(game: str, number: int, cards: int, workers: int, least: int, out: Path, marks: Path | None, seed: int,
           as_json: bool) -> int:
    """Change the rules and cards of GAME, one thing at a time, and report which changes no claim notices.

    It changes numbers, comparisons, destinations and guards of the rules, and values of cards. Then it asks lint and
    the claims. A change is noticed if a claim is refuted or has another value, with evidence that the kernel accepts,
    or if lint finds an error. Each change that nobody notices is listed with its line.
    """
    from playproof.mutants import mutate as change
    from playproof.mutants.report import rate

    with status("mutating") as say:
        found = change(game, number=number, cards=cards, seed=seed, workers=workers, output=out, said=say)
    if marks is not None:
        _mark(game, found, marks)
    if as_json:
        print_json(found.as_json())
    else:
        for line in found.lines():
            click.echo(line)
    shares = [share for share in (rate(found.rules), rate(found.cards)) if share is not None]
    return FALSE if any(100 * share < least for share in shares) else 0


def _mark(game: str, found: Mutated, path: Path) -> None:
    from playproof.cli.marks import print_marks

    pages = print_marks(game, found.cards, path)
    click.echo(f"made     {path} ({pages} cards)", err=True)
