"""What an erratum prints and nothing plays: values of components and files (PP830), and answers to rulings (PP849).

A ruling is a switch in the rules of a game, and these know its options by name. An option that only the rulebook has
would be printed, and the old one would be played.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from playproof.database.errors import Finding, InputError, Where
from playproof.database.game import Game as Cards, has_rules_file, load_game
from playproof.database.patch import Erratum, choose_errata_in_use
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.linting.played_values import (
    REFUSALS,
    PlayDigests,
    list_unplayed_changes_of_erratum,
    make_refused_cards_finding,
)


def list_unplayed_changes_of_all_errata(ref: str, game: Cards) -> list[Finding]:
    """Return what is printed and not played of each erratum in use, and of each proposal that can be read; PP810 for a
    proposal that the rules refuse. Of a game without rules, nothing is played."""
    findings: list[Finding] = []
    if not has_rules_file(game.folder):
        return findings
    for erratum in game.errata:
        if erratum.version in game.applied or erratum.proposed:
            with suppress(InputError):  # lint says what is wrong with it
                before, after = load_games_around_erratum(ref, game, erratum)
                findings += _list_unplayed_changes_of_erratum(ref, before, after, erratum)
    return findings


def _list_unplayed_changes_of_erratum(ref: str, before: Cards, after: Cards, erratum: Erratum) -> list[Finding]:
    try:
        if erratum.proposed:
            build(ref, None, after)
    except REFUSALS as error:
        return [make_refused_cards_finding(erratum, error)]
    return [
        *list_unplayed_changes_of_erratum(ref, before, after, erratum),
        *list_unplayed_ruling_options(ref, before, after, erratum),
    ]


def load_games_around_erratum(ref: str, game: Cards, erratum: Erratum) -> tuple[Cards, Cards]:
    """Return a game just before and just after one of its errata. Raises InputError if one of them cannot be read."""
    return load_game(ref, _get_version_before_erratum_or_false(game, erratum)), load_game(ref, erratum.version)


def _get_version_before_erratum_or_false(game: Cards, erratum: Erratum) -> bool | str:
    *earlier, _ = choose_errata_in_use(game.errata, erratum.version)
    return earlier[-1].version if earlier else False


# -- rulings --------------------------------------------------------------------------------------------------------


def list_unplayed_ruling_options(ref: str, before: Cards, after: Cards, erratum: Erratum) -> list[Finding]:
    """PP849: return the options of rulings that an erratum adds or puts in force, and that the rules do not know or
    that change nothing in play. Raises what the rules raise if they refuse the cards."""
    added, in_force = (
        _map_rulings_to_added_options_if_any(before, after),
        _map_changed_rulings_to_both_defaults(before, after),
    )
    if not added and not in_force:
        return []
    plays, findings = PlayDigests(ref, after), list[Finding]()
    for ident, names in added.items():
        known = _list_ruling_options_that_rules_know(plays, ident, names)
        findings += [_make_unknown_option_finding(erratum, ident, name, known) for name in names if name not in known]
    unknown = {finding.where for finding in findings}
    for ident, (was, now) in in_force.items():
        place = _get_ruling_place(erratum, ident)
        if place not in unknown and not _is_option_change_played_in_any_setting(plays, ident, was, now):
            findings.append(_make_undecided_ruling_finding(erratum, ident, was, now))
    return findings


def _map_rulings_to_added_options_if_any(before: Cards, after: Cards) -> dict[str, list[str]]:
    """Return the options of each ruling that it did not have before."""
    options = {
        ident: [
            name
            for name in ruling.option_words
            if ident not in before.rulings or name not in before.rulings[ident].option_words
        ]
        for ident, ruling in after.rulings.items()
        if len(ruling.option_words) > 1  # one with a single answer is no switch
    }
    return {ident: names for ident, names in options.items() if names}


def _map_changed_rulings_to_both_defaults(before: Cards, after: Cards) -> dict[str, tuple[str, str]]:
    """Return the rulings whose default is another one now, with both."""
    return {
        ident: (before.rulings[ident].default, ruling.default)
        for ident, ruling in after.rulings.items()
        if ident in before.rulings and before.rulings[ident].default != ruling.default
    }


def _list_ruling_options_that_rules_know(plays: PlayDigests, ident: str, wanted: list[str]) -> tuple[str, ...]:
    """Return the options of a ruling that the rules know. Settings are tried until all that are wanted are found."""
    known = dict[str, None]()
    for setting in plays.iter_settings_usual_first():
        options = Options(*setting)
        with suppress(*REFUSALS):
            build(plays.ref, options, plays.cards)
        known |= dict.fromkeys(options.read.get(ident, ()))
        if all(name in known for name in wanted):
            break
    return tuple(known)


def _is_option_change_played_in_any_setting(plays: PlayDigests, ident: str, was: str, now: str) -> bool:
    """Return whether an option of a ruling differs from another in play, in any setting."""
    return any(
        plays.get_play_digest_or_refusal_text(plays.cards, (values, {**rulings, ident: was}))
        != plays.get_play_digest_or_refusal_text(plays.cards, (values, {**rulings, ident: now}))
        for values, rulings in _iter_settings_leaving_ruling_as_it_is(plays, ident)
    )


def _iter_settings_leaving_ruling_as_it_is(
    plays: PlayDigests, ident: str
) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield the settings that leave a ruling as it is."""
    for values, rulings in plays.iter_settings_usual_first():
        if ident not in rulings:
            yield dict(values), dict(rulings)


def _get_ruling_place(erratum: Erratum, ident: str) -> Where:
    """Return where an erratum speaks of a ruling."""
    fates = [fate.where for fate in erratum.rulings if fate.id == ident]
    changes = [change.where for change in erratum.changes if change.path[:2] == ("rulings", ident)]
    return next(iter([*fates, *changes]), erratum.where)


def _make_unknown_option_finding(erratum: Erratum, ident: str, name: str, known: tuple[str, ...]) -> Finding:
    asked = f"know only {', '.join(known)}" if known else f"never ask for {ident}"
    what = f"erratum {erratum.version} gives ruling {ident} the option `{name}`"
    message = f"{what}, and this is not played: the rules {asked}"
    call = f'`options.ruling("{ident}", ...)`'
    hint = f"write it in the rules, at {call}; an answer that decides nothing in play is a ruling with one option"
    return Finding("PP849", _get_ruling_place(erratum, ident), message, hint)


def _make_undecided_ruling_finding(erratum: Erratum, ident: str, was: str, now: str) -> Finding:
    message = f"erratum {erratum.version} changes ruling {ident} from `{was}` to `{now}`, and this is not played: "
    message += "nothing differs in play under any option"
    hint = "write what the option changes in the rules of the game, or `becomes: stays`"
    return Finding("PP849", _get_ruling_place(erratum, ident), message, hint)
