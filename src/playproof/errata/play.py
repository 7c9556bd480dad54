"""What a change does in play: the same seeds in both versions, by the cause. The lab compares (`lab/compare.py`), and
plays the ladder of bots (`lab/ladder.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from playproof.database.errors import InputError, as_typed
from playproof.database.sharing import beside
from playproof.errata.words import number, say
from playproof.lab.compare import ERROR, Comparison, Figure, Version, compare
from playproof.lab.ladder import Moved, pairs_of, rung_moved, usual_rungs
from playproof.lab.playing import Bench
from playproof.language.registry import data_of
from playproof.referee.tally import plays_for_score
from playproof.referee.variant import Variant

if TYPE_CHECKING:  # it brings the verifier, which a comparison of games does without
    from playproof.errata.descriptions import Selector

_SETTINGS = 3
"""So many settings of a game are played at most."""


@dataclass(frozen=True)
class PlayComparison:
    """One setting and one kind of bot, in both versions."""

    setting: str
    bot: str
    comparison: Comparison

    def sentences(self, language: str) -> list[str]:
        """Return what the games say, one sentence per figure that differs, or that nothing does."""
        figures = [figure for figure in self.comparison.figures if figure.settled == "differs"]
        games = number(language, self.comparison.games, ",")
        return [_sentence(each, language) for each in figures] or [say(language, "no figure", games=games)]

    def as_json(self, language: str) -> dict[str, Any]:
        """Return the shape of `errata --json` about play."""
        return {
            "setting": self.setting,
            "bot": self.bot,
            **self.comparison.as_json(),
            "sentences": self.sentences(language),
        }


def _sentence(figure: Figure, language: str) -> str:
    """Return a figure before and after, and by how much it moved, with its interval."""
    share = figure.unit == "%"
    scale, digits = (100.0, 1) if share else (1.0, 2)
    value, low, high = (
        scale * (end or 0.0)
        for end in (figure.difference.value, figure.difference.low, figure.difference.high)
    )
    before, after = (number(language, scale * side, f".{digits}f") for side in (figure.a, figure.b))
    size = number(language, abs(value), f".{digits}f")
    return say(
        language,
        "figure",
        name=_named(figure.name, language),
        before=say(language, "share", value=before) if share else before,
        after=say(language, "share", value=after) if share else after,
        moved=say(language, "higher" if value > 0 else "lower"),
        size=say(language, "points", value=size) if share else size,
        low=number(language, low, f"+.{digits}f"),
        high=number(language, high, f"+.{digits}f"),
    )


def _named(name: str, language: str) -> str:
    """Return the name of a figure in a language; a seat that the game names itself keeps its name."""
    kind, of, seat = name.partition(" of ")
    if not of:
        return say(language, name)
    if seat == "player":  # the only one
        return say(language, kind)
    word, _, place = seat.partition(" ")
    seat = f"{say(language, word)} {place}" if word == "player" else seat
    return say(language, f"{kind} of", seat=seat)


@dataclass(frozen=True)
class Climbed:
    """A rung of the ladder of bots in one setting, in both versions."""

    setting: str
    rung: Moved

    def as_json(self) -> dict[str, Any]:
        """Return the shape of `ladder` in `errata --json`."""
        return {"setting": self.setting, **asdict(self.rung)}


@dataclass(frozen=True)
class _Pair:
    """A game in one setting, in both versions, and what these are called."""

    setting: str
    names: tuple[str, str]
    variants: tuple[Variant, Variant]


def in_both(
    ref: str,
    sides: tuple[Selector, Selector],
    settings: Sequence[Mapping[str, str]],
    games: int,
    bots: Sequence[str] | None,
    jobs: int,
) -> Callable[[], tuple[list[PlayComparison], list[Climbed]]]:
    """Begin to play both versions, beside other work where there are several cores, and return what waits for the
    results: how the games differ, and the rungs of the ladder, none if there are to be no bots."""

    def results() -> tuple[list[PlayComparison], list[Climbed]]:
        pairs = list(_pairs(ref, sides, settings))
        matches = [(pair, bot) for pair in pairs for bot in _bots_of(pair)]
        rungs = [] if bots == () else list(_rungs_of(pairs, bots))
        error = ERROR / max(1, len(matches) + len(rungs))  # all that is said holds together
        return (
            [_compare(pair, bot, games, error) for pair, bot in matches],
            [_climb(pair, bot, below, games, error) for pair, bot, below in rungs],
        )

    return beside(results, jobs if games and settings else 1)


def _pairs(
    ref: str, sides: tuple[Selector, Selector], settings: Sequence[Mapping[str, str]]
) -> Iterator[_Pair]:
    """Yield both versions in each of a few settings. Settings that cannot be played are left out."""
    cards = [data_of(ref, side) for side in sides]
    errata = ["none" if side is False else str(side) for side in sides]
    for setting in settings[:_SETTINGS]:
        old, new = (Variant.with_cards(ref, each, setting) for each in cards)
        with suppress(InputError):
            _ = old.game, new.game
            words = ",".join(f"{name}={value}" for name, value in setting.items())
            before, after = (
                f"{as_typed(ref)}:{','.join(filter(None, (words, f'erratum={each}')))}" for each in errata
            )
            yield _Pair(words, (before, after), (old, new))


def _bots_of(pair: _Pair) -> Iterator[str]:
    """Yield the bots that play both versions among themselves: random ones and, where compiled code plays them, greedy
    ones."""
    yield "random"
    if all(_compiles(variant, "greedy") for variant in pair.variants):
        yield "greedy"


def _rungs_of(pairs: Sequence[_Pair], bots: Sequence[str] | None) -> Iterator[tuple[_Pair, str, str | None]]:
    """Yield the rungs of a ladder of bots, by default those that compiled code plays. A bot alone in a game that is won
    or lost is compared already."""
    for pair in pairs:
        old = pair.variants[0]
        quick = [b for b in usual_rungs(old) if all(_compiles(each, b) for each in pair.variants)]
        twice = () if plays_for_score(old.game) else tuple(_bots_of(pair))
        for bot, below in pairs_of(bots or quick, len(old.game.sides)):
            if below is not None or bot not in twice:
                yield pair, bot, below


def _compare(pair: _Pair, bot: str, games: int, error: float) -> PlayComparison:
    old, new = (
        Version(f"{name},bot={bot}", Bench(variant, [bot], 0))
        for name, variant in zip(pair.names, pair.variants, strict=True)
    )
    return PlayComparison(pair.setting, bot, compare(old, new, games, error=error))


def _climb(pair: _Pair, bot: str, below: str | None, games: int, error: float) -> Climbed:
    return Climbed(pair.setting, rung_moved(pair.variants, bot, below, games, None, error))


def _compiles(variant: Variant, bot: str) -> bool:
    return Bench(variant, [bot], 0).compiles
