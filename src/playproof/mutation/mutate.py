"""Mutation testing of games: change rules and cards one at a time, and report the changes that no claim notices.

    report = mutate("mygame", number=100, seed=1)
    print(*report.lines(), sep="\n")

Each change is examined in a process of its own: on this machine, or by the workers of a cluster."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from textwrap import wrap
from typing import Any

from playproof.database.errors import Finding, InputError, Where
from playproof.database.game import Game as Cards, find_game_folder, load_game
from playproof.generator.build.file_jobs import hash_files
from playproof.generator.layout.layout_files import LAYOUTS, find_layout_folder
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.linting.played_values import REFUSALS
from playproof.linting.whole_game import lint_whole_game
from playproof.mutation.claim_settings import ClaimSetting, build_settings_of_claims
from playproof.mutation.detection import Detection, check_card_claim
from playproof.mutation.mutant_games import GameRecording, select_distinguishing_games
from playproof.mutation.sampling import (
    DOUBTED,
    EQUIVALENT,
    NOTICED,
    RECORDED,
    SURVIVED,
    VALUE,
    MutantOutcome,
    MutationLimits,
    OutcomeStore,
    StoredOutcomes,
    describe_card_laws,
    detect_by_beliefs_then_recordings,
    examine_mutant,
    find_mutant,
    fingerprint_changed_game,
    remove_false_claims,
    reuse_earlier_outcome,
    run_in_child_processes,
    sample_mutant_keys,
    sha256_of_json,
)
from playproof.mutation.value_changes import (
    YamlValueChange,
    list_changeable_values,
    list_effect_exchanges,
    read_with_replacement,
)
from playproof.referee.cluster import allow_child_processes, map_on_cluster
from playproof.verifier.kernel.context import Context
from playproof.verifier.questions.claims import Question

# Mutation testing of games: change rules and cards one at a time, and report the changes that no claim
# notices.


@dataclass(frozen=True)
class MutationReport:
    """The outcome of the sampled changes of rules and cards. `false` are claims that the unchanged
    game breaks, `claims` those that were asked."""

    game: str
    seed: int
    rules: tuple[MutantOutcome, ...]
    cards: tuple[MutantOutcome, ...]
    false: tuple[str, ...]
    claims: tuple[str, ...] = ()

    def format_lines(self) -> list[str]:
        """Return the report for people."""
        left = (
            [f"not asked, since the game as it is breaks them: {', '.join(self.false)}"] if self.false else []
        )
        return [
            *left,
            *format_part_report("rules", self.rules),
            *format_part_report("cards", self.cards),
            *format_claims_without_detection(self.claims, (*self.rules, *self.cards)),
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the report for scripts."""
        report = mutation_report_to_json(self.game, self.seed, self.rules, self.cards)
        rows = count_detections_by_claim(self.claims, (*self.rules, *self.cards))
        return {**report, "claims": rows, "false": list(self.false)}


def run_mutation_test(
    ref: str,
    *,
    number: int = 100,
    cards: int = 0,
    seed: int = 0,
    workers: int = 2,
    remember: bool = True,
    effort: MutationLimits | None = None,
    claims: dict[str, Question] | None = None,
    on_progress: Callable[[str], None] | None = None,
    client: Any = None,
) -> MutationReport:
    """Change a game's rules (`number` times) and card values (`cards` times), one at a time, and
    check each change against the claims.

    What earlier runs found of the same changed games is taken, unless `remember` is False; so a stopped run continues.
    Samples depend on the seed alone. With a Dask `client`, its workers examine the changes; they read the game at the
    same path.
    """
    effort = effort or MutationLimits()
    settings = build_settings_of_claims(ref, claims)
    if not settings and (number or cards):
        place = Where(str(find_game_folder(ref) / "claims.yaml"))
        raise InputError(
            [
                Finding(
                    "PP719",
                    place,
                    "expected claims that a change of the rules may break, found none",
                    "write what you believe of the game",
                )
            ]
        )
    false = remove_false_claims(settings, effort)
    store = OutcomeStore(settings, effort, find_files_read_by_lint(ref), number > 0, remember)

    def examined(
        keys: Sequence[str], values: dict[str, YamlValueChange] | None = None
    ) -> tuple[MutantOutcome, ...]:
        kind = "" if values is None else VALUE
        todo = [key for key in keys if store.find_outcome(key, kind) is None]
        earlier = store.find_outcome_of_game if remember else None
        made = MutantExamination(settings, effort, earlier, values).examine_changes(todo, workers, client)
        store.add_outcomes(made, keys, "rules" if values is None else "cards", on_progress)
        return tuple(store.outcomes[key] for key in keys)

    of_rules = examined(sample_mutant_keys(settings, number, seed)) if number else ()
    chosen = {value.key: value for value in sample_card_values(ref, cards, seed)} if cards else {}
    of_cards = examined(list(chosen), chosen) if cards else ()
    claim_ids = tuple(question.id for setting in settings for question in setting.questions)
    return MutationReport(Path(ref).resolve().name, seed, of_rules, of_cards, tuple(false), claim_ids)


def propose_distinguishing_games(
    ref: str, mutant_keys: Sequence[str], *, games: int = 60, seed: int = 0
) -> list[GameRecording]:
    """Return a few games that distinguish changed rules, given by their keys, from the unchanged
    ones, to be recorded as `example` claims."""
    return select_distinguishing_games(build_settings_of_claims(ref), mutant_keys, games, seed)


def sample_card_values(ref: str, number: int, seed: int) -> list[YamlValueChange]:
    """Return a random sample of the numbers and names on cards, of the defaults of options and rulings, and of the
    effects that two cards may exchange."""
    played = [
        v for v in list_changeable_values(ref) if v.is_game_value and (v.card or v.path[-1:] == ("default",))
    ]
    played += list_effect_exchanges(ref)
    return random.Random(seed).sample(played, min(number, len(played)))


__all__ = [
    "MutationLimits",
    "MutationReport",
    "propose_distinguishing_games",
    "run_mutation_test",
    "sample_card_values",
]


# -- noticed report ------------------------------------------------------------------------------------------
# The results of a run in words: how much beliefs notice, which claims do, and which lines and cards no
# belief covers.

_WIDTH = 110


def detection_rate(verdicts: Iterable[MutantOutcome]) -> float | None:
    """Return the share of mutants that a belief or lint notices among those that change the game, or None if no
    mutant does. A law that is left open where it was shown counts. What recorded games alone notice does not: they
    say that something is another, and not that it is wrong."""
    states = Counter(v.state for v in verdicts)
    noticed = states[NOTICED] + states[DOUBTED]
    changed = noticed + states[RECORDED] + states[SURVIVED]
    return noticed / changed if changed else None


def group_undetected_by_place(verdicts: Sequence[MutantOutcome]) -> dict[str, list[MutantOutcome]]:
    """Return the mutants that no belief noticed at each place, in the order of files and lines."""
    survivors: dict[str, list[MutantOutcome]] = {}
    for verdict in sorted((v for v in verdicts if v.state in (SURVIVED, RECORDED)), key=_sort_key_by_place):
        survivors.setdefault(verdict.line, []).append(verdict)
    return survivors


def _sort_key_by_place(verdict: MutantOutcome) -> tuple[str, int, str]:
    file, _, line = verdict.line.rpartition(":")
    return file, int(line), verdict.said


def format_part_report(part: str, verdicts: Sequence[MutantOutcome]) -> list[str]:
    """Return the report of one part: rules, or cards."""
    if not verdicts:
        return []
    by = Counter(v.by for v in verdicts if v.state in (NOTICED, DOUBTED, RECORDED))
    report = [_format_counts(part, verdicts), *(f"  {count:4}  {name}" for name, count in by.most_common())]
    places = group_undetected_by_place(verdicts)
    if places:
        report.append(f"no belief noticed a change of {part} at")
    for place, survivors in places.items():
        for survivor in survivors:
            where = f" ({survivor.owner})" if survivor.owner else ""
            recorded = f" [recorded: {survivor.by}]" if survivor.state == RECORDED else ""
            report.append(f"  {place}: {survivor.said}{where}"[: _WIDTH + len(place)] + recorded)
    return report


def _format_counts(part: str, verdicts: Sequence[MutantOutcome]) -> str:
    """Return the counts of one part as a line."""
    states = Counter(v.state for v in verdicts)
    counted = (NOTICED, DOUBTED, RECORDED, SURVIVED, EQUIVALENT)
    parts = [
        f"{part}: {len(verdicts)} changes, {states[NOTICED]} noticed by beliefs",
        f"{states[DOUBTED]} leave a law open" if states[DOUBTED] else "",
        f"{states[RECORDED]} by recordings alone" if states[RECORDED] else "",
        f"{states[SURVIVED]} not",
        f"{states[EQUIVALENT]} change nothing" if states[EQUIVALENT] else "",
        f"{unplayed} are not played" if (unplayed := len(verdicts) - sum(states[s] for s in counted)) else "",
    ]
    share = detection_rate(verdicts)
    percent = "" if share is None else f" ({100 * share:.0f} % of those that change the game)"
    return ", ".join(filter(None, parts)) + percent


def count_detections_by_claim(claims: Iterable[str], verdicts: Iterable[MutantOutcome]) -> dict[str, int]:
    """Return how many mutants each claim notices, and each code of lint; 0 for a claim that notices none."""
    counts = Counter(v.by for v in verdicts if v.state in (NOTICED, DOUBTED, RECORDED))
    return dict.fromkeys(claims, 0) | dict(counts.most_common())


def format_claims_without_detection(claims: Iterable[str], verdicts: Iterable[MutantOutcome]) -> list[str]:
    """Return the claims that notice no mutant of the sample, as lines."""
    idle = [name for name, count in count_detections_by_claim(claims, verdicts).items() if not count]
    names = wrap(", ".join(idle), _WIDTH, break_on_hyphens=False)
    return ["these noticed none", *(f"  {line}" for line in names)] if idle else []


def mutation_report_to_json(
    game: str, seed: int, rules: Sequence[MutantOutcome], cards: Sequence[MutantOutcome]
) -> dict[str, Any]:
    """Return the data of `mutate --json`."""

    def part(verdicts: Sequence[MutantOutcome]) -> dict[str, Any]:
        return {
            "rate": detection_rate(verdicts),
            "states": dict(Counter(v.state for v in verdicts)),
            "earlier": sum(v.earlier for v in verdicts),
            "mutants": [
                {
                    "key": v.key,
                    "where": v.line,
                    "kind": v.kind,
                    "change": v.said,
                    "owner": v.owner,
                    "state": v.state,
                    "by": v.by,
                    "how": v.how,
                }
                for v in verdicts
            ],
        }

    return {"game": game, "seed": seed, "rules": part(rules), "cards": part(cards)}


# -- examination ---------------------------------------------------------------------------------------------
# Changes of one game, each examined in a process of its own: on this machine, or by the workers of a
# cluster.


@dataclass
class MutantExamination:
    """What a change is examined with: the settings, the limits, and outcomes of `earlier` runs by what they are of,
    which workers of a cluster do not get. `values` are changes of cards by their keys; None for changes of rules, which
    the settings know.

    A worker of a cluster reads the game's folder at the same path as the driver, because a change names a place in a
    file. The digest shows whether it is the same game."""

    settings: Sequence[ClaimSetting]
    effort: MutationLimits
    earlier: StoredOutcomes | None = None
    values: Mapping[str, YamlValueChange] | None = None

    def __reduce__(self) -> tuple[Callable[..., MutantExamination], tuple[Any, ...]]:
        choices = [
            (s.ref, s.values, s.rulings, s.questions, s.is_small_enough_to_search(self.effort.states))
            for s in self.settings
        ]
        return _restore_examination_in_worker, (os.getcwd(), choices, self.effort, self.values)

    @cached_property
    def digest(self) -> str:
        """The digest of the games, and of the places that changes name."""
        places: object = [list(setting.mutants) for setting in self.settings]
        if self.values is not None:
            places = hash_files(find_files_read_by_lint(self.settings[0].ref))
        return sha256_of_json([[setting.digest for setting in self.settings], places])

    def examine_change(self, key: str) -> MutantOutcome:
        """Return the outcome of a change. A changed start is written in place, so this runs in its own process."""
        if self.values is None:
            return examine_mutant(self.settings, key, self.effort, self.earlier)
        return examine_changed_value(self.settings, self.values[key], self.effort, self.earlier)

    def undecided_outcome(self, key: str, reason: str) -> MutantOutcome:
        """Return the verdict of a change that is not decided, and why."""
        if self.values is not None:
            value = self.values[key]
            return MutantOutcome(key, value.place, VALUE, value.change_text, value.card, SURVIVED, "", reason)
        mutant = find_mutant(self.settings, key)
        return MutantOutcome(
            key, mutant.file_and_line, mutant.kind, mutant.said, mutant.owner, SURVIVED, "", reason
        )

    def examine_changes(
        self, keys: Sequence[str], workers: int, client: Any = None
    ) -> Iterator[MutantOutcome]:
        """Yield the outcome of each change, from so many processes, or from a cluster."""
        self.compute_shared_data()
        if client is not None and keys:
            return map_on_cluster(client, self, _examine_in_child_process, keys)
        return run_in_child_processes(
            keys, self.examine_change, workers, self.effort.limit, self.undecided_outcome
        )

    def compute_shared_data(self) -> None:
        """Make once, before processes fork, what all changes need."""
        for setting in self.settings:
            _ = setting.digest, setting.example_lines
            if self.values is None:
                _ = (
                    setting.mutants,
                    setting.random_games,
                    setting.is_small_enough_to_search(self.effort.states),
                )
        if self.values is not None:
            lint_keys_of_unchanged_game(self.settings[0].ref)


def find_files_read_by_lint(ref: str) -> list[Path]:
    """Return the files of a game's folder, without its claims, and those of its looks; none if the game is rules
    alone."""
    try:
        folder = find_game_folder(ref)
    except InputError:
        return []
    folders = {folder, find_layout_folder(folder), LAYOUTS / "common"}
    files = {file for each in folders for file in each.rglob("*.*") if file.is_file()}
    return sorted(file for file in files if file.name != "claims.yaml" and file.suffix != ".pyc")


def _restore_examination_in_worker(
    folder: str,
    choices: Sequence[tuple[Any, ...]],
    effort: MutationLimits,
    values: Mapping[str, YamlValueChange] | None,
) -> MutantExamination:
    """Return the examination in a worker, ready for its children."""
    os.chdir(folder)  # places in files are named as seen from here
    received = MutantExamination([ClaimSetting(*choice) for choice in choices], effort, values=values)
    received.compute_shared_data()
    return received


def _examine_in_child_process(examination: MutantExamination, key: str) -> MutantOutcome:
    """Return one verdict, from a child process of a worker: it has its own limit, and may be killed."""
    allow_child_processes()
    [verdict] = run_in_child_processes(
        [key], examination.examine_change, 1, examination.effort.limit, examination.undecided_outcome
    )
    assert isinstance(verdict, MutantOutcome)
    return verdict


# -- value outcomes ------------------------------------------------------------------------------------------
# The outcome of a changed value of a YAML file: refused, noticed by lint or a claim, or not played.

NOT_PLAYED = "not played"
"""The rules do not depend on the value: it is only printed, or unused."""


def examine_changed_value(
    settings: Sequence[ClaimSetting],
    value: YamlValueChange,
    effort: MutationLimits,
    earlier: StoredOutcomes | None = None,
) -> MutantOutcome:
    """Return the outcome of one changed value, or that of the same changed cards from an `earlier` run."""
    verdict = MutantOutcome(value.key, value.place, VALUE, value.change_text, value.card, SURVIVED)
    lint_keys_of_unchanged_game(settings[0].ref)
    with read_with_replacement(value):
        cards = load_and_lint_cards(settings[0].ref)
        if isinstance(cards, Detection):
            return verdict.with_state(NOTICED, cards)
        games = list[tuple[ClaimSetting, Game]]()
        for setting in settings:
            game = _build_game_with_cards(setting, cards)
            if isinstance(game, Detection):
                return verdict.with_state(NOTICED, game)
            noticed = _check_card_claims(setting, game)
            if noticed is not None:
                return verdict.with_state(NOTICED, noticed)
            if digest(game) != setting.digest or describe_card_laws(setting, game) != describe_card_laws(
                setting
            ):
                games.append((setting, game))
    if not games:
        return verdict.with_state(NOT_PLAYED)
    verdict = replace(verdict, of=fingerprint_changed_game(games))
    if earlier and (found := earlier(verdict.of)):
        return reuse_earlier_outcome(verdict, found)
    return detect_by_beliefs_then_recordings(verdict, games, effort)


def _check_card_claims(setting: ClaimSetting, game: Game) -> Detection | None:
    """Return what a claim about the cards notices, also of a value that is not played."""
    context = Context()
    asked_of_cards = (q for q in setting.questions if q.ask == "ledger")
    return next(filter(None, (check_card_claim(game, q, context) for q in asked_of_cards)), None)


def load_and_lint_cards(ref: str) -> Cards | Detection:
    """Return the cards of a game as they read now, or why they are refused: loading fails, or lint
    finds a new error (see `lint_keys_of_unchanged_game`)."""
    try:
        cards = load_game(ref)
        new = [
            f
            for f in lint_whole_game(ref)
            if f.severity == "error" and _lint_key(f) not in lint_keys_of_unchanged_game(ref)
        ]
    except InputError as error:
        return Detection(error.findings[0].code, error.findings[0].message)
    except REFUSALS as error:
        return Detection("rules", f"the rules refuse the cards: {error}")
    return Detection(new[0].code, new[0].message) if new else cards


@lru_cache
def lint_keys_of_unchanged_game(ref: str) -> frozenset[tuple[str, str]]:
    """Return what lint finds in the unchanged game. Call it once before anything is changed."""
    return frozenset(map(_lint_key, lint_whole_game(ref)))


def _lint_key(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def _build_game_with_cards(setting: ClaimSetting, cards: Cards) -> Game | Detection:
    """Return the game under a setting with these cards, or why the rules refuse them."""
    try:
        return build(setting.ref, Options(dict(setting.values), dict(setting.rulings)), cards)
    except REFUSALS as error:
        return Detection("rules", f"the rules refuse the cards: {error}")
