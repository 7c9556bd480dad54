"""A hint says what it rests on, and whether another seed would say something else."""

from collections.abc import Iterator

import pytest

from playproof.language.random import Stream
from playproof.referee import Match, Variant
from playproof.referee.bots import Sight, TreeSearch
from playproof.referee.bots.tree_search import Advice, Candidate, compute_advice_from_several_searches
from playproof.referee.engine import Engine

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
        found = [compute_advice_from_several_searches(here, Stream(seed)) for seed in SEEDS]
        for one in found:
            if one.stable:
                stable += 1
                assert {other.best.ident for other in found} == {one.best.ident}
    assert stable > 0


def test_the_searches_of_one_seed_say_the_same_again() -> None:
    here = next(moments(Variant("leduc_poker")))
    assert compute_advice_from_several_searches(
        here, Stream(7), iterations=200
    ) == compute_advice_from_several_searches(here, Stream(7), iterations=200)


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        (
            Advice(Candidate(0, 10, 1.0, (1.0, 1.0), True), Candidate(1, 5, 0.0, (-0.5, 0.5), False), 5, 5, 15, 1.0),
            "5 of 5 searches; proved: it brings 1; next `1`: mean return 0.00 (-0.50 to 0.50)",
        ),
        (
            Advice(Candidate(0, 10, 0.5, (0.4, 0.6), False), None, 3, 5, 15, 1.0),
            "3 of 5 searches; 10 of 15 tries, mean return 0.50 (0.40 to 0.60); the searches do not "
            "agree, so another seed may "
            "say something else",
        ),
        (
            Advice(Candidate(0, 10, 0.5, (0.4, 0.6), False), None, 5, 5, 10, 0.75),
            "5 of 5 searches; 10 of 10 tries, mean return 0.50 (0.40 to 0.60); to be done in 75 % of "
            "such moments, so that "
            "nobody can foresee it; another seed may name another choice",
        ),
        (
            Advice(
                Candidate(0, 10, -1.0, (-1.0, -1.0), True), Candidate(1, 5, -1.0, (-1.0, -1.0), True), 5, 5, 15, 1.0
            ),
            "5 of 5 searches; proved: it brings -1; next `1`: brings -1 for sure; another seed may name another choice",
        ),
        (
            Advice(
                Candidate(0, 10, 0.1, (0.0, 0.2), False),
                Candidate(1, 8, 0.15, (0.0, 0.3), False),
                5,
                5,
                18,
                1.0,
                Candidate(1, 8, 0.15, (0.0, 0.3), False),
                judged=True,
            ),
            "5 of 5 searches; 10 of 18 tries, mean return 0.10 (0.00 to 0.20); next `1`: mean return "
            "0.15 (0.00 to 0.30); "
            "`1` has the higher mean, but a search ends on the choice that it tried most, guided by "
            "the game's evaluation; "
            "the two means are within chance of each other",
        ),
        (
            Advice(
                Candidate(0, 10, 0.1, (0.0, 0.2), False),
                Candidate(1, 8, 0.0, (-0.3, 0.3), False),
                5,
                5,
                18,
                1.0,
                Candidate(2, 2, 0.9, (0.8, 1.0), False),
            ),
            "5 of 5 searches; 10 of 18 tries, mean return 0.10 (0.00 to 0.20); next `1`: mean return "
            "0.00 (-0.30 to 0.30); "
            "`2` has a higher mean: mean return 0.90 (0.80 to 1.00), but a search ends on the choice "
            "that it tried most",
        ),
        (
            Advice(
                Candidate(0, 10, 0.1, (0.0, 0.2), False),
                None,
                5,
                5,
                18,
                0.96,
                Candidate(2, 2, 0.9, (0.8, 1.0), False),
                mixed=True,
            ),
            "5 of 5 searches; 10 of 18 tries, mean return 0.10 (0.00 to 0.20); to be done in 96 % of "
            "such moments, so that "
            "nobody can foresee it; `2` has a higher mean: mean return 0.90 (0.80 to 1.00), but how "
            "often to make each choice "
            "is learnt against the best answers to it",
        ),
        (
            Advice(
                Candidate(0, 10, 0.0, (0.0, 0.0), True), None, 5, 5, 18, 1.0, Candidate(2, 2, 0.9, (0.8, 1.0), False)
            ),
            "5 of 5 searches; proved: it brings 0; `2` has a higher mean: mean return 0.90 (0.80 to "
            "1.00), which is not "
            "proved",
        ),
    ],
)
def test_what_it_rests_on_in_words(advice: Advice, said: str) -> None:
    assert advice.describe_reasons_in_one_line(lambda ident: f"`{ident}`") == said


def test_a_hint_tells_the_searches_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It once printed the tries of some searches, and chose by others."""
    made: list[list[Candidate]] = []
    search = TreeSearch.rank_choices_by_search

    def noted(self: TreeSearch, sight: Sight, stream: Stream) -> list[Candidate]:
        made.append(search(self, sight, stream))
        return made[-1]

    monkeypatch.setattr(TreeSearch, "rank_choices_by_search", noted)
    advice = compute_advice_from_several_searches(next(moments(Variant("opale"))), Stream(1), iterations=100)
    assert len(made) == advice.searches
    assert advice.agreed == sum(lines[0].ident == advice.best.ident for lines in made)
    assert advice.best.visits == sum(line.visits for lines in made for line in lines if line.ident == advice.best.ident)


def test_a_choice_with_a_higher_mean_is_explained() -> None:
    seen = 0
    for here in moments(Variant("opale"), games=3, steps=6):
        advice = compute_advice_from_several_searches(here, Stream(1), iterations=100)
        higher = advice.rival is not None and advice.rival.value > advice.best.value
        assert higher == (
            " mean, but " in advice.describe_reasons_in_one_line(str)
            or "), but " in advice.describe_reasons_in_one_line(str)
        )
        assert advice.second is None or advice.second.value <= advice.best.value or higher
        seen += higher
    assert seen, "the case that was not explained"


def test_a_proved_win_is_advised() -> None:
    """Three, four and five in heaps is won by the first player (Bouton 1901)."""
    here = next(moments(Variant("nim")))
    found = compute_advice_from_several_searches(here, Stream(1), iterations=4000)
    assert found.best.proved
    assert found.best.value == 1
