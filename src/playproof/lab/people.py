"""Recorded games of people: how they end and how long they take, and where the players stand on the ladder of bots.

Who plays well gives little away: at each decision, a search that sees what the seat sees says what each choice is
worth, and the difference to the best one is what was given away. The search errs, but it errs alike for everybody, so
the same search judges games of each bot, and equal players have equal means whatever it errs. The decisions of one
game are dependent; each game counts as one value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np

from playproof.database.errors import Finding, InputError
from playproof.lab.codes import refuse
from playproof.lab.estimates import Estimate, mean_of, rate
from playproof.lab.playing import Bench
from playproof.language.random import Stream, seed_of
from playproof.referee.batches import play_steps
from playproof.referee.bots import load_bot
from playproof.referee.bots.base import Sight
from playproof.referee.bots.tree import Style, Tree
from playproof.referee.engine import Engine
from playproof.referee.games_file import read_all
from playproof.referee.judging import replay
from playproof.referee.match import Match
from playproof.referee.notation import seat_names
from playproof.referee.tally import outcomes
from playproof.referee.transcript import Transcript
from playproof.referee.variant import Variant

_SEARCH = 200  # iterations of the search that judges a decision
_BOTS = ("random", "greedy", "mcts", "exact", "strategy:", "openspiel:")


@dataclass(frozen=True)
class Record:
    """A game that people played, as written and as played."""

    written: Transcript
    match: Match

    @property
    def seats(self) -> list[int]:
        """The seats of people: all whose name is no bot's."""
        who = self.written.seats
        return [s for s in range(self.match.game.players) if not who.get(s + 1, "").startswith(_BOTS)]


@dataclass(frozen=True)
class Standing:
    """A bot beside the people: what it gives away per decision, and whether the people are "better" than it, "worse",
    or "alike": not told apart."""

    bot: str
    given: Estimate
    people: str


@dataclass(frozen=True)
class Thinking:
    """How long people took for a kind of action, or at a seat, where they had a choice: in seconds, the middle of all
    their decisions, and what nine of ten took at most."""

    of: str
    decisions: int
    median: float
    most: float


@dataclass(frozen=True)
class People:
    """What recorded games say. `given` is what people give away per decision, as a share of the range of returns;
    `tags` counts games by each tag's words."""

    games: int
    finished: int
    wins: dict[str, Estimate]
    scores: dict[str, Estimate]
    decisions: Estimate
    minutes: Estimate
    thinking: list[Thinking]
    survey: dict[str, Estimate]
    tags: dict[str, dict[str, int]]
    given: Estimate
    standings: list[Standing]

    def place(self) -> str:
        """Return in words where the people stand."""
        by_word = {
            word: [s.bot for s in self.standings if s.people == word] for word in ("better", "alike", "worse")
        }
        words = {"better": "better than {}", "alike": "not told apart from {}", "worse": "worse than {}"}
        return "; ".join(words[word].format(_listed(bots)) for word, bots in by_word.items() if bots)


def _listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them.

    >>> _listed(["random", "greedy", "mcts:20"])
    'random, greedy and mcts:20'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def read_records(files: Sequence[Path], variant: Variant) -> list[Record]:
    """Return the games of files, replayed. Raises InputError with all that is wrong, and (PP825) if one is of another
    game or setting."""
    findings: list[Finding] = []
    records = []
    for file in files:
        for written in read_all(file):
            match = replay(written, findings, game=variant.ref)
            if match is None:
                continue
            if match.variant.digest != variant.digest:
                message = f"this is a game of {written.game} with other options or rulings than the report's"
                findings += refuse("PP825", written.where, message).findings
            records.append(Record(written, match))
    if any(finding.severity == "error" for finding in findings):
        raise InputError(findings)
    return records


def people_of(bench: Bench, records: Sequence[Record], bots: Sequence[str], games: int = 40) -> People:
    """Return what records say, and where their players stand beside so many games of each bot with itself."""
    game, engine, seed = bench.variant.game, bench.engine, bench.seed
    over = [record for record in records if record.match.over]
    endings = np.array([record.match.state[1] for record in over], dtype=np.int64)
    returns = np.array([record.match.returns() for record in over], dtype=np.int64).reshape(-1, game.players)
    won, _ = outcomes(game, endings, returns)
    given = given_away(
        engine, ((r.match.states, r.match.actions, r.seats) for r in records), Stream(seed_of(seed, 0))
    )
    standings = []
    for number, bot in enumerate(bots, 1):
        mind, everybody = load_bot(bot), list(range(game.players))
        played = (play_steps(engine, [mind] * game.players, Stream(seed_of(seed, n))) for n in range(games))
        own = given_away(engine, ((s, a, everybody) for s, a, _ in played), Stream(seed_of(seed, number)))
        standings.append(Standing(bot, own, compared(given, own)))
    survey: dict[str, list[float]] = {}
    tags: dict[str, Counter[str]] = {}
    for record in records:
        for question, answer in record.written.survey.items():
            survey.setdefault(question, []).append(answer)
        for name, words in record.written.tags.items():
            tags.setdefault(name, Counter())[words] += 1
    decisions = [sum(step.actor >= 0 for step in record.match.steps) for record in over]
    minutes = [record.written.minutes for record in records if record.written.minutes is not None]
    seats = seat_names(game)
    return People(
        games=len(records),
        finished=len(over),
        wins={name: rate(int(wins.sum()), len(over)) for name, wins in zip(seats, won, strict=True)},
        scores={name: mean_of(column) for name, column in zip(seats, returns.T, strict=True)},
        decisions=mean_of(decisions, within=(0, inf)),
        minutes=mean_of(minutes, within=(0, inf)),
        thinking=thinking(records),
        survey={question: mean_of(answers) for question, answers in survey.items()},
        tags={name: dict(counts) for name, counts in tags.items()},
        given=given,
        standings=standings,
    )


def thinking(records: Sequence[Record]) -> list[Thinking]:
    """Return how long people thought, by seat and by kind of action, the longest first. Long waits are people who went
    away: so there are no means."""
    waits: dict[str, list[float]] = {}
    for record in records:
        match, names = record.match, seat_names(record.match.game)
        for state, step, wait in zip(match.states, match.steps, record.written.seconds, strict=False):
            if wait is not None and step.actor in record.seats and len(match.play.legal(state)) > 1:
                for of in (f"seat {names[step.actor]}", match.game.action_of(step.ident).name):
                    waits.setdefault(of, []).append(wait)
    made = [Thinking(of, len(w), *np.quantile(w, [0.5, 0.9]).tolist()) for of, w in waits.items()]
    return sorted(made, key=lambda each: -each.median)


GameSteps = tuple[Sequence[Sequence[int]], Sequence[int], Sequence[int]]


def given_away(engine: Engine, games: Iterator[GameSteps], stream: Stream) -> Estimate:
    """Return what seats give away per decision, as a share of the range of returns: the mean over games (states,
    actions, seats that count). Decisions without a choice do not count."""
    means = []
    for states, actions, seats in games:
        lost = [
            _lost(engine, states[: step + 1], actions[: step + 1], stream)
            for step, state in enumerate(states[:-1])
            if engine.actor(list(state)) in seats and len(engine.legal(list(state))) > 1
        ]
        if lost:
            means.append(sum(lost) / len(lost))
    return mean_of(means, within=(0, 1))


def _lost(engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], stream: Stream) -> float:
    """Return what the last of the actions gives away."""
    seat = engine.actor(list(states[-1]))
    sight = Sight.of(engine.imagined, states, actions[:-1], seat, "worlds")
    tree = Tree(sight, stream, Style())
    tree.grow(max(_SEARCH, 4 * len(sight.legal)))
    values = {line.ident: line.value for line in tree.lines() if line.visits or line.proved}
    most, least = max(values.values()), min(values.values())
    return (most - values.get(actions[-1], least)) / max(1.0, tree.ground.high - tree.ground.low)


def _half(estimate: Estimate) -> float:
    """Return half of an interval, of which one side may be cut off at what values can be."""
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (end or 0.0 for end in ends)
    return max(value - low, high - value)


def compared(people: Estimate, bot: Estimate) -> str:
    """Return whether the people give away less than a bot: the interval of the difference of two means."""
    if people.low is None or bot.low is None or people.value is None or bot.value is None:
        return "alike"
    half = float(np.hypot(_half(people), _half(bot)))
    gap = bot.value - people.value
    return "better" if gap > half else "worse" if gap < -half else "alike"
