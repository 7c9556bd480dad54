"""Answers of the terminal about a match: why a move is not legal, what a card says, what a bot
would do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from playproof.language import Broken
from playproof.language.keyed_random import KeyedStream
from playproof.language.registry import is_name_of_bundled_game
from playproof.referee.bots import BotError, Sight
from playproof.referee.bots.tree_search import Advice, compute_advice_from_several_searches
from playproof.referee.engine import Engine
from playproof.referee.errors import MoveError
from playproof.referee.match import Match
from playproof.referee.notation import (
    iter_card_description_lines,
    list_cards_of_name_or_id_else_containing,
    normalize_text_for_comparison,
    use_an_before_capital_vowels,
)
from playproof.referee.worlds import make_possible_worlds_for_seat

StyledLine = tuple[str, str]  # text and style
_NUMBER = re.compile(r"[1-9]\d{,17}")
_MOST_CARDS = 4
_MOST_NAMED = 3  # other actions with the words of a question


def iter_lines_explaining_why_illegal(match: Match, action_words: str) -> Iterator[StyledLine]:
    """Yield the requirements that forbid an action now. The action may belong to any phase of
    the game."""
    if not action_words:
        yield f"why what? For example: why {_format_example_action_illegal_now(match)}", ""
        return
    if _NUMBER.fullmatch(action_words) and not any(
        match.game.show(n) == action_words for n in range(match.game.ground)
    ):
        yield from _iter_lines_on_numbered_choice(match, int(action_words))
        return
    try:
        meant = match.list_actions_meant_by_question_or_raise(action_words)
    except MoveError as error:
        meant = match.sort_actions_by_nearness_to_legal(
            match.lexicon.list_one_action_id_per_matching_wording(action_words)
        )
        if not meant:
            yield error.message, "red"
            yield error.hint or "`table` shows what can be done now", ""
            return
    yield from _iter_lines_on_failed_requirements(match, meant[0])
    first = _format_action(match, meant[0])
    others = list(dict.fromkeys(text for n in meant if (text := _format_action(match, n)) != first))
    if others:
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        yield f"such words are also in: {', '.join(others[:_MOST_NAMED])}{more}", "dim"


def _iter_lines_on_numbered_choice(match: Match, number: int) -> Iterator[StyledLine]:
    """Yield that nothing forbids the choice that is printed with a number, or that there is none."""
    legal = match.legal()
    if 1 <= number <= len(legal):
        yield from _iter_lines_on_failed_requirements(match, legal[number - 1].ident)
    else:
        numbers = f"1 to {len(legal)}" if legal else "none now"
        yield f"there is no choice {number}: they are {numbers}", "red"
        yield (
            f"ask `why` with the words of what you want to do, as `why {_format_example_action_illegal_now(match)}`",
            "",
        )


def _format_action(match: Match, action_id: int) -> str:
    """Return an action as people read it."""
    return use_an_before_capital_vowels(match.game.show(action_id))


def _format_example_action_illegal_now(match: Match) -> str:
    """Return an action to ask about: one that a player may take at another moment, if there is one."""
    game, legal = match.game, {move.ident for move in match.legal()}
    of_players = [action for action in game.actions if not all(game.phases[n].chance for n in action.phases)]
    numbers = (n for action in of_players for n in action.idents)
    return _format_action(match, next((n for n in numbers if n not in legal), 0))


def _iter_lines_on_failed_requirements(match: Match, action_id: int) -> Iterator[StyledLine]:
    """Yield the requirements that forbid a ground action now."""
    broken, name = match.why_not(action_id), _format_action(match, action_id)
    if not broken:
        yield f"nothing forbids it: {name}", ""
        return
    yield f"not legal: {name}", "red"
    action, quoted = match.game.get_action_of_ground_action_number(action_id), set[str]()
    of_other_moment = not match.over and match.state[0] not in action.phases
    if of_other_moment:
        phases = [match.game.phases[n] for n in action.phases]
        now = match.game.phases[match.state[0]].text
        yield f"  it is for another moment: {'; '.join(phase.text for phase in phases)}; now is: {now}", ""
        for line in _iter_rule_quotes_not_yet_given(match, [rule for phase in phases for rule in phase.rules], quoted):
            yield f"    {line}", "dim"
    for reason in broken:
        if not of_other_moment:
            yield f"  {reason}", ""
        for line in _iter_quotes_of_broken_rules(match, reason, quoted):
            yield f"    {line}", "dim"


def _iter_quotes_of_broken_rules(
    match: Match, broken_requirement: Broken, already_quoted_ids: set[str]
) -> Iterator[str]:
    """Yield the rulebook's text under the cited ids that were not yet quoted; to whoever writes a game in a folder,
    also the place where the rule is written."""
    yield from _iter_rule_quotes_not_yet_given(match, broken_requirement.rule.split(), already_quoted_ids)
    if not is_name_of_bundled_game(match.variant.ref):
        yield f"written in {Path(broken_requirement.place.file).name}:{broken_requirement.place.line}"


def _iter_rule_quotes_not_yet_given(
    match: Match, rule_ids: Sequence[str], already_quoted_ids: set[str]
) -> Iterator[str]:
    """Yield rules in the rulebook's words, if there is a rulebook, each once in an answer; add them to `quoted`."""
    rules = getattr(match.variant.data, "rules", {})
    for rule_id in rule_ids:
        if rule_id in rules and rule_id not in already_quoted_ids:
            already_quoted_ids.add(rule_id)
            yield f"rulebook {rule_id}: {rules[rule_id].text}"


def iter_styled_lines_of_card_text(match: Match, card_name_or_choice_number: str) -> Iterator[StyledLine]:
    """Yield the text printed on a card. For a number, use the cards that the choice of this
    number names."""
    data = match.variant.data
    of_choice = _NUMBER.fullmatch(card_name_or_choice_number) is not None
    cards = (
        _list_cards_of_choice_or_number(match, int(card_name_or_choice_number))
        if of_choice
        else list_cards_of_name_or_id_else_containing(data, card_name_or_choice_number)
    )
    if of_choice and not cards and 1 <= int(card_name_or_choice_number) <= len(match.legal()):
        yield (
            f"choice {card_name_or_choice_number} names no card: "
            f"{match.legal()[int(card_name_or_choice_number) - 1].text}",
            "",
        )
        return
    if not card_name_or_choice_number or not cards:
        yield (
            f'no card is called "{card_name_or_choice_number}"'
            if card_name_or_choice_number
            else "read what? The name of a card, or a part of it",
            "",
        )
        return
    # cards alike are read once
    texts = dict.fromkeys(tuple(iter_card_description_lines(data, card)) for card in cards)
    if len(texts) > _MOST_CARDS:
        yield f"{len(cards)} cards: {', '.join(dict.fromkeys(card.name for card in cards))}", ""
        return
    for line in chain.from_iterable(texts):
        yield line, ""


def _list_cards_of_choice_or_number(match: Match, choice_number: int) -> list[Any]:
    """Return the cards that a numbered choice names. If it names none, return the card of that
    number."""
    legal, data = match.legal(), match.variant.data
    words = normalize_text_for_comparison(legal[choice_number - 1].text) if 1 <= choice_number <= len(legal) else ""
    components = data.components.values() if data is not None else ()
    spoken = [c for c in components if len(c.name) > 2 and f" {normalize_text_for_comparison(c.name)}" in f" {words}"]
    # A card that the choice calls by its number only: "card 006 comes tomorrow".
    spoken += [
        c
        for c in components
        if c not in spoken and len(c.id) > 2 and normalize_text_for_comparison(c.id) in words.split()
    ]
    if spoken or 1 <= choice_number <= len(legal):
        return spoken or [c for c in components if c.id == str(choice_number)]
    numbered = [c for c in components if c.id.isdecimal() and int(c.id) == choice_number]
    return numbered or list_cards_of_name_or_id_else_containing(data, str(choice_number))


def iter_styled_lines_of_move_hint(match: Match, engine: Engine) -> Iterator[StyledLine]:
    """Yield what a tree search would do with the information of the seat that acts."""
    if match.over:
        yield "the game is over", ""
        return
    try:
        advice = _search_for_advice_or_none_if_forced(match, engine)
    except (BotError, RuntimeError) as error:
        yield f"no hint: {error}", ""
        return
    legal, show = match.play.legal(match.state), partial(_format_action, match)
    ident = legal[0] if advice is None else advice.best.ident
    yield f"hint: {legal.index(ident) + 1}  {show(ident)}", ""
    yield "(the only choice)" if advice is None else f"({advice.describe_reasons_in_one_line(show)})", "dim"
    worlds = make_possible_worlds_for_seat(match.play, match.states, match.actions, match.actor)
    if not worlds.exact:
        yield f"what is hidden was imagined: {worlds.how}", "dim"


def _search_for_advice_or_none_if_forced(match: Match, engine: Engine) -> Advice | None:
    """Return what searches recommend; None if only one action is legal."""
    here = Sight.of(engine, match.states, match.actions, match.actor, "worlds")
    if len(here.legal) == 1:
        return None
    return compute_advice_from_several_searches(here, KeyedStream(match.seed, "hint", len(match.steps)))
