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

import numpy as np
import numpy.typing as npt

from playproof.database.errors import InputError
from playproof.language import Interpreter, RulesError
from playproof.language.explorer import evaluate_term
from playproof.language.game import Game
from playproof.mutation.mutant_games import PlayedGame, SmallStepTable, iter_games
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import (
    build_extreme_event,
    build_forbidden_event,
    decide_question,
    get_asked_property,
)
from playproof.verifier.kernel.evidence import check_certificate
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    Law as Claimed,
    Length,
    Property,
)
from playproof.verifier.kernel.strict import Unreadable, to_json
from playproof.verifier.kernel.tally import Tally, digest_cards
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.proof import counting
from playproof.verifier.prove import VerifierRun
from playproof.verifier.questions.claims import Question, Target, TargetReader
from playproof.verifier.questions.laws import Law, read_step_law
from playproof.verifier.questions.ledger import (
    evaluate_ledger_claim,
    expand_law_family,
    format_breaking_rows,
    is_law_family,
)
from playproof.verifier.questions.secrecy import read_secret
from playproof.verifier.questions.verdicts import Verdict, decide_verdict
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
                for member in _expand_claim_family(self.case.game, question):
                    watched = _make_watched_claim(self.case.game, member)
                    if watched is not None:
                        self.watched.append(watched)
            except InputError as error:  # a claim names something that no longer exists
                self.failed = self.failed or Detection(
                    question.id, f"cannot be read: {error.findings[0].message}"
                )
                continue

    # -- cheapest first -------------------------------------------------------------------------------------

    def detect_by_examples(self) -> Detection | None:
        """Replay the worked examples."""
        for question in self.questions:
            if question.ask == "example":
                answer = counting.answer_worked_example_claim(self.case, question, Budget(60.0))
                if answer.value is False and self._is_claim_refuted(question, answer.offers[0][0]):
                    return Detection(question.id, f"refused after {answer.bound['actions that fit']} actions")
        return None

    def detect_by_card_counts(self) -> Detection | None:
        """Count the cards from which the changed game was built."""
        for question in self.questions:
            if question.ask == "ledger":
                noticed = check_card_claim(self.case.game, question, self.case.context)
                if noticed is not None:
                    return noticed
        return None

    def detect_by_playing(self, lines: Sequence[Sequence[int]], steps: int, seed: int) -> Detection | None:
        """Play games along known lines and at random, `steps` steps in all, and check the claims on
        them."""
        batch, states, played, endless = list[PlayedGame](), 0, 0, 0
        for game in iter_games(self.case, lines, steps, seed):
            played += len(game.idents)
            noticed = self._check_game_end(game)
            if noticed is not None:
                return Detection(noticed.by, noticed.how, played)
            endless += game.endless
            if endless == _ENDLESS_GAMES:  # each takes long, and the claims have been checked on one
                break
            batch.append(game)
            states += len(game.rests)
            if states >= BATCH:
                noticed = self._check_states_and_decisions(batch)
                if noticed is not None:
                    return Detection(noticed.by, noticed.how, played)
                batch, states = [], 0
        noticed = self._check_states_and_decisions(batch) if batch else None
        return None if noticed is None else Detection(noticed.by, noticed.how, played)

    def detect_by_exhaustive_search(self, seconds: float, states: int) -> Detection | None:
        """Check the claims that something can happen, if there are few states in all."""
        questions = [q for q in self.questions if q.ask in ("reach", "dead", "minimum", "maximum", "luck")]
        if not questions or self.case.explore_if_small(Budget(seconds, states)) is None:
            return None
        run, budget = VerifierRun(self.case.ref), Budget(seconds, states, 2_000)  # for all of them together
        for question in questions:
            if budget.left <= 0:
                break
            run.set_case_for_question(question, self.case)
            answer = run.find_conclusion(question, {}, Budget(budget.left, states, 2_000))
            if decide_verdict(answer, question.expect) in (Verdict.REFUTED, Verdict.VACUOUS):
                return Detection(question.id, f"all states searched: {answer.value}")
        return None

    # -- one game -------------------------------------------------------------------------------------------

    def _check_game_end(self, game: PlayedGame) -> Detection | None:
        """Return the claim that the end of a game breaks, if any."""
        if game.left not in ("broken", "stuck", "circles"):
            return None
        idents = tuple(game.idents)
        words = tuple(self.case.game.show(i) for i in idents)
        for question in self.questions:
            name = get_asked_property(question)
            about: Property | Length
            if game.left == "broken" and name == BOUNDS:
                about, how = Property(PHASES_END if game.endless else BOUNDS), game.message[:100]
            elif game.left == "stuck" and name == NO_DEAD_END:
                about, how = Property(NO_DEAD_END), "nobody can act"
            elif game.left == "circles" and isinstance(question.of, Mapping) and "ends" in question.of:
                about, how = Length(len(idents) - 1), "a game is longer"
            else:
                continue
            if self._is_claim_refuted(question, Transcript(about, idents, words)):
                return Detection(question.id, how)
        return None

    def _check_states_and_decisions(self, batch: Sequence[PlayedGame]) -> Detection | None:
        """Return the first claim that some state or decision of the games breaks."""
        cells = np.concatenate([g.states for g in batch], axis=1)
        moves, legal, starts = _join_games(batch)
        noticed = self._check_laws(batch)
        if noticed is not None:
            return noticed
        for claim in self.watched:
            if not claim.is_about_states:  # `_check_laws` has checked it
                continue
            for column in _find_states_breaking_claim(self.case.game, claim, cells, moves, legal)[:3]:
                game, position = _game_and_position_of_column(starts, int(column))
                certificate = self._build_counterexample(
                    claim, batch[game].idents, position, cells[:, column]
                )
                if self._is_claim_refuted(claim.question, certificate):
                    return Detection(claim.question.id, _describe_violation(claim), 0)
        return None

    def _check_laws(self, batch: Sequence[PlayedGame]) -> Detection | None:
        """Return the first law that a decision breaks, or an automatic phase."""
        laws = [
            (claim.question, claim.law) for claim in self.watched if claim.law and claim.is_about_decisions
        ]
        steps = SmallStepTable(self.case.game, batch)
        for question, rule in laws:
            for line in steps.find_lines_breaking_law(rule)[:_ALIKE]:
                words = tuple(self.case.game.show(i) for i in line)
                if self._is_claim_refuted(
                    question, Transcript(Claimed(to_json(question.of)), tuple(line), words)
                ):
                    return Detection(question.id, "a step breaks it")
        return None

    def _build_counterexample(
        self, claim: WatchedClaim, idents: list[int], position: int, state: npt.NDArray[np.int64]
    ) -> Certificate:
        """Return the certificate that the claim is broken after `position` actions, or by the next
        one."""
        question = claim.question
        of_an_action = claim.target is not None and claim.target.idents
        length = position + 1 if of_an_action else position
        line = tuple(idents[:length])
        words = tuple(self.case.game.show(i) for i in line)
        if claim.law is not None:
            return Transcript(Claimed(to_json(question.of)), line, words)
        if question.ask in ("minimum", "maximum"):
            value = Interpreter(self.case.game).value(claim.number, state.tolist())  # type: ignore[arg-type]
            return Transcript(build_extreme_event(question, "==", value), line, words)
        return Transcript(build_forbidden_event(question), line, words)

    def _is_claim_refuted(self, question: Question, certificate: Certificate) -> bool:
        """Return whether the kernel accepts the certificate and the claim then differs from what is
        expected."""
        game, context = self.case.game, self.case.context
        try:
            statement = check_certificate(certificate, game, context)
            if question.ask in ("minimum", "maximum"):
                return isinstance(statement.about, Event) and statement.so
            decision = decide_question(game, question, [statement], context)
        except (NotShown, Unreadable, InputError, RulesError):
            return False
        return decision.known and decide_verdict(decision, question.expect) is Verdict.REFUTED


def check_card_claim(game: Game, question: Question, context: Context) -> Detection | None:
    """Return what a claim about the cards notices: the kernel counts other cards than it expects."""
    try:
        result = evaluate_ledger_claim(tuple(game.cards.components.values()), question.of, question.where)
        tally = Tally(
            to_json(question.of), digest_cards(game, context), to_json(result.value), result.members
        )
        decision = decide_question(game, question, [check_certificate(tally, game, context)], context)
    except InputError as error:
        return Detection(question.id, f"cannot be read: {error.findings[0].message}")
    if decide_verdict(decision, question.expect) in (Verdict.REFUTED, Verdict.VACUOUS):
        return Detection(question.id, f"the cards: {format_breaking_rows(result.breakers) or result.value}")
    return None


def _expand_claim_family(game: Game, question: Question) -> list[Question]:
    """Return a claim, or each law of a claim about a family of them."""
    if question.ask != "step" or not is_law_family(question.of):
        return [question]
    return [replace(question, of=spec) for _, spec in expand_law_family(game, question.of, question.where)]


def _make_watched_claim(game: Game, question: Question) -> WatchedClaim | None:
    """Return what games can break of a claim, or None if games alone cannot break it. Raises
    InputError if the claim names something that the game no longer has."""
    if question.ask == "step":
        return WatchedClaim(question, law=read_step_law(game, question.of, question.where))
    reader = TargetReader(game, question.where)
    if question.ask in ("always", "never") and not get_asked_property(question):
        if isinstance(question.of, Mapping) and "ends" in question.of:
            return None
        event = build_forbidden_event(question)
        return WatchedClaim(question, reader.read_single_target(event.of, event.within))
    if question.ask in ("minimum", "maximum") and isinstance(question.expect, int):
        when = question.of.get("when", {"holds": "1 == 1"})
        return WatchedClaim(
            question,
            reader.read_single_target(when, question.within),
            number=reader.number_to_term(str(question.of["number"])),
        )
    if question.ask == "secret":
        read_secret(game, question.of, question.where)  # raises InputError if all see it now
    if question.ask in ("reach", "dead"):
        reader.read_targets(question.of, question.within)  # raises InputError if a name is gone
    return None


def _find_states_breaking_claim(
    game: Game,
    claim: WatchedClaim,
    cells: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int64],
    legal: Sequence[frozenset[int] | None],
) -> npt.NDArray[np.int64]:
    """Return the columns of states that break a claim, or from which a decision breaks it."""
    if claim.law is not None:
        barred = (
            _find_states_refusing_action
            if claim.law.legal is not None
            else _find_states_without_required_action
        )
        return barred(game, claim.law, cells, legal)
    assert claim.target is not None
    holds = evaluate_term(claim.target.condition, cells) != 0
    if claim.target.idents is not None:
        holds &= np.isin(moves, np.fromiter(claim.target.idents, dtype=np.int64))
    if claim.number is not None:
        value = evaluate_term(claim.number, cells)  # type: ignore[arg-type]
        expect = int(claim.question.expect)
        holds &= value < expect if claim.question.ask == "minimum" else value > expect
    return np.flatnonzero(holds)


def _find_states_without_required_action(
    game: Game, rule: Law, cells: npt.NDArray[np.int64], legal: Sequence[frozenset[int] | None]
) -> npt.NDArray[np.int64]:
    """Return columns in which the law wants a decision to be legal and none is."""
    fitting = np.flatnonzero((evaluate_term(rule.when, cells) != 0) & (cells[1] == 0))
    wanted = rule.possible or frozenset()
    refusing = [n for n in map(int, fitting) if (allowed := legal[n]) is not None and not wanted & allowed]
    return np.array(refusing, dtype=np.int64)


def _find_states_refusing_action(
    game: Game, rule: Law, cells: npt.NDArray[np.int64], legal: Sequence[frozenset[int] | None]
) -> npt.NDArray[np.int64]:
    """Return columns in which a decision is not legal although the law's condition for it holds."""
    assert rule.legal is not None
    refusing = set[int]()
    for ident in sorted(rule.idents):
        action = game.get_action_of_ident(ident)
        somewhere = np.flatnonzero(np.isin(cells[0], action.phases) & (cells[1] == 0))
        shut = np.array(
            [n for n in map(int, somewhere) if ident not in (legal[n] or (ident,))], dtype=np.int64
        )
        if shut.size:
            here = cells[:, shut]
            values = zip(action.params, action.get_parameter_values(ident), strict=True)
            env = {p.local.number: np.full(shut.size, value) for p, value in values}
            wanted = (evaluate_term(rule.when, here, env) != 0) & (evaluate_term(rule.legal, here, env) != 0)
            refusing |= set(map(int, shut[wanted]))
    return np.array(sorted(refusing), dtype=np.int64)


def _join_games(
    batch: Iterable[PlayedGame],
) -> tuple[npt.NDArray[np.int64], list[frozenset[int] | None], list[int]]:
    """Return for each column the decision that leaves it (-1: none) and what is legal there (None: not known),
    and the column at which each game starts."""
    moves, legal, starts = list[int](), list[frozenset[int] | None](), list[int]()
    for game in batch:
        width = len(game.rests)
        starts.append(len(moves))
        moves += [*game.idents[: width - 1], -1]
        legal += [*game.legal, *[None] * (width - len(game.legal))]
    return np.array(moves, dtype=np.int64), legal, starts


def _game_and_position_of_column(starts: Sequence[int], column: int) -> tuple[int, int]:
    game = max(n for n, start in enumerate(starts) if start <= column)
    return game, column - starts[game]


def _describe_violation(claim: WatchedClaim) -> str:
    return "a decision breaks it" if claim.law is not None else "a game comes to it"
