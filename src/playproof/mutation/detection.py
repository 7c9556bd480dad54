"""Which claim notices a changed game. The cheapest claims are asked first, and only what the kernel
accepts counts.

A claim notices a mutant if the kernel shows that its answer differs from the expected one: a line
of play breaks an `always` or a law of steps, the rules refuse a worked example, a minimum is
smaller, or an exhaustive search does not reach what must be reached. An unknown answer does not
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.database.errors import InputError
from playproof.language import Interpreter, RulesError
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.game import Game
from playproof.mutation.mutant_games import PlayedGame, SmallStepTable, iter_games_along_lines_and_random
from playproof.verifier.kernel.card_tally import CardTallyCertificate, digest_game_cards_cached_or_empty
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import (
    build_event_of_number_compared_with_value,
    build_event_that_must_not_happen,
    decide_question_from_theorems,
    get_rules_property_asked_by_always_or_empty,
)
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.laws import Law
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    LawObeyed as Claimed,
    LengthLimit,
    Property,
)
from playproof.verifier.kernel.strict_json import Unreadable, to_plain_json_data
from playproof.verifier.kernel.transcript import TranscriptCertificate
from playproof.verifier.proof import counting
from playproof.verifier.prove import VerifierRun
from playproof.verifier.questions.claims import Question, is_family_of_laws
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise, list_names_and_specs_of_laws
from playproof.verifier.questions.secrecy import secret_spec_to_secret
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import (
    Verdict,
    decide_verdict_from_value_and_expectation,
    format_first_breaking_rows,
)
from playproof.verifier.search.case import Budget, GivenGameCase

BATCH = 1_200
"""The number of states that are checked against the claims at once."""


_ENDLESS_GAMES = 2
_ALIKE = 4  # steps of one batch that break a law and are shown to the kernel


@dataclass(frozen=True)
class Detection:
    """The claim (or code of lint) that noticed a mutant, how, and after how many steps of play."""

    by: str
    how: str
    steps: int = 0


@dataclass
class WatchedClaim:
    """A claim in the form of conditions that a game may break."""

    question: Question
    target: Target | None = None
    law: Law | None = None
    number: object = None  # a minimum's or maximum's quantity, as a term

    @property
    def is_about_decisions(self) -> bool:
        """Whether the claim is a law that each decision must keep."""
        return self.law is not None and self.law.possible is None

    @property
    def is_about_states(self) -> bool:
        """Whether a state may break the claim, and not only a decision: the claim is no law, or it wants
        decisions to be legal."""
        return self.law is None or self.law.possible is not None or self.law.legal is not None


@dataclass
class MutantChecker:
    """Checks one changed game against the claims of one setting."""

    case: GivenGameCase
    questions: Sequence[Question]
    watched: list[WatchedClaim] = field(default_factory=list)
    failed: Detection | None = None

    def __post_init__(self) -> None:
        for question in self.questions:
            try:
                for member in _list_laws_of_family_or_claim(self.case.game, question):
                    watched = _build_watched_claim_or_none(self.case.game, member)
                    if watched is not None:
                        self.watched.append(watched)
            except InputError as error:  # a claim names something that no longer exists
                self.failed = self.failed or Detection(question.id, f"cannot be read: {error.findings[0].message}")
                continue

    # -- cheapest first -------------------------------------------------------------------------------------

    def detect_by_replaying_examples_or_none(self) -> Detection | None:
        """Replay the worked examples."""
        for question in self.questions:
            if question.ask == "example":
                answer = counting.answer_worked_example_claim(self.case, question, Budget(60.0))
                if answer.value is False and self._does_kernel_refute_claim(question, answer.offers[0][0]):
                    return Detection(question.id, f"refused after {answer.bound['actions that fit']} actions")
        return None

    def detect_by_claims_about_cards_or_none(self) -> Detection | None:
        """Count the cards from which the changed game was built."""
        for question in self.questions:
            if question.ask == "ledger":
                noticed = detect_by_kernel_card_count_or_none(self.case.game, question, self.case.context)
                if noticed is not None:
                    return noticed
        return None

    def detect_by_lines_or_random_games_or_none(
        self, lines: Sequence[Sequence[int]], step_limit: int, seed: int
    ) -> Detection | None:
        """Play games along known lines and at random, `step_limit` steps in all, and check the claims on
        them."""
        batch, states, played, endless = list[PlayedGame](), 0, 0, 0
        for game in iter_games_along_lines_and_random(self.case, lines, step_limit, seed):
            played += len(game.idents)
            noticed = self._find_claim_broken_by_game_end_or_none(game)
            if noticed is not None:
                return Detection(noticed.by, noticed.how, played)
            endless += game.endless
            if endless == _ENDLESS_GAMES:  # each takes long, and the claims have been checked on one
                break
            batch.append(game)
            states += len(game.rests)
            if states >= BATCH:
                noticed = self._find_claim_broken_by_rows_or_none(batch)
                if noticed is not None:
                    return Detection(noticed.by, noticed.how, played)
                batch, states = [], 0
        noticed = self._find_claim_broken_by_rows_or_none(batch) if batch else None
        return None if noticed is None else Detection(noticed.by, noticed.how, played)

    def detect_by_exhaustive_search_or_none(self, seconds: float, state_limit: int) -> Detection | None:
        """Check the claims that something can happen, if there are few states in all."""
        questions = [q for q in self.questions if q.ask in ("reach", "dead", "minimum", "maximum", "luck")]
        if not questions or self.case.explore_all_states_or_none_if_many(Budget(seconds, state_limit)) is None:
            return None
        run, budget = (VerifierRun(self.case.ref), Budget(seconds, state_limit, 2_000))  # for all of them together
        for question in questions:
            if budget.left <= 0:
                break
            run.set_case_to_answer_question_with(question, self.case)
            answer = run.find_certified_conclusion(question, {}, Budget(budget.left, state_limit, 2_000))
            if decide_verdict_from_value_and_expectation(answer, question.expect) in (Verdict.REFUTED, Verdict.VACUOUS):
                return Detection(question.id, f"all states searched: {answer.value}")
        return None

    # -- one game -------------------------------------------------------------------------------------------

    def _find_claim_broken_by_game_end_or_none(self, game: PlayedGame) -> Detection | None:
        """Return the claim that the end of a game breaks, if any."""
        if game.left not in ("broken", "stuck", "circles"):
            return None
        idents = tuple(game.idents)
        words = tuple(self.case.game.show(i) for i in idents)
        for question in self.questions:
            name = get_rules_property_asked_by_always_or_empty(question)
            about: Property | LengthLimit
            if game.left == "broken" and name == BOUNDS:
                about, how = Property(PHASES_END if game.endless else BOUNDS), game.message[:100]
            elif game.left == "stuck" and name == NO_DEAD_END:
                about, how = Property(NO_DEAD_END), "nobody can act"
            elif game.left == "circles" and isinstance(question.of, Mapping) and "ends" in question.of:
                about, how = LengthLimit(len(idents) - 1), "a game is longer"
            else:
                continue
            if self._does_kernel_refute_claim(question, TranscriptCertificate(about, idents, words)):
                return Detection(question.id, how)
        return None

    def _find_claim_broken_by_rows_or_none(self, played_games: Sequence[PlayedGame]) -> Detection | None:
        """Return the first claim that some state or decision of the games breaks."""
        cells = np.concatenate([g.states_at_decisions_and_end for g in played_games], axis=1)
        moves, legal, starts = _list_decisions_legal_actions_and_game_starts(played_games)
        noticed = self._find_law_broken_by_step_or_none(played_games)
        if noticed is not None:
            return noticed
        for claim in self.watched:
            if not claim.is_about_states:  # `_find_law_broken_by_step_or_none` has checked it
                continue
            for column in _find_columns_breaking_claim(self.case.game, claim, cells, moves, legal)[:3]:
                game, position = _get_game_and_position_of_column(starts, int(column))
                certificate = self._build_counterexample_certificate(
                    claim, played_games[game].idents, position, cells[:, column]
                )
                if self._does_kernel_refute_claim(claim.question, certificate):
                    return Detection(claim.question.id, _describe_how_claim_is_broken(claim), 0)
        return None

    def _find_law_broken_by_step_or_none(self, played_games: Sequence[PlayedGame]) -> Detection | None:
        """Return the first law that a decision breaks, or an automatic phase."""
        laws = [(claim.question, claim.law) for claim in self.watched if claim.law and claim.is_about_decisions]
        steps = SmallStepTable(self.case.game, played_games)
        for question, rule in laws:
            for line in steps.find_lines_whose_last_step_breaks_law(rule)[:_ALIKE]:
                words = tuple(self.case.game.show(i) for i in line)
                if self._does_kernel_refute_claim(
                    question, TranscriptCertificate(Claimed(to_plain_json_data(question.of)), tuple(line), words)
                ):
                    return Detection(question.id, "a step breaks it")
        return None

    def _build_counterexample_certificate(
        self, claim: WatchedClaim, actions: list[int], actions_before: int, state: npt.NDArray[np.int64]
    ) -> Certificate:
        """Return the certificate that the claim is broken after `actions_before` actions, or by the next
        one."""
        question = claim.question
        of_an_action = claim.target is not None and claim.target.idents
        length = actions_before + 1 if of_an_action else actions_before
        line = tuple(actions[:length])
        words = tuple(self.case.game.show(i) for i in line)
        if claim.law is not None:
            return TranscriptCertificate(Claimed(to_plain_json_data(question.of)), line, words)
        if question.ask in ("minimum", "maximum"):
            value = Interpreter(self.case.game).value(claim.number, state.tolist())  # type: ignore[arg-type]
            return TranscriptCertificate(build_event_of_number_compared_with_value(question, "==", value), line, words)
        return TranscriptCertificate(build_event_that_must_not_happen(question), line, words)

    def _does_kernel_refute_claim(self, question: Question, certificate: Certificate) -> bool:
        """Return whether the kernel accepts the certificate and the claim then differs from what is
        expected."""
        game, context = self.case.game, self.case.context
        try:
            statement = check_certificate_to_theorem(certificate, game, context)
            if question.ask in ("minimum", "maximum"):
                return isinstance(statement.about, Event) and statement.so
            decision = decide_question_from_theorems(game, question, [statement], context)
        except (NotShown, Unreadable, InputError, RulesError):
            return False
        return (
            decision.known and decide_verdict_from_value_and_expectation(decision, question.expect) is Verdict.REFUTED
        )


def detect_by_kernel_card_count_or_none(game: Game, question: Question, context: Context) -> Detection | None:
    """Return what a claim about the cards notices: the kernel counts other cards than it expects."""
    try:
        result = count_ledger_claim_on_cards_or_raise(
            tuple(game.cards.components.values()), question.of, question.where
        )
        tally = CardTallyCertificate(
            to_plain_json_data(question.of),
            digest_game_cards_cached_or_empty(game, context),
            to_plain_json_data(result.value),
            result.members,
        )
        decision = decide_question_from_theorems(
            game, question, [check_certificate_to_theorem(tally, game, context)], context
        )
    except InputError as error:
        return Detection(question.id, f"cannot be read: {error.findings[0].message}")
    if decide_verdict_from_value_and_expectation(decision, question.expect) in (Verdict.REFUTED, Verdict.VACUOUS):
        return Detection(question.id, f"the cards: {format_first_breaking_rows(result.breakers) or result.value}")
    return None


def _list_laws_of_family_or_claim(game: Game, question: Question) -> list[Question]:
    """Return a claim, or each law of a claim about a family of them."""
    if question.ask != "step" or not is_family_of_laws(question.of):
        return [question]
    return [replace(question, of=spec) for _, spec in list_names_and_specs_of_laws(game, question.of, question.where)]


def _build_watched_claim_or_none(game: Game, question: Question) -> WatchedClaim | None:
    """Return what games can break of a claim, or None if games alone cannot break it. Raises
    InputError if the claim names something that the game no longer has."""
    if question.ask == "step":
        return WatchedClaim(question, law=law_spec_to_law(game, question.of, question.where))
    reader = TargetReader(game, question.where)
    if question.ask in ("always", "never") and not get_rules_property_asked_by_always_or_empty(question):
        if isinstance(question.of, Mapping) and "ends" in question.of:
            return None
        event = build_event_that_must_not_happen(question)
        return WatchedClaim(question, reader.read_single_target_of_spec(event.of, event.within))
    if question.ask in ("minimum", "maximum") and isinstance(question.expect, int):
        when = question.of.get("when", {"holds": "1 == 1"})
        return WatchedClaim(
            question,
            reader.read_single_target_of_spec(when, question.within),
            number=reader.number_text_to_term(str(question.of["number"])),
        )
    if question.ask == "secret":
        secret_spec_to_secret(game, question.of, question.where)  # raises InputError if all see it now
    if question.ask in ("reach", "dead"):
        reader.read_targets_of_spec(question.of, question.within)  # raises InputError if a name is gone
    return None


def _find_columns_breaking_claim(
    game: Game,
    claim: WatchedClaim,
    state_columns: npt.NDArray[np.int64],
    decision_by_column: npt.NDArray[np.int64],
    legal_by_column: Sequence[frozenset[int] | None],
) -> npt.NDArray[np.int64]:
    """Return the columns of states that break a claim, or from which a decision breaks it."""
    if claim.law is not None:
        barred = (
            _find_columns_where_required_action_is_illegal
            if claim.law.legal is not None
            else _find_columns_where_no_required_action_is_legal
        )
        return barred(game, claim.law, state_columns, legal_by_column)
    assert claim.target is not None
    holds = evaluate_term_in_many_states(claim.target.condition, state_columns) != 0
    if claim.target.idents is not None:
        holds &= np.isin(decision_by_column, np.fromiter(claim.target.idents, dtype=np.int64))
    if claim.number is not None:
        value = evaluate_term_in_many_states(claim.number, state_columns)  # type: ignore[arg-type]
        expect = int(claim.question.expect)
        holds &= value < expect if claim.question.ask == "minimum" else value > expect
    return np.flatnonzero(holds)


def _find_columns_where_no_required_action_is_legal(
    game: Game, rule: Law, state_columns: npt.NDArray[np.int64], legal_by_column: Sequence[frozenset[int] | None]
) -> npt.NDArray[np.int64]:
    """Return columns in which the law wants a decision to be legal and none is."""
    fitting = np.flatnonzero((evaluate_term_in_many_states(rule.when, state_columns) != 0) & (state_columns[1] == 0))
    wanted = rule.possible or frozenset()
    refusing = [n for n in map(int, fitting) if (allowed := legal_by_column[n]) is not None and not wanted & allowed]
    return np.array(refusing, dtype=np.int64)


def _find_columns_where_required_action_is_illegal(
    game: Game, rule: Law, state_columns: npt.NDArray[np.int64], legal_by_column: Sequence[frozenset[int] | None]
) -> npt.NDArray[np.int64]:
    """Return columns in which a decision is not legal although the law's condition for it holds."""
    assert rule.legal is not None
    refusing = set[int]()
    for ident in sorted(rule.idents):
        action = game.get_action_of_ground_action_number(ident)
        somewhere = np.flatnonzero(np.isin(state_columns[0], action.phases) & (state_columns[1] == 0))
        shut = np.array(
            [n for n in map(int, somewhere) if ident not in (legal_by_column[n] or (ident,))], dtype=np.int64
        )
        if shut.size:
            here = state_columns[:, shut]
            values = zip(action.params, action.get_values_of_ground_action(ident), strict=True)
            env = {p.local.number: np.full(shut.size, value) for p, value in values}
            wanted = (evaluate_term_in_many_states(rule.when, here, env) != 0) & (
                evaluate_term_in_many_states(rule.legal, here, env) != 0
            )
            refusing |= set(map(int, shut[wanted]))
    return np.array(sorted(refusing), dtype=np.int64)


class _ColumnsOfGames(NamedTuple):
    """For each column of states the decision that leaves it (-1: none) and what is legal there (None: not known);
    and the column at which each game starts."""

    decisions: npt.NDArray[np.int64]
    legal: list[frozenset[int] | None]
    starts: list[int]


def _list_decisions_legal_actions_and_game_starts(played_games: Iterable[PlayedGame]) -> _ColumnsOfGames:
    moves, legal, starts = list[int](), list[frozenset[int] | None](), list[int]()
    for game in played_games:
        width = len(game.rests)
        starts.append(len(moves))
        moves += [*game.idents[: width - 1], -1]
        legal += [*game.legal, *[None] * (width - len(game.legal))]
    return _ColumnsOfGames(np.array(moves, dtype=np.int64), legal, starts)


def _get_game_and_position_of_column(first_columns: Sequence[int], column: int) -> tuple[int, int]:
    game = max(n for n, start in enumerate(first_columns) if start <= column)
    return game, column - first_columns[game]


def _describe_how_claim_is_broken(claim: WatchedClaim) -> str:
    return "a decision breaks it" if claim.law is not None else "a game comes to it"
