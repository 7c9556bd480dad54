"""Commands behind the verb prove: automaton, ledger and mutate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from playproof.cli.arguments import (
    FALSE,
    ChosenSettings,
    OutputPath,
    cluster_option,
    connect_to_dask_cluster_or_none,
    fresh_option,
    game_argument_with_trust_option,
    json_option,
    print_count_of_reused_answers_if_any,
    print_warning_of_unreadable_claims,
    require_rules_not_only_descriptions,
    seed_option,
    show_progress_of_work_in_words,
    variant_options_as_chosen_settings,
    whole_number_option,
    work_and_seconds_options,
)
from playproof.cli.output import add_command_result_to_json_document

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.mutation.mutate import MutationReport
    from playproof.verifier.questions.verdicts import Answer


# -- automaton -----------------------------------------------------------------------------------------------
# The verb automaton: a strategy of the claims as a card to play by.


@click.command("automaton")
@game_argument_with_trust_option
@click.argument("claim", required=False)
@variant_options_as_chosen_settings
@work_and_seconds_options
@click.option("--seat", type=click.IntRange(min=0), default=0, help="Without CLAIM: for which seat.")
@click.option(
    "--rules",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Without CLAIM: how many rules the card has at most.",
)
@click.option("--out", type=OutputPath(folder=False), help="Write the card as Markdown here, not to the terminal.")
@json_option
def write_proven_strategy_as_card(
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
    from playproof.database.installation import CARDS
    from playproof.verifier.analysis.strategies import (
        find_best_rules_claim_and_comparison,
        format_strategy_card_as_markdown,
        load_strategy_claim_by_id_or_raise,
    )
    from playproof.verifier.kernel.certificate import NotShown
    from playproof.verifier.prove import prove

    best = ""
    folder = Path(game) if Path(game).is_dir() else CARDS / game
    question = None if claim is None else load_strategy_claim_by_id_or_raise(folder, claim)
    with show_progress_of_work_in_words("proving") as say:
        try:
            if question is None:
                question, best = find_best_rules_claim_and_comparison(game, *chosen, seat=seat, max_rules=rules)
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
    _write_or_print_strategy_card(
        format_strategy_card_as_markdown(game, question, answer) + best, answer, out, as_json=as_json
    )
    return 0


def _write_or_print_strategy_card(card_text: str, answer: Answer, output_file: Path | None, *, as_json: bool) -> None:
    if output_file is not None:
        from playproof.database.files import write_file_atomically

        write_file_atomically(output_file, card_text.encode())
    if as_json:
        add_command_result_to_json_document({"claim": answer.as_json(), "of": answer.of, "card": card_text})
    else:
        written = f"made     {output_file}" + (f": {answer.says}" if answer.says else "")
        click.echo(card_text if output_file is None else written, nl=output_file is not None)


# -- ledger --------------------------------------------------------------------------------------------------
# The verb ledger: what the cards of a game give and take, before anybody plays.


@click.command("ledger")
@game_argument_with_trust_option
@click.option(
    "--picture", type=OutputPath(folder=False), help="Write what each phase gives and takes as a picture, an SVG file."
)
@json_option
def decide_card_ledger_and_print_gains_and_costs(game: str, picture: Path | None, as_json: bool) -> int:
    """Count what the cards of GAME give and take, before anybody plays: a table for each kind of card.

    A game needs no rules for that. `worth` in claims.yaml says what a token or an effect is worth to you, and `phase`
    by which names cards are put together. Cards whose worth is far from that of the others are named, and so are
    claims about the cards (`ask: ledger`) that are not true.
    """
    from playproof.database.game import load_game
    from playproof.verifier.analysis.economy import (
        balances_to_json_rows as data_of,
        build_balance_of_card_kinds_with_numbers,
        draw_balances_as_svg as drawn,
    )

    cards = load_game(game)
    print_warning_of_unreadable_claims(cards)
    if cards.unread_claim_findings:
        cards = replace(cards, claims={})
    tables, broken = build_balance_of_card_kinds_with_numbers(cards), _explain_untrue_ledger_claims_by_id(cards)
    if picture is not None:
        from playproof.database.files import write_file_atomically

        write_file_atomically(picture, drawn(f"{cards.title}: what the cards give and take", tables).encode())
    if as_json:
        add_command_result_to_json_document({"game": cards.name, "tables": data_of(tables), "broken": broken})
        return FALSE if broken else 0
    width = get_terminal_size().columns  # 80 where there is no terminal
    for table in tables:
        click.echo("\n".join(table.format_balance_table_lines(width)) + "\n")
    for name, why in broken.items():
        click.echo(f"not true: {name}: {why}")
    if picture is not None:
        click.echo(f"made     {picture}", err=True)
    return FALSE if broken else 0


def _explain_untrue_ledger_claims_by_id(cards: Game) -> dict[str, Any]:
    """Return the claims about the cards that are not as expected, each with what was counted."""
    from playproof.verifier.questions.claim_check import claims_to_questions_by_id_or_raise
    from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise
    from playproof.verifier.questions.verdicts import (
        Conclusion,
        Verdict,
        decide_verdict_from_value_and_expectation,
        format_first_breaking_rows,
    )

    broken = {}
    for question in claims_to_questions_by_id_or_raise(cards.claims).values():
        if question.ask == "ledger":
            result = count_ledger_claim_on_cards_or_raise(tuple(cards.components.values()), question.of, question.where)
            answer = Conclusion(result.value, "cards", vacuous=result.value is None)
            if decide_verdict_from_value_and_expectation(answer, question.expect) is not Verdict.PROVEN:
                broken[question.id] = format_first_breaking_rows(result.breakers) or f"counted {result.value}"
    return broken


# -- mutating ------------------------------------------------------------------------------------------------
# The verb mutate: find the lines of the rules and the cards that no claim covers.


@click.command("mutate")
@game_argument_with_trust_option
@whole_number_option("--number", 0, 100, "How many changes of the rules to try.")
@whole_number_option("--cards", 0, 0, "How many changes of values on cards to try.")
@whole_number_option("--workers", 1, 2, "How many changes to try at the same time.")
@whole_number_option("--least", 0, 0, "The exit status is 1 if a smaller share, in percent, is noticed.", 100)
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
def report_mutants_that_no_claim_notices(
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
    from playproof.mutation.mutate import (
        compute_share_of_noticed_mutants_or_none,
        run_mutation_test_and_build_report as change,
    )

    if cards:
        require_rules_not_only_descriptions(game, "--cards changes cards")
    client = connect_to_dask_cluster_or_none(cluster)
    with show_progress_of_work_in_words("mutating") as say:
        mutated = change(
            game,
            rule_change_count=number,
            card_change_count=cards,
            seed=seed,
            workers=workers,
            remember=not fresh,
            on_progress=say,
            client=client,
        )
    if marks is not None:
        _write_pdf_of_cards_changed_unnoticed(game, mutated, marks)
    if propose is not None:
        _write_games_exposing_unnoticed_changes(game, mutated, propose, seed)
    if as_json:
        add_command_result_to_json_document(mutated.to_json_of_mutate_command())
    else:
        for line in mutated.format_report_lines():
            click.echo(line)
        print_count_of_reused_answers_if_any(sum(v.earlier for v in (*mutated.rules, *mutated.cards)))
    shares = [
        share
        for share in (
            compute_share_of_noticed_mutants_or_none(mutated.rules),
            compute_share_of_noticed_mutants_or_none(mutated.cards),
        )
        if share is not None
    ]
    return FALSE if any(100 * share < least for share in shares) else 0


def _write_games_exposing_unnoticed_changes(
    game: str, mutation_report: MutationReport, transcripts_folder: Path, seed: int
) -> None:
    """Write one transcript per proposed game into a folder, and print its path."""
    from playproof.database.files import write_file_atomically
    from playproof.mutation.mutate import propose_distinguishing_games
    from playproof.mutation.sampling import SURVIVED

    for number, record in enumerate(
        propose_distinguishing_games(game, [v.key for v in mutation_report.rules if v.state == SURVIVED], seed=seed), 1
    ):
        path = transcripts_folder / f"told-{number}.txt"
        text = record.format_transcript_with_notes("A recorded game. claims.yaml holds it against the rules.")
        write_file_atomically(path, text.encode())
        click.echo(
            f"made     {path} ({len(record.actions_to_last_difference)} actions, tells {len(record.signs)} changes)",
            err=True,
        )


def _write_pdf_of_cards_changed_unnoticed(game: str, mutation_report: MutationReport, pdf_path: Path) -> None:
    from playproof.mutation.unclaimed_cards import write_unnoticed_changes_pdf_count_cards

    pages = write_unnoticed_changes_pdf_count_cards(game, mutation_report.cards, pdf_path)
    click.echo(
        f"made     {pdf_path} ({pages} cards)" if pages else "no card has a change that nobody noticed", err=True
    )
