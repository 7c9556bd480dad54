"""Lines of play that the interpreter replays: some game comes to an event, breaks a property or a law,
lasts this long, or goes as a worked example in the game's words says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playproof.language import BoundsError, IllegalAction, Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.laws import does_end_of_line_break_law, read_law_from_spec
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    EndlessPlay,
    Event,
    LawObeyed,
    LengthLimit,
    PlayableExample,
    Property,
    Statement,
    Subject,
)
from playproof.verifier.kernel.strict_json import Json, Unreadable
from playproof.verifier.questions.claims import NOW, REFUSED, has_worked_example_shape


def do_automatic_phases_run_forever(interpreter: Interpreter, state: list[int]) -> bool:
    """Return whether automatic phases from a state come back to a state. Each follows from the state
    alone, so they then go on for ever. To reach the players' limit (PP330) shows nothing. Raises
    RulesError if they break the rules otherwise. Source: R. P. Brent, BIT 20 (1980)."""
    mark, due = None, 1
    try:
        for number, now in enumerate(interpreter.run_automatic_phases_yielding_copies(state)):
            if now == mark:
                return True
            if number == due:
                mark, due = now, 2 * due
    except RulesError as error:
        if error.code != "PP330":
            raise
    return False


def replay_legal_actions(
    interpreter: Interpreter, action_ids: tuple[int, ...], start_state: list[int] | None = None
) -> list[int]:
    """Return the state after a line of legal actions, from `start_state` or from the start. Raises
    NotShown if the interpreter refuses an action."""
    start_state = interpreter.start() if start_state is None else start_state
    for number, ident in enumerate(action_ids):
        if not 0 <= ident < interpreter.game.ground:
            raise NotShown(f"action {number + 1}: the game has no action {ident}")
        try:
            start_state = interpreter.apply(start_state, ident)
        except IllegalAction as error:
            raise NotShown(f"action {number + 1}: {error}") from None
    return start_state


class LineCertificate(Certificate):
    """Actions from the start that show something. `words` are the actions in words, for readers."""

    idents: tuple[int, ...]
    words: tuple[str, ...]

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Replay the line. Raises NotShown if it does not show the statement, or if `words`, of
        which a reader may see nothing else, are not those of the actions."""
        with raise_rules_errors_as_not_shown():
            holds = self.does_line_show_statement(Interpreter(game), context)
        if not holds:
            raise NotShown(f"the line does not show that {self.build_proved_statement().format_as_data()}")
        if tuple(game.show(i) for i in self.idents) != self.words:
            raise NotShown("the words are not those of the actions")

    @abstractmethod
    def does_line_show_statement(self, interpreter: Interpreter, context: Context) -> bool:
        """Return whether the line shows the statement. Raises NotShown, also for an action that is not legal."""


@dataclass(frozen=True)
class CycleCertificate(LineCertificate):
    """Actions from the start. The state behind the first `before` of them comes again behind all, so those in between
    can be taken again and again: what is legal depends on the state alone."""

    kind: ClassVar[str] = "circle"
    before: int
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def build_proved_statement(self) -> Statement:
        """State that some game goes on for ever."""
        return Statement(EndlessPlay())

    def does_line_show_statement(self, interpreter: Interpreter, context: Context) -> bool:
        """Return whether the two states are one. Raises NotShown if nothing lies between them."""
        if not 0 <= self.before < len(self.idents):
            raise NotShown("no action lies in the circle")
        first = replay_legal_actions(interpreter, self.idents[: self.before])
        return first == replay_legal_actions(interpreter, self.idents[self.before :], first)


@dataclass(frozen=True)
class TranscriptCertificate(LineCertificate):
    """Actions from the start. They come to an event, make a game longer than a length, or the last
    of them breaks a property or a law."""

    kind: ClassVar[str] = "transcript"
    about: Subject
    idents: tuple[int, ...]
    words: tuple[str, ...]

    def build_proved_statement(self) -> Statement:
        """State that the event happens, or that the property, the length or the law is broken."""
        return Statement(self.about, isinstance(self.about, Event))

    def does_line_show_statement(self, interpreter: Interpreter, context: Context) -> bool:
        """Return whether the line meets the event or the length, or its last action breaks what is kept."""
        match self.about:
            case Event():
                return _does_end_of_line_meet_target(
                    interpreter, self.about.build_condition_and_actions(interpreter.game, context), self.idents
                )
            case Property(name=name):
                return _does_last_action_break_property(interpreter, name, self.idents)
            case LengthLimit(most=most):
                replay_legal_actions(interpreter, self.idents)
                return len(self.idents) > most
            case LawObeyed(law=law):
                before = replay_legal_actions(interpreter, self.idents[:-1])
                after = replay_legal_actions(interpreter, self.idents[-1:], before)
                return does_end_of_line_break_law(
                    interpreter, read_law_from_spec(interpreter.game, law, context), before, self.idents[-1:], after
                )
        return False


def _does_end_of_line_meet_target(interpreter: Interpreter, target: Target, action_ids: tuple[int, ...]) -> bool:
    """Return whether a line meets a target: its condition holds behind the line, or the last action
    is one of its actions and its condition holds before."""
    if target.idents is None:
        return bool(interpreter.value(target.condition, replay_legal_actions(interpreter, action_ids)))
    before = replay_legal_actions(interpreter, action_ids[:-1])
    replay_legal_actions(interpreter, action_ids[-1:], before)
    return (
        action_ids[-1:] != () and action_ids[-1] in target.idents and bool(interpreter.value(target.condition, before))
    )


def _does_last_action_break_property(interpreter: Interpreter, property_name: str, action_ids: tuple[int, ...]) -> bool:
    """Return whether the last action (without actions: the start) makes a value leave its bounds or
    starts automatic phases that never end. Else, whether it breaks bounds to ask what is legal behind
    it, or nothing is and somebody is to act."""
    before = replay_legal_actions(interpreter, action_ids[:-1]) if action_ids else None
    try:
        state = replay_legal_actions(interpreter, action_ids[-1:], before)
        stuck = not interpreter.terminal(state) and not interpreter.legal(state)
    except BoundsError:
        return property_name == BOUNDS
    except RulesError:
        if property_name != PHASES_END:
            raise
        if before is None:
            return do_automatic_phases_run_forever(interpreter, interpreter.game.get_state_before_automatic_phases())
        moved = interpreter.apply_without_automatic_phases(before, action_ids[-1])
        return do_automatic_phases_run_forever(interpreter, moved)
    return property_name == NO_DEAD_END and stuck


# -- examples ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WorkedExampleCertificate(Certificate):
    """A worked example as its claim holds it, and whether it can be played as it says.

    Its `line` lists actions in words, entries `refused: ...` for actions that are illegal at that
    moment, and entries `now: ...` for conditions that hold. Its `end` says how the game ended
    (`reason | returns`), its `then` what holds at the end. Words alone say which actions are meant.
    """

    kind: ClassVar[str] = "worked example"
    example: Json
    played: bool

    def build_proved_statement(self) -> Statement:
        """State that the example is played as it says, or cannot be."""
        return Statement(PlayableExample(self.example), self.played)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Play the example. Raises NotShown if the result is not the one stated, or if an entry names
        several legal actions."""
        with raise_rules_errors_as_not_shown():
            played = does_worked_example_play_as_written(Interpreter(game), self.example, context)
        if played != self.played:
            raise NotShown("the example is not played, or does not fail, as stated")


def does_worked_example_play_as_written(interpreter: Interpreter, example: Json, context: Context) -> bool:
    """Return whether the whole example plays as it says; it does not if the rules break behind one
    of its actions. Raises NotShown, and RulesError if they break elsewhere."""
    words, state = map_action_words_to_action_ids(interpreter.game), interpreter.start()
    for word in _get_example_line_entries(example):
        if word.startswith(NOW):
            if not _does_condition_text_hold(interpreter, state, word.removeprefix(NOW), context):
                return False
            continue
        name = word.removeprefix(REFUSED)
        legal = [ident for ident in words.get(name, []) if not interpreter.why_not(state, ident)]
        if word.startswith(REFUSED):
            if legal or name not in words:
                return False
            continue
        if len(legal) > 1:
            raise NotShown(f"`{word[:60]}` names several legal actions")
        if not legal or _do_rules_break_after_action(interpreter, state, legal[0]):
            return False
        state = interpreter.apply(state, legal[0])
    return _does_example_end_as_written(interpreter, state, example, context)


def _do_rules_break_after_action(interpreter: Interpreter, state: Sequence[int], action_id: int) -> bool:
    """Return whether the rules break when a legal action is applied, so that nobody can play it.
    Raises RulesError if they only reach the players' limit of automatic phases."""
    try:
        interpreter.apply(state, action_id)
    except BoundsError:
        return True
    except RulesError:
        if not do_automatic_phases_run_forever(
            interpreter, interpreter.apply_without_automatic_phases(state, action_id)
        ):
            raise
        return True
    return False


def _get_example_line_entries(example: Json) -> list[str]:
    if not has_worked_example_shape(example):
        raise Unreadable("an example has a list of actions in `line`, and may have `end`, and a list in `then`")
    return [str(word) for word in example["line"]]


def map_action_words_to_action_ids(game: Game) -> dict[str, list[int]]:
    """Return the actions by their words. With a number behind them (`[#12]`), the words name one
    action only."""
    words: dict[str, list[int]] = {}
    for ident in range(game.ground):
        name = game.show(ident)
        words.setdefault(name, []).append(ident)
        words.setdefault(f"{name} [#{ident}]", []).append(ident)
    return words


def _does_example_end_as_written(
    interpreter: Interpreter, final_state: Sequence[int], example: Json, context: Context
) -> bool:
    """Return whether the game ends as the example says and its `then` conditions hold."""
    if example.get("end"):
        ending = interpreter.ending(final_state)
        result = f"{ending.reason} | {' '.join(map(str, interpreter.returns(final_state)))}" if ending else ""
        if result != example["end"]:
            return False
    conditions = map(str, example.get("then", []))
    return all(_does_condition_text_hold(interpreter, final_state, text, context) for text in conditions)


def _does_condition_text_hold(
    interpreter: Interpreter, state: Sequence[int], condition_text: str, context: Context
) -> bool:
    return bool(interpreter.value(context.read_condition(interpreter.game, condition_text), state))
