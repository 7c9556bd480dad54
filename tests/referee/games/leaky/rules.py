"""A game with a mistake: a guess is legal only if it is right, so the legal actions tell the secret."""

from playproof.language import CHANCE, Game, Local, Sees, goto, require, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """One player guesses a number that chance has chosen."""
    g = Game("leaky")
    s = g.state
    g.integer("secret", 0, 3, sees=Sees.NOBODY)
    g.fact(exchangeable=[{"counts": ["bag"], "slots": {"secret": None}, "first": 1}])
    g.array("bag", 3, 0, 1, 1, sees=Sees.NOBODY)
    hide = g.phase("hide", CHANCE)
    guess = g.phase("guess", 0)

    @g.action(hide, "hide {number}", number=3)
    def put(number: Local) -> None:
        s.bag[number] = 0
        s.secret = number + 1
        goto(guess)

    @g.action(guess, "say {number}", number=3, rule="L1")
    def say(number: Local) -> None:
        require(s.secret == number + 1, "L1", "that is not the number")
        win("guessed")

    return g
