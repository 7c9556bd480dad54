"""A match played with paper: people report what dice and cards really did. The referee checks,
counts and keeps score.

    paper = Companion(match)
    paper.settle()          # take the chance actions that nobody sees
    paper.offers()          # what may have happened, or may be done: one Offer each
    paper.tell(ident)       # report that it happened

Cards that nobody reports (a hand, a card laid face down) are *supposed*. If something happens that
the supposed cards do not allow, the supposed part is replaced and everything reported stays true:
see `anew`. So a move is refused only if the rules forbid it, or if no arrangement of the unseen
cards allows it.

With `apart`, each seat has its own page and reports what it alone sees. Otherwise one page lies
open for all; it shows and receives only what all see."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from playproof.language import CHANCE, Broken
from playproof.language.errors import find_rule_place_in_call_stack
from playproof.language.expr import Term
from playproof.language.keyed_random import KeyedStream
from playproof.language.random import Stream
from playproof.language.statements import If, Keep, Loop, Require, Statement, find_fields_term_depends_on
from playproof.referee.errors import CannotRead, NotLegal
from playproof.referee.events import format_heard_action
from playproof.referee.match import Match, Step
from playproof.referee.observations import HeardAction, get_cached_observation_model, observe_step_as_seat
from playproof.referee.view import get_flags_of_cells_seat_may_see

_MOST_STEPS = 3_000  # in all histories that are tried for one move
_DEAR = 60  # what a search for all look-alikes of one step costs, in steps
_MOST_ASKED = 5_000  # actions of a phase that are searched for possible ones
_TRIES = 200
_ENDS = 24  # histories whose end is examined
_MOST_OTHERS = 6
_WORD = re.compile(r"[^\W\d]{3,}|\d+")
_NOWHERE = "no cards that agree with all that was told so far would allow this"


@dataclass(frozen=True, slots=True)
class ReportableAction:
    """Something that may have happened or may be done, in words for the people who report it.
    `loose` means that nobody reports which of several look-alikes it was."""

    ident: int
    words: str
    loose: bool = False


class ReportedMatch:
    """A match whose steps are reported or supposed. `loose` says for each step whether it is
    supposed."""

    def __init__(self, match: Match, *, apart: bool = False, loose: Sequence[bool] = ()) -> None:
        self.match, self.apart = match, apart
        self.loose = list(loose) or [False] * len(match.steps)
        self.witness = get_cached_observation_model(match.game)
        masks = [get_flags_of_cells_seat_may_see(match.game, seat) for seat in range(match.game.players)]
        seen = any if apart else all
        self.mask = [seen(cell) for cell in zip(*masks, strict=True)]
        self._hidden = {f for f in match.game.fields if not all(self.mask[f.offset : f.offset + f.size])}
        self._offers: tuple[tuple[int, ...], list[ReportableAction]] | None = None

    # -- what is asked --------------------------------------------------------------------------------------

    def list_actions_people_may_report(self) -> list[ReportableAction]:
        """Return what may happen or be done now. Look-alikes that the asked people cannot
        distinguish are one offer."""
        now = tuple(self.match.actions)
        if self._offers is None or self._offers[0] != now:
            self._offers = now, [] if self.match.over else self._compute_actions_people_may_report()
        return self._offers[1]

    def _compute_actions_people_may_report(self) -> list[ReportableAction]:
        game, state = self.match.game, self.match.state
        legal = self.match.play.legal(state)
        alike: dict[Hashable, list[int]] = {}
        heard_whole = set()  # actions whose look-alikes are told apart
        for ident in legal:
            unsure = self.witness.can_action_be_heard_incompletely(ident)
            key = self.observe_step_as_people_at_table(state, ident) if unsure else ident
            alike.setdefault(key, []).append(ident)
            if not unsure or self._is_action_heard_in_full_at_table(state, ident):
                heard_whole.add(game.get_action_of_ground_action_number(ident).number)
        offers = []
        for same in alike.values():
            loose = len(same) > 1 or not self._is_action_heard_in_full_at_table(state, same[0])
            offers.append(ReportableAction(same[0], self._describe_actions_that_look_alike(state, same), loose))
        listed = set(legal)
        for ident in self._iter_actions_legal_with_other_hidden_cards():
            if ident in listed:
                continue
            if game.get_action_of_ground_action_number(
                ident
            ).number in heard_whole or not self.witness.can_action_be_heard_incompletely(ident):
                offers.append(ReportableAction(ident, game.show(ident)))
        # so that the list does not reveal what is supposed
        return sorted(offers, key=lambda offer: offer.ident)

    def _describe_actions_that_look_alike(self, state: Sequence[int], action_ids: Sequence[int]) -> str:
        if len(action_ids) == 1 and self._is_action_heard_in_full_at_table(state, action_ids[0]):
            return self.match.game.show(action_ids[0])
        return format_heard_action(self.match.game, self._get_action_as_heard_at_table(state, action_ids[0]), state)

    def _is_action_heard_in_full_at_table(self, state: Sequence[int], action_id: int) -> bool:
        heard = self._get_action_as_heard_at_table(state, action_id)
        return heard.action is not None and None not in heard.values

    def _iter_actions_legal_with_other_hidden_cards(self) -> Iterator[int]:
        """Yield the present phase's actions that could be legal with other supposed cards.

        Yields nothing if no step is supposed or the phase has too many actions.
        """
        if not any(self.loose):
            return
        phase = self.match.game.phases[self.match.state[0]]
        if sum(action.count for action in phase.actions) > _MOST_ASKED:
            return
        for action in phase.actions:
            for ident in action.idents:
                if self.find_surely_failing_requirements_or_none(ident) is None:
                    yield ident

    @property
    def seats_to_ask(self) -> frozenset[int]:
        """The seats that may report what happens now: the seat that acts or, for chance, the
        seats that see most of it."""
        match = self.match
        everybody = frozenset(range(match.game.players))
        if match.over or not self.apart:
            return everybody
        if match.actor != CHANCE:
            return frozenset([match.actor])
        legal = match.play.legal(match.state)
        sights: dict[int, int] = {}  # how many results each seat tells apart
        for seat in everybody:
            observations = {observe_step_as_seat(self.witness, match.state, ident, seat) for ident in legal}
            sights[seat] = len(observations)
        most = max(sights.values())
        return frozenset(seat for seat in everybody if sights[seat] == most)

    # -- going on -------------------------------------------------------------------------------------------

    def take_unreportable_chance_step_or_none(self) -> Step | None:
        """Take one such action; return None if somebody must report."""
        if self.match.over or self.match.actor != CHANCE or len(self.list_actions_people_may_report()) != 1:
            return None
        (offer,) = self.list_actions_people_may_report()
        ident = self._draw_lookalike_fixed_by_seed_and_step(offer.ident) if offer.loose else offer.ident
        return self.take_reported_or_supposed_action(ident, supposed=offer.loose)

    def _draw_lookalike_fixed_by_seed_and_step(self, action_id: int) -> int:
        """Return one of the look-alikes of an unseen chance action, drawn by weight with the
        seed."""
        state, step = self.match.state, len(self.match.steps)
        alike = self.list_legal_actions_looking_like(
            state, action_id, self.observe_step_as_people_at_table(state, action_id)
        )
        weights = [self.match.play.weight(state, i) for i in alike]
        return alike[KeyedStream(self.match.seed, "chance", step).draw_weighted_index(weights)]

    def record_report_revising_supposed_steps(self, action_id: int) -> Step:
        """Record that an action happened or is done. Raises NotLegal or CannotRead and then
        changes nothing."""
        match = self.match
        if not 0 <= action_id < match.game.ground:
            raise CannotRead(str(action_id), "")
        broken = match.play.why_not(match.state, action_id)
        if broken:
            actions = (
                None
                if self.find_surely_failing_requirements_or_none(action_id)
                else self.find_history_allowing_action_or_none(action_id)
            )
            if actions is None:
                raise NotLegal(
                    match.game.show(action_id),
                    "",
                    self.find_surely_failing_requirements_or_none(action_id)
                    or (*broken, _make_refusal_no_hidden_cards_fit()),
                )
            self.replace_history(actions)
        loose = next(
            (o.loose for o in self.list_actions_people_may_report() if o.ident == action_id),
            not self._is_action_heard_in_full_at_table(match.state, action_id),
        )
        return self.take_reported_or_supposed_action(action_id, supposed=loose)

    def list_requirements_forbidding_action_for_sure(self, action_id: int) -> tuple[Broken, ...]:
        """Return the requirements that forbid an action whatever cards lie unseen; empty if it
        may be possible."""
        if any(self.loose):
            return self.find_surely_failing_requirements_or_none(action_id) or ()
        return self.match.play.why_not(self.match.state, action_id)

    def take_reported_or_supposed_action(self, action_id: int, *, supposed: bool) -> Step:
        """Take a legal action as reported or as supposed."""
        step = self.match.apply(action_id)
        self.loose.append(supposed)
        return step

    def undo_all_but_first_steps(self, steps_to_keep: int) -> None:
        """Go back to the state after `steps_to_keep` steps."""
        self.match.undo_steps_after_and_list_them(steps_to_keep)
        del self.loose[steps_to_keep:]

    def map_possible_results_to_action_histories(self) -> dict[str, list[int]]:
        """Return the results that agree with everything reported, each in words with a history that
        leads to it.

        Holds one result if no hidden card decides. Empty while the game runs.
        """
        match = self.match
        if not match.over:
            return {}
        verdicts = {self._describe_ending_and_returns(match.state): match.actions}
        for actions in _HistorySearch(self, match.actions[-1]).iter_random_histories_reaching_end():
            match_end = self._compute_state_after_actions(actions)
            verdicts.setdefault(self._describe_ending_and_returns(match_end), actions)
        return verdicts

    def _describe_ending_and_returns(self, state: Sequence[int]) -> str:
        end, returns = self.match.play.ending(state), self.match.play.returns(state)
        return f"{end.reason if end else ''} ({', '.join(f'{value:+d}' for value in returns)})"

    def _compute_state_after_actions(self, actions: Sequence[int]) -> list[int]:
        state = self.match.states[0]
        for ident in actions:
            state = self.witness.list_states_after_action_and_auto_phases(state, ident)[-1]
        return state

    def replace_history(self, actions: Sequence[int]) -> None:
        """Replace the history by another one of the same length."""
        same = next((n for n, (a, b) in enumerate(zip(self.match.actions, actions, strict=True)) if a != b), None)
        if same is not None:
            self.match.undo_steps_after_and_list_them(same)
            self.match.apply_all(actions[same:])

    # -- what those at the table see ------------------------------------------------------------------------

    def observe_step_as_people_at_table(self, state_before: Sequence[int], action_id: int) -> Hashable:
        """Return all that the people at the table see of a step. Equal values mean that nobody
        there can tell the steps apart."""
        seats = range(self.match.game.players)
        if self.apart:
            return tuple(observe_step_as_seat(self.witness, state_before, action_id, seat) for seat in seats)
        views = tuple(
            self.witness.iter_changed_views_through_mask(
                self.witness.list_states_after_action_and_auto_phases(state_before, action_id), self.mask
            )
        )
        return self._get_action_as_heard_at_table(state_before, action_id), views

    def _get_action_as_heard_at_table(self, state_before: Sequence[int], action_id: int) -> HeardAction:
        """Return an action as all hear it together (with `apart`: as the seat that hears most)."""
        by_seat = [
            self.witness.get_action_as_heard_by_seat(state_before, action_id, seat)
            for seat in range(self.match.game.players)
        ]
        if self.apart:
            return max(by_seat, key=lambda heard: sum(value is not None for value in heard.values))
        first = by_seat[0]
        if any(heard.action is None for heard in by_seat):
            return HeardAction(first.actor, None, ())
        common: list[int | None] = []
        for values in zip(*(heard.values for heard in by_seat), strict=True):
            common.append(None if None in values else values[0])
        return HeardAction(first.actor, first.action, tuple(common))

    def list_legal_actions_looking_like(
        self, state: Sequence[int], action_id: int, observation_at_table: Hashable
    ) -> list[int]:
        """Return the legal actions that the people at the table could not tell from this one."""
        action = self.match.game.get_action_of_ground_action_number(action_id)
        same = range(self.match.game.ground) if action.hidden else action.idents
        return [
            i
            for i in self.witness.list_legal_actions_and_weights(state)[0]
            if i in same and self.observe_step_as_people_at_table(state, i) == observation_at_table
        ]

    # -- requirements that no supposed card can meet --------------------------------------------------------

    def find_surely_failing_requirements_or_none(self, action_id: int) -> tuple[Broken, ...] | None:
        """Return the requirements that forbid an action whatever cards are supposed; None if
        there are none."""
        match, action = self.match, self.match.game.get_action_of_ground_action_number(action_id)
        if match.over or match.state[0] not in action.phases:
            return match.play.why_not(match.state, action_id)
        env = action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id))
        broken = tuple(self._iter_requirements_failing_for_sure(action.head, env, set()))
        if broken:
            return broken
        weight = action.weight
        weighs = match.actor == CHANCE and weight is not None and not self._depends_on_hidden(weight, set())
        if weighs and match.play.weight(match.state, action_id) <= 0:
            return (Broken("", "chance cannot bring this here", action.place),)
        return None

    def _iter_requirements_failing_for_sure(
        self, statements: Sequence[Statement], local_values: dict[int, int], hidden_local_numbers: set[int]
    ) -> Iterator[Broken]:
        """Yield the failed requirements that depend on nothing hidden. `hidden_local_numbers` collects the
        locals whose values depend on hidden fields."""
        play, state = self.match.play, self.match.state
        for statement in statements:
            match statement:
                case Require(condition, rule, text, args, place):
                    fixed = not self._depends_on_hidden(condition, hidden_local_numbers)
                    if fixed and not play.value(condition, state, local_values):
                        values = [play.value(a, state, local_values) for a in args]
                        yield Broken(rule, text.format(*values), place)
                case Keep(local, value, _):
                    local_values[local.number] = min(max(play.value(value, state, local_values), local.lo), local.hi)
                    if self._depends_on_hidden(value, hidden_local_numbers):
                        hidden_local_numbers.add(local.number)
                case If(condition, then, other):
                    if not self._depends_on_hidden(condition, hidden_local_numbers):
                        branch = then if play.value(condition, state, local_values) else other
                        yield from self._iter_requirements_failing_for_sure(branch, local_values, hidden_local_numbers)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        yield from self._iter_requirements_failing_for_sure(inner, local_values, hidden_local_numbers)
                case _:  # effects: no requirement follows one
                    return

    def _depends_on_hidden(self, term: Term, hidden_local_numbers: set[int]) -> bool:
        """Return whether a value depends on something that not everybody at the table sees."""
        doubtfully = any(local.number in hidden_local_numbers for local in term.locals)
        return doubtfully or not self._hidden.isdisjoint(find_fields_term_depends_on(term))

    # -- supposing anew -------------------------------------------------------------------------------------

    def find_history_allowing_action_or_none(self, action_id: int) -> list[int] | None:
        """Return a history that keeps everything reported and makes an action legal; None if
        none is found."""
        return _HistorySearch(self, action_id).find_history_allowing_wish_or_none()


class _HistorySearch:
    """A search for such a history. First it places the cards that the wished action names, then
    it tries at random."""

    def __init__(self, paper: ReportedMatch, ident: int) -> None:
        self.paper, self.match, self.ident = paper, paper.match, ident
        self.wanted = _get_set_of_words(self.match.game.show(ident))
        states, actions = self.match.states, self.match.actions
        self.seen = [
            paper.observe_step_as_people_at_table(state, action) for state, action in zip(states, actions, strict=False)
        ]
        self.loose = [n for n, loose in enumerate(paper.loose) if loose]
        self.budget = _MOST_STEPS
        self.look_alikes: dict[tuple[int, tuple[int, ...]], list[int]] = {}

    def _list_cached_actions_looking_like_step(
        self, state: Sequence[int], action_id: int, step_index: int
    ) -> list[int]:
        """Return the actions that look like a supposed step to everybody."""
        key = step_index, tuple(state)
        if key not in self.look_alikes:
            self.look_alikes[key] = self.paper.list_legal_actions_looking_like(state, action_id, self.seen[step_index])
            self.budget -= _DEAR
        return self.look_alikes[key]

    def find_history_allowing_wish_or_none(self) -> list[int] | None:
        """Return the actions of such a history, or None."""
        actor = self.match.actor
        actors = [None] if actor == CHANCE else [actor, None]
        for of_whom in actors:
            actions = self._change_supposed_steps_to_wish_or_none(of_whom)
            if actions is not None:
                return actions
        return self._find_random_history_with_wish_or_none()

    def _change_supposed_steps_to_wish_or_none(self, noticing_seat: int | None) -> list[int] | None:
        """Change supposed steps one by one, the latest first, towards the words of the wished
        action.

        With a seat, it makes only changes that the seat would notice. Each change must bring the
        whole history nearer, so that no card is merely taken from another place the action needs.
        """
        actions, states = list(self.match.actions), list(self.match.states)
        near = self._score_supposed_steps_of_history(actions)
        for step in reversed(self.loose):
            for other in self._list_other_actions_nearest_wish_first(states[step], actions[step], step, noticing_seat):
                changed = self._replace_step_and_mend_later_or_none(actions, states, step, other)
                if changed is None or (nearer := self._score_supposed_steps_of_history(changed[0])) <= near:
                    continue
                (actions, states), near = changed, nearer
                if not self.match.play.why_not(states[-1], self.ident):
                    return actions
                break
            if self.budget < 0:
                return None
        return None

    def _list_other_actions_nearest_wish_first(
        self, state: Sequence[int], taken_action: int, step_index: int, noticing_seat: int | None
    ) -> list[int]:
        """Return the other actions that a supposed step may have been, nearest to the wish
        first."""
        near = self._score_shared_words(taken_action)
        better = [
            i
            for i in self._list_cached_actions_looking_like_step(state, taken_action, step_index)
            if self._score_shared_words(i) > near
        ]
        if noticing_seat is not None:
            witness = self.paper.witness
            own = observe_step_as_seat(witness, state, taken_action, noticing_seat)
            better = [i for i in better if observe_step_as_seat(witness, state, i, noticing_seat) != own]
        return sorted(better, key=self._score_shared_words, reverse=True)[:_MOST_OTHERS]

    def _score_shared_words(self, action_id: int) -> int:
        """Return how many words an action shares with the wished one, where a number counts less
        than any word."""
        shared = _get_set_of_words(self.match.game.show(action_id)) & self.wanted
        return sum(1 if word.isdecimal() else 10 for word in shared)

    def _score_supposed_steps_of_history(self, actions: Sequence[int]) -> int:
        return sum(self._score_shared_words(actions[step]) for step in self.loose)

    def _replace_step_and_mend_later_or_none(
        self, actions: Sequence[int], states: Sequence[list[int]], step_index: int, other_action: int
    ) -> tuple[list[int], list[list[int]]] | None:
        """Return the history with another action in one step.

        A later step that is no longer possible becomes the action replaced here, or another
        look-alike. Returns None if a reported step cannot stand.
        """
        now = self.paper.witness.list_states_after_action_and_auto_phases(states[step_index], other_action)[-1]
        new, passed = [*actions[:step_index], other_action], [*states[: step_index + 1], now]
        for later in range(step_index + 1, len(actions)):
            self.budget -= 1
            taken = self._find_legal_lookalike_of_step_or_none(now, later, [actions[later], actions[step_index]])
            if taken is None:
                return None
            now = self.paper.witness.list_states_after_action_and_auto_phases(now, taken)[-1]
            new.append(taken)
            passed.append(now)
        return new, passed

    def _find_legal_lookalike_of_step_or_none(
        self, state: Sequence[int], step_index: int, preferred_actions: Sequence[int]
    ) -> int | None:
        """Return an action that is legal here and looks like the given step, those in `first`
        before others; None if there is none."""
        play = self.match.play
        for ident in preferred_actions if self.paper.loose[step_index] else preferred_actions[:1]:
            if (
                not play.why_not(state, ident)
                and self.paper.observe_step_as_people_at_table(state, ident) == self.seen[step_index]
            ):
                return ident
        if not self.paper.loose[step_index]:
            return None
        others = self._list_cached_actions_looking_like_step(state, preferred_actions[0], step_index)
        return others[0] if others else None

    def _find_random_history_with_wish_or_none(self) -> list[int] | None:
        """Try histories whose supposed steps, from some step on, are random. Returns None if
        none fits."""
        stream = KeyedStream(self.match.seed, "suppose", len(self.match.steps))
        for _ in range(_TRIES):
            if self.budget < 0 or not self.loose:
                return None
            actions = self._draw_history_allowing_wish_or_none(self.loose[stream.below(len(self.loose))], stream)
            if actions is not None:
                return actions
        return None

    def iter_random_histories_reaching_end(self) -> Iterator[list[int]]:
        """Yield histories that differ in supposed steps and reach an end, up to a fixed number
        of tries."""
        last = len(self.match.steps) - 1
        self.seen = self.seen[:last]
        stream = KeyedStream(self.match.seed, "ends", last)
        loose = [step for step in self.loose if step < last]
        for _ in range(_ENDS if loose else 0):
            actions = self._draw_history_allowing_wish_or_none(loose[stream.below(len(loose))], stream, last)
            if actions is not None:
                yield [*actions, self.ident]

    def _draw_history_allowing_wish_or_none(
        self, first_random_step: int, stream: Stream, step_count: int | None = None
    ) -> list[int] | None:
        state, actions = self.match.states[first_random_step], self.match.actions[:first_random_step]
        stop = len(self.match.steps) if step_count is None else step_count
        for step in range(first_random_step, stop):
            self.budget -= 1
            taken = self.match.actions[step]
            if self.paper.loose[step]:
                alike = self._list_cached_actions_looking_like_step(state, taken, step)
                if not alike:
                    return None
                taken = alike[stream.below(len(alike))]
            elif self._find_legal_lookalike_of_step_or_none(state, step, [taken]) is None:
                return None
            state = self.paper.witness.list_states_after_action_and_auto_phases(state, taken)[-1]
            actions.append(taken)
        return None if self.match.play.why_not(state, self.ident) else actions


def _get_set_of_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _make_refusal_no_hidden_cards_fit() -> Broken:
    return Broken("", _NOWHERE, find_rule_place_in_call_stack())
