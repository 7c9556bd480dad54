"""Ways to play, and the numbers that a `worth` claim asks for, made of data of claim terms: what a way to play is worth
at the end, or how long it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playproof.language import CHANCE, Interpreter, Term
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_terms import ClaimTermBuilder
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.strict_json import Json, Unreadable

TIES = ("any", "first", "random")
PLAYS = ("best", "worst", "random")
LENGTHS = ("players", "all")


@dataclass(frozen=True, slots=True)
class Preference:
    """A number that is to be great: `sign` times a term's value behind the action, or times a value that each
    action has by itself (`of_action`)."""

    sign: int
    term: Term
    of_action: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Take one of the actions (all if None) while the condition holds; of several, the one that is preferred."""

    when: Term
    idents: frozenset[int] | None
    preferences: tuple[Preference, ...]


@dataclass(frozen=True, slots=True)
class Strategy:
    """How some seats play: one, a team, or all. Of equal actions `ties` says which is taken: `any` (whoever plays
    against them chooses), `first` (the one with the lowest number), or `random` (each equally often)."""

    seats: tuple[int, ...]
    rules: tuple[Rule, ...]
    ties: str

    @property
    def terms(self) -> list[Term]:
        """Every term that the rules read."""
        conditions = [rule.when for rule in self.rules]
        return [*conditions, *(preference.term for rule in self.rules for preference in rule.preferences)]


def read_strategy(game: Game, strategy_spec: Json, context: Context) -> Strategy:
    """Return the way to play that a claim names. Raises InputError, or Unreadable if it is none."""
    return build_strategy(game, context.read_claim_part(game, "strategy", strategy_spec))


def build_strategy(game: Game, data: Json) -> Strategy:
    """Return the way to play of data. Raises Unreadable."""
    seats = tuple(data["seats"])
    if data["ties"] not in TIES or not set(seats) <= set(range(game.players)):
        raise Unreadable("a strategy has seats of the game, and `ties` any, first or random")
    return Strategy(seats, tuple(_build_rule(game, rule) for rule in data["rules"]), data["ties"])


def _build_rule(game: Game, data: Json) -> Rule:
    builder = ClaimTermBuilder(game)
    idents = None if data["take"] is None else frozenset(data["take"])
    sign = -1 if data["least"] else 1
    preferences = [
        Preference(sign, as_term(0), _map_actions_to_parameter_value(game, term[1], idents))
        if isinstance(term, list) and term[0] == "parameter"
        else Preference(sign, builder.build_term(term))
        for term in data["numbers"]
    ]
    return Rule(builder.build_term(data["when"]), idents, tuple(preferences))


def _map_actions_to_parameter_value(
    game: Game, parameter_name: str, action_ids: frozenset[int] | None
) -> Mapping[int, int]:
    """Return the value of a parameter for each action that has it; all actions of the rule must. Raises Unreadable."""
    values: dict[int, int] = {}
    for ident, action, of_action in game.iter_ground_actions():
        if action_ids is None or ident in action_ids:
            named = dict(zip((p.local.name for p in action.params), of_action, strict=True))
            if parameter_name not in named:
                raise Unreadable(f"`{action.name}` has no parameter `{parameter_name}`")
            values[ident] = named[parameter_name]
    return values


# -- worth ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WorthNumber:
    """What a `worth` claim asks of. `term` is None for a length, which `counts` the decisions of `players` or of
    `all`. `play` is a word, or "" for `plan`. `after` are the actions before. If `options`, it asks of each action
    there; if `spread`, of each value."""

    term: Term | None
    counts: str
    seat: int
    play: str
    plan: Strategy | None
    after: tuple[int, ...]
    options: bool
    spread: bool
    partners: tuple[int, ...] = ()
    """The seats that play together with the seat, unless all play at random or for the least."""


def read_worth(game: Game, worth_spec: Json, context: Context) -> WorthNumber:
    """Return what a `worth` claim asks of. Raises InputError, Unreadable, or NotShown if it cannot be asked so."""
    return build_worth(game, context.read_claim_part(game, "worth", worth_spec))


def build_worth(game: Game, data: Json) -> WorthNumber:
    """Return what data asks of. Raises Unreadable, or NotShown if it cannot be asked so."""
    term = None if data["number"] is None else ClaimTermBuilder(game).build_term(data["number"])
    plan = None if data["plan"] is None else build_strategy(game, data["plan"])
    seat, play, options, spread = (data[key] for key in ("seat", "play", "options", "spread"))
    after = tuple(data["after"])
    if seat not in range(game.players) or play not in (("",) if plan else PLAYS):
        raise Unreadable("a worth has a seat of the game, and a way to play")
    if (term is None) != (data["counts"] in LENGTHS):
        raise Unreadable("a worth has a number, or a length that counts decisions of `players` or of `all`")
    sure = plan is not None and plan.ties != "any" and game.players == 1
    if spread and (options or term is None or not (sure or play == "random")):
        raise NotShown("a spread is that of a number where nobody chooses")
    if plan is not None and (after or options):
        raise NotShown("who plays by rules plays from the start")
    if options:
        _require_player_acts_after(game, after)
    partners = tuple(s for s in game.get_team_of_seat(seat) if s != seat) if play in ("best", "") else ()
    return WorthNumber(term, data["counts"], seat, play, plan, after, options, spread, partners)


def _require_player_acts_after(game: Game, start_actions: Sequence[int]) -> None:
    play = Interpreter(game)
    state = play.start()
    for ident in start_actions:
        state = play.apply(state, ident)
    if play.terminal(state) or play.actor(state) == CHANCE:
        raise NotShown("no player chooses there")
