"""Bots: they play legally and repeatably, know no more than their seat, and are as good as they should be."""

from collections.abc import Callable

import pytest

from playproof.referee import Match, Variant
from playproof.referee.bots import Bot, BotError, Exact, Greedy, Sight, TreeSearch, make_bot, sight_for
from playproof.referee.bots.tree import Style, Tree
from playproof.referee.engine import Engine
from playproof.referee.worlds import imagined, resample
from playproof.rules.language import CHANCE
from playproof.rules.language.machine import trees
from playproof.rules.language.random import Stream

Tiny = Callable[..., Variant]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine code: it gives the same results and need not be compiled here."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


pytestmark = pytest.mark.usefixtures("plain")


def sight(match: Match, engine: Engine) -> Sight:
    return Sight.of(engine, match.states, match.actions, match.actor)


def choice(bot: Bot, match: Match, engine: Engine, stream: Stream) -> int:
    return bot.choose(sight_for(bot, engine, match.states, match.actions, match.actor), stream)


def played(variant: Variant, bots: list[str], seed: int) -> Match:
    engine, stream = Engine(variant.game), Stream(seed)
    minds = [make_bot(name) for name in bots]
    match = Match(variant, seed)
    match.settle()
    while not match.over:
        match.apply(choice(minds[match.actor], match, engine, stream))
        match.settle()
    return match


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
                assert engine.weighted(state)[1] == [play.weight(state, i) for i in legal]
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


@pytest.mark.parametrize(("game", "limit", "reason"), [
    ("kuhn_poker", 1000, "hidden from a player"),
    ("tic_tac_toe", 100, "more than 100 positions"),
])
def test_exact_says_why_it_refuses(game: str, limit: int, reason: str) -> None:
    engine = Engine(Variant(game).game)
    with pytest.raises(BotError, match=reason):
        Exact(limit).value(engine, engine.start())


def test_tree_search_draws_with_perfect_play() -> None:
    for bots in (["mcts:1500", "exact"], ["exact", "mcts:1500"]):
        assert played(Variant("tic_tac_toe"), bots, 1).returns() == (0, 0)


def test_tree_search_bets_the_king_and_folds_the_jack() -> None:
    """Both are the only undominated answers to a bet in Kuhn poker (Kuhn 1950)."""
    variant = Variant("kuhn_poker")
    engine, answers = Engine(variant.game), set()
    for seed in range(24):
        match = Match(variant, seed)
        match.settle()
        match.apply("bet")
        ident = TreeSearch(120).choose(sight(match, engine), Stream(seed))
        answers.add((match.game.field_named("hand").show(match.state[3]), variant.game.show(ident)))
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
            match = Match(variant).follow([f"deal {other} to player 1", f"deal {card} to player 2", "bet"])
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
    match = Match(variant).follow(["mark 0", "mark 3", "mark 1", "mark 4"])
    ident = Greedy().choose(position(match, Engine(variant.game)), Stream(0))
    assert variant.game.show(ident) == "mark 2"


def test_rollouts_are_the_random_streams_games(tiny: Tiny) -> None:
    """A rollout from the start with seed s is the game that stream s plays step by step."""
    variant = tiny("dice")
    engine = Engine(variant.game)
    batch = engine.playouts(engine.start(), 5, 3)
    assert batch.endings.tolist() == [1] * 5
    assert (batch.returns > 2).all()
    assert engine.actor(engine.start()) != CHANCE


@pytest.mark.parametrize("name", ["clever", "mcts:", "mcts:0", "mcts:x", "random:3", ""])
def test_unknown_bots_are_refused(name: str) -> None:
    with pytest.raises(BotError, match="there is no bot"):
        make_bot(name)


# -- what is asked of a search ----------------------------------------------------------------------------------


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code: for tests that search much."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "1")


def first_choices(variant: Variant, budget: int, seeds: range) -> list[str]:
    """What a search does first, seed by seed."""
    engine, match = Engine(variant.game), Match(variant)
    return [variant.game.show(choice(TreeSearch(budget), match, engine, Stream(seed))) for seed in seeds]


@pytest.mark.usefixtures("machine")
def test_a_gamble_on_a_hidden_coin_is_declined(tiny: Tiny) -> None:
    """A search whose nodes are true actions calls the coin that it tossed itself, and gambles each time."""
    assert first_choices(tiny("gamble"), 400, range(40)) == ["leave"] * 40


@pytest.mark.usefixtures("machine")
def test_nim_is_won_from_a_won_start() -> None:
    """The first player wins 3-4-5 (Bouton 1901), here against the perfect player."""
    variant = Variant("nim")
    assert [played(variant, ["mcts:4000", "exact"], seed).returns() for seed in range(10)] == [(1, -1)] * 10


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("other", ["exact", "random"])
def test_tic_tac_toe_is_never_lost(seat: int, other: str) -> None:
    bots = ["mcts:1000", other] if seat == 0 else [other, "mcts:1000"]
    assert min(played(Variant("tic_tac_toe"), bots, seed).returns()[seat] for seed in range(12)) >= 0


def test_a_search_says_what_is_proved() -> None:
    """Two in a row and nobody in the way: won, and the search stops as soon as it knows."""
    variant = Variant("tic_tac_toe")
    match = Match(variant).follow(["mark 0", "mark 3", "mark 1", "mark 4"])
    best, *rest = TreeSearch(400).search(sight(match, Engine(variant.game)), Stream(0))
    assert (variant.game.show(best.ident), best.proved, best.value) == ("mark 2", True, 1.0)
    assert sum(line.visits for line in (best, *rest)) < 400


@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker", "hands", "dice", "gamble", "twins"])
def test_machine_code_and_plain_python_search_alike(tiny: Tiny, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = Variant(game) if game in ("tic_tac_toe", "kuhn_poker") else tiny(game)
    match = Match(variant, 3)
    match.settle()
    found = []
    for machine in ("0", "1"):
        monkeypatch.setenv("PLAYPROOF_MACHINE", machine)
        engine = Engine(variant.game)
        here = sight(match, engine)
        found.append((TreeSearch(150).search(here, Stream(1)), TreeSearch(150).choose(here, Stream(2))))
    assert found[0] == found[1]
    assert sum(line.visits for line in found[0][0]) > 50


def test_hidden_worlds_that_differ_share_their_nodes(tiny: Tiny) -> None:
    """The searching seat's own node is one, whatever the coin under the cup is."""
    variant = tiny("gamble")
    match = Match(variant).follow(["gamble", "the coin falls tails"])
    engine = Engine(variant.game)
    tree = Tree(sight(match, engine), Stream(0), Style())
    tree.grow(50)
    assert tree.facts[trees.NODES] == 1
    lines = tree.lines()
    assert all(line.interval[0] < -0.5 < line.interval[1] for line in lines)


# -- exact ------------------------------------------------------------------------------------------------------


def test_exact_leaves_a_game_that_can_go_round_in_circles(tiny: Tiny) -> None:
    variant = tiny("loop")
    engine = Engine(variant.game)
    assert Exact().value(engine, engine.start()) == (1.0,)
    assert played(variant, ["exact"], 1).returns() == (1,)


@pytest.mark.usefixtures("machine")
def test_exact_plays_pig_as_well_as_can_be() -> None:
    """53.06 % for the first player (Neller and Presser 2004)."""
    engine = Engine(Variant("pig").game)
    first, second = Exact().value(engine, engine.start())
    assert round(50 + 50 * first, 2) == 53.06
    assert first == -second


def test_exact_keeps_games_apart() -> None:
    """Engines that come and go may lie in the same place; what was worked out for one is never used for another."""
    for heaps, value in (("1-1", -1.0), ("2-1", 1.0)) * 10:
        engine = Engine(Variant("nim", {"heaps": heaps}).game)
        assert Exact().value(engine, engine.start())[0] == value


# -- nobody peeks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["kuhn_poker", "hands", "secret", "leduc_poker", "masked_guests"])
def test_a_sight_is_the_same_whatever_is_hidden(tiny: Tiny, game: str) -> None:
    """All that a bot is given is equal in worlds that the seat cannot tell apart: there is nothing in it to cheat with."""
    variant = tiny(game) if game in ("hands", "secret") else Variant(game)
    engine, play, stream = Engine(variant.game), variant.play, Stream(5)
    compared = 0
    states, actions = [play.start()], list[int]()
    while not play.terminal(states[-1]):
        seat = play.actor(states[-1])
        if seat != CHANCE:
            history = imagined(play, states, actions, seat).history
            if history is not None:
                other_states, other_actions = history(stream)
                mine = contents(Sight.of(engine, states, actions, seat))
                assert contents(Sight.of(engine, other_states, other_actions, seat)) == mine
                compared += other_states != states
            elif states[-1] != (world := resample(play, states, actions, seat, stream)):
                mine = contents(Sight.of(engine, states, actions, seat, "worlds"))
                assert contents(Sight.of(engine, [*states[:-1], world], actions, seat, "worlds")) == mine
                compared += 1
        legal = play.legal(states[-1])
        actions.append(legal[stream.below(len(legal))])
        states.append(play.apply(states[-1], actions[-1]))
    assert compared > 0


def contents(here: Sight) -> tuple[object, ...]:
    """All that is in a sight."""
    assert here.worlds is not None
    return (here.seat, here.legal, here.cells, here.information, here.worlds.kept, here.worlds.plan,
            [here.world(Stream(n)) for n in range(8)])


# -- exploitability ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("machine")
def test_kuhn_pokers_exploitability_falls_with_the_budget() -> None:
    """What a best response wins against the search, averaged over both seats; an equilibrium has 0 (Kuhn 1950)."""
    pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    from tests.referee.exploit import exploitability_of

    found = [exploitability_of("kuhn_poker", budget, seeds=4) for budget in (20, 1000, 20_000)]
    assert found[0] > found[1] > found[2]
    assert found[2] < 0.02
