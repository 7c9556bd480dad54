"""Which claims depend on which options and rulings: each claim under each other choice, one at a time, and
the choices as one table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import Any

from rich.markup import escape
from rich.table import Table

from playproof.database.errors import (
    Finding,
    InputError,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.worker_processes import measure_cpu_seconds
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build, load_cards_if_rules_need_them
from playproof.verifier.answer_store import (
    list_possible_evidence_folders_of_game,
    open_answer_store,
    read_nearest_evidence_or_none,
)
from playproof.verifier.kernel.claim_values import get_rules_property_asked_by_always_or_empty
from playproof.verifier.kernel.evidence import get_options_and_rulings_key, option_values_to_texts
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.proof.always import describe_properties_assumed_not_shown
from playproof.verifier.proof.certificate_offers import (
    load_digests_of_proved_steps_or_empty,
    try_to_store_new_step_digests,
)
from playproof.verifier.prove import (
    CARRIED,
    VerifierRun,
    load_own_or_common_claims_by_id,
    make_unknown_conclusion_from_error,
)
from playproof.verifier.questions import premises
from playproof.verifier.questions.claim_check import list_given_claims_then_question
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.selection import select_sorted_questions_under_settings_or_raise
from playproof.verifier.questions.verdicts import Conclusion, format_value_for_people
from playproof.verifier.search.case import WORK, Budget, Progress

# -- depends -------------------------------------------------------------------------------------------------
# Which claims depend on which options and rulings: each claim under each other choice, one at a time.

_UNDER_ALL = (BOUNDS, PHASES_END)
"""Properties on which most proofs rest."""
_OPEN = Conclusion(None, "", ())
_AT_ONCE = 8
"""Claims that are asked as usual before they are asked under the choice."""
_SHARE_OF_TIME = 0.1
"""How much of the time that is left one claim may use: a hard one leaves something for the others."""


def list_other_values_of_unnamed_options(game_ref: str, question: Question) -> list[NonDefaultChoice]:
    """Return every other value of each option and ruling that the rules ask for and the claim does not name."""
    options = Options(option_values_to_texts(question.values), option_values_to_texts(question.rulings))
    build(game_ref, options, load_cards_if_rules_need_them(game_ref, True))
    choices: list[NonDefaultChoice] = []
    for name, values in options.choices.items():
        if name not in question.values and name not in options.read:
            choices += [NonDefaultChoice(name, value, ruling=False) for value in values[1:]]
    for name, values in options.read.items():
        if name not in question.rulings:
            choices += [NonDefaultChoice(name, value, ruling=True) for value in values[1:]]
    return choices


def _select_choices_by_name_or_raise(
    game_ref: str, choices: Sequence[NonDefaultChoice], names: Sequence[str]
) -> list[NonDefaultChoice]:
    """Return the choices that are named, as `name=value` or by the name alone for all of its values; without names all.
    Raises InputError for a name of none."""
    known = {name for choice in choices for name in (choice.name, choice.text)}
    where = Where(make_path_relative_to_working_folder(Path(game_ref)))

    def hint(name: str) -> str:
        values = [choice.text for choice in choices if choice.name == name.partition("=")[0]]
        return make_nearest_or_possible_words_hint(name, values or dict.fromkeys(choice.name for choice in choices))

    wrong = [
        Finding("PP704", where, f"there is no other choice `{name}`", hint(name)) for name in names if name not in known
    ]
    if wrong:
        raise InputError(wrong)
    return [choice for choice in choices if not names or {choice.name, choice.text} & set(names)]


def iter_claims_under_each_choice(
    game_ref: str,
    option_values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    *,
    claim_ids: Sequence[str] = (),
    choice_names: Sequence[str] = (),
    max_work: float = WORK,
    cpu_seconds: float | None = None,
    output: Path | None = None,
    progress: Progress | None = None,
    remember: bool = True,
) -> Iterator[ClaimsUnderChoice]:
    """Yield what each option and ruling changes, one choice after the other; of those named in `choice_names`
    (`A3=open`, or `A3` for all of its values), if any. Raises InputError for an unknown one. `max_work` limits each
    claim under each choice, whatever the claim's own budget is: that is for the usual rules. What other claims rest on
    may use as much for each of them too. After `cpu_seconds` all claims that are left are open. Evidence is read from
    the folder `output`, where `prove` writes it; answers of earlier runs are taken, unless `remember` is False. Claims
    over several settings (`same`, `tune`) are left out: they say it themselves."""
    claims = load_own_or_common_claims_by_id(game_ref, True, option_values, rulings)
    questions = [
        q
        for q in select_sorted_questions_under_settings_or_raise(
            game_ref, claims, claim_ids, option_values or {}, rulings or {}
        )
        if q.ask not in ("same", "tune")
    ]
    # A run holds the first game and one more: it goes from game to game, and in each begins with what others rest on.
    questions.sort(
        key=lambda q: (get_options_and_rulings_key(q), get_rules_property_asked_by_always_or_empty(q) not in _UNDER_ALL)
    )
    asking = _DependenceRun(game_ref, claims, questions, max_work, cpu_seconds, output, progress, remember)
    offered = {
        get_options_and_rulings_key(question): list_other_values_of_unnamed_options(game_ref, question)
        for question in questions
    }
    every = list(dict.fromkeys(choice for some in offered.values() for choice in some))
    for choice in _select_choices_by_name_or_raise(game_ref, every, choice_names):
        fitting = [question for question in questions if choice in offered[get_options_and_rulings_key(question)]]
        yield asking.answer_questions_under_choice(choice, fitting)


class _DependenceRun:
    """One run of `iter_claims_under_each_choice`: the games that it met, what it answered as usual, and what
    earlier runs kept."""

    def __init__(
        self,
        ref: str,
        claims: Mapping[str, Question],
        questions: Sequence[Question],
        work: float,
        within: float | None,
        output: Path | None,
        progress: Progress | None,
        remember: bool,
    ) -> None:
        self.claims, self.questions, self.work, self.progress = claims, questions, work, progress
        self.end = None if within is None else measure_cpu_seconds() + within
        folders = [] if output is None else list_possible_evidence_folders_of_game(ref, output)
        files = {question.id: read_nearest_evidence_or_none(folders, question.id) for question in questions}
        written = {ident: file for ident, file in files.items() if file is not None}
        steps = load_digests_of_proved_steps_or_empty() if remember else set()
        self.run = VerifierRun(ref, earlier=written, context=Context(steps=steps))
        self.store = open_answer_store("choice", premises.digest_code_deciding_answers())
        self.remember = remember
        self.premises: dict[tuple[str, str], str] = {}
        self.games: dict[str, Game] = {}  # as usual: lines of evidence are played there
        self.usual: dict[str, Conclusion] = {}
        self.resting = _count_questions_resting_on_each(questions)

    def answer_questions_under_choice(
        self, choice: NonDefaultChoice, questions: Sequence[Question]
    ) -> ClaimsUnderChoice:
        """Return questions under a choice: as earlier runs kept them, else as usual and then under it, some at a
        time, so that a run which ends early has said something."""
        rows = {question.id: self._load_stored_or_refused_answer_or_none(question, choice) for question in questions}
        waiting = [question for question in questions if rows[question.id] is None]
        for some in _iter_question_batches_of_one_setting(waiting):
            self._answer_unasked_questions_as_usual(some)
            for question in some:
                rows[question.id] = self._answer_under_choice_and_store(question, choice)
        for question in _list_conditional_property_claims_to_reask([rows[question.id] for question in waiting]):
            rows[question.id] = self._answer_under_choice_and_store(question, choice)
        try_to_store_new_step_digests(self.run.context.steps)
        return ClaimsUnderChoice(choice, tuple(row for row in rows.values() if row is not None))

    def _answer_unasked_questions_as_usual(self, questions: Iterable[Question]) -> None:
        """Ask those of the questions that were not asked yet without the choice."""
        for question in questions:
            if question.id not in self.usual:
                self.games.setdefault(
                    get_options_and_rulings_key(question), self.run.get_or_build_case_of_question(question).game
                )
                said = f"{len(self.usual) + 1} of {len(self.questions)} as usual"
                self.usual[question.id] = self._find_conclusion_or_late_within_limits(
                    question, said, question.budget or self.work
                )

    def _answer_under_choice_and_store(self, question: Question, choice: NonDefaultChoice) -> ClaimUnderChoice:
        """Return what a question is under a choice, and keep it for later runs."""
        row = self._answer_under_choice_trying_usual_evidence(question, choice)
        if LATE not in (row.reason, row.usual.reason):
            self.store.store_result_under_key(self._build_storage_key_under_choice(question, choice), row.as_json())
        return row

    def _load_stored_or_refused_answer_or_none(
        self, question: Question, choice: NonDefaultChoice
    ) -> ClaimUnderChoice | None:
        """Return a question under a choice as an earlier run kept it, or that the choice does not fit the others; else
        None."""
        try:
            key = self._build_storage_key_under_choice(question, choice)
        except Exception as error:  # rules may refuse choices together in any way
            reason = make_unknown_conclusion_from_error(error).reason
            return ClaimUnderChoice(question, self.usual.get(question.id, _OPEN), None, False, ASKED, reason)
        return (
            ClaimUnderChoice.from_json_row_or_none(question, self.store.read_stored_result_or_none(key))
            if self.remember
            else None
        )

    def _build_storage_key_under_choice(self, question: Question, choice: NonDefaultChoice) -> str:
        """Return all that decides what is said of a question under a choice."""
        rests_on = [
            self._get_premises_cached(question, each)
            for each in (question, choice.copy_question_under_choice(question))
        ]
        work = float(self._compute_work_limit_under_choice(question))
        return self.store.make_key_with_premises(
            premises.question_to_list_of_all_it_says(question), choice.text, rests_on, work
        )

    def _compute_work_limit_under_choice(self, question: Question) -> float:
        """Return the most work for a question under a choice."""
        return self.work * (1 + self.resting[question.id])

    def _get_premises_cached(self, question: Question, question_in_setting: Question) -> str:
        """Return what the answer to a question rests on in the setting of another one."""
        key = question.id, get_options_and_rulings_key(question_in_setting)
        if key not in self.premises:
            game = self.run.get_or_build_case_of_question(question_in_setting).game
            text = premises.read_meaning_of_game(game).build_key_of_answer_premises(question)
            self.premises[key] = sha256(text.encode()).hexdigest()
        return self.premises[key]

    @property
    def _cpu_seconds_left(self) -> float:
        return float("inf") if self.end is None else max(0.0, self.end - measure_cpu_seconds())

    def _find_conclusion_or_late_within_limits(
        self, question: Question, progress_message: str, work_limit: float
    ) -> Conclusion:
        # a run that is stopped, or one beside it, need not ask them again
        try_to_store_new_step_digests(self.run.context.steps)
        if not self._cpu_seconds_left:
            return Conclusion(None, "", (), LATE)
        limit = min(work_limit, self._cpu_seconds_left * _SHARE_OF_TIME)
        budget = Budget(limit, progress=self.progress)
        budget.report_progress_line(progress_message)
        found = self.run.find_certified_conclusion(question, self.claims, budget)
        if budget.stopped:  # by the keyboard: what was said of other claims is kept
            raise KeyboardInterrupt
        return found if found.known or limit == work_limit else replace(found, reason=LATE)

    def _answer_under_choice_trying_usual_evidence(
        self, question: Question, choice: NonDefaultChoice
    ) -> ClaimUnderChoice:
        """Return what a question is under a choice. The usual evidence is offered first."""
        usual, other, run = self.usual[question.id], choice.copy_question_under_choice(question), self.run
        if self._get_premises_cached(question, question) == self._get_premises_cached(question, other):
            value = usual.value if usual.known else None
            return ClaimUnderChoice(question, usual, value, usual.vacuous, SAME_RULES, usual.reason)
        with run.offer_evidence_of_other_setting(
            other, usual.settings, self.games[get_options_and_rulings_key(question)]
        ):
            again = self._find_conclusion_or_late_within_limits(
                other, f"{question.id} under {choice.text}", self._compute_work_limit_under_choice(question)
            )
        how = SAME_EVIDENCE if again.method.startswith(CARRIED) else ASKED
        value, reason = again.value if again.known else None, again.reason
        if again.known and not set(again.assumed) <= set(usual.assumed):
            reason = f"if {describe_properties_assumed_not_shown(again.assumed)}"
        return ClaimUnderChoice(question, usual, value, again.vacuous, how, reason)


def _iter_question_batches_of_one_setting(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    """Yield the questions some at a time: those of the first setting a few together, and of any other all. A run
    holds the first game and one more, so going to and fro between others would make each again."""
    first = get_options_and_rulings_key(questions[0]) if questions else ""
    for key, group in groupby(questions, get_options_and_rulings_key):
        some = list(group)
        size = _AT_ONCE if key == first else len(some)
        yield from (some[at : at + size] for at in range(0, len(some), size))


def _list_conditional_property_claims_to_reask(answered_claims: Sequence[ClaimUnderChoice | None]) -> list[Question]:
    """Return those of the questions about bounds and the end of automatic phases that are known on a condition which
    another of them has shown since: the first is asked when nothing is known of the others."""
    first = [
        row
        for row in answered_claims
        if row and not row.open and get_rules_property_asked_by_always_or_empty(row.question) in _UNDER_ALL
    ]
    firm = {get_options_and_rulings_key(row.question) for row in first if not row.reason}
    return [row.question for row in first if row.reason and get_options_and_rulings_key(row.question) in firm]


def _count_questions_resting_on_each(questions: Sequence[Question]) -> Counter[str]:
    """Return how many of the questions rest on each: those to which it is given; on bounds and the end of automatic
    phases all others of the setting."""
    resting = Counter(given.id for question in questions for given in list_given_claims_then_question(question)[:-1])
    settings = Counter(map(get_options_and_rulings_key, questions))
    for question in questions:
        if get_rules_property_asked_by_always_or_empty(question) in _UNDER_ALL:
            resting[question.id] = settings[get_options_and_rulings_key(question)] - 1
    return resting


# -- dependence ----------------------------------------------------------------------------------------------
# What an option or ruling changes: each claim under it, beside what the claim is as usual.

SAME_RULES, SAME_EVIDENCE, ASKED = "the same rules", "the same evidence holds", "asked again"
LATE = "no time was left for it"
"""The reason of claims that were not looked at to the end."""
_DEEP = "    "


@dataclass(frozen=True)
class NonDefaultChoice:
    """One option or ruling, and a value that is not its default."""

    name: str
    value: str
    ruling: bool

    @property
    def text(self) -> str:
        """Return the choice as people write it."""
        return f"{self.name}={self.value}"

    def copy_question_under_choice(self, question: Question) -> Question:
        """Return a question under this choice."""
        if self.ruling:
            return replace(question, rulings={**question.rulings, self.name: self.value})
        return replace(question, values={**question.values, self.name: self.value})


@dataclass(frozen=True)
class ClaimUnderChoice:
    """A claim under one choice: `usual` is what it is without it; its value there (None: open, and `reason` says why;
    else `reason` says on which condition it is known, if on any), `how` that was found, and whether by an `earlier`
    run."""

    question: Question
    usual: Conclusion
    value: Any
    vacuous: bool
    how: str
    reason: str = ""
    earlier: bool = field(default=False, compare=False)

    @property
    def differs(self) -> bool:
        """Whether the claim has another value than usual, as far as both are known."""
        both_known = self.usual.known and self.value is not None
        return self.vacuous != self.usual.vacuous or (both_known and self.value != self.usual.value)

    @property
    def open(self) -> bool:
        """Whether nothing is known of the claim under the choice."""
        return self.value is None and not self.vacuous

    def format_difference_line(self) -> str:
        """Return how the claim differs, or why it is open, as a line."""
        if self.open:
            return f"  {self.question.id:<28} open: {self.reason}"
        usual, value = self.values
        return f"  {self.question.id:<28} {usual} becomes {value}{self._condition}"

    @property
    def values(self) -> tuple[str, str]:
        """Return what the claim is as usual, and under the choice, as people read it."""
        usual = "empty" if self.usual.vacuous else format_value_for_people(self.usual.value)
        return usual, "empty" if self.vacuous else format_value_for_people(self.value)

    @property
    def _condition(self) -> str:
        return f", {self.reason}" if self.reason and not self.open else ""

    @property
    def method_with_condition(self) -> str:
        """Return how the claim was found, with the condition on which it is known."""
        return self.how + self._condition

    def as_json(self) -> dict[str, Any]:
        """Return the claim under the choice as JSON data."""
        return {
            "id": self.question.id,
            "usual": self.usual.value,
            "usually_vacuous": self.usual.vacuous,
            "value": self.value,
            "vacuous": self.vacuous,
            "differs": self.differs,
            "how": self.how,
            "reason": self.reason,
            "earlier": self.earlier,
        }

    @classmethod
    def from_json_row_or_none(cls, question: Question, json_row: Any) -> ClaimUnderChoice | None:
        """Return a claim under a choice as an earlier run answered it; None if there is no such row."""
        try:
            usual = Conclusion(json_row["usual"], "", (), vacuous=json_row["usually_vacuous"])
            return cls(
                question,
                usual,
                json_row["value"],
                json_row["vacuous"],
                json_row["how"],
                json_row["reason"],
                earlier=True,
            )
        except (KeyError, TypeError):
            return None


@dataclass(frozen=True)
class ClaimsUnderChoice:
    """A choice, and each claim under it."""

    choice: NonDefaultChoice
    claims: tuple[ClaimUnderChoice, ...]

    @property
    def changed(self) -> list[ClaimUnderChoice]:
        """Return the claims that have another value under the choice."""
        return [under for under in self.claims if under.differs]

    @property
    def open(self) -> list[ClaimUnderChoice]:
        """Return the claims of which nothing is known under it."""
        return [under for under in self.claims if under.open]

    def format_differences_as_lines(self) -> str:
        """Return the choice as lines: each claim that differs, each that is open (several with one reason together),
        and how many are the same."""
        reasons = defaultdict[str, list[ClaimUnderChoice]](list)
        for under in self.open:
            reasons[under.reason].append(under)
        late = len(reasons.pop(LATE, []))
        lines = [self.choice.text, *(under.format_difference_line() for under in self.changed)]
        for reason, some in reasons.items():
            lines += (
                [some[0].format_difference_line()] if len(some) == 1 else _format_lines_of_open_claims(reason, some)
            )
        ways = Counter(under.method_with_condition for under in self.claims if not under.differs and not under.open)
        if ways:
            how = "; ".join(f"{count} {way}" for way, count in ways.items())
            lines.append(f"  the same for {_format_claim_count(ways.total())}: {how}")
        if late:
            lines.append(f"  no time was left for {_format_claim_count(late)}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return the choice with its claims as JSON data."""
        return {"choice": self.choice.text, "claims": [under.as_json() for under in self.claims]}


def _format_lines_of_open_claims(reason: str, open_claims: Sequence[ClaimUnderChoice]) -> list[str]:
    names = ", ".join(under.question.id for under in open_claims)
    return [
        f"  {_format_claim_count(len(open_claims))} open: {reason}",
        *wrap(names, 100, initial_indent=_DEEP, subsequent_indent=_DEEP, break_on_hyphens=False),
    ]


def _format_claim_count(count: int) -> str:
    return "1 claim" if count == 1 else f"{count} claims"


# -- dependence table ----------------------------------------------------------------------------------------
# What each choice changes, as one table: a row for each choice, with the claims that have another value
# there.


def build_table_of_choices(claims_by_choice: Sequence[ClaimsUnderChoice]) -> Table:
    """Return choices as one table. A claim that becomes "no" stands by its name alone, any other with its two values.
    `same if` counts the claims that are the same on a condition which was not shown."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("choice", no_wrap=True)
    for heading in ("same", "same if", "open"):
        table.add_column(heading, justify="right")
    table.add_column("becomes no, or as it says")
    for row in claims_by_choice:
        same = [under for under in row.claims if not under.differs and not under.open]
        leaning = sum(bool(under.reason) for under in same)
        counts = (len(same) - leaning, leaning, len(row.open))
        changes = ", ".join(map(_format_claim_with_changed_value, row.changed))
        table.add_row(escape(row.choice.text), *(str(count or "-") for count in counts), escape(changes) or "-")
    return table


def _format_claim_with_changed_value(claim_under_choice: ClaimUnderChoice) -> str:
    usual, value = claim_under_choice.values
    name = claim_under_choice.question.id
    return name if (usual, value) == ("yes", "no") else f"{name} ({usual} becomes {value})"
