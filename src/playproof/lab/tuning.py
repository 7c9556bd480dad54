"""Looks for designs that meet a target, and says of each with a stated error whether it does. The target is
`target.yaml`: what a design is to be like, and what may change to get there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import yaml
from pydantic import Field

from playproof.database.errors import FindingCollector, InputError, make_nearest_or_possible_words_hint
from playproof.database.game import load_game, load_game_with_extra_erratum
from playproof.database.source import YamlNode, parse_yaml, read_yaml_file
from playproof.database.yaml_models import StrictModel, validate_node_or_record_findings
from playproof.lab.card_worth import (
    CardLikeThing,
    compute_win_or_score_gain_per_game_pair,
    list_card_like_things_of_game,
)
from playproof.lab.compare import (
    ERROR,
    compute_figure_rows_with_game_columns,
    estimate_mean_by_confidence_sequence,
    iter_game_counts_of_interim_looks,
    list_figure_names_with_units,
)
from playproof.lab.estimates import Estimate
from playproof.lab.game_runner import GameRunner, play_games_of_any_bots
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.random import Stream
from playproof.language.registry import load_cards_if_rules_need_them
from playproof.referee.batches import is_played_only_for_score
from playproof.referee.variant import Variant

# -- target --------------------------------------------------------------------------------------------------
# A target: what a design is to be like, and what may change to get there, as `target.yaml` says it.

WORTH = "worth of "
PLAYERS = {"by chance": "random", "careful": "greedy", "searching": "mcts:80"}
"""The bots of the ladder, by the words for players."""
# how far a figure may lie from one wanted number: per cent of games, or a part of another
_NEAR, _PART = (5.0, 0.1)
Value = str | int
_Values = Annotated[list[Value], Field(min_length=1)]


class _CardsSpec(StrictModel):
    cards: Annotated[list[str], Field(min_length=1)]
    path: str = Field(min_length=1)
    from_: Any = Field(alias="from")
    to: Annotated[list[Any], Field(min_length=1)]


class _TargetSpec(StrictModel):
    bots: list[str] = Field(default=["random"])
    options: dict[str, Value] = Field(default={})
    change: Annotated[dict[str, _Values | Literal["all"] | _CardsSpec], Field(min_length=1)]
    change_at_most: Annotated[int, Field(ge=1)] | None = None
    want: Annotated[
        dict[str, Annotated[list[float | int], Field(min_length=2, max_length=2)] | float | int], Field(min_length=1)
    ]


@dataclass(frozen=True)
class TunableParameter:
    """Something that may change, with its values in order. `cards` is empty for an option or a ruling; else these
    cards have the value `before` at `path`. `now` is the place of the value that the game has, if it is among them."""

    name: str
    values: tuple[Any, ...]
    cards: tuple[str, ...] = ()
    path: str = ""
    before: Any = None
    now: int | None = None


@dataclass(frozen=True)
class DesignTarget:
    """What is wanted of a game's figures (low and high, shares as parts of 1), and what may change: all of it, or at
    most so many knobs (`most`)."""

    ref: str
    bots: tuple[str, ...]
    options: Mapping[str, str]
    knobs: tuple[TunableParameter, ...]
    want: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    most: int | None = None

    @property
    def design_count(self) -> int:
        """How many designs there are."""
        if self.most is None:
            return prod(len(knob.values) for knob in self.knobs)
        changed = [1]  # how many designs change 0, 1, 2 ... knobs
        for knob in self.knobs:
            others = len(knob.values) - 1
            changed = [
                (changed[n] if n < len(changed) else 0) + (others * changed[n - 1] if n else 0)
                for n in range(len(changed) + 1)
            ]
        return sum(changed[: self.most + 1])

    def is_within_allowed_change_count(self, value_indexes: Sequence[int]) -> bool:
        """Return whether a design changes no more than may change."""
        changed = sum(index != knob.now for knob, index in zip(self.knobs, value_indexes, strict=True))
        return self.most is None or changed <= self.most

    def describe_design_as_names_and_values(self, value_indexes: Sequence[int]) -> str:
        """Return a design in words, as `goal 21, ferryman 1`."""
        return ", ".join(
            f"{knob.name} {value}" for knob, value in self._iter_parameters_with_chosen_values(value_indexes)
        )

    def get_options_and_rulings_of_design(self, value_indexes: Sequence[int]) -> dict[str, str]:
        """Return the options and rulings that a design chooses."""
        return {
            knob.name: str(value)
            for knob, value in self._iter_parameters_with_chosen_values(value_indexes)
            if not knob.cards
        }

    def build_variant_of_design(self, value_indexes: Sequence[int]) -> Variant:
        """Return a design as a game. Raises what the rules or the database raise for a design that cannot be."""
        erratum = self.format_erratum_yaml_or_empty(value_indexes, "a design that is tried")
        cards = (
            load_game_with_extra_erratum(self.ref, parse_yaml(erratum, "target.yaml"))
            if erratum
            else load_cards_if_rules_need_them(self.ref)
        )
        return Variant.from_loaded_cards(
            self.ref, cards, {**self.options, **self.get_options_and_rulings_of_design(value_indexes)}
        )

    def format_erratum_yaml_or_empty(self, value_indexes: Sequence[int], note: str, reason: str = "") -> str:
        """Return the proposed erratum that makes the cards of a design; "" if it changes no card."""
        changes = [
            {"component": card, "path": knob.path, "from": knob.before, "to": value}
            for knob, value in self._iter_parameters_with_chosen_values(value_indexes)
            for card in knob.cards
            if value != knob.before
        ]
        if not changes:
            return ""
        head = {
            "version": _compute_next_erratum_version(self.ref),
            "date": date.today().isoformat(),
            "status": "proposed",
        }
        texts = {"class": "balance", "note": note, **({"reason": reason} if reason else {})}
        return yaml.safe_dump({**head, **texts, "changes": changes}, sort_keys=False, allow_unicode=True)

    def _iter_parameters_with_chosen_values(
        self, value_indexes: Sequence[int]
    ) -> Iterator[tuple[TunableParameter, Any]]:
        for knob, index in zip(self.knobs, value_indexes, strict=True):
            yield knob, knob.values[index]


def find_card_of_worth_figure(variant: Variant, figure_name: str) -> CardLikeThing:
    """Return the thing that a figure such as `worth of king` is about."""
    return next(thing for thing in list_card_like_things_of_game(variant) if figure_name == f"{WORTH}{thing.word}")


def _compute_next_erratum_version(game_reference: str) -> str:
    """Return the version after a game's last erratum."""
    errata = load_game(game_reference, errata=False).errata
    head, last = (errata[-1].version if errata else "1.0").rpartition(".")[::2]
    return f"{head or last}.{int(last) + 1 if head and last.isdecimal() else 1}"


def read_design_target_file(path: Path, game_reference: str) -> DesignTarget:
    """Return the target of a file for a game. Raises InputError with all that is wrong."""
    node, collector = read_yaml_file(path), FindingCollector()
    spec = validate_node_or_record_findings(_TargetSpec, node, collector, "target: ")
    if spec is None:
        raise InputError(collector.findings)
    fixed = {name: str(value) for name, value in spec.options.items()}
    variant = Variant.from_loaded_cards(game_reference, load_cards_if_rules_need_them(game_reference), fixed)
    settings = variant.list_values_by_option_or_ruling()
    knobs = [
        knob
        for name, value in spec.change.items()
        if (
            knob := _parse_tunable_parameter_or_note_error(
                name, value, settings, node.get_node_or_nearest_ancestor(["change", name]), collector
            )
        )
    ]
    unit = "" if is_played_only_for_score(variant.game) else "%"
    figures = {
        **dict(list_figure_names_with_units(variant)),
        **{f"{WORTH}{thing.word}": unit for thing in list_card_like_things_of_game(variant)},
    }
    if spec.change_at_most is not None:
        knobs = [_copy_parameter_with_current_value(knob, settings) for knob in knobs]
    want = {}
    for name, wanted in spec.want.items():
        where = node.get_node_or_nearest_ancestor(["want", name]).where
        if name not in figures:
            hint = make_nearest_or_possible_words_hint(name, figures) or f"the figures are {', '.join(figures)}"
            collector.add_finding("PP824", where, f"the game has no figure `{name}`", hint)
            continue
        whole = 100.0 if figures[name] == "%" else 1.0
        low, high = wanted if isinstance(wanted, list) else _compute_range_around_target_value(wanted, figures[name])
        if not low < high:
            collector.add_finding("PP824", where, f"`{name}`: expected [least, most], found [{low:g}, {high:g}]")
        want[name] = (low / whole, high / whole)
    collector.raise_if_errors()
    bots = tuple(PLAYERS.get(bot, bot) for bot in spec.bots)
    return DesignTarget(game_reference, bots, fixed, tuple(knobs), want, figures, spec.change_at_most)


def _compute_range_around_target_value(target_value: float, unit: str) -> tuple[float, float]:
    """Return the least and the most for one wanted number."""
    if unit == "%":
        return max(0.0, target_value - _NEAR), min(100.0, target_value + _NEAR)
    near = abs(target_value) * _PART or _PART
    return target_value - near, target_value + near


def _copy_parameter_with_current_value(
    parameter: TunableParameter, values_by_setting: Mapping[str, tuple[str, ...]]
) -> TunableParameter:
    """Return a knob with the value that the game has among its values: it may stay. An option's usual value stands
    first in what the game offers."""
    own = parameter.before if parameter.cards else next(iter(values_by_setting[parameter.name]), None)
    if own is None:
        return parameter
    values = parameter.values if own in parameter.values else (own, *parameter.values)
    return replace(parameter, values=values, now=values.index(own))


def _parse_tunable_parameter_or_note_error(
    name: str, spec: Any, values_by_setting: Mapping[str, tuple[str, ...]], node: YamlNode, collector: FindingCollector
) -> TunableParameter | None:
    if isinstance(spec, _CardsSpec):
        return TunableParameter(name, tuple(spec.to), tuple(spec.cards), spec.path, spec.from_)
    if name not in values_by_setting:
        cards = "cards change by {cards: [...], path: ..., from: ..., to: [...]}"
        hint = make_nearest_or_possible_words_hint(name, values_by_setting) or cards
        collector.add_finding("PP824", node.where, f"the game has no option or ruling `{name}`", hint)
        return None
    every = list(values_by_setting[name])
    if all(value.isdecimal() for value in every):
        every.sort(key=int)
    if spec == "all" and not every:
        collector.add_finding("PP824", node.where, f"`{name}` takes any text", "list the values to try")
        return None
    values = tuple(every) if spec == "all" else tuple(map(str, spec))
    for value in values:
        if every and value not in every:
            hint = f"one of: {', '.join(every)}"
            collector.add_finding("PP824", node.where, f"`{name}` cannot be {value}", hint)
    return TunableParameter(name, values)


# Looks for designs that meet a target, and says of each with a stated error whether it does.

FloatArray = npt.NDArray[np.float64]
ValueIndexes = tuple[int, ...]
ImpossibilityCheck = Callable[[Variant, DesignTarget], str]
ProgressCallback = Callable[[str], None]
# games by which designs are compared, and of bots that no compiled code plays
_GLANCE, _THOUGHTFUL = (1_000, 100)
_SAMPLED_GAMES = 2_000  # in a sample of these a value may leave its bounds
_DRAWN = 4  # one in so many designs is drawn


@dataclass
class TriedDesign:
    """A design that was tried. `verdict` is "meets", "misses", "open" (its games leave it open), "impossible" (the
    verifier says so, whoever plays) or "refused" (the rules or the database do); `why` says why for the last two."""

    choice: ValueIndexes
    words: str
    verdict: str = "open"
    why: str = ""
    games: int = 0
    figures: dict[str, Estimate] = field(default_factory=dict)
    bench: GameRunner | None = None
    samples: list[FloatArray] = field(default_factory=list)

    def to_json_values(self) -> dict[str, Any]:
        """Return the design in the shape of `tune --json`."""
        return {
            "design": self.words,
            "verdict": self.verdict,
            "why": self.why,
            "games": self.games,
            "figures": {name: asdict(figure) for name, figure in self.figures.items()},
        }


@dataclass
class DesignSearch:
    """The search for designs under way. At most `tries` designs are tried, each with at most `games` games, until
    `wanted` of them meet the target."""

    target: DesignTarget
    seed: int = 0
    games: int = 20_000
    tries: int = 60
    wanted: int = 3
    error: float = ERROR
    jobs: int | None = None
    impossible: ImpossibilityCheck = lambda variant, target: ""
    say: ProgressCallback = lambda text: None
    designs: dict[ValueIndexes, TriedDesign] = field(default_factory=dict)

    @property
    def _allowed_error_per_figure(self) -> float:
        """The error of one figure of one design: all of them hold together."""
        return self.error / (min(self.tries, self.target.design_count) * len(self.target.want))

    @property
    def designs_meeting_target(self) -> list[TriedDesign]:
        """The designs that meet the target, the nearest to its middle first."""
        return sorted(
            (d for d in self.designs.values() if d.verdict == "meets"),
            key=self._compute_largest_offset_in_target_widths,
        )

    def try_designs_until_enough_meet_target(self) -> None:
        """Try designs until enough of them meet the target."""
        for choice in self._iter_designs_to_try():
            self._build_play_and_judge_design(choice)
        for design in sorted(self.designs.values(), key=self.compute_distance_outside_target):
            for upto in iter_game_counts_of_interim_looks(self.games):
                if design.verdict != "open" or len(self.designs_meeting_target) >= self.wanted:
                    break
                self._play_design_up_to_game_count_and_judge(design, upto)

    def _iter_designs_to_try(self) -> Iterator[ValueIndexes]:
        sizes = [len(knob.values) for knob in self.target.knobs]
        if self.target.design_count <= self.tries:
            yield from filter(self.target.is_within_allowed_change_count, product(*map(range, sizes)))
            return
        stream, drawn = Stream(self.seed), set[ValueIndexes]()
        while len(drawn) < max(1, self.tries // _DRAWN):
            choice = self._draw_random_design(stream)
            if choice not in drawn:
                drawn.add(choice)
                yield choice
        while len(self.designs) < self.tries:
            nearest = sorted(self.designs.values(), key=self.compute_distance_outside_target)
            new = (
                choice
                for design in nearest
                for choice in _iter_designs_one_step_away(design.choice, sizes)
                if choice not in self.designs and self.target.is_within_allowed_change_count(choice)
            )
            following = next(new, None)
            if following is None:  # what is tried has no neighbours left that may be
                following = self._draw_random_design(stream)
            if following not in self.designs:
                yield following

    def _draw_random_design(self, random_stream: Stream) -> ValueIndexes:
        """Return a design that is drawn: any, or one that changes as many knobs as may change, or fewer."""
        knobs = self.target.knobs
        if self.target.most is None or any(knob.now is None for knob in knobs):
            choice = tuple(random_stream.below(len(knob.values)) for knob in knobs)
            return (
                choice
                if self.target.is_within_allowed_change_count(choice)
                else self._draw_random_design(random_stream)
            )
        made, places = [knob.now or 0 for knob in knobs], list(range(len(knobs)))
        for _ in range(min(self.target.most, len(knobs))):
            place = places.pop(random_stream.below(len(places)))
            made[place] = random_stream.below(len(knobs[place].values))
        return tuple(made)

    def _build_play_and_judge_design(self, value_indexes: ValueIndexes) -> None:
        design = self.designs[value_indexes] = TriedDesign(
            value_indexes, self.target.describe_design_as_names_and_values(value_indexes)
        )
        self.say(f"trying {design.words}")
        try:
            variant = self.target.build_variant_of_design(value_indexes)
            design.bench = GameRunner(variant, self.target.bots, self.seed, self.jobs)
            design.bench.raise_if_compiled_games_break_rules(_SAMPLED_GAMES)
            design.why = self.impossible(variant, self.target)
        except (InputError, OptionError, RulesError) as error:
            design.verdict, design.why = "refused", str(error)
            return
        if design.why:
            design.verdict = "impossible"
        for upto in iter_game_counts_of_interim_looks(
            min(self._choose_game_count_of_first_comparison(design), self.games)
        ):
            self._play_design_up_to_game_count_and_judge(design, upto)

    @staticmethod
    def _choose_game_count_of_first_comparison(design: TriedDesign) -> int:
        """Return by how many games designs are compared: fewer of bots that think, since each takes long."""
        return _GLANCE if design.bench is None or design.bench.can_play_compiled else _THOUGHTFUL

    def _play_design_up_to_game_count_and_judge(self, design: TriedDesign, game_count: int) -> None:
        """Let a design be played up to so many games, and judge it, unless it is settled."""
        if design.verdict != "open" or design.bench is None or game_count <= design.games:
            return
        design.samples.append(
            self._play_and_compute_wanted_figures(design.bench, design.games, game_count - design.games)
        )
        design.games = game_count
        rows = np.concatenate(design.samples, axis=1)
        for name, row in zip(self.target.want, rows, strict=True):
            is_share = self.target.units[name] == "%"
            figure = estimate_mean_by_confidence_sequence(
                row, self._allowed_error_per_figure, 1.0 if is_share else None
            )
            if is_share and not name.startswith(WORTH):  # no share of games is above all or below none
                figure = replace(figure, low=max(0.0, figure.low or 0.0), high=min(1.0, figure.high or 0.0))
            design.figures[name] = figure
        design.verdict = self._judge_design_meets_misses_or_open(design)

    def _play_and_compute_wanted_figures(self, bench: GameRunner, first_game: int, count: int) -> FloatArray:
        """Return a row per wanted figure, a column per game."""
        batch = compute_figure_rows_with_game_columns(bench, play_games_of_any_bots(bench, first_game, count))
        rows = dict(zip((name for name, _ in list_figure_names_with_units(bench.variant)), batch, strict=True))
        for name in self.target.want.keys() - rows.keys():
            rows[name] = compute_win_or_score_gain_per_game_pair(
                bench, find_card_of_worth_figure(bench.variant, name), first_game, count
            )
        return np.stack([rows[name] for name in self.target.want])

    def _judge_design_meets_misses_or_open(self, design: TriedDesign) -> str:
        inside = []
        for name, (low, high) in self.target.want.items():
            figure = design.figures[name]
            assert figure.low is not None
            assert figure.high is not None
            if figure.high < low or figure.low > high:
                return "misses"
            inside.append(low <= figure.low and figure.high <= high)
        return "meets" if all(inside) else "open"

    def compute_distance_outside_target(self, design: TriedDesign) -> float:
        """Return how far a design's figures lie outside of what is wanted, in widths of it; more than any if it
        cannot be."""
        if not design.figures:
            return 1e6
        return sum(max(0.0, abs(off) - 0.5) for off in self._iter_offsets_in_target_widths(design))

    def _compute_largest_offset_in_target_widths(self, design: TriedDesign) -> float:
        return max(map(abs, self._iter_offsets_in_target_widths(design)))

    def _iter_offsets_in_target_widths(self, design: TriedDesign) -> Iterator[float]:
        """Yield how far each figure lies from the middle of what is wanted, in widths of it."""
        for name, (low, high) in self.target.want.items():
            yield ((design.figures[name].value or 0.0) - (low + high) / 2) / (high - low)

    def to_json_of_tune_command(self) -> dict[str, Any]:
        """Return the shape of `tune --json`."""
        return {
            "game": self.target.ref,
            "bots": list(self.target.bots),
            "seed": self.seed,
            "error": self.error,
            "ways": self.target.design_count,
            "want": {name: list(span) for name, span in self.target.want.items()},
            "meeting": [design.words for design in self.designs_meeting_target],
            "designs": [design.to_json_values() for design in self.designs.values()],
        }


def _iter_designs_one_step_away(value_indexes: ValueIndexes, value_counts: Sequence[int]) -> Iterator[ValueIndexes]:
    """Yield the choices that differ in one value by one step."""
    for place, size in enumerate(value_counts):
        for index in (value_indexes[place] - 1, value_indexes[place] + 1):
            if 0 <= index < size:
                yield (*value_indexes[:place], index, *value_indexes[place + 1 :])
