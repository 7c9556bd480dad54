"""The compiled reading: the description as specialised source, which LLVM turns into machine code.

The same source runs as plain Python where LLVM is absent or switched off. States are int64 arrays (or lists) of
`game.cells` cells, changed in place. The random player draws from the same stream as `random.Stream`, so every
compiled game replays in the interpreter move by move.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.rules.language.cache import cache_folder, write
from playproof.rules.language.expr import Const, Local, Op, Term, as_term
from playproof.rules.language.facts import evaluation
from playproof.rules.language.game import Action, Game, Phase
from playproof.rules.language.machine.native import Native, has_machine
from playproof.rules.language.machine.parts import PARTS, Part, bind
from playproof.rules.language.packing import packing, words_of
from playproof.rules.language.parts import ENDLESS
from playproof.rules.language.random import MASK
from playproof.rules.language.source import Source, local_name
from playproof.rules.language.statements import Require, walk
from playproof.rules.language.watch import EXTRA, WatchedSource, declare_watch

Ints = npt.NDArray[np.int64]
_VERSION = "8"
_NOTES = 1024  # decisions of a game that are noted before there must be more room
_FIRST_GAMES = 32  # games in the quick form of machine code before the good one is considered


@dataclass(frozen=True, slots=True)
class Playouts:
    """What a batch of games gave, one row a game: ending number, decisions (players' only), round reached, returns
    of each seat. `taken` and `worth` count for each ground action how often players took it, and the sum of the
    taker's returns."""

    endings: Ints
    decisions: Ints
    rounds: Ints
    returns: Ints
    taken: Ints
    worth: Ints


class Compiled:
    """One game description as fast functions. `machine=False` runs the generated source as plain Python; `watched` asks
    after every step what must hold (playproof.rules.language.watch), in states that are a few cells longer.

    A description with terms that leave 64 bits runs as plain Python, whatever was asked."""

    def __init__(self, game: Game, *, machine: bool | None = None, watched: bool = False) -> None:
        self.game = game.seal()
        self.machine = has_machine() if machine is None else machine
        self.source = ""
        if self.machine:
            free = _written(game, checked=False, watched=watched)
            self.machine, self.source = free.fits, free.text
        if not self.machine:
            self.source = generate(game, checked=not watched, watched=watched)
        self._initial = [*game.initial(), *[0] * (EXTRA if watched else 0)]
        self.longest = max(1, game.ground)
        self.constants = _constants(game, watched)

    @cached_property
    def module(self) -> Any:
        """The generated functions by name, and those written beside them (playproof.rules.language.machine)."""
        return self.load(PARTS)

    def load(self, parts: Sequence[Part]) -> Any:
        """The generated functions with these parts beside them."""
        if self.machine:
            return Native(self.source, self.constants, parts)
        return load(self.source, parts)

    # -- single steps ---------------------------------------------------------------------------------------

    def start(self) -> Ints:
        """The first state in which somebody acts."""
        state = np.array(self._initial, dtype=np.int64)
        self.module.settle(state)
        return state

    def legal(self, state: Ints) -> list[int]:
        """Numbers of the legal ground actions, ascending within each action."""
        out, weights = self._buffers
        n = self.module.legal(state, out, weights)
        return [int(i) for i in out[:n]]

    def weights(self, state: Ints) -> list[int]:
        """The weights belonging to `legal(state)`."""
        out, weights = self._buffers
        n = self.module.legal(state, out, weights)
        return [int(w) for w in weights[:n]]

    def apply(self, state: Ints, ident: int) -> None:
        """Take an action in place. The action is not checked; ask `legal` or the interpreter first."""
        self.module.apply(state, ident)

    def actor(self, state: Ints) -> int:
        """The seat to act, or CHANCE."""
        return int(self.module.actor(state))

    def returns(self, state: Ints) -> tuple[int, ...]:
        """Each seat's return in a finished state."""
        out = np.zeros(self.game.players, dtype=np.int64)
        self.module.returns(state, out)
        return tuple(int(v) for v in out)

    @cached_property
    def _buffers(self) -> tuple[Ints, Ints]:
        return np.zeros(self.longest, dtype=np.int64), np.zeros(self.longest, dtype=np.int64)

    @cached_property
    def _players_move(self) -> Ints:
        """For each ground action 1 if a player takes it, 0 if chance does."""
        moves = np.zeros(self.longest, dtype=np.int64)
        for action in self.game.actions:
            chance = all(self.game.phases[p].chance for p in action.phases)
            moves[action.first : action.first + action.count] = 0 if chance else 1
        return moves

    # -- whole games ----------------------------------------------------------------------------------------

    def playouts(self, games: int, seed: int, *, first: int = 0, policies: Sequence[int] | None = None,
                 count: bool = True, start: Sequence[int] | None = None) -> Playouts:
        """Play `games` games with numbers first, first+1, ... of the run `seed`.

        `policies` names each seat's player: 0 random, 1 greedy (one step ahead on the declared evaluation).
        `start` is the state they begin in (default: the game's first).
        """
        seats = self.game.players
        wide = self.game.ground if count else 1
        result = Playouts(
            np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64),
            np.zeros((games, seats), dtype=np.int64), np.zeros(wide, dtype=np.int64), np.zeros(wide, dtype=np.int64))
        policy = np.array(policies if policies is not None else [0] * seats, dtype=np.int64)
        begin = np.array(self._initial if start is None else start, dtype=np.int64)
        done, size, notes = 0, _FIRST_GAMES, _NOTES
        while done < games:
            stop = games if not self.machine or self.module.good("playouts") else min(games, done + size)
            played = int(self.module.playouts(
                begin.copy(), seed & MASK, first + done, stop - done, policy, count, result.endings[done:stop],
                result.decisions[done:stop], result.rounds[done:stop], result.returns[done:stop], result.taken,
                result.worth, self._players_move, np.zeros(notes, dtype=np.int64), np.zeros(notes, dtype=np.int64)))
            if played < stop - done:
                notes *= 2
            done, size = done + played, 2 * size
        return result


# -- generation -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """A game's generated source; `fits` says that all its terms stay within 64 bits."""

    text: str
    fits: bool


def generate(game: Game, *, checked: bool = False, watched: bool = False) -> str:
    """The source of a game's module. `checked` source refuses values outside their bounds as the interpreter does;
    `watched` source notes what does not hold (playproof.rules.language.watch)."""
    return _written(game, checked, watched).text


def _written(game: Game, checked: bool, watched: bool, exact: bool = False) -> Written:
    source = WatchedSource(exact=exact) if watched else Source(checked, exact)
    if isinstance(source, WatchedSource):
        declare_watch(source, game)
    for action in game.actions:
        _action(source, action)
    for phase in game.phases:
        if phase.body is not None:
            source.function(f"auto{phase.number}", ["S"], source.effects(phase.body))
    _settle(source, game, watched)
    _legal(source, game)
    _apply(source, game)
    _actor(source, game)
    _returns(source, game)
    _quantities(source, game)
    _step(source, game)
    _packing(source, game)
    if not (source.fits or exact):
        return _written(game, checked, watched, exact=True)
    constants = [f"{name} = {value}" for name, value in _constants(game, watched).items()]
    text = _numbered("\n".join([_HEADER.format(name=game.name), *constants, *source.lines, ""]))
    if checked:
        phases = {p.number: (p.name, p.place.file, p.place.line, p.place.column)
                  for p in game.phases if p.automatic and p.place is not None}
        text += f"\n_WRITTEN = {source.written!r}\n_AUTOMATIC = {phases!r}\n"
    return Written(text, source.fits)


def _constants(game: Game, watched: bool) -> Mapping[str, int]:
    """The numbers that the code beside the generated source is written with."""
    cells = game.cells + (EXTRA if watched else 0)
    return {"CELLS": cells, "SEATS": game.players, "WIDTH": max(1, game.ground), "WORDS": words_of(game)}


def _numbered(text: str) -> str:
    """Locals numbered in the order of their appearance, so that one description has one source whatever else was
    built before it: the disk cache and the verifier's digests depend on that."""
    numbers: dict[str, int] = {}

    def name(match: re.Match[str]) -> str:
        return f"{match.group(1)}_{numbers.setdefault(match.group(0), len(numbers) + 1)}"

    return re.sub(r"\b([A-Za-z_]\w*?)_\d+\b", name, text)


def _action(source: Source, action: Action) -> None:
    """An action's effects, and its guard and weight where they are more than one expression."""
    names = ["S", *(local_name(p.local) for p in action.params)]
    source.function(f"effect{action.number}", names, source.effects(action.body))
    guard, weight = source.permits(action.body), _weight_lines(source, action)
    if len(guard) > 1:
        source.function(f"guard{action.number}", names, guard)
    if len(weight) > 1:
        source.function(f"weight{action.number}", names, weight)


def _weight_lines(source: Source, action: Action) -> list[str]:
    if action.weight is None:
        return []
    return [*source.effects(action.kept), f"return {source.term(action.weight)}"]


def _value(what: str, action: Action, lines: Sequence[str]) -> str:
    """A guard or weight as an expression: in place where it is one, which spares a function, else a call."""
    if len(lines) == 1:
        return f"({lines[0].removeprefix('return ')})"
    return f"{what}{action.number}({', '.join(['S', *(local_name(p.local) for p in action.params)])})"


def _dispatch(what: str, cases: Sequence[tuple[int, list[str]]]) -> list[str]:
    """A balanced tree of comparisons: `cases` are (number, lines), ascending."""
    if len(cases) == 1:
        return cases[0][1]
    middle = len(cases) // 2
    return [f"if {what} < {cases[middle][0]}:", *(f"    {line}" for line in _dispatch(what, cases[:middle])),
            "else:", *(f"    {line}" for line in _dispatch(what, cases[middle:]))]


def _settle(source: Source, game: Game, watched: bool) -> None:
    cases = [(p.number, [f"auto{p.number}(S)"] if p.automatic else ["return"]) for p in game.phases]
    body = ["return"] if not any(p.automatic for p in game.phases) else [
        f"left = {ENDLESS}", "while S[1] == 0:", *(f"    {line}" for line in _dispatch("S[0]", cases)),
        "    left -= 1", "    if left < 0:", *(f"        {line}" for line in [*source.endless(), "return"])]
    if watched:  # whatever is played, each step ends with being asked
        source.function("rest", ["S"], body)
        body = ["rest(S)", "watch(S)"]
    source.function("settle", ["S"], body)


def _legal(source: Source, game: Game) -> None:
    for phase in game.phases:
        if not phase.automatic:
            source.function(f"legal{phase.number}", ["S", "out", "weights"], _legal_lines(source, phase))
    cases = [(p.number, ["return 0"] if p.automatic else [f"return legal{p.number}(S, out, weights)"])
             for p in game.phases]
    source.function("legal", ["S", "out", "weights"], ["if S[1] != 0:", "    return 0", *_dispatch("S[0]", cases)])


def _legal_lines(source: Source, phase: Phase) -> list[str]:
    return ["n = 0", *(line for action in phase.actions for line in _candidates(source, action)), "return n"]


def _candidates(source: Source, action: Action, keep: str = "weights") -> list[str]:
    """Lines that append the action's legal numbers to `out`: written always, counted where legal (no branch).

    `keep` says what else is wanted: their `weights`, weights and their `total`, or the `numbers` alone.
    """
    lines: list[str] = []
    indent, ident = "", ""
    bound = _bound(action)
    for p in action.params:
        name, stop = local_name(p.local), p.low + p.count
        fixed = bound.get(p.local.number)
        if fixed is None:
            lines.append(f"{indent}for {name} in range({p.low}, {stop}):")
            indent += "    "
        else:  # one value at most can be legal
            lines.append(f"{indent}{name} = {source.integer(fixed)}")
            if fixed.lo < p.low or fixed.hi >= stop:
                lines.append(f"{indent}if {p.low} <= {name} < {stop}:")
                indent += "    "
        digit = name if p.low == 0 else f"({name} - {p.low})"
        ident = digit if not ident else f"({ident}) * {p.count} + {digit}"
    number_of = str(action.first) if not ident else (f"{action.first} + {ident}" if action.first else ident)
    guard = _value("guard", action, source.permits(action.body))
    if _even(action):
        wanted = {"weights": ["weights[n] = 1"], "total": ["weights[n] = 1"], "numbers": []}[keep]
        adding = ["total += g"] if keep == "total" else []
        made = [f"out[n] = {number_of}", *wanted, f"g = {guard}", *adding, "n += g"]
    else:
        weight = _value("weight", action, _weight_lines(source, action))
        adding = ["        total += w"] if keep == "total" else []
        made = [f"if {guard}:", f"    w = {weight}", "    if w > 0:", f"        out[n] = {number_of}",
                "        weights[n] = w", *adding, "        n += 1"]
    return [*lines, *(f"{indent}{line}" for line in made)]


def _bound(action: Action) -> dict[int, Term]:
    """Parameters that a requirement fixes, `require(cell == parameter)`, by their local's number: where the first
    requirements say so, no other value needs to be tried."""
    found: dict[int, Term] = {}
    mine = {p.local.number for p in action.params}
    for statement in action.body:
        if not isinstance(statement, Require):
            break
        condition = statement.condition
        if isinstance(condition, Op) and condition.op == "==":
            for one, other in (condition.args, condition.args[::-1]):
                if isinstance(one, Local) and one.number in mine and not other.locals:
                    found.setdefault(one.number, other)
    return found


def _even(action: Action) -> bool:
    """Whether every legal choice of the action has weight 1."""
    return action.weight is None or (isinstance(action.weight, Const) and action.weight.value == 1)


def _free(action: Action) -> bool:
    """Whether an action has neither requirements nor a weight."""
    return action.weight is None and not any(isinstance(s, Require) for s in walk(action.body))


def _step(source: Source, game: Game) -> None:
    """`step(S, R, out, weights)`: a random move of the phase, the cheapest way; the same law as `legal` + draw."""
    cases = []
    for phase in game.phases:
        if phase.automatic:
            cases.append((phase.number, ["return -1"]))
            continue
        source.function(f"step{phase.number}", ["S", "R", "out", "weights"], _step_lines(source, phase))
        cases.append((phase.number, [f"return step{phase.number}(S, R, out, weights)"]))
    source.function("step", ["S", "R", "out", "weights"], _dispatch("S[0]", cases))


def _step_lines(source: Source, phase: Phase) -> list[str]:
    firsts = [a.first for a in phase.actions]
    counts = [a.count for a in phase.actions]
    together = all(f + c == n for f, c, n in zip(firsts, counts, firsts[1:], strict=False))
    if together and all(_free(a) for a in phase.actions):
        lines = [f"ident = below(R, {sum(counts)})" + (f" + {firsts[0]}" if firsts[0] else "")]
    else:
        even = not phase.chance or all(_even(a) for a in phase.actions)
        pick = "below(R, n)" if even else "chosen(R, weights, n, total)"
        keep = "numbers" if even else "total"
        found = [c for a in phase.actions for c in _candidates(source, a, keep)]
        start = ["n = 0"] if even else ["n = 0", "total = 0"]
        lines = [*start, *found, "if n == 0:", "    return -1", f"ident = out[{pick}]"]
    return [*lines, *_dispatch("ident", [(a.first, _effect_lines(a)) for a in phase.actions]), "return ident"]


def _decode(action: Action, then: str) -> list[str]:
    """Lines that turn `k`, a number within the action, into its parameters and call `then(S, ...)`."""
    lines, names, below = [], [], action.count
    for number, p in enumerate(action.params):
        below //= p.count
        digit = "k" if below == 1 and number == 0 else f"(k // {below}) % {p.count}" if below > 1 else f"k % {p.count}"
        lines.append(f"v{number} = {digit}" + (f" + {p.low}" if p.low else ""))
        names.append(f"v{number}")
    return [*lines, f"{then}({', '.join(['S', *names])})"]


def _effect_lines(action: Action) -> list[str]:
    start = [f"k = ident - {action.first}"] if action.params else []
    return [*start, *_decode(action, f"effect{action.number}")]


def _apply(source: Source, game: Game) -> None:
    cases = [(action.first, _effect_lines(action)) for action in game.actions]
    source.function("take", ["S", "ident"], _dispatch("ident", cases))
    source.function("apply", ["S", "ident"], ["take(S, ident)", "settle(S)"])


def _actor(source: Source, game: Game) -> None:
    cases = [(p.number, [f"return {source.term(p.actor)}"]) for p in game.phases]
    source.function("actor", ["S"], _dispatch("S[0]", cases))


def _returns(source: Source, game: Game) -> None:
    lines = [f"out[{seat}] = {source.integer(term)}" for seat, term in enumerate(game.results)]
    if game.payoffs is None:  # nothing is won where nobody can act, or where a flaw ended the game
        lines = [f"if 0 < S[1] <= {len(game.endings)}:", *(f"    {line}" for line in lines)]
    source.function("returns", ["S", "out"], lines)


def _quantities(source: Source, game: Game) -> None:
    """`round_of(S)`, `comparable(S)` and `worth_of(S, seat)`: the declared round, where states may be compared, and
    the evaluation; 0, everywhere and 0 if none is declared."""
    name = game.facts.get("round")
    source.function("round_of", ["S"], [f"return {source.term(game.quantities[name])}" if name else "return 0"])
    comparable = game.facts.get("better_when")
    source.function("comparable", ["S"], [f"return {1 if comparable is None else source.term(as_term(comparable))}"])
    terms = evaluation(game)
    lines = ["return 0"]
    if terms is not None:
        lines = _dispatch("seat", [(i, [f"return {source.term(t)}"]) for i, t in enumerate(terms)])
    source.function("worth_of", ["S", "seat"], lines)


_HEADER = '''"""Generated from the description of `{name}`; do not edit."""'''



def _packing(source: Source, game: Game) -> None:
    """`pack(S, P, i)` and `unpack(P, i, S)`: a state as `WORDS` 64-bit words."""
    pack, unpack = packing(game)
    source.function("pack", ["S", "P", "i"], pack)
    source.function("unpack", ["P", "i", "S"], unpack)


# -- loading ----------------------------------------------------------------------------------------------------


def load(source: str, parts: Sequence[Part] = PARTS) -> ModuleType:
    """Generated source as a plain Python module, with the parts' functions in it."""
    text = source.replace('"""\n', f'"""\n{_PLAIN}\n', 1)
    digest = hashlib.sha256(f"{_VERSION}{sys.version_info[:2]}{text}".encode()).hexdigest()[:24]
    name = f"playproof_plain_{digest}"
    path = cache_folder() / f"{name}.py"
    if not path.exists():
        write(path, text.encode())
    key = "_".join([name, *(part.name for part in parts)])
    if key in sys.modules:
        return sys.modules[key]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bind(module, parts)
    sys.modules[key] = module
    return module


_PLAIN = '''
from playproof.rules.language.errors import Place as _Place, endless as _no_end, outside as _outside


def _table(values):
    return values


def _fit(value, lo, hi, number):
    if not lo <= value <= hi:
        what, *place = _WRITTEN[number]
        raise _outside(what, lo, hi, int(value), _Place(*place))
    return value


def _endless(S):
    name, *place = _AUTOMATIC[int(S[0])]
    raise _no_end(name, _Place(*place))
'''
