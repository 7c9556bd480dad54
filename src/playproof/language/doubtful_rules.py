"""Finds rules that can be traced and are still doubtful: choices that read the same, conditions that the
bounds decide, seats that never act."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from playproof.database.errors import Finding, Where, shorten_path
from playproof.language import Const, Local, Place, Term
from playproof.language.authoring import Game as Written
from playproof.language.expr import OPERATORS, Lookup, Op, Read
from playproof.language.game import Game
from playproof.language.parts import Action
from playproof.language.traced_statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Loop,
    Require,
    Statement,
    iter_statements,
)
from playproof.language.walks import iter_conjuncts, make_shape_key


def iter_doubtful_rule_findings(game: Game) -> Iterator[Finding]:
    """Yield what is doubtful in a game's description, and in the lines of Python that it was traced from."""
    yield from _iter_same_wording_findings(game)
    if isinstance(game, Written):
        yield from _iter_constant_condition_findings(game)
        yield from _iter_index_beyond_end_findings(game)
        yield from _iter_undeclared_start_findings(game)
    yield from _iter_idle_seat_findings(game)
    yield from _iter_nonexistent_winner_findings(game)
    yield from _iter_replaced_goto_findings(game)
    yield from _iter_endless_phase_findings(game)


def convert_place_to_where(place: Place) -> Where:
    """Return a place of the rules as a place of a file."""
    return Where(shorten_path(Path(place.file)), place.line, max(1, place.column))


# -- fields that start below zero -----------------------------------------------------------------------------


def _iter_undeclared_start_findings(game: Written) -> Iterator[Finding]:
    """PP386: a field that may hold 0 starts below it, because no start was declared."""
    for handle in game.lowest_starts:
        held = handle.field
        place = held.place or game.place
        yield Finding(
            "PP386",
            convert_place_to_where(place),
            f"`{held.name}` starts at {held.lo}, its least value, because no start is declared",
            f"write the start behind the bounds: {held.lo}, {held.hi}, 0",
            "warning",
        )


# -- choices that read the same -----------------------------------------------------------------------------


def _iter_same_wording_findings(game: Game) -> Iterator[Finding]:
    """PP366: two choices of an action have the same words, and nothing keeps them apart."""
    for action in game.actions:
        by_words: dict[str, list[int]] = {}
        for ident in action.idents:
            by_words.setdefault(" ".join(game.show(ident).casefold().split()), []).append(ident)
        for idents in by_words.values():
            pair = next((p for p in combinations(idents, 2) if _can_both_be_legal(action, *p)), None)
            if pair is not None:
                yield _make_same_wording_finding(game, action, pair)
                break


def _make_same_wording_finding(game: Game, action: Action, pair: tuple[int, int]) -> Finding:
    values = [action.get_parameter_values(ident) for ident in pair]
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
        convert_place_to_where(action.place),
        message,
        f"write {braced} into its text, and give each value its own name",
    )


def _can_both_be_legal(action: Action, first: int, second: int) -> bool:
    """Return whether two ground actions may be legal in one state, as far as their own requirements say:
    no requirement asks one value of the state to be two numbers."""
    values = _find_required_values(action, first), _find_required_values(action, second)
    return all(values[1].get(read, number) == number for read, number in values[0].items())


def _find_required_values(action: Action, ident: int) -> dict[object, int]:
    """Return the values of the state that the requirements of a ground action fix, each with its number."""
    env: dict[Term, Term] = {
        p.local: Const(v) for p, v in zip(action.params, action.get_parameter_values(ident), strict=True)
    }
    demands: dict[object, int] = {}
    for statement in action.body:
        if isinstance(statement, Require):
            for part in iter_conjuncts(_substitute_parameters(statement.condition, env)):
                if isinstance(part, Op) and part.op == "==":
                    for cell, number in (part.args, part.args[::-1]):
                        if isinstance(number, Const):
                            demands[make_shape_key(cell)] = number.value
    return demands


def _substitute_parameters(term: Term, env: Mapping[Term, Term]) -> Term:
    """Return a term with numbers in place of parameters; loops and functions stay as they are."""
    if isinstance(term, Local):
        return env.get(term, term)
    if isinstance(term, Lookup):
        index = _substitute_parameters(term.index, env)
        return (
            Const(term.table.values[index.value]) if isinstance(index, Const) else Lookup(term.table, index)
        )
    if isinstance(term, Op):
        args = [_substitute_parameters(arg, env) for arg in term.args]
        return OPERATORS[term.op](*args)
    return term


# -- what never changes -------------------------------------------------------------------------------------


def _iter_constant_condition_findings(game: Written) -> Iterator[Finding]:
    """PP367: a condition that the bounds of its fields decide, so that it holds always or never."""
    lines: set[tuple[str, int]] = set()
    for place, holds, sides in game.tracer.settled:
        if (place.file, place.line) in lines or not any(map(_has_several_declared_values, sides)):
            continue
        lines.add((place.file, place.line))
        listed = " and ".join(_describe_bounds(side) for side in sides)
        how_often = "always" if holds else "never"
        yield Finding(
            "PP367",
            convert_place_to_where(place),
            f"the condition holds {how_often}: it compares {listed}",
            "mend the number, or the bounds of the field",
            "warning",
        )


def _iter_index_beyond_end_findings(game: Written) -> Iterator[Finding]:
    """PP306: a parameter or counter that indexes beyond the end of an array or table, where it first does."""
    messages: set[str] = set()
    for error in game.tracer.beyond:
        if error.message not in messages:
            messages.add(error.message)
            yield Finding(error.code, convert_place_to_where(error.place), error.message, error.hint)


def _has_several_declared_values(term: Term) -> bool:
    """Return whether a term has several values by its declaration, not by the cards or options of one game."""
    return term.lo < term.hi and not isinstance(term, Lookup)


def _describe_bounds(term: Term) -> str:
    if term.lo == term.hi:
        return str(term.lo)
    name = f"`{term.field.name}`" if isinstance(term, Read) else "a value"
    return f"{name} of {term.lo}..{term.hi}"


def _iter_idle_seat_findings(game: Game) -> Iterator[Finding]:
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
            convert_place_to_where(place),
            f"{_format_idle_seats(idle)}: all phases belong to others",
            "give the phase its actor: g.phase(name, actor=s.turn)",
            "warning",
        )


def _iter_nonexistent_winner_findings(game: Game) -> Iterator[Finding]:
    """PP368: a winner that may be a seat that does not exist, as when seats are counted from 1."""
    for end in game.endings:
        if end.winner is not None and end.winner.hi == game.players and end.winner.lo > 0:
            yield Finding(
                "PP368",
                convert_place_to_where(end.place),
                f"`{end.reason}` is won by seat {end.winner.lo} to "
                f"{end.winner.hi}, the seats are 0 to {game.players - 1}",
                "count seats from 0",
                "warning",
            )


# -- ways that lead nowhere ---------------------------------------------------------------------------------


def _iter_replaced_goto_findings(game: Game) -> Iterator[Finding]:
    """PP372: a `goto` that a later one of the same block replaces."""
    bodies = [action.body for action in game.actions]
    bodies += [phase.body for phase in game.phases if phase.body is not None]
    bodies += [procedure.body for procedure in game.procedures]
    lines: set[Place] = set()
    for block in (block for body in bodies for block in _iter_blocks(body)):
        for first, second in _iter_replaced_goto_pairs(game, block):
            if first.place not in lines:
                lines.add(first.place)
                message = f"this `goto` has no effect: line {second.place.line} goes to another phase"
                hint = "remove one of the two, or put each under its condition"
                yield Finding("PP372", convert_place_to_where(first.place), message, hint, "warning")


def _iter_blocks(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """Yield a body and all blocks inside it."""
    yield body
    for statement in iter_statements(body):
        if isinstance(statement, If):
            yield from (statement.then, statement.other)
        elif isinstance(statement, Loop):
            yield statement.body


def _iter_replaced_goto_pairs(game: Game, block: tuple[Statement, ...]) -> Iterator[tuple[Assign, Assign]]:
    """Yield the pairs of `goto`s of a block between which nothing can ask for the phase."""
    last: Assign | None = None
    for statement in block:
        if isinstance(statement, Assign) and statement.field is game.fields[0]:
            if last is not None:
                yield last, statement
            last = statement
        elif isinstance(statement, If | Loop | Invoke | Finish):
            last = None


def _iter_endless_phase_findings(game: Game) -> Iterator[Finding]:
    """PP372: an automatic phase that never goes to another and never ends the game."""
    for phase in game.phases:
        if phase.automatic and phase.body is not None and not _can_leave_phase_or_end(game, phase.body):
            message = f"the phase `{phase.name}` runs by itself, and nothing in it goes on or ends the game"
            hint = "end it with goto(...) to the next phase"
            yield Finding(
                "PP372", convert_place_to_where(phase.place or game.place), message, hint, "warning"
            )


def _can_leave_phase_or_end(game: Game, body: tuple[Statement, ...]) -> bool:
    for statement in iter_statements(body):
        if isinstance(statement, Finish):
            return True
        if isinstance(statement, Assign) and statement.field is game.fields[0]:
            return True
        if isinstance(statement, Invoke) and _can_leave_phase_or_end(game, statement.procedure.body):
            return True
    return False


def _format_idle_seats(seats: Sequence[int]) -> str:
    if len(seats) == 1:
        return f"seat {seats[0]} never acts"
    return f"the seats {', '.join(map(str, seats))} never act"
