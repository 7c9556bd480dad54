"""A hint says what it rests on, and whether another seed would say something else."""

from collections.abc import Iterator

import pytest

from playproof.referee import Match, Variant
from playproof.referee.bots import Sight
from playproof.referee.bots.advice import Advice, advise
from playproof.referee.bots.tree import Line
from playproof.referee.engine import Engine
from playproof.rules.language.random import Stream

SEEDS = range(4)


def moments(variant: Variant, games: int = 4, steps: int = 4) -> Iterator[Sight]:
    """The first open decisions of some random games."""
    engine = Engine(variant.game)
    for number in range(games):
        match, stream = Match(variant, number), Stream(number)
        match.settle()
        for _ in range(steps):
            if match.over:
                break
            here = Sight.of(engine, match.states, match.actions, match.actor, "worlds")
            if len(here.legal) > 1:
                yield here
            match.apply(here.legal[stream.below(len(here.legal))])
            match.settle()


@pytest.mark.parametrize("game", ["tic_tac_toe", "nim", "kuhn_poker", "leduc_poker"])
def test_advice_called_stable_is_what_other_seeds_say(game: str) -> None:
    stable = 0
    for here in moments(Variant(game)):
        found = [advise(here, Stream(seed)) for seed in SEEDS]
        for one in found:
            if one.stable:
                stable += 1
                assert {other.best.ident for other in found} == {one.best.ident}
    assert stable > 0


def test_the_searches_of_one_seed_say_the_same_again() -> None:
    here = next(moments(Variant("leduc_poker")))
    assert advise(here, Stream(7), iterations=200) == advise(here, Stream(7), iterations=200)


@pytest.mark.parametrize(("advice", "said"), [
    (Advice(Line(0, 10, 1.0, (1.0, 1.0), True), Line(1, 5, 0.0, (-0.5, 0.5), False), 5, 5, 15, 1.0),
     "5 of 5 searches; proved: it brings 1; next `1`: mean return 0.00 (-0.50 to 0.50)"),
    (Advice(Line(0, 10, 0.5, (0.4, 0.6), False), None, 3, 5, 15, 1.0),
     "3 of 5 searches; 10 of 15 tries, mean return 0.50 (0.40 to 0.60); the searches do not agree, so another seed may "
     "say something else"),
    (Advice(Line(0, 10, 0.5, (0.4, 0.6), False), None, 5, 5, 10, 0.75),
     "5 of 5 searches; 10 of 10 tries, mean return 0.50 (0.40 to 0.60); to be done in 75 % of such moments, so that "
     "nobody can foresee it; another seed may name another choice"),
    (Advice(Line(0, 10, -1.0, (-1.0, -1.0), True), Line(1, 5, -1.0, (-1.0, -1.0), True), 5, 5, 15, 1.0),
     "5 of 5 searches; proved: it brings -1; next `1`: brings -1 for sure; another seed may name another choice"),
])
def test_what_it_rests_on_in_words(advice: Advice, said: str) -> None:
    assert advice.words(lambda ident: f"`{ident}`") == said


def test_a_proved_win_is_advised() -> None:
    """Three, four and five in heaps is won by the first player (Bouton 1901)."""
    here = next(moments(Variant("nim")))
    found = advise(here, Stream(1), iterations=4000)
    assert found.best.proved
    assert found.best.value == 1
