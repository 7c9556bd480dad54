"""Simultaneous choices: each player commits in secret, then all choices are revealed together.

    bids = Together(g, "bid", range(0, 6), text="bid {bid}", then=award)
    ...
    bids.begin()                 # in a rule: every player is asked
    bids.of(seat)                # in a rule of `then`: what that seat chose

It uses the ordinary parts. Players are asked one after the other; a field that only they see holds
each choice; an automatic phase copies the choices to a field that all see. Nobody learns anything
before all have chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playproof.language.authoring import Game
from playproof.language.expr import Local, Term, Value, as_term
from playproof.language.fields import Sees
from playproof.language.parts import Over, Phase, make_parameter
from playproof.language.verbs import each, goto, otherwise, require, when


class Together:
    """A moment at which all players of a game choose at once.

    `over` are the choices, given as an action's parameter gives them. `asked(seat)` says who takes
    part (default: everybody); it must not change while they choose. `may(seat, choice)` says what a
    seat may choose; `rule` and `refusal` explain a refusal. `may` must not depend on what another
    seat has chosen.
    """

    def __init__(
        self,
        g: Game,
        name: str,
        over: Over,
        *,
        then: Phase,
        text: str = "",
        asked: Callable[[Value], Value] | None = None,
        may: Callable[[Value, Value], Value] | None = None,
        rule: str = "",
        refusal: str = "that cannot be chosen now",
    ) -> None:
        self._g, self._then, self._asked = g, then, asked
        made = make_parameter(name, over)
        # The cells hold 0 for no choice, so a number has to be named as well.
        labels = ("nothing", *map(made.format_value, made.values))
        self._low = made.low
        self._turn = g.integer(f"_{name}_turn", 0, g.players - 1)
        self._hidden = g.array(
            f"_{name}_hidden", g.players, 0, made.count, sees=Sees.OWNER, labels=labels, rule=rule
        )
        self._shown = g.array(name, g.players, 0, made.count, labels=labels, rule=rule)
        self.asking = g.phase(name, self._turn.to_term(), text=text.split("{")[0].strip() or name, rule=rule)
        self._next = g.automatic(f"{name} next")
        self._reveal = g.automatic(f"{name} revealed", text=f"each {name} is revealed")

        def choose(choice: Local) -> None:
            seat = self._turn.to_term()
            if may is not None:
                require(may(seat, choice), rule, refusal)
            self._hidden[seat] = choice - self._low + 1
            self._ask_next_seat_or_finish()

        # The parameter has the moment's name, so that texts read well; the body takes it by that
        # name.
        choices: dict[str, Any] = {name: over}
        g.add_action(
            self.asking,
            lambda **values: choose(values[name]),
            text or f"{name} {{{name}}}",
            rule=rule,
            name=name,
            secret=name,
            **choices,
        )
        may_choose = [self._make_may_choose_condition(seat) for seat in range(g.players)]
        g.facts["together"] = {**g.facts.get("together", {}), name: may_choose}
        g.on(self._next)(self._ask_or_skip_seat)
        g.on(self._reveal, reveals=f"_{name}_hidden")(self._reveal_all)

    def begin(self) -> None:
        """Ask every participant to choose, then reveal all choices; call it in a rule."""
        for seat in each(self._g.players):
            self._shown[seat] = 0
        self._turn.set(0)
        goto(self._next)

    def of(self, seat: Value) -> Term:
        """Return what a seat has chosen; meaningless for a seat that was not asked (see
        `took_part`)."""
        return self._shown[seat] - 1 + self._low

    def took_part(self, seat: Value) -> Term:
        """Return whether a seat has chosen."""
        return self._shown[seat] > 0

    def _make_may_choose_condition(self, seat: int) -> Value:
        """Return whether a seat still has to choose, while the players choose."""
        return (self._hidden[seat] == 0) & (as_term(self._make_takes_part_condition(seat)) != 0)

    def _make_takes_part_condition(self, seat: Value) -> Value:
        return 1 if self._asked is None else self._asked(seat)

    def _ask_next_seat_or_finish(self) -> None:
        """Ask the next seat, or finish if this was the last."""
        last = self._g.players - 1
        with when(self._turn.to_term() == last):
            goto(self._reveal)
        with otherwise():
            self._turn.set(self._turn.to_term() + 1)
            goto(self._next)

    def _ask_or_skip_seat(self) -> None:
        with when(self._make_takes_part_condition(self._turn.to_term())):
            goto(self.asking)
        with otherwise():
            self._ask_next_seat_or_finish()

    def _reveal_all(self) -> None:
        for seat in each(self._g.players):
            self._shown[seat] = self._hidden[seat]
            self._hidden[seat] = 0
        self._turn.set(0)
        goto(self._then)
