"""Checks the references in the data: components that exist, in the right deck; images inside the
folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component, NameUse
from playproof.database.convert import Converter, Reference
from playproof.database.errors import Finding, FindingCollector, Where, did_you_mean
from playproof.database.rulebook import Rulebook
from playproof.database.source import YamlNode
from playproof.database.vocabulary import Vocabulary

if TYPE_CHECKING:
    from playproof.database.claims_yaml import Claim

OfComponent = Callable[[str, Sequence[Finding]], None]
"""Hears what is wrong with a component, by its id."""


def check_references(
    converter: Converter,
    vocabulary: Vocabulary,
    folder: Path,
    removed: Mapping[str, Component],
    collector: FindingCollector,
    of_component: OfComponent,
) -> None:
    """Check all references that the converter recorded; `removed` are the components without a copy. `of_component`
    hears what is wrong with each component."""
    for reference in converter.references:
        if reference.owner in removed:
            continue
        before = len(collector.findings)
        _check_reference(reference, vocabulary, removed, collector)
        if collector.findings[before:]:
            of_component(reference.owner, collector.findings[before:])
    for image in converter.images:
        before = len(collector.findings)
        _check_image(image, folder, collector)
        if collector.findings[before:]:
            of_component(image.owner, collector.findings[before:])


def check_cited_rules(
    components: Mapping[str, Component],
    nodes: Mapping[str, YamlNode],
    vocabulary: Vocabulary,
    rulebook: Rulebook,
    collector: FindingCollector,
    of_component: OfComponent,
) -> None:
    """Check that every rule cited by a component or an effect exists. What a file's defaults
    cite is told once; `nodes` are the components as written."""
    if not rulebook.rules:
        return  # it could not be read; that has been reported
    cited = [
        (c.id, nodes[c.id].get_nearest(["rules", index]).where, rule)
        for c in components.values()
        for index, rule in enumerate(c.rules)
    ]
    for op, effect in vocabulary.effects.items():
        for index, rule in enumerate(effect.rules):
            cited.append((op, vocabulary.node.get_nearest(["effects", op, "rules", index]).where, rule))
    for owner, finding in _check_rules_exist(cited, rulebook, collector):
        if owner in components:
            of_component(owner, [finding])


def check_rules_cited_by_claims(
    claims: Mapping[str, Claim], rulebook: Rulebook, collector: FindingCollector
) -> None:
    """Check that every rule cited by a claim exists, if there is a rulebook that could be read."""
    if rulebook.rules:
        cited = [
            (f"claim `{claim.id}`", claim.node.get_nearest(["rules", index]).where, rule)
            for claim in claims.values()
            for index, rule in enumerate(claim.rules)
        ]
        _check_rules_exist(cited, rulebook, collector)


def _check_rules_exist(
    cited: Iterable[tuple[str, Where, str]], rulebook: Rulebook, collector: FindingCollector
) -> list[tuple[str, Finding]]:
    """Note each rule that does not exist. Return what was noted, each with who cites it."""
    noted = []
    reported = set[tuple[Where, str]]()
    for owner, where, rule in cited:
        if rule not in rulebook.rules and (where, rule) not in reported:
            reported.add((where, rule))
            message = f"{owner} cites the rule {rule}, which is not in the rulebook"
            collector.add_finding("PP210", where, message, did_you_mean(rule, rulebook.rules))
            noted.append((owner, collector.findings[-1]))
    return noted


def _check_reference(
    reference: Reference,
    vocabulary: Vocabulary,
    removed: Mapping[str, Component],
    collector: FindingCollector,
) -> None:
    targets, spec = vocabulary.targets, reference.spec
    kinds = spec.kinds or list(vocabulary.kinds)
    target = targets.get(reference.name)
    if reference.name in removed:
        message = f"{reference.namer} names {reference.name}, which is no longer in the box: it has 0 copies"
        hint = f"change {reference.namer} too, or leave {reference.name} in the box"
        collector.add_finding("PP833", reference.where, message, hint)
        return
    if target is None:
        suitable = [key for key, fields in targets.items() if fields["kind"] in kinds]
        message = f'{reference.owner} names "{reference.name}", but no {" or ".join(kinds)} has that number'
        collector.add_finding("PP210", reference.where, message, did_you_mean(reference.name, suitable))
        return
    if target["kind"] not in kinds:
        expected = " or ".join(kinds)
        message = (
            f'{reference.owner} names "{reference.name}", which is a {target["kind"]}; expected a {expected}'
        )
        collector.add_finding("PP212", reference.where, message)
        return
    for field, allowed in (spec.where or {}).items():
        value = target.get(field)
        if value not in allowed:
            message = (
                f'{reference.owner} calls "{reference.name}", which lies in no deck to call from: '
                f"its `{field}` is {value or 'missing'}; expected {' or '.join(allowed)}"
            )
            collector.add_finding("PP212", reference.where, message)


def _check_image(image: NameUse, folder: Path, collector: FindingCollector) -> None:
    """Check that an image lies inside the game's folder, after following links."""
    inside = folder.resolve()
    path = Path(image.name)
    try:
        target = (inside / path).resolve()
    except (OSError, RuntimeError):  # Python 3.13 and older ones call a circle by two names
        message = f'the image "{image.name}" of {image.owner} is a link that leads in a circle'
        collector.add_finding("PP213", image.where, message)
        return
    if path.is_absolute() or not target.is_relative_to(inside):
        message = f'the image "{image.name}" of {image.owner} lies outside the game\'s folder'
        collector.add_finding("PP213", image.where, message, "copy it into the folder and name it from there")
    elif not target.is_file():
        pictures = [p.relative_to(inside).as_posix() for p in sorted(target.parent.glob("*")) if p.is_file()]
        message = f'there is no image "{image.name}" in the game\'s folder'
        collector.add_finding("PP213", image.where, message, did_you_mean(image.name, pictures))
