"""Answers to `example`: replays a worked example from its own words as far as they are legal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playproof.database.errors import Where, did_you_mean
from playproof.language import Game, IllegalAction, Interpreter, RulesError
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.examples import Example, called, plays
from playproof.verifier.kernel.strict import encode, plain
from playproof.verifier.questions.claims import NOW, REFUSED, Question
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.verdicts import UNFIT, Found
from playproof.verifier.search.case import Budget, Case

_NO_ACTION = "no action of the game"


def played(case: Case, question: Question, budget: Budget) -> Found:
    """Return whether the example can be played as it says."""
    example = plain(question.of)
    idents, state, unfit = _walked(case.play, [str(w) for w in example["line"]])
    fit = {"actions that fit": len(idents)}
    try:
        made = Example(example, plays(case.play, example))
    except (NotShown, RulesError) as error:
        return Found(None, "replay", (), str(error), fit)
    if made.played:
        return Found(True, "replay", (encode(made),), bound=fit)
    why = unfit or _ends_otherwise(case.play, state, example)
    return Found(False, "replay", (encode(made),), bound={**fit, UNFIT: why})


def given_lines(case: Case, question: Question) -> list[tuple[int, ...]]:
    """Return the lines of the examples given to a claim, as far as they can be played."""
    examples = (plain(claim.of) for claim in question.given if claim.ask == "example")
    return [followed(case.game, case.play, [str(w) for w in of["line"]]) for of in examples]


def followed(game: Game, play: Interpreter, words: Sequence[str]) -> tuple[int, ...]:
    """Return the actions that the words stand for, up to the first word that does not fit: an
    action that is not legal, a refusal that is legal, or a condition that fails."""
    return _walked(play, words)[0]


def _walked(play: Interpreter, words: Sequence[str]) -> tuple[tuple[int, ...], Sequence[int], str]:
    """Return the actions that fit, the state behind them, and what does not fit there, if anything."""
    by_words, formula = called(play.game), Formula(play.game, Where("example"))
    found: list[int] = []
    state: Sequence[int] = ()
    try:
        state = play.start()
        for said in words:
            if said.startswith(REFUSED):
                name = said.removeprefix(REFUSED)
                if name not in by_words or any(not play.why_not(state, i) for i in by_words[name]):
                    return tuple(found), state, f"`{said}`: it is " + ("legal" if name in by_words else _NO_ACTION)
            elif said.startswith(NOW):
                if not play.value(formula.read(said.removeprefix(NOW)), state):
                    return tuple(found), state, f"`{said}` does not hold"
            else:
                legal = [i for i in by_words.get(said, []) if not play.why_not(state, i)]
                if not legal:
                    return tuple(found), state, f"`{said}`: {_refused(play, state, said, by_words)}"
                state = play.apply(state, legal[0])
                found.append(legal[0])
    except (RulesError, IllegalAction) as error:
        return tuple(found), state, str(error)
    return tuple(found), state, ""


def _refused(play: Interpreter, state: Sequence[int], said: str, by_words: Mapping[str, list[int]]) -> str:
    """Return why no action of these words is legal."""
    broken = [one for ident in by_words.get(said, []) for one in play.why_not(state, ident)]
    return str(broken[0]) if broken else f"{_NO_ACTION}; {did_you_mean(said, by_words)}"


def _ends_otherwise(play: Interpreter, state: Sequence[int], example: Mapping[str, Any]) -> str:
    """Return which condition fails behind an example's last action, or how the game ends instead."""
    formula = Formula(play.game, Where("example"))
    for text in map(str, example.get("then", [])):
        if not play.value(formula.read(text), state):
            return f"`{text}` does not hold at the end"
    ending, returns = play.ending(state), " ".join(map(str, play.returns(state)))
    found = f"`{ending.reason} | {returns}`" if ending else "none"
    return f"expected the end `{example.get('end')}`, found {found}"


__all__ = ["followed", "given_lines", "played"]
