"""Bots: they play legally and repeatably, know no more than their seat, and are as good as they should be."""

from collections.abc import Callable

import pytest

from playproof.language import CHANCE
from playproof.language.random import Stream
from playproof.referee import Match, Variant
from playproof.referee.bots import BotError, Exact, Greedy, TreeSearch, make_bot
from playproof.referee.engine import Engine
from tests.referee.seats import choice, played, sight

Tiny = Callable[..., Variant]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine code: it gives the same results and need not be compiled here."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


pytestmark = pytest.mark.usefixtures("plain")


def test_the_engine_and_the_interpreter_agree_step_by_step(tiny: Tiny) -> None:
    for variant in (Variant("tic_tac_toe"), Variant("kuhn_poker"), tiny("dice"), tiny("secret")):
        engine, play, stream = Engine(variant.game), variant.play, Stream(4)
        for _ in range(20):
            state = play.start()
            assert engine.start() == state
            while not play.terminal(state):
                legal = engine.legal(state)
                assert legal == play.legal(state)
                assert engine.actor(state) == play.actor(state)
                assert engine.list_legal_actions_and_weights(state)[1] == [play.weight(state, i) for i in legal]
                ident = legal[stream.below(len(legal))]
                after = play.apply(state, ident)
                assert engine.apply(state, ident) == after
                state = after
            assert tuple(engine.returns(state)) == play.returns(state)


@pytest.mark.parametrize("bots", [["random", "greedy"], ["mcts:20", "random"]])
@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker"])
def test_a_game_between_bots_repeats(game: str, bots: list[str]) -> None:
    first = played(Variant(game), bots, 7)
    assert first.over
    assert played(Variant(game), bots, 7).actions == first.actions


def test_exact_knows_that_tic_tac_toe_is_a_draw() -> None:
    engine = Engine(Variant("tic_tac_toe").game)
    assert Exact().value(engine, engine.start()) == (0.0, 0.0)


def test_exact_takes_chance_at_its_mean(tiny: Tiny) -> None:
    engine = Engine(tiny("dice").game)
    assert Exact().value(engine, engine.start()) == (10.5,)


def test_exact_never_loses_tic_tac_toe() -> None:
    variant, exact, stream = Variant("tic_tac_toe"), Exact(), Stream(1)
    engine = Engine(variant.game)
    for seat in (0, 1):
        for _ in range(10):
            match = Match(variant)
            while not match.over:
                bot = exact if match.actor == seat else make_bot("random")
                match.apply(choice(bot, match, engine, stream))
            assert match.returns()[seat] >= 0


@pytest.mark.parametrize(
    ("game", "limit", "reason"),
    [("kuhn_poker", 1000, "hidden from a player"), ("tic_tac_toe", 100, "more than 100 positions")],
)
def test_exact_says_why_it_refuses(game: str, limit: int, reason: str) -> None:
    engine = Engine(Variant(game).game)
    with pytest.raises(BotError, match=reason):
        Exact(limit).value(engine, engine.start())


def test_tree_search_bets_the_king_and_folds_the_jack() -> None:
    """Both are the only undominated answers to a bet in Kuhn poker (Kuhn 1950). What is never best is soon never done,
    and what was tried at first is left out of the mixture."""
    variant = Variant("kuhn_poker")
    engine, answers = Engine(variant.game), set()
    for seed in range(12):
        match = Match(variant, seed)
        match.settle()
        match.apply("bet")
        ident = TreeSearch(1000).choose(sight(match, engine), Stream(seed))
        answers.add((match.game.get_field("hand").format_value(match.state[3]), variant.game.show(ident)))
    assert ("king", "bet") in answers
    assert ("king", "pass") not in answers
    assert ("jack", "pass") in answers
    assert ("jack", "bet") not in answers


def test_a_bot_meets_the_same_worlds_whatever_the_other_hand_is() -> None:
    """Two deals that look alike to the second player offer it the same set of worlds to think about."""
    variant = Variant("kuhn_poker")
    engine = Engine(variant.game)
    for card in ("jack", "queen", "king"):
        met = set()
        for other in {"jack", "queen", "king"} - {card}:
            match = Match(variant).apply_all([f"deal {other} to player 1", f"deal {card} to player 2", "bet"])
            here = sight(match, engine)
            met.add(frozenset(tuple(here.world(Stream(n))) for n in range(40)))
        assert len(met) == 1
        assert len(next(iter(met))) == 2


def test_greedy_follows_the_declared_evaluation(tiny: Tiny) -> None:
    variant = tiny("dice")
    match = Match(variant)
    engine = Engine(variant.game)
    # One step ahead a sure coin is worth 1 and a throw not yet rolled nothing.
    assert variant.game.show(Greedy().choose(sight(match, engine), Stream(0))) == "take a coin"


def test_greedy_without_evaluation_wins_when_it_can() -> None:
    variant = Variant("tic_tac_toe")
    match = Match(variant).apply_all(["mark 0", "mark 3", "mark 1", "mark 4"])
    ident = Greedy().choose(sight(match, Engine(variant.game)), Stream(0))
    assert variant.game.show(ident) == "mark 2"


def test_rollouts_are_the_random_streams_games(tiny: Tiny) -> None:
    """A rollout from the start with seed s is the game that stream s plays step by step."""
    variant = tiny("dice")
    engine = Engine(variant.game)
    batch = engine.run_playouts_from_state(engine.start(), 5, 3)
    assert batch.endings.tolist() == [1] * 5
    assert (batch.returns > 2).all()
    assert engine.actor(engine.start()) != CHANCE


@pytest.mark.parametrize("name", ["clever", "mcts:", "mcts:0", "mcts:x", "random:3", ""])
def test_unknown_bots_are_refused(name: str) -> None:
    with pytest.raises(BotError, match="there is no bot"):
        make_bot(name)
