"""Worked examples: lines of play in the game's words that are played, or fail to be, as they
say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playproof.database.errors import Where
from playproof.rules.language import Game, Interpreter, RulesError
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.statements import Played, Statement
from playproof.verifier.kernel.strict import Json, Unreadable
from playproof.verifier.questions.conditions import Formula

REFUSED, NOW = "refused: ", "now: "


@dataclass(frozen=True)
class Example(Certificate):
    """A worked example as its claim holds it. Its `line` lists actions in words, entries `refused:
    ...` for actions that are illegal at that moment, and entries `now: ...` for conditions that
    hold. Its `end` says how the game ended (`reason | returns`), its `then` what holds at the end.

    `idents` are the actions as far as they can be played. `ends` says whether the whole example can
    be played as it says.
    """

    kind: ClassVar[str] = "worked example"
    example: Json
    idents: tuple[int, ...]
    ends: bool

    def statement(self) -> Statement:
        """State that the example is played as it says, or cannot be."""
        return Statement(Played(self.example), self.ends)

    def check(self, game: Game) -> None:
        """Replay the example. Raises NotShown.

        Each action must be the only legal one in its words. A refused entry must name no legal
        action. If `ends` is false, the example must fail right after the last of `idents`.
        """
        if self._goes(Interpreter(game)) != self.ends:
            raise NotShown("the example is not played, or does not fail, as stated")

    def _goes(self, play: Interpreter) -> bool:
        """Return whether the whole example plays as it says. Raises NotShown if `idents` are not
        the actions that the words mean."""
        left, words = list(self.idents), called(play.game)
        try:
            state = play.start()
            for said in _words(self.example):
                if said.startswith(REFUSED):
                    said = said.removeprefix(REFUSED)
                    if said not in words or _meant(play, state, words[said]):
                        return _all_taken(left)
                    continue
                if said.startswith(NOW):
                    if not _holds(play, state, said.removeprefix(NOW)):
                        return _all_taken(left)
                    continue
                meant = _meant(play, state, words.get(said, []))
                if not meant:
                    return _all_taken(left)
                if not left and len(meant) == 1 and _breaks(play, state, meant[0]):
                    return False
                if not left or meant != [left[0]]:
                    raise NotShown(f"`{said[:60]}` is not the next of the actions, or not the only legal one so called")
                state = play.apply(state, left.pop(0))
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None
        if left:
            raise NotShown("more actions than the example has")
        return _ends(play, state, self.example)


def _breaks(play: Interpreter, state: Sequence[int], ident: int) -> bool:
    """Return whether the rules break when a legal action is applied, so that nobody can play it."""
    try:
        play.apply(state, ident)
    except RulesError:
        return True
    return False


def _all_taken(left: Sequence[int]) -> bool:
    """Return False: the example fails here. Raises NotShown if actions are left."""
    if left:
        raise NotShown("the example fails before the last of the actions")
    return False


def _words(example: Json) -> list[str]:
    if type(example) is not dict or type(example.get("line")) is not list:
        raise Unreadable("an example is a mapping with a `line` of actions")
    return [str(word) for word in example["line"]]


def called(game: Game) -> dict[str, list[int]]:
    """Return the actions by their words. With a number behind them (`[#12]`), the words name one
    action only."""
    words: dict[str, list[int]] = {}
    for ident in range(game.ground):
        said = game.show(ident)
        words.setdefault(said, []).append(ident)
        words.setdefault(f"{said} [#{ident}]", []).append(ident)
    return words


def _meant(play: Interpreter, state: Sequence[int], called_so: Sequence[int]) -> list[int]:
    """Return the legal ones of these actions."""
    return [ident for ident in called_so if not play.why_not(state, ident)]


def _ends(play: Interpreter, state: Sequence[int], example: Json) -> bool:
    """Return whether the game ends as the example says and its `then` conditions hold."""
    if example.get("end"):
        ending = play.ending(state)
        said = f"{ending.reason} | {' '.join(map(str, play.returns(state)))}" if ending else ""
        if said != example["end"]:
            return False
    return all(_holds(play, state, str(text)) for text in example.get("then") or [])


def _holds(play: Interpreter, state: Sequence[int], text: str) -> bool:
    return bool(play.value(Formula(play.game, Where("example")).read(text), state))


__all__ = ["NOW", "REFUSED", "Example", "called"]
