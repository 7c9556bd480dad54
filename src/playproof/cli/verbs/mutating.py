"""The verb mutate: find the lines of the rules and the cards that no claim covers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    FALSE,
    OutputPath,
    count_option,
    fresh_option,
    game_argument,
    json_option,
    print_number_of_stored_answers,
    require_rules,
    seed_option,
    show_progress_text,
)
from playproof.cli.clusters import cluster_option, connect_to_cluster
from playproof.cli.documents import add_to_json_document

if TYPE_CHECKING:
    from playproof.mutation.mutate import MutationReport


@click.command()
@game_argument
@count_option("--number", 0, 100, "How many changes of the rules to try.")
@count_option("--cards", 0, 0, "How many changes of values on cards to try.")
@count_option("--workers", 1, 2, "How many changes to try at the same time.")
@count_option("--least", 0, 0, "The exit status is 1 if a smaller share, in percent, is noticed.", 100)
@click.option(
    "--marks",
    type=OutputPath(folder=False),
    help="Print the cards with changes that nobody noticed, and mark the changes, as a PDF.",
)
@click.option(
    "--propose",
    type=OutputPath(folder=True),
    help="Write games below this folder that show what nobody noticed, to be recorded as claims.",
)
@fresh_option
@seed_option
@cluster_option()
@json_option
def mutate(
    game: str,
    number: int,
    cards: int,
    workers: int,
    least: int,
    marks: Path | None,
    propose: Path | None,
    fresh: bool,
    seed: int,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Change the rules and cards of GAME, one thing at a time, and report which changes no claim
    notices.

    It changes numbers, comparisons, destinations and guards of the rules, makes slips such as a statement left out or
    two steps swapped, and changes values of cards. Then it asks lint and the claims. A change is noticed if a claim is
    refuted or has another value, with evidence that the kernel accepts, or if lint finds an error. Each change that
    nobody notices is listed with its line. A stopped run continues where it was.
    """
    from playproof.mutation.mutate import run_mutation_test as change
    from playproof.mutation.noticed_report import detection_rate

    if cards:
        require_rules(game, "--cards changes cards")
    client = connect_to_cluster(cluster)
    with show_progress_text("mutating") as say:
        mutated = change(
            game,
            number=number,
            cards=cards,
            seed=seed,
            workers=workers,
            remember=not fresh,
            on_progress=say,
            client=client,
        )
    if marks is not None:
        _print_cards_with_unnoticed_changes(game, mutated, marks)
    if propose is not None:
        _write_proposed_transcripts(game, mutated, propose, seed)
    if as_json:
        add_to_json_document(mutated.as_json())
    else:
        for line in mutated.format_lines():
            click.echo(line)
        print_number_of_stored_answers(sum(v.earlier for v in (*mutated.rules, *mutated.cards)))
    shares = [
        share for share in (detection_rate(mutated.rules), detection_rate(mutated.cards)) if share is not None
    ]
    return FALSE if any(100 * share < least for share in shares) else 0


def _write_proposed_transcripts(game: str, mutated: MutationReport, folder: Path, seed: int) -> None:
    """Write one transcript per proposed game into a folder, and print its path."""
    from playproof.database.files import write_atomically
    from playproof.mutation.mutate import propose_distinguishing_games
    from playproof.mutation.sampling import SURVIVED

    for number, record in enumerate(
        propose_distinguishing_games(game, [v.key for v in mutated.rules if v.state == SURVIVED], seed=seed),
        1,
    ):
        path = folder / f"told-{number}.txt"
        text = record.format_transcript("A recorded game. claims.yaml holds it against the rules.")
        write_atomically(path, text.encode())
        click.echo(
            f"made     {path} ({len(record.actions_to_last_difference)} actions, tells {len(record.signs)} changes)",
            err=True,
        )


def _print_cards_with_unnoticed_changes(game: str, mutated: MutationReport, path: Path) -> None:
    from playproof.cli.unclaimed_cards import print_cards_with_unnoticed_changes

    pages = print_cards_with_unnoticed_changes(game, mutated.cards, path)
    click.echo(
        f"made     {path} ({pages} cards)" if pages else "no card has a change that nobody noticed", err=True
    )
