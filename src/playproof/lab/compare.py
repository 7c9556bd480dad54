"""Two versions of a game, or two bots, over the same seeds: which is better for whom, with a stated error.

The games are looked at again and again while they are played, so an ordinary interval would err too often. A
confidence sequence holds at all looks together: Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central
limit theory and asymptotic confidence sequences" (Annals of Statistics 52, 2024), their formula 18.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.database.errors import format_game_reference_for_people, make_nearest_or_possible_words_hint
from playproof.lab.codes import build_input_error_of_one_finding
from playproof.lab.estimates import Estimate
from playproof.lab.game_runner import GameRunner, play_games_of_any_bots
from playproof.language.playouts import PlayoutResults
from playproof.language.registry import load_cards_if_rules_need_them
from playproof.referee.batches import flag_games_won_by_each_seat_and_tied, is_played_only_for_score
from playproof.referee.notation import seat_names
from playproof.referee.variant import Variant

FloatArray = npt.NDArray[np.float64]
ERROR = 0.05
"""The chance that any figure of a comparison is ever told apart wrongly, or its interval misses."""
FIRST = 200  # games before the first look: the sequence is asymptotic
_GROWTH = 1.5  # each look sees so many times the games of the one before
_BEST = 2000.0  # games at which the sequence is narrowest
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ComparedVersion:
    """One side of a comparison, as it was named, and what plays it."""

    text: str
    bench: GameRunner


@dataclass
class ComparedFigure:
    """A figure of both versions: B less A, with an interval that holds at all looks. `settled` is "differs", "alike"
    (the interval lies within the margin) or "" (neither yet)."""

    name: str
    unit: str
    margin: float
    a: float = 0.0
    b: float = 0.0
    difference: Estimate = field(default_factory=lambda: Estimate(None, None, None, 0))
    settled: str = ""
    game: int | None = None

    def format_comparison_sentence(self) -> str:
        """Return what the games say of this figure, in a sentence."""
        scale, digits = (100.0, 1) if self.unit == "%" else (1.0, 2)
        value, low, high = (end or 0.0 for end in (self.difference.value, self.difference.low, self.difference.high))
        verdict = {
            "differs": "B is higher" if value > 0 else "B is lower",
            "alike": f"alike, to within {scale * self.margin:.3g}",
            "": "not told apart yet",
        }[self.settled]
        unit = " points" if self.unit == "%" else f" {self.unit}".rstrip()
        span = f"({scale * low:+.{digits}f} to {scale * high:+.{digits}f})"
        return (
            f"{self.name}: {scale * self.a:.{digits}f} in A, {scale * self.b:.{digits}f} in B; {verdict}: "
            f"{scale * value:+.{digits}f}{unit} {span}"
        )


@dataclass
class VersionComparison:
    """What the games say of two versions, which are named as they were asked for. `looks` is how often they were looked
    at."""

    a: str
    b: str
    games: int
    looks: int
    figures: list[ComparedFigure]
    error: float = ERROR

    def to_json_of_compare_command(self) -> dict[str, Any]:
        """Return the shape of `compare --json`."""
        return {
            "a": self.a,
            "b": self.b,
            "games": self.games,
            "looks": self.looks,
            "error": self.error,
            "figures": [asdict(figure) for figure in self.figures],
        }


# -- versions -------------------------------------------------------------------------------------------------------


def parse_reference_to_version_or_raise(
    reference: str, seed: int, jobs: int | None, client: Any = None
) -> ComparedVersion:
    """Return the version that a text names: `GAME`, or `GAME:NAME=VALUE,...` with options, rulings (A11=heart),
    `erratum=VERSION` or `erratum=none`, and `bot=NAME` or `bot=NAME+NAME` for one per seat.

    Raises InputError (PP823) for other words."""
    ref, _, rest = reference.partition(":")
    settings: dict[str, str] = {}
    bots = ["random"]
    errata: bool | str = True
    for part in filter(None, rest.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise build_input_error_of_one_finding(
                "PP823", reference, f"expected NAME=VALUE after the colon, found `{part}`"
            )
        if name == "bot":
            bots = value.split("+")
        elif name == "erratum":
            errata = value != "none" and value
        else:
            settings[name] = value
    variant = Variant.from_loaded_cards(ref, load_cards_if_rules_need_them(ref, errata), settings)
    _ = variant.game
    return ComparedVersion(
        reference.replace(ref, format_game_reference_for_people(ref), 1), GameRunner(variant, bots, seed, jobs, client)
    )


def build_versions_for_each_option_value(
    reference: str, option_name: str, seed: int, jobs: int | None, client: Any = None
) -> list[ComparedVersion]:
    """Return a version and, for each other value of one of its options or rulings, the version with that value. Raises
    InputError (PP823) if the game has no such option or ruling."""
    first = parse_reference_to_version_or_raise(reference, seed, jobs, client)
    variant = first.bench.variant
    values = variant.list_values_by_option_or_ruling()
    if not values.get(option_name):
        raise build_input_error_of_one_finding(
            "PP823",
            "--sweep",
            f"{reference} has no option or ruling `{option_name}`",
            make_nearest_or_possible_words_hint(option_name, values),
        )
    now = {**variant.options, **variant.rulings}.get(option_name, values[option_name][0])
    joint = "," if ":" in reference else ":"
    others = [value for value in values[option_name] if value != now]
    return [
        first,
        *(
            parse_reference_to_version_or_raise(f"{reference}{joint}{option_name}={value}", seed, jobs, client)
            for value in others
        ),
    ]


# -- games ----------------------------------------------------------------------------------------------------------


def play_versions_until_settled_or_limit(
    first_version: ComparedVersion,
    second_version: ComparedVersion,
    most_games: int,
    *,
    margin: float = 0.01,
    error: float = ERROR,
    progress: Progress | None = None,
) -> VersionComparison:
    """Play the same seeds in both versions until every figure is settled, or `most_games` are played. Raises InputError
    (PP823) if the versions have different seats."""
    seats = first_version.bench.variant.game.players
    if seats != second_version.bench.variant.game.players:
        raise build_input_error_of_one_finding(
            "PP823",
            second_version.text,
            f"expected {seats} seats as in {first_version.text}, found {second_version.bench.variant.game.players}",
        )
    samples: list[tuple[FloatArray, FloatArray]] = []
    played = looks = 0
    result = VersionComparison(first_version.text, second_version.text, 0, 0, [], error)
    for upto in iter_game_counts_of_interim_looks(most_games):
        batches = [
            compute_figure_rows_with_game_columns(side.bench, play_games_of_any_bots(side.bench, played, upto - played))
            for side in (first_version, second_version)
        ]
        samples.append((batches[0], batches[1]))
        played, looks = upto, looks + 1
        first, second = (np.concatenate([pair[side] for pair in samples], axis=1) for side in (0, 1))
        figures = _compare_figures_of_games(first_version.bench.variant, first, second, margin, error)
        result = VersionComparison(first_version.text, second_version.text, played, looks, figures, error)
        if progress:
            progress(played, most_games)
        if all(figure.settled for figure in result.figures):
            break
    return result


def iter_game_counts_of_interim_looks(most_games: int) -> Iterator[int]:
    """Yield after how many games the games are looked at."""
    at = min(FIRST, most_games)
    while at < most_games:
        yield at
        at = min(most_games, int(at * _GROWTH))
    yield most_games


class FigureUnit(NamedTuple):
    name: str
    unit: str  # "%" for shares of games, else ""


def list_figure_names_with_units(variant: Variant) -> list[FigureUnit]:
    """Return the figures of a game, each with its unit."""
    seats = seat_names(variant.game)
    if is_played_only_for_score(variant.game):
        named = [FigureUnit(f"score of {name}", "") for name in seats]
    else:
        named = [*(FigureUnit(f"wins of {name}", "%") for name in seats), FigureUnit("ties", "%")]
    named.append(FigureUnit("decisions per game", ""))
    return named + ([FigureUnit("rounds per game", "")] if "round" in variant.game.facts else [])


def compute_figure_rows_with_game_columns(bench: GameRunner, batch: PlayoutResults) -> FloatArray:
    """Return a row per figure, a column per game."""
    game = bench.variant.game
    if is_played_only_for_score(game):
        rows = [*batch.returns.T, batch.decisions]
    else:
        won, tied = flag_games_won_by_each_seat_and_tied(game, batch.endings, batch.returns)
        rows = [*won, tied, batch.decisions]
    if "round" in game.facts:
        rows.append(batch.rounds)
    return np.stack([np.asarray(row, dtype=np.float64) for row in rows])


def _compare_figures_of_games(
    variant: Variant, first: FloatArray, second: FloatArray, margin: float, error: float
) -> list[ComparedFigure]:
    figures = []
    names = [
        (number, name, unit)
        for number, (name, unit) in enumerate(list_figure_names_with_units(variant))
        if number < len(first) and number < len(second)
    ]
    each = error / len(names)  # all figures hold together
    for number, name, unit in names:
        width = margin if unit == "%" else margin * max(1.0, float(first[number].mean()))
        figure = ComparedFigure(name, unit, width, float(first[number].mean()), float(second[number].mean()))
        differences = second[number] - first[number]
        figure.difference = estimate_mean_by_confidence_sequence(differences, each, 1.0 if unit == "%" else None)
        figure.settled = _judge_difference_differs_alike_or_empty(figure.difference, width)
        changed = np.flatnonzero(np.sign(differences) == np.sign(figure.difference.value or 0.0))
        figure.game = int(changed[0]) if figure.difference.value and len(changed) else None
        figures.append(figure)
    return figures


def _judge_difference_differs_alike_or_empty(difference: Estimate, margin: float) -> str:
    if difference.excludes_zero:
        return "differs"
    low, high = difference.low or 0.0, difference.high or 0.0
    return "alike" if -margin <= low and high <= margin else ""


def estimate_mean_by_confidence_sequence(
    differences: FloatArray, error: float, largest_difference: float | None
) -> Estimate:
    """Return the mean of differences with an interval that holds at all looks with probability 1 - `error`.

    One more difference of each sign, of size `most` (or of the greatest), counts towards the spread: games that were
    all equal do not show that the next one is.
    """
    count = len(differences)
    centre = float(differences.mean())
    extreme = (
        largest_difference if largest_difference is not None else float(np.abs(differences).max(initial=0.0)) or 1.0
    )
    variance = (float(((differences - centre) ** 2).sum()) + 2 * extreme**2) / (count + 2)
    tune = (-2 * log(error) + log(-2 * log(error) + 1)) / _BEST  # rho squared, their formula 9
    spread = 2 * (count * tune + 1) / (count**2 * tune) * log(sqrt(count * tune + 1) / error)
    half = sqrt(variance * spread)
    return Estimate(centre, centre - half, centre + half, count)


def list_sentences_of_comparison(comparison: VersionComparison) -> Sequence[str]:
    """Return what the games say, in words."""
    head = (
        f"A is {comparison.a}, B is {comparison.b}: {comparison.games:,} games each with the same seeds, "
        f"{comparison.looks} "
        f"looks. The chance that anything said here is wrong is at most {100 * comparison.error:g} %."
    )
    return [head, *(figure.format_comparison_sentence() for figure in comparison.figures)]
