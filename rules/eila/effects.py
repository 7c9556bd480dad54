"""What the symbols on the cards do, step by step, and what happens to tokens that find no room."""

from __future__ import annotations

from collections.abc import Callable

from rules.eila.script import Op
from rules.eila.table import Table
from rules.eila.words import Place, Resource, store_of
from rules.language import (
    Local,
    Phase,
    Term,
    Value,
    all_true,
    any_true,
    cite,
    count_of,
    goto,
    keep,
    lose,
    most_of,
    otherwise,
    pick,
    require,
    smallest,
    when,
)

FEAR_DROPS = tuple(r for r in store_of(Resource.FEAR) if r is not Resource.FEAR)


def declare(t: Table) -> None:
    """The automatic phase that resolves an option, and the choices it stops for."""
    _overflow(t)
    slash = _slash(t) if t.script.branches else None
    amount = _amount(t) if any(op == Op.CONVERT for op, _, _ in t.script.steps) else None
    make_room = _make_room(t)
    s = t.s

    @t.g.on(t.resolve)
    def resolve() -> None:
        with when(s.left > 0):
            _take_in(t, make_room)
        _steps(t, slash, amount)


def _steps(t: Table, slash: Callable[[], None] | None, amount: Phase | None) -> None:
    """One branch for each operation that occurs in this chapter."""
    s, arg, num = t.s, t.arg, t.num
    step = t.op[s.at]

    def next_step() -> None:
        s.at = s.at + 1

    def gain() -> None:
        cite("R38", "R39", "R51")
        s.left = smallest(num[s.at], t.supply(arg[s.at]))
        next_step()

    def pay() -> None:
        cite("R52", "R53")
        kind = arg[s.at]
        s.have[kind] = s.have[kind] - smallest(num[s.at], s.have[kind])
        next_step()

    def heart() -> None:
        _heart(t)
        next_step()

    def future() -> None:
        cite("R57")
        with when(s.where[arg[s.at]] == Place.DECK):
            s.where[arg[s.at]] = Place.FUTURE
        next_step()

    def front() -> None:
        cite("R58")
        with when(s.where[arg[s.at]] == Place.DECK):
            s.where[arg[s.at]] = Place.FRONT
            if t.front is not None:
                t.front.put(arg[s.at])
        next_step()

    def item() -> None:
        cite("R59", "R60")
        s.owned[arg[s.at]] = 1
        next_step()

    def convert() -> None:
        with when(s.have[num[s.at]] == 0):
            next_step()
        with otherwise():
            goto(amount)  # type: ignore[arg-type]  # declared because a step of this kind occurs

    def jump() -> None:
        s.at = arg[s.at]

    def end() -> None:
        cite("R19", "R20", "R21", "R22", "R23", "R24")
        s.where[s.present] = arg[s.at]
        s.present = t.cards
        s.at = 0
        goto(t.reveal)

    bodies = {Op.GAIN: gain, Op.PAY: pay, Op.HEART: heart, Op.FUTURE: future, Op.FRONT: front, Op.ITEM: item,
              Op.SLASH: slash or jump, Op.CONVERT: convert, Op.JUMP: jump, Op.END: end}
    occurring = {op for op, _, _ in t.script.steps}
    for op, body in bodies.items():
        if op in occurring:
            with otherwise(step == op):
                body()


def lose_heart(t: Table) -> None:
    """A card takes a Heart; the last one ends the game at once (R15, R56, A19)."""
    t.s.hearts = t.s.hearts - 1
    with when(t.s.hearts == 0):
        lose("a card took the last Heart", rule="R15")


def _heart(t: Table) -> None:
    """Lose a Heart, or what an item puts in its place the first time (R56, R60)."""
    cite("R56")
    guards = t.box.items_at("heart-loss")
    if not guards:
        lose_heart(t)
        return
    with when(t.owns(guards[0]) & (t.s.saved == 0)):
        t.s.saved = 1
        t.s.left = smallest(t.box.items[guards[0]].amount, t.supply(Resource.FEAR))
    with otherwise():
        lose_heart(t)


def _take_in(t: Table, make_room: Phase) -> None:
    """Tokens that wait take the free spaces; then, token by token, the player decides what gives way."""
    s = t.s
    kind = keep(t.incoming[s.at], "kind")
    room = keep(t.room(kind), "room")
    with when(room > 0):
        cite("R38", "R39", "R40")
        taken = keep(smallest(room, s.left), "taken")
        s.have[kind] = s.have[kind] + taken
        s.left = s.left - taken
    with otherwise(kind == Resource.FEAR):
        _fear_without_room(t, make_room)
    with otherwise(t.droppable(kind)):
        goto(t.overflow)
    with otherwise():
        s.left = 0


def _fear_without_room(t: Table, make_room: Phase) -> None:
    """Fear must be taken (R42): something else gives way; the player chooses where there is a choice."""
    cite("R42")
    s = t.s
    first, second = FEAR_DROPS
    with when((s.have[first] > 0) & (s.have[second] > 0)):
        goto(make_room)
    for r in FEAR_DROPS:
        with otherwise(s.have[r] > 0):
            _replace(t, r, Resource.FEAR)
    with otherwise():
        cite("R43")
        if t.rulings.holds("A11", "heart"):
            s.left = s.left - 1
            lose_heart(t)
        else:
            s.left = 0


def _replace(t: Table, drop: Resource, kind: Value) -> None:
    """A held token goes back to the supply and a waiting one takes its space."""
    s = t.s
    s.have[drop] = s.have[drop] - 1
    s.have[kind] = s.have[kind] + 1
    s.left = s.left - 1


def _make_room(t: Table) -> Phase:
    phase = t.g.stage("fear", text="Fear comes and there is no room: give something up", rule="R42")
    for r in FEAR_DROPS:

        def give_up(r: Resource = r) -> None:
            require(t.s.have[r] > 0, "R42", f"you have no {r.name.title()}")
            _replace(t, r, Resource.FEAR)
            goto(t.resolve)

        t.g.add_action(phase, give_up, f"give up 1 {r.name.title()} for the Fear", rule="R42",
                       name=f"give up {r.name.lower()}")
    return phase


def _overflow(t: Table) -> None:
    """No room for a token that may be left: drop one of the same inventory, or forego the rest."""
    s = t.s
    for r in Resource:
        if r is Resource.FEAR:
            continue

        def drop(r: Resource = r) -> None:
            require(t.can_drop(r, t.incoming[s.at]), "R41", f"{r.name.title()} cannot make room for it")
            kind = keep(t.incoming[s.at], "kind")
            _replace(t, r, kind)
            goto(t.resolve)

        t.g.add_action(t.overflow, drop, f"drop 1 {r.name.title()} to make room", rule="R41 R44",
                       name=f"drop {r.name.lower()}")

    @t.g.action(t.overflow, "forego what finds no room", rule="R41")
    def forego() -> None:
        s.left = 0
        goto(t.resolve)


def _slash(t: Table) -> Callable[[], None]:
    """The choice at a slash (R49) or between items joined by OR (R62, A17)."""
    s, branches = t.s, t.script.branches
    phase = t.g.stage("slash", text="choose one of the effects", rule="R49 R62")
    slash_of = t.g.table("slash_of", [b.slash for b in branches])
    start = t.g.table("branch_start", [b.start for b in branches])

    def affordable(n: int) -> Term:
        item = branches[n].item
        paid = all_true(s.have[r] >= cost for r, cost in branches[n].cost.items())
        return paid if item is None else paid & ~t.owns(item)

    @t.g.function(branch=len(branches))
    def possible(branch: Local) -> Value:
        return (slash_of[branch] == t.arg[s.at]) & any_true(
            (branch == n) & affordable(n) for n in range(len(branches)))

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
            s.at = most_of(len(branches), lambda b: pick(possible(b), start[b], 0))
        with otherwise():
            s.at = t.num[s.at]

    return fork


def _amount(t: Table) -> Phase:
    """An X: any number of tokens, zero included, for as many of another kind (R54, R55, A14)."""
    s = t.s
    most = s.have.field.hi
    phase = t.g.stage("amount", text="choose how many to turn", rule="R55")

    @t.g.action(phase, "turn {x}", rule="R54 R55", x=range(most + 1))
    def turn(x: Local) -> None:
        held, to = s.have[t.num[s.at]], t.arg[s.at]
        require(x <= held, "R55", "you have only {}", held)
        kept_to = keep(to, "to")
        s.have[t.num[s.at]] = held - x
        s.left = smallest(x, t.supply(kept_to))
        s.at = s.at + 1
        goto(t.resolve)

    return phase
