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
    game_argument,
    json_option,
    ladder_bots,
    needs_rules,
    out_option,
    papers_option,
    status,
    work_options,
)
from playproof.cli.documents import add_document
from playproof.cli.failures import INTERNAL, WRONG_INPUT

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.errata.comparison import Comparison
    from playproof.errata.consistent import Consistent
    from playproof.errata.descriptions import Versions
    from playproof.errata.dossier import Dossier
    from playproof.errata.play import Climbed, PlayComparison
    from playproof.errata.printed import Books
    from playproof.errata.speech import Speech


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
    from playproof.database.source import keep_parsed
    from playproof.errata import telling
    from playproof.errata.checks import Lint, check_played, is_refused
    from playproof.errata.consistent import consistent
    from playproof.errata.dossier import Dossier, findings_of
    from playproof.errata.sent import send
    from playproof.errata.speech import Speech
    from playproof.errata.versions import before_and_after, differences, selector
    from playproof.language.registry import output_folder

    needs_rules(game, "an erratum changes cards")
    own_folder = output_folder(out, game)
    bots = ladder_bots(ladder)
    keep_parsed()  # both versions are read again by whoever lints, proves and plays them
    old, new, erratum = before_and_after(game, version, since)
    ruled = has_rules(new.folder)
    if ruled:
        check_played(game, old, new, erratum)
    speech = Speech(_language(new, language), new)
    changes = differences(old, new, speech.language)
    _print(() if as_json else telling.changes(erratum, changes, speech))
    sides, cores = (selector(old), erratum.version), jobs or os.cpu_count() or 1
    folder = own_folder / "errata" / erratum.version
    with status("checking the game before and after") as say:
        lint = Lint(game, *sides, cores)
        done = _Done(differ=ruled, same=consistent(game, old, erratum))
        playable = ruled and not is_refused(game, erratum.version)
        books = _begin_books(old, new, folder, cores, playable=playable)
        if playable and no_proof and not games:
            done.differ = _differ(game, old, new)
        elif playable:
            limits = {"work": work, "seconds": seconds, "within": within or None, "jobs": cores}
            proving = {**limits, "only": only, "remember": not fresh, "proofs": out, "progress": say}
            how = None if no_proof else proving, (games, bots, cores)
            _prove_and_play(game, sides, done, None if as_json else speech, *how, say)
        say("checking the changed game")
        findings = [*lint.new_findings(), *findings_of(old, new, erratum, changes, rules_differ=done.differ)]
        dossier = Dossier(old, new, erratum, speech.language, changes, tuple(findings), *done.results)
        say("drawing what is sent")
        output_folder(out, game, claim=True)
        dossier = _with_prints(dossier, folder, books)
        files = send(dossier, folder, papers or ("A4", "Letter"))
    _say_all(game, dossier, files, done.early, as_json=as_json)
    return _exit_status(dossier)


@dataclass
class _Done:
    """What is known of an erratum's effects: whether something differs in play, the claims, the same change on cards
    worded alike, and the games. `early` are the sentences that were printed already."""

    differ: bool
    same: Consistent
    claims: Comparison | None = None
    early: list[str] = field(default_factory=list)
    played: Sequence[PlayComparison] = ()
    climbed: Sequence[Climbed] = ()

    @property
    def results(self) -> tuple[Any, ...]:
        """What a dossier takes of it, in the order of its fields."""
        return self.claims, tuple(self.played), self.differ, self.same, tuple(self.climbed)


def _differ(game: str, old: Game, new: Game) -> bool:
    """Return whether something differs in play between two versions, without the verifier."""
    from playproof.linting.played_values import Plays

    return Plays(game, old).differ(old, new)


def _prove_and_play(
    game: str,
    sides: tuple[bool | str, str],
    done: _Done,
    speech: Speech | None,
    proving: dict[str, Any] | None,
    playing: tuple[int, tuple[str, ...] | None, int],
    say: Callable[[str], None],
) -> None:
    """Ask the claims of both versions, if they are to be proved, and play both beside that."""
    from playproof.errata.descriptions import Versions
    from playproof.errata.play import in_both
    from playproof.verifier.questions.claims_of_game import claims_of

    games, bots, cores = playing
    versions = Versions(game, *sides, claims_of(game, sides[0]))
    done.differ = bool(versions.settings)
    results = in_both(game, sides, versions.settings, games, bots, cores)
    if proving is not None:
        say("proving")
        done.claims, done.same = _claims(versions, done.same, speech, done.early, **proving)
    if done.differ and games:
        say("playing both versions")
        done.played, done.climbed = results()


def _begin_books(old: Game, new: Game, folder: Path, cores: int, *, playable: bool) -> Books:
    """Begin to compare the rulebooks. Where the rules refuse the cards, no example of a rulebook can be played."""
    from playproof.cli.recorded_moves import RecordedMoves
    from playproof.errata.printed import begin_books

    return begin_books(old, new, folder, RecordedMoves() if playable else None, cores)


def _with_prints(dossier: Dossier, folder: Path, books: Books) -> Dossier:
    """Return a dossier with what differs in print."""
    from playproof.errata.printed import compare_prints

    printed = compare_prints(dossier.old, dossier.new, folder, books)
    return replace(dossier, findings=(*dossier.findings, *printed.findings), printed=printed)


def _say_all(
    game: str, dossier: Dossier, files: Sequence[Path], early: Sequence[str], *, as_json: bool
) -> None:
    """Print what an erratum changes, but for what was printed early."""
    from playproof.errata import telling
    from playproof.verifier.wording import shown_value

    if as_json:
        add_document(telling.as_json(dossier, files))
    else:
        _print(telling.effects(game, dossier, files, early, shown_value))


def _language(game: Game, language: str | None) -> str:
    """Return the language asked for, or the game's first. Raises InputError if the game has no such
    language."""
    from playproof.database.errors import InputError, Where, did_you_mean

    if language is None:
        return game.languages[0]
    if language not in game.languages:
        hint = did_you_mean(language, game.languages)
        raise InputError.of("PP514", Where("--language"), f'the game is not written in "{language}"', hint)
    return language


def _claims(
    versions: Versions, same: Consistent, speech: Speech | None, early: list[str], **limits: Any
) -> tuple[Comparison, Consistent]:
    """Return the answers to the claims in both versions, and with the same change on the cards worded alike in the
    time that is left; print what is known of winning as soon as it is, if there is a language to say it in, and add it
    to `early`."""
    from playproof.errata.asking import spent
    from playproof.errata.claims import compare
    from playproof.errata.consistent import answered

    def first(comparison: Comparison) -> None:
        if speech is not None:
            early.extend(comparison.sentences(speech))
            _print(["", *early])

    began = spent()
    claims = compare(versions.ref, versions.old, versions.new, first=first, versions=versions, **limits)
    left = limits["within"] and max(0.1, limits["within"] - (spent() - began) / limits["jobs"])
    return claims, answered(same, versions, claims, **{**limits, "within": left})


def _exit_status(dossier: Dossier) -> int:
    claims = dossier.claims
    if claims and any(answer.fault for answer in (*claims.before, *claims.after)):
        return INTERNAL
    wrong = any(finding.severity == "error" for finding in dossier.findings)
    return FALSE if wrong or (claims and claims.lost) else 0


def _print(lines: Iterable[str]) -> None:
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
    from playproof.database.lookup import component_of
    from playproof.database.source import keep_parsed
    from playproof.errata.changed_cards import called, words
    from playproof.errata.speech import Speech
    from playproof.errata.telling import headed
    from playproof.errata.versions import Difference, History, history_of, texts_of

    keep_parsed()  # a history reads the game twice for each erratum
    loaded = load_game(game)
    language = _language(loaded, language)
    component = component_of(loaded, name, language)
    written = {
        field: value.text(language)
        for field, value in component.fields.items()
        if isinstance(value, Words) and value != component.title
    }
    texts = {**written, **texts_of(component, loaded, language)}
    speech = Speech(language, loaded)
    past = history_of(game, component.id, language) if history else History((), ())
    if as_json:
        rows = [
            {"version": e.version, "date": e.date, "proposed": e.proposed, "what": words(d, speech)}
            for e, d in past.changes
        ]
        facts = {
            "id": component.id,
            "title": component.name,
            "kind": component.kind,
            "count": component.count,
        }
        wrong = {"findings": [finding.as_json() for finding in past.findings]}
        add_document({**facts, "source": str(component.source), "texts": texts, "history": rows, **wrong})
        return WRONG_INPUT if past.findings else 0
    click.echo(called(Difference(component.id, None, component, (), ()), language, loaded))
    click.echo(f"  {component.kind}, {component.count} in the box; source: {component.source or 'none'}")
    for label, text in texts.items():
        click.echo(f"  {label}: {text}")
    for erratum, difference in past.changes:
        click.echo(f"\n{headed(erratum, language)}")
        for text in words(difference, speech):
            click.echo(f"  {text}")
    if history and not past.changes:
        click.echo("no erratum changes it")
    if past.findings:
        raise InputError(past.findings)
    return 0
