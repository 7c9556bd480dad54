"""Finds rules that can be traced and are still doubtful: choices that read the same, conditions that the
bounds decide, seats that never act."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from playproof.database.errors import Finding, Where, short_path
from playproof.language import Const, Local, Place, Term
from playproof.language.authoring import Game as Written
from playproof.language.expr import OPERATORS, Lookup, Op, Read
from playproof.language.game import Game
from playproof.language.parts import Action
from playproof.language.traced_statements import Assign, Finish, If, Invoke, Loop, Require, Statement, walk
from playproof.language.walks import conjuncts, shape


def doubtful(game: Game) -> Iterator[Finding]:
    """Yield what is doubtful in a game's description, and in the lines of Python that it was traced from."""
    yield from _same_words(game)
    if isinstance(game, Written):
        yield from _settled(game)
        yield from _beyond(game)
        yield from _lowest_starts(game)
    yield from _idle_seats(game)
    yield from _winners(game)
    yield from _replaced(game)
    yield from _endless(game)


def where_of(place: Place) -> Where:
    """Return a place of the rules as a place of a file."""
    return Where(short_path(Path(place.file)), place.line, max(1, place.column))


# -- fields that start below zero -----------------------------------------------------------------------------


def _lowest_starts(game: Written) -> Iterator[Finding]:
    """PP386: a field that may hold 0 starts below it, because no start was declared."""
    for handle in game.lowest_starts:
        held = handle.field
        place = held.place or game.place
        yield Finding(
            "PP386",
            where_of(place),
            f"`{held.name}` starts at {held.lo}, its least value, because no start is declared",
            f"write the start behind the bounds: {held.lo}, {held.hi}, 0",
            "warning",
        )


# -- choices that read the same -----------------------------------------------------------------------------


def _same_words(game: Game) -> Iterator[Finding]:
    """PP366: two choices of an action have the same words, and nothing keeps them apart."""
    for action in game.actions:
        by_words: dict[str, list[int]] = {}
        for ident in action.idents:
            by_words.setdefault(" ".join(game.show(ident).casefold().split()), []).append(ident)
        for idents in by_words.values():
            pair = next((p for p in combinations(idents, 2) if _together(action, *p)), None)
            if pair is not None:
                yield _alike(game, action, pair)
                break


def _alike(game: Game, action: Action, pair: tuple[int, int]) -> Finding:
    values = [action.values(ident) for ident in pair]
    differing = [p.local.name for p, a, b in zip(action.params, *values, strict=True) if a != b]
    named, braced = (
        ", ".join(f"`{name}`" for name in differing),
        " and ".join(f"{{{name}}}" for name in differing),
    )
    message = (
        f"two choices of action `{action.name}` read the same, `{game.show(pair[0])}`; they differ in {named}"
    )
    return Finding(
        "PP366",
        where_of(action.place),
        message,
        f"write {braced} into its text, and give each value its own name",
    )


def _together(action: Action, first: int, second: int) -> bool:
    """Return whether two ground actions may be legal in one state, as far as their own requirements say:
    no requirement asks one value of the state to be two numbers."""
    values = _demands(action, first), _demands(action, second)
    return all(values[1].get(read, number) == number for read, number in values[0].items())


def _demands(action: Action, ident: int) -> dict[object, int]:
    """Return the values of the state that the requirements of a ground action fix, each with its number."""
    env: dict[Term, Term] = {
        p.local: Const(v) for p, v in zip(action.params, action.values(ident), strict=True)
    }
    demands: dict[object, int] = {}
    for statement in action.body:
        if isinstance(statement, Require):
            for part in conjuncts(_filled(statement.condition, env)):
                if isinstance(part, Op) and part.op == "==":
                    for cell, number in (part.args, part.args[::-1]):
                        if isinstance(number, Const):
                            demands[shape(cell)] = number.value
    return demands


def _filled(term: Term, env: Mapping[Term, Term]) -> Term:
    """Return a term with numbers in place of parameters; loops and functions stay as they are."""
    if isinstance(term, Local):
        return env.get(term, term)
    if isinstance(term, Lookup):
        index = _filled(term.index, env)
        return (
            Const(term.table.values[index.value]) if isinstance(index, Const) else Lookup(term.table, index)
        )
    if isinstance(term, Op):
        args = [_filled(arg, env) for arg in term.args]
        return OPERATORS[term.op](*args)
    return term


# -- what never changes -------------------------------------------------------------------------------------


def _settled(game: Written) -> Iterator[Finding]:
    """PP367: a condition that the bounds of its fields decide, so that it holds always or never."""
    lines: set[tuple[str, int]] = set()
    for place, holds, sides in game.tracer.settled:
        if (place.file, place.line) in lines or not any(map(_varies, sides)):
            continue
        lines.add((place.file, place.line))
        listed = " and ".join(_bounds(side) for side in sides)
        how_often = "always" if holds else "never"
        yield Finding(
            "PP367",
            where_of(place),
            f"the condition holds {how_often}: it compares {listed}",
            "mend the number, or the bounds of the field",
            "warning",
        )


def _beyond(game: Written) -> Iterator[Finding]:
    """PP306: a parameter or counter that indexes beyond the end of an array or table, where it first does."""
    messages: set[str] = set()
    for error in game.tracer.beyond:
        if error.message not in messages:
            messages.add(error.message)
            yield Finding(error.code, where_of(error.place), error.message, error.hint)


def _varies(term: Term) -> bool:
    """Return whether a term has several values by its declaration, not by the cards or options of one game."""
    return term.lo < term.hi and not isinstance(term, Lookup)


def _bounds(term: Term) -> str:
    if term.lo == term.hi:
        return str(term.lo)
    name = f"`{term.field.name}`" if isinstance(term, Read) else "a value"
    return f"{name} of {term.lo}..{term.hi}"


def _idle_seats(game: Game) -> Iterator[Finding]:
    """PP368: a seat that acts in no phase."""
    actors = [phase.actor for phase in game.phases if not phase.automatic and not phase.chance]
    if not actors:
        return
    may_act = {seat for actor in actors for seat in range(actor.lo, actor.hi + 1)}
    idle = [seat for seat in range(game.players) if seat not in may_act]
    if idle:
        place = next(phase.place for phase in game.phases if phase.actor is actors[0]) or game.place
        yield Finding(
            "PP368",
            where_of(place),
            f"{_seats(idle)}: all phases belong to others",
            "give the phase its actor: g.phase(name, actor=s.turn)",
            "warning",
        )


def _winners(game: Game) -> Iterator[Finding]:
    """PP368: a winner that may be a seat that does not exist, as when seats are counted from 1."""
    for end in game.endings:
        if end.winner is not None and end.winner.hi == game.players and end.winner.lo > 0:
            yield Finding(
                "PP368",
                where_of(end.place),
                f"`{end.reason}` is won by seat {end.winner.lo} to "
                f"{end.winner.hi}, the seats are 0 to {game.players - 1}",
                "count seats from 0",
                "warning",
            )


# -- ways that lead nowhere ---------------------------------------------------------------------------------


def _replaced(game: Game) -> Iterator[Finding]:
    """PP372: a `goto` that a later one of the same block replaces."""
    bodies = [action.body for action in game.actions]
    bodies += [phase.body for phase in game.phases if phase.body is not None]
    bodies += [procedure.body for procedure in game.procedures]
    lines: set[Place] = set()
    for block in (block for body in bodies for block in _blocks(body)):
        for first, second in _in_vain(game, block):
            if first.place not in lines:
                lines.add(first.place)
                message = f"this `goto` has no effect: line {second.place.line} goes to another phase"
                hint = "remove one of the two, or put each under its condition"
                yield Finding("PP372", where_of(first.place), message, hint, "warning")


def _blocks(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """Yield a body and all blocks inside it."""
    yield body
    for statement in walk(body):
        if isinstance(statement, If):
            yield from (statement.then, statement.other)
        elif isinstance(statement, Loop):
            yield statement.body


def _in_vain(game: Game, block: tuple[Statement, ...]) -> Iterator[tuple[Assign, Assign]]:
    """Yield the pairs of `goto`s of a block between which nothing can ask for the phase."""
    last: Assign | None = None
    for statement in block:
        if isinstance(statement, Assign) and statement.field is game.fields[0]:
            if last is not None:
                yield last, statement
            last = statement
        elif isinstance(statement, If | Loop | Invoke | Finish):
            last = None


def _endless(game: Game) -> Iterator[Finding]:
    """PP372: an automatic phase that never goes to another and never ends the game."""
    for phase in game.phases:
        if phase.automatic and phase.body is not None and not _leads_on(game, phase.body):
            message = f"the phase `{phase.name}` runs by itself, and nothing in it goes on or ends the game"
            hint = "end it with goto(...) to the next phase"
            yield Finding("PP372", where_of(phase.place or game.place), message, hint, "warning")


def _leads_on(game: Game, body: tuple[Statement, ...]) -> bool:
    for statement in walk(body):
        if isinstance(statement, Finish):
            return True
        if isinstance(statement, Assign) and statement.field is game.fields[0]:
            return True
        if isinstance(statement, Invoke) and _leads_on(game, statement.procedure.body):
            return True
    return False


def _seats(seats: Sequence[int]) -> str:
    if len(seats) == 1:
        return f"seat {seats[0]} never acts"
    return f"the seats {', '.join(map(str, seats))} never act"
