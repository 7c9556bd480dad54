"""What lint finds by playing: some hundred steps of random games in the interpreter.

* Rules that break: a value out of bounds, automatic phases that do not end, a player who cannot act (PP378).
* A game that is longer than its rules declare (PP815), and rules that never end a game (PP379).
* Two endings that meet in one step, of which the first counts (PP377).

Games that no seat can see whole are looked at further in `hidden_flow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from playproof.database.errors import Finding
from playproof.language import CHANCE, Interpreter, RulesError
from playproof.language.doubtful_rules import where_of
from playproof.language.game import Ending, Game
from playproof.language.interpreter import Locals
from playproof.language.random import Stream, seed_of
from playproof.language.traced_statements import Finish, Invoke, Statement, walk
from playproof.linting.hidden_flow import hidden_flow
from playproof.referee.game_length import length_error

_STEPS = 400
_CHOICES = 20_000  # looked at in all; the interpreter asks each ground action of a phase whether it is legal
_STATES = 2_000  # of a game of which no end was met
_RUN = 20_261_129


@dataclass
class PlayedGame:
    """A random game as far as it was played: its states, and the actions between them."""

    states: list[list[int]]
    actions: list[int] = field(default_factory=list)
    decisions: int = 0


def findings_of_play(game: Game) -> list[Finding]:
    """Return what random games show to be wrong or doubtful."""
    tour = _Tour(game)
    tour.play()
    if tour.broken is not None:
        return [tour.broken, *tour.met.values()]
    return [*tour.met.values(), *tour.never_ending(), *hidden_flow(game, tour.games)]


class _Tour:
    """Random games of one run, one after the other."""

    def __init__(self, game: Game) -> None:
        self.game, self.play_rules = game, Interpreter(game)
        self.games: list[PlayedGame] = []
        self.ended = 0
        self.broken: Finding | None = None
        self.met: dict[tuple[int, int], Finding] = {}
        self._endings = _EndingsInterpreter(game) if may_meet(game) else None

    def play(self) -> None:
        """Play games until the budget is spent or the rules break."""
        steps = choices = 0
        while steps < _STEPS and choices < _CHOICES and self.broken is None:
            stream = Stream(seed_of(_RUN, len(self.games)))
            try:
                played = PlayedGame([self.play_rules.start()])
                self.games.append(played)
                while steps < _STEPS and choices < _CHOICES and not played.states[-1][1]:
                    steps, choices = steps + 1, choices + self._width(played.states[-1])
                    if not self._step(played, stream):
                        break
            except RulesError as error:
                self.broken = self._finding(error)
            steps += 1  # a game may be over at once
            self.ended += bool(played.states[-1][1])

    def _width(self, state: Sequence[int]) -> int:
        return sum(action.count for action in self.game.phases[state[0]].actions)

    def _step(self, played: PlayedGame, stream: Stream) -> bool:
        """Take a random action. Return whether there was one. Raises RulesError if the rules break."""
        play, state = self.play_rules, played.states[-1]
        legal = play.legal(state)
        if not legal:
            if self.game.players > 1:  # a player alone who can do nothing more has lost
                self.broken = self._stuck(played)
            return False
        chance = play.actor(state) == CHANCE
        weights = [play.weight(state, ident) for ident in legal] if chance else [1] * len(legal)
        self._look_for_endings(state, legal)
        played.decisions += not chance
        ends = self.game.facts.get("ends_within")
        within = self.game.facts.get("steps_within")
        if isinstance(ends, int) and played.decisions > ends:
            raise length_error(self.game, len(played.actions), played.decisions)
        if isinstance(within, int) and len(played.actions) >= within:
            raise length_error(self.game, len(played.actions), played.decisions)
        ident = legal[stream.weighted(weights)]
        played.actions.append(ident)
        played.states.append(play.apply(state, ident))
        return True

    def _look_for_endings(self, state: Sequence[int], legal: Sequence[int]) -> None:
        """Look at what each legal action would end with."""
        if self._endings is None:
            return
        for ident in legal:
            try:
                found = self._endings.endings_of(state, ident)
            except RulesError:  # the random game breaks there too, when it takes this action
                continue
            if len(found) > 1:
                first, second = found[:2]
                self.met.setdefault((first.number, second.number), self._meeting(first, second, ident))

    # -- findings -------------------------------------------------------------------------------------------

    def _line(self) -> str:
        """Return the last actions of the game in words."""
        actions = self.games[-1].actions if self.games else []
        if not actions:
            return "at the start"
        told = ", ".join(self.game.show(ident) for ident in actions[-3:])
        return f"in a random game, after {len(actions)} steps, the last: {told}"

    def _finding(self, error: RulesError) -> Finding:
        return Finding(error.code, where_of(error.place), f"{error.message} ({self._line()})", error.hint)

    def _stuck(self, played: PlayedGame) -> Finding:
        phase = self.game.phases[played.states[-1][0]]
        return Finding(
            "PP378",
            where_of(phase.place or self.game.place),
            f"nobody can act in `{phase.name}`, and the game is not over ({self._line()})",
            "add an action that is always legal there, such as to pass, or end the game",
            "warning",
        )

    def _meeting(self, first: Ending, second: Ending, ident: int) -> Finding:
        message = (
            f"`{second.reason}` is reached in the same step as `{first.reason}` (line {first.place.line}), "
            f"as by `{self.game.show(ident)}` {self._line()}; the first counts"
        )
        hint = "say which is meant: put it first, and the other under `with otherwise():`"
        return Finding("PP377", where_of(second.place), message, hint, "warning")

    def never_ending(self) -> Iterator[Finding]:
        """PP379: no ending was met, and all states were seen."""
        if self.ended:
            return
        states = reachable(self.play_rules)
        if states is not None:
            yield Finding(
                "PP379",
                where_of(self.game.place),
                f"no play ends this game: it has {states:,} states, and an ending is reached from none",
                "look for the condition of an ending that is never met, or an effect that is missing",
                "warning",
            )


def reachable(play: Interpreter) -> int | None:
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

    def endings_of(self, state: Sequence[int], ident: int) -> list[Ending]:
        """Return the endings that an action and what follows it reach, in order. Those of one kind and reason with
        one winner are one."""
        self._found = []
        after = self.moments(state, ident)[-1]
        if len(self._found) < 2:
            return []
        distinct: dict[tuple[str, str, int | None], Ending] = {}
        for number in self._found:
            end = self.game.endings[number - 1]
            winner = None if end.winner is None else self.value(end.winner, after)
            distinct.setdefault((end.kind, end.reason, winner), end)
        return list(distinct.values())

    def _run(self, body: Sequence[Statement], state: list[int], env: Locals) -> None:
        for statement in body:
            if isinstance(statement, Finish):
                self._found.append(statement.ending)
            super()._run((statement,), state, env)


def may_meet(game: Game) -> bool:
    """Return whether a rule has more than one ending, so that two may meet."""
    bodies = [action.body for action in game.actions]
    bodies += [phase.body for phase in game.phases if phase.body is not None]
    return any(len(set(_endings_in(body))) > 1 for body in bodies)


def _endings_in(body: tuple[Statement, ...]) -> Iterator[int]:
    for statement in walk(body):
        if isinstance(statement, Finish):
            yield statement.ending
        elif isinstance(statement, Invoke):
            yield from _endings_in(statement.procedure.body)
