"""What formulas come to, computed apart from the kernel: part by part, with numbers put in for variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import add, eq, floordiv, le, mod, mul, sub
from typing import Any

from playproof.verifier.kernel.formulas import Formula, Number, Truth, list_parts_before_wholes

SIGNS = {"+": add, "-": sub, "*": mul, "//": floordiv, "%": mod, "==": eq, "<=": le}


def put_numbers_in(formula: Number | Truth, values: Mapping[Formula, int]) -> Any:
    """Return the number or truth of a formula with these values of its variables."""
    if not isinstance(formula, Formula):
        return formula
    found: dict[Any, Any] = dict(values)
    for part in list_parts_before_wholes([formula]):
        if part.op == "variable":
            continue
        args = [found[arg] if isinstance(arg, Formula) else arg for arg in part.args]
        found[part] = _compute_part(part.op, args)
        assert part.lo <= found[part] <= part.hi, (part.op, args)
    return found[formula]


def _compute_part(op: str, args: list[Any]) -> Any:
    match op:
        case "if":
            return args[1] if args[0] else args[2]
        case "and":
            return all(args)
        case "or":
            return any(args)
        case "not":
            return not args[0]
    return SIGNS[op](*args)


def match_variables(cells: Iterable[Number], numbers: Iterable[int]) -> dict[Formula, int]:
    """Return the values of the open ones of some cells."""
    return {cell: number for cell, number in zip(cells, numbers, strict=True) if isinstance(cell, Formula)}
