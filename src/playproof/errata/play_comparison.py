"""What a change does in play: the same seeds in both versions, by the cause. The lab compares (`lab/compare.py`), and
plays the ladder of bots (`lab/ladder.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from playproof.database.errors import InputError, format_game_reference_for_people
from playproof.database.worker_processes import start_or_defer_work_until_waited
from playproof.errata.dossier_language import format_message, format_number
from playproof.lab.compare import (
    ERROR,
    ComparedFigure,
    ComparedVersion,
    VersionComparison,
    play_versions_until_settled_or_limit,
)
from playproof.lab.game_runner import GameRunner
from playproof.lab.ladder import (
    RungComparison,
    compare_rung_in_two_versions,
    list_default_ladder_bots,
    pair_bots_with_lower_rung,
)
from playproof.language.registry import load_cards_if_rules_need_them
from playproof.referee.batches import is_played_only_for_score
from playproof.referee.variant import Variant

if TYPE_CHECKING:
    from playproof.errata.claim_comparison import Selector


_SETTINGS = 3
"""So many settings of a game are played at most."""


@dataclass(frozen=True)
class PlayComparisonInSetting:
    """One setting and one kind of bot, in both versions."""

    setting: str
    bot: str
    comparison: VersionComparison

    def describe_differing_figures_or_no_difference(self, language: str) -> list[str]:
        """Return what the games say, one sentence per figure that differs, or that nothing does."""
        figures = [figure for figure in self.comparison.figures if figure.settled == "differs"]
        games = format_number(language, self.comparison.games, ",")
        return [_describe_figure_before_and_after(each, language) for each in figures] or [
            format_message(language, "no figure", games=games)
        ]

    def as_json(self, language: str) -> dict[str, Any]:
        """Return the shape of `errata --json` about play."""
        return {
            "setting": self.setting,
            "bot": self.bot,
            **self.comparison.to_json_of_compare_command(),
            "sentences": self.describe_differing_figures_or_no_difference(language),
        }


def _describe_figure_before_and_after(figure: ComparedFigure, language: str) -> str:
    """Return a figure before and after, and by how much it moved, with its interval."""
    share = figure.unit == "%"
    scale, digits = (100.0, 1) if share else (1.0, 2)
    value, low, high = (
        scale * (end or 0.0) for end in (figure.difference.value, figure.difference.low, figure.difference.high)
    )
    before, after = (format_number(language, scale * side, f".{digits}f") for side in (figure.a, figure.b))
    size = format_number(language, abs(value), f".{digits}f")
    return format_message(
        language,
        "figure",
        name=_translate_figure_name(figure.name, language),
        before=format_message(language, "share", value=before) if share else before,
        after=format_message(language, "share", value=after) if share else after,
        moved=format_message(language, "higher" if value > 0 else "lower"),
        size=format_message(language, "points", value=size) if share else size,
        low=format_number(language, low, f"+.{digits}f"),
        high=format_number(language, high, f"+.{digits}f"),
    )


def _translate_figure_name(figure_name: str, language: str) -> str:
    """Return the name of a figure in a language; a seat that the game names itself keeps its name."""
    kind, of, seat = figure_name.partition(" of ")
    if not of:
        return format_message(language, figure_name)
    if seat == "player":  # the only one
        return format_message(language, kind)
    word, _, place = seat.partition(" ")
    seat = f"{format_message(language, word)} {place}" if word == "player" else seat
    return format_message(language, f"{kind} of", seat=seat)


@dataclass(frozen=True)
class RungComparisonInSetting:
    """A rung of the ladder of bots in one setting, in both versions."""

    setting: str
    rung: RungComparison

    def as_json(self) -> dict[str, Any]:
        """Return the shape of `ladder` in `errata --json`."""
        return {"setting": self.setting, **asdict(self.rung)}


@dataclass(frozen=True)
class _VariantPair:
    """A game in one setting, in both versions, and what these are called."""

    setting: str
    names: tuple[str, str]
    variants: tuple[Variant, Variant]


def start_play_comparisons_and_get_waiter(
    game_ref: str,
    old_and_new_selector: tuple[Selector, Selector],
    settings: Sequence[Mapping[str, str]],
    games: int,
    bots: Sequence[str] | None,
    jobs: int,
) -> Callable[[], tuple[list[PlayComparisonInSetting], list[RungComparisonInSetting]]]:
    """Begin to play both versions, beside other work where there are several cores, and return what waits for the
    results: how the games differ, and the rungs of the ladder, none if there are to be no bots."""

    def results() -> tuple[list[PlayComparisonInSetting], list[RungComparisonInSetting]]:
        pairs = list(_iter_playable_pairs_of_first_settings(game_ref, old_and_new_selector, settings))
        matches = [(pair, bot) for pair in pairs for bot in _iter_self_play_bots(pair)]
        rungs = [] if bots == () else list(_iter_ladder_rungs(pairs, bots))
        error = ERROR / max(1, len(matches) + len(rungs))  # all that is said holds together
        return (
            [_compare_self_play_of_two_versions(pair, bot, games, error) for pair, bot in matches],
            [_compare_ladder_rung_of_two_versions(pair, bot, below, games, error) for pair, bot, below in rungs],
        )

    return start_or_defer_work_until_waited(results, jobs if games and settings else 1)


def _iter_playable_pairs_of_first_settings(
    game_ref: str, old_and_new_selector: tuple[Selector, Selector], settings: Sequence[Mapping[str, str]]
) -> Iterator[_VariantPair]:
    """Yield both versions in each of a few settings. Settings that cannot be played are left out."""
    cards = [load_cards_if_rules_need_them(game_ref, side) for side in old_and_new_selector]
    errata = ["none" if side is False else str(side) for side in old_and_new_selector]
    for setting in settings[:_SETTINGS]:
        old, new = (Variant.from_loaded_cards(game_ref, each, setting) for each in cards)
        with suppress(InputError):
            _ = old.game, new.game
            words = ",".join(f"{name}={value}" for name, value in setting.items())
            before, after = (
                f"{format_game_reference_for_people(game_ref)}:{','.join(filter(None, (words, f'erratum={each}')))}"
                for each in errata
            )
            yield _VariantPair(words, (before, after), (old, new))


def _iter_self_play_bots(pair: _VariantPair) -> Iterator[str]:
    """Yield the bots that play both versions among themselves: random ones and, where compiled code plays them, greedy
    ones."""
    yield "random"
    if all(_can_compiled_code_play_bot(variant, "greedy") for variant in pair.variants):
        yield "greedy"


def _iter_ladder_rungs(
    pairs: Sequence[_VariantPair], bots: Sequence[str] | None
) -> Iterator[tuple[_VariantPair, str, str | None]]:
    """Yield the rungs of a ladder of bots, by default those that compiled code plays. A bot alone in a game that is won
    or lost is compared already."""
    for pair in pairs:
        old = pair.variants[0]
        quick = [
            b
            for b in list_default_ladder_bots(old)
            if all(_can_compiled_code_play_bot(each, b) for each in pair.variants)
        ]
        twice = () if is_played_only_for_score(old.game) else tuple(_iter_self_play_bots(pair))
        for bot, below in pair_bots_with_lower_rung(bots or quick, len(old.game.sides)):
            if below is not None or bot not in twice:
                yield pair, bot, below


def _compare_self_play_of_two_versions(
    pair: _VariantPair, bot: str, games: int, error_probability: float
) -> PlayComparisonInSetting:
    old, new = (
        ComparedVersion(f"{name},bot={bot}", GameRunner(variant, [bot], 0))
        for name, variant in zip(pair.names, pair.variants, strict=True)
    )
    return PlayComparisonInSetting(
        pair.setting, bot, play_versions_until_settled_or_limit(old, new, games, error=error_probability)
    )


def _compare_ladder_rung_of_two_versions(
    pair: _VariantPair, bot: str, lower_bot: str | None, games: int, error_probability: float
) -> RungComparisonInSetting:
    return RungComparisonInSetting(
        pair.setting, compare_rung_in_two_versions(pair.variants, bot, lower_bot, games, None, error_probability)
    )


def _can_compiled_code_play_bot(variant: Variant, bot: str) -> bool:
    return GameRunner(variant, [bot], 0).can_play_compiled
