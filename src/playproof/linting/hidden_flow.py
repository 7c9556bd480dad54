"""Hidden cells that tell something by what may be done, or by what happens under a condition.

The rules say where that may be (`language.legality`, `language.secrecy`). Whether it is so is asked of random games:
at each such moment the seat's exact belief holds all worlds that it cannot tell apart. If they differ in what is legal,
or in what all then see, the rules tell something hidden. If the belief is too large, a requirement is doubted and a
condition is not.

* PP374: a requirement reads what its actor does not see.
* PP375: whether, or what, is written where all see it depends on a hidden field, without `reveals=`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from playproof.database.errors import Finding
from playproof.language import CHANCE, Interpreter
from playproof.language.doubtful_rules import convert_place_to_where
from playproof.language.errors import Place
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.legality import HiddenRequirement, RevealingPhases, find_hidden_requirements
from playproof.language.parts import Action, Phase
from playproof.language.secrecy import find_parameter_leads
from playproof.language.traced_statements import Require

if TYPE_CHECKING:
    from playproof.referee.belief import Belief, State
    from playproof.referee.witness import ObservationModel

_MOST_WORLDS = 400
_STEPS = 120  # looked at in all


class PlayedGameLike(Protocol):
    """A game as far as it was played."""

    states: list[list[int]]
    actions: list[int]


@dataclass(frozen=True, slots=True)
class HiddenConditionalWrite:
    """A rule under whose condition on `hidden` the fields `to`, which all see, are written."""

    rule: Action | Phase
    hidden: Field
    to: tuple[Field, ...]

    @property
    def name(self) -> str:
        """The rule in words."""
        return f"{'action' if isinstance(self.rule, Action) else 'phase'} `{self.rule.name}`"


def find_hidden_information_leaks(game: Game, games: Sequence[PlayedGameLike]) -> list[Finding]:
    """Return what the rules tell of hidden fields, as far as these games show it."""
    requirements, implications = find_hidden_requirements(game), [*iter_hidden_conditional_writes(game)]
    if not requirements and not implications:
        return []
    watch = _LeakDetector(game, requirements, implications)
    watch.examine_games(games)
    return [*watch.iter_findings()]


def iter_hidden_conditional_writes(game: Game) -> Iterator[HiddenConditionalWrite]:
    """Yield what rules write where all see it under a condition on a hidden field, and do not declare."""
    hidden = [held for held in game.fields if held.sees is not Sees.ALL]
    if game.players == 1 or not hidden:
        return
    rules: tuple[Action | Phase, ...] = (*game.actions, *game.phases)
    for rule in rules:
        if rule.body is None:
            continue
        leads = find_parameter_leads(rule.params if isinstance(rule, Action) else (), rule.body, hidden)
        for held in sorted({source for source, _ in leads.implies}, key=lambda f: f.number):
            to = {target for source, target in leads.implies - leads.reveals if source is held}
            if to and held.name not in rule.reveals:
                yield HiddenConditionalWrite(rule, held, tuple(sorted(to, key=lambda f: f.number)))


class _LeakDetector:
    """What random games show of each requirement and condition."""

    def __init__(
        self,
        game: Game,
        requirements: Sequence[HiddenRequirement],
        implications: Sequence[HiddenConditionalWrite],
    ) -> None:
        self.game, self.play = game, Interpreter(game)
        self.requirements, self.implications = requirements, implications
        self.shown: dict[int, str] = {}  # by the place in either list: an example
        self.told: dict[int, str] = {}
        self.examined: set[int] = set()
        self.reached: set[int] = set()

    def examine_games(self, games: Sequence[PlayedGameLike]) -> None:
        """Look at the steps of these games in order."""
        from playproof.referee.witness import ObservationModel  # imports numpy, which most games do not need

        witness = ObservationModel(self.game)
        # else worlds agree in what is legal by definition
        witness.telling = RevealingPhases(frozenset(), frozenset())
        left = _STEPS
        for played in games:
            beliefs = [
                self._make_belief(witness, played.states[0], seat) for seat in range(self.game.players)
            ]
            for number, ident in enumerate(played.actions):
                left -= 1
                if left < 0 or self._is_complete():
                    return
                self._compare_legal_choices(played.states[number], beliefs)
                self._compare_visible_results(witness, played.states[number], ident, beliefs)
                beliefs = [
                    self._update_belief(belief, witness, played.states[number], ident) for belief in beliefs
                ]

    def _is_complete(self) -> bool:
        return len(self.shown) == len(self.requirements) and len(self.told) == len(self.implications)

    @staticmethod
    def _make_belief(witness: ObservationModel, start: Sequence[int], seat: int) -> Belief | None:
        from playproof.referee.belief import Belief

        return Belief(witness, start, seat, most=_MOST_WORLDS)

    @staticmethod
    def _update_belief(
        belief: Belief | None, witness: ObservationModel, before: Sequence[int], ident: int
    ) -> Belief | None:
        from playproof.referee.belief import TooManyStates, make_seen_step

        if belief is None:
            return None
        try:
            belief.update_from_steps([*belief.seen, make_seen_step(witness, before, ident, belief.seat)])
        except TooManyStates:
            return None
        return belief

    # -- requirements ---------------------------------------------------------------------------------------

    def _compare_legal_choices(self, state: Sequence[int], beliefs: Sequence[Belief | None]) -> None:
        """Compare what the acting seat may choose in the worlds that it cannot tell apart."""
        actor = self.play.actor(state)
        belief = None if actor == CHANCE else beliefs[actor]
        if belief is None:
            return
        worlds = [world for world in belief.weights if world != tuple(state)]
        for number, found in enumerate(self.requirements):
            if state[0] not in found.action.phases or number in self.shown:
                continue
            self.examined.add(number)
            for ident in found.action.idents:
                legal = not self.play.why_not(state, ident)
                if any((not self.play.why_not(world, ident)) != legal for world in worlds):
                    self.shown[number] = self.game.show(ident)
                    break

    # -- conditions -----------------------------------------------------------------------------------------

    def _compare_visible_results(
        self, witness: ObservationModel, state: Sequence[int], ident: int, beliefs: Sequence[Belief | None]
    ) -> None:
        """Compare what all see of a step in the worlds that a seat cannot tell apart."""
        moments = witness.list_step_states(state, ident)
        phases = {moment[0] for moment in moments[:-1]}
        for number, found in enumerate(self.implications):
            rule = found.rule
            is_run = (
                rule is self.game.get_action_of_ident(ident)
                if isinstance(rule, Action)
                else rule.number in phases
            )
            if not is_run or number in self.told:
                continue
            self.reached.add(number)
            if moments[-1][1]:
                continue  # what is told behind the end helps nobody
            for belief in beliefs:
                if belief is not None and self._has_visible_difference(
                    witness, found, moments, ident, belief, state
                ):
                    self.told[number] = self.game.show(ident)

    def _has_visible_difference(
        self,
        witness: ObservationModel,
        hidden_write: HiddenConditionalWrite,
        moments: Sequence[Sequence[int]],
        ident: int,
        belief: Belief,
        state: Sequence[int],
    ) -> bool:
        seen = _field_values_at_moments(moments, hidden_write.to)
        for world in belief.weights:
            if world == tuple(state) or not _differ_in_hidden_field(
                self.game, world, state, hidden_write.hidden
            ):
                continue
            if self.play.why_not(world, ident):
                continue
            others = witness.list_step_states(world, ident)
            if not others[-1][1] and _field_values_at_moments(others, hidden_write.to) != seen:
                return True
        return False

    # -- findings -------------------------------------------------------------------------------------------

    def iter_findings(self) -> Iterator[Finding]:
        """PP374 and PP375."""
        for number, found in enumerate(self.requirements):
            if number in self.shown:
                yield _requirement_finding(found, f"as of `{self.shown[number]}`")
            elif number not in self.examined:
                yield _requirement_finding(found, "unless something else decides it")
        for number, told in enumerate(self.implications):
            if number in self.told or number not in self.reached:
                yield _conditional_write_finding(told)


def _differ_in_hidden_field(game: Game, world: State, state: Sequence[int], hidden: Field) -> bool:
    """Return whether two states differ in a hidden field."""
    cells = slice(hidden.offset, hidden.offset + hidden.size)
    return tuple(world[cells]) != tuple(state[cells])


def _field_values_at_moments(moments: Sequence[Sequence[int]], fields: Sequence[Field]) -> list[int]:
    """Return what these fields hold at each moment; a phase only at the last, since it is not on the table before."""
    cells: list[int] = []
    for moment in moments:
        for held in fields:
            if held.number or moment is moments[-1]:
                cells += moment[held.offset : held.offset + held.size]
    return cells


def _requirement_finding(requirement: HiddenRequirement, circumstance: str) -> Finding:
    rule = requirement.source.rule if isinstance(requirement.source, Require) else ""
    cited = f"{rule}: " if rule else ""
    place: Place = requirement.source.place or requirement.action.place
    return Finding(
        "PP374",
        convert_place_to_where(place),
        f"{cited}whether `{requirement.action.name}` is legal depends on `{requirement.field.name}`, "
        f"which the player who acts does not see, {circumstance}; so the choices offered tell it",
        "let them try and be told: ask with `when` in place of `require`, and declare "
        f'reveals="{requirement.field.name}"; or show it: sees=... of the field',
        "warning",
    )


def _conditional_write_finding(hidden_write: HiddenConditionalWrite) -> Finding:
    names = ", ".join(f"`{held.name}`" for held in hidden_write.to)
    return Finding(
        "PP375",
        convert_place_to_where(hidden_write.rule.place)
        if hidden_write.rule.place
        else convert_place_to_where(hidden_write.hidden.place),
        f"what {hidden_write.name} writes in {names} depends on `{hidden_write.hidden.name}`, "
        "which not everybody sees, so it tells something of it",
        f'write reveals="{hidden_write.hidden.name}" if that is meant',
        "warning",
    )
