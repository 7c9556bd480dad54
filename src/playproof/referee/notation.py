"""Words for what happens: actions, seats, rounds and the text of cards, and the way back from words to
actions.

It contains only printed text, which every player may read at any time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from playproof.language import CHANCE, Interpreter
from playproof.language.game import Game

# Words for what happens: actions, seats and rounds, and the way back from words to actions.

_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_BREAKS = re.compile(r"[\s,;:?!()]+")
_AN = re.compile(r"\ban (?=[aeiou])")
_A_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?!Eu|One|U[nkrst][ai]|Use)(?=[AEIOU][a-z])")
"""Before a name: in other languages than English, `a` is a verb, and hardly ever stands before a capital."""
_MOST_COMPARED = 20_000  # wordings that are compared while somebody waits
_NUMBERED = re.compile(r"(?:(?P<words>.*\S)\s+)?\[#(?P<ident>\d+)\]\Z")


def normalize_text_for_comparison(text: str) -> str:
    """Return a text in the form in which words are compared: single spaces, one letter case, and `a` for `an`.

    >>> normalize_text_for_comparison("  Mark   4 "), normalize_text_for_comparison("lay an Octopus")
    ('mark 4', 'lay a octopus')
    """
    return _AN.sub("a ", _SPACES.sub(" ", text).strip().casefold())


def use_an_before_capital_vowels(text: str) -> str:
    """Return the words of an action as people read them: rules that name things write "a" before each name.

    >>> use_an_before_capital_vowels("lay a Octopus Hunter")
    'lay an Octopus Hunter'
    >>> use_an_before_capital_vowels("a Unicorn meets a User and A Owl")
    'a Unicorn meets a User and An Owl'
    """
    return _A_BEFORE_VOWEL.sub(r"\1n ", text)


def has_word_for_each_wanted_beginning(action_text: str, word_beginnings_or_whole_numbers: str) -> bool:
    """Return whether a text has, for each wanted word, a word that begins like it. Numbers are whole.

    >>> [has_word_for_each_wanted_beginning("gain 10 Food", wanted) for wanted in ("food gai", "gain 1")]
    [True, False]
    """
    own, parts = (
        _split_into_normalized_words(action_text),
        _split_into_normalized_words(word_beginnings_or_whole_numbers),
    )
    return bool(parts) and all(
        part in own or (not part.isdecimal() and any(word.startswith(part) for word in own)) for part in parts
    )


def _split_into_normalized_words(text: str) -> list[str]:
    return [part for part in _BREAKS.split(normalize_text_for_comparison(text)) if part]


def seat_name(game: Game, seat_or_chance: int) -> str:
    """Return a seat's name: the declared one (`seats=[...]`), else "player 1", or "you" if the
    game has one player."""
    if seat_or_chance == CHANCE:
        return "chance"
    declared: Sequence[str] = game.facts.get("seats", ())
    if seat_or_chance < len(declared):
        return declared[seat_or_chance]
    return "player" if game.players == 1 else f"player {seat_or_chance + 1}"


def seat_names(game: Game) -> list[str]:
    """Return the names of all seats, in order."""
    return [seat_name(game, seat) for seat in range(game.players)]


def find_seat_or_chance_by_name_or_none(game: Game, seat_or_chance_name: str) -> int | None:
    """Return the seat with that name, CHANCE for chance, or None if no seat has it."""
    wanted = normalize_text_for_comparison(seat_or_chance_name)
    seats: list[int] = [CHANCE, *range(game.players)]
    return next((seat for seat in seats if normalize_text_for_comparison(seat_name(game, seat)) == wanted), None)


def get_declared_round_number_or_none(play: Interpreter, state: Sequence[int]) -> int | None:
    """Return the round, or None if the game names none. The fact `round` names the quantity to
    read; without the fact it is the quantity "round"."""
    name = play.game.facts.get("round", "round")
    return play.quantity(name, state) if name in play.game.quantities else None


class ActionLexicon:
    """All ground actions of a game, by their words. Make it once per game and keep it to read
    many lines."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.by_words: dict[str, list[int]] = defaultdict(list)
        for ident, action, values in game.iter_ground_actions():
            self.by_words[normalize_text_for_comparison(action.format_ground_action(values))].append(ident)

    def list_action_ids_of_exact_wording(self, wording_or_numbered_wording: str) -> list[int]:
        """Return the ground actions that read like `wording_or_numbered_wording`. `[#17]` at its end picks one by
        number."""
        numbered = _NUMBERED.match(wording_or_numbered_wording.strip())
        if numbered:
            ident = int(numbered["ident"])
            if not 0 <= ident < self.game.ground:
                return []
            words = self.game.show(ident)
            agrees = normalize_text_for_comparison(numbered["words"] or words) == normalize_text_for_comparison(words)
            return [ident] if agrees else []
        return list(self.by_words.get(normalize_text_for_comparison(wording_or_numbered_wording), ()))

    def filter_actions_by_wording_prefix(self, prefix: str, action_ids: Sequence[int]) -> list[int]:
        """Return the actions in `action_ids` whose words begin like `prefix`."""
        start = normalize_text_for_comparison(prefix)
        return [i for i in action_ids if start and normalize_text_for_comparison(self.game.show(i)).startswith(start)]

    def filter_actions_containing_all_words(self, words: str, action_ids: Sequence[int]) -> list[int]:
        """Return the actions in `action_ids` that contain every word of `words`."""
        wanted = set(_WORD.findall(normalize_text_for_comparison(words)))
        return [
            i
            for i in action_ids
            if wanted and wanted <= set(_WORD.findall(normalize_text_for_comparison(self.game.show(i))))
        ]

    def list_one_action_id_per_matching_wording(self, word_beginnings: str) -> list[int]:
        """Return the actions with a word for each word of `word_beginnings` that begins like it, the first ground
        action of each wording: `exped` means "play Expedition"."""
        return [
            idents[0]
            for words, idents in self.by_words.items()
            if has_word_for_each_wanted_beginning(words, word_beginnings)
        ]

    def suggest_up_to_three_similar_wordings(
        self, unread_text: str, preferred_action_ids: Sequence[int] = ()
    ) -> list[str]:
        """Return the words of up to three actions close to `unread_text`: first from
        `preferred_action_ids`, and if none is close, from the whole game, at last those that share the most words
        with it."""
        first = {normalize_text_for_comparison(self.game.show(i)): self.game.show(i) for i in preferred_action_ids}
        close = get_close_matches(normalize_text_for_comparison(unread_text), first, n=3, cutoff=0.5)
        if close:
            return [first[c] for c in close]
        if len(self.by_words) > _MOST_COMPARED:
            return []
        close = get_close_matches(
            normalize_text_for_comparison(unread_text), self.by_words, n=3, cutoff=0.6
        ) or self._list_wordings_sharing_most_words(unread_text)
        return [self.game.show(self.by_words[c][0]) for c in close]

    def is_taken_only_by_chance(self, action_id: int) -> bool:
        """Return whether only chance ever takes an action."""
        return all(
            self.game.phases[phase].chance for phase in self.game.get_action_of_ground_action_number(action_id).phases
        )

    def _list_wordings_sharing_most_words(self, unread_text: str) -> list[str]:
        """Return up to three wordings, of different actions of players, that share the most words with a text. A word
        that no action has stands for the one that is spelled most like it."""
        kinds = {
            words: self.game.get_action_of_ground_action_number(idents[0]) for words, idents in self.by_words.items()
        }
        of_players = {
            words: set(_split_into_normalized_words(words))
            for words in kinds
            if not self.is_taken_only_by_chance(self.by_words[words][0])
        }
        vocabulary = sorted(set().union(*of_players.values()))
        meant: set[str] = set()
        for part in _split_into_normalized_words(unread_text):
            begun = {word for word in vocabulary if len(part) > 2 and word.startswith(part)}
            meant |= begun or set(get_close_matches(part, vocabulary, n=1, cutoff=0.7))
        shared = {words: len(meant & own) for words, own in of_players.items()}
        most = max(1, max(shared.values(), default=0))
        best = {kinds[words].number: words for words in reversed(shared) if shared[words] == most}
        return [*best.values()][::-1][:3]

    def format_action_numbered_if_ambiguous(self, action_id: int, legal_action_ids: Sequence[int]) -> str:
        """Return an action's words in a form that can be read back. Adds the number if another
        legal action has the same words."""
        words = self.game.show(action_id)
        same = [i for i in self.by_words[normalize_text_for_comparison(words)] if i in legal_action_ids]
        return words if len(same) <= 1 else f"{words} [#{action_id}]"


# -- card text -----------------------------------------------------------------------------------------------
# The text of a card for the terminal: its effects and its few facts, not its looks.

_STRESS = re.compile(r"\*+")
_UNSAID = {"title", "flavour", "text"}  # the title stands above; a text has no name before it
_LOOKS = {"art", "image", "icon", "colour", "back", "size", "width", "height", "wide", "x", "y", "tone"}


def list_cards_of_name_or_id_else_containing(card_database: Any, name_or_id: str) -> list[Any]:
    """Return the components with that name or id; if there are none, those whose names contain
    the text."""
    wanted = normalize_text_for_comparison(name_or_id)
    everything = list(card_database.components.values()) if card_database is not None else []
    called = [
        c for c in everything if wanted in (normalize_text_for_comparison(c.name), normalize_text_for_comparison(c.id))
    ]
    return called or [c for c in everything if wanted and wanted in normalize_text_for_comparison(c.name)]


def iter_card_description_lines(card_database: Any, card: Any) -> Iterator[str]:
    """Yield the component's name, kind and facts, then what it does."""
    facts = (
        f"{name} {fact}"
        for name, value in card.fields.items()
        if name not in _UNSAID | _LOOKS and (fact := _format_card_field_or_empty(value))
    )
    yield f"{card.name} ({', '.join([card.kind, *facts])})"
    yield from (f"  {line}" for line in iter_printed_effect_texts(card_database, card))


def iter_printed_effect_texts(card_database: Any, card: Any, language: str = "en") -> Iterator[str]:
    """Yield what a component does as it prints it in a language, its icons as words; nothing if it prints no such
    text."""
    for name, value in card.fields.items():
        yield from _iter_effect_texts_of_field(card_database, name, value, language)


def _format_card_field_or_empty(field_value: object) -> str:
    """Return a number, a word, or a list of words or amounts as text; "" for anything else."""
    if isinstance(field_value, bool | None):
        return "yes" if field_value else ""
    if isinstance(field_value, int | str):
        return str(field_value)
    if isinstance(field_value, tuple) and field_value and all(isinstance(v, int | str) for v in field_value):
        return " ".join(map(str, field_value))
    if isinstance(field_value, Mapping) and field_value and all(isinstance(v, int) for v in field_value.values()):
        return " ".join(f"{v} {k}" for k, v in field_value.items())
    return ""


def _iter_effect_texts_of_field(
    card_database: Any, field_name: str, field_value: object, language: str
) -> Iterator[str]:
    """Yield texts, effects and lettered options in words."""
    # A late import: games without cards do not need it.
    from playproof.database.components import Effect, Either, Option, Words
    from playproof.database.effect_text import made_text

    if field_name == "text" and isinstance(field_value, Words):
        yield strip_markup_and_name_icons(field_value.text(language))
    if not isinstance(field_value, tuple) or not field_value:
        return
    if all(isinstance(v, Effect | Either) for v in field_value):
        yield strip_markup_and_name_icons(made_text(field_value, card_database.vocabulary, language, style="words"))
    for option in field_value:
        if isinstance(option, Option):
            yield (
                f"{option.letter}: "
                f"{strip_markup_and_name_icons(made_text(option, card_database.vocabulary, language, style='words'))}"
            )


def strip_markup_and_name_icons(printed_text: str) -> str:
    """Return a printed text without its markup; icons become their names.

    >>> strip_markup_and_name_icons("**2** Pay 1 :food:.")
    '2 Pay 1 food.'
    """
    from playproof.database.vocabulary import ICON_MARK

    named = ICON_MARK.sub(lambda icon: icon[1].replace("-", " ").replace("_", " "), printed_text)
    return strip_bold_and_italic_marks(named)


def strip_bold_and_italic_marks(text: str) -> str:
    """Return a printed text without the marks of bold and italic type."""
    return _STRESS.sub("", text)
