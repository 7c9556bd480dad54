"""The verb errata: what a dated patch changes, and the effect on cards and claims."""

from __future__ import annotations

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
    from playproof.database.errata import Difference
    from playproof.database.errors import Finding
    from playproof.database.game import Game
    from playproof.database.patch import Erratum
    from playproof.verifier.questions.claims import Question


@click.command()
@game_argument
@click.option("--erratum", "version", metavar="VERSION", help="Which erratum.  [default: the newest]")
@out_option("Write files below this folder.")
@papers_option
@click.option("--language", metavar="CODE", help="[default: the game's first language]")
@click.option("--claim", "only", multiple=True, metavar="ID", help="Prove only this claim; may be repeated.")
@click.option("--no-proof", is_flag=True, help="Do not prove any claim.")
@work_options
@json_option
def errata(
    game: str,
    version: str | None,
    out: Path,
    papers: tuple[str, ...],
    language: str | None,
    only: tuple[str, ...],
    no_proof: bool,
    work: float,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Show what an erratum of GAME changes, card by card, and print the changed cards.

    Also check the changed game with lint, and prove the claims before and after. The exit status is
    1 if lint finds an error, or if a claim was true and is now false, and 3 if a claim is UNKNOWN by a fault of
    Playproof itself.
    """
    from playproof.database.errata import before_and_after, differences

    needs_rules(game, "an erratum changes cards")
    old, new, erratum = before_and_after(game, version)
    language = _language(new, language)
    changes = differences(old, new, language)
    if not as_json:
        _tell_changes(erratum, changes, language)
    with status("checking the game before and after") as say:
        findings = _new_findings(game, old, erratum, say)
    if not as_json:
        _tell_lint(findings)
    refused = any(finding.code == "PP810" for finding in findings)  # no claim has rules to speak of
    skipped = no_proof or refused
    claims, sentences = ([], []) if skipped else _claims(game, old, erratum, only, work, seconds)
    folder = out / new.name / "errata" / erratum.version
    files = _files(old, new, erratum, changes, folder, papers or ("A4", "Letter"), language)
    if as_json:
        print_json({**_shape(erratum, changes, findings, claims, files, language), "sentences": sentences})
    else:
        _tell_claims(claims)
        for path in files:
            click.echo(f"made     {path}")
        for sentence in sentences:
            click.echo(sentence)
    verdicts = [(c["before"]["verdict"], c["after"]["verdict"]) for c in claims if c["touched"]]
    if any(c[side].get("fault") for c in claims if c["touched"] for side in ("before", "after")):
        return INTERNAL
    lost = ("PROVEN", "REFUTED") in verdicts
    return FALSE if lost or any(f.severity == "error" for f in findings) else 0


def _new_findings(game: str, old: Game, erratum: Erratum, say: Callable[[str], None]) -> list[Finding]:
    """Return what the whole lint finds in the changed game and did not find in the game before it."""
    from playproof.linting.whole_game import lint_of

    earlier: str | bool = old.applied[-1] if old.applied else False
    before = {(finding.code, finding.message, finding.about) for finding in lint_of(game, earlier)}
    say("checking the changed game")
    after = lint_of(game, erratum.version)
    return [finding for finding in after if (finding.code, finding.message, finding.about) not in before]


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
    game: str, old: Game, erratum: Erratum, only: tuple[str, ...], work: float, seconds: float | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return each claim's answer before and after, and the changes in sentences. Skips the proof
    of claims whose rules and cards stay the same."""
    from playproof.verifier.erratum_claims import compare
    from playproof.verifier.prove import claims_of

    earlier = old.applied[-1] if old.applied else False
    earlier_claims = claims_of(game, earlier)
    asked = list(only) or list(earlier_claims)
    touched = [
        i
        for i in asked
        if i not in earlier_claims or _touched(game, earlier_claims[i], earlier, erratum.version)
    ]
    answers: dict[str, dict[str, Any]] = {}
    sentences: list[str] = []
    if touched:
        with status("proving") as say:
            compared = compare(game, erratum.version, only=touched, work=work, seconds=seconds, progress=say)
        answers = {claim["id"]: claim for claim in compared.as_json()["claims"]}
        sentences = compared.sentences
    nothing = {"before": None, "after": None}
    return [{"id": i, "touched": i in answers, **nothing, **answers.get(i, {})} for i in asked], sentences


def _touched(game: str, question: Question, earlier: str | bool, later: str) -> bool:
    """Return whether the rules that a claim uses differ between two versions."""
    from playproof.verifier.search.case import Case

    def digests(version: str | bool) -> list[str]:
        cases = (Case(game, q.values, q.rulings, version) for _, q in question.variants())
        return [case.digest for case in cases]

    return digests(earlier) != digests(later)


def _files(
    old: Game,
    new: Game,
    erratum: Erratum,
    changes: tuple[Difference, ...],
    folder: Path,
    papers: tuple[str, ...],
    language: str,
) -> list[Path]:
    from playproof.cli.changed_cards import compare_page, print_changes
    from playproof.generator.build.run import Builder
    from playproof.generator.files import write_atomically

    before, after = (Builder(game, folder) for game in (old, new))
    page = folder / "index.html"
    write_atomically(page, compare_page(new, erratum, changes, before, after, language).encode())
    return [page, *print_changes(after, [d.id for d in changes], erratum, folder, papers, language)]


def _shape(
    erratum: Erratum,
    changes: tuple[Difference, ...],
    findings: list[Finding],
    claims: list[dict[str, Any]],
    files: list[Path],
    language: str,
) -> dict[str, Any]:
    from playproof.cli.changed_cards import words

    return {
        "version": erratum.version,
        "date": erratum.date,
        "note": erratum.note.text(language),
        "changes": [{"id": d.id, "what": words(d)} for d in changes],
        "findings": [f.as_json() for f in findings],
        "claims": claims,
        "files": [str(f) for f in files],
    }


def _tell_changes(erratum: Erratum, changes: tuple[Difference, ...], language: str) -> None:
    from playproof.cli.changed_cards import called, words

    click.echo(f"{erratum.version} ({erratum.date}): {erratum.note.text(language)}")
    for difference in changes:
        click.echo(f"\n{called(difference, language)}")
        for text in words(difference):
            click.echo(f"  {text}")
    if not changes:
        click.echo("no card changes")


def _tell_lint(findings: list[Finding]) -> None:
    click.echo("\nlint: " + ("nothing new" if not findings else ""))
    for finding in findings:
        click.echo(f"  {finding}")


def _tell_claims(claims: list[dict[str, Any]]) -> None:
    from playproof.cli.verbs.proving import shown_value

    untouched = sum(not claim["touched"] for claim in claims)
    if untouched:
        click.echo(f"claims about rules and cards that stay the same, not proved again: {untouched}")
    for claim in (c for c in claims if c["touched"]):
        was, now = claim["before"], claim["after"]
        same = (was["verdict"], was["value"]) == (now["verdict"], now["value"])
        change = "as before" if same else f"was {was['verdict']} {shown_value(was['value'])}"
        click.echo(f"{now['verdict']:<8} {claim['id']:<28} {shown_value(now['value'])}  ({change})")
