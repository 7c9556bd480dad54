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
from playproof.lab.codes import make_input_error
from playproof.lab.estimates import Estimate, estimate_mean, estimate_share
from playproof.lab.playing import GameRunner
from playproof.language.random import Stream, make_game_seed
from playproof.referee.batches import play_one_game
from playproof.referee.bots import load_bot
from playproof.referee.bots.base import Sight
from playproof.referee.bots.tree import SearchSettings, SearchTree
from playproof.referee.engine import Engine
from playproof.referee.games_file import read_recorded_games
from playproof.referee.judging import replay_transcript
from playproof.referee.match import Match
from playproof.referee.notation import seat_names
from playproof.referee.tally import find_winners_and_ties
from playproof.referee.transcript import Transcript
from playproof.referee.variant import Variant

_SEARCH = 200  # iterations of the search that judges a decision
_BOTS = ("random", "greedy", "mcts", "exact", "strategy:", "openspiel:")


@dataclass(frozen=True)
class PlayedTranscript:
    """A game that people played, as written and as played."""

    written: Transcript
    match: Match

    @property
    def human_seats(self) -> list[int]:
        """The seats of people: all whose name is no bot's."""
        who = self.written.seats
        return [s for s in range(self.match.game.players) if not who.get(s + 1, "").startswith(_BOTS)]


@dataclass(frozen=True)
class BotStanding:
    """A bot beside the people: what it gives away per decision, and whether the people are "better" than it, "worse",
    or "alike": not told apart."""

    bot: str
    given: Estimate
    people: str


@dataclass(frozen=True)
class ThinkingTime:
    """How long people took for a kind of action, or at a seat, where they had a choice: in seconds, the middle of all
    their decisions, and what nine of ten took at most."""

    of: str
    decisions: int
    median: float
    most: float


@dataclass(frozen=True)
class PeopleResults:
    """What recorded games say. `given` is what people give away per decision, as a share of the range of returns;
    `tags` counts games by each tag's words."""

    games: int
    finished: int
    wins: dict[str, Estimate]
    scores: dict[str, Estimate]
    decisions: Estimate
    minutes: Estimate
    thinking: list[ThinkingTime]
    survey: dict[str, Estimate]
    tags: dict[str, dict[str, int]]
    given: Estimate
    standings: list[BotStanding]

    def describe_standing(self) -> str:
        """Return in words where the people stand."""
        by_word = {
            word: [s.bot for s in self.standings if s.people == word] for word in ("better", "alike", "worse")
        }
        words = {"better": "better than {}", "alike": "not told apart from {}", "worse": "worse than {}"}
        return "; ".join(words[word].format(_join_with_and(bots)) for word, bots in by_word.items() if bots)


def _join_with_and(words: Sequence[str]) -> str:
    """Return words as a sentence lists them.

    >>> _join_with_and(["random", "greedy", "mcts:20"])
    'random, greedy and mcts:20'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def read_and_replay_games(files: Sequence[Path], variant: Variant) -> list[PlayedTranscript]:
    """Return the games of files, replayed. Raises InputError with all that is wrong, and (PP825) if one is of another
    game or setting."""
    findings: list[Finding] = []
    records = []
    for file in files:
        for written in read_recorded_games(file):
            match = replay_transcript(written, findings, game=variant.ref)
            if match is None:
                continue
            if match.variant.digest != variant.digest:
                message = f"this is a game of {written.game} with other options or rulings than the report's"
                findings += make_input_error("PP825", written.where, message).findings
            records.append(PlayedTranscript(written, match))
    if any(finding.severity == "error" for finding in findings):
        raise InputError(findings)
    return records


def analyze_people(
    bench: GameRunner, records: Sequence[PlayedTranscript], bots: Sequence[str], games: int = 40
) -> PeopleResults:
    """Return what records say, and where their players stand beside so many games of each bot with itself."""
    game, engine, seed = bench.variant.game, bench.engine, bench.seed
    over = [record for record in records if record.match.over]
    endings = np.array([record.match.state[1] for record in over], dtype=np.int64)
    returns = np.array([record.match.returns() for record in over], dtype=np.int64).reshape(-1, game.players)
    won, _ = find_winners_and_ties(game, endings, returns)
    given = estimate_loss_per_decision(
        engine,
        ((r.match.states, r.match.actions, r.human_seats) for r in records),
        Stream(make_game_seed(seed, 0)),
    )
    standings = []
    for number, bot in enumerate(bots, 1):
        mind, everybody = load_bot(bot), list(range(game.players))
        played = (
            play_one_game(engine, [mind] * game.players, Stream(make_game_seed(seed, n)))
            for n in range(games)
        )
        own = estimate_loss_per_decision(
            engine, ((s, a, everybody) for s, a, _ in played), Stream(make_game_seed(seed, number))
        )
        standings.append(BotStanding(bot, own, classify_people_against_bot(given, own)))
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
    return PeopleResults(
        games=len(records),
        finished=len(over),
        wins={
            name: estimate_share(int(wins.sum()), len(over)) for name, wins in zip(seats, won, strict=True)
        },
        scores={name: estimate_mean(column) for name, column in zip(seats, returns.T, strict=True)},
        decisions=estimate_mean(decisions, value_range=(0, inf)),
        minutes=estimate_mean(minutes, value_range=(0, inf)),
        thinking=measure_thinking_times(records),
        survey={question: estimate_mean(answers) for question, answers in survey.items()},
        tags={name: dict(counts) for name, counts in tags.items()},
        given=given,
        standings=standings,
    )


def measure_thinking_times(records: Sequence[PlayedTranscript]) -> list[ThinkingTime]:
    """Return how long people thought, by seat and by kind of action, the longest first. Long waits are people who went
    away: so there are no means."""
    waits: dict[str, list[float]] = {}
    for record in records:
        match, names = record.match, seat_names(record.match.game)
        for state, step, wait in zip(match.states, match.steps, record.written.seconds, strict=False):
            if wait is not None and step.actor in record.human_seats and len(match.play.legal(state)) > 1:
                for of in (f"seat {names[step.actor]}", match.game.get_action_of_ident(step.ident).name):
                    waits.setdefault(of, []).append(wait)
    made = [ThinkingTime(of, len(w), *np.quantile(w, [0.5, 0.9]).tolist()) for of, w in waits.items()]
    return sorted(made, key=lambda each: -each.median)


GameSteps = tuple[Sequence[Sequence[int]], Sequence[int], Sequence[int]]


def estimate_loss_per_decision(engine: Engine, games: Iterator[GameSteps], stream: Stream) -> Estimate:
    """Return what seats give away per decision, as a share of the range of returns: the mean over games (states,
    actions, seats that count). Decisions without a choice do not count."""
    means = []
    for states, actions, seats in games:
        lost = [
            _loss_of_last_action(engine, states[: step + 1], actions[: step + 1], stream)
            for step, state in enumerate(states[:-1])
            if engine.actor(list(state)) in seats and len(engine.legal(list(state))) > 1
        ]
        if lost:
            means.append(sum(lost) / len(lost))
    return estimate_mean(means, value_range=(0, 1))


def _loss_of_last_action(
    engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], stream: Stream
) -> float:
    """Return what the last of the actions gives away."""
    seat = engine.actor(list(states[-1]))
    sight = Sight.of(engine.engine_for_bots, states, actions[:-1], seat, "worlds")
    tree = SearchTree(sight, stream, SearchSettings())
    tree.run_iterations(max(_SEARCH, 4 * len(sight.legal)))
    values = {line.ident: line.value for line in tree.list_candidates() if line.visits or line.proved}
    most, least = max(values.values()), min(values.values())
    return (most - values.get(actions[-1], least)) / max(1.0, tree.ground.high - tree.ground.low)


def _half_width(estimate: Estimate) -> float:
    """Return half of an interval, of which one side may be cut off at what values can be."""
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (end or 0.0 for end in ends)
    return max(value - low, high - value)


def classify_people_against_bot(people: Estimate, bot: Estimate) -> str:
    """Return whether the people give away less than a bot: the interval of the difference of two means."""
    if people.low is None or bot.low is None or people.value is None or bot.value is None:
        return "alike"
    half = float(np.hypot(_half_width(people), _half_width(bot)))
    gap = bot.value - people.value
    return "better" if gap > half else "worse" if gap < -half else "alike"
