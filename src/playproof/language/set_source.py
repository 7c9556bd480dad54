"""Writes sets of choices as source: their lines, and the listing and drawing of their members."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from playproof.language.expr import Const, Term
from playproof.language.fields import Field
from playproof.language.known_values import IntArray
from playproof.language.machine.sets import LANES
from playproof.language.set_plans import SetCase, SetPlan


class SetFormatter(Protocol):
    """What is needed of a source builder."""

    lines: list[str]
    word_tables: dict[tuple[int, ...], str]

    def format_integer_term(self, term: Term) -> str: ...

    def format_bitset_of_equal_cells(self, field: Field, first_index: Term, count: int, value: Term) -> str: ...


@dataclass(frozen=True)
class PlacedPlan:
    """A plan whose banks' sets are the names `m{first}` and following."""

    plan: SetPlan
    first: int = 0

    @property
    def sets(self) -> list[str]:
        """The name of each bank's set."""
        return [f"m{self.first + b}" for b in range(len(self.plan.banks))]


def generate_lines_computing_sets(source: SetFormatter, placed: PlacedPlan) -> list[str]:
    """Return lines that compute the set of each bank."""
    return _generate_lines_computing_sets_by_case(source, placed, placed.plan.cases, 0)


def _generate_lines_computing_sets_by_case(
    source: SetFormatter, placed: PlacedPlan, cases: Sequence[SetCase], depth: int
) -> list[str]:
    if depth == len(placed.plan.splits):
        return _generate_lines_computing_sets_of_case(source, placed, cases[0])
    term = placed.plan.splits[depth]
    lines: list[str] = []
    for value in range(term.lo, term.hi + 1):
        of_value = [case for case in cases if case.values[depth] == value]
        head = f"{'el' if lines else ''}if {source.format_integer_term(term)} == {value}:"
        head = "else:" if value == term.hi else head
        body = _generate_lines_computing_sets_by_case(source, placed, of_value, depth + 1)
        lines += [head, *(f"    {line}" for line in body)]
    return lines


def _generate_lines_computing_sets_of_case(source: SetFormatter, placed: PlacedPlan, case: SetCase) -> list[str]:
    made = [f"{name} = {mask}" for name, mask in zip(placed.sets, case.masks, strict=True)]
    used = set(re.findall(r"\b[cqst]\d+\b", "\n".join(made)))
    lines, tables = [], {}
    for values, name in case.names.tables.items():
        if name in used:
            tables[name] = _add_word_table_once_and_get_name(source, values)
    for name, term in case.names.scalars.values():
        if name in used:
            lines.append(f"{name} = {source.format_integer_term(term)}")
    for name, condition in case.names.conditions.values():
        if name in used:
            lines.append(f"{name} = -int({source.format_integer_term(condition)})")
    for name, field, value in case.names.equal.values():
        if name in used:
            count = min(field.size, LANES)
            lines.append(f"{name} = {source.format_bitset_of_equal_cells(field, Const(0), count, value)}")
    return [*lines, *(re.sub(r"\bt\d+\b", lambda t: tables[t.group()], line) for line in made)]


def _add_word_table_once_and_get_name(source: SetFormatter, values: Sequence[int]) -> str:
    """Return the name of a table of 64-bit words, which is added to the module once."""
    key = tuple(values)
    if key not in source.word_tables:
        name = source.word_tables[key] = f"B{len(source.word_tables)}"
        signed = [value - (1 << 64) if value >> 63 else value for value in values]
        source.lines += ["", f"{name} = _table({signed})"]
    return source.word_tables[key]


# -- members --------------------------------------------------------------------------------------------------------


def format_count_of_choices_in_sets(placed: PlacedPlan) -> str:
    """Return an expression for the number of choices in all sets."""
    return " + ".join(f"ones({name})" for name in placed.sets)


def generate_function_body_answering_by_sets(source: SetFormatter, placed: PlacedPlan, kind: str) -> list[str]:
    """Return the lines of a function that answers with the sets of a plan: how many members they have (`sum`), whether
    there is any, or whether there is none (`all`)."""
    lines = generate_lines_computing_sets(source, placed)
    if kind == "sum":
        return [*lines, f"return {format_count_of_choices_in_sets(placed)}"]
    found, missing = (0, 1) if kind == "all" else (1, 0)
    return [*lines, f"return {found} if ({' | '.join(placed.sets)}) != 0 else {missing}"]


def generate_lines_finding_kth_choice(source: SetFormatter, placed: PlacedPlan, choice_numbers: IntArray) -> list[str]:
    """Return lines that find choice `k` of those in the sets, counted from 0 in their order: `ident` is its number."""
    plan, sets = placed.plan, placed.sets
    if len(sets) == 1:
        lines = [f"lane = kth({sets[0]}, k)"]
    elif plan.by_lane:
        lines = _generate_lines_finding_lane_of_kth_choice(placed)
    else:
        lines = ["b = 0", f"c = ones({sets[0]})", f"m = {sets[0]}"]
        for bank, name in enumerate(sets[1:], 1):
            step = ["k = k - c", f"b = {bank}", f"c = ones({name})", f"m = {name}"]
            lines += ["if k >= c:", *(f"    {line}" for line in step)]
        lines.append("lane = kth(m, k)")
    return [*lines, f"ident = {_format_choice_number(source, plan, choice_numbers)}"]


def _generate_lines_finding_lane_of_kth_choice(placed: PlacedPlan) -> list[str]:
    """Return lines that find the lane of choice `k` by halves, then its bank."""
    sets = placed.sets
    lines, half = ["lane = 0"], LANES // 2
    widest = max(int(bank.lanes.max()) for bank in placed.plan.banks)
    while half:
        if half <= widest:
            low = (1 << half) - 1
            lines += [
                f"c = {' + '.join(f'ones({name} & {low})' for name in sets)}",
                "if k >= c:",
                "    k = k - c",
                *(f"    {name} = {name} >> {half}" for name in sets),
                f"    lane = lane + {half}",
            ]
        half //= 2
    lines += ["b = 0", f"c = {sets[0]} & 1"]
    for b, name in enumerate(sets[1:], 1):
        lines += ["if k >= c:", "    k = k - c", f"    b = {b}", f"    c = {name} & 1"]
    return lines


def generate_lines_listing_choices_in_sets(
    source: SetFormatter, placed: PlacedPlan, choice_numbers: IntArray
) -> list[str]:
    """Return lines that append the numbers of the choices in the sets to `out`, with weight 1."""
    plan, sets = placed.plan, placed.sets
    written = [
        [f"out[n] = {_format_choice_number_in_bank(source, plan, choice_numbers, b)}", "weights[n] = 1", "n += 1"]
        for b in range(len(sets))
    ]
    lines: list[str] = []
    if not plan.by_lane:
        for name, add in zip(sets, written, strict=True):
            lines += [*_generate_head_of_loop_over_members(name), *(f"    {line}" for line in add)]
        return lines
    lines = [f"m = {' | '.join(sets)}", *_generate_head_of_loop_over_members("m")]
    for name, add in zip(sets, written, strict=True):
        lines += [f"    if ({name} >> lane) & 1 != 0:", *(f"        {line}" for line in add)]
    return lines


def _generate_head_of_loop_over_members(set_name: str) -> list[str]:
    return [
        f"while {set_name} != 0:",
        f"    lane = lowest({set_name})",
        f"    {set_name} = {set_name} & ({set_name} - 1)",
    ]


def _find_factor_and_addend_of_lanes(lanes: IntArray, numbers: IntArray) -> tuple[int, int] | None:
    """Return the factor and addend that make numbers of lanes, or None if there are none."""
    factor = 0
    if len(lanes) > 1:
        factor = int(numbers[1] - numbers[0]) // int(lanes[1] - lanes[0])
    addend = int(numbers[0]) - factor * int(lanes[0])
    return (factor, addend) if bool(np.all(numbers == factor * lanes + addend)) else None


def _format_linear_expression(factor: int, addend: int, name: str) -> str:
    scaled = name if factor == 1 else f"{factor} * {name}"
    return f"{scaled} + {addend}" if addend else scaled


def _format_choice_number_in_bank(
    source: SetFormatter, plan: SetPlan, choice_numbers: IntArray, bank_number: int
) -> str:
    """Return an expression for the number of the choice in a lane of a bank."""
    bank = plan.banks[bank_number]
    line = _find_factor_and_addend_of_lanes(bank.lanes, choice_numbers[bank.members])
    if line is not None:
        return _format_linear_expression(*line, "lane")
    numbers_by_lane = _list_choice_numbers_by_bank_and_lane(plan, choice_numbers, [bank_number])
    return f"{_add_word_table_once_and_get_name(source, numbers_by_lane)}[lane]"


def _format_choice_number(source: SetFormatter, plan: SetPlan, choice_numbers: IntArray) -> str:
    """Return an expression for the number of the choice in lane `lane` of bank `b`."""
    if len(plan.banks) == 1:
        return _format_choice_number_in_bank(source, plan, choice_numbers, 0)
    found = [_find_factor_and_addend_of_lanes(bank.lanes, choice_numbers[bank.members]) for bank in plan.banks]
    lines = [line for line in found if line is not None]
    if len(lines) == len(found) and len({factor for factor, _ in lines}) == 1:
        places = _find_factor_and_addend_of_lanes(np.arange(len(lines)), np.array([addend for _, addend in lines]))
        if places is not None:
            return f"{_format_linear_expression(lines[0][0], 0, 'lane')} + {_format_linear_expression(*places, 'b')}"
    table = _add_word_table_once_and_get_name(
        source, _list_choice_numbers_by_bank_and_lane(plan, choice_numbers, range(len(plan.banks)))
    )
    return f"{table}[{LANES} * b + lane]"


def _list_choice_numbers_by_bank_and_lane(
    plan: SetPlan, choice_numbers: IntArray, bank_numbers: Sequence[int]
) -> list[int]:
    """Return the numbers of the choices in every lane of banks, 0 where there is none."""
    listed = [0] * (LANES * len(bank_numbers))
    for place, b in enumerate(bank_numbers):
        for lane, member in zip(plan.banks[b].lanes, plan.banks[b].members, strict=True):
            listed[LANES * place + int(lane)] = int(choice_numbers[member])
    return listed
