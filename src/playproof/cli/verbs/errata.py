"""The verb errata: what a dated patch changes, and what one sends out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playproof.cli.arguments import (
    FALSE,
    fresh_option,
    game_argument,
    json_option,
    out_option,
    papers_option,
    parse_ladder_bots,
    print_number_of_stored_answers,
    require_rules,
    show_progress_text,
    work_options,
)
from playproof.cli.documents import add_to_json_document
from playproof.cli.failures import INTERNAL, WRONG_INPUT

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.errata.comparison import ClaimComparison
    from playproof.errata.consistent import FamilyChange
    from playproof.errata.descriptions import GameVersions
    from playproof.errata.dossier import ErratumDossier
    from playproof.errata.play import PlayComparisonInSetting, RungComparisonInSetting
    from playproof.errata.printed import BookComparisonResult
    from playproof.errata.speech import DossierLanguage


@click.command()
@game_argument
@click.option(
    "--erratum", "version", metavar="VERSION", help="Which erratum.  [default: the newest that is issued]"
)
@click.option(
    "--since",
    metavar="VERSION",
    help="Compare with this version; `none` is the game as first published.  [default: the version before]",
)
@out_option("Write files below this folder.")
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
    default=15,
    show_default=True,
    metavar="SECONDS",
    help="Ask claims for so many seconds of each core, and count those that are left; 0 asks all.",
)
@fresh_option
@work_options
@json_option
def errata(
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
    from playproof.database.game import has_rules
    from playproof.database.source import enable_parse_cache
    from playproof.errata import telling, versions
    from playproof.errata.checks import LintComparison, check_rules_use_changed_values, do_rules_refuse_cards
    from playproof.errata.consistent import extend_erratum_to_relatives
    from playproof.errata.dossier import ErratumDossier, check_erratum
    from playproof.errata.sent import write_erratum_files
    from playproof.errata.speech import DossierLanguage
    from playproof.language.registry import get_output_folder

    require_rules(game, "an erratum changes cards")
    own_folder = get_output_folder(out, game)
    bots = parse_ladder_bots(ladder)
    enable_parse_cache()  # both versions are read again by whoever lints, proves and plays them
    old, new, erratum = versions.load_before_and_after_erratum(game, version, since)
    ruled = has_rules(new.folder)
    if ruled:
        check_rules_use_changed_values(game, old, new, erratum)
    speech = DossierLanguage(_choose_language(new, language), new)
    changes = versions.compare_components(old, new, speech.language)
    _print_lines(() if as_json else telling.iter_change_lines(erratum, changes, speech))
    sides, cores = (versions.errata_selector_of_game(old), erratum.version), jobs or os.cpu_count() or 1
    folder = own_folder / "errata" / erratum.version
    with show_progress_text("checking the game before and after") as say:
        lint = LintComparison(game, *sides, cores)
        done = _ErratumEffects(differ=ruled, same=extend_erratum_to_relatives(game, old, erratum))
        playable = ruled and not do_rules_refuse_cards(game, erratum.version)
        books = _start_comparing_rulebooks(old, new, folder, cores, playable=playable)
        if playable and no_proof and not games:
            done.differ = _has_difference_in_play(game, old, new)
        elif playable:
            limits = {"work": work, "seconds": seconds, "within": within or None, "jobs": cores}
            proving = {**limits, "only": only, "remember": not fresh, "proofs": out, "progress": say}
            how = None if no_proof else proving, (games, bots, cores)
            _prove_and_play_both_versions(game, sides, done, None if as_json else speech, *how, say)
        say("checking the changed game")
        checked = check_erratum(old, new, erratum, changes, rules_differ=done.differ)
        findings = (*lint.find_new_lint_findings(), *checked)
        dossier = ErratumDossier(old, new, erratum, speech.language, changes, findings, *done.results)
        say("drawing what is sent")
        get_output_folder(out, game, claim=True)
        dossier = _add_print_differences(dossier, folder, books)
        files = write_erratum_files(dossier, folder, papers or ("A4", "Letter"))
    _print_results(game, dossier, files, done.early, as_json=as_json)
    return _choose_exit_status(dossier)


@dataclass
class _ErratumEffects:
    """What is known of an erratum's effects: whether something differs in play, the claims, the same change on cards
    worded alike, and the games. `early` are the sentences that were printed already."""

    differ: bool
    same: FamilyChange
    claims: ClaimComparison | None = None
    early: list[str] = field(default_factory=list)
    played: Sequence[PlayComparisonInSetting] = ()
    climbed: Sequence[RungComparisonInSetting] = ()

    @property
    def results(self) -> tuple[Any, ...]:
        """What a dossier takes of it, in the order of its fields."""
        return self.claims, tuple(self.played), self.differ, self.same, tuple(self.climbed)


def _has_difference_in_play(game: str, old: Game, new: Game) -> bool:
    """Return whether something differs in play between two versions, without the verifier."""
    from playproof.linting.played_values import PlayDigests

    return PlayDigests(game, old).has_difference_in_play(old, new)


def _prove_and_play_both_versions(
    game: str,
    version_selectors: tuple[bool | str, str],
    effects: _ErratumEffects,
    speech: DossierLanguage | None,
    proving: dict[str, Any] | None,
    playing: tuple[int, tuple[str, ...] | None, int],
    report_progress: Callable[[str], None],
) -> None:
    """Ask the claims of both versions, if they are to be proved, and play both beside that."""
    from playproof.errata.descriptions import GameVersions
    from playproof.errata.play import start_play_comparisons
    from playproof.verifier.questions.claims_of_game import load_claims

    games, bots, cores = playing
    versions = GameVersions(game, *version_selectors, load_claims(game, version_selectors[0]))
    effects.differ = bool(versions.settings_that_play_differently)
    results = start_play_comparisons(
        game, version_selectors, versions.settings_that_play_differently, games, bots, cores
    )
    if proving is not None:
        report_progress("proving")
        effects.claims, effects.same = _compare_claims(
            versions, effects.same, speech, effects.early, **proving
        )
    if effects.differ and games:
        report_progress("playing both versions")
        effects.played, effects.climbed = results()


def _start_comparing_rulebooks(
    old: Game, new: Game, folder: Path, cores: int, *, playable: bool
) -> BookComparisonResult:
    """Begin to compare the rulebooks. Where the rules refuse the cards, no example of a rulebook can be played."""
    from playproof.cli.recorded_moves import RefereedGamePlayer
    from playproof.errata.printed import start_book_comparison

    return start_book_comparison(old, new, folder, RefereedGamePlayer() if playable else None, cores)


def _add_print_differences(
    dossier: ErratumDossier, folder: Path, books: BookComparisonResult
) -> ErratumDossier:
    """Return a dossier with what differs in print."""
    from playproof.errata.printed import compare_prints

    printed = compare_prints(dossier.old, dossier.new, folder, books)
    return replace(dossier, findings=(*dossier.findings, *printed.findings), printed=printed)


def _print_results(
    game: str, dossier: ErratumDossier, files: Sequence[Path], early: Sequence[str], *, as_json: bool
) -> None:
    """Print what an erratum changes, but for what was printed early."""
    from playproof.errata import telling
    from playproof.verifier.wording import format_value

    if as_json:
        add_to_json_document(telling.dossier_summary_to_json(dossier, files))
    else:
        _print_lines(telling.iter_effect_lines(game, dossier, files, early, format_value))
        print_number_of_stored_answers(len(dossier.claims.earlier) if dossier.claims else 0)


def _choose_language(game: Game, language: str | None) -> str:
    """Return the language asked for, or the game's first. Raises InputError if the game has no such
    language."""
    from playproof.database.errors import InputError, Where, did_you_mean

    if language is None:
        return game.languages[0]
    if language not in game.languages:
        hint = did_you_mean(language, game.languages)
        raise InputError.from_single_finding(
            "PP514", Where("--language"), f'the game is not written in "{language}"', hint
        )
    return language


def _compare_claims(
    versions: GameVersions,
    same: FamilyChange,
    speech: DossierLanguage | None,
    early: list[str],
    **limits: Any,
) -> tuple[ClaimComparison, FamilyChange]:
    """Return the answers to the claims in both versions, and with the same change on the cards worded alike in the
    time that is left; print what is known of winning as soon as it is, if there is a language to say it in, and add it
    to `early`."""
    from playproof.database.worker_process import measure_cpu_seconds
    from playproof.errata.claims import compare_claim_answers
    from playproof.errata.consistent import compare_claims_with_family_change

    def first(comparison: ClaimComparison) -> None:
        if speech is not None:
            early.extend(comparison.describe_changes(speech))
            _print_lines(["", *early])

    began = measure_cpu_seconds()
    claims = compare_claim_answers(
        versions.ref, versions.old, versions.new, first=first, versions=versions, **limits
    )
    left = limits["within"] and max(0.1, limits["within"] - (measure_cpu_seconds() - began) / limits["jobs"])
    return claims, compare_claims_with_family_change(same, versions, claims, **{**limits, "within": left})


def _choose_exit_status(dossier: ErratumDossier) -> int:
    claims = dossier.claims
    if claims and any(answer.fault for answer in (*claims.before, *claims.after)):
        return INTERNAL
    wrong = any(finding.severity == "error" for finding in dossier.findings)
    return FALSE if wrong or (claims and claims.ids_of_lost_claims) else 0


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


@click.command()
@game_argument
@click.argument("name", metavar="CARD")
@click.option("--history", is_flag=True, help="Also show what each erratum changed on it, proposed ones too.")
@click.option("--language", metavar="CODE", help="[default: the game's first language]")
@json_option
def card(game: str, name: str, history: bool, language: str | None, as_json: bool) -> int:
    """Show one CARD of GAME, by its number or title: its texts, its source, and its history.

    With --history, the exit status is 2 if a proposed erratum of the game cannot be applied. The others are shown.
    """
    from playproof.database.components import Words
    from playproof.database.errors import InputError
    from playproof.database.game import load_game
    from playproof.database.lookup import find_component
    from playproof.database.source import enable_parse_cache
    from playproof.errata.changed_cards import card_id_and_title_of_difference, describe_card_difference
    from playproof.errata.speech import DossierLanguage
    from playproof.errata.telling import format_erratum_heading
    from playproof.errata.versions import (
        ComponentDifference,
        ComponentHistory,
        build_component_history,
        format_rules_texts,
    )

    enable_parse_cache()  # a history reads the game twice for each erratum
    loaded = load_game(game)
    language = _choose_language(loaded, language)
    component = find_component(loaded, name, language)
    written = {
        field: value.text(language)
        for field, value in component.fields.items()
        if isinstance(value, Words) and value != component.title
    }
    texts = {**written, **format_rules_texts(component, loaded, language)}
    speech = DossierLanguage(language, loaded)
    past = build_component_history(game, component.id, language) if history else ComponentHistory((), ())
    if as_json:
        rows = [
            {
                "version": e.version,
                "date": e.date,
                "proposed": e.proposed,
                "what": describe_card_difference(d, speech),
            }
            for e, d in past.changes
        ]
        facts = {
            "id": component.id,
            "title": component.name,
            "kind": component.kind,
            "count": component.count,
        }
        wrong = {"findings": [finding.as_json() for finding in past.findings]}
        add_to_json_document(
            {**facts, "source": str(component.source), "texts": texts, "history": rows, **wrong}
        )
        return WRONG_INPUT if past.findings else 0
    click.echo(
        card_id_and_title_of_difference(
            ComponentDifference(component.id, None, component, (), ()), language, loaded
        )
    )
    click.echo(f"  {component.kind}, {component.count} in the box; source: {component.source or 'none'}")
    for label, text in texts.items():
        click.echo(f"  {label}: {text}")
    for erratum, difference in past.changes:
        click.echo(f"\n{format_erratum_heading(erratum, language)}")
        for text in describe_card_difference(difference, speech):
            click.echo(f"  {text}")
    if history and not past.changes:
        click.echo("no erratum changes it")
    if past.findings:
        raise InputError(past.findings)
    return 0
