"""Games that distinguish a changed game from the original. Recorded as claims, they notice changes
that no claim noticed before.

Games are played at random by the unchanged rules. Half of the choices take the action chosen least
so far, so that games reach rare places. Each game is then replayed under the changed rules, up to
the point where the legal actions or the next state differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from playproof.language import RulesError
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.mutation.random_lines import Line, lines_of
from playproof.mutation.sites import Mutant
from playproof.mutation.ways_to_play import Setting
from playproof.referee.match import Match
from playproof.referee.transcript import write
from playproof.referee.variant import Variant
from playproof.verifier.questions.claims import NOW, REFUSED
from playproof.verifier.search.case import Case, ChangedCase


@dataclass(frozen=True)
class Sign:
    """The point at which a changed game differs from a line: after `behind` actions. `note` is what
    to record there; if it is empty, the line's own actions show the difference. `instead` is the
    action taken there if it is not the line's."""

    behind: int
    note: str = ""
    instead: int | None = None


@dataclass
class Recording:
    """A game to record, with its notes and the mutants that it distinguishes."""

    setting: Setting
    line: Line
    signs: dict[str, Sign] = field(default_factory=dict)

    @property
    def idents(self) -> list[int]:
        """The game's actions, up to the last one that distinguishes a mutant."""
        last = max(self.signs.values(), key=lambda sign: (sign.behind, sign.instead is not None))
        end = [] if last.instead is None else [last.instead]
        return self.line.idents[: last.behind] + end

    def text(self, note: str = "") -> str:
        """Return the game as a transcript, with its notes between the lines."""
        match = Match(Variant(self.setting.ref, dict(self.setting.values), dict(self.setting.rulings)))
        for ident in self.idents:
            match.apply(ident)
        head, played = write(match, note).split("\n\n", 1)
        header = [line for line in head.splitlines() if not line.startswith(("seed:", "data:", "seat "))]
        lines = played.splitlines()
        for sign in sorted(set(self.signs.values()), key=lambda sign: -sign.behind):
            if sign.note:
                lines.insert(sign.behind, f"# {sign.note}")
        return "\n".join([*header, "", *lines]) + "\n"


def sign(game: Game, line: Line, other: Case) -> Sign | None:
    """Return the first point at which the other game differs from the line in a way that a recorded
    game can express, or None."""
    module = other.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    try:
        for n, (ident, legal) in enumerate(zip(line.idents, line.legal, strict=True)):
            state = list(line.states[n])
            now = frozenset(out[: module.legal(state, out, weights)])
            if now != legal:
                gone = sorted(legal - now)
                if gone:
                    return Sign(n, "", gone[0])
                refusal = _refusal(game, legal, now)
                if refusal:
                    return Sign(n, refusal)
            module.apply(state, ident)
            if state != line.states[n + 1]:
                return Sign(n + 1, NOW + _condition(game, line.states[n + 1], state))
    except (RulesError, IndexError):
        return Sign(n + 1)
    return None


def _refusal(game: Game, legal: frozenset[int], now: frozenset[int]) -> str:
    """Return a note for an action that only the other game allows and whose words no legal action
    shares, or ""."""
    legal_words = {game.show(ident) for ident in legal}
    for ident in sorted(now - legal):
        words = game.show(ident)
        if words not in legal_words:
            return REFUSED + words
    return ""


def _condition(game: Game, state: Sequence[int], other: Sequence[int]) -> str:
    """Return up to three cells that differ, as a condition that holds in `state`."""
    equations = []
    for field_ in game.fields:
        for cell in range(field_.size):
            at = field_.offset + cell
            if state[at] != other[at]:
                equations.append(f"{_name(field_.name, field_.shape, cell)} == {_value(field_, state[at])}")
    return " and ".join(equations[:3])


def _name(name: str, shape: Sequence[int], cell: int) -> str:
    where = []
    for size in reversed(shape):
        cell, digit = divmod(cell, size)
        where.append(digit)
    plain = name if name.isidentifier() else f"`{name}`"
    return plain + (f"[{', '.join(map(str, reversed(where)))}]" if where else "")


def _value(field_: Field, value: int) -> str:
    """Return a field's value as conditions write it: by its name if it has one."""
    if field_.labels and set(field_.labels) != {"no", "yes"}:
        return f'"{field_.show(value)}"'
    return str(value)


def distinguishing(
    settings: Sequence[Setting], keys: Sequence[str], games: int, seed: int
) -> list[Recording]:
    """Return a few games that distinguish as many of the mutants as `games` random games of each
    setting do."""
    left, recordings = set(keys), list[Recording]()
    for setting in settings:
        mine = [k for k in keys if k in left and k in setting.mutants]
        if not mine:
            continue
        case = ChangedCase(setting.ref, setting.game, setting.values, setting.rulings)
        lines = lines_of(case, games, seed)
        tables: dict[str, dict[int, Sign]] = {}  # for each mutant, the games that distinguish it
        for key in mine:
            signs = dict(_signs(setting, setting.mutants[key], lines))
            if signs:
                tables[key] = signs
        while tables:
            best = max(range(len(lines)), key=lambda n: _worth(n, tables))
            at_best = {key: signs[best] for key, signs in tables.items() if best in signs}
            recordings.append(Recording(setting, lines[best], at_best))
            left -= set(at_best)
            tables = {key: signs for key, signs in tables.items() if best not in signs}
    return recordings


def _worth(n: int, tables: dict[str, dict[int, Sign]]) -> tuple[int, int]:
    """Return the number of mutants that a game distinguishes, then how short it is."""
    mine = [t[n] for t in tables.values() if n in t]
    return len(mine), -max((s.behind for s in mine), default=0)


def _signs(setting: Setting, mutant: Mutant, lines: Sequence[Line]) -> Iterator[tuple[int, Sign]]:
    if mutant.in_place:  # changed in place; every game shows a start that matters
        return
    game = mutant.of(setting.game)
    if game is None:
        return
    try:
        other = ChangedCase(setting.ref, game.seal(), setting.values, setting.rulings)
        for n, line in enumerate(lines):
            difference = sign(setting.game, line, other)
            if difference is not None:
                yield n, difference
    except RulesError:
        return
