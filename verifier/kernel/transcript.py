"""Lines of play that the interpreter replays: some game comes to an event, breaks a property, or
lasts this long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from playproof.rules.language import BoundsError, Game, IllegalAction, Interpreter, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    PROPERTIES,
    Event,
    Length,
    Property,
    Statement,
)


def replayed(play: Interpreter, idents: tuple[int, ...], state: list[int] | None = None) -> list[int]:
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


@dataclass(frozen=True)
class Transcript(Certificate):
    """Actions from the start that come to an event. Either the event's condition holds after them,
    or the last one is an action of the event, taken while its condition holds. `words` are the
    actions in words, for readers."""

    kind: ClassVar[str] = "transcript"
    event: Event
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """State that the event happens."""
        return Statement(self.event)

    def check(self, game: Game) -> None:
        """Replay the line. Raises NotShown if it does not come to the event."""
        play, target = Interpreter(game), self.event.target(game)
        try:
            if target.idents is None:
                met = bool(play.value(target.condition, replayed(play, self.idents)))
            else:
                before = replayed(play, self.idents[:-1])
                taken = bool(self.idents) and self.idents[-1] in target.idents
                met = taken and bool(play.value(target.condition, before))
                replayed(play, self.idents[-1:], before)
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None
        if not met:
            raise NotShown("the line does not come to the event")
        spoken(game, self.idents, self.words)


@dataclass(frozen=True)
class Breach(Certificate):
    """Actions from the start after which a property is broken: the last action makes a value
    leave its bounds or starts automatic phases that never end, or whoever is to act has no legal
    action."""

    kind: ClassVar[str] = "breach"
    property: str
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def statement(self) -> Statement:
        """State that some game breaks the property."""
        return Statement(Property(self.property), False)

    def check(self, game: Game) -> None:
        """Replay the line up to the breach. Raises NotShown if the property is not broken there."""
        if self.property not in PROPERTIES:
            raise NotShown(f"expected one of {', '.join(PROPERTIES)}, found {self.property[:40]!r}")
        play = Interpreter(game)
        try:
            state = replayed(play, self.idents)
            stuck = not play.terminal(state) and not play.legal(state)
        except BoundsError:
            self._only_the_last(play, self.property == BOUNDS)
        except RulesError as error:  # automatic phases that never end
            self._only_the_last(play, self.property == PHASES_END and error.code == "PP330")
        else:
            if self.property != NO_DEAD_END or not stuck:
                raise NotShown("nothing breaks behind this line")
        spoken(game, self.idents, self.words)

    def _only_the_last(self, play: Interpreter, fits: bool) -> None:
        try:
            if self.idents:
                replayed(play, self.idents[:-1])
        except RulesError:
            fits = False
        if not fits:
            raise NotShown("the line breaks the rules elsewhere, or otherwise")


@dataclass(frozen=True)
class Long(Certificate):
    """A line of play that shows how long a game can last."""

    kind: ClassVar[str] = "long game"
    idents: tuple[int, ...]

    def statement(self) -> Statement:
        """State that some game has at least as many decisions as this line."""
        return Statement(Length(len(self.idents) - 1), False)

    def check(self, game: Game) -> None:
        """Replay the line. Raises NotShown if it is not legal."""
        try:
            replayed(Interpreter(game), self.idents)
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None


def spoken(game: Game, idents: tuple[int, ...], words: tuple[str, ...]) -> None:
    """Check that `words` are those of the actions, since a reader may see nothing else. Raises
    NotShown."""
    if tuple(game.show(i) for i in idents) != words:
        raise NotShown("the words are not those of the actions")


__all__ = ["Breach", "Long", "Transcript", "replayed", "spoken"]
