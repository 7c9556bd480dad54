"""What becomes of a drawn erratum, asked of the game itself: digests of its description, and faces drawn anew.

Nothing here reads what `errata` concluded but the list of replacements: whether a value is played is asked of whole
descriptions, and what is printed is drawn of every component, and not only of those that can differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playproof.database.errors import Finding, InputError, Where
from playproof.database.field_readers import iter_changed_leaves_with_readers
from playproof.database.game import Game, add_proposed_erratum_during_block, load_game
from playproof.database.patch import Erratum
from playproof.database.sheet_cells import yaml_node_from_data_at_one_place
from playproof.errata.consistency import raise_unless_rules_play_changed_values
from playproof.errata.print_differences import compare_everything_printed_of_versions
from playproof.generator.build.run import Builder
from playproof.generator.build.version_changes import (
    are_component_faces_different,
    copy_old_game_with_new_version_number,
)
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.language.description import digest
from playproof.language.errors import RulesError
from playproof.language.options import OptionError, Options
from playproof.language.registry import UnknownGame, build
from tests.random_errata.drawn_errata import Drawn, game_in_use

REFUSED, PUBLISHED = "refused", "published"


@dataclass(frozen=True)
class Outcome:
    """What became of an erratum. `codes` say why it was refused; `faults` are breaches of what must hold."""

    drawn: Drawn
    state: str
    codes: tuple[str, ...] = ()
    faults: list[str] = field(default_factory=list)


def outcome_of(drawn: Drawn, faces: int) -> Outcome:
    """Return what becomes of an erratum. Of one that is published, so many faces that are not on the list of
    replacements are drawn; 0 draws none."""
    old = game_in_use(drawn.game)
    try:
        with add_proposed_erratum_during_block(
            drawn.game, yaml_node_from_data_at_one_place(drawn.erratum, Where("errata/99.yaml"))
        ) as version:
            new = load_game(drawn.game, version)
            erratum = next(each for each in new.errata if each.version == version)
            raise_unless_rules_play_changed_values(drawn.game, old, new, erratum)
            faults = [*_unplayed(drawn.game, old, new, erratum), *_unlisted(old, new, faces, drawn.number)]
            return Outcome(drawn, PUBLISHED, (), faults)
    except InputError as error:
        findings = error.findings
    except RulesError as error:
        findings = tuple(Finding(each.code, Where(each.place.file), each.message) for each in error.all)
    codes = tuple(sorted({finding.code for finding in findings if finding.severity == "error"}))
    return Outcome(drawn, REFUSED, codes, [*_unsaid(findings)])


def _unsaid(findings: tuple[Finding, ...]) -> Iterator[str]:
    """Yield what is wrong with the reasons of a refusal."""
    if not any(finding.severity == "error" for finding in findings):
        yield "refused without an error"
    for finding in findings:
        if len(finding.message) < 20 or not str(finding.where.file):
            yield f"refused without a reason or a place: {finding}"
        if finding.code == "PP808":
            yield f"the Python of the rules is blamed: {finding}"


def _settings(game: Game) -> Iterator[Options]:
    """Yield the usual setting, each other value of an option, and each other reading of a ruling."""
    yield Options()
    for name, option in game.facts.options.items():
        yield from (Options({name: str(v)}) for v in option.values if str(v) != str(option.default))
    for ruling in game.rulings.values():
        yield from (Options({}, {ruling.id: option}) for option in ruling.options if option != ruling.default)


def _unplayed(name: str, old: Game, new: Game, erratum: Erratum) -> Iterator[str]:
    """Yield the changes of values that the rules should read where no description differs; a game may have no rules."""
    try:
        build(name, Options(), old)
    except UnknownGame:
        return
    played = [c for c in erratum.changes if _is_of_play(old, c)] or [
        fate for fate in erratum.rulings if fate.becomes == "changes"
    ]
    if not played:
        return
    for options in _settings(old):
        try:
            if digest(build(name, options, old)) != digest(build(name, Options(options.values, options.rulings), new)):
                return
        except (OptionError, RulesError, InputError):
            continue
    yield f"published and not played: {played}"


def _is_of_play(old: Game, change: object) -> bool:
    component, path = getattr(change, "component", ""), getattr(change, "path", ())
    before, after = (getattr(change, side).data if getattr(change, side) else None for side in ("old", "new"))
    if component in old.nodes:
        kind = old.nodes[component][0]
        return any(
            leaf.is_played for leaf in iter_changed_leaves_with_readers(old.vocabulary, kind, path, before, after)
        )
    return path[:1] == ("numbers",)


def _unlisted(old: Game, new: Game, faces: int, seed: int) -> Iterator[str]:
    """Yield the faces that are printed otherwise and are not on the list of replacements."""
    if not faces:
        return
    printed = compare_everything_printed_of_versions(old, new, Path("output"))
    listed = {part.id: part.languages for part in printed.components}
    both = [ident for ident in new.components if ident in old.components]
    some = random.Random(seed).sample(both, min(faces, len(both)))
    before, after = (Builder(game, Path("output"), looks=LayoutRenderer(game)).press for game in (old, new))
    was = before.create_press_for_other_version(copy_old_game_with_new_version_number(old, new))
    for ident in some:
        for language in new.languages:
            if language not in listed.get(ident, ()) and are_component_faces_different(was, after, ident, language):
                yield f"{ident} is printed otherwise in {language}, and is not replaced"
    gone = [ident for ident in old.components if ident not in new.components and ident not in listed]
    kinds = {kind for product in after.products for kind in product.kinds}
    yield from (f"{ident} left, and is not taken out" for ident in gone if old.components[ident].kind in kinds)
