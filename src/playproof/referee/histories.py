"""Histories that give a seat exactly what it has observed, for games with too many to count.

    histories = Histories(witness, match.states[0], seat=0)
    histories.hold(seen)          # what the seat met, step by step
    histories.worlds              # the last states of a few dozen histories

Each history starts at the first state and is extended step by step. A history that cannot be
extended is mended: one choice that the seat did not see becomes another, a later one that is no
longer possible takes its place, and everything is played again and compared with what the seat
observed. So every world agrees with the whole memory of the seat. Which worlds are drawn depends
only on what the seat observed, but some come more often than they should. There may be fewer worlds
than wanted, or none, if the tries run out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language import Interpreter
from playproof.language.expr import Apply, Op, Reduce, Term
from playproof.language.random import Stream, seed_of
from playproof.language.traced_statements import Keep, Require
from playproof.referee.belief import Seen, State, audible, possible
from playproof.referee.witness import Witness

WORLDS = 16
_TRIES = 30  # changes tried to mend a history
_LAST_TRIES = 3_000  # the same, for the last histories left
_CHANGES = 4  # tried to make one history out of another
_MOST_TERMS = 400  # of an `any` or `all` that are weighed


@dataclass(frozen=True, slots=True)
class _Moment:
    """A state of a history, with the moment before it and the action between them."""

    state: State
    before: _Moment | None = None
    ident: int = -1

    def path(self) -> tuple[list[State], list[int]]:
        """Return the states and actions that lead here."""
        states, actions, moment = [self.state], list[int](), self
        while moment.before is not None:
            actions.append(moment.ident)
            moment = moment.before
            states.append(moment.state)
        return states[::-1], actions[::-1]


class Histories:
    """Histories of one match that one seat cannot tell apart. It receives only what the seat
    observed and did."""

    def __init__(self, witness: Witness, start: Sequence[int], seat: int, most: int = WORLDS) -> None:
        self.witness, self.seat, self.most = witness, seat, most
        self.play = Interpreter(witness.game)
        self.seen: list[Seen] = []
        self._levels = [[_Moment(tuple(start))] * most]
        self._unseen: list[int] = []  # the steps of which the seat did not see all

    def hold(self, seen: Sequence[Seen]) -> None:
        """Update to these steps. Keeps what belongs to a common beginning."""
        same = 0
        while same < min(len(seen), len(self.seen)) and seen[same] == self.seen[same]:
            same += 1
        del self.seen[same:], self._levels[same + 1:]
        self._unseen = [step for step in self._unseen if step < same]
        for step in seen[same:]:
            self._extend(step)

    @property
    def worlds(self) -> list[State]:
        """The present states of all histories. One that several histories reach comes several
        times."""
        return [moment.state for moment in self._levels[-1]]

    def paths(self) -> list[tuple[list[State], list[int]]]:
        """Return the states and actions of all histories."""
        return [moment.path() for moment in self._levels[-1]]

    # -- step by step ---------------------------------------------------------------------------------------

    def _extend(self, step: Seen) -> None:
        number = len(self.seen)
        self.seen.append(step)
        # The numbers depend on the step alone, so the worlds do not depend on when somebody asked.
        stream = Stream(seed_of(self.seat, number))
        level, failed = list[_Moment](), list[_Moment]()
        for moment in self._levels[-1]:
            after = self._after(moment, number, stream)
            if after is None:
                failed.append(moment)
            else:
                level.append(after)
        for moment in failed[:max(0, self.most // 2 - len(level))]:
            level += self._mended(moment, number, stream, _TRIES)
        for moment in failed:
            if level:
                break
            level += self._mended(moment, number, stream, _LAST_TRIES // len(failed))
        if step.own is None and self._is_unseen(step):
            self._unseen.append(number)
        self._levels.append(level + self._varied(level, number, stream))

    @staticmethod
    def _is_unseen(step: Seen) -> bool:
        heard = step.observation.heard
        return heard is not None and (heard.action is None or None in heard.values)

    def _varied(self, level: Sequence[_Moment], number: int, stream: Stream) -> list[_Moment]:
        """Return as many more histories as are missing: those of a level, each with one choice
        changed if that is possible."""
        more = []
        for _ in range(self.most - len(level) if level else 0):
            moment = level[stream.below(len(level))]
            states, actions = moment.path()
            tries = (self._changed(states, actions, frozenset(), stream) for _ in range(_CHANGES))
            changed = next((one for one in tries if one is not None), None)
            more.append(moment if changed is None else _chained(*changed))
        return more

    def _after(self, moment: _Moment, number: int, stream: Stream) -> _Moment | None:
        """Return a history with one step more, or None if no action looks like it."""
        ident = self._drawn(moment.state, number, stream)
        return None if ident is None else _Moment(self._next(moment.state, ident), moment, ident)

    def _next(self, state: State, ident: int) -> State:
        return tuple(self.witness.moments(state, ident)[-1])

    def _drawn(self, state: State, number: int, stream: Stream) -> int | None:
        """Draw an action that looks like step `number` to the seat, by its weight."""
        alike = possible(self.witness, state, self.seen[number], self.seat)
        if len(alike) < 2:
            return alike[0][0] if alike else None
        fine = [1 + round(share * (1 << 20)) for _, share in alike]
        return alike[stream.weighted(fine)][0]

    # -- other choices --------------------------------------------------------------------------------------

    def _mended(self, moment: _Moment, number: int, stream: Stream, tries: int) -> list[_Moment]:
        """Return a history like this one that can be extended by step `number`, or nothing.

        A change is kept if it brings the action of that step no farther from being legal.
        """
        wanted = self._wanted(number)
        values = frozenset() if wanted is None else frozenset(self.witness.act(wanted)[1])
        states, actions = moment.path()
        far = self._distance(states[-1], wanted)
        for _ in range(tries):
            changed = self._changed(states, actions, values, stream)
            if changed is None:
                continue
            farther = self._distance(changed[0][-1], wanted)
            if farther > far:
                continue
            (states, actions), far = changed, farther
            after = self._after(_chained(states, actions), number, stream) if far == 0 else None
            if after is not None:
                return [after]
        return []

    def _wanted(self, number: int) -> int | None:
        """Return the action of a step, if the seat heard all of it."""
        heard = self.seen[number].observation.heard
        if heard is None or heard.action is None:
            return None
        values = [value for value in heard.values if value is not None]
        action = self.witness.game.actions[heard.action]
        return action.ident(values) if len(values) == len(heard.values) else None

    def _changed(self, states: Sequence[State], actions: Sequence[int], values: frozenset[int],
                 stream: Stream) -> tuple[list[State], list[int]] | None:
        """Return a history in which one choice is another, preferably one with these values. Returns
        None if the seat would notice."""
        unseen = [step for step in self._unseen if step < len(actions)]
        if not unseen:
            return None
        first = unseen[stream.below(len(unseen))]
        others = [ident for ident, _ in audible(self.witness, states[first], self.seen[first])
                  if ident != actions[first]]
        near = [ident for ident in others if values.intersection(self.witness.act(ident)[1])]
        if near and stream.below(2):
            others = near
        ident = others[stream.below(len(others))] if others else actions[first]
        now = self._looks(states[first], ident, first)
        if not others or now is None:
            return None
        new, passed = [*actions[:first], ident], [*states[:first + 1], now]
        for step in range(first + 1, len(actions)):
            if now == states[step]:  # from here on nothing differs
                return [*passed, *states[step + 1:]], [*new, *actions[step:]]
            taken, now = self._like(now, step, actions[step], actions[first])
            if now is None:
                return None
            new.append(taken)
            passed.append(now)
        return passed, new

    def _like(self, state: State, step: int, taken: int, replaced: int) -> tuple[int, State | None]:
        """Return the action of a later step and the state after it: the same action, or the one with
        the values that were replaced. The state is None if neither is possible."""
        after = self._fits(state, taken, step)
        heard = self.seen[step].observation.heard
        if after is not None or heard is None or self.seen[step].own is not None:
            return taken, after
        (action, old), (other, values) = self.witness.act(taken), self.witness.act(replaced)
        if action is not other:
            return taken, None
        if heard.action is not None:
            values = tuple(v if h is None else h for v, h in zip(values, heard.values, strict=True))
        swapped = action.ident(values)
        return swapped, None if values == old else self._fits(state, swapped, step)

    def _fits(self, state: State, ident: int, step: int) -> State | None:
        """Return the state after an action if it is legal and looks to the seat like step `step`,
        else None."""
        witness, heard = self.witness, self.seen[step].observation.heard
        if state[1] or heard is None or witness.actor(state) != heard.actor:
            return None
        return self._looks(state, ident, step) if ident in witness.legal(state)[0] else None

    def _looks(self, state: State, ident: int, step: int) -> State | None:
        """Do the same for an action that is legal."""
        moments = self.witness.moments(state, ident)
        views = tuple(self.witness.views(moments, self.seat))
        return tuple(moments[-1]) if views == self.seen[step].observation.views else None

    # -- how far an action is from being legal --------------------------------------------------------------

    def _distance(self, state: State, ident: int | None) -> int:
        """Return about how many cells must change before an action is legal; 0 if none."""
        if ident is None or state[1]:
            return 0
        action, values = self.witness.act(ident)
        env = {p.local.number: v for p, v in zip(action.params, values, strict=True)}
        far = 0
        for statement in action.head:
            if isinstance(statement, Keep):
                env[statement.local.number] = self.play.value(statement.value, state, env)
            elif isinstance(statement, Require):
                far += self._far(statement.condition, state, env, wanted=True)
        return far

    def _far(self, term: Term, state: State, env: dict[int, int], *, wanted: bool) -> int:
        """Return how far a condition is from being true (or false): the number of its parts that
        stand against it."""
        match term:
            case Op(op="not"):
                return self._far(term.args[0], state, env, wanted=not wanted)
            case Op(op="and" | "or"):
                parts = [self._far(arg, state, env, wanted=wanted) for arg in term.args]
                return sum(parts) if (term.op == "and") == wanted else min(parts)
            case Reduce(kind="any" | "all") if term.stop - term.start <= _MOST_TERMS:
                parts = [self._far(term.body, state, {**env, term.var.number: i}, wanted=wanted)
                         for i in range(term.start, term.stop)]
                return sum(parts) if (term.kind == "all") == wanted else min(parts, default=1)
            case Apply():
                inner = {p.number: self.play.value(arg, state, env)
                         for p, arg in zip(term.function.params, term.args, strict=True)}
                return self._far(term.function.body, state, inner, wanted=wanted)
        return int(bool(self.play.value(term, state, env)) != wanted)


def _chained(states: Sequence[State], actions: Sequence[int]) -> _Moment:
    """Return a history as a chain of moments."""
    moment = _Moment(states[0])
    for state, ident in zip(states[1:], actions, strict=True):
        moment = _Moment(state, moment, ident)
    return moment


__all__ = ["WORLDS", "Histories"]
