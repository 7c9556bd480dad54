"""Generates source about actions: it lists the legal ones, draws a random one at the least cost, and
says of one whether it is legal and how far from it, as the replay of histories needs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from playproof.language.action_sets import (
    find_set_plan_for_legal_choices,
    has_constant_weight_one,
    list_ground_action_numbers,
)
from playproof.language.expr import Apply, Local, Op, Reduce, Term
from playproof.language.game import Action, Game, Phase
from playproof.language.machine.sets import MOST
from playproof.language.nested_tests import (
    format_guard_or_weight_expression,
    generate_lines_assigning_only_value,
    generate_loops_testing_requirements,
)
from playproof.language.parts import Parameter
from playproof.language.python_source import (
    SourceBuilder,
    format_local_name,
    indent_lines,
    list_requirements_if_all_come_first,
)
from playproof.language.set_plans import SetPlan
from playproof.language.set_source import (
    PlacedPlan,
    format_count_of_choices_in_sets,
    generate_lines_computing_sets,
    generate_lines_finding_kth_choice,
    generate_lines_listing_choices_in_sets,
)
from playproof.language.statements import Keep, Require, iter_statements_recursively

# -- action choice -------------------------------------------------------------------------------------------
# Generates source that lists the legal actions of a phase and that draws a random move at the least cost.


def generate_weight_body_or_no_lines(source: SourceBuilder, action: Action) -> list[str]:
    """Return the lines of a function that computes an action's weight; no lines if the weight is
    always 1."""
    if action.weight is None:
        return []
    return [*source.generate_lines_of_effects(action.kept), f"return {source.format_term(action.weight)}"]


def generate_range_dispatch_lines(
    number_expression: str, lines_by_first_number: Sequence[tuple[int, list[str]]]
) -> list[str]:
    """Return a balanced tree of comparisons. `lines_by_first_number` are pairs (number, lines) in ascending
    order."""
    if len(lines_by_first_number) == 1:
        return lines_by_first_number[0][1]
    middle = len(lines_by_first_number) // 2
    return [
        f"if {number_expression} < {lines_by_first_number[middle][0]}:",
        *(f"    {line}" for line in generate_range_dispatch_lines(number_expression, lines_by_first_number[:middle])),
        "else:",
        *(f"    {line}" for line in generate_range_dispatch_lines(number_expression, lines_by_first_number[middle:])),
    ]


def add_functions_listing_legal_actions(source: SourceBuilder, game: Game) -> None:
    """Add `legal(S, out, weights)`, which writes all legal actions of the phase and returns their count."""
    for phase in game.phases:
        if not phase.automatic:
            source.add_function_definition(
                f"legal{phase.number}", ["S", "out", "weights"], _generate_lines_listing_legal_actions(source, phase)
            )
    cases = [
        (p.number, ["return 0"] if p.automatic else [f"return legal{p.number}(S, out, weights)"]) for p in game.phases
    ]
    source.add_function_definition(
        "legal",
        ["S", "out", "weights"],
        ["if S[1] != 0:", "    return 0", *generate_range_dispatch_lines("S[0]", cases)],
    )


def _generate_lines_listing_legal_actions(source: SourceBuilder, phase: Phase) -> list[str]:
    lines = ["n = 0"]
    for action in phase.actions:
        plan = _find_set_plan_if_usable(source, action)
        if plan is None:
            lines += _generate_lines_appending_legal_choices(source, action)
        else:
            placed = PlacedPlan(plan)
            lines += generate_lines_computing_sets(source, placed)
            lines += generate_lines_listing_choices_in_sets(source, placed, list_ground_action_numbers(action))
    return [*lines, "return n"]


def _find_set_plan_if_usable(source: SourceBuilder, action: Action) -> SetPlan | None:
    return find_set_plan_for_legal_choices(action) if source.can_compare_at_once else None


def _generate_lines_appending_legal_choices(
    source: SourceBuilder, action: Action, output_kind: str = "weights"
) -> list[str]:
    """Return lines that append the numbers of the action's legal choices to `out`. If all weights
    are 1, the lines write every number but count only the legal ones, so there is no branch.

    `output_kind` selects the output: `weights` adds the weights, `total` adds the weights and their sum,
    `numbers` adds nothing.
    """
    ident = _format_mixed_radix_number_or_empty(action.params)
    number_of = str(action.first) if not ident else (f"{action.first} + {ident}" if action.first else ident)

    def generate_inner_lines(guard: str) -> list[str]:
        if has_constant_weight_one(action):
            wanted = {"weights": ["weights[n] = 1"], "total": ["weights[n] = 1"], "numbers": []}[output_kind]
            adding = ["total += g"] if output_kind == "total" else []
            return [f"out[n] = {number_of}", *wanted, f"g = {guard}", *adding, "n += g"]
        weight = format_guard_or_weight_expression("weight", action, generate_weight_body_or_no_lines(source, action))
        adding = ["        total += w"] if output_kind == "total" else []
        return [
            f"if {guard}:",
            f"    w = {weight}",
            "    if w > 0:",
            f"        out[n] = {number_of}",
            "        weights[n] = w",
            *adding,
            "        n += 1",
        ]

    return generate_loops_testing_requirements(
        source, action, _find_terms_fixing_parameters(action), generate_inner_lines
    )


def _format_mixed_radix_number_or_empty(params: Sequence[Parameter]) -> str:
    """Return an expression that counts the values of parameters in mixed radix; "" for no parameters."""
    number = ""
    for p in params:
        digit = format_local_name(p.local) if p.low == 0 else f"({format_local_name(p.local)} - {p.low})"
        number = digit if not number else f"({number}) * {p.count} + {digit}"
    return number


def _find_terms_fixing_parameters(action: Action) -> dict[int, Term]:
    """Return the term that fixes each fixed parameter, by the number of the parameter's local. A
    parameter is fixed if one of the leading requirements is `require(cell == parameter)`; only that
    value needs to be tried."""
    terms: dict[int, Term] = {}
    mine = {p.local.number for p in action.params}
    for statement in action.body:
        if not isinstance(statement, Require):
            break
        condition = statement.condition
        if isinstance(condition, Op) and condition.op == "==":
            for side, other in (condition.args, condition.args[::-1]):
                if isinstance(side, Local) and side.number in mine and not other.locals:
                    terms.setdefault(side.number, other)
    return terms


def _has_no_requirement_or_weight(action: Action) -> bool:
    """Return whether an action has neither requirements nor a weight."""
    return action.weight is None and not any(isinstance(s, Require) for s in iter_statements_recursively(action.body))


def add_functions_taking_random_move(source: SourceBuilder, game: Game) -> None:
    """Add `step(S, R, out, weights)`, which takes a random move of the phase at the least cost.
    Moves have the same distribution as a draw from `legal`."""
    cases = []
    for phase in game.phases:
        if phase.automatic:
            cases.append((phase.number, ["return -1"]))
            continue
        source.add_function_definition(
            f"step{phase.number}", ["S", "R", "out", "weights"], _generate_cheapest_move_taking_lines(source, phase)
        )
        cases.append((phase.number, [f"return step{phase.number}(S, R, out, weights)"]))
    source.add_function_definition("step", ["S", "R", "out", "weights"], generate_range_dispatch_lines("S[0]", cases))


def _generate_cheapest_move_taking_lines(source: SourceBuilder, phase: Phase) -> list[str]:
    firsts = [a.first for a in phase.actions]
    counts = [a.count for a in phase.actions]
    follows_on = all(f + c == n for f, c, n in zip(firsts, counts, firsts[1:], strict=False))
    all_even = all(has_constant_weight_one(a) for a in phase.actions)
    if follows_on and all(_has_no_requirement_or_weight(a) for a in phase.actions):
        # All numbers from the first on are legal: one draw needs no list of them.
        lines = [f"ident = below(R, {sum(counts)})" + (f" + {firsts[0]}" if firsts[0] else "")]
    elif all_even and any(_find_set_plan_if_usable(source, a) is not None for a in phase.actions):
        return _generate_random_move_lines_by_set_plans(source, phase)
    elif all_even and sum(map(_count_choices_of_unfixed_parameters, phase.actions)) <= MOST:
        return _generate_move_taking_lines_by_bitset(source, phase)
    else:
        lines = _generate_lines_listing_then_drawing(source, phase, equal_weights=all_even or not phase.chance)
    effects = [(a.first, generate_effect_call_lines(a)) for a in phase.actions]
    return [*lines, *generate_range_dispatch_lines("ident", effects), "return ident"]


def _generate_lines_listing_then_drawing(source: SourceBuilder, phase: Phase, *, equal_weights: bool) -> list[str]:
    """Return lines that list all legal choices and draw one: by weight, unless all weights are `equal_weights`."""
    keep = "numbers" if equal_weights else "total"
    lines = ["n = 0"] if equal_weights else ["n = 0", "total = 0"]
    for action in phase.actions:
        lines += _generate_lines_appending_legal_choices(source, action, keep)
    draw = "below(R, n)" if equal_weights else "chosen(R, weights, n, total)"
    return [*lines, "if n == 0:", "    return -1", f"ident = out[{draw}]"]


# -- moves as sets of banks -------------------------------------------------------------------------------------


def _generate_random_move_lines_by_set_plans(source: SourceBuilder, phase: Phase) -> list[str]:
    """Return lines that draw a move where some actions have a plan; the others are listed in `out`, one after
    another. `a0`, `a1` and so on count the choices of a run of actions."""
    lines, branches, first = ["n = 0"], list[tuple[str, list[str]]](), 0
    for number, run in enumerate(_group_adjacent_actions_without_plan(source, phase)):
        plan = _find_set_plan_if_usable(source, run[0])
        count = f"a{number}"
        if plan is None:
            lines.append(f"o{number} = n")
            for action in run:
                lines += _generate_lines_appending_legal_choices(source, action, "numbers")
            lines.append(f"{count} = n - o{number}")
            drawn = [f"ident = out[o{number} + k]"]
        else:
            placed = PlacedPlan(plan, first)
            first += len(placed.sets)
            lines += [
                *generate_lines_computing_sets(source, placed),
                f"{count} = {format_count_of_choices_in_sets(placed)}",
            ]
            drawn = generate_lines_finding_kth_choice(source, placed, list_ground_action_numbers(run[0]))
        effects = [(a.first, generate_effect_call_lines(a)) for a in run]
        branches.append((count, [*drawn, *generate_range_dispatch_lines("ident", effects)]))
    total = " + ".join(count for count, _ in branches)
    lines += [f"total = {total}", "if total == 0:", "    return -1", "k = below(R, total)", "ident = -1"]
    return [*lines, *_generate_lines_choosing_branch_by_count(branches), "return ident"]


def _group_adjacent_actions_without_plan(source: SourceBuilder, phase: Phase) -> list[list[Action]]:
    """Return the actions of a phase in order: each one with a plan by itself, others together."""
    runs: list[list[Action]] = []
    for action in phase.actions:
        alone = _find_set_plan_if_usable(source, action) is not None
        if runs and not alone and _find_set_plan_if_usable(source, runs[-1][0]) is None:
            runs[-1].append(action)
        else:
            runs.append([action])
    return runs


def _generate_lines_choosing_branch_by_count(counted_branches: Sequence[tuple[str, list[str]]]) -> list[str]:
    """Return lines that run the branch whose count choice `k` falls into, with `k` counted from its first."""
    (count, body), *others = counted_branches
    if not others:
        return body
    rest = [f"k = k - {count}", *_generate_lines_choosing_branch_by_count(others)]
    return [f"if k < {count}:", *indent_lines(body), "else:", *indent_lines(rest)]


# -- moves as a set ---------------------------------------------------------------------------------------------


def _generate_move_taking_lines_by_bitset(source: SourceBuilder, phase: Phase) -> list[str]:
    """Return lines that draw a move in a phase with few choices: a set of bits holds the legal
    ones, with one member for each choice that is tried."""
    lines, cases, first = ["m = 0"], [], 0
    for action in phase.actions:
        lines += _generate_lines_adding_legal_choices_to_bitset(source, action, first)
        cases.append((first, _generate_lines_applying_bitset_member(action, first)))
        first += _count_choices_of_unfixed_parameters(action)
    return [
        *lines,
        "n = ones(m)",
        "if n == 0:",
        "    return -1",
        "k = kth(m, below(R, n))",
        *generate_range_dispatch_lines("k", cases),
        "return ident",
    ]


def _count_choices_of_unfixed_parameters(action: Action) -> int:
    """Return how many choices of the action's parameters the code tries; a parameter that a
    requirement fixes has only one value."""
    bound = _find_terms_fixing_parameters(action)
    return prod(p.count for p in action.params if p.local.number not in bound)


def _generate_lines_adding_legal_choices_to_bitset(
    source: SourceBuilder, action: Action, first_member: int
) -> list[str]:
    """Return lines that add the legal choices of an action to the set `m`, as members from number
    `first_member` on."""
    bound = _find_terms_fixing_parameters(action)
    free = [p for p in action.params if p.local.number not in bound]
    places = _format_bitset_of_legal_values_or_none(source, action, free[0]) if len(free) == 1 else None
    if places is not None:
        lines, indent = list[str](), ""
        for p in action.params:
            if p.local.number in bound:
                fixed, indent = generate_lines_assigning_only_value(source, p, bound[p.local.number], indent)
                lines += fixed
        return [*lines, f"{indent}m = m | {_format_left_shift(places, first_member)}"]
    number = _format_mixed_radix_number_or_empty(free)
    member = f"({first_member} + {number})" if number else str(first_member)
    return generate_loops_testing_requirements(
        source, action, bound, lambda guard: [f"m = m | (int({guard}) << {member})"]
    )


def _format_bitset_of_legal_values_or_none(source: SourceBuilder, action: Action, parameter: Parameter) -> str | None:
    """Return an expression for the set of legal values of `parameter`, the only parameter to try. Return
    None unless exactly one plain requirement names `parameter` and that requirement compares a row of
    cells."""
    plain = list_requirements_if_all_come_first(action.body)
    about = [c for c in plain or () if parameter.local in c.locals]
    if plain is None or len(about) != 1:
        return None
    held = source.format_bitset_of_matching_values(
        about[0], parameter.local, parameter.low, parameter.low + parameter.count
    )
    others = [source.format_term(c) for c in plain if c is not about[0]]
    return held if held is None or not others else f"({held} if {' and '.join(others)} else 0)"


def _format_left_shift(set_expression: str, shift: int) -> str:
    return f"({set_expression} << {shift})" if shift else set_expression


def _generate_lines_applying_bitset_member(action: Action, first_member: int) -> list[str]:
    """Return lines that take member `k` of the set: they compute its parameters and its number
    `ident`, and carry out its effects."""
    bound, below = _find_terms_fixing_parameters(action), _count_choices_of_unfixed_parameters(action)
    lines = [f"k = k - {first_member}"] if first_member and below > 1 else []
    number = _format_mixed_radix_number_or_empty(action.params)
    for p in action.params:
        if p.local.number not in bound:
            below, before = below // p.count, below
            digit = f"k // {below}" if below > 1 else "k"
            if before != _count_choices_of_unfixed_parameters(action):
                digit = f"({digit}) % {p.count}"
            lines.append(f"{format_local_name(p.local)} = {digit}" + (f" + {p.low}" if p.low else ""))
    names = ", ".join(["S", *(format_local_name(p.local) for p in action.params)])
    return [*lines, f"ident = {action.first}" + (f" + {number}" if number else ""), f"effect{action.number}({names})"]


# -- effects ----------------------------------------------------------------------------------------------------


def _generate_call_lines_from_choice_number(action: Action, callee: str) -> list[str]:
    """Return lines that split `k`, a number within the action, into the parameters' values and call
    `callee(S, ...)` with them."""
    lines, names, below = [], [], action.count
    for number, p in enumerate(action.params):
        below //= p.count  # ground actions per value of this parameter: `k` counts in mixed radix
        if below > 1:
            digit = f"(k // {below}) % {p.count}"
        else:
            digit = "k" if number == 0 else f"k % {p.count}"
        lines.append(f"v{number} = {digit}" + (f" + {p.low}" if p.low else ""))
        names.append(f"v{number}")
    return [*lines, f"{callee}({', '.join(['S', *names])})"]


def generate_effect_call_lines(action: Action) -> list[str]:
    """Return lines that carry out the effects of the ground action `ident`."""
    return generate_call_lines_from_ground_action_number(action, f"effect{action.number}")


def generate_call_lines_from_ground_action_number(action: Action, callee: str) -> list[str]:
    """Return lines that call `callee(S, ...)` with the parameters of the ground action `ident`."""
    start = [f"k = ident - {action.first}"] if action.params else []
    return [*start, *_generate_call_lines_from_choice_number(action, callee)]


# -- replay source -------------------------------------------------------------------------------------------
# Adds to a game's generated source what the replay of histories needs (playproof.language.machine.replays):
# automatic phases one by one, whether one action is legal, and how far it is from being legal.

_MOST_PARTS = 200  # parts of one action's conditions that are weighed one by one
_FAR = 1 << 30


def add_replay_and_legality_functions(source: SourceBuilder, game: Game) -> None:
    """Add `automatic(S)`, `advance(S)`, `allowed(S, ident)` and `far(S, ident)`."""
    phases = game.phases
    running = generate_range_dispatch_lines("S[0]", [(p.number, [f"return {int(p.automatic)}"]) for p in phases])
    source.add_function_definition("automatic", ["S"], ["if S[1] != 0:", "    return 0", *running])
    source.add_function_definition(
        "advance",
        ["S"],
        generate_range_dispatch_lines(
            "S[0]", [(p.number, [f"auto{p.number}(S)"] if p.automatic else ["return"]) for p in phases]
        ),
    )
    for action in game.actions:
        names = ["S", *(format_local_name(p.local) for p in action.params)]
        source.add_function_definition(f"allowed{action.number}", names, _generate_legality_test_body(source, action))
        source.add_function_definition(
            f"far{action.number}", names, _LegalityDistanceWriter(source).generate_distance_function_body(action)
        )
    for name in ("allowed", "far"):
        cases = [
            (action.first, generate_call_lines_from_ground_action_number(action, f"return {name}{action.number}"))
            for action in game.actions
        ]
        source.add_function_definition(
            name, ["S", "ident"], ["if S[1] != 0:", "    return 0", *generate_range_dispatch_lines("ident", cases)]
        )


def _generate_legality_test_body(source: SourceBuilder, action: Action) -> list[str]:
    """Return the lines of a function that returns 1 if an action is legal, else 0."""
    phases = " or ".join(f"S[0] == {phase}" for phase in sorted(action.phases))
    lines = [f"if not ({phases}):", "    return 0", *source.generate_lines_returning_zero_if_refused(action.body)]
    if action.weight is not None:
        lines += [
            *source.generate_lines_of_effects(action.kept),
            f"if {source.format_integer_term(action.weight)} <= 0:",
            "    return 0",
        ]
    return [*lines, "return 1"]


class _LegalityDistanceWriter:
    """Writes how many parts of an action's conditions stand against it."""

    def __init__(self, source: SourceBuilder) -> None:
        self.source = source
        self._parts = 0

    def generate_distance_function_body(self, action: Action) -> list[str]:
        """Return the lines of a function that counts them."""
        lines = ["t = 0"]
        for statement in action.head:
            if isinstance(statement, Keep):
                lines.append(self.source.generate_line_keeping_value(statement))
            elif isinstance(statement, Require):
                name, part = self._generate_name_and_lines_of_distance(statement.condition, expected_truth=True)
                lines += [*part, f"t += {name}"]
        return [*lines, "return t"]

    def _generate_name_and_lines_of_distance(self, condition: Term, *, expected_truth: bool) -> tuple[str, list[str]]:
        """Return a local's name, and the lines that set it to the distance of a condition from being
        true (or false)."""
        name = f"d{self._parts}"
        self._parts += 1
        if self._parts > _MOST_PARTS:
            return name, self._generate_distance_zero_or_one(name, condition, expected_truth=expected_truth)
        match condition:
            case Op(op="not"):
                return self._generate_name_and_lines_of_distance(condition.args[0], expected_truth=not expected_truth)
            case Op(op="and" | "or"):
                parts = [
                    self._generate_name_and_lines_of_distance(arg, expected_truth=expected_truth)
                    for arg in condition.args
                ]
                names = [part for part, _ in parts]
                both = " + ".join(names) if (condition.op == "and") == expected_truth else f"min({', '.join(names)})"
                return name, [*(line for _, lines in parts for line in lines), f"{name} = {both}"]
            case Reduce(kind="any" | "all") if condition.start < condition.stop:
                return name, self._generate_distance_of_loop_condition(name, condition, expected_truth=expected_truth)
            case Apply():
                values = [
                    f"{format_local_name(parameter)} = {self.source.format_term(arg)}"
                    for parameter, arg in zip(condition.function.params, condition.args, strict=True)
                ]
                inner, lines = self._generate_name_and_lines_of_distance(
                    condition.function.body, expected_truth=expected_truth
                )
                return inner, [*values, *lines]
        return name, self._generate_distance_zero_or_one(name, condition, expected_truth=expected_truth)

    def _generate_distance_of_loop_condition(
        self, result_name: str, term: Reduce, *, expected_truth: bool
    ) -> list[str]:
        every = (term.kind == "all") == expected_truth
        part, lines = self._generate_name_and_lines_of_distance(term.body, expected_truth=expected_truth)
        more = f"{result_name} += {part}" if every else f"{result_name} = min({result_name}, {part})"
        return [
            f"{result_name} = {0 if every else _FAR}",
            f"for {format_local_name(term.var)} in range({term.start}, {term.stop}):",
            *indent_lines([*lines, more]),
        ]

    def _generate_distance_zero_or_one(self, result_name: str, condition: Term, *, expected_truth: bool) -> list[str]:
        no, yes = (0, 1) if expected_truth else (1, 0)
        return [f"{result_name} = ({no} if {self.source.format_term(condition)} else {yes})"]
