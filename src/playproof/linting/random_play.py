"""What lint finds by playing: some hundred steps of random games in the interpreter.

* Rules that break: a value out of bounds, automatic phases that do not end, a player who cannot act (PP378).
* A game that is longer than its rules declare (PP815), and rules that never end a game (PP379).
* Two endings that meet in one step, of which the first counts (PP377).

Games that no seat can see whole are looked at further in `find_hidden_information_leaks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from playproof.database.errors import Finding
from playproof.language import CHANCE, Interpreter, RulesError
from playproof.language.doubtful_rules import convert_place_to_where
from playproof.language.game import Ending, Game
from playproof.language.interpreter import LocalValues
from playproof.language.random import Stream, make_game_seed
from playproof.language.traced_statements import Finish, Invoke, Statement, iter_statements
from playproof.linting.hidden_flow import find_hidden_information_leaks
from playproof.referee.game_length import make_length_error

_STEPS = 400
_CHOICES = 20_000  # looked at in all; the interpreter asks each ground action of a phase whether it is legal
_STATES = 2_000  # of a game of which no end was met
_RUN = 20_261_129


@dataclass
class RandomPlaythrough:
    """A random game as far as it was played: its states, and the actions between them."""

    states: list[list[int]]
    actions: list[int] = field(default_factory=list)
    decisions: int = 0


def find_problems_by_random_play(game: Game) -> list[Finding]:
    """Return what random games show to be wrong or doubtful."""
    tour = _RandomPlayCheck(game)
    tour.play_games()
    if tour.broken is not None:
        return [tour.broken, *tour.met.values()]
    return [
        *tour.met.values(),
        *tour.iter_endless_game_findings(),
        *find_hidden_information_leaks(game, tour.games),
    ]


class _RandomPlayCheck:
    """Random games of one run, one after the other."""

    def __init__(self, game: Game) -> None:
        self.game, self.play_rules = game, Interpreter(game)
        self.games: list[RandomPlaythrough] = []
        self.ended = 0
        self.broken: Finding | None = None
        self.met: dict[tuple[int, int], Finding] = {}
        self._endings = _EndingsInterpreter(game) if can_endings_meet(game) else None

    def play_games(self) -> None:
        """Play games until the budget is spent or the rules break."""
        steps = choices = 0
        while steps < _STEPS and choices < _CHOICES and self.broken is None:
            stream = Stream(make_game_seed(_RUN, len(self.games)))
            try:
                played = RandomPlaythrough([self.play_rules.start()])
                self.games.append(played)
                while steps < _STEPS and choices < _CHOICES and not played.states[-1][1]:
                    steps, choices = steps + 1, choices + self._count_candidate_actions(played.states[-1])
                    if not self._take_random_action(played, stream):
                        break
            except RulesError as error:
                self.broken = self._finding_from_rules_error(error)
            steps += 1  # a game may be over at once
            self.ended += bool(played.states[-1][1])

    def _count_candidate_actions(self, state: Sequence[int]) -> int:
        return sum(action.count for action in self.game.phases[state[0]].actions)

    def _take_random_action(self, played: RandomPlaythrough, stream: Stream) -> bool:
        """Take a random action. Return whether there was one. Raises RulesError if the rules break."""
        play, state = self.play_rules, played.states[-1]
        legal = play.legal(state)
        if not legal:
            if self.game.players > 1:  # a player alone who can do nothing more has lost
                self.broken = self._stuck_player_finding(played)
            return False
        chance = play.actor(state) == CHANCE
        weights = [play.weight(state, ident) for ident in legal] if chance else [1] * len(legal)
        self._note_meeting_endings(state, legal)
        played.decisions += not chance
        ends = self.game.facts.get("ends_within")
        within = self.game.facts.get("steps_within")
        if isinstance(ends, int) and played.decisions > ends:
            raise make_length_error(self.game, len(played.actions), played.decisions)
        if isinstance(within, int) and len(played.actions) >= within:
            raise make_length_error(self.game, len(played.actions), played.decisions)
        ident = legal[stream.draw_weighted_index(weights)]
        played.actions.append(ident)
        played.states.append(play.apply(state, ident))
        return True

    def _note_meeting_endings(self, state: Sequence[int], legal: Sequence[int]) -> None:
        """Look at what each legal action would end with."""
        if self._endings is None:
            return
        for ident in legal:
            try:
                found = self._endings.list_endings_reached(state, ident)
            except RulesError:  # the random game breaks there too, when it takes this action
                continue
            if len(found) > 1:
                first, second = found[:2]
                self.met.setdefault(
                    (first.number, second.number), self._meeting_endings_finding(first, second, ident)
                )

    # -- findings -------------------------------------------------------------------------------------------

    def _describe_last_actions(self) -> str:
        """Return the last actions of the game in words."""
        actions = self.games[-1].actions if self.games else []
        if not actions:
            return "at the start"
        told = ", ".join(self.game.show(ident) for ident in actions[-3:])
        return f"in a random game, after {len(actions)} steps, the last: {told}"

    def _finding_from_rules_error(self, error: RulesError) -> Finding:
        return Finding(
            error.code,
            convert_place_to_where(error.place),
            f"{error.message} ({self._describe_last_actions()})",
            error.hint,
        )

    def _stuck_player_finding(self, played: RandomPlaythrough) -> Finding:
        phase = self.game.phases[played.states[-1][0]]
        return Finding(
            "PP378",
            convert_place_to_where(phase.place or self.game.place),
            f"nobody can act in `{phase.name}`, and the game is not over ({self._describe_last_actions()})",
            "add an action that is always legal there, such as to pass, or end the game",
            "warning",
        )

    def _meeting_endings_finding(self, first: Ending, second: Ending, ident: int) -> Finding:
        message = (
            f"`{second.reason}` is reached in the same step as `{first.reason}` (line {first.place.line}), "
            f"as by `{self.game.show(ident)}` {self._describe_last_actions()}; the first counts"
        )
        hint = "say which is meant: put it first, and the other under `with otherwise():`"
        return Finding("PP377", convert_place_to_where(second.place), message, hint, "warning")

    def iter_endless_game_findings(self) -> Iterator[Finding]:
        """PP379: no ending was met, and all states were seen."""
        if self.ended:
            return
        states = count_states_if_endless(self.play_rules)
        if states is not None:
            yield Finding(
                "PP379",
                convert_place_to_where(self.game.place),
                f"no play ends this game: it has {states:,} states, and an ending is reached from none",
                "look for the condition of an ending that is never met, or an effect that is missing",
                "warning",
            )


def count_states_if_endless(play: Interpreter) -> int | None:
    """Return how many states a game has, or None if an ending is met or they are more than can be looked at."""
    start = tuple(play.start())
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        if state[1]:
            return None
        for ident in play.legal(state):
            after = tuple(play.apply(state, ident))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > _STATES:
            return None
    return len(seen)


# -- endings that meet ----------------------------------------------------------------------------------------------


class _EndingsInterpreter(Interpreter):
    """An interpreter that notes each ending that a rule reaches, also behind the first."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._found: list[int] = []

    def list_endings_reached(self, state: Sequence[int], ident: int) -> list[Ending]:
        """Return the endings that an action and what follows it reach, in order. Those of one kind and reason with
        one winner are one."""
        self._found = []
        after = self.list_step_states(state, ident)[-1]
        if len(self._found) < 2:
            return []
        distinct: dict[tuple[str, str, int | None], Ending] = {}
        for number in self._found:
            end = self.game.endings[number - 1]
            winner = None if end.winner is None else self.value(end.winner, after)
            distinct.setdefault((end.kind, end.reason, winner), end)
        return list(distinct.values())

    def _run_statements(self, body: Sequence[Statement], state: list[int], env: LocalValues) -> None:
        for statement in body:
            if isinstance(statement, Finish):
                self._found.append(statement.ending)
            super()._run_statements((statement,), state, env)


def can_endings_meet(game: Game) -> bool:
    """Return whether a rule has more than one ending, so that two may meet."""
    bodies = [action.body for action in game.actions]
    bodies += [phase.body for phase in game.phases if phase.body is not None]
    return any(len(set(_iter_endings_in_statements(body))) > 1 for body in bodies)


def _iter_endings_in_statements(body: tuple[Statement, ...]) -> Iterator[int]:
    for statement in iter_statements(body):
        if isinstance(statement, Finish):
            yield statement.ending
        elif isinstance(statement, Invoke):
            yield from _iter_endings_in_statements(statement.procedure.body)
