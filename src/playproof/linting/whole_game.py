"""Everything that lint says of a game: its cards, chapters, looks, rules, table and claims.

The commands `lint`, `errata` and `serve` ask for it, and so do the mutants of card values.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from playproof.database.errors import Collector, Finding, InputError, Where
from playproof.database.game import Game, find_game, load_game
from playproof.database.lint import lint
from playproof.database.lint_text import missing_icons
from playproof.database.patch import Erratum
from playproof.database.rulebook_text import read_document
from playproof.generator.art.icons import Icons
from playproof.generator.book.chapter_numbers import chapter_findings
from playproof.generator.book.chapter_references import reference_findings
from playproof.generator.build.products import read_build
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import LAYOUTS, layouts_of, read_layouts
from playproof.generator.playability import playability
from playproof.language import RulesError
from playproof.language.options import Options
from playproof.language.registry import UnknownGame, build, takes_cards
from playproof.language.rulebook_check import check
from playproof.linting.refusals import REFUSALS
from playproof.referee.transcript import read
from playproof.referee.variant import Variant
from playproof.table.every_place import findings
from playproof.table.spec import read_table
from playproof.verifier.questions.claim_check import built_once, misunderstood
from playproof.verifier.questions.claims_file import questions_of
from playproof.verifier.questions.seats import with_seats


def lint_of(ref: str, errata: bool | str = True) -> list[Finding]:
    """Return all that lint finds in a game; `errata` selects its dated patches as `load_game` does.
    Raises InputError if the cards cannot be read, with all that is wrong in the layouts too."""
    try:
        game = load_game(ref, errata)
    except InputError as error:
        raise InputError([*error.findings, *of_layouts(find_game(ref))]) from None
    wrong_claims = game.unread
    if wrong_claims:
        game = replace(game, claims={})
    icons = Icons(layouts_of(game.folder) / "icons", LAYOUTS / "icons")
    complaints = [*wrong_claims, *lint(game, set(icons)), *chapter_findings(game)]
    for document in filter(None, (read_document(game.folder, language) for language in game.languages)):
        complaints += reference_findings(game, document, icons, _recorded)
    claims, looks = questions_of(game.claims), None
    try:
        looks = Looks(game)
        looks.icons.leave_out(missing_icons(game, icons))
        complaints += playability(game, looks)
    except InputError as error:
        complaints += error.findings
    try:
        options = Options()
        rules = build(ref, options, game)
        complaints += check(rules, options, game)
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
        complaints.append(_refused(culprit, error))
    if errata is True:
        complaints += _of_proposed(ref, game)
    if wrong_claims:  # whether the claims have a rule's numbers is not known before they can be read
        complaints = [finding for finding in complaints if finding.code != "PP356"]
    return list(InputError(complaints).findings)


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


def _refused(erratum: Erratum, error: Exception) -> Finding:
    changed = ", ".join(dict.fromkeys(change.component for change in erratum.changes))
    why = "; ".join(fault.message for fault in error.all) if isinstance(error, RulesError) else str(error)
    message = f"erratum {erratum.version} changes {changed}, and the rules refuse these cards: {why}"
    return Finding(
        "PP810",
        erratum.changes[0].where,
        message,
        "change all cards that the rules want alike, or the rules too",
    )


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
