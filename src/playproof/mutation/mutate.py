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
from playproof.database.game import Game as Cards, load_game, require_game_folder
from playproof.generator.build.file_jobs import hash_file_names_and_contents
from playproof.generator.layout.layout_files import LAYOUTS, find_layout_folder_of_game
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.linting.played_values import REFUSALS
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.mutation.claim_settings import ClaimSetting, list_claim_settings_most_claims_first
from playproof.mutation.detection import Detection, detect_by_kernel_card_count_or_none
from playproof.mutation.mutant_games import GameRecording, select_games_that_distinguish_mutants
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
    compute_sha256_of_canonical_json,
    copy_outcome_of_earlier_run,
    detect_by_claims_then_recorded_games,
    examine_mutant_editing_game_in_place,
    get_mutant_by_key,
    hash_changed_game_of_all_settings,
    iter_child_results_as_they_finish,
    list_laws_that_claims_have_for_cards,
    remove_claims_that_unchanged_game_breaks,
    sample_mutant_keys_by_family,
)
from playproof.mutation.value_changes import (
    YamlValueChange,
    list_changeable_yaml_values_of_game,
    list_exchanges_of_effects_between_cards,
    override_file_by_value_change,
)
from playproof.referee.cluster import allow_daemon_to_have_children, map_items_on_dask_workers_in_order
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context

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

    def format_report_lines(self) -> list[str]:
        """Return the report for people."""
        left = [f"not asked, since the game as it is breaks them: {', '.join(self.false)}"] if self.false else []
        return [
            *left,
            *format_report_lines_of_rules_or_cards("rules", self.rules),
            *format_report_lines_of_rules_or_cards("cards", self.cards),
            *format_claims_that_noticed_nothing(self.claims, (*self.rules, *self.cards)),
        ]

    def to_json_of_mutate_command(self) -> dict[str, Any]:
        """Return the report for scripts."""
        report = mutation_report_to_json_values(self.game, self.seed, self.rules, self.cards)
        rows = count_detections_by_claim(self.claims, (*self.rules, *self.cards))
        return {**report, "claims": rows, "false": list(self.false)}


def run_mutation_test_and_build_report(
    game_reference: str,
    *,
    rule_change_count: int = 100,
    card_change_count: int = 0,
    seed: int = 0,
    workers: int = 2,
    remember: bool = True,
    effort: MutationLimits | None = None,
    claims: dict[str, Question] | None = None,
    on_progress: Callable[[str], None] | None = None,
    client: Any = None,
) -> MutationReport:
    """Change a game's rules (`rule_change_count` times) and card values (`card_change_count` times), one at a time, and
    check each change against the claims.

    What earlier runs found of the same changed games is taken, unless `remember` is False; so a stopped run continues.
    Samples depend on the seed alone. With a Dask `client`, its workers examine the changes; they read the game at the
    same path.
    """
    effort = effort or MutationLimits()
    settings = list_claim_settings_most_claims_first(game_reference, claims)
    if not settings and (rule_change_count or card_change_count):
        place = Where(str(require_game_folder(game_reference) / "claims.yaml"))
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
    false = remove_claims_that_unchanged_game_breaks(settings, effort)
    store = OutcomeStore(
        settings, effort, list_game_and_layout_files_that_lint_reads(game_reference), rule_change_count > 0, remember
    )

    def examined(keys: Sequence[str], values: dict[str, YamlValueChange] | None = None) -> tuple[MutantOutcome, ...]:
        kind = "" if values is None else VALUE
        todo = [key for key in keys if store.get_outcome_of_change_or_none(key, kind) is None]
        earlier = store.get_outcome_of_changed_game_or_none if remember else None
        made = MutantExamination(settings, effort, earlier, values).examine_changes_in_processes_or_on_cluster(
            todo, workers, client
        )
        store.store_outcomes_and_report_progress(made, keys, "rules" if values is None else "cards", on_progress)
        return tuple(store.outcomes[key] for key in keys)

    of_rules = examined(sample_mutant_keys_by_family(settings, rule_change_count, seed)) if rule_change_count else ()
    chosen = (
        {value.key: value for value in sample_changeable_card_values(game_reference, card_change_count, seed)}
        if card_change_count
        else {}
    )
    of_cards = examined(list(chosen), chosen) if card_change_count else ()
    claim_ids = tuple(question.id for setting in settings for question in setting.questions)
    return MutationReport(Path(game_reference).resolve().name, seed, of_rules, of_cards, tuple(false), claim_ids)


def propose_distinguishing_games(
    game_reference: str, mutant_keys: Sequence[str], *, games: int = 60, seed: int = 0
) -> list[GameRecording]:
    """Return a few games that distinguish changed rules, given by their keys, from the unchanged
    ones, to be recorded as `example` claims."""
    return select_games_that_distinguish_mutants(
        list_claim_settings_most_claims_first(game_reference), mutant_keys, games, seed
    )


def sample_changeable_card_values(ref: str, sample_size: int, seed: int) -> list[YamlValueChange]:
    """Return a random sample of the numbers and names on cards, of the defaults of options and rulings, and of the
    effects that two cards may exchange."""
    played = [
        v
        for v in list_changeable_yaml_values_of_game(ref)
        if v.is_game_value and (v.component_id_or_empty or v.path[-1:] == ("default",))
    ]
    played += list_exchanges_of_effects_between_cards(ref)
    return random.Random(seed).sample(played, min(sample_size, len(played)))


__all__ = [
    "MutationLimits",
    "MutationReport",
    "propose_distinguishing_games",
    "run_mutation_test_and_build_report",
    "sample_changeable_card_values",
]


# -- noticed report ------------------------------------------------------------------------------------------
# The results of a run in words: how much beliefs notice, which claims do, and which lines and cards no
# belief covers.

_WIDTH = 110


def compute_share_of_noticed_mutants_or_none(outcomes: Iterable[MutantOutcome]) -> float | None:
    """Return the share of mutants that a belief or lint notices among those that change the game, or None if no
    mutant does. A law that is left open where it was shown counts. What recorded games alone notice does not: they
    say that something is another, and not that it is wrong."""
    states = Counter(v.state for v in outcomes)
    noticed = states[NOTICED] + states[DOUBTED]
    changed = noticed + states[RECORDED] + states[SURVIVED]
    return noticed / changed if changed else None


def group_unnoticed_outcomes_by_place(outcomes: Sequence[MutantOutcome]) -> dict[str, list[MutantOutcome]]:
    """Return the mutants that no belief noticed at each place, in the order of files and lines."""
    survivors: dict[str, list[MutantOutcome]] = {}
    for verdict in sorted(
        (v for v in outcomes if v.state in (SURVIVED, RECORDED)), key=_build_sort_key_by_file_and_line
    ):
        survivors.setdefault(verdict.line, []).append(verdict)
    return survivors


def _build_sort_key_by_file_and_line(verdict: MutantOutcome) -> tuple[str, int, str]:
    file, _, line = verdict.line.rpartition(":")
    return file, int(line), verdict.said


def format_report_lines_of_rules_or_cards(rules_or_cards: str, outcomes: Sequence[MutantOutcome]) -> list[str]:
    """Return the report of one part: rules, or cards."""
    if not outcomes:
        return []
    by = Counter(v.by for v in outcomes if v.state in (NOTICED, DOUBTED, RECORDED))
    report = [
        _format_outcome_counts(rules_or_cards, outcomes),
        *(f"  {count:4}  {name}" for name, count in by.most_common()),
    ]
    places = group_unnoticed_outcomes_by_place(outcomes)
    if places:
        report.append(f"no belief noticed a change of {rules_or_cards} at")
    for place, survivors in places.items():
        for survivor in survivors:
            where = f" ({survivor.owner})" if survivor.owner else ""
            recorded = f" [recorded: {survivor.by}]" if survivor.state == RECORDED else ""
            report.append(f"  {place}: {survivor.said}{where}"[: _WIDTH + len(place)] + recorded)
    return report


def _format_outcome_counts(rules_or_cards: str, outcomes: Sequence[MutantOutcome]) -> str:
    """Return the counts of one part as a line."""
    states = Counter(v.state for v in outcomes)
    counted = (NOTICED, DOUBTED, RECORDED, SURVIVED, EQUIVALENT)
    parts = [
        f"{rules_or_cards}: {len(outcomes)} changes, {states[NOTICED]} noticed by beliefs",
        f"{states[DOUBTED]} leave a law open" if states[DOUBTED] else "",
        f"{states[RECORDED]} by recordings alone" if states[RECORDED] else "",
        f"{states[SURVIVED]} not",
        f"{states[EQUIVALENT]} change nothing" if states[EQUIVALENT] else "",
        f"{unplayed} are not played" if (unplayed := len(outcomes) - sum(states[s] for s in counted)) else "",
    ]
    share = compute_share_of_noticed_mutants_or_none(outcomes)
    percent = "" if share is None else f" ({100 * share:.0f} % of those that change the game)"
    return ", ".join(filter(None, parts)) + percent


def count_detections_by_claim(claims: Iterable[str], outcomes: Iterable[MutantOutcome]) -> dict[str, int]:
    """Return how many mutants each claim notices, and each code of lint; 0 for a claim that notices none."""
    counts = Counter(v.by for v in outcomes if v.state in (NOTICED, DOUBTED, RECORDED))
    return dict.fromkeys(claims, 0) | dict(counts.most_common())


def format_claims_that_noticed_nothing(claims: Iterable[str], verdicts: Iterable[MutantOutcome]) -> list[str]:
    """Return the claims that notice no mutant of the sample, as lines."""
    idle = [name for name, count in count_detections_by_claim(claims, verdicts).items() if not count]
    names = wrap(", ".join(idle), _WIDTH, break_on_hyphens=False)
    return ["these noticed none", *(f"  {line}" for line in names)] if idle else []


def mutation_report_to_json_values(
    game: str, seed: int, rules: Sequence[MutantOutcome], cards: Sequence[MutantOutcome]
) -> dict[str, Any]:
    """Return the data of `mutate --json`."""

    def part(verdicts: Sequence[MutantOutcome]) -> dict[str, Any]:
        return {
            "rate": compute_share_of_noticed_mutants_or_none(verdicts),
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
            (s.ref, s.values, s.rulings, s.questions, s.is_searchable_within_states(self.effort.states))
            for s in self.settings
        ]
        return _restore_examination_in_cluster_worker, (os.getcwd(), choices, self.effort, self.values)

    @cached_property
    def digest(self) -> str:
        """The digest of the games, and of the places that changes name."""
        places: object = [list(setting.mutants) for setting in self.settings]
        if self.values is not None:
            places = hash_file_names_and_contents(list_game_and_layout_files_that_lint_reads(self.settings[0].ref))
        return compute_sha256_of_canonical_json([[setting.digest for setting in self.settings], places])

    def examine_change_editing_game_in_place(self, change_key: str) -> MutantOutcome:
        """Return the outcome of a change. A changed start is written in place, so this runs in its own process."""
        if self.values is None:
            return examine_mutant_editing_game_in_place(self.settings, change_key, self.effort, self.earlier)
        return examine_changed_yaml_value(self.settings, self.values[change_key], self.effort, self.earlier)

    def build_outcome_of_undecided_change(self, change_key: str, reason: str) -> MutantOutcome:
        """Return the verdict of a change that is not decided, and why."""
        if self.values is not None:
            value = self.values[change_key]
            return MutantOutcome(
                change_key, value.place, VALUE, value.change_text, value.component_id_or_empty, SURVIVED, "", reason
            )
        mutant = get_mutant_by_key(self.settings, change_key)
        return MutantOutcome(
            change_key, mutant.file_and_line, mutant.kind, mutant.said, mutant.owner, SURVIVED, "", reason
        )

    def examine_changes_in_processes_or_on_cluster(
        self, change_keys: Sequence[str], workers: int, client: Any = None
    ) -> Iterator[MutantOutcome]:
        """Yield the outcome of each change, from so many processes, or from a cluster."""
        self.compute_data_shared_by_changes()
        if client is not None and change_keys:
            return map_items_on_dask_workers_in_order(client, self, _examine_change_in_child_process, change_keys)
        return iter_child_results_as_they_finish(
            change_keys,
            self.examine_change_editing_game_in_place,
            workers,
            self.effort.limit,
            self.build_outcome_of_undecided_change,
        )

    def compute_data_shared_by_changes(self) -> None:
        """Make once, before processes fork, what all changes need."""
        for setting in self.settings:
            _ = setting.digest, setting.meaning, setting.example_lines
            if self.values is None:
                _ = (setting.mutants, setting.random_games, setting.is_searchable_within_states(self.effort.states))
        if self.values is not None:
            get_lint_findings_before_any_change(self.settings[0].ref)


def list_game_and_layout_files_that_lint_reads(ref: str) -> list[Path]:
    """Return the files of a game's folder, without its claims, and those of its looks; none if the game is rules
    alone."""
    try:
        folder = require_game_folder(ref)
    except InputError:
        return []
    folders = {folder, find_layout_folder_of_game(folder), LAYOUTS / "common"}
    files = {file for each in folders for file in each.rglob("*.*") if file.is_file()}
    return sorted(file for file in files if file.name != "claims.yaml" and file.suffix != ".pyc")


def _restore_examination_in_cluster_worker(
    folder: str,
    choices: Sequence[tuple[Any, ...]],
    effort: MutationLimits,
    value_changes: Mapping[str, YamlValueChange] | None,
) -> MutantExamination:
    """Return the examination in a worker, ready for its children."""
    os.chdir(folder)  # places in files are named as seen from here
    received = MutantExamination([ClaimSetting(*choice) for choice in choices], effort, values=value_changes)
    received.compute_data_shared_by_changes()
    return received


def _examine_change_in_child_process(examination: MutantExamination, change_key: str) -> MutantOutcome:
    """Return one verdict, from a child process of a worker: it has its own limit, and may be killed."""
    allow_daemon_to_have_children()
    [verdict] = iter_child_results_as_they_finish(
        [change_key],
        examination.examine_change_editing_game_in_place,
        1,
        examination.effort.limit,
        examination.build_outcome_of_undecided_change,
    )
    assert isinstance(verdict, MutantOutcome)
    return verdict


# -- value outcomes ------------------------------------------------------------------------------------------
# The outcome of a changed value of a YAML file: refused, noticed by lint or a claim, or not played.

NOT_PLAYED = "not played"
"""The rules do not depend on the value: it is only printed, or unused."""


def examine_changed_yaml_value(
    settings: Sequence[ClaimSetting],
    value_change: YamlValueChange,
    effort: MutationLimits,
    earlier: StoredOutcomes | None = None,
) -> MutantOutcome:
    """Return the outcome of one changed value, or that of the same changed cards from an `earlier` run."""
    verdict = MutantOutcome(
        value_change.key,
        value_change.place,
        VALUE,
        value_change.change_text,
        value_change.component_id_or_empty,
        SURVIVED,
    )
    get_lint_findings_before_any_change(settings[0].ref)
    with override_file_by_value_change(value_change):
        cards = load_cards_or_detect_refusal(settings[0].ref)
        if isinstance(cards, Detection):
            return verdict.copy_with_state_and_detection(NOTICED, cards)
        games = list[tuple[ClaimSetting, Game]]()
        for setting in settings:
            game = _build_game_with_cards_or_detect_refusal(setting, cards)
            if isinstance(game, Detection):
                return verdict.copy_with_state_and_detection(NOTICED, game)
            noticed = _find_card_claim_that_notices_or_none(setting, game)
            if noticed is not None:
                return verdict.copy_with_state_and_detection(NOTICED, noticed)
            if digest(game) != setting.digest or list_laws_that_claims_have_for_cards(
                setting, game
            ) != list_laws_that_claims_have_for_cards(setting):
                games.append((setting, game))
    if not games:
        return verdict.copy_with_state_and_detection(NOT_PLAYED)
    verdict = replace(verdict, of=hash_changed_game_of_all_settings(games))
    if earlier and (found := earlier(verdict.of)):
        return copy_outcome_of_earlier_run(verdict, found)
    return detect_by_claims_then_recorded_games(verdict, games, effort)


def _find_card_claim_that_notices_or_none(setting: ClaimSetting, game: Game) -> Detection | None:
    """Return what a claim about the cards notices, also of a value that is not played."""
    context = Context()
    asked_of_cards = (q for q in setting.questions if q.ask == "ledger")
    return next(filter(None, (detect_by_kernel_card_count_or_none(game, q, context) for q in asked_of_cards)), None)


def load_cards_or_detect_refusal(ref: str) -> Cards | Detection:
    """Return the cards of a game as they read now, or why they are refused: loading fails, or lint
    finds a new error (see `get_lint_findings_before_any_change`)."""
    try:
        cards = load_game(ref)
        new = [
            f
            for f in list_all_lint_findings_of_game(ref)
            if f.severity == "error"
            and _get_code_and_message_of_finding(f) not in get_lint_findings_before_any_change(ref)
        ]
    except InputError as error:
        return Detection(error.findings[0].code, error.findings[0].message)
    except REFUSALS as error:
        return Detection("rules", f"the rules refuse the cards: {error}")
    return Detection(new[0].code, new[0].message) if new else cards


@lru_cache
def get_lint_findings_before_any_change(ref: str) -> frozenset[tuple[str, str]]:
    """Return what lint finds in the unchanged game. Call it once before anything is changed."""
    return frozenset(map(_get_code_and_message_of_finding, list_all_lint_findings_of_game(ref)))


def _get_code_and_message_of_finding(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def _build_game_with_cards_or_detect_refusal(setting: ClaimSetting, cards: Cards) -> Game | Detection:
    """Return the game under a setting with these cards, or why the rules refuse them."""
    try:
        return build(setting.ref, Options(dict(setting.values), dict(setting.rulings)), cards)
    except REFUSALS as error:
        return Detection("rules", f"the rules refuse the cards: {error}")
