"""Mutation testing of games: change rules and cards one at a time, and report the changes that no
claim notices.

    report = mutate("mygame", number=100, seed=1)
    print(*report.lines(), sep="\\n")
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, InputError, Where
from playproof.database.game import find_game_folder
from playproof.mutation.distinguishing_games import GameRecording, select_distinguishing_games
from playproof.mutation.examination import MutantExamination, find_files_read_by_lint
from playproof.mutation.noticed_report import (
    count_detections_by_claim,
    format_claims_without_detection,
    format_part_report,
    mutation_report_to_json,
)
from playproof.mutation.sampling import (
    VALUE,
    MutantOutcome,
    MutationLimits,
    OutcomeStore,
    remove_false_claims,
    sample_mutant_keys,
)
from playproof.mutation.values import YamlValueChange, list_changeable_values, list_effect_exchanges
from playproof.mutation.ways_to_play import build_settings_of_claims
from playproof.verifier.questions.claims import Question


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
