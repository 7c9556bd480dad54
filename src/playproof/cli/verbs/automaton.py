"""The verb automaton: a strategy of the claims as a card to play by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    FALSE,
    ChosenSettings,
    OutputPath,
    game_argument,
    json_option,
    show_progress_text,
    variant_options,
    work_options,
)
from playproof.cli.documents import add_to_json_document

if TYPE_CHECKING:
    from playproof.verifier.questions.verdicts import Answer


@click.command()
@game_argument
@click.argument("claim", required=False)
@variant_options
@work_options
@click.option("--seat", type=click.IntRange(min=0), default=0, help="Without CLAIM: for which seat.")
@click.option(
    "--rules",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Without CLAIM: how many rules the card has at most.",
)
@click.option(
    "--out", type=OutputPath(folder=False), help="Write the card as Markdown here, not to the terminal."
)
@json_option
def automaton(
    game: str,
    claim: str | None,
    chosen: ChosenSettings,
    work: float,
    seconds: float | None,
    seat: int,
    rules: int,
    out: Path | None,
    as_json: bool,
) -> int:
    """Write the strategy of CLAIM as a card: rules to play by, alone or for a seat without a player, and what is
    proved of them.

    The claim is answered first. If it stays open, no card is written, and the exit status is 1. Without CLAIM, a short
    list of rules to win by is searched for, in games of at most 150,000 states that hide nothing from the seat.
    """
    from playproof.database.places import CARDS
    from playproof.verifier.kernel.certificate import NotShown
    from playproof.verifier.prove import prove
    from playproof.verifier.strategy_bot import load_strategy_claim
    from playproof.verifier.strategy_card import find_best_strategy_claim, format_strategy_card

    best = ""
    folder = Path(game) if Path(game).is_dir() else CARDS / game
    question = None if claim is None else load_strategy_claim(folder, claim)
    with show_progress_text("proving") as say:
        try:
            if question is None:
                question, best = find_best_strategy_claim(game, *chosen, seat=seat, max_rules=rules)
        except NotShown as error:
            click.echo(f"UNKNOWN: {error}", err=True)
            return FALSE
        answers = prove(
            game,
            *chosen,
            claims=[question] if claim is None else None,
            only=[question.id],
            work=work,
            seconds=seconds,
            progress=say,
        )
    if not answers:
        raise click.UsageError(f"the claim `{claim}` is about another chapter or option")
    [answer] = answers
    if answer.value is None:
        click.echo(f"{answer.verdict.value} {question.id}: {answer.reason}", err=True)
        return FALSE
    _write_strategy_card(format_strategy_card(game, question, answer) + best, answer, out, as_json=as_json)
    return 0


def _write_strategy_card(text: str, answer: Answer, out: Path | None, *, as_json: bool) -> None:
    if out is not None:
        from playproof.database.files import write_atomically

        write_atomically(out, text.encode())
    if as_json:
        add_to_json_document({"claim": answer.as_json(), "of": answer.of, "card": text})
    else:
        click.echo(text if out is None else f"{out}: {answer.says}", nl=out is not None)
