"""Worked examples: lines of play in the game's words that are played, or fail to be, as they
say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playproof.database.errors import Where
from playproof.language import BoundsError, Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, convert_rules_errors
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import PlayableExample, Statement
from playproof.verifier.kernel.strict import Json, Unreadable
from playproof.verifier.kernel.transcript import do_phases_run_forever
from playproof.verifier.questions.claims import NOW, REFUSED, has_example_shape
from playproof.verifier.questions.conditions import ConditionReader


@dataclass(frozen=True)
class WorkedExample(Certificate):
    """A worked example as its claim holds it, and whether it can be played as it says.

    Its `line` lists actions in words, entries `refused: ...` for actions that are illegal at that
    moment, and entries `now: ...` for conditions that hold. Its `end` says how the game ended
    (`reason | returns`), its `then` what holds at the end. Words alone say which actions are meant.
    """

    kind: ClassVar[str] = "worked example"
    example: Json
    played: bool

    def statement(self) -> Statement:
        """State that the example is played as it says, or cannot be."""
        return Statement(PlayableExample(self.example), self.played)

    def check(self, game: Game, context: Context) -> None:
        """Play the example. Raises NotShown if the result is not the one stated, or if an entry names
        several legal actions."""
        with convert_rules_errors():
            played = does_example_play(Interpreter(game), self.example)
        if played != self.played:
            raise NotShown("the example is not played, or does not fail, as stated")


def does_example_play(play: Interpreter, example: Json) -> bool:
    """Return whether the whole example plays as it says; it does not if the rules break behind one
    of its actions. Raises NotShown, and RulesError if they break elsewhere."""
    words, state = map_words_to_actions(play.game), play.start()
    for word in _get_example_entries(example):
        if word.startswith(NOW):
            if not _does_condition_hold(play, state, word.removeprefix(NOW)):
                return False
            continue
        name = word.removeprefix(REFUSED)
        legal = [ident for ident in words.get(name, []) if not play.why_not(state, ident)]
        if word.startswith(REFUSED):
            if legal or name not in words:
                return False
            continue
        if len(legal) > 1:
            raise NotShown(f"`{word[:60]}` names several legal actions")
        if not legal or _does_action_break_rules(play, state, legal[0]):
            return False
        state = play.apply(state, legal[0])
    return _does_example_end_as_said(play, state, example)


def _does_action_break_rules(play: Interpreter, state: Sequence[int], ident: int) -> bool:
    """Return whether the rules break when a legal action is applied, so that nobody can play it.
    Raises RulesError if they only reach the players' limit of automatic phases."""
    try:
        play.apply(state, ident)
    except BoundsError:
        return True
    except RulesError:
        if not do_phases_run_forever(play, play.apply_effects(state, ident)):
            raise
        return True
    return False


def _get_example_entries(example: Json) -> list[str]:
    if not has_example_shape(example):
        raise Unreadable(
            "an example has a list of actions in `line`, and may have `end`, and a list in `then`"
        )
    return [str(word) for word in example["line"]]


def map_words_to_actions(game: Game) -> dict[str, list[int]]:
    """Return the actions by their words. With a number behind them (`[#12]`), the words name one
    action only."""
    words: dict[str, list[int]] = {}
    for ident in range(game.ground):
        name = game.show(ident)
        words.setdefault(name, []).append(ident)
        words.setdefault(f"{name} [#{ident}]", []).append(ident)
    return words


def _does_example_end_as_said(play: Interpreter, state: Sequence[int], example: Json) -> bool:
    """Return whether the game ends as the example says and its `then` conditions hold."""
    if example.get("end"):
        ending = play.ending(state)
        result = f"{ending.reason} | {' '.join(map(str, play.returns(state)))}" if ending else ""
        if result != example["end"]:
            return False
    return all(_does_condition_hold(play, state, str(text)) for text in example.get("then", []))


def _does_condition_hold(play: Interpreter, state: Sequence[int], text: str) -> bool:
    return bool(play.value(ConditionReader(play.game, Where("example")).read_condition(text), state))
