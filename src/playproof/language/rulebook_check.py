"""Checks that the rulebook and the rules agree on rule ids, rulings and their options, and
phases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from playproof.database.errors import Finding, did_you_mean
from playproof.database.game import Game as Cards
from playproof.language import Field, Place, Sees
from playproof.language.doubtful_rules import convert_place_to_where, iter_doubtful_rule_findings
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.phases import find_unreached_phases
from playproof.language.registry import build
from playproof.language.rulebook_numbers import iter_unfounded_number_findings
from playproof.language.secrecy import ParameterLeads, find_parameter_leads


def collect_rulebook_findings(game: Game, options: Options, cards: Cards) -> list[Finding]:
    """Return the differences between a game's data and its rules, which were built under these default
    options."""
    return [
        *_iter_citation_findings(game, cards),
        *_iter_ruling_findings(options, cards),
        *_iter_unreached_phase_findings(game),
        *_iter_track_findings(game, cards),
        *iter_secrecy_findings(game),
        *iter_doubtful_rule_findings(game),
        *iter_unfounded_number_findings(game, cards),
    ]


def collect_findings_without_cards(ref: str) -> list[Finding]:
    """Return what is doubtful in rules that have no cards. Raises RulesError if the rules cannot be built,
    UnknownGame if there are none."""
    game = build(ref)
    return [
        *_iter_unreached_phase_findings(game),
        *iter_secrecy_findings(game),
        *iter_doubtful_rule_findings(game),
    ]


def _iter_citation_findings(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP347: the rules cite a rule that the rulebook does not have."""
    in_rulebook = [
        *sorted(cards.rules, key=_make_natural_sort_key),
        *sorted(cards.rulings, key=_make_natural_sort_key),
    ]
    for ident, places in game.citations.items():
        if in_rulebook and ident not in in_rulebook:
            yield Finding(
                "PP347",
                convert_place_to_where(places[0]),
                f"the rulebook has no rule `{ident}`",
                did_you_mean(ident, in_rulebook),
            )


def _iter_ruling_findings(options: Options, cards: Cards) -> Iterator[Finding]:
    """PP348: the rules and the rulebook differ on a ruling's options."""
    for ident, read in options.read.items():
        ruling = cards.rulings.get(ident)
        if ruling is None:
            yield Finding(
                "PP348",
                convert_place_to_where(options.places[ident]),
                f"the rules ask for ruling {ident}, which the rulebook does not have",
                did_you_mean(ident, cards.rulings),
            )
        elif set(ruling.options) != set(read) or ruling.default != read[0]:
            yield Finding(
                "PP348",
                ruling.where,
                f"ruling {ident}: expected {_format_options(read[0], read)} as in the rules, "
                f"found {_format_options(ruling.default, ruling.options)}",
                "give both the same options and the same default",
            )


def _iter_unreached_phase_findings(game: Game) -> Iterator[Finding]:
    """PP343: a phase that no rule goes to."""
    for phase in find_unreached_phases(game):
        if phase.place is not None:
            yield Finding(
                "PP343",
                convert_place_to_where(phase.place),
                f"no rule ever goes to phase `{phase.name}`",
                "add a `goto` to it, or remove the phase",
                "warning",
            )


def _iter_track_findings(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP351: a printed track does not cover the numbers that the rules count on it."""
    fields = {field.name: field for field in game.fields}
    for index, track in enumerate(cards.facts.tracks):
        where = cards.node.get_nearest(["tracks", index]).where
        for end, counted in (("first", track.least_of), ("last", track.most_of)):
            printed = cards.number(getattr(track, end))
            if printed is None:
                yield Finding(
                    "PP351",
                    where,
                    f"`{end}` of the track: expected a number or a component's field, "
                    f"found {getattr(track, end)!r}",
                )
            elif counted is not None and counted not in fields:
                yield Finding(
                    "PP351", where, f"the rules have no field `{counted}`", did_you_mean(counted, fields)
                )
            elif counted is not None:
                bound = fields[counted].lo if end == "first" else fields[counted].hi
                if (printed > bound) if end == "first" else (printed < bound):
                    name = track.name.get("en", "track")
                    way = "begins" if end == "first" else "ends"
                    yield Finding(
                        "PP351",
                        where,
                        f"{name} {way} at {printed}, but the rules count to {bound} (`{counted}`)",
                    )


def _format_options(default: str, options: Iterable[str]) -> str:
    return ", ".join([f"{default} (default)", *sorted(set(options) - {default})])


def _make_natural_sort_key(ident: str) -> list[str | int]:
    """Return the key that sorts R2 before R12, and A12 before A12b."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", ident)]


def iter_secrecy_findings(game: Game) -> Iterator[Finding]:
    """PP352: an action shows to all what it declares secret. PP353: a hidden value is written to a
    field that all see, and nothing declares it (`reveals=`). Both are warnings."""
    hidden = [held for held in game.fields if held.sees is not Sees.ALL]
    if game.players == 1 or not hidden:
        return
    for action in game.actions:
        leads = find_parameter_leads(action.params, action.body, hidden)
        for parameter in action.params:
            visible = leads.outlets.get(parameter.local.number, set())
            name = parameter.local.name
            if name in action.secret and visible:
                shown = _format_field_names(visible)
                message = f"`{name}` of action `{action.name}` is secret, and is shown in {shown}"
                hint = "hide that field, or do not call it secret"
                yield Finding("PP352", convert_place_to_where(action.place), message, hint, "warning")
        yield from _iter_revealed_field_findings(
            f"action `{action.name}`", action.place, leads, action.reveals
        )
    for phase in game.phases:
        if phase.body is not None and phase.place is not None:
            leads = find_parameter_leads((), phase.body, hidden)
            yield from _iter_revealed_field_findings(
                f"phase `{phase.name}`", phase.place, leads, phase.reveals
            )


def _iter_revealed_field_findings(
    subject: str, place: Place, leads: ParameterLeads, declared: Iterable[str]
) -> Iterator[Finding]:
    revealed = {held for held, _ in leads.reveals if held.name not in declared}
    for held in sorted(revealed, key=lambda f: f.number):
        into = {to for source, to in leads.reveals if source is held}
        yield Finding(
            "PP353",
            convert_place_to_where(place),
            f"{subject} shows `{held.name}`, which not everybody sees, in {_format_field_names(into)}",
            f'write reveals="{held.name}" if that is meant',
            "warning",
        )


def _format_field_names(fields: Iterable[Field]) -> str:
    return ", ".join(sorted(f"`{held.name}`" for held in fields))
