"""The statements that tracing a body records, and the walks through statements and terms.

Walks over terms: whoever looks for something in a term walks with these functions.

`expr.children` says what lies directly below a term, and `iter_statements_recursively` goes through a body. The
readings use neither: each says of every kind of term what it means, and they share no code because each
checks the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from playproof.language.errors import Place
from playproof.language.expr import OPERATORS, Apply, Const, Local, Lookup, Op, Read, Reduce, Term, get_child_terms
from playproof.language.fields import Field

# -- traced statements ---------------------------------------------------------------------------------------
# The statements that tracing a body records. There are few kinds, so that every reading is a small walker
# over them.


@dataclass(frozen=True, slots=True)
class Assign:
    """`field[index] = value`."""

    field: Field
    index: Term
    value: Term
    place: Place


@dataclass(frozen=True, slots=True)
class Keep:
    """A local name for the current value of a term. A `variable` has a Keep for each new value; its
    bounds are declared, so the value must fit, as in an assignment."""

    local: Local
    value: Term
    place: Place


@dataclass(frozen=True, slots=True)
class If:
    """Branches on a condition. `place` is where the rule states the condition, if known."""

    condition: Term
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Loop:
    """`for var in start..stop-1`, kept as a loop."""

    var: Local
    start: int
    stop: int
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Require:
    """A condition for the action to be legal. `text` has a `{}` for each of `args`."""

    condition: Term
    rule: str
    text: str
    args: tuple[Term, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Finish:
    """The game is over with ending number `ending` (counted from 1), unless it was over before."""

    ending: int
    place: Place


@dataclass(frozen=True, slots=True)
class Invoke:
    """A named procedure runs here; each argument must lie in its parameter's range."""

    procedure: Procedure
    args: tuple[Term, ...]
    place: Place


Statement = Assign | Keep | If | Loop | Require | Finish | Invoke


@dataclass(frozen=True, slots=True)
class Procedure:
    """A block of effects written once and kept as a call in every reading."""

    name: str
    number: int
    params: tuple[Local, ...]
    body: tuple[Statement, ...]
    writes: frozenset[int]

    def begin_sentence_on_parameter_range(self, param: Local) -> str:
        """Return the beginning of the sentence about an argument that does not fit, up to the
        range."""
        return f"`{self.name}` takes {param.name} in"


def fold_constant_branches_and_requirements(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Return the same statements, with branches on constants resolved and empty statements
    dropped."""
    left: list[Statement] = []
    for statement in statements:
        if isinstance(statement, If):
            then, other = (
                fold_constant_branches_and_requirements(statement.then),
                fold_constant_branches_and_requirements(statement.other),
            )
            if isinstance(statement.condition, Const):
                left.extend(then if statement.condition.value else other)
            elif then or other:
                left.append(replace(statement, then=then, other=other))
        elif isinstance(statement, Loop):
            left.append(
                Loop(
                    statement.var,
                    statement.start,
                    statement.stop,
                    fold_constant_branches_and_requirements(statement.body),
                )
            )
        elif isinstance(statement, Require) and isinstance(statement.condition, Const) and statement.condition.value:
            pass  # always met
        else:
            left.append(statement)
    return tuple(left)


def get_statements_deciding_legality(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the statements that decide whether an action is legal: all up to its last requirement,
    and the values kept right after it."""
    end = 0
    for place, statement in enumerate(body):
        if any(isinstance(inner, Require) for inner in iter_statements_recursively((statement,))):
            end = place + 1
    while end < len(body) and isinstance(body[end], Keep):
        end += 1
    return body[:end]


def iter_statements_recursively(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield every statement, including nested ones (a procedure's body is not nested in its
    call)."""
    for statement in statements:
        yield statement
        if isinstance(statement, If):
            yield from iter_statements_recursively(statement.then)
            yield from iter_statements_recursively(statement.other)
        elif isinstance(statement, Loop):
            yield from iter_statements_recursively(statement.body)


def count_requirements(body: Iterable[Statement]) -> int:
    """Return how many requirements a body has, those of branches and loops included."""
    return sum(isinstance(s, Require) for s in iter_statements_recursively(tuple(body)))


def find_numbers_of_written_fields(body: tuple[Statement, ...]) -> frozenset[int]:
    """Return the numbers of the fields that the statements assign, including those of the
    procedures they call."""
    fields: set[int] = set()
    for statement in iter_statements_recursively(body):
        if isinstance(statement, Assign):
            fields.add(statement.field.number)
        elif isinstance(statement, Invoke):
            fields |= statement.procedure.writes
    return frozenset(fields)


# -- walks ---------------------------------------------------------------------------------------------------
# Walks over terms: whoever looks for something in a term walks with these functions.


def iter_term_and_subterms(term: Term, *, enter_functions: bool = False) -> Iterator[Term]:
    """Yield a term and all below it, as often as it is written, a term before its children. With
    `enter_functions`, also the body of each function that is applied, once."""
    todo, entered = [term], set[int]()
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(get_child_terms(node))
        if enter_functions and isinstance(node, Apply) and node.function.number not in entered:
            entered.add(node.function.number)
            todo.append(node.function.body)


def find_fields_term_depends_on(term: Term) -> tuple[Field, ...]:
    """Return the fields that a term's value depends on, each once, also through functions."""
    return tuple(
        {node.field: None for node in iter_term_and_subterms(term, enter_functions=True) if isinstance(node, Read)}
    )


def iter_conditions_joined_by_and(term: Term) -> Iterator[Term]:
    """Yield the conditions that a term joins with `and`."""
    if isinstance(term, Op) and term.op == "and":
        for part in term.args:
            yield from iter_conditions_joined_by_and(part)
    else:
        yield term


def make_structural_key_or_identity(term: Term) -> object:
    """Return a key that is equal for small terms that are written alike; any other term has a key
    of its own."""
    match term:
        case Const():
            return term.value
        case Local():
            return ("local", term.number)
        case Read():
            return ("cell", term.field.number, make_structural_key_or_identity(term.index))
        case Lookup():
            return ("table", term.table.number, make_structural_key_or_identity(term.index))
        case Op():
            return (term.op, *(make_structural_key_or_identity(a) for a in term.args))
    return id(term)


def substitute_locals(term: Term, term_by_local_number: Mapping[int, Term]) -> Term:
    """Return a term with other terms in place of some of its locals, by the locals' numbers."""
    if not term_by_local_number or not any(local.number in term_by_local_number for local in term.locals):
        return term
    match term:
        case Local():
            return term_by_local_number.get(term.number, term)
        case Read():
            return Read(term.field, substitute_locals(term.index, term_by_local_number), 0)
        case Lookup():
            index = substitute_locals(term.index, term_by_local_number)
            return Const(term.table.values[index.value]) if isinstance(index, Const) else Lookup(term.table, index)
        case Op():
            return OPERATORS[term.op](*(substitute_locals(a, term_by_local_number) for a in term.args))
        case Reduce():
            return Reduce(
                term.kind, term.var, term.start, term.stop, substitute_locals(term.body, term_by_local_number)
            )
        case Apply():
            return Apply(term.function, tuple(substitute_locals(a, term_by_local_number) for a in term.args), 0)
    return term
