"""Answers to `example`: replays a worked example from its own words as far as they are legal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playproof.database.errors import Where, did_you_mean
from playproof.language import IllegalAction, Interpreter, RulesError
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.examples import WorkedExample, does_example_play, map_words_to_actions
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.questions.claims import NOW, REFUSED, Question
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.verdicts import UNFIT, Conclusion
from playproof.verifier.search.case import Budget, GameCase

_NO_ACTION = "no action of the game"


def answer_worked_example_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether the example can be played as it says."""
    example = to_json(question.of)
    idents, state, unfit = _walk_example_entries(case.play, _list_example_entries(example))
    fit = {"actions that fit": len(idents)}
    try:
        certificate = WorkedExample(example, does_example_play(case.play, example))
    except (NotShown, RulesError) as error:
        return Conclusion(None, "replay", (), str(error), fit)
    if certificate.played:
        return Conclusion(True, "replay", ((certificate,),), bound=fit)
    why = unfit or _describe_different_end(case.play, state, example)
    return Conclusion(False, "replay", ((certificate,),), bound={**fit, UNFIT: why})


def play_given_examples(case: GameCase, question: Question) -> list[tuple[int, ...]]:
    """Return the lines of the examples given to a claim, as far as they can be played."""
    examples = (to_json(claim.of) for claim in question.given if claim.ask == "example")
    return [follow_action_words(case.play, _list_example_entries(example)) for example in examples]


def _list_example_entries(example: Mapping[str, Any]) -> list[str]:
    """Return the entries of an example's line: actions, refusals and conditions."""
    return [str(entry) for entry in example["line"]]


def follow_action_words(play: Interpreter, words: Sequence[str]) -> tuple[int, ...]:
    """Return the actions that the words stand for, up to the first word that does not fit: an
    action that is not legal, a refusal that is legal, or a condition that fails."""
    return _walk_example_entries(play, words)[0]


def _walk_example_entries(
    play: Interpreter, words: Sequence[str]
) -> tuple[tuple[int, ...], Sequence[int], str]:
    """Return the actions that fit, the state behind them, and what does not fit there, if anything."""
    by_words, formula = map_words_to_actions(play.game), ConditionReader(play.game, Where("example"))
    idents: list[int] = []
    state: Sequence[int] = ()
    try:
        state = play.start()
        for entry in words:
            if entry.startswith(REFUSED):
                name = entry.removeprefix(REFUSED)
                if name not in by_words:
                    return tuple(idents), state, f"`{entry}`: it is {_NO_ACTION}"
                if any(not play.why_not(state, i) for i in by_words[name]):
                    return tuple(idents), state, f"`{entry}`: it is legal"
            elif entry.startswith(NOW):
                if not play.value(formula.read_condition(entry.removeprefix(NOW)), state):
                    return tuple(idents), state, f"`{entry}` does not hold"
            else:
                legal = [i for i in by_words.get(entry, []) if not play.why_not(state, i)]
                if not legal:
                    return (
                        tuple(idents),
                        state,
                        f"`{entry}`: {_explain_illegal_words(play, state, entry, by_words)}",
                    )
                state = play.apply(state, legal[0])
                idents.append(legal[0])
    except (RulesError, IllegalAction) as error:
        return tuple(idents), state, str(error)
    return tuple(idents), state, ""


def _explain_illegal_words(
    play: Interpreter, state: Sequence[int], words: str, by_words: Mapping[str, list[int]]
) -> str:
    """Return why no action of these words is legal."""
    for ident in by_words.get(words, []):
        for broken in play.why_not(state, ident):
            return str(broken)
    return f"{_NO_ACTION}; {did_you_mean(words, by_words)}"


def _describe_different_end(play: Interpreter, state: Sequence[int], example: Mapping[str, Any]) -> str:
    """Return which condition fails behind an example's last action, or how the game ends instead."""
    formula = ConditionReader(play.game, Where("example"))
    for text in map(str, example.get("then", [])):
        if not play.value(formula.read_condition(text), state):
            return f"`{text}` does not hold at the end"
    ending, returns = play.ending(state), " ".join(map(str, play.returns(state)))
    end = f"`{ending.reason} | {returns}`" if ending else "none"
    return f"expected the end `{example.get('end')}`, found {end}"
