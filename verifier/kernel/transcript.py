"""Lines of play that the interpreter replays: some game comes to an event, breaks a property or a law, lasts this long,
or comes back to a state and can go on for ever."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from playproof.language import BoundsError, IllegalAction, Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, convert_rules_errors
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.laws import does_line_break_law, read_law
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    EndlessPlay,
    Event,
    Law,
    Length,
    Property,
    Statement,
    Subject,
)
from playproof.verifier.questions.claims import Target


def do_phases_run_forever(play: Interpreter, state: list[int]) -> bool:
    """Return whether automatic phases from a state come back to a state. Each follows from the state
    alone, so they then go on for ever. To reach the players' limit (PP330) shows nothing. Raises
    RulesError if they break the rules otherwise. Source: R. P. Brent, BIT 20 (1980)."""
    mark, due = None, 1
    try:
        for number, now in enumerate(play.iter_states_until_settled(state)):
            if now == mark:
                return True
            if number == due:
                mark, due = now, 2 * due
    except RulesError as error:
        if error.code != "PP330":
            raise
    return False


def replay_line(play: Interpreter, idents: tuple[int, ...], state: list[int] | None = None) -> list[int]:
    """Return the state after a line of legal actions, from `state` or from the start. Raises
    NotShown if the interpreter refuses an action."""
    state = play.start() if state is None else state
    for number, ident in enumerate(idents):
        if not 0 <= ident < play.game.ground:
            raise NotShown(f"action {number + 1}: the game has no action {ident}")
        try:
            state = play.apply(state, ident)
        except IllegalAction as error:
            raise NotShown(f"action {number + 1}: {error}") from None
    return state


class Line(Certificate):
    """Actions from the start that show something. `words` are the actions in words, for readers."""

    idents: tuple[int, ...]
    words: tuple[str, ...]

    def check(self, game: Game, context: Context) -> None:
        """Replay the line. Raises NotShown if it does not show the statement, or if `words`, of
        which a reader may see nothing else, are not those of the actions."""
        with convert_rules_errors():
            holds = self.is_statement_shown(Interpreter(game))
        if not holds:
            raise NotShown(f"the line does not show that {self.statement().format_words()}")
        if tuple(game.show(i) for i in self.idents) != self.words:
            raise NotShown("the words are not those of the actions")

    @abstractmethod
    def is_statement_shown(self, play: Interpreter) -> bool:
        """Return whether the line shows the statement. Raises NotShown, also for an action that is not legal."""


@dataclass(frozen=True)
class Cycle(Line):
    """Actions from the start. The state behind the first `before` of them comes again behind all, so those in between
    can be taken again and again: what is legal depends on the state alone."""

    kind: ClassVar[str] = "circle"
    before: int
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """State that some game goes on for ever."""
        return Statement(EndlessPlay())

    def is_statement_shown(self, play: Interpreter) -> bool:
        """Return whether the two states are one. Raises NotShown if nothing lies between them."""
        if not 0 <= self.before < len(self.idents):
            raise NotShown("no action lies in the circle")
        first = replay_line(play, self.idents[: self.before])
        return first == replay_line(play, self.idents[self.before :], first)


@dataclass(frozen=True)
class Transcript(Line):
    """Actions from the start. They come to an event, make a game longer than a length, or the last
    of them breaks a property or a law."""

    kind: ClassVar[str] = "transcript"
    about: Subject
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """State that the event happens, or that the property, the length or the law is broken."""
        return Statement(self.about, isinstance(self.about, Event))

    def is_statement_shown(self, play: Interpreter) -> bool:
        """Return whether the line meets the event or the length, or its last action breaks what is kept."""
        match self.about:
            case Event():
                return _does_line_meet_target(play, self.about.build_target(play.game), self.idents)
            case Property(name=name):
                return _does_last_action_break(play, name, self.idents)
            case Length(most=most):
                replay_line(play, self.idents)
                return len(self.idents) > most
            case Law(law=law):
                before = replay_line(play, self.idents[:-1])
                after = replay_line(play, self.idents[-1:], before)
                return does_line_break_law(play, read_law(play.game, law), before, self.idents[-1:], after)
        return False


def _does_line_meet_target(play: Interpreter, target: Target, idents: tuple[int, ...]) -> bool:
    """Return whether a line meets a target: its condition holds behind the line, or the last action
    is one of its actions and its condition holds before."""
    if target.idents is None:
        return bool(play.value(target.condition, replay_line(play, idents)))
    before = replay_line(play, idents[:-1])
    replay_line(play, idents[-1:], before)
    return idents[-1:] != () and idents[-1] in target.idents and bool(play.value(target.condition, before))


def _does_last_action_break(play: Interpreter, property_name: str, idents: tuple[int, ...]) -> bool:
    """Return whether the last action (without actions: the start) makes a value leave its bounds or
    starts automatic phases that never end. Else, whether it breaks bounds to ask what is legal behind
    it, or nothing is and somebody is to act."""
    before = replay_line(play, idents[:-1]) if idents else None
    try:
        state = replay_line(play, idents[-1:], before)
        stuck = not play.terminal(state) and not play.legal(state)
    except BoundsError:
        return property_name == BOUNDS
    except RulesError:
        if property_name != PHASES_END:
            raise
        return do_phases_run_forever(
            play, play.game.get_initial_cells() if before is None else play.apply_effects(before, idents[-1])
        )
    return property_name == NO_DEAD_END and stuck
