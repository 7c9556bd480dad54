"""Games of changed rules: played with every state kept, laws asked of all their small steps at once, and
games that distinguish changed rules from the original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.expr import Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.random import Stream, make_game_seed
from playproof.mutation.claim_settings import ClaimSetting, RandomGame, play_random_games
from playproof.mutation.mutants import Mutant
from playproof.referee.match import Match
from playproof.referee.transcript import write
from playproof.referee.variant import Variant
from playproof.verifier.kernel.laws import Law
from playproof.verifier.questions.claims import NOW, REFUSED
from playproof.verifier.search.case import GameCase, GivenGameCase

# -- plays ---------------------------------------------------------------------------------------------------
# Games played on a changed description, in plain Python, with every state kept. Claims are checked against
# them.

_LONGEST = 1_500  # steps after which a game is cut off: changed rules may allow cycles
_RUN = 20_260_303
_FOLLOWED = 200
BY_ITSELF, UNSEEN = -1, -2


@dataclass
class PlayedGame:
    """One game: its actions, its `moments` (the states after each small step, from the first state of all), and
    how it ended: `over`, `stuck`, `broken` (the last action breaks the rules) or `circles` (too long).

    `steps` says how each moment leads to the next: by an action, by its automatic phase (`BY_ITSELF`), or by more
    phases than are followed (`UNSEEN`). `rests` are the moments in which somebody acts or the game is over, in
    general one more than actions, and `legal` has the legal actions there; it may lack the last one."""

    idents: list[int] = field(default_factory=list)
    moments: list[list[int]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    rests: list[int] = field(default_factory=list)
    legal: list[frozenset[int]] = field(default_factory=list)
    left: str = ""
    message: str = ""
    endless: bool = False  # broken by automatic phases that run forever

    @property
    def states_at_decisions_and_end(self) -> npt.NDArray[np.int64]:
        """The states in which somebody acts or the game is over, one column each."""
        return np.array([self.moments[n] for n in self.rests], dtype=np.int64).T

    def run_and_record_automatic_phases(self, case: GameCase, state: list[int]) -> None:
        """Run automatic phases until somebody acts or the game is over."""
        module, followed = case.plain.module, 0
        while not state[1] and case.game.phases[state[0]].automatic:
            if followed == _FOLLOWED:
                module.settle(state)
                self.append_step_and_state(UNSEEN, state)
                break
            followed += 1
            getattr(module, f"auto{state[0]}")(state)
            self.append_step_and_state(BY_ITSELF, state)
        self.rests.append(len(self.moments) - 1)

    def append_step_and_state(self, step: int, state: list[int]) -> None:
        """Add a moment, and the step that leads to it."""
        self.steps.append(step)
        self.moments.append(list(state))

    def copy_with_ending(self, ending: str, message: str = "", endless: bool = False) -> PlayedGame:
        """Return the game with how it ended."""
        return replace(self, left=ending, message=message, endless=endless)


def play_game_along_line_then_at_random(
    case: GameCase, line: Sequence[int], random_stream: Stream, skipped_at_end: int = 0
) -> PlayedGame:
    """Play a game that follows a line, without its last `skipped_at_end` actions, as long as it is legal, and
    then continues at random."""
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    state = case.game.get_state_before_automatic_phases()
    game = PlayedGame(moments=[list(state)])
    wanted = iter(line[: len(line) - skipped_at_end] if skipped_at_end else line)
    try:
        game.run_and_record_automatic_phases(case, state)
        while not state[1]:
            if len(game.idents) >= _LONGEST:
                return game.copy_with_ending("circles")
            n = module.legal(state, out, weights)
            game.legal.append(frozenset(out[:n]))
            if not n:
                return game.copy_with_ending("stuck")
            ident = next(wanted, -1)
            if ident not in out[:n]:
                wanted = iter(())
                chance = module.actor(state) < 0
                ident = out[random_stream.draw_weighted_index(weights[:n]) if chance else random_stream.below(n)]
            game.idents.append(ident)
            module.take(state, ident)
            game.append_step_and_state(ident, state)
            game.run_and_record_automatic_phases(case, state)
    except (RulesError, IndexError) as error:
        return game.copy_with_ending("broken", str(error), getattr(error, "code", "") == "PP330")
    return game.copy_with_ending("over")


def iter_games_along_lines_and_random(
    case: GameCase, lines: Sequence[Sequence[int]], step_limit: int, seed: int
) -> Iterator[PlayedGame]:
    """Yield games along each of the lines, then random games and games that leave a line early,
    until `step_limit` steps are played."""
    number = 0
    _ = case.first  # raises RulesError where a game cannot begin
    while step_limit > 0:
        stream = Stream(make_game_seed(_RUN + seed, number))
        line: Sequence[int] = ()
        skip = 0
        if number < len(lines):
            line = lines[number]
        elif lines and number % 2:
            line = lines[stream.below(len(lines))]
            skip = stream.below(len(line)) if line else 0
        game = play_game_along_line_then_at_random(case, line, stream, skip)
        step_limit -= max(1, len(game.idents))
        number += 1
        yield game


# -- small steps ---------------------------------------------------------------------------------------------
# Laws asked of all small steps of some games at once: which decisions and automatic phases break one.

ColumnArray = npt.NDArray[Any]


class SmallStepTable:
    """The small steps of games. The kernel decides what breaks a law (`kernel/laws.py`); here whole games are
    searched for steps that it should be asked about."""

    def __init__(self, game: Game, batch: Sequence[PlayedGame]) -> None:
        self.game, self.batch = game, batch
        counts = [len(played.steps) for played in batch]
        self.cells = np.array([m for played in batch for m in played.moments], dtype=np.int64).T
        self.steps = np.array([s for played in batch for s in played.steps], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(batch)), counts)
        # A game has one moment more than steps, so each game behind the first moves its columns by one.
        self.before = np.arange(len(self.steps)) + self.owner

    @cached_property
    def _phase_of_automatic_steps(self) -> ColumnArray:
        return np.where(self.steps == BY_ITSELF, self.cells[0, self.before], -1)

    @cached_property
    def _steps_by_action(self) -> dict[int, ColumnArray]:
        """The steps by each ground action."""
        order = np.argsort(self.steps, kind="stable")
        idents, starts = np.unique(self.steps[order], return_index=True)
        parts = np.split(order, starts[1:]) if idents.size else []  # games of no step, too, make one part
        return dict(zip(map(int, idents), parts, strict=True))

    def find_lines_whose_last_step_breaks_law(self, rule: Law) -> list[list[int]]:
        """Return lines of play whose last step may break a law, or the automatic phases behind it."""
        wrong = [self.before[:0]]
        if rule.phase is not None:
            wrong.append(
                self._select_steps_breaking_law(rule, np.flatnonzero(self._phase_of_automatic_steps == rule.phase), {})
            )
        for action in self.game.actions:
            taken = [i for i in action.idents if i in self._steps_by_action]
            idents = [i for i in taken if i in rule.idents]
            if idents:
                counts = [len(self._steps_by_action[i]) for i in idents]
                values = np.repeat(
                    np.array([action.get_values_of_ground_action(i) for i in idents], dtype=np.int64), counts, axis=0
                )
                params = {p.local.number: values[:, n] for n, p in enumerate(action.params)}
                wrong.append(
                    self._select_steps_breaking_law(
                        rule, np.concatenate([self._steps_by_action[i] for i in idents]), params
                    )
                )
        return [self._list_actions_of_game_up_to_step(int(step)) for step in np.concatenate(wrong)]

    def _select_steps_breaking_law(
        self, rule: Law, step_indexes: ColumnArray, parameter_columns: dict[int, ColumnArray]
    ) -> ColumnArray:
        """Return those of the steps that break the law. Terms are asked only of states in which `when` holds: in
        others they may be about a place that is not there."""
        limited = np.flatnonzero(
            self._evaluate_term_in_moments(rule.when, self.before[step_indexes], parameter_columns) != 0
        )
        step_indexes, parameter_columns = (
            step_indexes[limited],
            {n: column[limited] for n, column in parameter_columns.items()},
        )
        if not step_indexes.size:
            return step_indexes
        before = self.before[step_indexes]
        after = before + 1
        later = {
            **parameter_columns,
            **{n.number: self._evaluate_term_in_moments(term, before, parameter_columns) for n, term in rule.before},
        }
        obeyed = self._evaluate_term_in_moments(rule.needs, before, parameter_columns) != 0
        obeyed &= self._evaluate_term_in_moments(rule.leads, after, later) != 0
        for change in rule.changes:
            grown = self._evaluate_term_in_moments(change.number, after, later) - self._evaluate_term_in_moments(
                change.number, before, later
            )
            obeyed &= grown == self._evaluate_term_in_moments(change.amount, before, parameter_columns)
        if rule.only is not None:
            changed = self.cells[:, before] != self.cells[:, after]
            for place in rule.only.places:
                changed[
                    self._evaluate_term_in_moments(place, before, parameter_columns), np.arange(step_indexes.size)
                ] = False
            obeyed &= ~changed[rule.only.list_cells_outside_allowed_fields(self.game)].any(axis=0)
        broken: ColumnArray = step_indexes[~obeyed]
        return broken

    def _evaluate_term_in_moments(
        self, term: Term, moment_columns: ColumnArray, parameter_columns: dict[int, ColumnArray]
    ) -> ColumnArray:
        """Return a term's value in each of these moments."""
        values: ColumnArray = evaluate_term_in_many_states(term, self.cells[:, moment_columns], dict(parameter_columns))
        return values

    def _list_actions_of_game_up_to_step(self, step: int) -> list[int]:
        """Return the actions of a game up to a step."""
        owner = int(self.owner[step])
        first = int(np.searchsorted(self.owner, owner))
        taken = int(np.count_nonzero(self.steps[first : step + 1] >= 0))
        return self.batch[owner].idents[:taken]


# -- distinguishing games ------------------------------------------------------------------------------------
# Games that distinguish a changed game from the original. Recorded as claims, they notice changes that no
# claim noticed before.


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

    def format_transcript_with_notes(self, note: str = "") -> str:
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


def find_first_recordable_difference_or_none(
    game: Game, line: RandomGame, other_case: GameCase
) -> DifferencePoint | None:
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
                refusal = _format_note_of_allowed_action_or_empty(game, legal, now)
                if refusal:
                    return DifferencePoint(n, refusal)
            module.apply(state, ident)
            if state != line.states[n + 1]:
                return DifferencePoint(
                    n + 1, NOW + _format_condition_on_differing_cells(game, line.states[n + 1], state)
                )
    except (RulesError, IndexError):
        return DifferencePoint(n + 1)
    return None


def _format_note_of_allowed_action_or_empty(game: Game, legal: frozenset[int], changed_legal: frozenset[int]) -> str:
    """Return a note for an action that only the other game allows and whose words no legal action
    shares, or ""."""
    legal_words = {game.show(ident) for ident in legal}
    for ident in sorted(changed_legal - legal):
        words = game.show(ident)
        if words not in legal_words:
            return REFUSED + words
    return ""


def _format_condition_on_differing_cells(game: Game, state: Sequence[int], other_state: Sequence[int]) -> str:
    """Return up to three cells that differ, as a condition that holds in `state`."""
    equations = []
    for field_ in game.fields:
        for cell in range(field_.size):
            at = field_.offset + cell
            if state[at] != other_state[at]:
                equations.append(
                    f"{_format_cell_with_indexes(field_.name, field_.shape, cell)} == "
                    f"{_format_field_value_as_in_conditions(field_, state[at])}"
                )
    return " and ".join(equations[:3])


def _format_cell_with_indexes(field_name: str, shape: Sequence[int], cell: int) -> str:
    where = []
    for size in reversed(shape):
        cell, digit = divmod(cell, size)
        where.append(digit)
    plain = field_name if field_name.isidentifier() else f"`{field_name}`"
    return plain + (f"[{', '.join(map(str, reversed(where)))}]" if where else "")


def _format_field_value_as_in_conditions(field_: Field, value: int) -> str:
    """Return a field's value as conditions write it: by its name if it has one."""
    if field_.labels and set(field_.labels) != {"no", "yes"}:
        return f'"{field_.format_value(value)}"'
    return str(value)


def select_games_that_distinguish_mutants(
    settings: Sequence[ClaimSetting], mutant_keys: Sequence[str], random_game_count: int, seed: int
) -> list[GameRecording]:
    """Return a few games that distinguish as many of the mutants as `random_game_count` random games of each
    setting do."""
    left, recordings = set(mutant_keys), list[GameRecording]()
    for setting in settings:
        mine = [k for k in mutant_keys if k in left and k in setting.mutants]
        if not mine:
            continue
        case = GivenGameCase(setting.ref, setting.game, setting.values, setting.rulings)
        lines = play_random_games(case, random_game_count, seed)
        tables: dict[str, dict[int, DifferencePoint]] = {}  # for each mutant, the games that distinguish it
        for key in mine:
            signs = dict(_iter_line_indexes_with_first_difference(setting, setting.mutants[key], lines))
            if signs:
                tables[key] = signs
        while tables:
            best = max(range(len(lines)), key=lambda n: _count_mutants_and_shortness_of_line(n, tables))
            at_best = {key: signs[best] for key, signs in tables.items() if best in signs}
            recordings.append(GameRecording(setting, lines[best], at_best))
            left -= set(at_best)
            tables = {key: signs for key, signs in tables.items() if best not in signs}
    return recordings


def _count_mutants_and_shortness_of_line(
    line_index: int, differences_by_mutant_and_line: dict[str, dict[int, DifferencePoint]]
) -> tuple[int, int]:
    """Return the number of mutants that a game distinguishes, then how short it is."""
    mine = [t[line_index] for t in differences_by_mutant_and_line.values() if line_index in t]
    return len(mine), -max((s.behind for s in mine), default=0)


def _iter_line_indexes_with_first_difference(
    setting: ClaimSetting, mutant: Mutant, lines: Sequence[RandomGame]
) -> Iterator[tuple[int, DifferencePoint]]:
    if mutant.changes_field_in_place:  # changed in place; every game shows a start that matters
        return
    game = mutant.build_or_edit_changed_game_or_none(setting.game)
    if game is None:
        return
    try:
        other = GivenGameCase(setting.ref, game.seal(), setting.values, setting.rulings)
        for n, line in enumerate(lines):
            difference = find_first_recordable_difference_or_none(setting.game, line, other)
            if difference is not None:
                yield n, difference
    except RulesError:
        return
