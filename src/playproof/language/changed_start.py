"""Other numbers to start with, as options that every game has: `start.food=2` begins with 2 Food.

Such a number is a quantity that is one cell, as `g.quantity("food", s.food)` declares it. What the rules do before
anybody acts comes after it.
"""

from __future__ import annotations

from playproof.language.expr import Const, Read
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.options import OptionError, Options

PREFIX = "start."
"""How the name of such an option begins."""


def find_start_quantities(game: Game) -> dict[str, tuple[Field, int]]:
    """Return the quantities of a game that are one cell: the field and the place in it, by name. The phase and the
    outcome are none, because the game itself says how they begin."""
    own = (game.current_phase.field, game.outcome.field)
    return {
        name: (term.field, term.index.value)
        for name, term in game.quantities.items()
        if isinstance(term, Read) and isinstance(term.index, Const) and term.field not in own
    }


def apply_start_options(game: Game, options: Options) -> None:
    """Give the chosen numbers to a game that is not sealed yet. Raises OptionError."""
    there = find_start_quantities(game)
    for option, chosen in options.values.items():
        name = option.removeprefix(PREFIX)
        if name == option or option in options.asked:  # no such option, or one that the rules know
            continue
        if name not in there:
            raise OptionError(f"{option}: `{game.name}` starts with {', '.join(there) or 'no such numbers'}")
        field, cell = there[name]
        written = str(chosen)
        value = int(written) if written.removeprefix("-").isdecimal() else None
        if value is None or not field.lo <= value <= field.hi:
            raise OptionError(f"{option}={written}: expected a number from {field.lo} to {field.hi}")
        options.asked.add(option)
        options.usual[option] = str(field.start[cell])
        field.start = (*field.start[:cell], value, *field.start[cell + 1 :])
