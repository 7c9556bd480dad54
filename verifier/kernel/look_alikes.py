"""Secrets: what a seat is sent, pairs of states that are alike but for a secret, and what tells them apart.

At a moment a seat is sent whose turn it is; on its own turn, which of its actions are refused, and in which
words; behind the end, what every seat gets. Of a decision it is sent who took it, its name and its
parameters (except secret ones), and what it sees after each small step, if that looks new. It does not see
which automatic phase is due.

Players decide as they like, also with the secret in view; what they tell by it is theirs to tell. Chance
does not decide: what the seat may see it bring must be the same, whatever the secret is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar

from playproof.database.errors import Where
from playproof.language import CHANCE, Interpreter
from playproof.language.declarations import find_open_parameters
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, convert_rules_errors
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import Secrecy, SecretDiffers, Statement, Subject
from playproof.verifier.kernel.strict import Json, format_short, refuse_wrong_shape
from playproof.verifier.kernel.transcript import replay_line
from playproof.verifier.questions.secrecy import Secret, read_secret

Cells = Sequence[int]
Outcome = tuple[tuple[object, ...], tuple[tuple[int, ...], ...]]
"""What a seat is sent of a decision: what it hears of it, and what it sees then."""


def parse_secret(game: Game, spec: Json) -> Secret:
    """Return the secret that a certificate speaks of. Raises InputError, or Unreadable if the data
    names none."""
    with refuse_wrong_shape(f"{format_short(spec)} is no secret"):
        return read_secret(game, spec, Where(game.name))


# -- what is sent -----------------------------------------------------------------------------------------------


def get_sent_information(play: Interpreter, hidden: Secret, state: Cells) -> tuple[object, ...]:
    """Return what the seat is sent at a moment, besides the cells that it sees."""
    if play.terminal(state):
        return play.returns(state)
    actor = play.actor(state)
    if actor != hidden.seat:
        return (actor,)
    refusals: list[object] = [actor]
    for action in play.game.phases[state[0]].actions:
        for ident in action.idents:
            refusals.append(tuple((broken.rule, broken.text) for broken in play.why_not(state, ident)))
    return tuple(refusals)


def get_heard_decision(play: Interpreter, hidden: Secret, before: Cells, ident: int) -> tuple[object, ...]:
    """Return what the seat is sent of a decision: who took it, and its name and parameters as far as
    they are open."""
    action, actor = play.game.get_action_of_ident(ident), play.actor(before)
    values = action.get_parameter_values(ident)
    if actor == hidden.seat:
        return actor, action.number, *values
    if action.hidden:
        return (actor,)
    names = [p.local.name for p in action.params]
    open_names = (find_open_parameters(action) if actor == CHANCE else frozenset(names)) - action.secret
    return (
        actor,
        action.number,
        *(v if name in open_names else None for name, v in zip(names, values, strict=True)),
    )


def list_new_views(play: Interpreter, hidden: Secret, before: Cells, ident: int) -> list[tuple[int, ...]]:
    """Return what the seat sees after each small step of a legal decision, where it looks new."""
    visible: list[tuple[int, ...]] = []
    for state in play.list_step_states(before, ident):
        seen = tuple(compress(state, hidden.shows))
        if not state[1] and play.game.phases[state[0]].automatic:
            seen = (-1, *seen[1:])
        if not visible or seen[1:] != visible[-1][1:] or seen[0] != -1:
            visible.append(seen)
    return visible


def map_outcomes_to_actions(play: Interpreter, hidden: Secret, state: Cells) -> dict[Outcome, int]:
    """Return what the seat may be sent of the next decision, each with an action that brings it."""
    return {get_outcome(play, hidden, state, ident): ident for ident in play.legal(state)}


def get_outcome(play: Interpreter, hidden: Secret, state: Cells, ident: int) -> Outcome:
    """Return what the seat is sent of a legal decision."""
    return get_heard_decision(play, hidden, state, ident), tuple(list_new_views(play, hidden, state, ident))


# -- two lines of play ------------------------------------------------------------------------------------------


def replay_alike_lines(
    play: Interpreter, hidden: Secret, line: Sequence[int], other: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the states behind two lines that were alike to the seat in all that it was sent, and are
    alike but for the secret. Raises NotShown if they are not."""
    first, second = play.start(), play.start()
    if len(line) != len(other):
        raise NotShown("the lines differ in length")
    for number, (mine, theirs) in enumerate(zip(line, other, strict=True)):
        after = replay_line(play, (mine,), first), replay_line(play, (theirs,), second)
        if not do_steps_look_alike(play, hidden, (first, mine), (second, theirs)):
            raise NotShown(f"the seat tells the lines apart by action {number + 1}, or before it")
        first, second = after
    if hidden.get_cells_outside_secret(first) != hidden.get_cells_outside_secret(second):
        raise NotShown("the states differ in more than the secret")
    return first, second


def do_steps_look_alike(
    play: Interpreter, hidden: Secret, mine: tuple[Cells, int], theirs: tuple[Cells, int]
) -> bool:
    """Return whether all that the seat is sent before and after two legal decisions is alike."""
    return get_sent_information(play, hidden, mine[0]) == get_sent_information(
        play, hidden, theirs[0]
    ) and get_outcome(play, hidden, *mine) == get_outcome(play, hidden, *theirs)


@dataclass(frozen=True)
class LookAlikes(Certificate):
    """Two lines of play that were alike to a seat. Behind them, the states are alike but for the
    secret, which differs, and then the seat is sent what tells them apart: at once; or (`last`) after the same decision
    of a player in both; or after a decision of chance in the first, which in the second can bring nothing
    that looks like it. If it is about Apart, no more is said than that the secret differs.

    The theorem: what the seat is sent depends on the secret. The premises, which the check asks: both
    lines are legal; all that the seat was sent on the way is alike; the two states are, but for the
    secret, and it differs; `last` is -1, or legal in both, or chance brings it in the first.
    """

    kind: ClassVar[str] = "look-alikes"
    about: Subject
    line: tuple[int, ...]
    other: tuple[int, ...]
    words: tuple[str, ...]
    others: tuple[str, ...]
    last: int = -1

    def statement(self) -> Statement:
        """State that the secret is told, or that it can differ."""
        return Statement(self.about, isinstance(self.about, SecretDiffers))

    def check(self, game: Game, context: Context) -> None:
        """Replay both lines. Raises NotShown if they do not show the statement, or if the words are
        not those of the actions."""
        if not isinstance(self.about, Secrecy | SecretDiffers):
            raise NotShown("two lines that are alike show nothing of this")
        hidden, play = parse_secret(game, self.about.of), Interpreter(game)
        with convert_rules_errors():
            first, second = replay_alike_lines(play, hidden, self.line, self.other)
            differ = self._is_statement_shown(play, hidden, first, second)
        if not differ:
            raise NotShown(f"the lines do not show that {self.statement().format_words()}")
        if any(
            tuple(map(game.show, line)) != words
            for line, words in ((self.line, self.words), (self.other, self.others))
        ):
            raise NotShown("the words are not those of the actions")

    def _is_statement_shown(
        self, play: Interpreter, hidden: Secret, first: list[int], second: list[int]
    ) -> bool:
        if isinstance(self.about, SecretDiffers):
            return self.last == -1 and hidden.is_secret_different(first, second)
        if not hidden.is_secret_different(first, second):
            return False
        if self.last == -1:
            return get_sent_information(play, hidden, first) != get_sent_information(play, hidden, second)
        replay_line(play, (self.last,), first)
        if play.actor(first) == CHANCE:
            return get_outcome(play, hidden, first, self.last) not in map_outcomes_to_actions(
                play, hidden, second
            )
        replay_line(play, (self.last,), second)
        return list_new_views(play, hidden, first, self.last) != list_new_views(
            play, hidden, second, self.last
        )


# -- all states ---------------------------------------------------------------------------------------------------


def group_look_alike_states(hidden: Secret, states: Iterable[Cells]) -> list[list[int]]:
    """Return the numbers of the states that are alike but for the secret, in groups of two or more."""
    alike: dict[tuple[int, ...], list[int]] = {}
    for number, state in enumerate(states):
        alike.setdefault(hidden.get_cells_outside_secret(state), []).append(number)
    return [group for group in alike.values() if len(group) > 1]


def check_nothing_told(
    play: Interpreter, hidden: Secret, states: Sequence[Cells], legal: Callable[[int], Sequence[int]]
) -> None:
    """Check that the seat is sent the same in states that are alike but for the secret: at that moment,
    after each decision of a player that is legal in two of them, and whatever chance brings. Raises
    NotShown."""
    for group in group_look_alike_states(hidden, states):
        moment = get_sent_information(play, hidden, states[group[0]])
        if moment == (CHANCE,) and any(
            map_outcomes_to_actions(play, hidden, states[n]).keys()
            != map_outcomes_to_actions(play, hidden, states[group[0]]).keys()
            for n in group
        ):
            raise NotShown(f"what chance may bring in state {group[0]} tells the secret")
        after: dict[int, list[tuple[int, ...]]] = {}
        for number in group:
            if get_sent_information(play, hidden, states[number]) != moment:
                raise NotShown(f"what the seat is sent in state {number} tells the secret")
            for ident in legal(number) if moment != (CHANCE,) else ():
                seen = list_new_views(play, hidden, states[number], ident)
                if after.setdefault(ident, seen) != seen:
                    raise NotShown(f"what the seat sees after state {number} tells the secret")


def check_secret_never_differs(hidden: Secret, states: Sequence[Cells]) -> None:
    """Check that the secret differs in no two states that are alike but for it. Raises NotShown."""
    for group in group_look_alike_states(hidden, states):
        if any(hidden.is_secret_different(states[group[0]], states[number]) for number in group):
            raise NotShown("the secret differs in two states that are alike but for it")
