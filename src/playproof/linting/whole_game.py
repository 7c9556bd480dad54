"""Everything that lint says of a game: its cards, chapters, looks, rules, table and claims.

The commands `lint`, `errata` and `serve` ask for it, and so do the mutants of card values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from playproof.database.errors import Collector, Finding, InputError, Where
from playproof.database.game import Game, find_game, load_game
from playproof.database.lint import lint
from playproof.database.lint_text import missing_icons
from playproof.database.misplaced import find_misplaced
from playproof.database.patch import Erratum
from playproof.database.rulebook_text import read_document
from playproof.database.sharing import Workers, can_fork
from playproof.generator.art.icons import Icons
from playproof.generator.book.chapter_numbers import chapter_findings
from playproof.generator.book.chapter_references import reference_findings
from playproof.generator.build.products import read_build
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import LAYOUTS, layouts_of, read_layouts
from playproof.generator.playability import playability
from playproof.language.options import Options
from playproof.language.registry import UnknownGame, build, takes_cards
from playproof.language.rulebook_check import check
from playproof.linting.played_values import errata_not_played
from playproof.linting.refusals import REFUSALS, refusal_of
from playproof.linting.unread_fields import misread_fields
from playproof.referee.transcript import read
from playproof.referee.variant import Variant
from playproof.table.every_place import findings
from playproof.table.spec import read_table
from playproof.verifier.questions.claim_check import built_once, misunderstood
from playproof.verifier.questions.claims_file import questions_of
from playproof.verifier.questions.seats import with_seats

R = TypeVar("R")


def lint_of(ref: str, errata: bool | str = True, jobs: int = 1) -> list[Finding]:
    """Return all that lint finds in a game; `errata` selects its dated patches as `load_game` does. With more jobs
    than one, a second process looks at what is printed. Raises InputError if the cards cannot be read, with all that
    is wrong in the layouts too."""
    try:
        game = load_game(ref, errata)
    except InputError as error:
        raise InputError([*error.findings, *of_layouts(find_game(ref))]) from None
    misplaced = [replace(finding, severity="warning") for finding in find_misplaced(game.folder)]
    wrong_claims = game.unread
    if wrong_claims:
        game = replace(game, claims={})
    icons = Icons(layouts_of(game.folder) / "icons", LAYOUTS / "icons")
    looks, unreadable = None, tuple[Finding, ...]()
    try:
        looks = Looks(game)
        looks.icons.leave_out(missing_icons(game, icons))
    except InputError as error:
        unreadable = error.findings
    with _beside(partial(_of_print, game, looks, icons), jobs) as of_print:
        of_cards = lint(game, set(icons))
        of_rules = _of_rules(ref, errata, game, looks)
        complaints = [*misplaced, *wrong_claims, *of_cards, *of_print(), *unreadable, *of_rules]
    if wrong_claims:  # whether the claims have a rule's numbers is not known before they can be read
        complaints = [finding for finding in complaints if finding.code != "PP356"]
    return list(InputError(complaints).findings)


@contextmanager
def _beside(work: Callable[[], R], jobs: int) -> Iterator[Callable[[], R]]:
    """Do work in a second process where there is one to spare. Yield a function that waits for the result; where
    the process fails, this one does the work, and meets the same fault."""
    if jobs < 2 or not can_fork():
        yield work
        return
    process = Workers([work], lambda task: task(), 1)

    def result() -> R:
        results = list[R]()
        try:
            process.join(lambda _, value: results.append(value))
        except RuntimeError:
            return work()
        return results[0]

    try:
        yield result
    finally:
        process.stop()


def _of_print(game: Game, looks: Looks | None, icons: Icons) -> list[Finding]:
    """Return what is wrong in the rulebook and on the printed pieces."""
    findings = list(chapter_findings(game))
    for document in filter(
        None, (read_document(game.folder, language, game.edits) for language in game.languages)
    ):
        findings += reference_findings(game, document, icons, _recorded)
    if looks is not None:
        try:
            findings += playability(game, looks)
        except InputError as error:
            findings += error.findings
    return findings


def _of_rules(ref: str, errata: bool | str, game: Game, looks: Looks | None) -> list[Finding]:
    """Return what is wrong in the rules, on the table, in the claims and in what is proposed."""
    complaints, claims = list[Finding](), questions_of(game.claims)
    try:
        options = Options()
        rules = build(ref, options, game)
        complaints += check(rules, options, game)
        if takes_cards(ref):
            complaints += misread_fields(ref, game)
        complaints += findings(Variant.with_cards(ref, game, game=rules), looks) if looks else []
        built = built_once(ref, game, (rules, options)) if takes_cards(ref) else None
        claims = with_seats(ref, claims, errata, built)
        complaints += misunderstood(ref, claims.values(), claims, errata, built)
    except UnknownGame as error:  # cards without rules have no states, and nothing to claim
        complaints += [_groundless(claim.where, error) for claim in [*game.claims.values()][:1]]
    except REFUSALS as error:
        culprit = _culprit(ref, game)
        if culprit is None:
            raise
        complaints.append(refusal_of(culprit, error))
    if errata is True:
        complaints += [*_of_proposed(ref, game), *errata_not_played(ref, game)]
    return complaints


def _of_proposed(ref: str, game: Game) -> list[Finding]:
    """Return what keeps a proposed erratum from being read: nothing else reads it unless somebody names it."""
    findings: list[Finding] = []
    for erratum in game.errata:
        if erratum.proposed:
            try:
                load_game(ref, erratum.version)
            except InputError as error:
                findings += error.findings
    return findings


def _culprit(ref: str, game: Game) -> Erratum | None:
    """Return the first erratum in use whose cards the rules refuse; None if they refuse the cards
    as first published."""
    versions: list[bool | str] = [False, *game.applied]
    for version in versions:
        try:
            build(ref, None, load_game(ref, version))
        except REFUSALS:
            return next((erratum for erratum in game.errata if erratum.version == version), None)
    return None


def of_layouts(game: Path) -> list[Finding]:
    """Return what is wrong in the files of a game's looks by themselves, without the game's cards."""
    collector, folder = Collector(), layouts_of(game)
    read_layouts(folder, collector, LAYOUTS / "common")
    for read_file in (read_build, read_table):
        try:
            read_file(folder)
        except InputError as error:
            collector.extend(error.findings)
    return collector.findings


def _recorded(transcript: Path) -> int:
    """Return how many moves a transcript has, without a judgement of them."""
    return len(read(transcript).entries)


def _groundless(where: Where, error: UnknownGame) -> Finding:
    return Finding(
        "PP802",
        where,
        f"the claims are about rules that are not there: {error}",
        "write the rules, or remove claims.yaml",
    )
