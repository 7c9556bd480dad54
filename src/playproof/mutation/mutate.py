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
from playproof.database.game import find_game
from playproof.mutation.distinguishing_games import Recording, distinguishing
from playproof.mutation.examination import Examination, read_by_lint
from playproof.mutation.noticed_report import as_json, by_claim, lines, silent_claims
from playproof.mutation.sampling import Effort, Log, Verdict, sample, untrue
from playproof.mutation.values import Value, exchanges, values
from playproof.mutation.ways_to_play import settings_of
from playproof.verifier.questions.claims import Question


@dataclass(frozen=True)
class Mutated:
    """The outcome of the sampled changes of rules and cards. `false` are claims that the unchanged
    game breaks, `claims` those that were asked."""

    game: str
    seed: int
    rules: tuple[Verdict, ...]
    cards: tuple[Verdict, ...]
    false: tuple[str, ...]
    claims: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return the report for people."""
        left = (
            [f"not asked, since the game as it is breaks them: {', '.join(self.false)}"] if self.false else []
        )
        return [
            *left,
            *lines("rules", self.rules),
            *lines("cards", self.cards),
            *silent_claims(self.claims, (*self.rules, *self.cards)),
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the report for scripts."""
        report = as_json(self.game, self.seed, self.rules, self.cards)
        rows = by_claim(self.claims, (*self.rules, *self.cards))
        return {**report, "claims": rows, "false": list(self.false)}


def mutate(
    ref: str,
    *,
    number: int = 100,
    cards: int = 0,
    seed: int = 0,
    workers: int = 2,
    output: Path | None = None,
    effort: Effort | None = None,
    claims: dict[str, Question] | None = None,
    say: Callable[[str], None] | None = None,
    client: Any = None,
) -> Mutated:
    """Change a game's rules (`number` times) and card values (`cards` times), one at a time, and
    check each change against the claims.

    A run that was stopped continues from its log in the folder `output`. Samples depend on the seed
    alone. With a Dask `client`, its workers examine the changes; they read the game at the same path.
    """
    effort = effort or Effort()
    settings = settings_of(ref, claims)
    if not settings and (number or cards):
        place = Where(str(find_game(ref) / "claims.yaml"))
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
    false = untrue(settings, effort)
    folder, name = output or Path("output"), Path(ref).resolve().name
    log = Log(folder / name / "mutants.jsonl", settings, effort, read_by_lint(ref), number > 0)

    def examined(keys: Sequence[str], values: dict[str, Value] | None = None) -> tuple[Verdict, ...]:
        todo = [key for key in keys if key not in log.verdicts]
        made = Examination(settings, effort, log.earlier, values).verdicts(todo, workers, client)
        log.take(made, keys, "rules" if values is None else "cards", say)
        return tuple(log.verdicts[key] for key in keys)

    of_rules = examined(sample(settings, number, seed)) if number else ()
    chosen = {value.key: value for value in card_values(ref, cards, seed)} if cards else {}
    of_cards = examined(list(chosen), chosen) if cards else ()
    claim_ids = tuple(question.id for setting in settings for question in setting.questions)
    return Mutated(name, seed, of_rules, of_cards, tuple(false), claim_ids)


def propose(ref: str, keys: Sequence[str], *, games: int = 60, seed: int = 0) -> list[Recording]:
    """Return a few games that distinguish changed rules, given by their keys, from the unchanged
    ones, to be recorded as `example` claims."""
    return distinguishing(settings_of(ref), keys, games, seed)


def card_values(ref: str, number: int, seed: int) -> list[Value]:
    """Return a random sample of the numbers and names on cards, of the defaults of options and rulings, and of the
    effects that two cards may exchange."""
    played = [v for v in values(ref) if v.plays and (v.card or v.path[-1:] == ("default",))]
    played += exchanges(ref)
    return random.Random(seed).sample(played, min(number, len(played)))


__all__ = ["Effort", "Mutated", "card_values", "mutate", "propose"]
