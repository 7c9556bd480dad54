"""Adds to a game's generated source what the replay of histories needs
(playproof.language.machine.replays): automatic phases one by one, whether one action is legal, and how
far it is from being legal."""

from __future__ import annotations

from playproof.language.action_choice import dispatch, number_lines
from playproof.language.expr import Apply, Op, Reduce, Term
from playproof.language.game import Action, Game
from playproof.language.python_source import Source, indented, local_name
from playproof.language.traced_statements import Keep, Require

_MOST_PARTS = 200  # parts of one action's conditions that are weighed one by one
_FAR = 1 << 30


def declare_replay(source: Source, game: Game) -> None:
    """Add `automatic(S)`, `advance(S)`, `allowed(S, ident)` and `far(S, ident)`."""
    phases = game.phases
    running = dispatch("S[0]", [(p.number, [f"return {int(p.automatic)}"]) for p in phases])
    source.function("automatic", ["S"], ["if S[1] != 0:", "    return 0", *running])
    source.function(
        "advance",
        ["S"],
        dispatch("S[0]", [(p.number, [f"auto{p.number}(S)"] if p.automatic else ["return"]) for p in phases]),
    )
    for action in game.actions:
        names = ["S", *(local_name(p.local) for p in action.params)]
        source.function(f"allowed{action.number}", names, _allowed(source, action))
        source.function(f"far{action.number}", names, _Distance(source).lines(action))
    for name in ("allowed", "far"):
        cases = [
            (action.first, number_lines(action, f"return {name}{action.number}")) for action in game.actions
        ]
        source.function(name, ["S", "ident"], ["if S[1] != 0:", "    return 0", *dispatch("ident", cases)])


def _allowed(source: Source, action: Action) -> list[str]:
    """Return the lines of a function that returns 1 if an action is legal, else 0."""
    phases = " or ".join(f"S[0] == {phase}" for phase in sorted(action.phases))
    lines = [f"if not ({phases}):", "    return 0", *source.guard(action.body)]
    if action.weight is not None:
        lines += [*source.effects(action.kept), f"if {source.integer(action.weight)} <= 0:", "    return 0"]
    return [*lines, "return 1"]


class _Distance:
    """Writes how many parts of an action's conditions stand against it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._parts = 0

    def lines(self, action: Action) -> list[str]:
        """Return the lines of a function that counts them."""
        lines = ["t = 0"]
        for statement in action.head:
            if isinstance(statement, Keep):
                lines.append(self.source.keep_line(statement))
            elif isinstance(statement, Require):
                name, part = self._part(statement.condition, wanted=True)
                lines += [*part, f"t += {name}"]
        return [*lines, "return t"]

    def _part(self, term: Term, *, wanted: bool) -> tuple[str, list[str]]:
        """Return a local's name, and the lines that set it to the distance of a condition from being
        true (or false)."""
        name = f"d{self._parts}"
        self._parts += 1
        if self._parts > _MOST_PARTS:
            return name, self._leaf(name, term, wanted=wanted)
        match term:
            case Op(op="not"):
                return self._part(term.args[0], wanted=not wanted)
            case Op(op="and" | "or"):
                parts = [self._part(arg, wanted=wanted) for arg in term.args]
                names = [part for part, _ in parts]
                both = " + ".join(names) if (term.op == "and") == wanted else f"min({', '.join(names)})"
                return name, [*(line for _, lines in parts for line in lines), f"{name} = {both}"]
            case Reduce(kind="any" | "all") if term.start < term.stop:
                return name, self._loop(name, term, wanted=wanted)
            case Apply():
                values = [
                    f"{local_name(parameter)} = {self.source.term(arg)}"
                    for parameter, arg in zip(term.function.params, term.args, strict=True)
                ]
                inner, lines = self._part(term.function.body, wanted=wanted)
                return inner, [*values, *lines]
        return name, self._leaf(name, term, wanted=wanted)

    def _loop(self, name: str, term: Reduce, *, wanted: bool) -> list[str]:
        every = (term.kind == "all") == wanted
        part, lines = self._part(term.body, wanted=wanted)
        more = f"{name} += {part}" if every else f"{name} = min({name}, {part})"
        return [
            f"{name} = {0 if every else _FAR}",
            f"for {local_name(term.var)} in range({term.start}, {term.stop}):",
            *indented([*lines, more]),
        ]

    def _leaf(self, name: str, term: Term, *, wanted: bool) -> list[str]:
        no, yes = (0, 1) if wanted else (1, 0)
        return [f"{name} = ({no} if {self.source.term(term)} else {yes})"]
