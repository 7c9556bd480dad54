"""The verb ledger: what the cards of a game give and take, before anybody plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from playproof.cli.arguments import FALSE, OutputPath, game_argument, json_option, warn_of_unreadable_claims
from playproof.cli.documents import add_to_json_document

if TYPE_CHECKING:
    from playproof.database.game import Game


@click.command()
@game_argument
@click.option(
    "--picture",
    type=OutputPath(folder=False),
    help="Write what each phase gives and takes as a picture, an SVG file.",
)
@json_option
def ledger(game: str, picture: Path | None, as_json: bool) -> int:
    """Count what the cards of GAME give and take, before anybody plays: a table for each kind of card.

    A game needs no rules for that. `worth` in claims.yaml says what a token or an effect is worth to you, and `phase`
    by which names cards are put together. Cards whose worth is far from that of the others are named, and so are
    claims about the cards (`ask: ledger`) that are not true.
    """
    from playproof.database.game import load_game
    from playproof.verifier.economy import (
        balances_to_json as data_of,
        build_economy_tables,
        draw_economy_svg as drawn,
    )

    cards = load_game(game)
    warn_of_unreadable_claims(cards)
    if cards.unread_claim_findings:
        cards = replace(cards, claims={})
    tables, broken = build_economy_tables(cards), _find_broken_ledger_claims(cards)
    if picture is not None:
        from playproof.database.files import write_atomically

        write_atomically(picture, drawn(f"{cards.title}: what the cards give and take", tables).encode())
    if as_json:
        add_to_json_document({"game": cards.name, "tables": data_of(tables), "broken": broken})
        return FALSE if broken else 0
    width = get_terminal_size().columns  # 80 where there is no terminal
    for table in tables:
        click.echo("\n".join(table.format_table_lines(width)) + "\n")
    for name, why in broken.items():
        click.echo(f"not true: {name}: {why}")
    if picture is not None:
        click.echo(f"made     {picture}", err=True)
    return FALSE if broken else 0


def _find_broken_ledger_claims(cards: Game) -> dict[str, Any]:
    """Return the claims about the cards that are not as expected, each with what was counted."""
    from playproof.verifier.questions.claims_file import questions_from_claims
    from playproof.verifier.questions.ledger import evaluate_ledger_claim, format_breaking_rows
    from playproof.verifier.questions.verdicts import Conclusion, Verdict, decide_verdict

    broken = {}
    for question in questions_from_claims(cards.claims).values():
        if question.ask == "ledger":
            result = evaluate_ledger_claim(tuple(cards.components.values()), question.of, question.where)
            answer = Conclusion(result.value, "cards", vacuous=result.value is None)
            if decide_verdict(answer, question.expect) is not Verdict.PROVEN:
                broken[question.id] = format_breaking_rows(result.breakers) or f"counted {result.value}"
    return broken
