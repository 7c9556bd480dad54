"""The verbs errata, errata card, export archive and export unpack: what a dated patch changes, and
archives of a game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playproof.cli.arguments import (
    FALSE,
    OutputPath,
    folder_of_new_game_option,
    fresh_option,
    game_argument_refusing_archives,
    game_argument_with_trust_option,
    json_option,
    output_folder_option,
    papers_option,
    parse_ladder_bots_or_refuse_unknown,
    print_count_of_reused_answers_if_any,
    require_rules_not_only_descriptions,
    show_progress_of_work_in_words,
    work_and_seconds_options,
)
from playproof.cli.output import INTERNAL, WRONG_INPUT, add_command_result_to_json_document

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.errata.claim_comparison import ClaimComparison, GameVersions
    from playproof.errata.consistency import FamilyChange, LintComparison
    from playproof.errata.dossier import ErratumDossier
    from playproof.errata.dossier_language import DossierLanguage
    from playproof.errata.play_comparison import PlayComparisonInSetting, RungComparisonInSetting
    from playproof.errata.print_differences import BookComparisonResult, PrintDifferences
    from playproof.errata.stored_checks import StoredChecks


# -- errata --------------------------------------------------------------------------------------------------
# The verb errata: what a dated patch changes, and what one sends out.


@click.command("errata")
@game_argument_with_trust_option
@click.option("--erratum", "version", metavar="VERSION", help="Which erratum.  [default: the newest that is issued]")
@click.option(
    "--since",
    metavar="VERSION",
    help="Compare with this version; `none` is the game as first published.  [default: the version before]",
)
@output_folder_option("Write files below this folder.")
@papers_option
@click.option("--language", metavar="CODE", help="[default: the game's first language]")
@click.option("--claim", "only", multiple=True, metavar="ID", help="Prove only this claim; may be repeated.")
@click.option("--no-proof", is_flag=True, help="Do not prove any claim.")
@click.option(
    "--games",
    type=click.IntRange(0),
    default=2000,
    show_default=True,
    help="Play so many pairs of games with equal seeds; 0 plays none.",
)
@click.option(
    "--ladder",
    metavar="NAME,NAME...",
    help="Bots from weak to strong that play both versions, or `none`.  [default: random, greedy]",
)
@click.option("--jobs", type=click.IntRange(1), help="So many processes.  [default: all cores]")
@click.option(
    "--within",
    type=click.FloatRange(0),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="Ask claims for so many seconds of each core, and count those that are left; 0 asks all.",
)
@fresh_option
@work_and_seconds_options
@json_option
def publish_erratum_with_dossier(
    game: str,
    version: str | None,
    since: str | None,
    out: Path,
    papers: tuple[str, ...],
    language: str | None,
    only: tuple[str, ...],
    no_proof: bool,
    games: int,
    ladder: str | None,
    jobs: int | None,
    within: float,
    fresh: bool,
    work: float,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Show what an erratum of GAME changes, card by card, and make what one sends out.

    Also check the changed game with lint, prove the claims before and after, and play both versions with the same
    seeds. The exit status is 1 if lint finds an error, or if a claim was true and is now false, and 3 if a claim is
    UNKNOWN by a fault of Playproof itself.
    """
    from playproof.database.game import has_rules_file
    from playproof.database.source import enable_cache_of_parsed_files
    from playproof.errata import consistency, dossier_text, versions
    from playproof.errata.dossier import ErratumDossier, iter_findings_on_erratum
    from playproof.errata.dossier_language import DossierLanguage
    from playproof.errata.stored_checks import StoredChecks
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.linting.played_values import PlayDigests

    require_rules_not_only_descriptions(game, "an erratum changes cards")
    own_folder = get_own_output_folder_or_raise(out, game)
    bots = parse_ladder_bots_or_refuse_unknown(ladder)
    enable_cache_of_parsed_files()  # both versions are read again by whoever lints, proves and plays them
    old, new, erratum = versions.load_games_before_and_after_erratum(game, version, since)
    plays = PlayDigests(game, old)
    if ruled := has_rules_file(new.folder):
        consistency.raise_unless_rules_play_changed_values(game, old, new, erratum, plays)
    speech = DossierLanguage(_get_asked_or_first_language(new, language), new)
    changes = versions.list_component_differences(old, new, speech.language)
    files_change = versions.list_changes_of_files_beside_components(old, new)
    _print_lines(() if as_json else dossier_text.iter_terminal_lines_of_changes(erratum, changes, files_change, speech))
    sides, cores = (versions.get_errata_selector_of_game(old), erratum.version), jobs or os.cpu_count() or 1
    folder = own_folder / "errata" / erratum.version
    with show_progress_of_work_in_words("checking the game before and after") as say:
        stored = StoredChecks(game, sides, new, fresh=fresh)
        lint = consistency.LintComparison(game, *sides, cores, stored)
        done = _ErratumEffects(differ=ruled, same=consistency.build_family_change_for_relatives(game, old, erratum))
        playable = ruled and not consistency.are_cards_refused_or_rules_missing(game, erratum.version)
        books = _start_comparing_rulebooks_in_background(old, new, folder, cores, stored, playable=playable)
        done.printed = _compare_faces_or_raise_with_lint_findings(old, new, folder, lint)
        if playable and no_proof and not games:
            done.differ = plays.do_cards_play_differently_anywhere(old, new)
        elif playable:
            limits = {"work": work, "seconds": seconds, "within": within or None, "jobs": cores}
            proving = {**limits, "only": only, "remember": not fresh, "proofs": out, "progress": say}
            how = None if no_proof else proving, (games, bots, cores)
            _fill_effects_by_proof_and_play(game, sides, done, None if as_json else speech, *how, say)
        say("checking the changed game")
        checked = iter_findings_on_erratum(old, new, erratum, changes, does_play_differ=done.differ)
        broken = playable and done.differ and consistency.find_or_recall_rules_broken_by_changes(plays, new, stored)
        findings = (*lint.wait_for_new_lint_findings(), *checked, *(broken or ()))
        dossier = ErratumDossier(old, new, erratum, speech.language, changes, findings, *done.dossier_fields)
        say("drawing what is sent")
        get_own_output_folder_or_raise(out, game, claim_ownership=True)
        dossier, files = _add_rulebooks_and_write_dossier_files(dossier, folder, books, papers or ("A4", "Letter"))
    _print_effects_of_erratum(game, dossier, files, done.early, as_json=as_json)
    return _choose_exit_status_of_errata_command(dossier)


@dataclass
class _ErratumEffects:
    """What is known of an erratum's effects: whether something differs in play, the claims, the same change on cards
    worded alike, the games, and the faces. `early` are the sentences that were printed already."""

    differ: bool
    same: FamilyChange
    claims: ClaimComparison | None = None
    early: list[str] = field(default_factory=list)
    played: Sequence[PlayComparisonInSetting] = ()
    climbed: Sequence[RungComparisonInSetting] = ()
    printed: PrintDifferences | None = None

    @property
    def dossier_fields(self) -> tuple[Any, ...]:
        """What a dossier takes of it, in the order of its fields."""
        return self.claims, tuple(self.played), self.differ, self.same, tuple(self.climbed), self.printed


def _fill_effects_by_proof_and_play(
    game_ref: str,
    version_selectors: tuple[bool | str, str],
    effects: _ErratumEffects,
    speech: DossierLanguage | None,
    proof_limits: dict[str, Any] | None,
    games_bots_and_cores: tuple[int, tuple[str, ...] | None, int],
    report_progress: Callable[[str], None],
) -> None:
    """Ask the claims of both versions, if they are to be proved, and play both beside that."""
    from playproof.errata.claim_comparison import GameVersions
    from playproof.errata.play_comparison import start_play_comparisons_and_get_waiter
    from playproof.verifier.questions.claims_of_game import load_claims_as_questions_or_raise

    games, bots, cores = games_bots_and_cores
    versions = GameVersions(
        game_ref, *version_selectors, load_claims_as_questions_or_raise(game_ref, version_selectors[0])
    )
    effects.differ = bool(versions.settings_that_play_differently)
    results = start_play_comparisons_and_get_waiter(
        game_ref, version_selectors, versions.settings_that_play_differently, games, bots, cores
    )
    if proof_limits is not None:
        report_progress("proving")
        effects.claims, effects.same = _compare_claims_printing_winning_early(
            versions, effects.same, speech, effects.early, **proof_limits
        )
    if effects.differ and games:
        report_progress("playing both versions")
        effects.played, effects.climbed = results()


def _start_comparing_rulebooks_in_background(
    game_before: Game, game_after: Game, output_folder: Path, cores: int, stored: StoredChecks, *, playable: bool
) -> BookComparisonResult:
    """Begin to compare the rulebooks. Where the rules refuse the cards, no example of a rulebook can be played."""
    from playproof.errata.print_differences import start_rulebook_comparison_and_get_waiter
    from playproof.table.rulebook_games import RefereedGamePlayer

    return start_rulebook_comparison_and_get_waiter(
        game_before, game_after, output_folder, RefereedGamePlayer() if playable else None, cores, stored
    )


def _compare_faces_or_raise_with_lint_findings(
    game_before: Game, game_after: Game, output_folder: Path, lint_comparison: LintComparison
) -> PrintDifferences:
    """Return what differs on faces, before anything is proved: what cannot be drawn ends the work. Raises InputError
    with what lint finds too."""
    from playproof.database.errors import InputError
    from playproof.errata.print_differences import compare_printed_faces_and_boxes

    try:
        return compare_printed_faces_and_boxes(game_before, game_after, output_folder)
    except InputError as error:
        raise InputError([*lint_comparison.wait_for_new_lint_findings(), *error.findings]) from None


def _add_rulebooks_and_write_dossier_files(
    dossier: ErratumDossier, output_folder: Path, wait_for_books: BookComparisonResult, papers: Sequence[str]
) -> tuple[ErratumDossier, list[Path]]:
    """Return a dossier with what differs in print, and the files that are written. Raises InputError if something
    cannot be drawn, with what lint found too: it was asked before, and its answer is no less wanted."""
    from playproof.database.errors import InputError
    from playproof.errata.published_files import write_erratum_files_and_list_page_first

    try:
        dossier = _copy_dossier_with_rulebook_differences(dossier, wait_for_books)
        return dossier, write_erratum_files_and_list_page_first(dossier, output_folder, papers)
    except InputError as error:
        raise InputError([*dossier.findings, *error.findings]) from None


def _copy_dossier_with_rulebook_differences(
    dossier: ErratumDossier, wait_for_books: BookComparisonResult
) -> ErratumDossier:
    """Return a dossier with what differs in rulebooks too."""
    from playproof.errata.print_differences import add_differences_of_rulebooks, find_unprinted_change_or_none

    assert dossier.printed is not None  # its faces were compared first
    printed = add_differences_of_rulebooks(dossier.printed, wait_for_books)
    unprinted = find_unprinted_change_or_none(
        dossier.old, dossier.erratum, printed, does_play_differ=dossier.rules_differ
    )
    told = (*dossier.findings, *printed.findings, *((unprinted,) if unprinted else ()))
    findings = dict.fromkeys(told)  # lint and press both read the chapters
    return replace(dossier, findings=tuple(findings), printed=printed)


def _print_effects_of_erratum(
    game_ref: str, dossier: ErratumDossier, files: Sequence[Path], already_printed: Sequence[str], *, as_json: bool
) -> None:
    """Print what an erratum changes, but for what was printed early."""
    from playproof.errata import dossier_text
    from playproof.verifier.questions.verdicts import format_value_for_people

    if as_json:
        add_command_result_to_json_document(dossier_text.dossier_to_json_of_errata_command(dossier, files))
    else:
        _print_lines(
            dossier_text.iter_lines_of_effects_and_files(
                game_ref, dossier, files, already_printed, format_value_for_people
            )
        )
        print_count_of_reused_answers_if_any(len(dossier.claims.earlier) if dossier.claims else 0)


def _get_asked_or_first_language(game: Game, language: str | None) -> str:
    """Return the language asked for, or the game's first. Raises InputError if the game has no such
    language."""
    from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint

    if language is None:
        return game.languages[0]
    if language not in game.languages:
        hint = make_nearest_or_possible_words_hint(language, game.languages)
        raise InputError.from_single_finding(
            "PP514", Where("--language"), f'the game is not written in "{language}"', hint
        )
    return language


def _compare_claims_printing_winning_early(
    versions: GameVersions,
    family_change: FamilyChange,
    speech: DossierLanguage | None,
    printed_sentences: list[str],
    **limits: Any,
) -> tuple[ClaimComparison, FamilyChange]:
    """Return the answers to the claims in both versions, and with the same change on the cards worded alike in the
    time that is left; print what is known of winning as soon as it is, if there is a language to say it in, and add it
    to `printed_sentences`."""
    from playproof.errata.claim_comparison import ClaimComparison
    from playproof.errata.consistency import add_claims_or_refusal_to_family_change

    alike = versions.list_claim_ids_or_none_if_any_touched(limits["only"])
    if alike is not None:
        claims = ClaimComparison((), (), alike)
        return claims, add_claims_or_refusal_to_family_change(family_change, versions, claims, **limits)
    from playproof.database.worker_processes import measure_cpu_seconds
    from playproof.errata.claims import compare_claim_answers_in_two_versions

    def first(comparison: ClaimComparison) -> None:
        if speech is not None:
            printed_sentences.extend(comparison.list_sentences_on_changed_answers(speech))
            _print_lines(["", *printed_sentences])

    began = measure_cpu_seconds()
    claims = compare_claim_answers_in_two_versions(
        versions.ref, versions.old, versions.new, on_winning_known=first, versions=versions, **limits
    )
    left = limits["within"] and max(0.1, limits["within"] - (measure_cpu_seconds() - began) / limits["jobs"])
    return claims, add_claims_or_refusal_to_family_change(family_change, versions, claims, **{**limits, "within": left})


def _choose_exit_status_of_errata_command(dossier: ErratumDossier) -> int:
    claims = dossier.claims
    if claims and any(answer.fault for answer in (*claims.before, *claims.after)):
        return INTERNAL
    wrong = any(finding.severity == "error" for finding in dossier.findings)
    return FALSE if wrong or (claims and claims.ids_of_lost_claims) else 0


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


@click.command("card")
@game_argument_with_trust_option
@click.argument("name", metavar="CARD")
@click.option("--history", is_flag=True, help="Also show what each erratum changed on it, proposed ones too.")
@click.option("--language", metavar="CODE", help="[default: the game's first language]")
@json_option
def print_card_with_its_errata(game: str, name: str, history: bool, language: str | None, as_json: bool) -> int:
    """Show one CARD of GAME, by its number or title: its texts, its source, and its history.

    With --history, the exit status is 2 if a proposed erratum of the game cannot be applied. The others are shown.
    """
    from playproof.database.components import Words
    from playproof.database.errors import InputError
    from playproof.database.game import load_game
    from playproof.database.patch import require_component_by_id_or_title
    from playproof.database.source import enable_cache_of_parsed_files
    from playproof.errata.changes import format_card_id_and_title_of_difference, list_sentences_on_card_difference
    from playproof.errata.dossier_language import DossierLanguage
    from playproof.errata.dossier_text import format_erratum_version_date_and_note
    from playproof.errata.versions import (
        ComponentDifference,
        ComponentHistory,
        build_component_history,
        format_rules_texts_by_option_or_field,
    )

    enable_cache_of_parsed_files()  # a history reads the game twice for each erratum
    loaded = load_game(game)
    language = _get_asked_or_first_language(loaded, language)
    component = require_component_by_id_or_title(loaded, name, language)
    written = {
        field: value.text(language)
        for field, value in component.fields.items()
        if isinstance(value, Words) and value != component.title
    }
    texts = {**written, **format_rules_texts_by_option_or_field(component, loaded, language)}
    speech = DossierLanguage(language, loaded)
    past = build_component_history(game, component.id, language) if history else ComponentHistory((), ())
    if as_json:
        rows = [
            {
                "version": e.version,
                "date": e.date,
                "proposed": e.proposed,
                "what": list_sentences_on_card_difference(d, speech),
            }
            for e, d in past.changes
        ]
        facts = {"id": component.id, "title": component.name, "kind": component.kind, "count": component.count}
        wrong = {"findings": [finding.as_json() for finding in past.findings]}
        add_command_result_to_json_document(
            {**facts, "source": str(component.source), "texts": texts, "history": rows, **wrong}
        )
        return WRONG_INPUT if past.findings else 0
    click.echo(
        format_card_id_and_title_of_difference(
            ComponentDifference(component.id, None, component, (), ()), language, loaded
        )
    )
    click.echo(f"  {component.kind}, {component.count} in the box; source: {component.source or 'none'}")
    for label, text in texts.items():
        click.echo(f"  {label}: {text}")
    for erratum, difference in past.changes:
        click.echo(f"\n{format_erratum_version_date_and_note(erratum, language)}")
        for text in list_sentences_on_card_difference(difference, speech):
            click.echo(f"  {text}")
    if history and not past.changes:
        click.echo("no erratum changes it")
    if past.findings:
        raise InputError(past.findings)
    return 0


# -- packing -------------------------------------------------------------------------------------------------
# The verbs export archive and export unpack.


@click.command("archive")
@game_argument_refusing_archives
@click.option("--out", type=OutputPath(folder=False), help="Write the archive here.  [default: GAME.zip]")
@click.option(
    "--evidence",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Put in the evidence of this folder.  [default: output/GAME/evidence, if there]",
)
@click.option("--sheets", is_flag=True, help="Put in the print files, and the fonts that they show.")
@papers_option
@json_option
def write_game_archive(
    game: str, out: Path | None, evidence: Path | None, sheets: bool, papers: tuple[str, ...], as_json: bool
) -> None:
    """Make an archive of GAME: its cards, layouts, claims, evidence and rulebook, its Python as source, and
    descriptions of the default setting, of each value of an option or ruling, and of each setting that a claim asks
    about or a recorded game was played under.

    Every command takes an archive where it takes a game, and runs none of its Python without --trust.
    """
    from hashlib import sha256

    from playproof.archives.contents import build_game_archive
    from playproof.database.files import write_file_atomically
    from playproof.language.registry import get_name_recorded_for_game, get_own_output_folder_or_raise

    usual = Path("output") / get_name_recorded_for_game(game) / "evidence"
    if evidence is None and usual.is_dir():
        evidence = get_own_output_folder_or_raise(Path("output"), game) / "evidence"
    proofs = evidence
    made = build_game_archive(game, evidence_folder=proofs, papers=(papers or ("A4", "Letter")) if sheets else ())
    for file in made.old:
        click.echo(f"{proofs}/{file}: left out, it is of other rules; prove the claim again", err=True)
    target = out or _claim_usual_archive_file_or_refuse(game, made.name)
    write_file_atomically(target, made.data)
    name = sha256(made.data).hexdigest()
    if as_json:
        rows = [{**setting, "description": digest} for setting, digest in made.settings]
        add_command_result_to_json_document(
            {"path": str(target), "digest": name, "files": len(made.files), "settings": rows}
        )
        return
    settings = "1 setting" if len(made.settings) == 1 else f"{len(made.settings)} settings"
    click.echo(f"{target}  ({len(made.data) / 1000:.0f} kB, {len(made.files)} files, {settings})")


def _claim_usual_archive_file_or_refuse(game: str, name: str) -> Path:
    """Return the file of a game's archive that nobody named. Raises InputError if another game of this name has its
    archive there (PP113), or if the file is no archive (PP807)."""
    from playproof.database.errors import InputError, Where
    from playproof.language.archive import is_archive_of_game
    from playproof.language.registry import claim_name_of_game_here

    target = Path(f"{name}.zip")
    if target.exists() and not is_archive_of_game(target, name):
        message = f"this file is no archive of a game `{name}`, and would be lost"
        raise InputError.from_single_finding("PP807", Where(target), message, "name another file with --out")
    claim_name_of_game_here(game)
    return target


@click.command("unpack")
@click.argument("file", metavar="ARCHIVE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@folder_of_new_game_option
@json_option
def unpack_game_archive(file: Path, parent: Path, as_json: bool) -> None:
    """Write the files of ARCHIVE into a new folder, with its Python.

    Commands that take this folder run its Python. Do so if you trust who wrote it.
    """
    from playproof.database.errors import InputError, Where
    from playproof.language.archive import unpack_archive_into_new_game_folder as write_files

    try:
        folder = write_files(str(file), parent)
    except FileExistsError as error:
        raise InputError.from_single_finding("PP807", Where(parent), str(error)) from None
    if as_json:
        add_command_result_to_json_document({"folder": str(folder)})
    else:
        click.echo(f"{folder}: commands that take this folder run its Python")
