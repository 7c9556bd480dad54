"""The verb ledger: what the cards of a game give and take, before anybody plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from playproof.cli.arguments import FALSE, OutPath, game_argument, json_option, name_unread
from playproof.cli.documents import add_document

if TYPE_CHECKING:
    from playproof.database.game import Game


@click.command()
@game_argument
@click.option(
    "--picture",
    type=OutPath(folder=False),
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
    from playproof.verifier.economy import as_json as data_of, economy, picture as drawn

    cards = load_game(game)
    name_unread(cards)
    if cards.unread:
        cards = replace(cards, claims={})
    tables, broken = economy(cards), _broken(cards)
    if picture is not None:
        from playproof.database.files import write_atomically

        write_atomically(picture, drawn(f"{cards.title}: what the cards give and take", tables).encode())
    if as_json:
        add_document({"game": cards.name, "tables": data_of(tables), "broken": broken})
        return FALSE if broken else 0
    width = get_terminal_size().columns  # 80 where there is no terminal
    for table in tables:
        click.echo("\n".join(table.lines(width)) + "\n")
    for name, why in broken.items():
        click.echo(f"not true: {name}: {why}")
    if picture is not None:
        click.echo(f"made     {picture}", err=True)
    return FALSE if broken else 0


def _broken(cards: Game) -> dict[str, Any]:
    """Return the claims about the cards that are not as expected, each with what was counted."""
    from playproof.verifier.questions.claims_file import questions_of
    from playproof.verifier.questions.ledger import counted, named
    from playproof.verifier.questions.verdicts import Conclusion, Verdict, judge

    broken = {}
    for question in questions_of(cards.claims).values():
        if question.ask == "ledger":
            result = counted(tuple(cards.components.values()), question.of, question.where)
            answer = Conclusion(result.value, "cards", vacuous=result.value is None)
            if judge(answer, question.expect) is not Verdict.PROVEN:
                broken[question.id] = named(result.breakers) or f"counted {result.value}"
    return broken
