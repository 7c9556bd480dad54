"""Bots in their seats: what a seat sees, what a bot then chooses, and a whole game of them."""

from playproof.language.random import Stream
from playproof.referee import Match, Variant
from playproof.referee.bots import Bot, Sight, make_bot, make_sight_that_bot_asks_for
from playproof.referee.engine import Engine


def sight(match: Match, engine: Engine) -> Sight:
    """What the seat that is to act sees."""
    return Sight.of(engine, match.states, match.actions, match.actor)


def choice(bot: Bot, match: Match, engine: Engine, stream: Stream) -> int:
    """What a bot does in the seat that is to act."""
    return bot.choose(make_sight_that_bot_asks_for(bot, engine, match.states, match.actions, match.actor), stream)


def played(variant: Variant, bots: list[str], seed: int) -> Match:
    """A whole game between bots, one per seat."""
    engine, stream = Engine(variant.game), Stream(seed)
    minds = [make_bot(name) for name in bots]
    match = Match(variant, seed)
    match.settle()
    while not match.over:
        match.apply(choice(minds[match.actor], match, engine, stream))
        match.settle()
    return match
