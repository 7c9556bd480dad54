"""What a `worth` claim asks of: the expected value of a number at the end, or of the number of decisions.

{score: 0}                       what the game returns to a seat
{number: points, seat: 1}        a number, read when the game is over
{length: players}                how many decisions the players take; `all` counts chance too
play: best, worst or random      how is played; or a list of rules, as in `ask: strategy`, by which the seat's team
                                 plays, or the seat if `seat` is written
ties: any, first or random       beside a list: which of equal actions is taken
after: [a 6 is thrown, keep]     from the state behind these actions on
options: true                    what each action is worth that the actor may take there
spread: true                     how likely each value is, where nobody chooses
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playproof.language import CHANCE, Interpreter, RulesError, Term
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.verifier.questions.strategies import Strategy, read_strategy
from playproof.verifier.questions.targets import TargetReader

PLAYS = ("best", "worst", "random")
LENGTHS = ("players", "all")
_KINDS = ("number", "score", "length")
_BESIDE = ("play", "ties", "seat", "after", "options", "spread")


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


def read_worth_number(game: Game, claim_spec: Any) -> WorthNumber:
    """Return what a `worth` claim asks of. Raises InputError for a word that is not known."""
    reader = TargetReader(game)
    kinds = [kind for kind in _KINDS if isinstance(claim_spec, Mapping) and kind in claim_spec]
    if len(kinds) != 1:
        raise reader.wrong(
            f"expected {{number: NAME}}, {{score: SEAT}} or {{length: players}}, found {claim_spec!r}"
        )
    [kind] = kinds
    reader.check_known_keys(claim_spec, kind, *(key for key in _BESIDE if (kind, key) != ("score", "seat")))
    seat = claim_spec.get("seat", claim_spec.get("score", 0))
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < game.players:
        names = ", ".join(game.facts.get("seats", ()))
        hint = f"or its name: {names}" if names else ""
        raise reader.wrong(f"expected a seat from 0 to {game.players - 1}, found {seat!r}", hint)
    play, plan = _read_play_mode(reader, claim_spec, seat)
    options, spread = (claim_spec.get(key, False) for key in ("options", "spread"))
    if type(options) is not bool or type(spread) is not bool or (options and spread):
        raise reader.wrong("expected one of `options: true` and `spread: true`")
    sure = plan is not None and plan.ties != "any" and game.players == 1
    if spread and (not (sure or play == "random") or kind == "length"):
        hint = "write play: random, or for one player a list of rules with `ties: first` or `ties: random`"
        raise reader.wrong("a spread is that of a number where nobody chooses", hint)
    counts = claim_spec.get("length", "")
    if kind == "length" and counts not in LENGTHS:
        raise reader.wrong(f"length `{counts}`", f"write {' or '.join(LENGTHS)}")
    term = None if kind == "length" else _read_measured_term(reader, kind, claim_spec, seat)
    after = _read_start_actions(reader, claim_spec.get("after", []))
    if options:
        _check_player_chooses_next(reader, after)
    if plan is not None and (after or options):
        raise reader.wrong("who plays by rules plays from the start", "leave `after` and `options` out")
    partners = tuple(s for s in game.get_team_of_seat(seat) if s != seat) if play in ("best", "") else ()
    return WorthNumber(term, counts, seat, play, plan, after, options, spread, partners)


def _read_play_mode(
    reader: TargetReader, claim_spec: Mapping[str, Any], seat: int
) -> tuple[str, Strategy | None]:
    """Return the word that says how is played, or "" with the rules by which the seat plays."""
    play = claim_spec.get("play", "best")
    if isinstance(play, list):
        said = {"play": play, "ties": claim_spec.get("ties", "any"), "target": {"seat": seat}}
        return "", read_strategy(reader.game, said if "seat" not in claim_spec else {**said, "seat": seat})
    if play not in PLAYS:
        raise reader.wrong(f"play `{play}`", f"write {', '.join(PLAYS)}, or a list of rules")
    if "ties" in claim_spec:
        raise reader.wrong("`ties` is said of a list of rules", "leave it out")
    return play, None


def _read_measured_term(reader: TargetReader, kind: str, claim_spec: Mapping[str, Any], seat: int) -> Term:
    if kind == "number":
        return as_term(reader.number_to_term(str(claim_spec["number"])))
    if reader.game.payoffs is None:
        raise reader.wrong("the game has no scores", "name a number: {number: NAME}")
    return as_term(reader.game.payoffs[seat])


def _read_start_actions(reader: TargetReader, action_texts: Any) -> tuple[int, ...]:
    """Return the actions that a list of words names, one after another. Raises InputError."""
    if not isinstance(action_texts, list):
        raise reader.wrong(f"expected `after` as a list of actions, found {action_texts!r}")
    play, idents = Interpreter(reader.game), list[int]()
    try:
        state = play.start()
        for word in action_texts:
            legal = [] if play.terminal(state) else play.legal(state)
            named = [ident for ident in legal if reader.game.show(ident) == str(word)]
            if len(named) != 1:
                hint = ", ".join(map(reader.game.show, legal[:6])) or "the game is over there"
                raise reader.wrong(f"`{word}` is not legal there, or not one action", f"legal: {hint}")
            idents.append(named[0])
            state = play.apply(state, named[0])
    except RulesError as error:
        raise reader.wrong(f"the rules break there: {error.message}") from None
    return tuple(idents)


def _check_player_chooses_next(reader: TargetReader, start_actions: tuple[int, ...]) -> None:
    play = Interpreter(reader.game)
    state = play.start()
    for ident in start_actions:
        state = play.apply(state, ident)
    if play.terminal(state) or play.actor(state) == CHANCE:
        raise reader.wrong("no player chooses there", "write `after` with the actions before a choice")
