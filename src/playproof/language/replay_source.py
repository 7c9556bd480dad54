"""Adds to a game's generated source what the replay of histories needs
(playproof.language.machine.replays): automatic phases one by one, whether one action is legal, and how
far it is from being legal."""

from __future__ import annotations

from playproof.language.action_choice import generate_decoded_call_lines, generate_dispatch_tree
from playproof.language.expr import Apply, Op, Reduce, Term
from playproof.language.game import Action, Game
from playproof.language.python_source import SourceBuilder, format_local_name, indent_lines
from playproof.language.traced_statements import Keep, Require

_MOST_PARTS = 200  # parts of one action's conditions that are weighed one by one
_FAR = 1 << 30


def add_replay_functions(source: SourceBuilder, game: Game) -> None:
    """Add `automatic(S)`, `advance(S)`, `allowed(S, ident)` and `far(S, ident)`."""
    phases = game.phases
    running = generate_dispatch_tree("S[0]", [(p.number, [f"return {int(p.automatic)}"]) for p in phases])
    source.add_function("automatic", ["S"], ["if S[1] != 0:", "    return 0", *running])
    source.add_function(
        "advance",
        ["S"],
        generate_dispatch_tree(
            "S[0]", [(p.number, [f"auto{p.number}(S)"] if p.automatic else ["return"]) for p in phases]
        ),
    )
    for action in game.actions:
        names = ["S", *(format_local_name(p.local) for p in action.params)]
        source.add_function(f"allowed{action.number}", names, _generate_allowed_lines(source, action))
        source.add_function(f"far{action.number}", names, _DistanceWriter(source).generate_lines(action))
    for name in ("allowed", "far"):
        cases = [
            (action.first, generate_decoded_call_lines(action, f"return {name}{action.number}"))
            for action in game.actions
        ]
        source.add_function(
            name, ["S", "ident"], ["if S[1] != 0:", "    return 0", *generate_dispatch_tree("ident", cases)]
        )


def _generate_allowed_lines(source: SourceBuilder, action: Action) -> list[str]:
    """Return the lines of a function that returns 1 if an action is legal, else 0."""
    phases = " or ".join(f"S[0] == {phase}" for phase in sorted(action.phases))
    lines = [f"if not ({phases}):", "    return 0", *source.generate_guard_lines(action.body)]
    if action.weight is not None:
        lines += [
            *source.generate_effect_lines(action.kept),
            f"if {source.format_integer_term(action.weight)} <= 0:",
            "    return 0",
        ]
    return [*lines, "return 1"]


class _DistanceWriter:
    """Writes how many parts of an action's conditions stand against it."""

    def __init__(self, source: SourceBuilder) -> None:
        self.source = source
        self._parts = 0

    def generate_lines(self, action: Action) -> list[str]:
        """Return the lines of a function that counts them."""
        lines = ["t = 0"]
        for statement in action.head:
            if isinstance(statement, Keep):
                lines.append(self.source.generate_keep_line(statement))
            elif isinstance(statement, Require):
                name, part = self._generate_part(statement.condition, expected=True)
                lines += [*part, f"t += {name}"]
        return [*lines, "return t"]

    def _generate_part(self, term: Term, *, expected: bool) -> tuple[str, list[str]]:
        """Return a local's name, and the lines that set it to the distance of a condition from being
        true (or false)."""
        name = f"d{self._parts}"
        self._parts += 1
        if self._parts > _MOST_PARTS:
            return name, self._generate_leaf(name, term, expected=expected)
        match term:
            case Op(op="not"):
                return self._generate_part(term.args[0], expected=not expected)
            case Op(op="and" | "or"):
                parts = [self._generate_part(arg, expected=expected) for arg in term.args]
                names = [part for part, _ in parts]
                both = " + ".join(names) if (term.op == "and") == expected else f"min({', '.join(names)})"
                return name, [*(line for _, lines in parts for line in lines), f"{name} = {both}"]
            case Reduce(kind="any" | "all") if term.start < term.stop:
                return name, self._generate_loop(name, term, expected=expected)
            case Apply():
                values = [
                    f"{format_local_name(parameter)} = {self.source.format_term(arg)}"
                    for parameter, arg in zip(term.function.params, term.args, strict=True)
                ]
                inner, lines = self._generate_part(term.function.body, expected=expected)
                return inner, [*values, *lines]
        return name, self._generate_leaf(name, term, expected=expected)

    def _generate_loop(self, name: str, term: Reduce, *, expected: bool) -> list[str]:
        every = (term.kind == "all") == expected
        part, lines = self._generate_part(term.body, expected=expected)
        more = f"{name} += {part}" if every else f"{name} = min({name}, {part})"
        return [
            f"{name} = {0 if every else _FAR}",
            f"for {format_local_name(term.var)} in range({term.start}, {term.stop}):",
            *indent_lines([*lines, more]),
        ]

    def _generate_leaf(self, name: str, term: Term, *, expected: bool) -> list[str]:
        no, yes = (0, 1) if expected else (1, 0)
        return [f"{name} = ({no} if {self.source.format_term(term)} else {yes})"]
