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
from playproof.language.declarations import find_names_of_public_chance_parameters
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import Secrecy, SecretDiffers, Statement, Subject
from playproof.verifier.kernel.strict_json import Json, format_data_shortened, raise_unreadable_for_wrong_shape
from playproof.verifier.kernel.transcript import replay_legal_actions
from playproof.verifier.questions.secrecy import Secret, secret_spec_to_secret

Cells = Sequence[int]
Outcome = tuple[tuple[object, ...], tuple[tuple[int, ...], ...]]
"""What a seat is sent of a decision: what it hears of it, and what it sees then."""


def read_secret_from_spec(game: Game, secret_spec: Json) -> Secret:
    """Return the secret that a certificate speaks of. Raises InputError, or Unreadable if the data
    names none."""
    with raise_unreadable_for_wrong_shape(f"{format_data_shortened(secret_spec)} is no secret"):
        return secret_spec_to_secret(game, secret_spec, Where(game.name))


# -- what is sent -----------------------------------------------------------------------------------------------


def get_information_sent_at_moment(interpreter: Interpreter, secret: Secret, state: Cells) -> tuple[object, ...]:
    """Return what the seat is sent at a moment, besides the cells that it sees."""
    if interpreter.terminal(state):
        return interpreter.returns(state)
    actor = interpreter.actor(state)
    if actor != secret.seat:
        return (actor,)
    refusals: list[object] = [actor]
    for action in interpreter.game.phases[state[0]].actions:
        for ident in action.idents:
            refusals.append(tuple((broken.rule, broken.text) for broken in interpreter.why_not(state, ident)))
    return tuple(refusals)


def get_what_seat_is_sent_of_decision(
    interpreter: Interpreter, secret: Secret, state_before: Cells, action_id: int
) -> tuple[object, ...]:
    """Return what the seat is sent of a decision: who took it, and its name and parameters as far as
    they are open."""
    action, actor = (interpreter.game.get_action_of_ground_action_number(action_id), interpreter.actor(state_before))
    values = action.get_values_of_ground_action(action_id)
    if actor == secret.seat:
        return actor, action.number, *values
    if action.hidden:
        return (actor,)
    names = [p.local.name for p in action.params]
    open_names = (
        find_names_of_public_chance_parameters(action) if actor == CHANCE else frozenset(names)
    ) - action.secret
    return (actor, action.number, *(v if name in open_names else None for name, v in zip(names, values, strict=True)))


def list_changed_views_during_decision(
    interpreter: Interpreter, secret: Secret, state_before: Cells, action_id: int
) -> list[tuple[int, ...]]:
    """Return what the seat sees after each small step of a legal decision, where it looks new."""
    visible: list[tuple[int, ...]] = []
    for state in interpreter.list_states_until_next_choice(state_before, action_id):
        seen = tuple(compress(state, secret.shows))
        if not state[1] and interpreter.game.phases[state[0]].automatic:
            seen = (-1, *seen[1:])
        if not visible or seen[1:] != visible[-1][1:] or seen[0] != -1:
            visible.append(seen)
    return visible


def map_observed_outcomes_to_action_ids(interpreter: Interpreter, secret: Secret, state: Cells) -> dict[Outcome, int]:
    """Return what the seat may be sent of the next decision, each with an action that brings it."""
    return {
        get_observed_outcome_of_action(interpreter, secret, state, ident): ident for ident in interpreter.legal(state)
    }


def get_observed_outcome_of_action(interpreter: Interpreter, secret: Secret, state: Cells, action_id: int) -> Outcome:
    """Return what the seat is sent of a legal decision."""
    return get_what_seat_is_sent_of_decision(interpreter, secret, state, action_id), tuple(
        list_changed_views_during_decision(interpreter, secret, state, action_id)
    )


# -- two lines of play ------------------------------------------------------------------------------------------


def replay_lines_alike_but_secret_or_raise(
    interpreter: Interpreter, secret: Secret, first_line: Sequence[int], second_line: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the states behind two lines that were alike to the seat in all that it was sent, and are
    alike but for the secret. Raises NotShown if they are not."""
    first, second = interpreter.start(), interpreter.start()
    if len(first_line) != len(second_line):
        raise NotShown("the lines differ in length")
    for number, (mine, theirs) in enumerate(zip(first_line, second_line, strict=True)):
        after = (
            replay_legal_actions(interpreter, (mine,), first),
            replay_legal_actions(interpreter, (theirs,), second),
        )
        if not do_two_steps_look_alike_to_seat(interpreter, secret, (first, mine), (second, theirs)):
            raise NotShown(f"the seat tells the lines apart by action {number + 1}, or before it")
        first, second = after
    if secret.get_cell_values_outside_secret(first) != secret.get_cell_values_outside_secret(second):
        raise NotShown("the states differ in more than the secret")
    return first, second


def do_two_steps_look_alike_to_seat(
    interpreter: Interpreter,
    secret: Secret,
    first_state_and_action: tuple[Cells, int],
    second_state_and_action: tuple[Cells, int],
) -> bool:
    """Return whether all that the seat is sent before and after two legal decisions is alike."""
    before, other_before = (
        get_information_sent_at_moment(interpreter, secret, state)
        for state, _ in (first_state_and_action, second_state_and_action)
    )
    return before == other_before and get_observed_outcome_of_action(
        interpreter, secret, *first_state_and_action
    ) == get_observed_outcome_of_action(interpreter, secret, *second_state_and_action)


@dataclass(frozen=True)
class LookAlikesCertificate(Certificate):
    """Two lines of play that were alike to a seat. Behind them, the states are alike but for the
    secret, which differs, and then the seat is sent what tells them apart: at once; or (`last`) after the same decision
    of a player in both; or after a decision of chance in the first, which in the second can bring nothing
    that looks like it. If it is about SecretDiffers, no more is said than that the secret differs.

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

    def build_proved_statement(self) -> Statement:
        """State that the secret is told, or that it can differ."""
        return Statement(self.about, isinstance(self.about, SecretDiffers))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Replay both lines. Raises NotShown if they do not show the statement, or if the words are
        not those of the actions."""
        if not isinstance(self.about, Secrecy | SecretDiffers):
            raise NotShown("two lines that are alike show nothing of this")
        hidden, play = read_secret_from_spec(game, self.about.of), Interpreter(game)
        with raise_rules_errors_as_not_shown():
            first, second = replay_lines_alike_but_secret_or_raise(play, hidden, self.line, self.other)
            differ = self._do_final_states_show_statement(play, hidden, first, second)
        if not differ:
            raise NotShown(f"the lines do not show that {self.build_proved_statement().format_as_data()}")
        if any(
            tuple(map(game.show, line)) != words for line, words in ((self.line, self.words), (self.other, self.others))
        ):
            raise NotShown("the words are not those of the actions")

    def _do_final_states_show_statement(
        self, interpreter: Interpreter, secret: Secret, first_state: list[int], second_state: list[int]
    ) -> bool:
        if isinstance(self.about, SecretDiffers):
            return self.last == -1 and secret.does_secret_differ_between(first_state, second_state)
        if not secret.does_secret_differ_between(first_state, second_state):
            return False
        if self.last == -1:
            return get_information_sent_at_moment(interpreter, secret, first_state) != get_information_sent_at_moment(
                interpreter, secret, second_state
            )
        replay_legal_actions(interpreter, (self.last,), first_state)
        if interpreter.actor(first_state) == CHANCE:
            return get_observed_outcome_of_action(
                interpreter, secret, first_state, self.last
            ) not in map_observed_outcomes_to_action_ids(interpreter, secret, second_state)
        replay_legal_actions(interpreter, (self.last,), second_state)
        return list_changed_views_during_decision(
            interpreter, secret, first_state, self.last
        ) != list_changed_views_during_decision(interpreter, secret, second_state, self.last)


# -- all states ---------------------------------------------------------------------------------------------------


def group_indexes_of_states_equal_but_secret(secret: Secret, states: Iterable[Cells]) -> list[list[int]]:
    """Return the numbers of the states that are alike but for the secret, in groups of two or more."""
    alike: dict[tuple[int, ...], list[int]] = {}
    for number, state in enumerate(states):
        alike.setdefault(secret.get_cell_values_outside_secret(state), []).append(number)
    return [group for group in alike.values() if len(group) > 1]


def require_no_state_reveals_secret(
    interpreter: Interpreter, secret: Secret, states: Sequence[Cells], get_legal_actions: Callable[[int], Sequence[int]]
) -> None:
    """Check that the seat is sent the same in states that are alike but for the secret: at that moment,
    after each decision of a player that is legal in two of them, and whatever chance brings. Raises
    NotShown."""
    for group in group_indexes_of_states_equal_but_secret(secret, states):
        moment = get_information_sent_at_moment(interpreter, secret, states[group[0]])
        if moment == (CHANCE,) and any(
            map_observed_outcomes_to_action_ids(interpreter, secret, states[n]).keys()
            != map_observed_outcomes_to_action_ids(interpreter, secret, states[group[0]]).keys()
            for n in group
        ):
            raise NotShown(f"what chance may bring in state {group[0]} tells the secret")
        after: dict[int, list[tuple[int, ...]]] = {}
        for number in group:
            if get_information_sent_at_moment(interpreter, secret, states[number]) != moment:
                raise NotShown(f"what the seat is sent in state {number} tells the secret")
            for ident in get_legal_actions(number) if moment != (CHANCE,) else ():
                seen = list_changed_views_during_decision(interpreter, secret, states[number], ident)
                if after.setdefault(ident, seen) != seen:
                    raise NotShown(f"what the seat sees after state {number} tells the secret")


def require_secret_equal_in_look_alike_states(secret: Secret, states: Sequence[Cells]) -> None:
    """Check that the secret differs in no two states that are alike but for it. Raises NotShown."""
    for group in group_indexes_of_states_equal_but_secret(secret, states):
        if any(secret.does_secret_differ_between(states[group[0]], states[number]) for number in group):
            raise NotShown("the secret differs in two states that are alike but for it")
