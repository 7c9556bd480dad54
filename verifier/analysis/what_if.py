"""What no play reaches, and what would have to change: the smallest change of a number that makes a "no" a
"yes", and wanted figures of a design that are impossible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError, Where, make_path_relative_to_working_folder
from playproof.language.options import Options
from playproof.language.registry import (
    PREFIX,
    build,
    load_cards_if_rules_need_them,
    map_single_cell_quantities_to_field_and_cell,
)
from playproof.referee.notation import seat_names
from playproof.referee.variant import Variant
from playproof.verifier.kernel.evidence import EvidenceSetting, option_values_to_texts
from playproof.verifier.prove import VerifierRun, load_own_or_common_claims_by_id
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.premises import read_meaning_of_game
from playproof.verifier.questions.selection import select_sorted_questions_under_settings_or_raise
from playproof.verifier.questions.verdicts import Answer, Verdict, format_answer_value_with_reason
from playproof.verifier.search.case import WORK, Budget, GivenGameCase, Progress

# The smallest change of a number that makes a "no" a "yes": of each number that the game starts with, and
# of each option that is a number.


@dataclass(frozen=True)
class RaisableNumber:
    """A number that may be raised: the option that says it, what it is, and the `higher` ones that it may be."""

    option: str
    usual: int
    higher: Sequence[int]


@dataclass(frozen=True)
class RaisedNumberResult:
    """A number, and the answers to the claim with each higher one, up to the first that is better. `usual` is the
    answer without any change."""

    number: RaisableNumber
    usual: Answer
    answers: tuple[Answer, ...]

    @property
    def least_sufficient_value(self) -> int | None:
        """Return the least value that makes the answer better, None if none of those tried does."""
        better = bool(self.answers) and is_answer_better_than_usual(self.answers[-1], self.usual)
        return self.number.higher[len(self.answers) - 1] if better else None

    @property
    def open(self) -> bool:
        """Whether the answer is open for one of the values tried, so that a smaller one may suffice."""
        return any(answer.verdict is Verdict.UNKNOWN for answer in self.answers)

    def format_effect_line(self) -> str:
        """Return what raising the number does, as a line."""
        name, usual = self.number.option, self.number.usual
        if not self.answers:
            return f"{name:<24} {usual} is the most it can be"
        tried = f"{name:<24} {usual} -> {self.number.higher[len(self.answers) - 1]}"
        if self.least_sufficient_value is not None:
            doubt = ", and perhaps with less: one answer is open" if self.open else ""
            return f"{tried}: {format_answer_value_with_reason(self.answers[-1])}{doubt}"
        return f"{tried}: open" if self.open else f"{tried}: the same"

    def as_json(self) -> dict[str, object]:
        """Return the number and its answers as JSON data."""
        return {
            "number": self.number.option,
            "usual": self.number.usual,
            "enough": self.least_sufficient_value,
            "open": self.open,
            "answers": [answer.as_json() for answer in self.answers],
        }


def is_answer_better_than_usual(answer: Answer, usual: Answer) -> bool:
    """Return whether an answer is a yes in place of a no, or a smaller minimum (also in place of none)."""
    if answer.verdict is Verdict.UNKNOWN or answer.value is None:
        return False
    if answer.ask == "minimum":
        return usual.verdict is Verdict.VACUOUS or answer.value < usual.value
    return answer.value is True


@dataclass(frozen=True)
class DeniedClaim:
    """A claim that is no as usual, or a minimum: the question, its `usual` answer and what the kernel accepted for it
    (`settings`), and all claims of the game."""

    question: Question
    usual: Answer
    settings: tuple[EvidenceSetting, ...]
    claims: Mapping[str, Question]


def answer_denied_or_minimum_claim_or_raise(
    run: VerifierRun,
    claim_id: str,
    option_values: Mapping[str, str] | None,
    rulings: Mapping[str, str] | None,
    max_work: float,
    progress: Progress | None = None,
) -> DeniedClaim:
    """Return a `reach` claim that is no, or a `minimum`, as a run answers it without any change. Raises InputError if
    the claim is another one, if it is open, or if it can happen already."""
    claims = load_own_or_common_claims_by_id(run.ref, True, option_values, rulings)
    [question] = select_sorted_questions_under_settings_or_raise(
        run.ref, claims, [claim_id], option_values or {}, rulings or {}
    )
    if question.ask not in ("reach", "minimum") or any(isinstance(v, list) for v in question.values.values()):
        expected = "a number is changed for a `reach` or a `minimum` of one setting"
        raise _make_claim_input_error(run.ref, claim_id, expected, f"found `{question.ask}`")
    usual = run.answer_claim_and_write_evidence(
        question, claims, Budget(question.budget or max_work, progress=progress)
    )
    if usual.verdict is Verdict.UNKNOWN:
        raise _make_claim_input_error(run.ref, claim_id, f"it is open: {usual.reason}", "more `--work` may settle it")
    if usual.value is True:
        raise _make_claim_input_error(run.ref, claim_id, "it can happen already")
    return DeniedClaim(question, usual, run.files[question.id].settings, claims)


def _make_claim_input_error(game_ref: str, claim_id: str, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding(
        "PP704", Where(make_path_relative_to_working_folder(Path(game_ref))), f"claim `{claim_id}`: {message}", hint
    )


def iter_answers_to_claim_with_raised_numbers(
    game_ref: str,
    claim_id: str,
    option_values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    *,
    number_names: Sequence[str] = (),
    max_raise: int = 3,
    max_work: float = WORK,
    output: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[RaisedNumberResult]:
    """Yield each number of a game, raised by up to `max_raise`, or those named by `number_names`, with the answers to a
    `reach` or `minimum` claim. Raises InputError if the claim is another one, if it is open, or if it can happen
    already."""
    run = VerifierRun(game_ref, output=output)
    no = answer_denied_or_minimum_claim_or_raise(run, claim_id, option_values, rulings, max_work, progress)
    question, usual = no.question, no.usual
    budget = question.budget or max_work
    offered = list_raisable_options_and_start_numbers(game_ref, question)
    unknown = set(number_names) - {number.option for number in offered}
    if unknown:
        names = ", ".join(number.option for number in offered)
        raise _make_claim_input_error(
            game_ref, claim_id, f"there is no number {', '.join(sorted(unknown))}", f"one of: {names}"
        )
    for number in offered:
        if number_names and number.option not in number_names:
            continue
        answers: list[Answer] = []
        for value in number.higher[:max_raise]:
            raised = replace(question, values={**question.values, number.option: str(value)})
            answers.append(_answer_with_raised_number(run, no, raised, Budget(budget, progress=progress)))
            if is_answer_better_than_usual(answers[-1], usual):
                break
        yield RaisedNumberResult(number, usual, tuple(answers))


def _answer_with_raised_number(run: VerifierRun, no: DeniedClaim, raised: Question, budget: Budget) -> Answer:
    """Return the answer under another setting: the usual one if it rests on the same there, else a new one, with the
    usual evidence offered first. Its own evidence is written beside the usual one."""
    usual_game = run.get_or_build_case_of_question(no.question).game
    raised_game = run.get_or_build_case_of_question(raised).game
    usual_meaning = read_meaning_of_game(usual_game)
    if not usual_meaning.list_claims_that_change_touches([no.question], read_meaning_of_game(raised_game)):
        return replace(no.usual, options={**raised.values, **raised.rulings})
    output = run.output
    try:
        if output is not None:
            setting = " ".join(f"{name}={value}" for name, value in option_values_to_texts(raised.values).items())
            run.output = output / "what-if" / setting
        with run.offer_evidence_of_other_setting(raised, no.settings, usual_game):
            return run.answer_claim_and_write_evidence(raised, no.claims, budget)
    finally:
        run.output = output


def list_raisable_options_and_start_numbers(game_ref: str, question: Question) -> list[RaisableNumber]:
    """Return the numbers of a game under a question's setting: options whose values are numbers, and what it starts
    with."""
    options = Options(option_values_to_texts(question.values), option_values_to_texts(question.rulings))
    game = build(game_ref, options, load_cards_if_rules_need_them(game_ref, True))
    made = []
    for name, choices in options.choices.items():
        if name not in options.read and all(choice.isdecimal() for choice in choices):
            usual = int(question.values.get(name, options.usual[name]))
            made.append(RaisableNumber(name, usual, sorted(n for n in map(int, choices) if n > usual)))
    for name, (field, cell) in map_single_cell_quantities_to_field_and_cell(game).items():
        usual = field.start[cell]
        made.append(RaisableNumber(f"{PREFIX}{name}", usual, range(usual + 1, field.hi + 1)))
    return made


# -- figures that no play reaches ----------------------------------------------------------------------------
# Which wanted figures of a design no play can reach: wins that cannot be, games that are too short or too
# long.

_LENGTH = "decisions per game"


def explain_first_unreachable_figure_or_empty(
    variant: Variant, wanted_ranges: Mapping[str, tuple[float, float]], max_work: float
) -> str:
    """Return why a design cannot meet what is wanted of its figures, whoever plays; "" if it may. `max_work`
    limits each question; 0 asks nothing."""
    if not max_work:
        return ""
    run, game = VerifierRun(variant.ref), variant.game
    case = GivenGameCase(variant.ref, game, dict(variant.options), dict(variant.rulings))

    def answer(ask: str, of: dict[str, object]) -> Any:
        question = Question(f"{ask} {of}", ask, of)
        run.set_case_to_answer_question_with(question, case)
        return run.find_certified_conclusion(question, {}, Budget(max_work, 200_000, 200)).value

    for seat, name in enumerate(seat_names(game)):
        least, _ = wanted_ranges.get(f"wins of {name}", (0.0, 1.0))
        if least > 0 and answer("reach", {"outcome": "win", "seat": seat}) is False:
            return f"wins of {name}: no line of play wins"
    if _LENGTH in wanted_ranges:
        least, most = wanted_ranges[_LENGTH]
        longest = answer("worth", {"length": "players", "play": "best"})
        if longest is not None and longest < least:
            return f"{_LENGTH}: at most {float(longest):g}, whoever plays"
        shortest = answer("worth", {"length": "players", "play": "worst"})
        if shortest is not None and shortest > most:
            return f"{_LENGTH}: at least {float(shortest):g}, whoever plays"
    return ""
