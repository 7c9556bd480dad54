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
from playproof.language.errors import find_caller_place
from playproof.language.expr import Term
from playproof.language.keyed_random import KeyedStream
from playproof.language.random import Stream
from playproof.language.statements import If, Keep, Loop, Require, Statement, find_fields_read
from playproof.referee.errors import CannotRead, NotLegal
from playproof.referee.events import format_heard_action
from playproof.referee.match import Match, Step
from playproof.referee.observations import HeardAction, get_observation_model, observe_step
from playproof.referee.view import get_visibility_mask

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
        self.witness = get_observation_model(match.game)
        masks = [get_visibility_mask(match.game, seat) for seat in range(match.game.players)]
        seen = any if apart else all
        self.mask = [seen(cell) for cell in zip(*masks, strict=True)]
        self._hidden = {f for f in match.game.fields if not all(self.mask[f.offset : f.offset + f.size])}
        self._offers: tuple[tuple[int, ...], list[ReportableAction]] | None = None

    # -- what is asked --------------------------------------------------------------------------------------

    def list_reportable_actions(self) -> list[ReportableAction]:
        """Return what may happen or be done now. Look-alikes that the asked people cannot
        distinguish are one offer."""
        now = tuple(self.match.actions)
        if self._offers is None or self._offers[0] != now:
            self._offers = now, [] if self.match.over else self._compute_reportable_actions()
        return self._offers[1]

    def _compute_reportable_actions(self) -> list[ReportableAction]:
        game, state = self.match.game, self.match.state
        legal = self.match.play.legal(state)
        alike: dict[Hashable, list[int]] = {}
        heard_whole = set()  # actions whose look-alikes are told apart
        for ident in legal:
            unsure = self.witness.has_uncertain_parameters(ident)
            key = self.observe_step_at_table(state, ident) if unsure else ident
            alike.setdefault(key, []).append(ident)
            if not unsure or self._is_heard_in_full(state, ident):
                heard_whole.add(game.get_action_of_ident(ident).number)
        offers = []
        for same in alike.values():
            loose = len(same) > 1 or not self._is_heard_in_full(state, same[0])
            offers.append(ReportableAction(same[0], self._describe_look_alikes(state, same), loose))
        listed = set(legal)
        for ident in self._iter_possible_actions():
            if ident in listed:
                continue
            if game.get_action_of_ident(
                ident
            ).number in heard_whole or not self.witness.has_uncertain_parameters(ident):
                offers.append(ReportableAction(ident, game.show(ident)))
        # so that the list does not reveal what is supposed
        return sorted(offers, key=lambda offer: offer.ident)

    def _describe_look_alikes(self, state: Sequence[int], look_alikes: Sequence[int]) -> str:
        if len(look_alikes) == 1 and self._is_heard_in_full(state, look_alikes[0]):
            return self.match.game.show(look_alikes[0])
        return format_heard_action(self.match.game, self._hear_action_at_table(state, look_alikes[0]), state)

    def _is_heard_in_full(self, state: Sequence[int], action_id: int) -> bool:
        heard = self._hear_action_at_table(state, action_id)
        return heard.action is not None and None not in heard.values

    def _iter_possible_actions(self) -> Iterator[int]:
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
                if self.find_certain_refusal(ident) is None:
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
            observations = {observe_step(self.witness, match.state, ident, seat) for ident in legal}
            sights[seat] = len(observations)
        most = max(sights.values())
        return frozenset(seat for seat in everybody if sights[seat] == most)

    # -- going on -------------------------------------------------------------------------------------------

    def settle_chance_actions(self) -> list[Step]:
        """Take the chance actions that nobody has to report: unseen draws and those with only
        one possible outcome."""
        return list(iter(self.settle_one_chance_action, None))

    def settle_one_chance_action(self) -> Step | None:
        """Take one such action; return None if somebody must report."""
        if self.match.over or self.match.actor != CHANCE or len(self.list_reportable_actions()) != 1:
            return None
        (offer,) = self.list_reportable_actions()
        ident = self._draw_look_alike(offer.ident) if offer.loose else offer.ident
        return self.take_action(ident, supposed=offer.loose)

    def _draw_look_alike(self, action_id: int) -> int:
        """Return one of the look-alikes of an unseen chance action, drawn by weight with the
        seed."""
        state, step = self.match.state, len(self.match.steps)
        alike = self.list_look_alikes(state, action_id, self.observe_step_at_table(state, action_id))
        weights = [self.match.play.weight(state, i) for i in alike]
        return alike[KeyedStream(self.match.seed, "chance", step).draw_weighted_index(weights)]

    def report_action(self, action_id: int) -> Step:
        """Record that an action happened or is done. Raises NotLegal or CannotRead and then
        changes nothing."""
        match = self.match
        if not 0 <= action_id < match.game.ground:
            raise CannotRead(str(action_id), "")
        broken = match.play.why_not(match.state, action_id)
        if broken:
            actions = None if self.find_certain_refusal(action_id) else self.find_history_allowing(action_id)
            if actions is None:
                raise NotLegal(
                    match.game.show(action_id),
                    "",
                    self.find_certain_refusal(action_id) or (*broken, _make_no_cards_refusal()),
                )
            self.replace_history(actions)
        loose = next(
            (o.loose for o in self.list_reportable_actions() if o.ident == action_id),
            not self._is_heard_in_full(match.state, action_id),
        )
        return self.take_action(action_id, supposed=loose)

    def find_forbidding_requirements(self, action_id: int) -> tuple[Broken, ...]:
        """Return the requirements that forbid an action whatever cards lie unseen; empty if it
        may be possible."""
        if any(self.loose):
            return self.find_certain_refusal(action_id) or ()
        return self.match.play.why_not(self.match.state, action_id)

    def take_action(self, action_id: int, *, supposed: bool) -> Step:
        """Take a legal action as reported or as supposed."""
        step = self.match.apply(action_id)
        self.loose.append(supposed)
        return step

    def go_back_to_step(self, number: int) -> None:
        """Go back to the state after `number` steps."""
        self.match.go_back_to_step(number)
        del self.loose[number:]

    def find_possible_results(self) -> dict[str, list[int]]:
        """Return the results that agree with everything reported, each in words with a history that
        leads to it.

        Holds one result if no hidden card decides. Empty while the game runs.
        """
        match = self.match
        if not match.over:
            return {}
        verdicts = {self._describe_result(match.state): match.actions}
        for actions in _HistorySearch(self, match.actions[-1]).iter_finished_histories():
            match_end = self._compute_last_state(actions)
            verdicts.setdefault(self._describe_result(match_end), actions)
        return verdicts

    def _describe_result(self, state: Sequence[int]) -> str:
        end, returns = self.match.play.ending(state), self.match.play.returns(state)
        return f"{end.reason if end else ''} ({', '.join(f'{value:+d}' for value in returns)})"

    def _compute_last_state(self, actions: Sequence[int]) -> list[int]:
        state = self.match.states[0]
        for ident in actions:
            state = self.witness.list_step_states(state, ident)[-1]
        return state

    def replace_history(self, actions: Sequence[int]) -> None:
        """Replace the history by another one of the same length."""
        same = next(
            (n for n, (a, b) in enumerate(zip(self.match.actions, actions, strict=True)) if a != b), None
        )
        if same is not None:
            self.match.go_back_to_step(same)
            self.match.apply_all(actions[same:])

    # -- what those at the table see ------------------------------------------------------------------------

    def observe_step_at_table(self, before: Sequence[int], action_id: int) -> Hashable:
        """Return all that the people at the table see of a step. Equal values mean that nobody
        there can tell the steps apart."""
        seats = range(self.match.game.players)
        if self.apart:
            return tuple(observe_step(self.witness, before, action_id, seat) for seat in seats)
        views = tuple(
            self.witness.iter_views_through_mask(self.witness.list_step_states(before, action_id), self.mask)
        )
        return self._hear_action_at_table(before, action_id), views

    def _hear_action_at_table(self, before: Sequence[int], action_id: int) -> HeardAction:
        """Return an action as all hear it together (with `apart`: as the seat that hears most)."""
        by_seat = [
            self.witness.hear_action(before, action_id, seat) for seat in range(self.match.game.players)
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

    def list_look_alikes(self, state: Sequence[int], action_id: int, seen: Hashable) -> list[int]:
        """Return the legal actions that the people at the table could not tell from this one."""
        action = self.match.game.get_action_of_ident(action_id)
        same = range(self.match.game.ground) if action.hidden else action.idents
        return [
            i
            for i in self.witness.list_weighted_actions(state)[0]
            if i in same and self.observe_step_at_table(state, i) == seen
        ]

    # -- requirements that no supposed card can meet --------------------------------------------------------

    def find_certain_refusal(self, action_id: int) -> tuple[Broken, ...] | None:
        """Return the requirements that forbid an action whatever cards are supposed; None if
        there are none."""
        match, action = self.match, self.match.game.get_action_of_ident(action_id)
        if match.over or match.state[0] not in action.phases:
            return match.play.why_not(match.state, action_id)
        env = action.bind_parameters(action.get_parameter_values(action_id))
        broken = tuple(self._iter_certain_failures(action.head, env, set()))
        if broken:
            return broken
        weight = action.weight
        weighs = match.actor == CHANCE and weight is not None and not self._depends_on_hidden(weight, set())
        if weighs and match.play.weight(match.state, action_id) <= 0:
            return (Broken("", "chance cannot bring this here", action.place),)
        return None

    def _iter_certain_failures(
        self, body: Sequence[Statement], env: dict[int, int], doubtful: set[int]
    ) -> Iterator[Broken]:
        """Yield the failed requirements that depend on nothing hidden. `doubtful` collects the
        locals whose values depend on hidden fields."""
        play, state = self.match.play, self.match.state
        for statement in body:
            match statement:
                case Require(condition, rule, text, args, place):
                    fixed = not self._depends_on_hidden(condition, doubtful)
                    if fixed and not play.value(condition, state, env):
                        values = [play.value(a, state, env) for a in args]
                        yield Broken(rule, text.format(*values), place)
                case Keep(local, value, _):
                    env[local.number] = min(max(play.value(value, state, env), local.lo), local.hi)
                    if self._depends_on_hidden(value, doubtful):
                        doubtful.add(local.number)
                case If(condition, then, other):
                    if not self._depends_on_hidden(condition, doubtful):
                        branch = then if play.value(condition, state, env) else other
                        yield from self._iter_certain_failures(branch, env, doubtful)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        env[var.number] = i
                        yield from self._iter_certain_failures(inner, env, doubtful)
                case _:  # effects: no requirement follows one
                    return

    def _depends_on_hidden(self, term: Term, doubtful: set[int]) -> bool:
        """Return whether a value depends on something that not everybody at the table sees."""
        doubtfully = any(local.number in doubtful for local in term.locals)
        return doubtfully or not self._hidden.isdisjoint(find_fields_read(term))

    # -- supposing anew -------------------------------------------------------------------------------------

    def find_history_allowing(self, action_id: int) -> list[int] | None:
        """Return a history that keeps everything reported and makes an action legal; None if
        none is found."""
        return _HistorySearch(self, action_id).find_history()


class _HistorySearch:
    """A search for such a history. First it places the cards that the wished action names, then
    it tries at random."""

    def __init__(self, paper: ReportedMatch, ident: int) -> None:
        self.paper, self.match, self.ident = paper, paper.match, ident
        self.wanted = _split_into_words(self.match.game.show(ident))
        states, actions = self.match.states, self.match.actions
        self.seen = [
            paper.observe_step_at_table(state, action) for state, action in zip(states, actions, strict=False)
        ]
        self.loose = [n for n, loose in enumerate(paper.loose) if loose]
        self.budget = _MOST_STEPS
        self.look_alikes: dict[tuple[int, tuple[int, ...]], list[int]] = {}

    def _list_look_alikes(self, state: Sequence[int], action_id: int, step: int) -> list[int]:
        """Return the actions that look like a supposed step to everybody."""
        key = step, tuple(state)
        if key not in self.look_alikes:
            self.look_alikes[key] = self.paper.list_look_alikes(state, action_id, self.seen[step])
            self.budget -= _DEAR
        return self.look_alikes[key]

    def find_history(self) -> list[int] | None:
        """Return the actions of such a history, or None."""
        actor = self.match.actor
        actors = [None] if actor == CHANCE else [actor, None]
        for of_whom in actors:
            actions = self._change_steps_toward_wish(of_whom)
            if actions is not None:
                return actions
        return self._try_random_histories()

    def _change_steps_toward_wish(self, seat: int | None) -> list[int] | None:
        """Change supposed steps one by one, the latest first, towards the words of the wished
        action.

        With a seat, it makes only changes that the seat would notice. Each change must bring the
        whole history nearer, so that no card is merely taken from another place the action needs.
        """
        actions, states = list(self.match.actions), list(self.match.states)
        near = self._score_history(actions)
        for step in reversed(self.loose):
            for other in self._list_better_alternatives(states[step], actions[step], step, seat):
                changed = self._replace_step(actions, states, step, other)
                if changed is None or (nearer := self._score_history(changed[0])) <= near:
                    continue
                (actions, states), near = changed, nearer
                if not self.match.play.why_not(states[-1], self.ident):
                    return actions
                break
            if self.budget < 0:
                return None
        return None

    def _list_better_alternatives(
        self, state: Sequence[int], taken: int, step: int, seat: int | None
    ) -> list[int]:
        """Return the other actions that a supposed step may have been, nearest to the wish
        first."""
        near = self._score_shared_words(taken)
        better = [i for i in self._list_look_alikes(state, taken, step) if self._score_shared_words(i) > near]
        if seat is not None:
            witness = self.paper.witness
            own = observe_step(witness, state, taken, seat)
            better = [i for i in better if observe_step(witness, state, i, seat) != own]
        return sorted(better, key=self._score_shared_words, reverse=True)[:_MOST_OTHERS]

    def _score_shared_words(self, action_id: int) -> int:
        """Return how many words an action shares with the wished one, where a number counts less
        than any word."""
        shared = _split_into_words(self.match.game.show(action_id)) & self.wanted
        return sum(1 if word.isdecimal() else 10 for word in shared)

    def _score_history(self, actions: Sequence[int]) -> int:
        return sum(self._score_shared_words(actions[step]) for step in self.loose)

    def _replace_step(
        self, actions: Sequence[int], states: Sequence[list[int]], step: int, other: int
    ) -> tuple[list[int], list[list[int]]] | None:
        """Return the history with another action in one step.

        A later step that is no longer possible becomes the action replaced here, or another
        look-alike. Returns None if a reported step cannot stand.
        """
        now = self.paper.witness.list_step_states(states[step], other)[-1]
        new, passed = [*actions[:step], other], [*states[: step + 1], now]
        for later in range(step + 1, len(actions)):
            self.budget -= 1
            taken = self._find_look_alike(now, later, [actions[later], actions[step]])
            if taken is None:
                return None
            now = self.paper.witness.list_step_states(now, taken)[-1]
            new.append(taken)
            passed.append(now)
        return new, passed

    def _find_look_alike(self, state: Sequence[int], step: int, preferred: Sequence[int]) -> int | None:
        """Return an action that is legal here and looks like the given step, those in `first`
        before others; None if there is none."""
        play = self.match.play
        for ident in preferred if self.paper.loose[step] else preferred[:1]:
            if (
                not play.why_not(state, ident)
                and self.paper.observe_step_at_table(state, ident) == self.seen[step]
            ):
                return ident
        if not self.paper.loose[step]:
            return None
        others = self._list_look_alikes(state, preferred[0], step)
        return others[0] if others else None

    def _try_random_histories(self) -> list[int] | None:
        """Try histories whose supposed steps, from some step on, are random. Returns None if
        none fits."""
        stream = KeyedStream(self.match.seed, "suppose", len(self.match.steps))
        for _ in range(_TRIES):
            if self.budget < 0 or not self.loose:
                return None
            actions = self._draw_history_from_step(self.loose[stream.below(len(self.loose))], stream)
            if actions is not None:
                return actions
        return None

    def iter_finished_histories(self) -> Iterator[list[int]]:
        """Yield histories that differ in supposed steps and reach an end, up to a fixed number
        of tries."""
        last = len(self.match.steps) - 1
        self.seen = self.seen[:last]
        stream = KeyedStream(self.match.seed, "ends", last)
        loose = [step for step in self.loose if step < last]
        for _ in range(_ENDS if loose else 0):
            actions = self._draw_history_from_step(loose[stream.below(len(loose))], stream, last)
            if actions is not None:
                yield [*actions, self.ident]

    def _draw_history_from_step(
        self, first: int, stream: Stream, last: int | None = None
    ) -> list[int] | None:
        state, actions = self.match.states[first], self.match.actions[:first]
        stop = len(self.match.steps) if last is None else last
        for step in range(first, stop):
            self.budget -= 1
            taken = self.match.actions[step]
            if self.paper.loose[step]:
                alike = self._list_look_alikes(state, taken, step)
                if not alike:
                    return None
                taken = alike[stream.below(len(alike))]
            elif self._find_look_alike(state, step, [taken]) is None:
                return None
            state = self.paper.witness.list_step_states(state, taken)[-1]
            actions.append(taken)
        return None if self.match.play.why_not(state, self.ident) else actions


def _split_into_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _make_no_cards_refusal() -> Broken:
    return Broken("", _NOWHERE, find_caller_place())
