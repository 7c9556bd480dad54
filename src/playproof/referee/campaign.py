"""Campaigns: games that follow each other, as the fact `campaign` of each says.

After a win the next game begins with what is carried on; after a loss the same game, or another one, begins
again. A campaign is saved as the transcripts of its games, one behind the other, and judged in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, FindingCollector
from playproof.database.files import write_atomically
from playproof.referee.match import Match
from playproof.referee.transcript import Transcript, write
from playproof.referee.variant import Variant


@dataclass(frozen=True)
class NextGame:
    """The game that may follow a finished one. `things` are the names of what is carried into it; the first
    `ordered` of them may change places."""

    won: bool
    options: Mapping[str, str]
    into: str
    things: tuple[str, ...]
    ordered: int

    def build_variant(self, before: Variant, order: Sequence[str] = ()) -> Variant:
        """Return the following game, with the ordered things in this order (default: as they stand).

        Raises ValueError if `order` does not name each of them once.
        """
        first = self.things[: self.ordered]
        if order and sorted(order) != sorted(first):
            raise ValueError(
                f"expected each of {', '.join(first) or 'nothing'} once, found {', '.join(order)}"
            )
        options = {**before.options, **self.options}
        if self.won and self.into:
            options[self.into] = " ".join((*(order or first), *self.things[self.ordered :]))
        return Variant(
            before.ref, {name: text for name, text in options.items() if text != ""}, before.rulings
        )

    def can_lead_to_variant(self, before: Variant, variant: Variant) -> bool:
        """Return whether a game is this one, in one of the orders that the player may choose."""
        words = variant.options.get(self.into, "").replace(",", " ").split()[: self.ordered]
        try:
            wanted = self.build_variant(before, words)
        except ValueError:
            return False
        return _normalize_settings(wanted) == _normalize_settings(variant)


def find_next_game(match: Match) -> NextGame | None:
    """Return the game that follows a match; None if it is not over, or nothing follows it."""
    declared: Mapping[str, Any] = match.game.facts.get("campaign", {})
    if not declared or match.ending is None:
        return None
    if match.ending.kind != "win":
        return NextGame(False, declared.get("lost", {}), declared.get("into", ""), (), 0)
    if "won" not in declared:
        return None
    carried = [name for name, term in declared.get("carried", {}).items() if _is_nonzero(match, term)]
    ordered = [name for name in carried if name in declared.get("ordered", ())]
    things = (*ordered, *(name for name in carried if name not in ordered))
    return NextGame(True, declared["won"], declared.get("into", ""), things, len(ordered))


def start_next_match(match: Match, seed: int, order: Sequence[str] = ()) -> Match | None:
    """Return the match that follows, with a seed of its own; None if none does."""
    after = find_next_game(match)
    if after is None:
        return None
    return Match(after.build_variant(match.variant, order), seed, seats=match.seats)


def iter_story_pages(match: Match, moment: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield title and paragraphs of each page told `before` a game, or `after` it if it was won."""
    declared: Mapping[str, Any] = match.game.facts.get("campaign", {})
    if moment == "before" or (match.ending is not None and match.ending.kind == "win"):
        yield from ((title, tuple(lines)) for title, lines in declared.get(moment, {}).items())


def describe_next_game(match: Match, order: Sequence[str] = ()) -> str:
    """Return in words which game follows and what is carried into it, in this order; "" if none does."""
    after = find_next_game(match)
    if after is None:
        return ""
    variant = after.build_variant(match.variant)
    chosen = {**after.options, **({} if after.options else variant.options)}
    name = " ".join(f"{option} {text}" for option, text in chosen.items() if text and option != after.into)
    title = f"{name[:1].upper()}{name[1:]}" if name else "The game"
    if not after.won:
        return f"{title} begins again"
    things = (*(order or after.things[: after.ordered]), *after.things[after.ordered :])
    carried = ", ".join(_describe_carried_components(match.variant, things)) or "nothing carried on"
    return f"{title} begins with {carried}"


def format_campaign(matches: Sequence[Match], note: str = "") -> str:
    """Return the games of a campaign as transcripts, one behind the other."""
    *earlier, last = matches
    return "\n".join([*map(write, earlier), write(last, note)])


def save_campaign(matches: Sequence[Match], path: Path | str) -> None:
    """Write a campaign whole or not at all."""
    write_atomically(Path(path), format_campaign(matches).encode())


def check_campaign_order(parts: Sequence[tuple[Transcript, Match]], findings: list[Finding]) -> None:
    """Add a finding (PP612) for each game that is not the one that follows the game before it."""
    collector = FindingCollector(findings)
    for (_, before), (written, match) in pairwise(parts):
        after = find_next_game(before)
        if after is None:
            why = "that game is not over" if not before.over else "no game follows that one"
            collector.add_finding(
                "PP612", written.where, f"expected one game, found a second one behind it; {why}"
            )
        elif before.game.name != match.game.name or not after.can_lead_to_variant(
            before.variant, match.variant
        ):
            wanted, actual = (
                _describe_variant(after.build_variant(before.variant)),
                _describe_variant(match.variant),
            )
            collector.add_finding(
                "PP612", written.where, f"expected the game that follows, {wanted}; found {actual}"
            )


def _is_nonzero(match: Match, term: Any) -> bool:
    value = term if isinstance(term, int) else match.play.value(term, match.state)
    return value != 0


def _describe_carried_components(variant: Variant, things: Sequence[str]) -> list[str]:
    """The things by number and title, where the cards give one."""
    cards = getattr(variant.data, "components", {})
    return [f"{thing} {cards[thing].name}" if thing in cards else thing for thing in things]


def _normalize_settings(variant: Variant) -> tuple[dict[str, str], dict[str, str]]:
    options = {name: " ".join(text.replace(",", " ").split()) for name, text in variant.options.items()}
    return {name: text for name, text in options.items() if text}, dict(variant.rulings)


def _describe_variant(variant: Variant) -> str:
    options, rulings = _normalize_settings(variant)
    return ", ".join([variant.name, *(f"{n}: {text}" for n, text in {**options, **rulings}.items())])
