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
from playproof.mutation.random_lines import RandomGame, play_random_games
from playproof.mutation.sites import Mutant
from playproof.mutation.ways_to_play import ClaimSetting
from playproof.referee.match import Match
from playproof.referee.transcript import write
from playproof.referee.variant import Variant
from playproof.verifier.questions.claims import NOW, REFUSED
from playproof.verifier.search.case import GameCase, GivenGameCase


@dataclass(frozen=True)
class DifferencePoint:
    """The point at which a changed game differs from a line: after `behind` actions. `note` is what
    to record there; if it is empty, the line's own actions show the difference. `instead` is the
    action taken there if it is not the line's."""

    behind: int
    note: str = ""
    instead: int | None = None


@dataclass
class GameRecording:
    """A game to record, with its notes and the mutants that it distinguishes."""

    setting: ClaimSetting
    line: RandomGame
    signs: dict[str, DifferencePoint] = field(default_factory=dict)

    @property
    def actions_to_last_difference(self) -> list[int]:
        """The game's actions, up to the last one that distinguishes a mutant."""
        last = max(self.signs.values(), key=lambda sign: (sign.behind, sign.instead is not None))
        end = [] if last.instead is None else [last.instead]
        return self.line.idents[: last.behind] + end

    def format_transcript(self, note: str = "") -> str:
        """Return the game as a transcript, with its notes between the lines."""
        match = Match(Variant(self.setting.ref, dict(self.setting.values), dict(self.setting.rulings)))
        for ident in self.actions_to_last_difference:
            match.apply(ident)
        head, played = write(match, note).split("\n\n", 1)
        header = [line for line in head.splitlines() if not line.startswith(("seed:", "data:", "seat "))]
        lines = played.splitlines()
        for sign in sorted(set(self.signs.values()), key=lambda sign: -sign.behind):
            if sign.note:
                lines.insert(sign.behind, f"# {sign.note}")
        return "\n".join([*header, "", *lines]) + "\n"


def find_first_difference(game: Game, line: RandomGame, other_case: GameCase) -> DifferencePoint | None:
    """Return the first point at which the other game differs from the line in a way that a recorded
    game can express, or None."""
    module = other_case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    try:
        for n, (ident, legal) in enumerate(zip(line.idents, line.legal, strict=True)):
            state = list(line.states[n])
            now = frozenset(out[: module.legal(state, out, weights)])
            if now != legal:
                gone = sorted(legal - now)
                if gone:
                    return DifferencePoint(n, "", gone[0])
                refusal = _note_for_refused_action(game, legal, now)
                if refusal:
                    return DifferencePoint(n, refusal)
            module.apply(state, ident)
            if state != line.states[n + 1]:
                return DifferencePoint(
                    n + 1, NOW + _describe_differing_cells(game, line.states[n + 1], state)
                )
    except (RulesError, IndexError):
        return DifferencePoint(n + 1)
    return None


def _note_for_refused_action(game: Game, legal: frozenset[int], changed_legal: frozenset[int]) -> str:
    """Return a note for an action that only the other game allows and whose words no legal action
    shares, or ""."""
    legal_words = {game.show(ident) for ident in legal}
    for ident in sorted(changed_legal - legal):
        words = game.show(ident)
        if words not in legal_words:
            return REFUSED + words
    return ""


def _describe_differing_cells(game: Game, state: Sequence[int], other_state: Sequence[int]) -> str:
    """Return up to three cells that differ, as a condition that holds in `state`."""
    equations = []
    for field_ in game.fields:
        for cell in range(field_.size):
            at = field_.offset + cell
            if state[at] != other_state[at]:
                equations.append(
                    f"{_cell_name(field_.name, field_.shape, cell)} == {_format_field_value(field_, state[at])}"
                )
    return " and ".join(equations[:3])


def _cell_name(name: str, shape: Sequence[int], cell: int) -> str:
    where = []
    for size in reversed(shape):
        cell, digit = divmod(cell, size)
        where.append(digit)
    plain = name if name.isidentifier() else f"`{name}`"
    return plain + (f"[{', '.join(map(str, reversed(where)))}]" if where else "")


def _format_field_value(field_: Field, value: int) -> str:
    """Return a field's value as conditions write it: by its name if it has one."""
    if field_.labels and set(field_.labels) != {"no", "yes"}:
        return f'"{field_.format_value(value)}"'
    return str(value)


def select_distinguishing_games(
    settings: Sequence[ClaimSetting], mutant_keys: Sequence[str], games: int, seed: int
) -> list[GameRecording]:
    """Return a few games that distinguish as many of the mutants as `games` random games of each
    setting do."""
    left, recordings = set(mutant_keys), list[GameRecording]()
    for setting in settings:
        mine = [k for k in mutant_keys if k in left and k in setting.mutants]
        if not mine:
            continue
        case = GivenGameCase(setting.ref, setting.game, setting.values, setting.rulings)
        lines = play_random_games(case, games, seed)
        tables: dict[str, dict[int, DifferencePoint]] = {}  # for each mutant, the games that distinguish it
        for key in mine:
            signs = dict(_iter_differences_on_lines(setting, setting.mutants[key], lines))
            if signs:
                tables[key] = signs
        while tables:
            best = max(range(len(lines)), key=lambda n: _rank_line(n, tables))
            at_best = {key: signs[best] for key, signs in tables.items() if best in signs}
            recordings.append(GameRecording(setting, lines[best], at_best))
            left -= set(at_best)
            tables = {key: signs for key, signs in tables.items() if best not in signs}
    return recordings


def _rank_line(n: int, tables: dict[str, dict[int, DifferencePoint]]) -> tuple[int, int]:
    """Return the number of mutants that a game distinguishes, then how short it is."""
    mine = [t[n] for t in tables.values() if n in t]
    return len(mine), -max((s.behind for s in mine), default=0)


def _iter_differences_on_lines(
    setting: ClaimSetting, mutant: Mutant, lines: Sequence[RandomGame]
) -> Iterator[tuple[int, DifferencePoint]]:
    if mutant.changes_field_in_place:  # changed in place; every game shows a start that matters
        return
    game = mutant.apply_to_game(setting.game)
    if game is None:
        return
    try:
        other = GivenGameCase(setting.ref, game.seal(), setting.values, setting.rulings)
        for n, line in enumerate(lines):
            difference = find_first_difference(setting.game, line, other)
            if difference is not None:
                yield n, difference
    except RulesError:
        return
