"""The verb errata: what a dated patch changes, and what one sends out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playproof.cli.arguments import (
    FALSE,
    game_argument,
    json_option,
    needs_rules,
    out_option,
    papers_option,
    print_json,
    status,
    work_options,
)
from playproof.cli.failures import INTERNAL

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.database.patch import Erratum
    from playproof.errata.claims import Comparison
    from playproof.errata.descriptions import Versions
    from playproof.errata.dossier import Dossier
    from playproof.errata.play import Played
    from playproof.errata.versions import Difference


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
@click.option("--jobs", type=click.IntRange(1), help="So many processes.  [default: all cores]")
@click.option(
    "--within",
    type=click.FloatRange(0),
    default=15,
    show_default=True,
    metavar="SECONDS",
    help="Ask claims for so many seconds of each core, and name those that are left; 0 asks all.",
)
@click.option("--fresh", is_flag=True, help="Ask again what earlier runs have answered.")
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
    from playproof.errata.checks import Lint, is_refused
    from playproof.errata.descriptions import Versions
    from playproof.errata.dossier import Dossier, class_findings
    from playproof.errata.sent import send
    from playproof.errata.versions import differences, selector
    from playproof.verifier.prove import claims_of

    needs_rules(game, "an erratum changes cards")
    old, new, erratum = _versions(game, version, since)
    language = _language(new, language)
    changes = differences(old, new, language)
    if not as_json:
        _tell_changes(erratum, changes, language)
    sides, cores = (selector(old), erratum.version), jobs or os.cpu_count() or 1
    with status("checking the game before and after") as say:
        lint = Lint(game, *sides, cores)
        claims, played, differ = None, list["Played"](), True
        if not is_refused(game, erratum.version):
            versions = Versions(game, *sides, claims_of(game, sides[0]))
            differ = bool(versions.settings)
            if not no_proof:
                limits = {"work": work, "seconds": seconds, "within": within or None}
                claims = _claims(versions, only, limits, cores, fresh, as_json, say)
            if differ and games:
                say("playing both versions")
                played = _played(game, sides, versions.settings, games)
        say("checking the changed game")
        findings = lint.new_findings() + list(class_findings(erratum, rules_differ=differ))
        dossier = Dossier(
            old, new, erratum, language, changes, tuple(findings), claims, tuple(played), differ
        )
        say("drawing what is sent")
        files = send(dossier, out / new.name / "errata" / erratum.version, papers or ("A4", "Letter"))
    if as_json:
        print_json(_shape(dossier, files))
    else:
        _tell(game, dossier, files)
    return _exit_status(dossier)


def _versions(game: str, version: str | None, since: str | None) -> tuple[Game, Game, Erratum]:
    from playproof.errata.versions import before_and_after, between

    old, new, erratum = before_and_after(game, version)
    if since is not None:
        old, new = between(game, since, erratum.version)
    return old, new, erratum


def _language(game: Game, asked: str | None) -> str:
    """Return the language asked for, or the game's first. Raises InputError if the game has no such
    language."""
    from playproof.database.errors import Finding, InputError, Where, did_you_mean

    if asked is None:
        return game.languages[0]
    if asked not in game.languages:
        hint = did_you_mean(asked, game.languages)
        raise InputError(
            [Finding("PP514", Where("--language"), f'the game is not written in "{asked}"', hint)]
        )
    return asked


def _claims(
    versions: Versions,
    only: tuple[str, ...],
    limits: dict[str, Any],
    jobs: int,
    fresh: bool,
    as_json: bool,
    say: Callable[[str], None],
) -> Comparison:
    """Return the answers to the claims in both versions; say what is known of winning as soon as it is."""
    from playproof.errata.claims import compare

    def first(comparison: Comparison) -> None:
        for sentence in [] if as_json else [*_unreached(comparison), *comparison.sentences]:
            click.echo(sentence)

    say("proving")
    return compare(
        versions.ref,
        versions.old,
        versions.new,
        only=only,
        progress=say,
        remember=not fresh,
        jobs=jobs,
        first=first,
        versions=versions,
        **limits,
    )


def _unreached(claims: Comparison) -> list[str]:
    count = len(claims.alike)
    return [f"claims about rules and cards that stay the same, not proved again: {count}"] if count else []


def _played(
    game: str, sides: tuple[bool | str, bool | str], settings: list[dict[str, str]], games: int
) -> list[Played]:
    from playproof.errata.play import played

    before, after = ("none" if side is False else str(side) for side in sides)
    return list(played(game, (before, after), settings, games))


def _exit_status(dossier: Dossier) -> int:
    claims = dossier.claims
    if claims and any(answer.fault for answer in (*claims.before, *claims.after)):
        return INTERNAL
    wrong = any(finding.severity == "error" for finding in dossier.findings)
    return FALSE if wrong or (claims and claims.lost) else 0


def _shape(dossier: Dossier, files: list[Path]) -> dict[str, Any]:
    from playproof.errata.changed_cards import words
    from playproof.errata.page import left_behind

    erratum = dossier.erratum
    claims = (
        dossier.claims.as_json()
        if dossier.claims
        else {"claims": [], "sentences": [], "lost": [], "waiting": []}
    )
    return {
        "version": erratum.version,
        "date": erratum.date,
        "class": dossier.kind,
        "status": "proposed" if erratum.proposed else "issued",
        "note": erratum.note.text(dossier.language),
        "changes": [{"id": d.id, "what": words(d, dossier.language)} for d in dossier.differences],
        "findings": [f.as_json() for f in dossier.findings],
        **claims,
        "play": [each.as_json() for each in dossier.played],
        "family": {ident: list(others) for ident, others in dossier.family.items()},
        "left_behind": left_behind(dossier),
        "files": [str(f) for f in files],
    }


def _tell_changes(erratum: Erratum, changes: tuple[Difference, ...], language: str) -> None:
    from playproof.errata.changed_cards import called, words

    proposed = ", proposed" if erratum.proposed else ""
    click.echo(f"{erratum.version} ({erratum.date}{proposed}): {erratum.note.text(language)}")
    for difference in changes:
        click.echo(f"\n{called(difference, language)}")
        for text in words(difference, language):
            click.echo(f"  {text}")
    if not changes:
        click.echo("no card changes")


def _tell(ref: str, dossier: Dossier, files: list[Path]) -> None:
    """Say everything behind the list of changes: lint, claims, play, relatives, files, and the sentences."""
    from playproof.errata.page import left_behind, who_plays

    click.echo("\nlint: " + ("nothing new" if not dossier.findings else ""))
    for finding in dossier.findings:
        click.echo(f"  {finding}")
    if dossier.claims:
        _tell_claims(dossier.claims, f"playproof errata {ref} --erratum {dossier.erratum.version} --within 0")
    for each in dossier.played:
        for sentence in each.sentences:
            click.echo(f"{who_plays(each, dossier.language)}: {sentence}")
    for ident, others in dossier.family.items():
        click.echo(f"worded like {ident}, and not changed: {', '.join(others)}")
    for text in left_behind(dossier):
        click.echo(f"left behind: {text}")
    for path in files:
        click.echo(f"made     {path}")
    for sentence in dossier.claims.sentences if dossier.claims else []:
        click.echo(sentence)


def _tell_claims(claims: Comparison, ask_all: str) -> None:
    from playproof.cli.verbs.proving import shown_value

    for sentence in _unreached(claims):
        click.echo(sentence)
    before = {answer.id: answer for answer in claims.before}
    for now in claims.after:
        was = before.get(now.id)
        if was is None:
            change = "as claimed"
        elif (was.verdict, was.value) == (now.verdict, now.value):
            change = "as before"
        else:
            change = f"was {was.verdict.value} {shown_value(was.value)}"
        click.echo(f"{now.verdict.value:<8} {now.id:<28} {shown_value(now.value)}  ({change})")
    if claims.waiting:
        click.echo(f"no time was left for {len(claims.waiting)} claims: {', '.join(claims.waiting)}")
        click.echo(f"ask them with: {ask_all}")


@click.command()
@game_argument
@click.argument("name", metavar="CARD")
@click.option("--history", is_flag=True, help="Also show what each erratum changed on it, proposed ones too.")
@click.option("--language", metavar="CODE", help="[default: the game's first language]")
@json_option
def card(game: str, name: str, history: bool, language: str | None, as_json: bool) -> int:
    """Show one CARD of GAME, by its number or title: its texts, its source, and its history."""
    from playproof.database.game import load_game
    from playproof.database.lookup import component_of
    from playproof.errata.changed_cards import called, words
    from playproof.errata.versions import Difference, history_of, texts_of

    loaded = load_game(game)
    language = _language(loaded, language)
    component = component_of(loaded, name, language)
    texts = texts_of(component, loaded, language)
    past = history_of(game, component.id, language) if history else []
    if as_json:
        rows = [
            {"version": e.version, "date": e.date, "proposed": e.proposed, "what": words(d, language)}
            for e, d in past
        ]
        facts = {
            "id": component.id,
            "title": component.name,
            "kind": component.kind,
            "count": component.count,
        }
        print_json({**facts, "source": str(component.source), "texts": texts, "history": rows})
        return 0
    click.echo(called(Difference(component.id, None, component, (), ()), language))
    click.echo(f"  {component.kind}, {component.count} in the box; source: {component.source or 'none'}")
    for label, text in texts.items():
        click.echo(f"  {label}: {text}")
    for erratum, difference in past:
        proposed = ", proposed" if erratum.proposed else ""
        click.echo(f"\n{erratum.version} ({erratum.date}{proposed}): {erratum.note.text(language)}")
        for text in words(difference, language):
            click.echo(f"  {text}")
    if history and not past:
        click.echo("no erratum changes it")
    return 0
