"""Worked examples: a line of play in the words of the game, legal from the start and ending as it says, or not."""

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
    """A worked example as its claim holds it: `line` are the actions in words, among them what is `refused: ...` at
    that moment, and what holds (`now: ...`); `end` is how the game then ended (`reason | returns`), `then` what holds.
    `idents` are the actions as far as they can be played; `ends` says whether they are all, and end so."""

    kind: ClassVar[str] = "worked example"
    example: Json
    idents: tuple[int, ...]
    ends: bool

    def statement(self) -> Statement:
        """The example is played as it says, or cannot be."""
        return Played(self.example, self.ends)

    def check(self, game: Game) -> None:
        """Replay it. Each action must be the only legal one in its words, and what is refused must be an action of the
        game that is not legal. Where the example is said to fail, it does so behind the last of the actions."""
        if self._goes(Interpreter(game)) != self.ends:
            raise NotShown("the example is not played, or does not fail, as stated")

    def _goes(self, play: Interpreter) -> bool:
        """Whether all of it goes as it says. Raises NotShown where the actions are not those that the words mean."""
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
    """Whether the rules break behind a legal action: nobody can play it."""
    try:
        play.apply(state, ident)
    except RulesError:
        return True
    return False


def _all_taken(left: Sequence[int]) -> bool:
    """The example fails here, behind the last of its actions."""
    if left:
        raise NotShown("the example fails before the last of the actions")
    return False


def _words(example: Json) -> list[str]:
    if type(example) is not dict or type(example.get("line")) is not list:
        raise Unreadable("an example is a mapping with a `line` of actions")
    return [str(word) for word in example["line"]]


def called(game: Game) -> dict[str, list[int]]:
    """The actions by their words; with a number behind them, `[#12]`, just that one."""
    words: dict[str, list[int]] = {}
    for ident in range(game.ground):
        said = game.show(ident)
        words.setdefault(said, []).append(ident)
        words.setdefault(f"{said} [#{ident}]", []).append(ident)
    return words


def _meant(play: Interpreter, state: Sequence[int], called_so: Sequence[int]) -> list[int]:
    """Those of the actions that are legal."""
    return [ident for ident in called_so if not play.why_not(state, ident)]


def _ends(play: Interpreter, state: Sequence[int], example: Json) -> bool:
    """Whether the game ends as the example says, and what it says holds."""
    if example.get("end"):
        ending = play.ending(state)
        said = f"{ending.reason} | {' '.join(map(str, play.returns(state)))}" if ending else ""
        if said != example["end"]:
            return False
    return all(_holds(play, state, str(text)) for text in example.get("then") or [])


def _holds(play: Interpreter, state: Sequence[int], text: str) -> bool:
    return bool(play.value(Formula(play.game, Where("example")).read(text), state))


__all__ = ["NOW", "REFUSED", "Example", "called"]
