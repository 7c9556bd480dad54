"""Claims that a change is said not to reach, asked all the same:
`python -m tests.verifier.unaffected COUNT SEED eila opale`.

Random values of cards change, one at a time, by a seed. Of the claims that `errata` would not ask, some are asked of
both versions. Their answers must be equal.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import yaml

from playproof.database.errors import InputError
from playproof.database.game import require_game_folder
from playproof.errata.claim_comparison import GameVersions
from playproof.errata.consistency import are_cards_refused_or_rules_missing
from playproof.generator.layout.layout_renderer import LAYOUTS
from playproof.verifier.prove import load_claims_as_questions_or_raise, prove

ERRATUM = """version: "{version}"
date: 2026-11-20
status: proposed
note: A random value.
changes:
  - {{component: "{card}", path: {path}, from: {old}, to: {new}}}
"""


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield every whole number below a value of a card, with its dotted path."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from numbers(item, f"{path}.{key}" if path else str(key))


def _by_id(cards: Any) -> Iterator[tuple[str, Any]]:
    """Yield the cards of a file by id; some files hold a mapping, others a list."""
    yield from cards.items() if isinstance(cards, dict) else ((card["id"], card) for card in cards)


def planted(game: Path, count: int, seed: int) -> Iterator[str]:
    """Write errata that each change one random value by one, and yield the versions that the rules accept."""
    files = [yaml.safe_load(path.read_text("utf-8")) for path in sorted(game.glob("*.yaml"))]
    kinds = [file["components"] for file in files if isinstance(file, dict) and "kind" in file]
    cards = [pair for each in kinds for pair in _by_id(each)]
    values = [(ident, path, value) for ident, card in cards for path, value in numbers(card) if path != "id"]
    Random(seed).shuffle(values)
    (game / "errata").mkdir(exist_ok=True)
    accepted = 0
    for number, (card, path, old) in enumerate(values):
        version = f"9.{number}"
        file = game / "errata" / f"{version}.yaml"
        file.write_text(ERRATUM.format(version=version, card=card, path=path, old=old, new=old + 1), "utf-8")
        try:
            refused = are_cards_refused_or_rules_missing(str(game), version)
        except InputError:
            refused = True
        if refused:
            file.unlink()
            continue
        yield version
        accepted += 1
        if accepted == count:
            return


def differing(game: Path, count: int, seed: int, most: int) -> tuple[int, int, list[str]]:
    """Return how many claims were said to be unaffected, how many of them (at most so many of a change) were asked of
    both versions, and which answers differ."""
    ref, claimed, asked, wrong = str(game), 0, 0, []
    for version in planted(game, count, seed):
        versions = GameVersions(ref, True, version, load_claims_as_questions_or_raise(ref))
        alike = [claim.id for claim in versions.claims.values() if versions.has_same_premises_in_both_versions(claim)]
        chosen = Random(f"{seed} {version}").sample(alike, min(most, len(alike)))
        claimed, asked = claimed + len(alike), asked + len(chosen)
        if not chosen:
            continue
        before, after = (
            {a.id: (a.verdict, a.value) for a in prove(ref, only=chosen, errata=side, work=8)}
            for side in (True, version)
        )
        wrong += [f"{version} {ident}" for ident in chosen if before[ident] != after[ident]]
        print(f"{version}: {len(alike)} unaffected; {asked} asked so far, different: {wrong}", flush=True)
    return claimed, asked, wrong


def main(count: int, seed: int, games: list[str]) -> None:
    """Plant so many changes, shared out among the games, and print what was asked and what differed."""
    claimed, asked, wrong = 0, 0, list[str]()
    for number, name in enumerate(games):
        share = count // len(games) + (number < count % len(games))
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / name
            copytree(require_game_folder(name), copy)
            copytree(LAYOUTS / name, copy / "layouts")
            counts = differing(copy, share, seed, most=2)
        claimed, asked, wrong = claimed + counts[0], asked + counts[1], wrong + counts[2]
    print(f"{count} changes, {claimed} claims unaffected, {asked} asked of both versions, different: {wrong}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
