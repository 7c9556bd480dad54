"""Answers to `example`: replays a worked example from its own words as far as they are legal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playproof.database.errors import Where, did_you_mean
from playproof.rules.language import Game, IllegalAction, Interpreter, RulesError
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.examples import NOW, REFUSED, Example, called, plays
from playproof.verifier.kernel.strict import encode, plain
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.verdicts import UNFIT, Found
from playproof.verifier.search.case import Budget, Case


def played(case: Case, question: Question, budget: Budget) -> Found:
    """Return whether the example can be played as it says."""
    example = plain(question.of)
    idents = followed(case.game, case.play, [str(w) for w in example["line"]])
    try:
        made = Example(example, plays(case.play, example))
    except (NotShown, RulesError) as error:
        return Found(None, "replay", (), str(error), {"actions that fit": len(idents)})
    unfit = {} if made.played else {UNFIT: _why_not(case.play, idents, example)}
    return Found(made.played, "replay", (encode(made),), bound={"actions that fit": len(idents), **unfit})


def _why_not(play: Interpreter, idents: Sequence[int], example: Mapping[str, Any]) -> str:
    """Return what does not fit behind the actions that do: an action, a comment, or the end."""
    by_words, formula = called(play.game), Formula(play.game, Where("example"))

    def fails(text: str) -> bool:
        return not play.value(formula.read(text), state)

    state, known = play.start(), iter(idents)
    try:
        for said in map(str, example["line"]):
            if said.startswith(NOW):
                if fails(said.removeprefix(NOW)):
                    return f"`{said}` does not hold"
            elif said.startswith(REFUSED):
                name = said.removeprefix(REFUSED)
                if name not in by_words or any(not play.why_not(state, i) for i in by_words[name]):
                    return f"`{said}`: it is " + ("legal" if name in by_words else "no action of the game")
            elif (ident := next(known, None)) is None:
                meant = by_words.get(said, [])
                refused = next((str(broken) for i in meant for broken in play.why_not(state, i)), "the rules break")
                return f"`{said}`: " + (refused if meant else f"no action is called so; {did_you_mean(said, by_words)}")
            else:
                state = play.apply(state, ident)
        failing = next((text for text in map(str, example.get("then", [])) if fails(text)), None)
        if failing is not None:
            return f"`{failing}` does not hold at the end"
    except (RulesError, IllegalAction) as error:
        return str(error)
    ending = play.ending(state)
    returns = " ".join(map(str, play.returns(state)))
    return f"expected the end `{example.get('end')}`, found " + (f"`{ending.reason} | {returns}`" if ending else "none")


def given_lines(case: Case, question: Question) -> list[tuple[int, ...]]:
    """Return the lines of the examples given to a claim, as far as they can be played."""
    examples = (plain(claim.of) for claim in question.given if claim.ask == "example")
    return [followed(case.game, case.play, [str(w) for w in of["line"]]) for of in examples]


def followed(game: Game, play: Interpreter, words: Sequence[str]) -> tuple[int, ...]:
    """Return the actions that the words stand for, up to the first word that does not fit: an
    action that is not legal, a refusal that is legal, or a condition that fails."""
    by_words = called(game)
    found: list[int] = []
    formula = Formula(game, Where("example"))
    try:
        state = play.start()
        for said in words:
            if said.startswith(REFUSED):
                said = said.removeprefix(REFUSED)
                if said not in by_words or any(not play.why_not(state, i) for i in by_words[said]):
                    break
                continue
            if said.startswith(NOW):
                if not play.value(formula.read(said.removeprefix(NOW)), state):
                    break
                continue
            legal = [i for i in by_words.get(said, []) if not play.why_not(state, i)]
            if not legal:
                break
            state = play.apply(state, legal[0])
            found.append(legal[0])
    except (RulesError, IllegalAction):
        pass
    return tuple(found)


__all__ = ["followed", "given_lines", "played"]
