"""Certificates of closed sets in few words, and copies of them with other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from playproof.language.game import Game
from playproof.verifier.kernel.closed_set_certificate import (
    ClosedSetCertificate,
    StateCount,
    StateDistance,
    Vector,
    compute_chance_bounds,
)
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.statements import Event, EventChance, Subject
from playproof.verifier.kernel.strategies import StrategyChance
from playproof.verifier.kernel.symmetry import Renaming
from playproof.verifier.kernel.worths import ExpectedValue, ExpectedValues, ValueBounds
from playproof.verifier.proof.best_play import BestPlayBounds
from playproof.verifier.proof.chances import solution_to_chance_certificate

Bounds = tuple[Fraction, Fraction]


def exploration(about: Subject, states: int, number: str = "", most: int = 0, rise: int = 0) -> ClosedSetCertificate:
    """What is stated of all states at once."""
    return ClosedSetCertificate(about, Listing(states, "", number, most, rise=rise))


def state_count(event: Event, states: int, number: int) -> ClosedSetCertificate:
    """How many states meet an event."""
    return exploration(StateCount(event, number), states)


def state_distance(event: Event, far: bool, states: int, number: int) -> ClosedSetCertificate:
    """How far away the nearest or the farthest state is that meets an event."""
    return exploration(StateDistance(event, far, number), states)


def in_layers(about: Subject, listing: Listing, alike: tuple[Renaming, ...] = ()) -> ClosedSetCertificate:
    """What is stated of all states layer by layer."""
    return ClosedSetCertificate(about, replace(listing, alike=alike or listing.alike))


def chance_in_layers(
    event: Event,
    luck: str,
    seat: int,
    listing: Listing,
    low: Fraction = Fraction(0),
    high: Fraction = Fraction(1),
    alike: tuple[Renaming, ...] = (),
    partners: tuple[int, ...] = (),
) -> ClosedSetCertificate:
    """Bounds on a chance that the kernel computes."""
    return in_layers(EventChance(event, luck, seat, low, high, partners=partners), listing, alike)


def chance_in_file(
    event: Event,
    luck: str,
    seat: int,
    values: Sequence[Fraction],
    upper: Sequence[int],
    lower: Sequence[int],
    ranks: Sequence[int],
    start: int,
    partners: tuple[int, ...] = (),
) -> ClosedSetCertificate:
    """A chance with the bounds of all states; `start` is the place of the first state."""
    low, high = Fraction(0), Fraction(1)
    if 0 <= start < min(len(upper), len(lower)):
        low, high = values[lower[start]], values[upper[start]]
    about = EventChance(event, luck, seat, low, high, partners=partners)
    return ClosedSetCertificate(
        about, Listing(len(upper)), Vector(tuple(values), tuple(upper), tuple(lower), tuple(ranks))
    )


def compiled_exploration(about: Subject, states: int, number: str = "", most: int = 0) -> ClosedSetCertificate:
    """What is stated of all states that lent code goes through."""
    return exploration(about, states, number, most, rise=1)


def compiled_chance(
    event: Event, luck: str, seat: int, listing: Listing, rise: int = 1, partners: tuple[int, ...] = ()
) -> ClosedSetCertificate:
    """Bounds on a chance in the layers that lent code goes through."""
    return chance_in_layers(event, luck, seat, replace(listing, rise=rise), partners=partners)


def solved_chance(solution: BestPlayBounds, event: Event, luck: str, seat: int, start: int) -> ClosedSetCertificate:
    """The chance that a solver found."""
    about = EventChance(event, luck, seat, Fraction(0), Fraction(1))
    return solution_to_chance_certificate(solution, about, start)


def moved(certificate: ClosedSetCertificate, start: int) -> ClosedSetCertificate:
    """The same chance, stated of another place than that of the first state."""
    vector = certificate.vector
    return restate(certificate, low=vector.values[vector.lower[start]], high=vector.values[vector.upper[start]])


def strategy_chance(about: StrategyChance, states: int) -> ClosedSetCertificate:
    """The chance of a strategy, in the states that it allows."""
    return ClosedSetCertificate(about, Listing(states))


def worth(
    of: Any, listing: Listing, low: Fraction, high: Fraction, partners: tuple[int, ...] = ()
) -> ClosedSetCertificate:
    """Bounds on an expected value."""
    return ClosedSetCertificate(ExpectedValue(of, low, high, partners=partners), listing)


def worths(
    of: Any, listing: Listing, each: tuple[ValueBounds, ...], partners: tuple[int, ...] = ()
) -> ClosedSetCertificate:
    """Bounds on what each option is worth, or on the chance of each value."""
    return ClosedSetCertificate(ExpectedValues(of, each, partners=partners), listing)


def restate(certificate: ClosedSetCertificate, **changes: Any) -> ClosedSetCertificate:
    """The same certificate with other keys, whichever part of it has them."""
    for part in ("about", "listing", "vector"):
        names = {each.name for each in fields(getattr(certificate, part))} & changes.keys()
        other: Any = replace(getattr(certificate, part), **{name: changes.pop(name) for name in names})
        certificate = replace(certificate, **{part: other})
    return replace(certificate, **changes)


def with_other_keys(plain: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """The data of a certificate with other keys, in the part that has them."""
    for name, part in plain.items():
        if isinstance(part, dict) and change.keys() <= part.keys():
            return {**plain, name: {**part, **change}}
    return {**plain, **change}


def bounds_of(certificate: ClosedSetCertificate) -> Bounds:
    """The bounds that a certificate states."""
    about: Any = certificate.about
    return about.low, about.high


def chance_bounds(game: Game, certificate: ClosedSetCertificate, context: Context) -> Bounds:
    """The bounds that the kernel computes of a chance."""
    assert isinstance(certificate.about, EventChance)
    certificate._require_listing_serves_subject()
    return compute_chance_bounds(game, certificate.about, certificate.listing, context)
