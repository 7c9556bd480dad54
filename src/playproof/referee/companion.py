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
open for all; it shows and receives only what all see.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from playproof.language import CHANCE, Broken
from playproof.language.errors import caller
from playproof.language.expr import Term
from playproof.language.keyed_random import Keyed
from playproof.language.random import Stream
from playproof.language.traced_statements import If, Keep, Loop, Require, Statement
from playproof.language.walks import fields_read
from playproof.referee.errors import CannotRead, NotLegal
from playproof.referee.events import heard_words
from playproof.referee.information import observe
from playproof.referee.match import Match, Step
from playproof.referee.view import visible
from playproof.referee.witness import Heard, witness_of

_MOST_STEPS = 3_000  # in all histories that are tried for one move
_DEAR = 60  # what a search for all look-alikes of one step costs, in steps
_MOST_ASKED = 5_000  # actions of a phase that are searched for possible ones
_TRIES = 200
_ENDS = 24  # histories whose end is examined
_MOST_OTHERS = 6
_WORD = re.compile(r"[^\W\d]{3,}|\d+")
_NOWHERE = "no cards that agree with all that was told so far would allow this"


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may have happened or may be done, in words for the people who report it.
    `loose` means that nobody reports which of several look-alikes it was."""

    ident: int
    words: str
    loose: bool = False


class Companion:
    """A match whose steps are reported or supposed. `loose` says for each step whether it is
    supposed."""

    def __init__(self, match: Match, *, apart: bool = False, loose: Sequence[bool] = ()) -> None:
        self.match, self.apart = match, apart
        self.loose = list(loose) or [False] * len(match.steps)
        self.witness = witness_of(match.game)
        masks = [visible(match.game, seat) for seat in range(match.game.players)]
        seen = any if apart else all
        self.mask = [seen(cell) for cell in zip(*masks, strict=True)]
        self._hidden = {f for f in match.game.fields if not all(self.mask[f.offset : f.offset + f.size])}
        self._offers: tuple[tuple[int, ...], list[Offer]] | None = None

    # -- what is asked --------------------------------------------------------------------------------------

    def offers(self) -> list[Offer]:
        """Return what may happen or be done now. Look-alikes that the asked people cannot
        distinguish are one offer."""
        now = tuple(self.match.actions)
        if self._offers is None or self._offers[0] != now:
            self._offers = now, [] if self.match.over else self._offered()
        return self._offers[1]

    def _offered(self) -> list[Offer]:
        game, state = self.match.game, self.match.state
        legal = self.match.play.legal(state)
        alike: dict[Hashable, list[int]] = {}
        heard_whole = set()  # actions whose look-alikes are told apart
        for ident in legal:
            unsure = self.witness.unsure(ident)
            key = self.seen(state, ident) if unsure else ident
            alike.setdefault(key, []).append(ident)
            if not unsure or self._heard_whole(state, ident):
                heard_whole.add(game.action_of(ident).number)
        offers = []
        for same in alike.values():
            loose = len(same) > 1 or not self._heard_whole(state, same[0])
            offers.append(Offer(same[0], self._words(state, same), loose))
        listed = set(legal)
        for ident in self._possible():
            if ident in listed:
                continue
            if game.action_of(ident).number in heard_whole or not self.witness.unsure(ident):
                offers.append(Offer(ident, game.show(ident)))
        return sorted(
            offers, key=lambda offer: offer.ident
        )  # so that the list does not reveal what is supposed

    def _words(self, state: Sequence[int], same: Sequence[int]) -> str:
        if len(same) == 1 and self._heard_whole(state, same[0]):
            return self.match.game.show(same[0])
        return heard_words(self.match.game, self._heard(state, same[0]), state)

    def _heard_whole(self, state: Sequence[int], ident: int) -> bool:
        heard = self._heard(state, ident)
        return heard.action is not None and None not in heard.values

    def _possible(self) -> Iterator[int]:
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
                if self.refusal(ident) is None:
                    yield ident

    @property
    def asked(self) -> frozenset[int]:
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
            observations = {observe(self.witness, match.state, ident, seat) for ident in legal}
            sights[seat] = len(observations)
        most = max(sights.values())
        return frozenset(seat for seat in everybody if sights[seat] == most)

    # -- going on -------------------------------------------------------------------------------------------

    def settle(self) -> list[Step]:
        """Take the chance actions that nobody has to report: unseen draws and those with only
        one possible outcome."""
        return list(iter(self.settle_one, None))

    def settle_one(self) -> Step | None:
        """Take one such action; return None if somebody must report."""
        if self.match.over or self.match.actor != CHANCE or len(self.offers()) != 1:
            return None
        (offer,) = self.offers()
        ident = self._any(offer.ident) if offer.loose else offer.ident
        return self.take(ident, loose=offer.loose)

    def _any(self, ident: int) -> int:
        """Return one of the look-alikes of an unseen chance action, drawn by weight with the
        seed."""
        state, step = self.match.state, len(self.match.steps)
        alike = self.alike(state, ident, self.seen(state, ident))
        weights = [self.match.play.weight(state, i) for i in alike]
        return alike[Keyed(self.match.seed, "chance", step).weighted(weights)]

    def tell(self, ident: int) -> Step:
        """Record that an action happened or is done. Raises NotLegal or CannotRead and then
        changes nothing."""
        match = self.match
        if not 0 <= ident < match.game.ground:
            raise CannotRead(str(ident), "")
        broken = match.play.why_not(match.state, ident)
        if broken:
            actions = None if self.refusal(ident) else self.anew(ident)
            if actions is None:
                raise NotLegal(match.game.show(ident), "", self.refusal(ident) or (*broken, _no_cards()))
            self.rewrite(actions)
        loose = next(
            (o.loose for o in self.offers() if o.ident == ident), not self._heard_whole(match.state, ident)
        )
        return self.take(ident, loose=loose)

    def may(self, ident: int) -> tuple[Broken, ...]:
        """Return the requirements that forbid an action whatever cards lie unseen; empty if it
        may be possible."""
        if any(self.loose):
            return self.refusal(ident) or ()
        return self.match.play.why_not(self.match.state, ident)

    def take(self, ident: int, *, loose: bool) -> Step:
        """Take a legal action as reported or as supposed."""
        step = self.match.apply(ident)
        self.loose.append(loose)
        return step

    def back_to(self, number: int) -> None:
        """Go back to the state after `number` steps."""
        self.match.back_to(number)
        del self.loose[number:]

    def verdicts(self) -> dict[str, list[int]]:
        """Return the results that agree with everything reported, each in words with a history that
        leads to it.

        Holds one result if no hidden card decides. Empty while the game runs.
        """
        match = self.match
        if not match.over:
            return {}
        verdicts = {self._verdict(match.state): match.actions}
        for actions in _Search(self, match.actions[-1]).ends():
            match_end = self._end_of(actions)
            verdicts.setdefault(self._verdict(match_end), actions)
        return verdicts

    def _verdict(self, state: Sequence[int]) -> str:
        end, returns = self.match.play.ending(state), self.match.play.returns(state)
        return f"{end.reason if end else ''} ({', '.join(f'{value:+d}' for value in returns)})"

    def _end_of(self, actions: Sequence[int]) -> list[int]:
        state = self.match.states[0]
        for ident in actions:
            state = self.witness.moments(state, ident)[-1]
        return state

    def rewrite(self, actions: Sequence[int]) -> None:
        """Replace the history by another one of the same length."""
        same = next(
            (n for n, (a, b) in enumerate(zip(self.match.actions, actions, strict=True)) if a != b), None
        )
        if same is not None:
            self.match.back_to(same)
            self.match.follow(actions[same:])

    # -- what those at the table see ------------------------------------------------------------------------

    def seen(self, before: Sequence[int], ident: int) -> Hashable:
        """Return all that the people at the table see of a step. Equal values mean that nobody
        there can tell the steps apart."""
        seats = range(self.match.game.players)
        if self.apart:
            return tuple(observe(self.witness, before, ident, seat) for seat in seats)
        views = tuple(self.witness.looks(self.witness.moments(before, ident), self.mask))
        return self._heard(before, ident), views

    def _heard(self, before: Sequence[int], ident: int) -> Heard:
        """Return an action as all hear it together (with `apart`: as the seat that hears most)."""
        by_seat = [self.witness.heard(before, ident, seat) for seat in range(self.match.game.players)]
        if self.apart:
            return max(by_seat, key=lambda heard: sum(value is not None for value in heard.values))
        first = by_seat[0]
        if any(heard.action is None for heard in by_seat):
            return Heard(first.actor, None, ())
        common: list[int | None] = []
        for values in zip(*(heard.values for heard in by_seat), strict=True):
            common.append(None if None in values else values[0])
        return Heard(first.actor, first.action, tuple(common))

    def alike(self, state: Sequence[int], ident: int, seen: Hashable) -> list[int]:
        """Return the legal actions that the people at the table could not tell from this one."""
        action = self.match.game.action_of(ident)
        same = range(self.match.game.ground) if action.hidden else action.idents
        return [i for i in self.witness.legal(state)[0] if i in same and self.seen(state, i) == seen]

    # -- requirements that no supposed card can meet --------------------------------------------------------

    def refusal(self, ident: int) -> tuple[Broken, ...] | None:
        """Return the requirements that forbid an action whatever cards are supposed; None if
        there are none."""
        match, action = self.match, self.match.game.action_of(ident)
        if match.over or match.state[0] not in action.phases:
            return match.play.why_not(match.state, ident)
        env = action.bound(action.values(ident))
        broken = tuple(self._fixed(action.head, env, set()))
        if broken:
            return broken
        weight = action.weight
        weighs = match.actor == CHANCE and weight is not None and not self._on_hidden(weight, set())
        if weighs and match.play.weight(match.state, ident) <= 0:
            return (Broken("", "chance cannot bring this here", action.place),)
        return None

    def _fixed(self, body: Sequence[Statement], env: dict[int, int], doubtful: set[int]) -> Iterator[Broken]:
        """Yield the failed requirements that depend on nothing hidden. `doubtful` collects the
        locals whose values depend on hidden fields."""
        play, state = self.match.play, self.match.state
        for statement in body:
            match statement:
                case Require(condition, rule, text, args, place):
                    fixed = not self._on_hidden(condition, doubtful)
                    if fixed and not play.value(condition, state, env):
                        values = [play.value(a, state, env) for a in args]
                        yield Broken(rule, text.format(*values), place)
                case Keep(local, value, _):
                    env[local.number] = min(max(play.value(value, state, env), local.lo), local.hi)
                    if self._on_hidden(value, doubtful):
                        doubtful.add(local.number)
                case If(condition, then, other):
                    if not self._on_hidden(condition, doubtful):
                        branch = then if play.value(condition, state, env) else other
                        yield from self._fixed(branch, env, doubtful)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        env[var.number] = i
                        yield from self._fixed(inner, env, doubtful)
                case _:  # effects: no requirement follows one
                    return

    def _on_hidden(self, term: Term, doubtful: set[int]) -> bool:
        """Return whether a value depends on something that not everybody at the table sees."""
        doubtfully = any(local.number in doubtful for local in term.locals)
        return doubtfully or not self._hidden.isdisjoint(fields_read(term))

    # -- supposing anew -------------------------------------------------------------------------------------

    def anew(self, ident: int) -> list[int] | None:
        """Return a history that keeps everything reported and makes an action legal; None if
        none is found."""
        return _Search(self, ident).history()


class _Search:
    """A search for such a history. First it places the cards that the wished action names, then
    it tries at random."""

    def __init__(self, paper: Companion, ident: int) -> None:
        self.paper, self.match, self.ident = paper, paper.match, ident
        self.wanted = _words(self.match.game.show(ident))
        states, actions = self.match.states, self.match.actions
        self.seen = [paper.seen(state, action) for state, action in zip(states, actions, strict=False)]
        self.loose = [n for n, loose in enumerate(paper.loose) if loose]
        self.budget = _MOST_STEPS
        self.look_alikes: dict[tuple[int, tuple[int, ...]], list[int]] = {}

    def _alike(self, state: Sequence[int], ident: int, step: int) -> list[int]:
        """Return the actions that look like a supposed step to everybody."""
        key = step, tuple(state)
        if key not in self.look_alikes:
            self.look_alikes[key] = self.paper.alike(state, ident, self.seen[step])
            self.budget -= _DEAR
        return self.look_alikes[key]

    def history(self) -> list[int] | None:
        """Return the actions of such a history, or None."""
        actor = self.match.actor
        actors = [None] if actor == CHANCE else [actor, None]
        for of_whom in actors:
            actions = self._by_words(of_whom)
            if actions is not None:
                return actions
        return self._at_random()

    def _by_words(self, seat: int | None) -> list[int] | None:
        """Change supposed steps one by one, the latest first, towards the words of the wished
        action.

        With a seat, it makes only changes that the seat would notice. Each change must bring the
        whole history nearer, so that no card is merely taken from another place the action needs.
        """
        actions, states = list(self.match.actions), list(self.match.states)
        near = self._nearness(actions)
        for step in reversed(self.loose):
            for other in self._others(states[step], actions[step], step, seat):
                changed = self._changed(actions, states, step, other)
                if changed is None or (nearer := self._nearness(changed[0])) <= near:
                    continue
                (actions, states), near = changed, nearer
                if not self.match.play.why_not(states[-1], self.ident):
                    return actions
                break
            if self.budget < 0:
                return None
        return None

    def _others(self, state: Sequence[int], taken: int, step: int, seat: int | None) -> list[int]:
        """Return the other actions that a supposed step may have been, nearest to the wish
        first."""
        near = self._near(taken)
        better = [i for i in self._alike(state, taken, step) if self._near(i) > near]
        if seat is not None:
            witness = self.paper.witness
            own = observe(witness, state, taken, seat)
            better = [i for i in better if observe(witness, state, i, seat) != own]
        return sorted(better, key=self._near, reverse=True)[:_MOST_OTHERS]

    def _near(self, ident: int) -> int:
        """Return how many words an action shares with the wished one, where a number counts less
        than any word."""
        shared = _words(self.match.game.show(ident)) & self.wanted
        return sum(1 if word.isdecimal() else 10 for word in shared)

    def _nearness(self, actions: Sequence[int]) -> int:
        return sum(self._near(actions[step]) for step in self.loose)

    def _changed(
        self, actions: Sequence[int], states: Sequence[list[int]], step: int, other: int
    ) -> tuple[list[int], list[list[int]]] | None:
        """Return the history with another action in one step.

        A later step that is no longer possible becomes the action replaced here, or another
        look-alike. Returns None if a reported step cannot stand.
        """
        now = self.paper.witness.moments(states[step], other)[-1]
        new, passed = [*actions[:step], other], [*states[: step + 1], now]
        for later in range(step + 1, len(actions)):
            self.budget -= 1
            taken = self._like(now, later, [actions[later], actions[step]])
            if taken is None:
                return None
            now = self.paper.witness.moments(now, taken)[-1]
            new.append(taken)
            passed.append(now)
        return new, passed

    def _like(self, state: Sequence[int], step: int, first: Sequence[int]) -> int | None:
        """Return an action that is legal here and looks like the given step, those in `first`
        before others; None if there is none."""
        play = self.match.play
        for ident in first if self.paper.loose[step] else first[:1]:
            if not play.why_not(state, ident) and self.paper.seen(state, ident) == self.seen[step]:
                return ident
        if not self.paper.loose[step]:
            return None
        others = self._alike(state, first[0], step)
        return others[0] if others else None

    def _at_random(self) -> list[int] | None:
        """Try histories whose supposed steps, from some step on, are random. Returns None if
        none fits."""
        stream = Keyed(self.match.seed, "suppose", len(self.match.steps))
        for _ in range(_TRIES):
            if self.budget < 0 or not self.loose:
                return None
            actions = self._random_from(self.loose[stream.below(len(self.loose))], stream)
            if actions is not None:
                return actions
        return None

    def ends(self) -> Iterator[list[int]]:
        """Yield histories that differ in supposed steps and reach an end, up to a fixed number
        of tries."""
        last = len(self.match.steps) - 1
        self.seen = self.seen[:last]
        stream = Keyed(self.match.seed, "ends", last)
        loose = [step for step in self.loose if step < last]
        for _ in range(_ENDS if loose else 0):
            actions = self._random_from(loose[stream.below(len(loose))], stream, last)
            if actions is not None:
                yield [*actions, self.ident]

    def _random_from(self, first: int, stream: Stream, last: int | None = None) -> list[int] | None:
        state, actions = self.match.states[first], self.match.actions[:first]
        stop = len(self.match.steps) if last is None else last
        for step in range(first, stop):
            self.budget -= 1
            taken = self.match.actions[step]
            if self.paper.loose[step]:
                alike = self._alike(state, taken, step)
                if not alike:
                    return None
                taken = alike[stream.below(len(alike))]
            elif self._like(state, step, [taken]) is None:
                return None
            state = self.paper.witness.moments(state, taken)[-1]
            actions.append(taken)
        return None if self.match.play.why_not(state, self.ident) else actions


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _no_cards() -> Broken:
    return Broken("", _NOWHERE, caller())
