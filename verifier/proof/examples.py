"""Answers to `example`: replays a worked example from its own words as far as they are legal."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.database.errors import Where
from playproof.rules.language import Game, IllegalAction, Interpreter, RulesError
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.examples import NOW, REFUSED, Example, called, plays
from playproof.verifier.kernel.strict import encode, plain
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case


def played(case: Case, question: Question, budget: Budget) -> Found:
    """Return whether the example can be played as it says."""
    example = plain(question.of)
    idents = followed(case.game, case.play, [str(w) for w in example["line"]])
    try:
        made = Example(example, plays(case.play, example))
    except (NotShown, RulesError) as error:
        return Found(None, "replay", (), str(error), {"actions that fit": len(idents)})
    return Found(made.played, "replay", (encode(made),), bound={"actions that fit": len(idents)})


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


__all__ = ["followed", "played"]
