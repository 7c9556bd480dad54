"""How deep a game is: a ladder of bots, each against the one below it, and recorded games of people, with
where they stand on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.database.errors import Finding, InputError
from playproof.lab.codes import build_input_error_of_one_finding
from playproof.lab.estimates import (
    Estimate,
    Z,
    estimate_mean_share_with_wilson_interval,
    estimate_mean_with_t_interval,
    estimate_share_with_wilson_interval,
)
from playproof.lab.game_runner import GameRunner, play_games_of_any_bots
from playproof.language.game import Game
from playproof.language.random import Stream, make_game_seed
from playproof.referee.batches import (
    Batch,
    Tally,
    flag_games_won_by_each_seat_and_tied,
    play_game_to_states_actions_and_choices,
)
from playproof.referee.bots import load_builtin_or_user_bot
from playproof.referee.bots.base import Sight
from playproof.referee.bots.tree_search import SearchSettings, SearchTree
from playproof.referee.engine import Engine
from playproof.referee.match import Match
from playproof.referee.notation import seat_names
from playproof.referee.recorded_games import read_games_from_transcripts_or_json, replay_transcript_or_add_findings
from playproof.referee.simulate import play_batches_outside_this_process
from playproof.referee.transcript import Transcript
from playproof.referee.variant import Variant

# A ladder of bots: how often each rung beats the one below it, which says how deep a game is for programs.

_RUNGS = ("random", "greedy", "mcts:20", "mcts:80")
_ITERATIONS = 20_000  # of searches, per rung
_MOST, _LEAST = 200, 16  # games per rung
_LONGER, _LONG = 20, 200  # bots that play well may never end: so many times the usual decisions, at least so many steps


@dataclass(frozen=True)
class LadderRung:
    """How a bot does: `wins` is its share of games, with one seat, or the seats of its team, against the bot below it
    in all others, each seat as often; a tie is shared. Alone, or in a team alone, it is its share of wins. `fair` is
    the share of equals. `returns` is its mean return. `stopped` games had not ended after `longest` steps; they count
    as ties."""

    bot: str
    against: str | None
    fair: float | None
    wins: Estimate
    returns: Estimate
    stopped: int = 0
    longest: int = 0

    @property
    def is_interval_above_fair_share(self) -> bool | None:
        """Whether the interval lies above the fair share; None without an opponent."""
        if self.fair is None or self.wins.low is None:
            return None
        return self.wins.low > self.fair


def list_default_ladder_bots(variant: Variant) -> tuple[str, ...]:
    """Return the bots of a ladder, from weak to strong. A greedy bot is one where the game says how good a position is;
    elsewhere it plays random games, and is a slow search."""
    return tuple(bot for bot in _RUNGS if bot != "greedy" or Engine(variant.game).evaluates)


def get_search_iterations_of_bot_or_one(bot: str) -> int:
    """Return how many iterations a bot thinks per decision; 1 if it does not search.

    >>> get_search_iterations_of_bot_or_one("mcts:80")
    80
    """
    name, _, count = bot.partition(":")
    return int(count or 400) if name == "mcts" and (count or "400").isdigit() else 1


def play_each_bot_against_lower_rung(
    bench: GameRunner,
    bots: Sequence[str],
    decisions_per_game: float,
    games_per_rung: int | None,
) -> list[LadderRung]:
    """Return the rungs from the first bot up. `decisions_per_game` is the mean length of a game. Without
    `games_per_rung`, a rung has as many games as a fixed number of iterations pays for."""
    variant, firsts = bench.variant, _list_first_seat_of_each_side(bench.variant.game)
    pairs = pair_bots_with_lower_rung(bots, len(firsts))
    longest = max(_LONG, int(_LONGER * decisions_per_game))
    works: list[Batch] = []
    owners: list[tuple[int, int]] = []
    for number, (bot, below) in enumerate(pairs):
        wanted = games_per_rung or _compute_affordable_games_of_rung(bot, below, decisions_per_game)
        each = max(1, -(-wanted // len(firsts)))
        for seat in firsts:
            team = variant.game.get_team_of_seat(seat)
            named = tuple(bot if s in team else (below or bot) for s in range(variant.game.players))
            for first in range(0, each, 5):
                works.append(Batch(variant, named, bench.seed, first, min(5, each - first), longest=longest))
                owners.append((number, seat))
    tallies = play_batches_outside_this_process(works, bench.jobs, bench.client)
    sums: dict[tuple[int, int], Tally] = {}
    for owner, tally in zip(owners, tallies, strict=True):
        sums[owner] = sums[owner].add_in_place(tally) if owner in sums else tally
    return [
        _build_rung_from_tallies(bot, below, variant.game, {seat: sums[number, seat] for seat in firsts}, longest)
        for number, (bot, below) in enumerate(pairs)
    ]


def _list_first_seat_of_each_side(game: Game) -> list[int]:
    """Return a seat of each side: a rung plays each side once. Other seats of a team would play the same games."""
    return sorted(min(side) for side in game.sides)


@dataclass(frozen=True)
class RungComparison:
    """What a rung does in two versions of a game, over the same seeds: its shares of games, and how much greater the
    second is."""

    bot: str
    against: str | None
    before: Estimate
    after: Estimate
    difference: Estimate


def compare_rung_in_two_versions(
    two_versions: tuple[Variant, Variant],
    bot: str,
    bot_below: str | None,
    games: int,
    jobs: int | None,
    error: float = 0.05,
) -> RungComparison:
    """Return how a bot does against the one below it, or alone, in both versions; each seat as often. Bots that search
    play as many games as a fixed number of iterations pays for. The interval of the difference misses with
    probability `error`."""
    seats, firsts = two_versions[0].game.players, _list_first_seat_of_each_side(two_versions[0].game)
    benches = []
    for own in firsts:
        team = two_versions[0].game.get_team_of_seat(own)
        bots = [bot if seat in team else (bot_below or bot) for seat in range(seats)]
        benches.append([GameRunner(variant, bots, 0, jobs) for variant in two_versions])
    if not all(bench.can_play_compiled for sides in benches for bench in sides):
        usual = play_games_of_any_bots(GameRunner(two_versions[0], ["random"], 0, jobs), 0, _MOST)
        games = min(games, _compute_affordable_games_of_rung(bot, bot_below, float(usual.decisions.mean())))
    each = max(1, games // len(firsts))
    before, after = (
        np.concatenate(
            [
                _compute_win_shares_of_seat(sides[version], seat, each)
                for seat, sides in zip(firsts, benches, strict=True)
            ]
        )
        for version in (0, 1)
    )
    # As Agresti and Min do with pairs (see `estimates.paired`), so that pairs that are all alike have an interval.
    differences = np.concatenate([after - before, [1.0, -1.0]])
    centre, spread = (
        float((after - before).mean()),
        estimate_mean_with_t_interval(differences, value_range=(-1.0, 1.0)),
    )
    wider = NormalDist().inv_cdf(1 - error / 2) / Z
    low, high = (
        None if end is None else max(-1.0, min(1.0, centre + wider * (end - centre)))
        for end in (spread.low, spread.high)
    )
    difference = Estimate(centre, low, high, len(before))
    return RungComparison(
        bot,
        bot_below,
        estimate_mean_share_with_wilson_interval(before),
        estimate_mean_share_with_wilson_interval(after),
        difference,
    )


def _compute_win_shares_of_seat(bench: GameRunner, seat: int, games: int) -> npt.NDArray[np.float64]:
    """Return what share of each game a seat won: 1 a win, a tie by parts."""
    played, game = play_games_of_any_bots(bench, 0, games), bench.variant.game
    won, tied = flag_games_won_by_each_seat_and_tied(game, played.endings, played.returns)
    return np.where(won[seat], 1.0, np.where(tied, 1 / len(game.sides), 0.0))


@dataclass(frozen=True)
class SeatCarrying:
    """How often a team wins together if only this seat plays as the stronger bot, and if all the others do."""

    name: str
    stronger: Estimate
    weaker: Estimate


@dataclass(frozen=True)
class TeamCarrying:
    """Who carries whom: how often a team against nobody wins with all seats played by the `weak` bot, with one seat
    played by the `strong` one, with all but one, and with all."""

    weak: str
    strong: str
    all_weak: Estimate
    all_strong: Estimate
    seats: list[SeatCarrying]


def measure_who_carries_team_or_none(
    bench: GameRunner, rungs: Sequence[LadderRung], decisions_per_game: float, games_per_mix: int | None
) -> TeamCarrying | None:
    """Return who carries whom between the weakest and the strongest rung of a team; None for one seat, where another
    side plays, and where no rung wins clearly more than another."""
    game = bench.variant.game
    if game.players == 1 or len(game.sides) != 1 or not rungs:
        return None
    weak, strong = (pick(rungs, key=lambda rung: rung.wins.value or 0.0) for pick in (min, max))
    if (strong.wins.low or 0.0) <= (weak.wins.high or 0.0):
        return None
    every = range(game.players)
    mixes = [tuple(strong.bot if s == seat else weak.bot for s in every) for seat in every]
    mixes += [tuple(weak.bot if s == seat else strong.bot for s in every) for seat in every]
    wins = _play_teams_of_bots(bench, list(dict.fromkeys(mixes)), decisions_per_game, games_per_mix)
    seats = [
        SeatCarrying(name, wins[mixes[seat]], wins[mixes[game.players + seat]])
        for seat, name in enumerate(seat_names(game))
    ]
    return TeamCarrying(weak.bot, strong.bot, weak.wins, strong.wins, seats)


def _play_teams_of_bots(
    bench: GameRunner, mixes: Sequence[tuple[str, ...]], decisions_per_game: float, games_per_mix: int | None
) -> dict[tuple[str, ...], Estimate]:
    """Return how often teams of these bots win together, all with the same draws of chance."""
    longest = max(_LONG, int(_LONGER * decisions_per_game))
    works: list[Batch] = []
    owners: list[tuple[str, ...]] = []
    for mix in mixes:
        slowest = max(mix, key=get_search_iterations_of_bot_or_one)
        count = games_per_mix or _compute_affordable_games_of_rung(slowest, None, decisions_per_game)
        for first in range(0, count, 5):
            works.append(Batch(bench.variant, mix, bench.seed, first, min(5, count - first), longest=longest))
            owners.append(mix)
    sums: dict[tuple[str, ...], Tally] = {}
    for mix, tally in zip(owners, play_batches_outside_this_process(works, bench.jobs, bench.client), strict=True):
        sums[mix] = sums[mix].add_in_place(tally) if mix in sums else tally
    return {mix: estimate_share_with_wilson_interval(tally.wins[0], tally.games) for mix, tally in sums.items()}


class BotPair(NamedTuple):
    bot: str
    bot_below: str | None


def pair_bots_with_lower_rung(bots: Sequence[str], side_count: int) -> list[BotPair]:
    """Return each rung with the one below it; with one seat, or one team, each rung alone.

    >>> pair_bots_with_lower_rung(["random", "greedy"], 2)
    [BotPair(bot='greedy', bot_below='random')]
    """
    return [
        BotPair(bot, None if side_count == 1 else bots[at - 1]) for at, bot in enumerate(bots) if at or side_count == 1
    ]


def _compute_affordable_games_of_rung(bot: str, bot_below: str | None, decisions_per_game: float) -> int:
    cost = max(1.0, decisions_per_game) * max(
        get_search_iterations_of_bot_or_one(bot), get_search_iterations_of_bot_or_one(bot_below or bot), 4
    )
    return max(_LEAST, min(_MOST, int(_ITERATIONS / cost)))


def _build_rung_from_tallies(
    bot: str, bot_below: str | None, game: Game, tally_by_seat: Mapping[int, Tally], longest: int
) -> LadderRung:
    sides = len(game.sides)
    wins = sum(tally.wins[seat] for seat, tally in tally_by_seat.items())
    games = sum(tally.games for tally in tally_by_seat.values())
    returns = [value for seat, tally in tally_by_seat.items() for value in tally.returns[seat].elements()]
    possible = min(term.lo for term in game.results), max(term.hi for term in game.results)
    earned = estimate_mean_with_t_interval(returns, value_range=possible)
    stopped = sum(tally.stopped for tally in tally_by_seat.values())
    if bot_below is None:
        return LadderRung(bot, None, None, estimate_share_with_wilson_interval(wins, games), earned, stopped, longest)
    ties = sum(tally.ties for tally in tally_by_seat.values()) + stopped
    shares = np.repeat([1.0, 1 / sides, 0.0], [wins, ties, games - wins - ties])
    share = estimate_mean_share_with_wilson_interval(shares)
    return LadderRung(bot, bot_below, 1 / sides, share, earned, stopped, longest)


# -- people --------------------------------------------------------------------------------------------------
# Recorded games of people: how they end and how long they take, and where the players stand on the ladder
# of bots.

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

    def describe_which_bots_people_beat(self) -> str:
        """Return in words where the people stand."""
        by_word = {word: [s.bot for s in self.standings if s.people == word] for word in ("better", "alike", "worse")}
        words = {"better": "better than {}", "alike": "not told apart from {}", "worse": "worse than {}"}
        return "; ".join(words[word].format(_join_words_with_and(bots)) for word, bots in by_word.items() if bots)


def _join_words_with_and(words: Sequence[str]) -> str:
    """Return words as a sentence lists them.

    >>> _join_words_with_and(["random", "greedy", "mcts:20"])
    'random, greedy and mcts:20'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def read_and_replay_transcripts_or_raise(files: Sequence[Path], variant: Variant) -> list[PlayedTranscript]:
    """Return the games of files, replayed. Raises InputError with all that is wrong, and (PP825) if one is of another
    game or setting."""
    findings: list[Finding] = []
    records = []
    for file in files:
        for written in read_games_from_transcripts_or_json(file):
            match = replay_transcript_or_add_findings(written, findings, game_folder=variant.ref)
            if match is None:
                continue
            if match.variant.digest != variant.digest:
                message = f"this is a game of {written.game} with other options or rulings than the report's"
                findings += build_input_error_of_one_finding("PP825", written.where, message).findings
            records.append(PlayedTranscript(written, match))
    if any(finding.severity == "error" for finding in findings):
        raise InputError(findings)
    return records


def analyze_games_of_people(
    bench: GameRunner, records: Sequence[PlayedTranscript], bots: Sequence[str], games_per_bot: int = 40
) -> PeopleResults:
    """Return what records say, and where their players stand beside so many games of each bot with itself."""
    game, engine, seed = bench.variant.game, bench.engine, bench.seed
    over = [record for record in records if record.match.over]
    endings = np.array([record.match.state[1] for record in over], dtype=np.int64)
    returns = np.array([record.match.returns() for record in over], dtype=np.int64).reshape(-1, game.players)
    won, _ = flag_games_won_by_each_seat_and_tied(game, endings, returns)
    given = estimate_value_lost_per_decision(
        engine, ((r.match.states, r.match.actions, r.human_seats) for r in records), Stream(make_game_seed(seed, 0))
    )
    standings = []
    for number, bot in enumerate(bots, 1):
        mind, everybody = load_builtin_or_user_bot(bot), list(range(game.players))
        played = (
            play_game_to_states_actions_and_choices(engine, [mind] * game.players, Stream(make_game_seed(seed, n)))
            for n in range(games_per_bot)
        )
        own = estimate_value_lost_per_decision(
            engine, ((s, a, everybody) for s, a, _ in played), Stream(make_game_seed(seed, number))
        )
        standings.append(BotStanding(bot, own, judge_people_better_worse_or_alike(given, own)))
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
            name: estimate_share_with_wilson_interval(int(wins.sum()), len(over))
            for name, wins in zip(seats, won, strict=True)
        },
        scores={name: estimate_mean_with_t_interval(column) for name, column in zip(seats, returns.T, strict=True)},
        decisions=estimate_mean_with_t_interval(decisions, value_range=(0, inf)),
        minutes=estimate_mean_with_t_interval(minutes, value_range=(0, inf)),
        thinking=list_thinking_times_longest_first(records),
        survey={question: estimate_mean_with_t_interval(answers) for question, answers in survey.items()},
        tags={name: dict(counts) for name, counts in tags.items()},
        given=given,
        standings=standings,
    )


def list_thinking_times_longest_first(records: Sequence[PlayedTranscript]) -> list[ThinkingTime]:
    """Return how long people thought, by seat and by kind of action, the longest first. Long waits are people who went
    away: so there are no means."""
    waits: dict[str, list[float]] = {}
    for record in records:
        match, names = record.match, seat_names(record.match.game)
        for state, step, wait in zip(match.states, match.steps, record.written.seconds, strict=False):
            if wait is not None and step.actor in record.human_seats and len(match.play.legal(state)) > 1:
                for of in (f"seat {names[step.actor]}", match.game.get_action_of_ground_action_number(step.ident).name):
                    waits.setdefault(of, []).append(wait)
    made = [ThinkingTime(of, len(w), *np.quantile(w, [0.5, 0.9]).tolist()) for of, w in waits.items()]
    return sorted(made, key=lambda each: -each.median)


GameSteps = tuple[Sequence[Sequence[int]], Sequence[int], Sequence[int]]


def estimate_value_lost_per_decision(
    engine: Engine, states_actions_and_seats_by_game: Iterator[GameSteps], stream: Stream
) -> Estimate:
    """Return what seats give away per decision, as a share of the range of returns: the mean over games (states,
    actions, seats that count). Decisions without a choice do not count."""
    means = []
    for states, actions, seats in states_actions_and_seats_by_game:
        lost = [
            _compute_value_lost_by_last_action(engine, states[: step + 1], actions[: step + 1], stream)
            for step, state in enumerate(states[:-1])
            if engine.actor(list(state)) in seats and len(engine.legal(list(state))) > 1
        ]
        if lost:
            means.append(sum(lost) / len(lost))
    return estimate_mean_with_t_interval(means, value_range=(0, 1))


def _compute_value_lost_by_last_action(
    engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], stream: Stream
) -> float:
    """Return what the last of the actions gives away."""
    seat = engine.actor(list(states[-1]))
    sight = Sight.of(engine.engine_for_bots, states, actions[:-1], seat, "worlds")
    tree = SearchTree(sight, stream, SearchSettings())
    tree.run_more_iterations_unless_proved(max(_SEARCH, 4 * len(sight.legal)))
    values = {line.ident: line.value for line in tree.list_candidates_best_first() if line.visits or line.proved}
    most, least = max(values.values()), min(values.values())
    return (most - values.get(actions[-1], least)) / max(1.0, tree.ground.high - tree.ground.low)


def _compute_half_width_of_interval(estimate: Estimate) -> float:
    """Return half of an interval, of which one side may be cut off at what values can be."""
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (end or 0.0 for end in ends)
    return max(value - low, high - value)


def judge_people_better_worse_or_alike(loss_of_people: Estimate, loss_of_bot: Estimate) -> str:
    """Return whether the people give away less than a bot: the interval of the difference of two means."""
    if (
        loss_of_people.low is None
        or loss_of_bot.low is None
        or loss_of_people.value is None
        or loss_of_bot.value is None
    ):
        return "alike"
    half = float(
        np.hypot(_compute_half_width_of_interval(loss_of_people), _compute_half_width_of_interval(loss_of_bot))
    )
    gap = loss_of_bot.value - loss_of_people.value
    return "better" if gap > half else "worse" if gap < -half else "alike"
