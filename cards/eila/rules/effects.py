"""What the symbols on the cards do, step by step, and what happens to tokens that find no room."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from playproof import (
    Local,
    Phase,
    Term,
    Value,
    all_of,
    any_of,
    cite,
    count_of,
    goto,
    keep,
    lose,
    max_of,
    min_of,
    otherwise,
    pick,
    require,
    when,
)

from .names import CardPlace, Resource
from .option_steps import StepOperation
from .state import GameUnderConstruction

FEAR_DROPS = (Resource.ENERGY, Resource.KNOWLEDGE)


def declare_resolution_of_option_effects(t: GameUnderConstruction) -> None:
    """The automatic phase that resolves an option, and the choices it stops for."""
    _declare_dropping_or_foregoing_tokens(t)
    bodies: dict[StepOperation, Callable[[], None]] = {op: partial(body, t) for op, body in PLAIN.items()}
    occurring = {op for op, _, _ in t.script.steps}
    if StepOperation.SLASH in occurring:
        bodies[StepOperation.SLASH] = _declare_slash_choice_and_get_step_body(t)
    if StepOperation.CONVERT in occurring:
        bodies[StepOperation.CONVERT] = _declare_x_amount_choice_and_get_body(t)
    make_room = _declare_giving_up_token_for_fear(t)
    s = t.s

    @t.g.on(t.resolve)
    def resolve() -> None:
        step = t.op[s.at]
        with when(s.left > 0):
            _place_gained_tokens_or_ask_for_room(t, make_room)
        for op in StepOperation:
            if op in occurring and op in bodies:
                with otherwise(step == op):
                    bodies[op]()


# -- steps ------------------------------------------------------------------------------------------------------


def _advance_option_to_next_step(t: GameUnderConstruction) -> None:
    t.s.at = t.s.at + 1


def _set_waiting_tokens_from_gain_step(t: GameUnderConstruction) -> None:
    cite("R38", "R39", "R51")
    s = t.s
    s.left = min_of(t.num[s.at], t.supply(t.arg[s.at]))
    _advance_option_to_next_step(t)


def _pay_held_tokens_of_step(t: GameUnderConstruction) -> None:
    cite("R52", "R53")
    s = t.s
    kind = t.arg[s.at]
    s.have[kind] = s.have[kind] - min_of(t.num[s.at], s.have[kind])
    _advance_option_to_next_step(t)


def _lose_heart_or_gain_tokens_by_item(t: GameUnderConstruction) -> None:
    """Lose a Heart, or what an item puts in its place the first time (R56, R60)."""
    cite("R56")
    s, guards = t.s, t.box.list_item_indexes_at_moment("heart-loss")
    if guards:
        item, saves = t.box.items[guards[0]], t.has_item_in_front_of_player(guards[0])
        with when(saves & (s.saved == 0) if item.once else saves):
            if item.once:
                s.saved = 1
            s.left = min_of(item.amount, t.supply(Resource.FEAR if item.resource is None else item.resource))
        with otherwise():
            lose_heart_and_maybe_game(t)
    else:
        lose_heart_and_maybe_game(t)
    _advance_option_to_next_step(t)


def _move_called_card_to_future(t: GameUnderConstruction) -> None:
    cite("R57")
    s = t.s
    with when(s.where[t.arg[s.at]] == CardPlace.DECK):
        s.where[t.arg[s.at]] = CardPlace.FUTURE
    _advance_option_to_next_step(t)


def _move_called_card_to_stand_front(t: GameUnderConstruction) -> None:
    cite("R58")
    s, card = t.s, t.arg[t.s.at]
    with when(s.where[card] == CardPlace.DECK):
        s.where[card] = CardPlace.FRONT
        if t.front is not None:
            t.front.put(card)
    _advance_option_to_next_step(t)


def _take_item_given_by_current_step(t: GameUnderConstruction) -> None:
    cite("R59", "R60")
    t.s.owned[t.arg[t.s.at]] = 1
    _advance_option_to_next_step(t)


def _jump_to_step_given_by_current_step(t: GameUnderConstruction) -> None:
    t.s.at = t.arg[t.s.at]


def _end_option_and_place_present_card(t: GameUnderConstruction) -> None:
    cite("R19", "R20", "R21", "R22", "R23", "R24")
    s = t.s
    s.where[s.present] = t.arg[s.at]
    s.present = t.cards
    s.at = 0
    goto(t.reveal)


PLAIN: dict[StepOperation, Callable[[GameUnderConstruction], None]] = {
    StepOperation.GAIN: _set_waiting_tokens_from_gain_step,
    StepOperation.PAY: _pay_held_tokens_of_step,
    StepOperation.HEART: _lose_heart_or_gain_tokens_by_item,
    StepOperation.FUTURE: _move_called_card_to_future,
    StepOperation.FRONT: _move_called_card_to_stand_front,
    StepOperation.ITEM: _take_item_given_by_current_step,
    StepOperation.JUMP: _jump_to_step_given_by_current_step,
    StepOperation.END: _end_option_and_place_present_card,
}


def lose_heart_and_maybe_game(t: GameUnderConstruction) -> None:
    """A card takes a Heart; the last one ends the game at once (R15, R56, A19)."""
    t.s.hearts = t.s.hearts - 1
    with when(t.s.hearts == 0):
        lose("a card took the last Heart", rule="R15")


# -- tokens without room ---------------------------------------------------------------------------------------


def _place_gained_tokens_or_ask_for_room(t: GameUnderConstruction, make_room: Phase) -> None:
    """Tokens that wait take the free spaces; then, token by token, the player decides what gives way."""
    s = t.s
    kind = keep(t.incoming[s.at], "kind")
    room = keep(t.room(kind), "room")
    with when(room > 0):
        cite("R38", "R39", "R40")
        taken = keep(min_of(room, s.left), "taken")
        s.have[kind] = s.have[kind] + taken
        s.left = s.left - taken
    with otherwise(kind == Resource.FEAR):
        _swap_token_for_fear_or_lose_heart(t, make_room)
    with otherwise(t.droppable(kind)):
        goto(t.overflow)
    with otherwise():
        s.left = 0


def _swap_token_for_fear_or_lose_heart(t: GameUnderConstruction, make_room: Phase) -> None:
    """Fear must be taken (R42): something else gives way; the player chooses where there is a choice."""
    cite("R42")
    s = t.s
    first, second = FEAR_DROPS
    with when((s.have[first] > 0) & (s.have[second] > 0)):
        goto(make_room)
    for r in FEAR_DROPS:
        with otherwise(s.have[r] > 0):
            _swap_held_token_for_waiting_one(t, r, Resource.FEAR)
    with otherwise():
        cite("R43")
        if t.rulings.is_ruling_read_as("A11", "heart"):
            s.left = s.left - 1
            lose_heart_and_maybe_game(t)
        else:
            s.left = 0


def _swap_held_token_for_waiting_one(t: GameUnderConstruction, drop: Value, kind: Value) -> None:
    """A held token goes back to the supply and a waiting one takes its space."""
    s = t.s
    s.have[drop] = s.have[drop] - 1
    s.have[kind] = s.have[kind] + 1
    s.left = s.left - 1


def _declare_giving_up_token_for_fear(t: GameUnderConstruction) -> Phase:
    phase = t.g.phase("fear", text="Fear comes and there is no room: give something up", rule="R42")

    @t.g.action(phase, "give up 1 {token} for the Fear", rule="R42", token=[r.name.title() for r in FEAR_DROPS])
    def give_up(token: Local) -> None:
        drop = FEAR_DROPS[0] + token
        require(t.s.have[drop] > 0, "R42", "you have no such token")
        _swap_held_token_for_waiting_one(t, drop, Resource.FEAR)
        goto(t.resolve)

    return phase


def _declare_dropping_or_foregoing_tokens(t: GameUnderConstruction) -> None:
    """No room for a token that may be left: drop one of the same inventory, or forego the rest."""
    s = t.s

    @t.g.action(
        t.overflow,
        "drop 1 {token} to make room",
        rule="R41 R44",
        token=[r.name.title() for r in Resource if r is not Resource.FEAR],
    )
    def drop(token: Local) -> None:
        kind = keep(t.incoming[s.at], "kind")
        require(t.can_drop_token_for_incoming(token, kind), "R41", "such a token cannot make room for it")
        _swap_held_token_for_waiting_one(t, token, kind)
        goto(t.resolve)

    @t.g.action(t.overflow, "forego what finds no room", rule="R41")
    def forego() -> None:
        s.left = 0
        goto(t.resolve)


# -- choices inside an option -----------------------------------------------------------------------------------


def _declare_slash_choice_and_get_step_body(t: GameUnderConstruction) -> Callable[[], None]:
    """The choice at a slash (R49) or between items joined by OR (R62, A17)."""
    s, branches = t.s, t.script.branches
    phase = t.g.phase("slash", text="choose one of the effects", rule="R49 R62")
    slash_of = t.g.table("slash_of", [b.slash for b in branches])
    start = t.g.table("branch_start", [b.start for b in branches])

    def affordable(n: int) -> Term:
        item = branches[n].item
        paid = all_of(s.have[r] >= cost for r, cost in branches[n].cost.items())
        return paid if item is None else paid & ~t.has_item_in_front_of_player(item)

    @t.g.function(branch=len(branches))
    def possible(branch: Local) -> Value:
        return (slash_of[branch] == t.arg[s.at]) & any_of((branch == n) & affordable(n) for n in range(len(branches)))

    def text(branch: int) -> str:
        return t.words(branches[branch].steps)

    @t.g.action(phase, text, rule="R49", branch=len(branches))
    def take(branch: Local) -> None:
        require(slash_of[branch] == t.arg[s.at], "R49", "the card does not offer that here")
        require(possible(branch), "R62", "you have that item already, or cannot pay for it")
        s.at = start[branch]
        goto(t.resolve)

    def fork() -> None:
        ways = count_of(len(branches), lambda b: possible(b))
        with when(ways > 1):
            goto(phase)
        with otherwise(ways == 1):
            s.at = max_of(len(branches), lambda b: pick(possible(b), start[b], 0))
        with otherwise():
            s.at = t.num[s.at]

    return fork


def _declare_x_amount_choice_and_get_body(t: GameUnderConstruction) -> Callable[[], None]:
    """An X: any number of tokens, zero included, for as many of another kind (R54, R55, A14)."""
    s = t.s
    phase = t.g.phase("amount", text="choose how many to turn", rule="R55")

    @t.g.action(phase, "turn {x}", rule="R54 R55", x=range(t.have.field.hi + 1))
    def turn(x: Local) -> None:
        held = keep(s.have[t.num[s.at]], "held")
        require(x <= held, "R55", "you have only {}", held)
        to = keep(t.arg[s.at], "to")
        s.have[t.num[s.at]] = held - x
        s.left = min_of(x, t.supply(to))
        s.at = s.at + 1
        goto(t.resolve)

    def ask() -> None:
        with when(s.have[t.num[s.at]] == 0):
            _advance_option_to_next_step(t)
        with otherwise():
            goto(phase)

    return ask
