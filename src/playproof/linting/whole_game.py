"""Everything that lint says of a game: its cards, chapters, looks, rules, table and claims.

The commands `lint`, `errata` and `serve` ask for it, and so do the mutants of card values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from playproof.database.errors import Finding, FindingCollector, InputError, Where
from playproof.database.game import Game, load_game, require_game_folder
from playproof.database.game_files import iter_misplaced_file_findings
from playproof.database.lint import lint
from playproof.database.lint_text import find_names_of_undrawable_icons
from playproof.database.patch import Erratum
from playproof.database.rulebook_text import read_rulebook_document
from playproof.database.worker_processes import WorkerProcesses, can_fork
from playproof.generator.art.icons import IconLibrary
from playproof.generator.book.chapter_numbers import list_sorted_number_errors_in_chapters
from playproof.generator.book.chapter_references import list_broken_references_in_document
from playproof.generator.build.products import read_build_yaml_with_places_or_none
from playproof.generator.layout.layout_files import (
    LAYOUTS,
    find_layout_folder_of_game,
    read_concrete_layouts_and_note_errors,
)
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.playability import list_playability_problems_sorted_by_place
from playproof.language.options import Options
from playproof.language.registry import UnknownGame, build, needs_cards_to_build_rules
from playproof.linting.changed_rules import (
    RulesOfChangedNumbers,
    iter_findings_of_added_rules_not_cited,
    iter_findings_of_rules_with_outdated_numbers,
    list_findings_without_rewordings_played,
    list_rules_of_changed_numbers_per_erratum,
)
from playproof.linting.played_values import (
    REFUSALS,
    find_fields_read_otherwise_than_declared,
    find_unplayed_effects,
    make_refused_cards_finding,
)
from playproof.linting.rules import collect_findings_on_rules_and_rulebook
from playproof.linting.unplayed_errata import list_unplayed_changes_of_all_errata
from playproof.referee.transcript import read_transcript_file_or_raise
from playproof.referee.variant import Variant
from playproof.table.spec import read_table_yaml_of_layouts
from playproof.table.table_check import list_findings_on_table_yaml
from playproof.verifier.questions.claim_check import (
    claims_to_questions_by_id_or_raise,
    list_mistakes_in_questions,
    make_cached_game_builder,
)
from playproof.verifier.questions.claims_of_game import replace_seat_names_by_numbers

R = TypeVar("R")


def list_all_lint_findings_of_game(game_ref: str, errata: bool | str = True, jobs: int = 1) -> list[Finding]:
    """Return all that lint finds in a game; `errata` selects its dated patches as `load_game` does. With more jobs
    than one, a second process looks at what is printed. Raises InputError if the cards cannot be read, with all that
    is wrong in the layouts too."""
    try:
        game = load_game(game_ref, errata)
    except InputError as error:
        raise InputError([*error.findings, *list_errors_in_layout_files(require_game_folder(game_ref))]) from None
    misplaced = [replace(finding, severity="warning") for finding in iter_misplaced_file_findings(game.folder)]
    wrong_claims = game.unread_claim_findings
    if wrong_claims:
        game = replace(game, claims={})
    icons = IconLibrary(find_layout_folder_of_game(game.folder) / "icons", LAYOUTS / "icons")
    looks, unreadable = None, tuple[Finding, ...]()
    try:
        looks = LayoutRenderer(game)
        looks.icons.make_missing_icons_draw_nothing(find_names_of_undrawable_icons(game, icons))
    except InputError as error:
        unreadable = error.findings
    with _run_in_second_process_if_possible(
        partial(_list_errors_in_rulebook_and_pieces, game, looks, icons), jobs
    ) as of_print:
        of_cards = lint(game, set(icons))
        of_rules = _list_errors_in_rules_and_claims(game_ref, errata, game, looks)
        numbers = list_rules_of_changed_numbers_per_erratum(game_ref, game)
        of_cards = list_findings_without_rewordings_played(of_cards, numbers)
        complaints = [*misplaced, *wrong_claims, *of_cards, *of_print(), *unreadable, *of_rules]
        complaints += _list_outdated_numbers_not_told_by_chapters(numbers, complaints)
        complaints += [finding for each in numbers for finding in iter_findings_of_added_rules_not_cited(each)]
    if wrong_claims:  # whether the claims have a rule's numbers is not known before they can be read
        complaints = [finding for finding in complaints if finding.code != "PP356"]
    return list(InputError(complaints).findings)


def _list_outdated_numbers_not_told_by_chapters(
    numbers: Sequence[RulesOfChangedNumbers], findings: Sequence[Finding]
) -> list[Finding]:
    """Return the rules that say an old number of set-up, but for those that are held against a chapter (PP528)."""
    told = {finding.message.partition(" ")[0] for finding in findings if finding.code == "PP528"}
    outdated = (finding for each in numbers for finding in iter_findings_of_rules_with_outdated_numbers(each))
    return [finding for finding in outdated if finding.message.partition(" ")[0] not in told]


@contextmanager
def _run_in_second_process_if_possible(work: Callable[[], R], jobs: int) -> Iterator[Callable[[], R]]:
    """Do work in a second process where there is one to spare. Yield a function that waits for the result; where
    the process fails, this one does the work, and meets the same fault."""
    if jobs < 2 or not can_fork():
        yield work
        return
    process = WorkerProcesses([work], lambda task: task(), 1)

    def result() -> R:
        results = list[R]()
        try:
            process.wait_and_hand_over_results(lambda _, value: results.append(value))
        except RuntimeError:
            return work()
        return results[0]

    try:
        yield result
    finally:
        process.stop_processes()


def _list_errors_in_rulebook_and_pieces(game: Game, looks: LayoutRenderer | None, icons: IconLibrary) -> list[Finding]:
    """Return what is wrong in the rulebook and on the printed pieces."""
    findings = list(list_sorted_number_errors_in_chapters(game))
    for document in filter(
        None, (read_rulebook_document(game.folder, language, game.edits) for language in game.languages)
    ):
        findings += list_broken_references_in_document(game, document, icons, _count_transcript_moves)
    if looks is not None:
        try:
            findings += list_playability_problems_sorted_by_place(game, looks)
        except InputError as error:
            findings += error.findings
    return findings


def _list_errors_in_rules_and_claims(
    game_ref: str, errata: bool | str, game: Game, looks: LayoutRenderer | None
) -> list[Finding]:
    """Return what is wrong in the rules, on the table, in the claims and in what is proposed."""
    complaints, claims = list[Finding](), claims_to_questions_by_id_or_raise(game.claims)
    try:
        options = Options()
        rules = build(game_ref, options, game)
        complaints += collect_findings_on_rules_and_rulebook(rules, options, game)
        if needs_cards_to_build_rules(game_ref):
            complaints += find_fields_read_otherwise_than_declared(game_ref, game)
            complaints += find_unplayed_effects(game_ref, game)
        complaints += (
            list_findings_on_table_yaml(Variant.from_loaded_cards(game_ref, game, game=rules), looks) if looks else []
        )
        built = (
            make_cached_game_builder(game_ref, game, (rules, options)) if needs_cards_to_build_rules(game_ref) else None
        )
        claims = replace_seat_names_by_numbers(game_ref, claims, errata, built)
        complaints += list_mistakes_in_questions(game_ref, claims.values(), claims, errata, built)
    except UnknownGame as error:  # cards without rules have no states, and nothing to claim
        complaints += [_make_claims_without_rules_finding(claim.where, error) for claim in [*game.claims.values()][:1]]
    except REFUSALS as error:
        culprit = _find_first_refused_erratum_or_none(game_ref, game)
        if culprit is None:
            raise
        complaints.append(make_refused_cards_finding(culprit, error))
    if errata is True:
        complaints += [
            *_list_errors_in_proposed_errata(game_ref, game),
            *list_unplayed_changes_of_all_errata(game_ref, game),
        ]
    return complaints


def _list_errors_in_proposed_errata(game_ref: str, game: Game) -> list[Finding]:
    """Return what keeps a proposed erratum from being read: nothing else reads it unless somebody names it."""
    findings: list[Finding] = []
    for erratum in game.errata:
        if erratum.proposed:
            try:
                load_game(game_ref, erratum.version)
            except InputError as error:
                findings += error.findings
    return findings


def _find_first_refused_erratum_or_none(game_ref: str, game: Game) -> Erratum | None:
    """Return the first erratum in use whose cards the rules refuse; None if they refuse the cards
    as first published."""
    versions: list[bool | str] = [False, *game.applied]
    for version in versions:
        try:
            build(game_ref, None, load_game(game_ref, version))
        except REFUSALS:
            return next((erratum for erratum in game.errata if erratum.version == version), None)
    return None


def list_errors_in_layout_files(game_folder: Path) -> list[Finding]:
    """Return what is wrong in the files of a game's looks by themselves, without the game's cards."""
    collector, folder = FindingCollector(), find_layout_folder_of_game(game_folder)
    read_concrete_layouts_and_note_errors(folder, collector, LAYOUTS / "common")
    for read_file in (read_build_yaml_with_places_or_none, read_table_yaml_of_layouts):
        try:
            read_file(folder)
        except InputError as error:
            collector.add_findings(error.findings)
    return collector.findings


def _count_transcript_moves(transcript: Path) -> int:
    """Return how many moves a transcript has, without a judgement of them."""
    return len(read_transcript_file_or_raise(transcript).entries)


def _make_claims_without_rules_finding(where: Where, error: UnknownGame) -> Finding:
    return Finding(
        "PP802",
        where,
        f"the claims are about rules that are not there: {error}",
        "write the rules, or remove claims.yaml",
    )
