"""Finds what is doubtful in errata: names that the game does not have, and proposals that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.database.components import Component, Words
from playproof.database.errors import Finding, did_you_mean
from playproof.database.game import Game
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import format_flow_yaml
from playproof.database.source import YamlData


def iter_errata_findings(game: Game) -> Iterator[Finding]:
    """PP407: an erratum names rulings and languages of the game. PP406: two proposed errata do not change one value
    differently, unless one builds on the other. PP238: what it says of claims is in every language of the game."""
    for unread in game.unread_errata:
        yield from unread.findings
    for erratum in game.errata:
        yield from _iter_unknown_name_findings(game, erratum)
        yield from _iter_untranslated_findings(game, erratum)
        if erratum.version in game.applied:
            yield from _iter_picture_only_findings(game, erratum)
            yield from _iter_unchanged_text_findings(game, erratum)
    proposed = [erratum for erratum in game.errata if erratum.proposed]
    for number, erratum in enumerate(proposed):
        for earlier in proposed[:number]:
            if not _is_built_on(game, erratum, earlier):
                yield from _iter_conflict_findings(erratum, earlier)


def _iter_unknown_name_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    for fate in erratum.rulings:
        if fate.id not in game.rulings:
            message = f'erratum {erratum.version}: there is no ruling "{fate.id}"'
            yield Finding("PP407", fate.where, message, did_you_mean(fate.id, game.rulings))
    printed = [language for printing in erratum.printings for language in printing.languages]
    for key, languages in (("languages", erratum.languages), ("printings", printed)):
        for language in languages:
            if language not in game.languages:
                message = f'erratum {erratum.version}: the game is not written in "{language}"'
                yield Finding(
                    "PP407", erratum.get_place(key), message, did_you_mean(language, game.languages)
                )


def _iter_untranslated_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    for ident, claim in erratum.claims.items():
        says = claim.get("says")
        texts = says.data if says is not None and isinstance(says.data, dict) else {"en": says}
        missing = [language for language in game.languages if language not in texts]
        if says is not None and missing:
            message = f"erratum {erratum.version}: what claim `{ident}` says lacks {', '.join(missing)}"
            yield Finding("PP238", says.where, message, severity="warning")


def _iter_picture_only_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP845: an icon or picture changes with some value that it stands for. One that becomes that of another component
    is an error."""
    for change in erratum.changes:
        card = game.components.get(change.component)
        if card is None or not change.path or not _is_picture_field(game, card, change.path[0]):
            continue
        others = [other for other in erratum.changes if other.component == card.id and other is not change]
        if any(not _is_picture_field(game, card, other.path[0]) for other in others if other.path):
            continue
        field = change.path[0]
        twin = next(
            (c for c in game.of_kind(card.kind) if c is not card and c.get(field) == card.get(field)), None
        )
        message = (
            f"erratum {erratum.version} changes the {field} of {card.id} to `{card.get(field)}`, and no value"
        )
        if twin is not None:
            hint = f"{twin.id} has the same {field}: change that too, or what {card.id} does"
            yield Finding("PP845", change.where, message, hint)
        else:
            yield Finding("PP845", change.where, message, "look at both faces", severity="warning")


def _is_picture_field(game: Game, card: Component, field: str) -> bool:
    spec = game.vocabulary.kinds[card.kind].fields.get(field)
    return spec is not None and spec.type in ("icon", "image")


def _iter_unchanged_text_findings(game: Game, erratum: Erratum) -> Iterator[Finding]:
    """PP846: where an erratum changes a flag, a word or a number that a text written by hand stands beside, it changes
    the text too, or some other says that it need not."""
    for ident in erratum.components:
        card = game.components.get(ident)
        changes = [change for change in erratum.changes if change.component == ident and change.path]
        text = card.get("text") if card is not None else None
        if card is None or not isinstance(text, Words) or any(change.path[0] == "text" for change in changes):
            continue
        fields = game.vocabulary.kinds[card.kind].fields
        for change in changes:
            spec = fields.get(change.path[0])
            if spec is not None and spec.type in ("flag", "choice", "term", "integer"):
                message = (
                    f"erratum {erratum.version} changes `{change.path[0]}` of {ident}, and its text stays: "
                )
                yield Finding(
                    "PP846", change.where, f"{message}“{text}”", "read it once more", severity="warning"
                )


def _is_built_on(game: Game, erratum: Erratum, earlier: Erratum) -> bool:
    by_version = {each.version: each for each in game.errata}
    below = erratum.follows or erratum.undoes
    while below in by_version:
        if below == earlier.version:
            return True
        below = by_version[below].follows or by_version[below].undoes
    return False


def _iter_conflict_findings(erratum: Erratum, earlier: Erratum) -> Iterator[Finding]:
    before = {(change.target, change.path): change for change in earlier.changes}
    for change in erratum.changes:
        other = before.get((change.target, change.path)) if change.path else None
        if other is not None and _get_new_value(other) != _get_new_value(change):
            message = (
                f"erratum {erratum.version} makes `{'.'.join(change.path)}` of {change.target} "
                f"`{format_flow_yaml(_get_new_value(change))}`, erratum {earlier.version} makes it "
                f"`{format_flow_yaml(_get_new_value(other))}`"
            )
            hint = f"{other.where}; if one builds on the other, say `follows: {earlier.version}`"
            yield Finding("PP406", change.where, message, hint, severity="warning")


def _get_new_value(change: Change) -> YamlData:
    return change.new.data if change.new else None
