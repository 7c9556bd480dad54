"""A sample of mutants, each examined in its own process: in parallel, resumable, and the same for
the same seed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from playproof.database.worker_processes import ForkedCall, can_fork
from playproof.generator.build.file_jobs import hash_file_names_and_contents
from playproof.language import Interpreter, RulesError
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.mutation.changed_steps import WORK, does_z3_show_same_steps, find_law_only_change_breaks_or_none
from playproof.mutation.claim_settings import ClaimSetting
from playproof.mutation.detection import Detection, MutantChecker
from playproof.mutation.mutant_games import find_first_recordable_difference_or_none
from playproof.mutation.mutants import Mutant
from playproof.mutation.rewriting import TermSwaps
from playproof.verifier.answer_store import open_answer_store
from playproof.verifier.kernel.strict_json import to_canonical_json_text
from playproof.verifier.questions.premises import (
    digest_code_deciding_mutant_verdicts,
    question_to_list_of_all_it_says,
    read_meaning_of_game,
)
from playproof.verifier.search.case import GivenGameCase

_PATIENCE = 20
LATE, FAULT = "not decided in time", "PP720"
NOTICED, DOUBTED, RECORDED = "noticed", "doubted", "recorded"
EQUIVALENT, SURVIVED = "equivalent", "survived"
"""A belief or lint notices a mutant; a law that was shown is left open; recorded games alone notice it; it is the
same game; nothing notices it."""
VALUE = "value"
"""The kind of a change to a value of a card."""
_ALL_CLAIMS = ""
"""In place of a claim's id: all claims together."""


@dataclass(frozen=True)
class MutationLimits:
    """The limits for one mutant: `steps` of play in each setting, `states` and seconds (`search`) of a search,
    `doubt` for Z3's work on a law, `equivalence` for its work on whether a kind of step is the same, and `limit` in
    seconds of processor time. A process over its `limit` is ended, and its mutant counts as not noticed."""

    steps: int = 12_000
    states: int = 20_000
    search: float = 8.0
    equivalence: int = WORK
    doubt: int = WORK
    limit: float = 90.0


@dataclass(frozen=True)
class MutantOutcome:
    """The outcome of one mutant. `by` is the claim or lint code that noticed it. `of` names the changed game
    by what it is, "" if the mutant was left open. `earlier` is whether an earlier run found it."""

    key: str
    line: str
    kind: str
    said: str
    owner: str
    state: str
    by: str = ""
    how: str = ""
    of: str = ""
    earlier: bool = field(default=False, compare=False)

    def copy_with_state_and_detection(self, state: str, noticed: Detection | None = None) -> MutantOutcome:
        """Return the verdict with an outcome, and with what noticed the mutant."""
        by, how = (noticed.by, noticed.how[:160]) if noticed else ("", "")
        return replace(self, state=state, by=by, how=how)


StoredOutcomes = Callable[[str], MutantOutcome | None]
"""The outcome of a changed game in earlier runs, by its fingerprint."""


def sample_mutant_keys_by_family(
    settings: Sequence[ClaimSetting], sample_size_or_zero_for_all: int, seed: int
) -> list[str]:
    """Return the keys of `sample_size` mutants (0: all), one of each family before a second of any."""
    families: dict[str, list[str]] = {}
    for setting in settings:
        for key, mutant in setting.mutants.items():
            members = families.setdefault(mutant.family, [])
            if key not in members[-1:] and key not in members:
                members.append(key)
    dice = random.Random(seed)
    order = sorted(families)
    dice.shuffle(order)
    for members in families.values():
        dice.shuffle(members)
    deepest = max(map(len, families.values()), default=0)
    keys: list[str] = []
    for turn in range(deepest):
        keys += [families[name][turn] for name in order if turn < len(families[name])]
    return keys[:sample_size_or_zero_for_all] if sample_size_or_zero_for_all else keys


def get_mutant_by_key(settings: Sequence[ClaimSetting], key: str) -> Mutant:
    """Return a mutant as the first setting that has it describes it."""
    return next(setting.mutants[key] for setting in settings if key in setting.mutants)


def examine_mutant_editing_game_in_place(
    settings: Sequence[ClaimSetting], mutant_key: str, effort: MutationLimits, earlier: StoredOutcomes | None = None
) -> MutantOutcome:
    """Return the outcome of a mutant, or that of the same changed game from an `earlier` run. A changed start
    is written in place, so this runs in its own process."""
    mutant = get_mutant_by_key(settings, mutant_key)
    verdict = MutantOutcome(mutant_key, mutant.file_and_line, mutant.kind, mutant.said, mutant.owner, SURVIVED)
    try:
        # Each setting has its own description, so a mutant exchanges other parts in each.
        changed = [
            (s, _build_changed_game_or_none_if_same(s, s.mutants[mutant_key]))
            for s in settings
            if mutant_key in s.mutants
        ]
        games = [(setting, game) for setting, game in changed if game is not None]
        if not games:
            return verdict.copy_with_state_and_detection(EQUIVALENT)
        verdict = replace(verdict, of=hash_changed_game_of_all_settings(games))
        if earlier and (found := earlier(verdict.of)):
            return copy_outcome_of_earlier_run(verdict, found)
        verdict = detect_by_claims_then_recorded_games(verdict, games, effort, mutant.swaps)
    except RulesError as error:
        return verdict.copy_with_state_and_detection(NOTICED, Detection(error.code, f"lint: {error.message}"))
    if (
        verdict.state == SURVIVED
        and not mutant.changes_field_in_place
        and _does_z3_show_games_equivalent(games, effort)
    ):
        return verdict.copy_with_state_and_detection(EQUIVALENT)
    return verdict


def _build_changed_game_or_none_if_same(setting: ClaimSetting, mutant: Mutant) -> Game | None:
    """Return the changed game of a setting. Return None if the mutant is the same game: the simplified
    description is the same, or only a start changed and the first state in which somebody acts is the same.
    Raises RulesError."""
    before, first, _ = setting.digest, Interpreter(setting.game).start(), setting.meaning
    game = mutant.build_or_edit_changed_game_or_none(setting.game)
    if game is None or digest(game.seal()) == before:
        return None
    if mutant.start is not None and Interpreter(game).start() == first:
        return None
    return game


def hash_changed_game_of_all_settings(games: Iterable[tuple[ClaimSetting, Game]]) -> str:
    """Return one name for a changed game under all its settings: of what it is, and of no file."""
    return compute_sha256_of_canonical_json(
        [[s.digest, digest(game), list_laws_that_claims_have_for_cards(s, game)] for s, game in games]
    )


def list_laws_that_claims_have_for_cards(setting: ClaimSetting, game: Game | None = None) -> list[str]:
    """Return the laws that the claims of a setting have for rows of the cards: of those of a changed game, or as they
    are."""
    meaning = read_meaning_of_game(game) if game else setting.meaning
    return [
        meaning.format_card_data_of_claim_or_empty(question)
        for question in setting.questions
        if question.ask != "ledger"  # asked of the cards alone
    ]


def copy_outcome_of_earlier_run(verdict: MutantOutcome, earlier: MutantOutcome) -> MutantOutcome:
    """Return what an earlier run found of the same changed game, at the place where the change stands now."""
    return replace(
        verdict.copy_with_state_and_detection(earlier.state, Detection(earlier.by, earlier.how)), earlier=True
    )


def detect_by_claims_then_recorded_games(
    verdict: MutantOutcome,
    games: Sequence[tuple[ClaimSetting, Game]],
    effort: MutationLimits,
    swaps: TermSwaps | None = None,
) -> MutantOutcome:
    """Ask the beliefs, and the recorded games only of what no belief notices. `swaps` is what was exchanged in the
    rules. Raises RulesError."""
    askers = list[tuple[ClaimSetting, MutantChecker]]()
    for setting, game in games:
        case = GivenGameCase(setting.ref, game, setting.values, setting.rulings)
        touched = setting.meaning.list_claims_that_change_touches(setting.questions, read_meaning_of_game(game))
        asker = MutantChecker(case, touched)
        if asker.failed is not None:
            return verdict.copy_with_state_and_detection(NOTICED, asker.failed)
        askers.append((setting, asker))
    noticed = detect_by_plays_or_search(askers, effort)
    if noticed is not None:
        return verdict.copy_with_state_and_detection(NOTICED, noticed)
    for (setting, game), (_, asker) in zip(games, askers, strict=True):
        noticed = find_law_only_change_breaks_or_none(setting.game, game, asker.watched, effort.doubt, swaps)
        if noticed is not None:
            return verdict.copy_with_state_and_detection(DOUBTED, noticed)
    recorded = next(filter(None, (asker.detect_by_replaying_examples_or_none() for _, asker in askers)), None)
    return verdict if recorded is None else verdict.copy_with_state_and_detection(RECORDED, recorded)


def detect_by_plays_or_search(
    checkers: Sequence[tuple[ClaimSetting, MutantChecker]], effort: MutationLimits
) -> Detection | None:
    """Return what the claims that no worked example answers notice, cheapest first."""
    ways: list[Callable[[ClaimSetting, MutantChecker], Detection | None]] = [
        lambda s, a: a.detect_by_lines_or_random_games_or_none((), effort.steps // 8, 0),
        lambda s, a: a.detect_by_lines_or_random_games_or_none(
            [*s.example_lines, *(line.idents for line in s.random_games)], effort.steps, 1
        ),
        lambda s, a: (
            a.detect_by_exhaustive_search_or_none(effort.search, effort.states)
            if s.is_searchable_within_states(effort.states)
            else None
        ),
    ]
    for way in ways:
        for setting, asker in checkers:
            noticed = way(setting, asker)
            if noticed is not None:
                return noticed
    return None


def _does_z3_show_games_equivalent(games: Sequence[tuple[ClaimSetting, Game]], effort: MutationLimits) -> bool:
    """Return whether Z3 shows, in each setting, that every step from a state that the claims allow
    is unchanged. Z3 is not asked if some known game distinguishes the mutant."""
    for setting, game in games:
        case = GivenGameCase(setting.ref, game, setting.values, setting.rulings)
        if any(find_first_recordable_difference_or_none(setting.game, line, case) for line in setting.random_games):
            return False
    return all(
        does_z3_show_same_steps(setting.game, game, setting.invariant_conditions, effort.equivalence)
        for setting, game in games
    )


def compute_sha256_of_canonical_json(value: Any) -> str:
    return hashlib.sha256(to_canonical_json_text(value).encode()).hexdigest()


# -- many -------------------------------------------------------------------------------------------------------


class OutcomeStore:
    """The outcomes of this run as they come, and those of earlier runs, so that a stopped run can continue and a later
    one asks less.

    An outcome stands for the changed game that it names (`get_outcome_of_changed_game_or_none`), as long as the claims
    that it rests on are the same. Where the game and the places of its rules are the same too, or for a value the
    `files` that lint reads, its key is enough (`get_outcome_of_change_or_none`), and nothing has to be built. What
    nothing noticed is asked again if any claim is another."""

    def __init__(
        self,
        settings: Sequence[ClaimSetting],
        effort: MutationLimits,
        files: Sequence[Path] = (),
        rules: bool = True,
        remember: bool = True,
    ) -> None:
        self._store = open_answer_store("change", digest_code_deciding_mutant_verdicts(), asdict(effort))
        self._remember = remember
        claims = {
            q.id: compute_sha256_of_canonical_json(
                [question_to_list_of_all_it_says(q), s.meaning.format_card_data_of_claim_or_empty(q)]
            )
            for s in settings
            for q in s.questions
        }
        self._claims: dict[str, str | None] = {**claims, _ALL_CLAIMS: compute_sha256_of_canonical_json(claims)}
        games = [setting.digest for setting in settings]
        places = [list(setting.mutants) for setting in settings] if rules else []
        self._places = {
            False: compute_sha256_of_canonical_json([games, places]),
            True: compute_sha256_of_canonical_json([games, hash_file_names_and_contents(files)]),
        }
        self.outcomes: dict[str, MutantOutcome] = {}

    def get_outcome_of_change_or_none(self, change_key: str, change_kind: str = "") -> MutantOutcome | None:
        """Return the outcome of a change, if it was examined in this run, or in an earlier one at the same place."""
        if change_key not in self.outcomes:
            found = self._read_valid_earlier_outcome_or_none(self._build_store_key_of_place(change_key, change_kind))
            if found is not None:
                self.outcomes[change_key] = found
        return self.outcomes.get(change_key)

    def get_outcome_of_changed_game_or_none(self, game_fingerprint: str) -> MutantOutcome | None:
        """Return the outcome of a changed game, wherever it was changed."""
        return self._read_valid_earlier_outcome_or_none(self._store.make_key_with_premises("game", game_fingerprint))

    def _build_store_key_of_place(self, change_key: str, change_kind: str) -> str:
        return self._store.make_key_with_premises("place", self._places[change_kind == VALUE], change_key)

    def _read_valid_earlier_outcome_or_none(self, store_key: str) -> MutantOutcome | None:
        """Return an outcome of an earlier run that rests on no other claims than this game has."""
        data = self._store.read_stored_result_or_none(store_key) if self._remember else None
        try:
            if data is None or any(self._claims.get(i) != said for i, said in data["claims"].items()):
                return None
            return MutantOutcome(**data["outcome"], earlier=True)
        except (KeyError, TypeError, AttributeError):  # of a stopped process
            return None

    def _get_claim_hashes_outcome_rests_on(self, outcome: MutantOutcome) -> dict[str, str | None]:
        if outcome.state in (SURVIVED, RECORDED, DOUBTED):
            return {_ALL_CLAIMS: self._claims[_ALL_CLAIMS]}
        if outcome.state == EQUIVALENT:  # shown for states in which those claims hold
            return {ident: said for ident, said in self._claims.items() if ident != _ALL_CLAIMS}
        return {outcome.by: self._claims.get(outcome.by)}  # none for lint and `not played`

    def note_outcome_storing_unless_fault(self, outcome: MutantOutcome) -> None:
        """Store an outcome. What a fault left open is asked again by the next run."""
        self.outcomes[outcome.key] = outcome
        if FAULT in outcome.how:
            return
        values = {name: value for name, value in asdict(outcome).items() if name != "earlier"}
        data = {"outcome": values, "claims": self._get_claim_hashes_outcome_rests_on(outcome)}
        self._store.store_result_under_key(self._build_store_key_of_place(outcome.key, outcome.kind), data)
        if outcome.of:
            self._store.store_result_under_key(self._store.make_key_with_premises("game", outcome.of), data)

    def store_outcomes_and_report_progress(
        self,
        outcomes: Iterable[MutantOutcome],
        change_keys: Sequence[str],
        part: str,
        report: Callable[[str], None] | None,
    ) -> None:
        """Store outcomes as they come. `report` gets a line of text for each: how many of the `change_keys` are
        done."""
        for outcome in outcomes:
            self.note_outcome_storing_unless_fault(outcome)
            if report is not None:
                done = sum(key in self.outcomes for key in change_keys)
                report(f"{part}: {done} of {len(change_keys)} changes, the last one {outcome.state}")


def remove_claims_that_unchanged_game_breaks(settings: Sequence[ClaimSetting], effort: MutationLimits) -> list[str]:
    """Return the claims that the unchanged game breaks, asked as a changed game is, and remove them
    from the settings, since they cannot notice anything."""
    false: list[str] = []
    for setting in settings:
        while setting.questions:
            asker = MutantChecker(
                GivenGameCase(setting.ref, setting.game, setting.values, setting.rulings), setting.questions
            )
            noticed = (
                asker.failed
                or asker.detect_by_claims_about_cards_or_none()
                or detect_by_plays_or_search([(setting, asker)], effort)
                or asker.detect_by_replaying_examples_or_none()
            )
            if noticed is None:
                break
            setting.questions = [q for q in setting.questions if q.id != noticed.by]
            false.append(noticed.by)
    return false


def iter_child_results_as_they_finish(
    items: Iterable[str],
    work: Callable[[str], Any],
    workers: int,
    cpu_seconds: float,
    make_undecided: Callable[[str, str], Any],
) -> Iterator[Any]:
    """Yield the results of `work` on each item, from child processes, in the order in which they
    finish. `make_undecided` makes the result of an item that is left open, from the reason: it is not done in time, or
    an error ended its work. The other items are done.

    `cpu_seconds` is in seconds of processor time, so that the same items finish under other load. A child
    that only waits is ended after `_PATIENCE` times as long. On a system that cannot fork, this process does all
    items, without a limit.
    """
    if not can_fork():
        yield from map(work, items)
        return
    waiting, busy = list(items)[::-1], dict[Connection, tuple[ForkedCall[Any], str, float]]()
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                key = waiting.pop()
                call = ForkedCall(partial(work, key), cpu_seconds=cpu_seconds)
                busy[call.pipe] = call, key, monotonic() + _PATIENCE * cpu_seconds
            ready = wait(list(busy), timeout=1.0)
            overdue = [pipe for pipe, (_, _, end) in busy.items() if monotonic() > end and pipe not in ready]
            for pipe in (pipe for pipe in list(busy) if pipe in ready or pipe in overdue):
                call, key, _ = busy.pop(pipe)
                try:
                    result = call.wait_for_result() if pipe in ready else make_undecided(key, LATE)
                except EOFError:
                    result = make_undecided(key, LATE)
                except Exception as error:
                    said = f"not decided: {FAULT} {type(error).__name__}: {error}"
                    result = make_undecided(key, said[:160])
                call.kill_child()
                yield result
    finally:
        for call, _, _ in busy.values():
            call.kill_child()
