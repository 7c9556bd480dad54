"""Seeds of games that people play: what a seat has seen does not tell what chance will bring."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from playproof.language import CHANCE
from playproof.language.keyed_random import SEED_BITS, KeyedStream, generate_secret_seed
from playproof.language.random import GOLDEN, MASK, Stream, make_game_seed, mix_bits
from playproof.referee import Match, Variant
from playproof.referee.recorded_games import load
from playproof.referee.terminal import TerminalSession
from playproof.referee.transcript import parse_transcript_text_or_raise, save, write


def unmixed(z: int) -> int:
    """The input of splitmix64's output function, which can be run backwards."""
    z ^= z >> 31 ^ z >> 62
    z = z * pow(0x94D049BB133111EB, -1, 1 << 64) & MASK
    z ^= z >> 27 ^ z >> 54
    z = z * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & MASK
    return z ^ z >> 30 ^ z >> 60


def test_the_numbers_of_runs_can_be_computed_backwards() -> None:
    """The attack that the next test finds prevented: of one whole output follow the seed and all other games."""
    assert unmixed(mix_bits(12345)) == 12345
    run, index = 0x1234, 7
    seed = unmixed((unmixed(make_game_seed(run, index)) - index * GOLDEN) & MASK)
    assert seed == run


def test_chance_at_a_table_does_not_draw_the_numbers_of_runs() -> None:
    """A search through seeds with the fast generator does not find what chance does, even if it tries the right one."""
    steps, alike = 0, 0
    for seed in range(8):
        match = Match(Variant("pig"), seed)
        while not match.over and len(match.steps) < 60:
            if match.actor == CHANCE:
                legal = match.legal()
                fast = Stream(make_game_seed(seed, len(match.steps))).draw_weighted_index(
                    [move.weight for move in legal]
                )
                alike += legal[fast].ident == match.take_chance_action_of_seed_or_raise().ident
                steps += 1
            else:
                match.apply(match.play.legal(match.state)[0])
    assert steps > 150
    assert alike < 0.4 * steps  # a die of six sides agrees by chance in a sixth of the rolls


def test_seeds_are_of_128_bits_and_never_the_same() -> None:
    seeds = [generate_secret_seed() for _ in range(200)]
    assert len(set(seeds)) == 200
    assert max(seeds) < 1 << SEED_BITS
    assert all(any(seed >> bit & 1 for seed in seeds) for bit in range(SEED_BITS))


@pytest.mark.parametrize("n", [1, 2, 3, 6, 52, 1000, (1 << 64) + 1, 1 << 200])
def test_numbers_lie_in_their_range(n: int) -> None:
    stream = KeyedStream(1, "range")
    assert all(0 <= stream.below(n) < n for _ in range(200))


def test_numbers_are_fair() -> None:
    """The statistic of 60,000 rolls of a die, five degrees of freedom: less than 25 but once in 7,000 tries."""
    stream = KeyedStream(2, "die")
    rolls = Counter(stream.below(6) for _ in range(60_000))
    assert sum((rolls[side] - 10_000) ** 2 / 10_000 for side in range(6)) < 25


def test_small_numbers_do_not_come_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block above the last whole multiple is drawn again."""
    blocks = iter([(1 << 512) - 1, 5])
    monkeypatch.setattr(KeyedStream, "_generate_next_block", lambda _: next(blocks))
    assert KeyedStream(0).below(3) == 2
    assert (1 << 512) % 3 == 1, "the first block is the one that would favour 0"


def test_each_purpose_has_numbers_of_its_own() -> None:
    labels = [("chance", 0), ("chance", 1), ("bot", 0), ("hint", 0), ("suppose", 0), ("chance", 10), ("chance", 1, 0)]
    drawn = {tuple(KeyedStream(5, *label).below(1 << 64) for _ in range(2)) for label in labels}
    drawn |= {(KeyedStream(seed, "chance", 0).below(1 << 64), 0) for seed in (6, -5, 5 + (1 << 64), 5 + (1 << 128))}
    assert len({first for first, _ in drawn}) == len(labels) + 4


def test_a_seed_that_is_named_gives_the_same_game() -> None:
    first, second, other = (Match(Variant("kuhn_poker"), seed) for seed in (9, 9, 10))
    for match in (first, second, other):
        match.settle()
    assert first.actions == second.actions
    games = set()
    for seed in range(20):
        match = Match(Variant("kuhn_poker"), seed)
        match.settle()
        games.add(tuple(match.actions))
    assert len(games) > 3


def test_a_choice_taken_back_and_taken_again_meets_the_same_cards() -> None:
    match = Match(Variant("pig"), generate_secret_seed())
    match.apply(match.play.legal(match.state)[0])
    match.settle()
    before = match.actions
    match.undo()
    match.apply(before[0])
    match.settle()
    assert match.actions == before


def test_a_seed_of_128_bits_is_saved_and_read(tmp_path: Path) -> None:
    seed = (1 << SEED_BITS) - 1
    match = Match(Variant("kuhn_poker"), seed, seats=("person", "person"))
    match.settle()
    save(match, tmp_path / "game.txt")
    again = load(tmp_path / "game.txt")
    assert (again.seed, again.actions) == (seed, match.actions)
    assert "seed" not in write(match, seed=False)
    assert parse_transcript_text_or_raise(write(match, seed=False)).seed_where is None


def said(*lines: str, seed: int | None) -> tuple[str, TerminalSession]:
    """What a session prints for these lines."""
    out, given = io.StringIO(), iter(lines)
    session = TerminalSession(
        Variant("kuhn_poker"),
        ("person", "random"),
        seed,
        Console(file=out, width=200),
        lambda prompt: next(given, None),
    )
    session.run_until_quit_or_input_ends()
    return out.getvalue(), session


def test_the_seed_of_a_game_under_way_is_not_told() -> None:
    told, session = said("seed", seed=None)
    assert str(session.match.seed) not in told
    assert "secret until the game is over" in told
    over: Iterator[str] = iter(["1", "1", "1", "seed"])
    told, session = said(*over, seed=None)
    assert session.match.over
    assert f"seed {session.match.seed}" in told


def test_the_seed_that_a_person_named_is_told() -> None:
    assert "seed 41" in said("seed", seed=41)[0]
    told, session = said("seed 43", "seed", seed=None)
    assert "seed 43" in told
    assert session.match.seed == 43


def test_without_a_seed_two_games_differ() -> None:
    assert said(seed=None)[1].match.seed != said(seed=None)[1].match.seed
