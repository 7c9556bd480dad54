"""Worked examples: lines of play in the game's words that are played, or fail to be, as they
say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playproof.database.errors import Where
from playproof.language import BoundsError, Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import PlayableExample, Statement
from playproof.verifier.kernel.strict import Json, Unreadable
from playproof.verifier.kernel.transcript import do_automatic_phases_run_forever
from playproof.verifier.questions.claims import NOW, REFUSED, has_worked_example_shape
from playproof.verifier.questions.conditions import ConditionReader


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
            played = does_worked_example_play_as_written(Interpreter(game), self.example)
        if played != self.played:
            raise NotShown("the example is not played, or does not fail, as stated")


def does_worked_example_play_as_written(interpreter: Interpreter, example: Json) -> bool:
    """Return whether the whole example plays as it says; it does not if the rules break behind one
    of its actions. Raises NotShown, and RulesError if they break elsewhere."""
    words, state = map_action_words_to_action_ids(interpreter.game), interpreter.start()
    for word in _get_example_line_entries(example):
        if word.startswith(NOW):
            if not _does_condition_text_hold(interpreter, state, word.removeprefix(NOW)):
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
    return _does_example_end_as_written(interpreter, state, example)


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
        raise Unreadable(
            "an example has a list of actions in `line`, and may have `end`, and a list in `then`"
        )
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


def _does_example_end_as_written(interpreter: Interpreter, final_state: Sequence[int], example: Json) -> bool:
    """Return whether the game ends as the example says and its `then` conditions hold."""
    if example.get("end"):
        ending = interpreter.ending(final_state)
        result = f"{ending.reason} | {' '.join(map(str, interpreter.returns(final_state)))}" if ending else ""
        if result != example["end"]:
            return False
    return all(
        _does_condition_text_hold(interpreter, final_state, str(text)) for text in example.get("then", [])
    )


def _does_condition_text_hold(interpreter: Interpreter, state: Sequence[int], condition_text: str) -> bool:
    return bool(
        interpreter.value(
            ConditionReader(interpreter.game, Where("example")).condition_text_to_term(condition_text), state
        )
    )
