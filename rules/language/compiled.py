"""The compiled reading: the description as specialised source, compiled by numba and cached on disk by content.

The same source runs as plain Python where numba is absent or switched off. States are int64 arrays (or lists) of
`game.cells` cells, changed in place. The random player draws from the same stream as `random.Stream`, so every
compiled game replays in the interpreter move by move.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from playproof.rules.language.expr import Term, as_term
from playproof.rules.language.game import Action, Game, Phase
from playproof.rules.language.parts import ENDLESS
from playproof.rules.language.source import Source, local_name
from playproof.rules.language.statements import Require, walk
from playproof.rules.language.watch import EXTRA, WatchedSource, declare_watch

Ints = npt.NDArray[np.int64]
_VERSION = "8"


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
    """One game description as fast functions. `numba=False` runs the generated source as plain Python; `watched` asks
    after every step what must hold (playproof.rules.language.watch), in states that are a few cells longer."""

    def __init__(self, game: Game, *, numba: bool | None = None, watched: bool = False) -> None:
        self.game = game.seal()
        self.numba = has_numba() if numba is None else numba
        self.source = generate(game, checked=not (self.numba or watched), watched=watched)
        self._initial = [*game.initial(), *[0] * (EXTRA if watched else 0)]
        self.longest = max(1, game.ground)

    @cached_property
    def module(self) -> ModuleType:
        """The generated module, loaded (and compiled on first call of each function)."""
        return load(self.source, self.numba)

    # -- single steps ---------------------------------------------------------------------------------------

    def start(self) -> Ints:
        """The first state in which somebody acts."""
        state = np.array(self._initial, dtype=np.int64)
        self.module.call_settle(state)
        return state

    def legal(self, state: Ints) -> list[int]:
        """Numbers of the legal ground actions, ascending within each action."""
        out, weights = self._buffers
        n = self.module.call_legal(state, out, weights)
        return [int(i) for i in out[:n]]

    def weights(self, state: Ints) -> list[int]:
        """The weights belonging to `legal(state)`."""
        out, weights = self._buffers
        n = self.module.call_legal(state, out, weights)
        return [int(w) for w in weights[:n]]

    def apply(self, state: Ints, ident: int) -> None:
        """Take an action in place. The action is not checked; ask `legal` or the interpreter first."""
        self.module.call_apply(state, ident)

    def actor(self, state: Ints) -> int:
        """The seat to act, or CHANCE."""
        return int(self.module.call_actor(state))

    def returns(self, state: Ints) -> tuple[int, ...]:
        """Each seat's return in a finished state."""
        out = np.zeros(self.game.players, dtype=np.int64)
        self.module.call_returns(state, out)
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
        self.module.playouts(
            np.array(self._initial if start is None else start, dtype=np.int64),
            np.uint64(seed & 0xFFFFFFFFFFFFFFFF), first, games, policy, count, result.endings,
            result.decisions, result.rounds, result.returns, result.taken, result.worth, self._players_move)
        return result


# -- generation -------------------------------------------------------------------------------------------------


def generate(game: Game, *, checked: bool = False, watched: bool = False) -> str:
    """The source of a game's module. `checked` source refuses values outside their bounds as the interpreter does;
    `watched` source notes what does not hold (playproof.rules.language.watch)."""
    source = WatchedSource() if watched else Source(checked)
    for action in game.actions:
        _action(source, action)
    for phase in game.phases:
        if phase.body is not None:
            source.function(f"auto{phase.number}", ["S"], source.effects(phase.body))
    _settle(source, game)
    _legal(source, game)
    _apply(source, game, ["watch(S)"] if watched else [])
    _actor(source, game)
    _returns(source, game)
    _quantities(source, game)
    if watched:
        declare_watch(source, game)
    cells = game.cells + (EXTRA if watched else 0)
    source.lines += ["", f"CELLS = {cells}", f"SEATS = {game.players}", f"WIDTH = {max(1, game.ground)}",
                     _template("draw")]
    _step(source, game)
    source.lines += [_template("players"), *_packing(game), _template("explorer"), _template("calls")]
    text = _numbered("\n".join([_HEADER.format(name=game.name), *source.lines, ""]))
    phases = {p.number: (p.name, p.place.file, p.place.line, p.place.column)
              for p in game.phases if p.automatic and p.place is not None}
    return f"{text}\n_WRITTEN = {source.written!r}\n_AUTOMATIC = {phases!r}\n" if checked else text


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
    """A guard or weight as an expression: in place where it is one, which spares numba a function, else a call."""
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


def _settle(source: Source, game: Game) -> None:
    cases = [(p.number, [f"auto{p.number}(S)"] if p.automatic else ["return"]) for p in game.phases]
    body = ["return"] if not any(p.automatic for p in game.phases) else [
        f"left = {ENDLESS}", "while S[1] == 0:", *(f"    {line}" for line in _dispatch("S[0]", cases)),
        "    left -= 1", "    if left < 0:", *(f"        {line}" for line in [*source.endless(), "return"])]
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


def _candidates(source: Source, action: Action, total: bool = False) -> list[str]:
    """Lines that append the action's legal numbers to `out`: written always, counted where legal (no branch).

    With `total` they also add up the weights.
    """
    lines: list[str] = []
    indent, ident = "", ""
    for p in action.params:
        name = local_name(p.local)
        lines.append(f"{indent}for {name} in range({p.low}, {p.low + p.count}):")
        digit = name if p.low == 0 else f"({name} - {p.low})"
        ident = digit if not ident else f"({ident}) * {p.count} + {digit}"
        indent += "    "
    number_of = str(action.first) if not ident else (f"{action.first} + {ident}" if action.first else ident)
    guard = _value("guard", action, source.permits(action.body))
    if action.weight is None:
        adding = [f"{indent}total += g"] if total else []
        return [*lines, f"{indent}out[n] = {number_of}", f"{indent}weights[n] = 1", f"{indent}g = {guard}", *adding,
                f"{indent}n += g"]
    weight = _value("weight", action, _weight_lines(source, action))
    adding = [f"{indent}        total += w"] if total else []
    return [*lines, f"{indent}if {guard}:", f"{indent}    w = {weight}", f"{indent}    if w > 0:",
            f"{indent}        out[n] = {number_of}", f"{indent}        weights[n] = w", *adding,
            f"{indent}        n += 1"]


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
        lines = [f"ident = _below(R, {sum(counts)})" + (f" + {firsts[0]}" if firsts[0] else "")]
    else:
        count = [f"n = legal{phase.number}(S, out, weights)"]
        pick = "_below(R, n)"
        if phase.chance:  # adding up the weights on the way is faster, and chance draws often
            count = ["n = 0", "total = 0", *(c for a in phase.actions for c in _candidates(source, a, total=True))]
            pick = "_chosen(R, weights, n, total)"
        lines = [*count, "if n == 0:", "    return -1", f"ident = out[{pick}]"]
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


def _apply(source: Source, game: Game, then: Sequence[str]) -> None:
    cases = [(action.first, _effect_lines(action)) for action in game.actions]
    source.function("take", ["S", "ident"], _dispatch("ident", cases))
    source.function("apply", ["S", "ident"], ["take(S, ident)", "settle(S)", *then])


def _actor(source: Source, game: Game) -> None:
    cases = [(p.number, [f"return {source.term(p.actor)}"]) for p in game.phases]
    source.function("actor", ["S"], _dispatch("S[0]", cases))


def _returns(source: Source, game: Game) -> None:
    lines: list[str] = []
    if game.payoffs is not None:
        lines = [f"out[{seat}] = {source.term(term)}" for seat, term in enumerate(game.payoffs)]
    else:
        for end in game.endings:
            lines += [f"if S[1] == {end.number}:", *(f"    {line}" for line in _ending_lines(source, game, end.number))]
    source.function("returns", ["S", "out"], lines)


def _ending_lines(source: Source, game: Game, number: int) -> list[str]:
    end = game.endings[number - 1]
    if end.kind == "win":
        winner = source.term(end.winner) if end.winner is not None else "0"
        return [f"w = {winner}", *(f"out[{seat}] = 1 if w == {seat} else -1" for seat in range(game.players))]
    value = -1 if end.kind == "loss" else 0
    return [f"out[{seat}] = {value}" for seat in range(game.players)]


def _quantities(source: Source, game: Game) -> None:
    """`round_of(S)`, `comparable(S)` and `worth_of(S, seat)`: the declared round, where states may be compared, and
    the evaluation; 0, everywhere and 0 if none is declared."""
    name = game.facts.get("round")
    source.function("round_of", ["S"], [f"return {source.term(game.quantities[name])}" if name else "return 0"])
    comparable = game.facts.get("better_when")
    source.function("comparable", ["S"], [f"return {1 if comparable is None else source.term(as_term(comparable))}"])
    evaluate: Sequence[Term | int] | None = game.facts.get("evaluate")
    lines = ["return 0"]
    if evaluate is not None:
        terms = [as_term(t) for t in (evaluate if isinstance(evaluate, tuple | list) else [evaluate])]
        lines = _dispatch("seat", [(i, [f"return {source.term(t)}"]) for i, t in enumerate(terms)])
    source.function("worth_of", ["S", "seat"], lines)
    source.lines += ["", f"HAS_WORTH = {evaluate is not None}"]


_HEADER = '''"""Generated from the description of `{name}`; do not edit."""'''


def _template(name: str) -> str:
    return (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")


def _packing(game: Game) -> list[str]:
    """`pack(S, P, i)` and `unpack(P, i, S)`: a state as `WORDS` 64-bit words; a cell never straddles two words."""
    pack, unpack, word, used = ["w = np.uint64(0)"], [], 0, 0
    for held in game.fields:
        for cell in range(held.offset, held.offset + held.size):
            if held.bits == 0:
                unpack.append(f"S[{cell}] = {held.lo}")
                continue
            if used + held.bits > 64:
                pack += [f"P[i, {word}] = w", "w = np.uint64(0)"]
                word, used = word + 1, 0
            low = f" - {held.lo}" if held.lo else ""
            pack.append(f"w |= np.uint64(S[{cell}]{low}) << np.uint64({used})")
            mask = (1 << held.bits) - 1
            back = f" + {held.lo}" if held.lo else ""
            unpack.append(f"S[{cell}] = np.int64((P[i, {word}] >> np.uint64({used})) & np.uint64({mask})){back}")
            used += held.bits
    pack.append(f"P[i, {word}] = w")
    return ["", f"WORDS = {word + 1}", "", "@_inner", "def pack(S, P, i):", *(f"    {line}" for line in pack),
            "", "@_inner", "def unpack(P, i, S):", *(f"    {line}" for line in unpack)]


# -- loading ----------------------------------------------------------------------------------------------------


def has_numba() -> bool:
    return os.environ.get("PLAYPROOF_NUMBA", "1") != "0" and importlib.util.find_spec("numba") is not None


def cache_folder() -> Path:
    """Where generated modules and their machine code are kept: $PLAYPROOF_CACHE or the user's cache folder."""
    given = os.environ.get("PLAYPROOF_CACHE")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "playproof"
    base.mkdir(parents=True, exist_ok=True)
    return base


def load(source: str, numba: bool) -> ModuleType:
    prelude = _NUMBA if numba else _PLAIN
    text = source.replace('"""\n', f'"""\n{prelude}\n', 1)
    digest = hashlib.sha256(f"{_VERSION}{sys.version_info[:2]}{text}".encode()).hexdigest()[:24]
    name = f"playproof_{'numba' if numba else 'plain'}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    path = cache_folder() / f"{name}.py"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
            file.write(text)
        os.replace(file.name, path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_NUMBA = '''
import numpy as np
from numba import njit as _njit

# Inner functions allocate nothing, so they go without reference counting: measured 4 times faster.
# Nothing but generated code calls them, so they go without wrappers: a quarter less to compile.
_bare = {"error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_inner = _njit(**_bare)
_small = _njit(forceinline=True, **_bare)
_entry = _njit(error_model="numpy", cache=True, nogil=True)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def _table(values):
    return np.array(values, dtype=np.int64)


@_small
def _mix(z):
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@_inner
def _seed(run, index):
    return _mix(_mix(run) + np.uint64(index) * _GOLDEN)


@_small
def _below(R, n):
    R[0] = R[0] + _GOLDEN
    return np.int64(((_mix(R[0]) >> _S32) * np.uint64(n)) >> _S32)
'''

_PLAIN = '''
import numpy as np

from playproof.rules.language.errors import Place as _Place, endless as _no_end, outside as _outside
from playproof.rules.language.random import GOLDEN as _G, MASK as _M, mix as _mix, seed_of as _seed_of


def _inner(function):
    return function


_entry = _small = _inner


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


def _seed(run, index):
    return np.uint64(_seed_of(int(run), int(index)))


def _below(R, n):
    state = (int(R[0]) + _G) & _M
    R[0] = state
    return ((_mix(state) >> 32) * int(n)) >> 32
'''
