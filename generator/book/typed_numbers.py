"""Check the numbers that people type into chapters against the rules and against recorded games, apart from
numbers that count nothing, and find their places in the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from playproof.database.components import Words
from playproof.database.errors import Finding, Where, make_nearest_or_possible_words_hint
from playproof.database.game import Game
from playproof.database.number_words import count_numbers_except_word_one, list_numbers_as_written_except_one
from playproof.database.rulebook_text import Block, Directive, Document, NumberSpan, Paragraph, iter_nested_paragraphs
from playproof.database.source import read_file_or_its_override
from playproof.generator.book.play_interface import find_recorded_game_inside_folder_or_none

# -- handwritten numbers -------------------------------------------------------------------------------------
# Check the numbers that people type into chapters: names such as `level 4`, and numbers that no data holds.


def find_typed_numbers_not_in_rules(game: Game, document: Document) -> Iterator[Finding]:
    """PP530: a typed number in a paragraph that states rules is said by one of them, or is the id of
    a component."""
    for rules, paragraph in document.iter_paragraphs_stating_rules():
        rule_numbers = {1, *_collect_numbers_of_rules_and_their_rulings(game, rules, document.language)}
        for number in list_typed_number_texts(paragraph, document.language):
            if not is_component_id(game, number) and not rule_numbers >= set(
                count_numbers_except_word_one(number, document.language)
            ):
                listed = ", ".join(map(str, sorted(rule_numbers - {1}))) or "no number"
                cited = ", ".join(rules)
                message = f'the number "{number}" is typed into a text that states {cited}, which say {listed}'
                yield Finding(
                    "PP530",
                    find_word_place_or_paragraph_start(paragraph.where, number),
                    message,
                    f"{{fact}}`...`, or {{rule}}`...` with the rule that says {number}",
                )


def find_numbered_names_unknown_to_rules(game: Game, document: Document) -> Iterator[Finding]:
    """PP530: a name such as `level 4` is known: a rule of `rulebook.yaml` says a name with this number.
    Rules without any names know none to compare."""
    language = document.language
    names = build_numbered_name_pattern(game, language)
    texts = [short_text.texts.get(language, "") for short_text in _iter_texts_of_rules_and_rulings(game)]
    rule_names = {number for text in texts for number in _iter_digits_in_numbered_names(text, names)}
    for paragraph in iter_nested_paragraphs(
        [block for block in document.blocks if not is_directive_showing_recorded_game(block)]
    ):
        for number in _iter_digits_in_numbered_names(_join_typed_text_and_gaps_of_paragraph(paragraph), names):
            if rule_names and number not in rule_names and not is_component_id(game, number):
                message = f'no rule or ruling has the name that "{number}" is part of'
                hint = make_nearest_or_possible_words_hint(number, sorted(rule_names))
                yield Finding("PP530", find_word_place_or_paragraph_start(paragraph.where, number), message, hint)


def list_typed_number_texts(paragraph: Paragraph, language: str) -> list[str]:
    """Return the numbers that are typed into a paragraph, in digits or letters, without signed values
    and the number of a step."""
    marked = [span.text for span in paragraph.spans if isinstance(span, NumberSpan)]
    return [
        number
        for text in (
            replace_signed_and_step_numbers_by_gaps(_join_typed_text_and_gaps_of_paragraph(paragraph)),
            *marked,
        )
        for number in list_numbers_as_written_except_one(text, language)
    ]


def is_directive_showing_recorded_game(block: Block) -> bool:
    """Return whether a block shows a recorded game."""
    return isinstance(block, Directive) and block.name in ("example", "scene")


def is_component_id(game: Game, number_text: str) -> bool:
    """Return whether a number is the id of a component, such as `006`."""
    return number_text in game.components


def _collect_numbers_of_rules_and_their_rulings(game: Game, rules: Sequence[str], language: str) -> set[int]:
    """Return the numbers of these rules and rulings, and of the rulings that read these rules."""
    settled = [game.rules[rule].ruling for rule in rules if rule in game.rules]
    rulings = [game.rulings[name] for name in (*rules, *settled) if name in game.rulings]
    texts = [game.rules[rule].words for rule in rules if rule in game.rules]
    texts += [words for ruling in rulings for words in (ruling.words, *ruling.option_words.values())]
    return {
        number for words in texts for number in count_numbers_except_word_one(words.texts.get(language, ""), language)
    }


def _iter_texts_of_rules_and_rulings(game: Game) -> Iterator[Words]:
    yield from (rule.words for rule in game.rules.values())
    for ruling in game.rulings.values():
        yield from (ruling.words, *ruling.option_words.values())


def _iter_digits_in_numbered_names(text: str, numbered_name_pattern: re.Pattern[str]) -> Iterator[str]:
    for name in numbered_name_pattern.findall(text):
        if name[0].isalpha() and not re.search(r"\w*[^\W\d]\w*\d", name):  # `H01` is a card
            yield from re.findall(r"\d+", name)


def _join_typed_text_and_gaps_of_paragraph(paragraph: Paragraph) -> str:
    return "".join(span if isinstance(span, str) else GAP for span in paragraph.spans)


# -- replay numbers ------------------------------------------------------------------------------------------
# Check that what a book tells of a recorded game has the numbers of that game.

_NAME = re.compile(r"\b([^\W\d_]+) (\d+)")
_SEAT = re.compile(r"seat \d+: ")
_HINT = "the moves of a step stand in its {moves}"


def find_numbers_not_in_recorded_game(game: Game, document: Document) -> Iterator[Finding]:
    """PP531: a step of an example tells numbers of the moves that it shows. The caption of a scene tells
    how many play."""
    for block in _iter_example_and_scene_directives(document.blocks):
        transcript = find_recorded_game_inside_folder_or_none(game.folder / "rulebook", block.argument)
        if transcript is None:
            continue  # the book is not made then, and says why
        try:
            lines = read_file_or_its_override(transcript).decode("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        seats, moves = parse_seat_count_and_move_lines(lines)
        for paragraph in iter_nested_paragraphs(block.body):
            yield from _find_step_numbers_not_in_moves(game, paragraph, moves, seats, document.language, transcript)


def parse_seat_count_and_move_lines(transcript_lines: list[str]) -> tuple[int, list[str]]:
    """Return how many play a recorded game, and its moves as they are written."""
    seats = sum(bool(_SEAT.match(line)) for line in transcript_lines)
    head = next((n for n, line in enumerate(transcript_lines) if not line.strip()), 0)
    return seats, [line for line in transcript_lines[head:] if line.strip() and not line.startswith("#")]


def _find_step_numbers_not_in_moves(
    game: Game, paragraph: Paragraph, moves: list[str], player_count: int, language: str, transcript: Path
) -> Iterator[Finding]:
    if paragraph.moves is None:
        marked = [span.text for span in paragraph.spans if isinstance(span, NumberSpan)]
        told_numbers = [number for text in marked for number in list_numbers_as_written_except_one(text, language)]
        shown_moves: list[str] = []
        what = "has as many players"
        move_numbers = {str(player_count)}
    else:
        first, last = paragraph.moves
        told_numbers = _list_typed_numbers_outside_marks(paragraph, language)
        shown_moves = moves[first - 1 : last]
        what = f"has in the moves {first} to {last}"
        move_numbers = set[str]()
    move_numbers |= {number for line in shown_moves for number in re.findall(r"\d+", line)}
    yield from _find_numbered_names_not_in_moves(game, paragraph, shown_moves, transcript)
    for number in (number for number in told_numbers if not is_component_id(game, number)):
        value = next(iter(count_numbers_except_word_one(number, language)))
        if number not in move_numbers and str(value) not in move_numbers:
            listed = ", ".join(sorted(move_numbers)) or "no number"
            message = f'the number "{number}" is told of {transcript.name}, which {what}: {listed}'
            yield Finding("PP531", find_word_place_or_paragraph_start(paragraph.where, number), message, _HINT)


def _find_numbered_names_not_in_moves(
    game: Game, paragraph: Paragraph, shown_moves: list[str], transcript: Path
) -> Iterator[Finding]:
    """Names such as `player 2` that the moves have with other numbers only."""
    words = "".join(span if isinstance(span, str) else GAP for span in paragraph.spans)
    lines = "\n".join(shown_moves).lower()
    for label, number in _NAME.findall(words.lower()):
        others = set(re.findall(rf"\b{re.escape(label)} (\d+)", lines))
        if others and number not in others and not is_component_id(game, number):
            listed = ", ".join(f"{label} {other}" for other in sorted(others))
            message = f'"{label} {number}" is told of {transcript.name}, whose moves here have {listed}'
            yield Finding("PP531", find_word_place_or_paragraph_start(paragraph.where, number), message, _HINT)


def _list_typed_numbers_outside_marks(paragraph: Paragraph, language: str) -> list[str]:
    words = Paragraph(tuple(span for span in paragraph.spans if not isinstance(span, NumberSpan)), (), paragraph.where)
    return list_typed_number_texts(words, language)


def _iter_example_and_scene_directives(blocks: tuple[Block, ...]) -> Iterator[Directive]:
    for block in blocks:
        if isinstance(block, Directive):
            if is_directive_showing_recorded_game(block):
                yield block
            else:
                yield from _iter_example_and_scene_directives(block.body)


# -- number exemptions ---------------------------------------------------------------------------------------
# Find numbers in a text that count nothing: names of places and cards, signed values, step numbers.

GAP = "\x00"  # stands for anything that is not a typed word
_SIGNED = re.compile(r"(?<![\w#])[+−-]\d+")  # a signed number, as cards print it
_JOINING = "and|or|to|et|ou|à|und|oder|bis|y|o|a"
_LEADING = re.compile(r"^\W*\d+\W*(?=\s|$)")  # the number of a step or of a heading


def replace_uncounted_numbers_by_gaps(text: str, numbered_name_pattern: re.Pattern[str]) -> str:
    """Return the text with a gap for each number that counts nothing: a name, a signed value as
    cards print it, or the number of a step."""
    return numbered_name_pattern.sub(GAP, replace_signed_and_step_numbers_by_gaps(text))


def replace_signed_and_step_numbers_by_gaps(text: str) -> str:
    """Return the text with a gap for each signed value and for the number of a step."""
    return _SIGNED.sub(GAP, _LEADING.sub(GAP, text))


def build_numbered_name_pattern(game: Game, language: str) -> re.Pattern[str]:
    """Return a pattern for numbers that are names: `level 4`, `spots 2, 3 and 5`, the id of a card.
    `level 2 costs 2` holds one name."""
    labels = "|".join(map(re.escape, game.rulebook.labels.get(language, ())))
    number = rf"(?:\d+|{GAP})"
    row = rf"\b(?:{labels})\s+\W*{number}(?:(?:,\s*|\s+(?:{_JOINING})\s+){number})*(?!\w)" if labels else r"(?!)"
    ids = "|".join(re.escape(ref) for ref in game.components if len(ref) > 2)
    return re.compile(rf"{row}|\b(?:{ids})\b" if ids else row, re.IGNORECASE)


# -- number places -------------------------------------------------------------------------------------------
# Find the place of a number in a file.


def find_word_place_or_paragraph_start(paragraph_start: Where, word: str) -> Where:
    """Return the place of a number's first use from `paragraph_start` on, or `paragraph_start` if it is not there
    or the file cannot be read. A paragraph of a chapter knows its first line only."""
    try:
        lines = read_file_or_its_override(paragraph_start.file).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return paragraph_start
    for line, text in enumerate(lines[paragraph_start.line - 1 :], paragraph_start.line):
        if match := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
            return paragraph_start._replace(line=line, column=match.start() + 1)
        if not text.strip():
            break  # the paragraph ends
    return paragraph_start
