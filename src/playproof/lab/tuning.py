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
from playproof.lab.compare import ERROR, figure_names, look_times, measures, sequence
from playproof.lab.estimates import Estimate
from playproof.lab.playing import Bench, games_of
from playproof.lab.target import DesignTarget, thing_named
from playproof.lab.worth import win_differences
from playproof.language import RulesError
from playproof.language.options import OptionError
from playproof.language.random import Stream
from playproof.referee.variant import Variant

Reals = npt.NDArray[np.float64]
Choice = tuple[int, ...]
Impossible = Callable[[Variant, DesignTarget], str]
Say = Callable[[str], None]
_GLANCE, _THOUGHTFUL = (
    1_000,
    100,
)  # games by which designs are compared, and of bots that no compiled code plays
_DRAWN = 4  # one in so many designs is drawn


@dataclass
class Design:
    """A design that was tried. `verdict` is "meets", "misses", "open" (its games leave it open), "impossible" (the
    verifier says so, whoever plays) or "refused" (the rules or the database do); `why` says why for the last two."""

    choice: Choice
    words: str
    verdict: str = "open"
    why: str = ""
    games: int = 0
    figures: dict[str, Estimate] = field(default_factory=dict)
    bench: Bench | None = None
    samples: list[Reals] = field(default_factory=list)

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
class Tuning:
    """The search for designs under way. At most `tries` designs are tried, each with at most `games` games, until
    `wanted` of them meet the target."""

    target: DesignTarget
    seed: int = 0
    games: int = 20_000
    tries: int = 60
    wanted: int = 3
    error: float = ERROR
    jobs: int | None = None
    impossible: Impossible = lambda variant, target: ""
    say: Say = lambda text: None
    designs: dict[Choice, Design] = field(default_factory=dict)

    @property
    def _each(self) -> float:
        """The error of one figure of one design: all of them hold together."""
        return self.error / (min(self.tries, self.target.ways) * len(self.target.want))

    @property
    def meeting(self) -> list[Design]:
        """The designs that meet the target, the nearest to its middle first."""
        return sorted((d for d in self.designs.values() if d.verdict == "meets"), key=self._eccentricity)

    def run(self) -> None:
        """Try designs until enough of them meet the target."""
        for choice in self._proposals():
            self._try(choice)
        for design in sorted(self.designs.values(), key=self.distance):
            for upto in look_times(self.games):
                if design.verdict != "open" or len(self.meeting) >= self.wanted:
                    break
                self._play(design, upto)

    def _proposals(self) -> Iterator[Choice]:
        sizes = [len(knob.values) for knob in self.target.knobs]
        if self.target.ways <= self.tries:
            yield from filter(self.target.allows, product(*map(range, sizes)))
            return
        stream, drawn = Stream(self.seed), set[Choice]()
        while len(drawn) < max(1, self.tries // _DRAWN):
            choice = self._drawn(stream)
            if choice not in drawn:
                drawn.add(choice)
                yield choice
        while len(self.designs) < self.tries:
            nearest = sorted(self.designs.values(), key=self.distance)
            new = (
                choice
                for design in nearest
                for choice in _neighbours(design.choice, sizes)
                if choice not in self.designs and self.target.allows(choice)
            )
            following = next(new, None)
            if following is None:  # what is tried has no neighbours left that may be
                following = self._drawn(stream)
            if following not in self.designs:
                yield following

    def _drawn(self, stream: Stream) -> Choice:
        """Return a design that is drawn: any, or one that changes as many knobs as may change, or fewer."""
        knobs = self.target.knobs
        if self.target.most is None or any(knob.now is None for knob in knobs):
            choice = tuple(stream.below(len(knob.values)) for knob in knobs)
            return choice if self.target.allows(choice) else self._drawn(stream)
        made, places = [knob.now or 0 for knob in knobs], list(range(len(knobs)))
        for _ in range(min(self.target.most, len(knobs))):
            place = places.pop(stream.below(len(places)))
            made[place] = stream.below(len(knobs[place].values))
        return tuple(made)

    def _try(self, choice: Choice) -> None:
        design = self.designs[choice] = Design(choice, self.target.words(choice))
        self.say(f"trying {design.words}")
        try:
            variant = self.target.variant(choice)
            design.bench = Bench(variant, self.target.bots, self.seed, self.jobs)
            design.why = self.impossible(variant, self.target)
        except (InputError, OptionError, RulesError) as error:
            design.verdict, design.why = "refused", str(error)
            return
        if design.why:
            design.verdict = "impossible"
        for upto in look_times(min(self._glance(design), self.games)):
            self._play(design, upto)

    @staticmethod
    def _glance(design: Design) -> int:
        """Return by how many games designs are compared: fewer of bots that think, since each takes long."""
        return _GLANCE if design.bench is None or design.bench.compiles else _THOUGHTFUL

    def _play(self, design: Design, upto: int) -> None:
        """Let a design be played up to so many games, and judge it, unless it is settled."""
        if design.verdict != "open" or design.bench is None or upto <= design.games:
            return
        design.samples.append(self._sample(design.bench, design.games, upto - design.games))
        design.games = upto
        rows = np.concatenate(design.samples, axis=1)
        for name, row in zip(self.target.want, rows, strict=True):
            design.figures[name] = sequence(row, self._each, 1.0 if self.target.units[name] == "%" else None)
        design.verdict = self._judged(design)

    def _sample(self, bench: Bench, first: int, count: int) -> Reals:
        """Return a row per wanted figure, a column per game."""
        batch = measures(bench, games_of(bench, first, count))
        rows = dict(zip((name for name, _ in figure_names(bench.variant)), batch, strict=True))
        for name in self.target.want.keys() - rows.keys():
            rows[name] = win_differences(bench, thing_named(bench.variant, name), first, count)
        return np.stack([rows[name] for name in self.target.want])

    def _judged(self, design: Design) -> str:
        inside = []
        for name, (low, high) in self.target.want.items():
            figure = design.figures[name]
            assert figure.low is not None
            assert figure.high is not None
            if figure.high < low or figure.low > high:
                return "misses"
            inside.append(low <= figure.low and figure.high <= high)
        return "meets" if all(inside) else "open"

    def distance(self, design: Design) -> float:
        """Return how far a design's figures lie outside of what is wanted, in widths of it; more than any if it
        cannot be."""
        if not design.figures:
            return 1e6
        return sum(max(0.0, abs(off) - 0.5) for off in self._offsets(design))

    def _eccentricity(self, design: Design) -> float:
        return max(map(abs, self._offsets(design)))

    def _offsets(self, design: Design) -> Iterator[float]:
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
            "ways": self.target.ways,
            "want": {name: list(span) for name, span in self.target.want.items()},
            "meeting": [design.words for design in self.meeting],
            "designs": [design.as_json() for design in self.designs.values()],
        }


def _neighbours(choice: Choice, sizes: Sequence[int]) -> Iterator[Choice]:
    """Yield the choices that differ in one value by one step."""
    for place, size in enumerate(sizes):
        for index in (choice[place] - 1, choice[place] + 1):
            if 0 <= index < size:
                yield (*choice[:place], index, *choice[place + 1 :])
