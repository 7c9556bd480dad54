"""A sample of mutants, each examined in its own process: in parallel, resumable, and the same for
the same seed."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from playproof.database.worker_process import start_parent_watch
from playproof.generator.build.fingerprint import hash_files
from playproof.language import Interpreter, RulesError
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.mutation.detection import Detection, MutantChecker
from playproof.mutation.distinguishing_games import find_first_difference
from playproof.mutation.doubts import find_law_left_open
from playproof.mutation.rewriting import TermSwaps
from playproof.mutation.same_steps import WORK, have_same_steps
from playproof.mutation.sites import Mutant
from playproof.mutation.ways_to_play import ClaimSetting
from playproof.verifier.kernel.strict import to_canonical
from playproof.verifier.premises import digest_mutant_verdict_code, question_to_json_parts
from playproof.verifier.search.case import GivenGameCase

_PATIENCE = 20
LATE, FAULT = "not decided in time", "PP720"
NOTICED, DOUBTED, RECORDED = "noticed", "doubted", "recorded"
EQUIVALENT, SURVIVED = "equivalent", "survived"
"""A belief or lint notices a mutant; a law that was shown is left open; recorded games alone notice it; it is the
same game; nothing notices it."""
VALUE = "value"
"""The kind of a change to a value of a card."""


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
    by what it is, "" if the mutant was left open."""

    key: str
    line: str
    kind: str
    said: str
    owner: str
    state: str
    by: str = ""
    how: str = ""
    of: str = ""

    def with_state(self, state: str, noticed: Detection | None = None) -> MutantOutcome:
        """Return the verdict with an outcome, and with what noticed the mutant."""
        by, how = (noticed.by, noticed.how[:160]) if noticed else ("", "")
        return replace(self, state=state, by=by, how=how)


def sample_mutant_keys(settings: Sequence[ClaimSetting], number: int, seed: int) -> list[str]:
    """Return the keys of `number` mutants (0: all), one of each family before a second of any."""
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
    return keys[:number] if number else keys


def find_mutant(settings: Sequence[ClaimSetting], key: str) -> Mutant:
    """Return a mutant as the first setting that has it describes it."""
    return next(setting.mutants[key] for setting in settings if key in setting.mutants)


def examine_mutant(
    settings: Sequence[ClaimSetting],
    key: str,
    effort: MutationLimits,
    earlier: Mapping[str, MutantOutcome] | None = None,
) -> MutantOutcome:
    """Return the outcome of a mutant, or that of the same changed game from an `earlier` run. A changed start
    is written in place, so this runs in its own process."""
    mutant = find_mutant(settings, key)
    verdict = MutantOutcome(key, mutant.file_and_line, mutant.kind, mutant.said, mutant.owner, SURVIVED)
    try:
        # Each setting has its own description, so a mutant exchanges other parts in each.
        changed = [(s, _build_changed_game(s, s.mutants[key])) for s in settings if key in s.mutants]
        games = [(setting, game) for setting, game in changed if game is not None]
        if not games:
            return verdict.with_state(EQUIVALENT)
        verdict = replace(verdict, of=fingerprint_changed_game(games))
        if earlier and verdict.of in earlier:
            return reuse_earlier_outcome(verdict, earlier[verdict.of])
        verdict = detect_by_beliefs_then_recordings(verdict, games, effort, mutant.swaps)
    except RulesError as error:
        return verdict.with_state(NOTICED, Detection(error.code, f"lint: {error.message}"))
    if (
        verdict.state == SURVIVED
        and not mutant.changes_field_in_place
        and _are_games_equivalent(games, effort)
    ):
        return verdict.with_state(EQUIVALENT)
    return verdict


def _build_changed_game(setting: ClaimSetting, mutant: Mutant) -> Game | None:
    """Return the changed game of a setting. Return None if the mutant is the same game: the simplified
    description is the same, or only a start changed and the first state in which somebody acts is the same.
    Raises RulesError."""
    before, first = setting.digest, Interpreter(setting.game).start()
    game = mutant.apply_to_game(setting.game)
    if game is None or digest(game.seal()) == before:
        return None
    if mutant.start is not None and Interpreter(game).start() == first:
        return None
    return game


def fingerprint_changed_game(games: Iterable[tuple[ClaimSetting, Game]], *others: str) -> str:
    """Return one name for a changed game under all its settings: of what it is, and of no file."""
    return sha256_of_json([[setting.digest, digest(game)] for setting, game in games] + list(others))


def reuse_earlier_outcome(verdict: MutantOutcome, earlier: MutantOutcome) -> MutantOutcome:
    """Return what an earlier run found of the same changed game, at the place where the change stands now."""
    return verdict.with_state(earlier.state, Detection(earlier.by, earlier.how))


def detect_by_beliefs_then_recordings(
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
        asker = MutantChecker(case, setting.questions)
        if asker.failed is not None:
            return verdict.with_state(NOTICED, asker.failed)
        askers.append((setting, asker))
    noticed = detect_by_claims(askers, effort)
    if noticed is not None:
        return verdict.with_state(NOTICED, noticed)
    for (setting, game), (_, asker) in zip(games, askers, strict=True):
        noticed = find_law_left_open(setting.game, game, asker.watched, effort.doubt, swaps)
        if noticed is not None:
            return verdict.with_state(DOUBTED, noticed)
    recorded = next(filter(None, (asker.detect_by_examples() for _, asker in askers)), None)
    return verdict if recorded is None else verdict.with_state(RECORDED, recorded)


def detect_by_claims(
    checkers: Sequence[tuple[ClaimSetting, MutantChecker]], effort: MutationLimits
) -> Detection | None:
    """Return what the claims that no worked example answers notice, cheapest first."""
    ways: list[Callable[[ClaimSetting, MutantChecker], Detection | None]] = [
        lambda s, a: a.detect_by_playing((), effort.steps // 8, 0),
        lambda s, a: a.detect_by_playing(
            [*s.example_lines, *(line.idents for line in s.random_games)], effort.steps, 1
        ),
        lambda s, a: (
            a.detect_by_exhaustive_search(effort.search, effort.states)
            if s.is_small_enough_to_search(effort.states)
            else None
        ),
    ]
    for way in ways:
        for setting, asker in checkers:
            noticed = way(setting, asker)
            if noticed is not None:
                return noticed
    return None


def _are_games_equivalent(games: Sequence[tuple[ClaimSetting, Game]], effort: MutationLimits) -> bool:
    """Return whether Z3 shows, in each setting, that every step from a state that the claims allow
    is unchanged. Z3 is not asked if some known game distinguishes the mutant."""
    for setting, game in games:
        case = GivenGameCase(setting.ref, game, setting.values, setting.rulings)
        if any(find_first_difference(setting.game, line, case) for line in setting.random_games):
            return False
    return all(
        have_same_steps(setting.game, game, setting.invariant_conditions, effort.equivalence)
        for setting, game in games
    )


def sha256_of_json(value: Any) -> str:
    return hashlib.sha256(to_canonical(value).encode()).hexdigest()


# -- many -------------------------------------------------------------------------------------------------------


class OutcomeLog:
    """Verdicts as they come, one JSON line each, so that a stopped run can continue and a later one asks less.

    A verdict stands for the changed game that it names (`earlier`), as long as the claims that it rests on
    are the same and this package's code is. Where the game and the places of its rules are the same too, or for a
    value the `files` that lint reads, its key is enough (`verdicts`), and nothing has to be built. What
    nothing noticed is asked again if any claim is another."""

    def __init__(
        self,
        path: Path,
        settings: Sequence[ClaimSetting],
        effort: MutationLimits,
        files: Sequence[Path] = (),
        rules: bool = True,
    ) -> None:
        self.path = path
        claims: dict[str, str] = {}
        for setting in settings:
            for question in setting.questions:
                claims[question.id] = sha256_of_json(question_to_json_parts(question))
        code = digest_mutant_verdict_code()
        games = sha256_of_json([setting.digest for setting in settings])
        places = [list(setting.mutants) for setting in settings] if rules else []
        self.head: dict[str, Any] = {
            "of": sha256_of_json([asdict(effort), code]),
            "rules": sha256_of_json([games, places]),
            "values": sha256_of_json([games, hash_files(files)]),
            "claims": claims,
        }
        self.verdicts: dict[str, MutantOutcome] = {}
        self.earlier: dict[str, MutantOutcome] = {}
        if path.is_file():
            self._load_earlier_outcomes()
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(self.head)]
        standing = {v.key: v for v in self.earlier.values()} | self.verdicts
        lines += [json.dumps(asdict(verdict), ensure_ascii=False) for verdict in standing.values()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _load_earlier_outcomes(self) -> None:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        try:
            head = json.loads(lines[0])
            was = head["claims"] if head["of"] == self.head["of"] else None
        except (ValueError, IndexError, KeyError, TypeError):
            return
        if not isinstance(was, dict):
            return
        for line in lines[1:]:
            try:
                verdict = MutantOutcome(**json.loads(line))
            except (ValueError, TypeError):  # the last line of a run that was killed
                continue
            if not self._is_still_valid(verdict, was):
                continue
            of = "values" if verdict.kind == VALUE else "rules"
            if head.get(of) == self.head[of]:
                self.verdicts[verdict.key] = verdict
            if verdict.of:
                self.earlier[verdict.of] = verdict

    def _is_still_valid(self, verdict: MutantOutcome, earlier_claims: Mapping[str, str]) -> bool:
        """Return whether a verdict given under other claims holds under these."""
        now: Mapping[str, str] = self.head["claims"]
        if verdict.state in (SURVIVED, RECORDED, DOUBTED):
            return earlier_claims == now
        if verdict.state == EQUIVALENT:  # shown for states in which those claims hold
            return earlier_claims.items() <= now.items()
        return earlier_claims.get(verdict.by) == now.get(
            verdict.by
        )  # verdicts of lint and `not played` depend on no claim

    def add_outcome(self, verdict: MutantOutcome) -> None:
        """Record a verdict. What a fault left open is asked again by the next run."""
        self.verdicts[verdict.key] = verdict
        if FAULT in verdict.how:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(verdict), ensure_ascii=False) + "\n")

    def record_outcomes(
        self,
        verdicts: Iterable[MutantOutcome],
        keys: Sequence[str],
        part: str,
        report: Callable[[str], None] | None,
    ) -> None:
        """Record verdicts as they come. `report` gets a line of text for each: how many of the `keys` are done."""
        for verdict in verdicts:
            self.add_outcome(verdict)
            if report is not None:
                done = sum(key in self.verdicts for key in keys)
                report(f"{part}: {done} of {len(keys)} changes, the last one {verdict.state}")


def remove_false_claims(settings: Sequence[ClaimSetting], effort: MutationLimits) -> list[str]:
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
                or asker.detect_by_card_counts()
                or detect_by_claims([(setting, asker)], effort)
                or asker.detect_by_examples()
            )
            if noticed is None:
                break
            setting.questions = [q for q in setting.questions if q.id != noticed.by]
            false.append(noticed.by)
    return false


def run_in_child_processes(
    todo: Iterable[str],
    work: Callable[[str], Any],
    workers: int,
    limit: float,
    make_undecided: Callable[[str, str], Any],
) -> Iterator[Any]:
    """Yield the results of `work` on each item, from child processes, in the order in which they
    finish. `left` makes the result of an item that is left open, from the reason: it is not done in time, or an
    error ended its work. The other items are done.

    `limit` is in seconds of processor time, so that the same items finish under other load. A child
    that only waits is ended after `_PATIENCE` times as long. On a system that cannot fork, this process does all
    items, without a limit.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, todo)
        return
    context = multiprocessing.get_context("fork")
    waiting, busy = list(todo)[::-1], dict[Any, tuple[Any, str, float]]()

    def begin(key: str) -> None:
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_run_child, args=(there, work, key, limit, os.getpid()), daemon=False)
        child.start()
        there.close()
        busy[here] = (child, key, monotonic() + _PATIENCE * limit)

    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                begin(waiting.pop())
            ready = wait(list(busy), timeout=1.0)
            overdue = [pipe for pipe, (_, _, end) in busy.items() if monotonic() > end and pipe not in ready]
            for pipe in [*ready, *overdue]:
                child, key, _ = busy.pop(pipe)
                try:
                    result = pipe.recv() if pipe in ready else make_undecided(key, LATE)
                except EOFError:
                    result = make_undecided(key, LATE)
                child.kill()
                child.join()
                pipe.close()
                if isinstance(result, Exception):
                    result = make_undecided(key, f"not decided: {FAULT} {result}"[:160])
                yield result
    finally:
        for child, _, _ in busy.values():
            child.kill()


def _run_child(pipe: Any, work: Callable[[str], Any], key: str, limit: float, parent: int) -> None:
    from resource import RLIMIT_CPU, setrlimit  # only on systems that fork

    start_parent_watch(parent)
    seconds = ceil(process_time() + limit)
    setrlimit(RLIMIT_CPU, (seconds, seconds + 1))
    try:
        pipe.send(work(key))
    except Exception as error:  # in words, because not every error can pass through a pipe
        pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))
    finally:
        pipe.close()
