"""Random games by fixed seeds, under every setting that a claim asks about: a changed rule changes some of them.

A line of the golden file is one game: its setting, its seed, how many actions it takes, how it ends, and a digest of
every state with what was legal there. `pytest tests/cards/test_seeded_games.py --renew` writes them anew.
"""

from __future__ import annotations

import random
from collections import Counter
from hashlib import sha256

import pytest

from playproof.database.game import list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.language import CHANCE, Interpreter
from playproof.referee import Variant
from playproof.verifier.questions.claim_check import claim_to_question

GAMES = list_names_of_game_folders(CARDS)
SEEDS = range(2)
MOST_STEPS = 2_000
Setting = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]  # options, rulings


def settings_of_claims(name: str) -> list[Setting]:
    """Return every combination of options and rulings under which a claim of the game asks, sorted."""
    settings = set[Setting]()
    for claim in load_game(name).claims.values():
        if claim.ask == "ledger":  # about the cards, which are the same in each setting
            continue
        for _, question in claim_to_question(claim).iter_labels_and_questions_by_setting():
            options = {key: str(value) for key, value in question.values.items()}
            rulings = {key: str(value) for key, value in question.rulings.items()}
            settings.add((tuple(sorted(options.items())), tuple(sorted(rulings.items()))))
    return sorted(settings)


class SeededGame:
    """One game by a seed. An even seed chooses among all legal actions; an odd one among those whose name was
    taken least, so that rare rules are met."""

    def __init__(self, play: Interpreter, choices: str, seed: int) -> None:
        self.play = play
        self.curious = seed % 2 == 1
        # other games in each setting, or many would be the same
        self.random = random.Random(f"{choices} {seed}")
        self.taken = Counter[str]()
        self.steps = 0
        self.digest = sha256()
        self.state = play.start()

    def run(self) -> None:
        while not self.play.terminal(self.state) and self.steps < MOST_STEPS:
            legal = self.play.legal(self.state)
            self.digest.update(repr((self.state, legal)).encode())
            if not legal:
                return
            ident = self.choose(legal)
            self.taken[self.name(ident)] += 1
            self.state = self.play.apply(self.state, ident)
            self.steps += 1
        self.digest.update(repr(self.state).encode())

    def choose(self, legal: list[int]) -> int:
        if self.play.actor(self.state) == CHANCE:
            weights = [self.play.weight(self.state, ident) for ident in legal]
            return self.random.choices(legal, weights)[0]
        if self.curious:
            least = min(self.taken[self.name(ident)] for ident in legal)
            legal = [ident for ident in legal if self.taken[self.name(ident)] == least]
        return self.random.choice(legal)

    def name(self, ident: int) -> str:
        return self.play.game.get_action_of_ground_action_number(ident).name

    @property
    def end(self) -> str:
        ending = self.play.ending(self.state)
        return ending.reason if ending else "no end"


def choices_of(setting: Setting) -> str:
    options, rulings = setting
    return " ".join(f"{key}={value}" for key, value in (*options, *rulings)) or "as it is"


def line_of(choices: str, seed: int, played: SeededGame) -> str:
    return f"{choices} | seed {seed} | {played.steps} steps | {played.end} | {played.digest.hexdigest()[:16]}"


@pytest.mark.parametrize("name", GAMES)
def test_seeded_games_go_as_before(name: str, golden) -> None:
    lines = []
    for setting in settings_of_claims(name):
        options, rulings = setting
        play = Variant(name, dict(options), dict(rulings)).play
        for seed in SEEDS:
            played = SeededGame(play, choices_of(setting), seed)
            played.run()
            lines.append(line_of(choices_of(setting), seed, played))
    golden(f"seeded-{name}.txt", "".join(f"{line}\n" for line in lines))
