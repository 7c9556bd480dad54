"""The verbs prove and check."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    FALSE,
    NEEDS_MORE,
    ChosenSettings,
    cluster_option,
    connect_to_dask_cluster_or_none,
    extract_archive_or_return_reference,
    fresh_option,
    game_and_trust_options,
    game_argument_with_trust_option,
    games_argument_with_trust_option,
    is_parameter_given_on_command_line,
    json_option,
    output_folder_option,
    print_count_of_reused_answers_if_any,
    require_rules_not_only_descriptions,
    show_progress_of_work_in_words,
    variant_options_as_chosen_settings,
    work_and_seconds_options,
    work_limit_option,
)
from playproof.cli.output import (
    INTERNAL,
    INTERRUPTED,
    WRONG_INPUT,
    add_command_result_to_json_document,
    report_error_and_choose_exit_status,
)

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.verifier.analysis.what_if import RaisedNumberResult
    from playproof.verifier.kernel.claim_terms import Target
    from playproof.verifier.questions.verdicts import Answer
    from playproof.verifier.search.case import GameCase


second_option = click.option(
    "--second", "twice", is_flag=True, help="Also ask cvc5 what the kernel asks over integers, if it is not too long."
)


@click.command("prove")
@games_argument_with_trust_option(required=False)
@click.option("--all", "everything", is_flag=True, help="Every game in cards/.")
@click.option("--claim", "only", multiple=True, metavar="ID", help="Only this claim; may be repeated.")
@variant_options_as_chosen_settings
@work_and_seconds_options
@output_folder_option("Write evidence below this folder.")
@click.option("--common", is_flag=True, help="Ask the common claims too. A game without claims is asked them anyway.")
@click.option("--all-answered", is_flag=True, help="The exit status is 1 if a claim stays UNKNOWN.")
@second_option
@cluster_option()
@json_option
def answer_claims_with_evidence(
    games: tuple[str, ...],
    everything: bool,
    all_answered: bool,
    only: tuple[str, ...],
    chosen: ChosenSettings,
    work: float,
    seconds: float | None,
    out: Path,
    common: bool,
    twice: bool,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Answer each claim in the claims.yaml of GAMES: PROVEN, REFUTED, UNKNOWN (and why), or
    VACUOUS. Without claims, answer the common ones: bounds, dead ends, what can happen, each seat's chance.

    Options choose among the claims: a claim about another chapter is left out. After Ctrl-C, open
    claims are UNKNOWN with the bound that was reached. Each claim is answered by itself: what goes wrong in one
    leaves that one UNKNOWN, and a claim that cannot be understood is named at the end. The exit status is 130 after
    Ctrl-C, else 3 if a claim is UNKNOWN by a fault of Playproof itself, else 2 if one cannot be understood, else 1 if a
    claim is refuted. A common claim that expects nothing, such as that games come to an end, only informs.

    With --cluster, workers search, and this process checks the evidence that they send.
    """
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.verifier.bridges.cluster import make_factory_of_cluster_or_local_runs
    from playproof.verifier.bridges.second_solver import load_cvc5_or_raise
    from playproof.verifier.prove import answers_to_json as shape, load_readable_claims_and_findings, prove as answer
    from playproof.verifier.questions.verdicts import format_answer_as_lines

    named = _require_and_list_named_or_all_games(games, everything)
    for game in named:
        get_own_output_folder_or_raise(out, game)
    answers: list[Answer] = []
    misread: list[Finding] = []
    refuted = False
    solver = load_cvc5_or_raise() if twice else None
    begin = make_factory_of_cluster_or_local_runs(connect_to_dask_cluster_or_none(cluster))
    with show_progress_of_work_in_words("proving") as say:
        for game in named:
            of_one = answer(
                game,
                *chosen,
                only=only,
                work=work,
                seconds=seconds,
                output=out,
                common=common,
                progress=say,
                second=solver,
                answered=None if as_json else lambda reply: click.echo(format_answer_as_lines(reply)),
                misread=misread,
                begin=begin,
            )
            own, _ = load_readable_claims_and_findings(game)
            refuted |= any(_is_answer_against_expectation(reply, reply.id in own) for reply in of_one)
            answers += of_one
            if _is_stopped_by_hand(of_one):
                break
    if not answers and not misread and not as_json:
        click.echo(f"no claim to answer in {', '.join(named)}: claims.yaml has none that fits", err=True)
    if as_json:
        add_command_result_to_json_document(shape(answers))
    elif twice:
        click.echo(solver)
    refuted |= all_answered and any(reply.verdict.value == "UNKNOWN" for reply in answers)
    unwritable = _list_findings_of_unwritten_evidence(answers, out)
    return _print_unread_claims_get_exit_status(answers, misread, unwritable, refuted=refuted)


def _is_stopped_by_hand(answers: Sequence[Answer]) -> bool:
    from playproof.verifier.prove import STOPPED_BY_HAND

    return any(answer.reason == STOPPED_BY_HAND for answer in answers)


def _print_unread_claims_get_exit_status(
    answers: Sequence[Answer],
    unread_claim_findings: Sequence[Finding],
    unwritable_file_findings: Sequence[Finding],
    *,
    refuted: bool,
) -> int:
    """Name the claims that could not be understood and the files that could not be written. Return the exit status."""
    from playproof.database.errors import InputError

    for findings in (unread_claim_findings, unwritable_file_findings):
        if findings:
            report_error_and_choose_exit_status(InputError(findings))
    if _is_stopped_by_hand(answers):
        return INTERRUPTED
    if any(answer.fault for answer in answers):
        return INTERNAL
    return WRONG_INPUT if unread_claim_findings or unwritable_file_findings else FALSE if refuted else 0


def _list_findings_of_unwritten_evidence(answers: Sequence[Answer], output_folder: Path) -> list[Finding]:
    """Return a finding for each reason why files could not be written or read, with the claims that it hindered."""
    from playproof.database.errors import Finding, Where
    from playproof.verifier.prove import NO_FILES

    claims: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        if answer.unwritten:
            claims.setdefault((str(output_folder), answer.unwritten), []).append(answer.id)
        elif answer.reason.startswith(NO_FILES):  # a file of the cache, or of the game
            file, named, why = answer.reason.removeprefix(NO_FILES).partition(": ")
            claims.setdefault((file, why) if named else (str(output_folder), file), []).append(answer.id)
    hint = "make room or rights there, and ask these claims again"
    return [
        Finding("PP806", Where(place, 0), f"{reason}; claims: {', '.join(hindered)}", hint)
        for (place, reason), hindered in claims.items()
    ]


def _require_and_list_named_or_all_games(games: Sequence[str], all_games: bool) -> Sequence[str]:
    """Return the games that are named. A misspelt name is refused before anything is proved."""
    from playproof.database.game import list_names_of_game_folders, require_game_folder
    from playproof.language.registry import has_rules_but_no_cards

    named = list_names_of_game_folders() if all_games else games
    if not named:
        raise click.UsageError("name a game, or say --all")
    for game in named:
        if not has_rules_but_no_cards(game):
            require_game_folder(game)
    return named


def _is_answer_against_expectation(answer: Answer, is_own_claim: bool) -> bool:
    """Return whether an answer is not what somebody holds to be true: a claim of the game's own is refuted, or a common
    one that expects something."""
    return answer.verdict.value == "REFUTED" and (is_own_claim or answer.expect is not None)


def _iter_evidence_files_and_their_games(files: Sequence[Path], game: str | None) -> Iterator[tuple[Path, str | None]]:
    """Yield each file of evidence, with what finds its game: for one in an archive, the archive's own."""
    from playproof.database.errors import InputError, Where
    from playproof.language.archive import EVIDENCE

    for file in files:
        folder = extract_archive_or_return_reference(str(file))
        if folder == str(file):
            yield file, game or _guess_game_folder_by_evidence_path(file)
            continue
        held = sorted((Path(folder) / EVIDENCE).glob("*.json"))
        if not held:
            message, hint = (
                "this archive holds no evidence",
                "`playproof export archive GAME --evidence FOLDER` adds it",
            )
            raise InputError.from_single_finding(NEEDS_MORE, Where(str(file)), message, hint)
        yield from ((path, folder) for path in held)


def _guess_game_folder_by_evidence_path(evidence_file: Path) -> str | None:
    """Return the game of one's own whose evidence a file is by its place, `output/GAME/evidence/`: a folder here of
    that name, or the working folder. The place is what the person typed; what the file says is never asked."""
    from playproof.database.game import has_rules_file
    from playproof.language.registry import is_name_of_bundled_game

    place = evidence_file.absolute().parent
    name = place.parent.name
    if place.name != "evidence" or is_name_of_bundled_game(name):
        return None
    here = Path.cwd()
    own = (folder for folder in (here / name, here) if folder.name == name and has_rules_file(folder))
    return next((os.path.relpath(folder) for folder in own), None)


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@game_and_trust_options
@variant_options_as_chosen_settings
@second_option
@json_option
def check_evidence_files(
    files: Sequence[Path], game: str | None, chosen: ChosenSettings, twice: bool, as_json: bool
) -> int:
    """Check FILES of evidence without trusting who made them, and say what they show: each claim with its
    verdict, its value, its settings, and what it rests on. An archive stands for all evidence in it.

    The rules come from the installed game, or from the folder you name. The claim comes from
    claims.yaml. The value is computed from what the file's certificates show. If `prove` was called with options,
    name the same ones here: a file about other settings does not answer the claim. The exit status is 1 if a file
    does not answer its claim, 2 if one is no JSON, and 3 after a fault of Playproof itself.
    """
    from playproof.database.errors import make_path_relative_to_working_folder
    from playproof.verifier.bridges.second_solver import load_cvc5_or_raise
    from playproof.verifier.check import FAULT, EvidenceChecker, RequestedSettings

    solver = load_cvc5_or_raise() if twice else None
    about = list(_iter_evidence_files_and_their_games(files, game))
    checkers = {ref: EvidenceChecker(ref, asked=RequestedSettings(*chosen), second=solver) for _, ref in about}
    checked = []
    with show_progress_of_work_in_words("checking evidence") as say:
        for number, (file, ref) in enumerate(about, 1):
            say(f"checking {file.name}, {number} of {len(about)}")
            examined = checkers[ref].check_evidence_file_to_result(file)
            checked.append((file, examined))
            if not as_json:  # whoever reads a pipe sees each answer as it comes
                from_ = [f"         from: {make_path_relative_to_working_folder(file)}"] if examined.verdict else []
                click.echo("\n".join([*map(str, examined.findings), *examined.format_confirmed_answer_lines(), *from_]))
    findings: list[Finding] = [finding for _, examined in checked for finding in examined.findings]
    if as_json:
        add_command_result_to_json_document(
            {"checked": [{"file": str(file), **examined.as_json()} for file, examined in checked]}, findings
        )
    elif twice:
        click.echo(solver)
    if any(f.code == FAULT for f in findings):
        return INTERNAL
    if not all(_is_json_file(file) for file, examined in checked if examined.findings):
        return WRONG_INPUT
    return FALSE if findings else 0


def _is_json_file(file: Path) -> bool:
    """Return whether a file is JSON, as evidence is."""
    try:
        json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


@click.command("depends")
@game_argument_with_trust_option
@click.option("--claim", "only", multiple=True, metavar="ID", help="Only this claim; may be repeated.")
@click.option(
    "--choice",
    "choices",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="Only this option or ruling, or one value of it; may be repeated.",
)
@variant_options_as_chosen_settings
@work_limit_option("each claim under each choice, and as much for each claim that rests on it", 20.0)
@click.option(
    "--within",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Seconds of CPU for all; what is left then is counted.",
)
@output_folder_option("Read the evidence of `prove` below this folder.")
@fresh_option
@json_option
def print_claims_that_options_change(
    game: str,
    only: tuple[str, ...],
    choices: tuple[str, ...],
    chosen: ChosenSettings,
    work: float,
    within: float | None,
    out: Path,
    fresh: bool,
    as_json: bool,
) -> int:
    """Say what each option and ruling of GAME changes.

    Each claim is asked under each other choice, one at a time. Where the rules are the same or the same evidence
    holds, nothing is searched again. Run `prove` first: its evidence is read, and saves most of the time.
    """
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.verifier.analysis.choices import iter_claims_under_each_choice as under_each_choice

    get_own_output_folder_or_raise(out, game)
    values, readings = chosen
    rows = []
    with show_progress_of_work_in_words("asking under other choices") as say:
        for row in under_each_choice(
            game,
            values,
            readings,
            claim_ids=only,
            choice_names=choices,
            max_work=work,
            cpu_seconds=within,
            output=out,
            progress=say,
            remember=not fresh,
        ):
            rows.append(row)
            if not as_json:
                click.echo(row.format_differences_as_lines())
    if as_json:
        add_command_result_to_json_document({"choices": [row.as_json() for row in rows]})
    elif not rows:
        click.echo(f"{game} has no options and no rulings: there is nothing to choose")
    elif len(rows) > 1:
        from rich.console import Console

        from playproof.verifier.analysis.choices import build_table_of_choices

        click.echo()
        Console(highlight=False).print(build_table_of_choices(rows))
    print_count_of_reused_answers_if_any(sum(under.earlier for row in rows for under in row.claims))
    return 0


@click.command("whatif")
@game_argument_with_trust_option
@click.option("--claim", required=True, metavar="ID", help="A `reach` claim that is refuted, or a `minimum`.")
@click.option("--number", "only", multiple=True, metavar="NAME", help="Only this number (or card); may be repeated.")
@click.option("--cards", is_flag=True, help="Change the numbers on cards instead, each by one.")
@click.option("--steps", type=click.IntRange(1), default=3, show_default=True, help="Raise a number by up to so many.")
@variant_options_as_chosen_settings
@work_limit_option("each answer", 20.0)
@output_folder_option("Write evidence below this folder.")
@json_option
def print_number_changes_that_turn_claims(
    game: str,
    claim: str,
    only: tuple[str, ...],
    cards: bool,
    steps: int,
    chosen: ChosenSettings,
    work: float,
    out: Path,
    as_json: bool,
) -> int:
    """Say which smallest change of a number of GAME makes a "no" a "yes".

    The numbers are options that are numbers, and what the game starts with (`start.food`). Each is raised one by one,
    alone, until the claim can be met; every smaller one is shown not to suffice, or said to be open. A `minimum` is
    asked to become smaller.

    With --cards, each number on a card is raised and lowered by one, alone: the cards of which one number is enough
    carry the "no". Answers about such cards are checked, but not written.
    """
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.verifier.analysis.what_if import iter_answers_to_claim_with_raised_numbers as raised
    from playproof.verifier.questions.verdicts import format_answer_value_with_reason

    require_rules_not_only_descriptions(game, "each raised number is a game of its own")
    if cards:
        if is_parameter_given_on_command_line("steps") or is_parameter_given_on_command_line("out"):
            raise click.UsageError(
                "--cards takes no --steps (each number goes by one) and no --out (no file is written)"
            )
        _print_cards_whose_numbers_flip_answer(game, claim, chosen, only, work, as_json)
        return 0
    get_own_output_folder_or_raise(out, game)
    values, readings = chosen
    rows: list[RaisedNumberResult] = []
    with show_progress_of_work_in_words("raising numbers") as say:
        for row in raised(
            game, claim, values, readings, number_names=only, max_raise=steps, max_work=work, output=out, progress=say
        ):
            if not rows and not as_json:
                click.echo(f"{claim}: {format_answer_value_with_reason(row.usual)}")
            rows.append(row)
            if not as_json:
                click.echo(f"  {row.format_effect_line()}")
    if as_json:
        add_command_result_to_json_document({"numbers": [row.as_json() for row in rows]})
    return 0


def _print_cards_whose_numbers_flip_answer(
    game_ref: str, claim_id: str, chosen: ChosenSettings, only_cards: tuple[str, ...], work: float, as_json: bool
) -> None:
    """Print which cards carry a "no"."""
    from playproof.database.game import load_game
    from playproof.database.source import enable_cache_of_parsed_files
    from playproof.errata.changes import format_card_id_and_title
    from playproof.mutation.value_changes import iter_influence_of_cards_on_denial
    from playproof.verifier.analysis.what_if import answer_denied_or_minimum_claim_or_raise
    from playproof.verifier.prove import VerifierRun
    from playproof.verifier.questions.verdicts import format_answer_value_with_reason

    enable_cache_of_parsed_files()  # each change is in one file; the others are not parsed again
    run, components = VerifierRun(game_ref), load_game(game_ref).components
    with show_progress_of_work_in_words("changing cards") as say:
        no = answer_denied_or_minimum_claim_or_raise(run, claim_id, *chosen, work, say)
        if not as_json:
            click.echo(f"{claim_id}: {format_answer_value_with_reason(no.usual)}")
        rows = []
        for row in iter_influence_of_cards_on_denial(run, no, only=only_cards, work=work, progress=say):
            rows.append(row)
            if not as_json and (row.better or row.open):
                card_name = format_card_id_and_title(row.card, components.get(row.card), "en", None)
                click.echo(f"  {row.format_lines_under_card_name(card_name)}")
    if as_json:
        add_command_result_to_json_document({"cards": [row.to_json_values() for row in rows]})
    else:
        carry = sum(bool(row.better) for row in rows)
        tried = sum(row.tried for row in rows)
        verb = "carries" if carry == 1 else "carry"
        click.echo(f"{carry} of {len(rows)} cards {verb} it; {tried} changes of one number were tried")


claim_option = click.option(
    "--claim", "ident", metavar="ID", help="The claim whose target is the goal.  [default: a win]"
)


@click.command("pddl")
@game_argument_with_trust_option
@claim_option
@variant_options_as_chosen_settings
@output_folder_option("Write below this folder.")
def write_pddl_problem(game: str, ident: str | None, chosen: ChosenSettings, out: Path) -> None:
    """Write GAME as a planning problem in PDDL, for planners.

    The files are domain.pddl and problem.pddl. A game with automatic phases, or with requirements that ask for more
    than values of cells, is refused (PP721).
    """
    from playproof.verifier.bridges.model_export import game_and_target_to_pddl_or_raise

    def texts(case: GameCase, target: Target) -> dict[str, str]:
        written = game_and_target_to_pddl_or_raise(case, target)
        return {"domain.pddl": written.domain, "problem.pddl": written.problem}

    _write_model_files_or_raise_inexpressible(game, ident, chosen, out, texts)


@click.command("jani")
@game_argument_with_trust_option
@claim_option
@variant_options_as_chosen_settings
@output_folder_option("Write below this folder.")
def write_jani_model(game: str, ident: str | None, chosen: ChosenSettings, out: Path) -> None:
    """Write GAME as a model in JANI, for model checkers such as Storm.

    The file asks for the greatest chance of the claim's target, for a player who sees all. A game of several players
    is refused (PP721).
    """
    from playproof.verifier.bridges.model_export import game_to_jani_text_or_raise

    _write_model_files_or_raise_inexpressible(
        game, ident, chosen, out, lambda case, target: {"model.jani": game_to_jani_text_or_raise(case, target)}
    )


def _write_model_files_or_raise_inexpressible(
    game: str,
    claim_id: str | None,
    chosen: ChosenSettings,
    output_folder: Path,
    render_files: Callable[[GameCase, Target], Mapping[str, str]],
) -> None:
    """Write the files of a game and the target of a claim, or say what of it has no place in them."""
    from playproof.database.errors import InputError, Where, format_game_reference_for_people
    from playproof.database.files import write_file_atomically
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.verifier.bridges.model_export import NotExpressible
    from playproof.verifier.prove import load_own_or_common_claims_by_id
    from playproof.verifier.questions.selection import select_sorted_questions_under_settings_or_raise
    from playproof.verifier.questions.targets import TargetReader
    from playproof.verifier.search.case import GameCase

    values, readings = chosen
    of: object = {"outcome": "win"}
    within: object = None
    if claim_id is not None:
        [question] = select_sorted_questions_under_settings_or_raise(
            game, load_own_or_common_claims_by_id(game, True, values, readings), [claim_id], values, readings
        )
        of, within = question.of, question.within
        values, readings = {**values, **question.values}, {**readings, **question.rulings}
    case = GameCase(game, values, readings, machine=False)
    try:
        files = render_files(case, TargetReader(case.game).read_single_target_of_spec(of, within))
    except NotExpressible as error:
        raise InputError.from_single_finding(
            "PP721", Where(format_game_reference_for_people(game)), f"cannot be written so: {error}"
        ) from None
    folder = get_own_output_folder_or_raise(output_folder, game, claim_ownership=True)
    for name, text in files.items():
        write_file_atomically(folder / name, text.encode())
        click.echo(str(folder / name))
