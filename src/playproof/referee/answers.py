"""Answers of the terminal about a match: why a move is not legal, what a card says, what a bot
would do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from playproof.language import Broken
from playproof.language.keyed_random import KeyedStream
from playproof.language.registry import is_installed
from playproof.referee.bots import BotError, Sight
from playproof.referee.bots.tree_search import Advice, advise
from playproof.referee.engine import Engine
from playproof.referee.errors import MoveError
from playproof.referee.match import Match
from playproof.referee.notation import find_components_by_text, iter_component_lines, normalize_text
from playproof.referee.worlds import imagined

StyledLine = tuple[str, str]  # text and style
_MOST_CARDS = 4
_MOST_NAMED = 3  # other actions with the words of a question


def explain_why_illegal(match: Match, words: str) -> Iterator[StyledLine]:
    """Yield the requirements that forbid an action now. The action may belong to any phase of
    the game."""
    if not words:
        yield "why what? For example: why " + match.game.show(0), ""
        return
    try:
        meant = match.find_meant_actions(words)
    except MoveError as error:
        meant = match.sort_by_nearness(match.lexicon.find_by_word_beginnings(words))
        if not meant:
            yield error.message, "red"
            yield error.hint or "`table` shows what can be done now", ""
            return
    yield from _explain_failed_requirements(match, meant[0])
    others = list(
        dict.fromkeys(text for n in meant if (text := match.game.show(n)) != match.game.show(meant[0]))
    )
    if others:
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        yield f"such words are also in: {', '.join(others[:_MOST_NAMED])}{more}", "dim"


def _explain_failed_requirements(match: Match, action_id: int) -> Iterator[StyledLine]:
    """Yield the requirements that forbid a ground action now."""
    broken, name = match.why_not(action_id), match.game.show(action_id)
    if not broken:
        yield f"nothing forbids it: {name}", ""
        return
    yield f"not legal: {name}", "red"
    yield from _explain_phases_of_action(match, action_id)
    for reason in broken:
        yield f"  {reason}", ""
        for line in _quote_rules_of_requirement(match, reason):
            yield f"    {line}", "dim"


def _explain_phases_of_action(match: Match, action_id: int) -> Iterator[StyledLine]:
    """Yield the phases in which an action of another phase may be taken, and their rules."""
    game = match.game
    action = game.get_action_of_ident(action_id)
    if match.state[0] in action.phases:
        return
    phases = [game.phases[n] for n in action.phases]
    yield f"  it is for another moment: {'; '.join(phase.text for phase in phases)}", ""
    rules: dict[str, None] = {}  # each rule once, in the order of the phases
    for phase in phases:
        rules.update(dict.fromkeys(phase.rules))
    for rule in rules:
        for line in _quote_rule(match, rule):
            yield f"    {line}", "dim"


def _quote_rules_of_requirement(match: Match, reason: Broken) -> Iterator[str]:
    """Yield the rulebook's text under the cited ids; to whoever writes a game in a folder, also the place where the
    rule is written."""
    for ident in reason.rule.split():
        yield from _quote_rule(match, ident)
    if not is_installed(match.variant.ref):
        yield f"written in {Path(reason.place.file).name}:{reason.place.line}"


def _quote_rule(match: Match, ident: str) -> Iterator[str]:
    """Yield a rule in the rulebook's words, if there is a rulebook."""
    rules = getattr(match.variant.data, "rules", {})
    if ident in rules:
        yield f"rulebook {ident}: {rules[ident].text}"


def iter_card_text(match: Match, words: str) -> Iterator[StyledLine]:
    """Yield the text printed on a card. For a number, use the cards that the choice of this
    number names."""
    data = match.variant.data
    of_choice = re.fullmatch(r"[1-9]\d{,17}", words) is not None
    cards = _find_cards_of_choice(match, int(words)) if of_choice else find_components_by_text(data, words)
    if not words or not cards:
        yield (
            f'no card is called "{words}"' if words else "read what? The name of a card, or a part of it",
            "",
        )
        return
    # cards alike are read once
    texts = dict.fromkeys(tuple(iter_component_lines(data, card)) for card in cards)
    if len(texts) > _MOST_CARDS:
        yield f"{len(cards)} cards: {', '.join(dict.fromkeys(card.name for card in cards))}", ""
        return
    for line in chain.from_iterable(texts):
        yield line, ""


def _find_cards_of_choice(match: Match, number: int) -> list[Any]:
    """Return the cards that a numbered choice names. If it names none, return the card of that
    number."""
    legal, data = match.legal(), match.variant.data
    words = normalize_text(legal[number - 1].text) if 1 <= number <= len(legal) else ""
    components = data.components.values() if data is not None else ()
    spoken = [c for c in components if len(c.name) > 2 and f" {normalize_text(c.name)}" in f" {words}"]
    # A card that the choice calls by its number only: "card 006 comes tomorrow".
    spoken += [
        c for c in components if c not in spoken and len(c.id) > 2 and normalize_text(c.id) in words.split()
    ]
    return spoken or find_components_by_text(data, str(number))


def suggest_action(match: Match, engine: Engine) -> Iterator[StyledLine]:
    """Yield what a tree search would do with the information of the seat that acts."""
    if match.over:
        yield "the game is over", ""
        return
    try:
        advice = _search_for_advice(match, engine)
    except (BotError, RuntimeError) as error:
        yield f"no hint: {error}", ""
        return
    legal, show = match.play.legal(match.state), match.game.show
    ident = legal[0] if advice is None else advice.best.ident
    yield f"hint: {legal.index(ident) + 1}  {show(ident)}", ""
    yield "(the only choice)" if advice is None else f"({advice.describe_basis(show)})", "dim"
    worlds = imagined(match.play, match.states, match.actions, match.actor)
    if not worlds.exact:
        yield f"what is hidden was imagined: {worlds.how}", "dim"


def _search_for_advice(match: Match, engine: Engine) -> Advice | None:
    """Return what searches recommend; None if only one action is legal."""
    here = Sight.of(engine, match.states, match.actions, match.actor, "worlds")
    if len(here.legal) == 1:
        return None
    return advise(here, KeyedStream(match.seed, "hint", len(match.steps)))
