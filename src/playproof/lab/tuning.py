"""Looks for designs that meet a target, and says of each with a stated error whether it does.

Few designs are all tried. Of many, some are drawn, and then come the neighbours of the nearest: designs with one value
one step away. Each figure of a design has a confidence sequence (`compare.sequence`), so a design is given up, or
accepted, as soon as its games allow it. The error is shared by all designs that may be tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.database.errors import InputError
from playproof.lab.compare import ERROR, confidence_sequence, figure_names, iter_look_times, measure_figures
from playproof.lab.estimates import Estimate
from playproof.lab.playing import GameRunner, play_games
from playproof.lab.target import DesignTarget, find_thing_for_figure
from playproof.lab.worth import win_differences
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.random import Stream
from playproof.referee.variant import Variant

FloatArray = npt.NDArray[np.float64]
ValueIndexes = tuple[int, ...]
ImpossibilityCheck = Callable[[Variant, DesignTarget], str]
ProgressCallback = Callable[[str], None]
# games by which designs are compared, and of bots that no compiled code plays
_GLANCE, _THOUGHTFUL = (1_000, 100)
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

    def as_json(self) -> dict[str, Any]:
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
    def _error_per_figure(self) -> float:
        """The error of one figure of one design: all of them hold together."""
        return self.error / (min(self.tries, self.target.design_count) * len(self.target.want))

    @property
    def designs_meeting_target(self) -> list[TriedDesign]:
        """The designs that meet the target, the nearest to its middle first."""
        return sorted((d for d in self.designs.values() if d.verdict == "meets"), key=self._eccentricity)

    def search_designs(self) -> None:
        """Try designs until enough of them meet the target."""
        for choice in self._iter_proposed_choices():
            self._try_design(choice)
        for design in sorted(self.designs.values(), key=self.distance_from_target):
            for upto in iter_look_times(self.games):
                if design.verdict != "open" or len(self.designs_meeting_target) >= self.wanted:
                    break
                self._play_design(design, upto)

    def _iter_proposed_choices(self) -> Iterator[ValueIndexes]:
        sizes = [len(knob.values) for knob in self.target.knobs]
        if self.target.design_count <= self.tries:
            yield from filter(self.target.is_allowed_choice, product(*map(range, sizes)))
            return
        stream, drawn = Stream(self.seed), set[ValueIndexes]()
        while len(drawn) < max(1, self.tries // _DRAWN):
            choice = self._draw_choice(stream)
            if choice not in drawn:
                drawn.add(choice)
                yield choice
        while len(self.designs) < self.tries:
            nearest = sorted(self.designs.values(), key=self.distance_from_target)
            new = (
                choice
                for design in nearest
                for choice in _iter_neighbours(design.choice, sizes)
                if choice not in self.designs and self.target.is_allowed_choice(choice)
            )
            following = next(new, None)
            if following is None:  # what is tried has no neighbours left that may be
                following = self._draw_choice(stream)
            if following not in self.designs:
                yield following

    def _draw_choice(self, stream: Stream) -> ValueIndexes:
        """Return a design that is drawn: any, or one that changes as many knobs as may change, or fewer."""
        knobs = self.target.knobs
        if self.target.most is None or any(knob.now is None for knob in knobs):
            choice = tuple(stream.below(len(knob.values)) for knob in knobs)
            return choice if self.target.is_allowed_choice(choice) else self._draw_choice(stream)
        made, places = [knob.now or 0 for knob in knobs], list(range(len(knobs)))
        for _ in range(min(self.target.most, len(knobs))):
            place = places.pop(stream.below(len(places)))
            made[place] = stream.below(len(knobs[place].values))
        return tuple(made)

    def _try_design(self, choice: ValueIndexes) -> None:
        design = self.designs[choice] = TriedDesign(choice, self.target.describe_design(choice))
        self.say(f"trying {design.words}")
        try:
            variant = self.target.build_variant(choice)
            design.bench = GameRunner(variant, self.target.bots, self.seed, self.jobs)
            design.why = self.impossible(variant, self.target)
        except (InputError, OptionError, RulesError) as error:
            design.verdict, design.why = "refused", str(error)
            return
        if design.why:
            design.verdict = "impossible"
        for upto in iter_look_times(min(self._first_look_game_count(design), self.games)):
            self._play_design(design, upto)

    @staticmethod
    def _first_look_game_count(design: TriedDesign) -> int:
        """Return by how many games designs are compared: fewer of bots that think, since each takes long."""
        return _GLANCE if design.bench is None or design.bench.can_play_compiled else _THOUGHTFUL

    def _play_design(self, design: TriedDesign, upto: int) -> None:
        """Let a design be played up to so many games, and judge it, unless it is settled."""
        if design.verdict != "open" or design.bench is None or upto <= design.games:
            return
        design.samples.append(self._sample_figures(design.bench, design.games, upto - design.games))
        design.games = upto
        rows = np.concatenate(design.samples, axis=1)
        for name, row in zip(self.target.want, rows, strict=True):
            design.figures[name] = confidence_sequence(
                row, self._error_per_figure, 1.0 if self.target.units[name] == "%" else None
            )
        design.verdict = self._judge_design(design)

    def _sample_figures(self, bench: GameRunner, first: int, count: int) -> FloatArray:
        """Return a row per wanted figure, a column per game."""
        batch = measure_figures(bench, play_games(bench, first, count))
        rows = dict(zip((name for name, _ in figure_names(bench.variant)), batch, strict=True))
        for name in self.target.want.keys() - rows.keys():
            rows[name] = win_differences(bench, find_thing_for_figure(bench.variant, name), first, count)
        return np.stack([rows[name] for name in self.target.want])

    def _judge_design(self, design: TriedDesign) -> str:
        inside = []
        for name, (low, high) in self.target.want.items():
            figure = design.figures[name]
            assert figure.low is not None
            assert figure.high is not None
            if figure.high < low or figure.low > high:
                return "misses"
            inside.append(low <= figure.low and figure.high <= high)
        return "meets" if all(inside) else "open"

    def distance_from_target(self, design: TriedDesign) -> float:
        """Return how far a design's figures lie outside of what is wanted, in widths of it; more than any if it
        cannot be."""
        if not design.figures:
            return 1e6
        return sum(max(0.0, abs(off) - 0.5) for off in self._iter_offsets_from_target(design))

    def _eccentricity(self, design: TriedDesign) -> float:
        return max(map(abs, self._iter_offsets_from_target(design)))

    def _iter_offsets_from_target(self, design: TriedDesign) -> Iterator[float]:
        """Yield how far each figure lies from the middle of what is wanted, in widths of it."""
        for name, (low, high) in self.target.want.items():
            yield ((design.figures[name].value or 0.0) - (low + high) / 2) / (high - low)

    def as_json(self) -> dict[str, Any]:
        """Return the shape of `tune --json`."""
        return {
            "game": self.target.ref,
            "bots": list(self.target.bots),
            "seed": self.seed,
            "error": self.error,
            "ways": self.target.design_count,
            "want": {name: list(span) for name, span in self.target.want.items()},
            "meeting": [design.words for design in self.designs_meeting_target],
            "designs": [design.as_json() for design in self.designs.values()],
        }


def _iter_neighbours(choice: ValueIndexes, sizes: Sequence[int]) -> Iterator[ValueIndexes]:
    """Yield the choices that differ in one value by one step."""
    for place, size in enumerate(sizes):
        for index in (choice[place] - 1, choice[place] + 1):
            if 0 <= index < size:
                yield (*choice[:place], index, *choice[place + 1 :])
