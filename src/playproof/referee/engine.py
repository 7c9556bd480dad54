"""The fast readings for bots and simulations: single steps on plain lists, whole games in compiled
code.

Steps run the generated source as plain Python, at about fifty times the interpreter's rate.
Playouts run it as machine code if LLVM is installed. Both draw from `language/random.py`, so
every game replays in the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from playproof.language import Interpreter
from playproof.language.compiled import Compiled
from playproof.language.game import Game
from playproof.language.game_analysis import RevealingPhases, can_deal_in_machine_code
from playproof.language.playouts import LONGEST_GAME, LONGEST_THOUGHTFUL_GAME, PlayoutResults, make_game_limits
from playproof.language.watched_source import EXTRA, Flaw, find_flaw_noted_in_state
from playproof.referee.view import can_seat_see_all_fields_of_term, has_fields_hidden_from_any_seat

State = list[int]


class Engine:
    """One game's fast steps. States are lists of `game.cells` ints. No method changes the lists
    it is given."""

    def __init__(self, game: Game, *, machine: bool | None = None) -> None:
        self.game = game
        self.play = Interpreter(game)
        self._machine = machine
        self._module = Compiled(game, machine=False).module
        width = max(1, game.ground)
        self._out, self._weights = [0] * width, [0] * width

    @property
    def engine_for_bots(self) -> Engine:
        """The engine that bots think with."""
        return self

    # -- steps ----------------------------------------------------------------------------------------------

    def start(self) -> State:
        """Return the first state in which somebody acts."""
        state = self.game.get_state_before_automatic_phases()
        self._module.settle(state)
        return state

    def actor(self, state: Sequence[int]) -> int:
        """Return the seat to act, or CHANCE."""
        return int(self._module.actor(state))

    def legal(self, state: Sequence[int]) -> list[int]:
        """Return the numbers of the legal ground actions, in the order of the compiled random
        player."""
        return self._out[: self._module.legal(state, self._out, self._weights)]

    def list_legal_actions_and_weights(self, state: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the legal ground actions and their weights."""
        n = self._module.legal(state, self._out, self._weights)
        return self._out[:n], self._weights[:n]

    def apply(self, state: Sequence[int], ident: int) -> State:
        """Return the state after a legal action and the automatic phases that follow. Does not
        check legality."""
        after = list(state)
        self._module.apply(after, ident)
        return after

    def returns(self, state: Sequence[int]) -> list[int]:
        """Return each seat's return. All are 0 while the game runs."""
        out = [0] * self.game.players
        if state[1]:
            self._module.returns(state, out)
        return out

    def get_round_number_or_zero(self, state: Sequence[int]) -> int:
        """Return the round the game names, or 0."""
        return int(self._module.round_of(state))

    # -- evaluation -----------------------------------------------------------------------------------------

    @cached_property
    def has_hidden_fields(self) -> bool:
        """Whether any field is hidden from any seat."""
        return has_fields_hidden_from_any_seat(self.game)

    @cached_property
    def evaluates(self) -> bool:
        """Whether the game declares an evaluation, and each seat may know its own."""
        terms = self.game.evaluations
        return terms is not None and all(
            can_seat_see_all_fields_of_term(self.game, term, seat) for seat, term in enumerate(terms)
        )

    @cached_property
    def can_imagine_worlds(self) -> bool:
        """Whether machine code deals again what a player does not see, or nothing is hidden."""
        # hidden cards dealt anew may make other actions legal
        if RevealingPhases.from_game(self.game).choices:
            return False
        return not self.has_hidden_fields or can_deal_in_machine_code(self.game)

    def worth(self, state: Sequence[int], seat: int) -> int:
        """Return the declared evaluation of a state for one seat."""
        return int(self._module.worth_of(state, seat))

    # -- whole games ----------------------------------------------------------------------------------------

    @cached_property
    def compiled(self) -> Compiled:
        """The reading that plays whole games."""
        return Compiled(self.game, machine=self._machine)

    def run_playouts_from_state(
        self,
        state: Sequence[int],
        games: int,
        seed: int,
        policies: Sequence[int] | None = None,
        longest: int = LONGEST_GAME,
    ) -> PlayoutResults:
        """Play random games (or games with those policies) from a state, without counts by action. Without a declared
        bound, each is stopped after `longest` steps."""
        limits = make_game_limits(self.game.facts.get("ends_within"), self.game.facts.get("steps_within"), longest)
        return self.compiled.run_playouts(
            games, seed, policies=policies, count_actions=False, start_state=state, limits=limits
        )

    def rollout(self, state: Sequence[int], seed: int) -> list[int]:
        """Return each seat's return of one random game from `state`, which is imagined."""
        if state[1]:
            return self.returns(state)
        playouts = self.run_playouts_from_state(state, 1, seed, longest=LONGEST_THOUGHTFUL_GAME)
        return [int(v) for v in playouts.returns[0]]


class InterpretedEngine(Engine):
    """The interface of `Engine` on the interpreter, to replay one game of a run independently."""

    def start(self) -> State:
        return self.play.start()

    def actor(self, state: Sequence[int]) -> int:
        return self.play.actor(state)

    def legal(self, state: Sequence[int]) -> list[int]:
        return self.play.legal(state)

    def list_legal_actions_and_weights(self, state: Sequence[int]) -> tuple[list[int], list[int]]:
        legal = self.play.legal(state)
        return legal, [self.play.weight(state, i) for i in legal]

    def apply(self, state: Sequence[int], action_id: int) -> State:
        return self.play.apply(state, action_id)

    def returns(self, state: Sequence[int]) -> list[int]:
        return list(self.play.returns(state))

    def get_round_number_or_zero(self, state: Sequence[int]) -> int:
        name = self.game.facts.get("round")
        return self.play.quantity(name, state) if name else 0

    def worth(self, state: Sequence[int], seat: int) -> int:
        terms = self.game.evaluations
        assert terms is not None
        return self.play.value(terms[seat if len(terms) > 1 else 0], state)


class WatchedEngine(Engine):
    """An engine whose steps check what must hold. A game ends at once when a check fails.

    Bots think with an unwatched engine, or they would learn to avoid faults of the rules. `watched`
    plays whole games.
    """

    def __init__(self, game: Game, *, machine: bool | None = None) -> None:
        super().__init__(game, machine=machine)
        self._module = Compiled(game, machine=False, watched=True).module

    @cached_property
    def engine_for_bots(self) -> Engine:
        """An engine without checks."""
        return Engine(self.game, machine=self._machine)

    def start(self) -> State:
        """Return the first state in which somebody acts."""
        state = self._copy_state_with_zero_check_cells(self.game.get_state_before_automatic_phases())
        self._module.settle(state)
        self._module.watch(state)
        return state[: self.game.cells]

    def apply(self, state: Sequence[int], action_id: int) -> State:
        """Return the state after an action. Its outcome is the broken ending if a check fails."""
        return self._apply_with_checks(state, action_id)[: self.game.cells]

    def find_flaw_after_action_or_at_start(self, state: Sequence[int] | None, action_id: int) -> Flaw | None:
        """Return what fails after an action, or at the start if `state` is None; None if nothing
        fails."""
        if state is None:
            first = self._copy_state_with_zero_check_cells(self.game.get_state_before_automatic_phases())
            self._module.settle(first)
            self._module.watch(first)
            return find_flaw_noted_in_state(self.game, first)
        return find_flaw_noted_in_state(self.game, self._apply_with_checks(state, action_id))

    @cached_property
    def watched(self) -> Compiled:
        """The reading that plays whole watched games."""
        return Compiled(self.game, machine=self._machine, watched=True)

    def _apply_with_checks(self, state: Sequence[int], action_id: int) -> State:
        after = self._copy_state_with_zero_check_cells(state)
        self._module.apply(after, action_id)
        return after

    @staticmethod
    def _copy_state_with_zero_check_cells(state: Sequence[int]) -> State:
        return [*state, *[0] * EXTRA]
