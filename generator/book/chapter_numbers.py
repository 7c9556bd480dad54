"""Check that the chapters tell the numbers of the game: in every language the same, on components those of
the rules they cite, and numberings that run on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.components import Component, Words, iter_effects_nested_in_value
from playproof.database.effect_text import list_icon_names_in_text
from playproof.database.errors import (
    Finding,
    Where,
    make_nearest_or_possible_words_hint,
    merge_findings_differing_in_subject,
)
from playproof.database.game import Game
from playproof.database.lint_text import iter_translated_number_mismatch_findings
from playproof.database.number_words import count_numbers_except_word_one, list_quantities_as_written
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    FactSpan,
    Heading,
    IndexSpan,
    LinkSpan,
    Paragraph,
    Span,
    TableBlock,
    iter_nested_paragraphs,
    join_text_of_spans,
    read_rulebook_document,
)
from playproof.generator.book.document_composer import (
    build_fact_values_by_name,
    evaluate_fact_to_printed_text_or_raise,
    get_printed_text_of_span_or_empty,
)
from playproof.generator.book.typed_numbers import (
    GAP,
    build_numbered_name_pattern,
    find_numbered_names_unknown_to_rules,
    find_numbers_not_in_recorded_game,
    find_typed_numbers_not_in_rules,
    replace_uncounted_numbers_by_gaps,
)
from playproof.generator.layout.expression import ExpressionError

# Check that the chapters tell the numbers of the game: lint for every number in a rulebook's prose.


def list_sorted_number_errors_in_chapters(game: Game) -> list[Finding]:
    """Return the findings about typed numbers that should be facts, about rules whose numbers the
    chapters do not tell, and about components that say other numbers than the rules they cite."""
    findings = list_numbers_differing_from_cited_rules(game)
    read = [read_rulebook_document(game.folder, language, game.edits) for language in game.languages]
    documents = [document for document in read if document is not None]
    for document in documents:
        findings += find_typed_numbers_that_should_be_facts(game, document)
        findings += find_rule_numbers_that_chapters_do_not_tell(game, document)
        for check in (
            find_facts_that_cannot_be_evaluated,
            find_typed_numbers_not_in_rules,
            find_numbered_names_unknown_to_rules,
            find_numbers_not_in_recorded_game,
            find_errors_in_running_numbers,
        ):
            findings += check(game, document)
    findings += find_numbers_differing_between_translations(game, documents)
    return sorted(findings, key=lambda f: (str(f.where.file), f.where.line, f.where.column, f.code))


def find_typed_numbers_that_should_be_facts(game: Game, document: Document) -> Iterator[Finding]:
    """PP527: a number in prose is a fact, or is marked as one that no data holds."""
    names = build_numbered_name_pattern(game, document.language)
    headings = (Paragraph(heading.spans, (), heading.where) for heading in document.iter_headings())
    for paragraph in (*document.iter_paragraphs_of_document(), *headings):
        text = replace_uncounted_numbers_by_gaps(_join_typed_text_and_gaps_of_spans(paragraph.spans), names)
        for number in list_quantities_as_written(text, document.language):
            hint = f"{{fact}}`...`, or {{number}}`{number}` where no data holds it"
            message = f'the number "{number}" is typed into the text'
            yield Finding("PP527", paragraph.where, message, hint)


def find_rule_numbers_that_chapters_do_not_tell(game: Game, document: Document) -> Iterator[Finding]:
    """PP528: the chapters that state a rule or a ruling tell each number of its short text. An
    option that is not the default may say another number if its name says it."""
    language = document.language
    told_numbers = _count_numbers_told_by_rule_id(game, document)
    for rule in game.rules.values():
        if not rule.left_out and rule.id in told_numbers:
            words = rule.words.texts.get(language, "")
            yield from _find_text_numbers_not_told(rule.id, words, set(told_numbers[rule.id]), language, rule.where)
            yield from _find_numbers_of_rule_told_too_rarely(
                rule.id, words, told_numbers[rule.id], language, rule.where
            )
    names = build_numbered_name_pattern(game, language)
    for ruling in game.rulings.values():
        settled = [rule.id for rule in game.rules.values() if rule.ruling == ruling.id]
        at_hand = set[int]().union(*(told_numbers.get(name, Counter()) for name in (ruling.id, *settled)))
        printed = (ruling.words, ruling.option_words.get(ruling.default), ruling.narrowed)
        words = " ".join(text.texts.get(language, "") for text in printed if text is not None)
        yield from _find_text_numbers_not_told(ruling.id, words, at_hand, language, ruling.where)
        for option, option_words in ruling.option_words.items():
            if option != ruling.default:
                # names are English in every language
                named = set(count_numbers_except_word_one(option.replace("-", " "), "en"))
                words = names.sub(GAP, option_words.texts.get(language, ""))
                yield from _find_text_numbers_not_told(
                    f"{ruling.id} {option}", words, at_hand | named, language, option_words.where
                )


def _count_numbers_told_by_rule_id(game: Game, document: Document) -> dict[str, Counter[int]]:
    """Return the numbers that the chapters tell of each rule and ruling, with how often they tell
    them."""
    told_numbers: dict[str, Counter[int]] = {}
    for rules, numbers in _iter_stated_rule_ids_with_told_numbers(
        game, document, build_fact_values_by_name(game, document.language)
    ):
        for name in rules:
            told_numbers.setdefault(name, Counter()).update(numbers)
    return told_numbers


def _find_text_numbers_not_told(
    rule_or_ruling_id: str, rule_text: str, told_numbers: set[int], language: str, where: Where
) -> Iterator[Finding]:
    for number in sorted(set(count_numbers_except_word_one(rule_text, language)) - told_numbers):
        listed = ", ".join(map(str, sorted(told_numbers))) or "no number"
        message = f"{rule_or_ruling_id} says {number} ({language}), the chapters that state it say {listed}"
        yield Finding("PP528", where, message)


def _find_numbers_of_rule_told_too_rarely(
    rule_id: str, rule_text: str, told_numbers: Counter[int], language: str, where: Where
) -> Iterator[Finding]:
    """Yield a finding if a number stands in another's place: the text says 9 hearts and 9 clubs,
    and the chapters tell 9 and 8."""
    numbers = count_numbers_except_word_one(rule_text, language)
    left_out = ", ".join(map(str, sorted((told_numbers - numbers).elements())))
    for number in sorted(numbers):
        if told_numbers[number] and numbers[number] > told_numbers[number] and left_out:
            own, theirs = numbers[number], told_numbers[number]
            message = f"{rule_id} says {number} {own} times ({language}), the chapters {theirs}, and {left_out}"
            yield Finding("PP528", where, message)


def _join_typed_text_and_gaps_of_spans(spans: tuple[Span, ...]) -> str:
    """Return what a paragraph types; a link and an entry of the index type their words too."""
    return "".join(_get_typed_text_or_gap_of_span(span) for span in spans)


def _get_typed_text_or_gap_of_span(span: Span) -> str:
    if isinstance(span, IndexSpan):
        return span.text if span.entry in span.text else f"{span.text} {span.entry}"
    return span if isinstance(span, str) else span.text if isinstance(span, LinkSpan) else GAP


def _iter_stated_rule_ids_with_told_numbers(
    game: Game, document: Document, fact_scope: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Counter[int]]]:
    """Yield the rules that a paragraph or a directive states, and the numbers that it tells."""
    language = document.language
    for rules, paragraph in document.iter_paragraphs_stating_rules():
        text = "".join(get_printed_text_of_span_or_empty(span, fact_scope) for span in paragraph.spans)
        yield rules, count_numbers_except_word_one(text, language)
    for block in document.blocks:
        if isinstance(block, Directive) and block.name == "components" and "rules" in block.options:
            counts = Counter(part.count for part in game.facts.components)
            yield tuple(block.options["rules"].split()), counts


# -- translation numbers -------------------------------------------------------------------------------------
# Check that the chapters of all languages tell the same numbers, after their facts are evaluated.


@dataclass(frozen=True)
class ChapterSection:
    """A part of a chapter: its first words, what it says, and where it begins."""

    title: str
    parts: tuple[tuple[str, Where], ...]

    @property
    def text(self) -> str:
        """All words of the part."""
        return "\n".join(text for text, _ in self.parts)


def find_facts_that_cannot_be_evaluated(game: Game, document: Document) -> Iterator[Finding]:
    """PP503 and PP509: each fact of the chapters can be evaluated."""
    scope = build_fact_values_by_name(game, document.language)
    for paragraph in _iter_headings_then_paragraphs(document):
        for span in paragraph.spans:
            if isinstance(span, FactSpan):
                try:
                    evaluate_fact_to_printed_text_or_raise(span.source, scope)
                except ExpressionError as error:
                    yield Finding(error.code, paragraph.where, f"{{fact}}`{span.source}`: {error}", error.hint)


def find_numbers_differing_between_translations(game: Game, documents: Sequence[Document]) -> Iterator[Finding]:
    """A section of the chapters tells the same numbers in every language. Sections are compared in
    order. Where the languages have different headings, the whole books are compared."""
    if not documents:
        return
    first_language, first_sections = (documents[0].language, _split_into_sections_at_headings(game, documents[0]))
    for document in documents[1:]:
        sections, theirs = _split_into_sections_at_headings(game, document), first_sections
        if len(theirs) != len(sections):
            theirs, sections = [_join_sections_into_one(theirs)], [_join_sections_into_one(sections)]
        for section, namesake in zip(sections, theirs, strict=True):
            yield from _find_number_differences_between_sections(section, document.language, namesake, first_language)


def _find_number_differences_between_sections(
    section: ChapterSection, language: str, other_section: ChapterSection, other_language: str
) -> Iterator[Finding]:
    """Compare paragraph by paragraph where both have as many."""
    if len(section.parts) != len(other_section.parts):
        places = {language: section.parts[0][1], other_language: other_section.parts[0][1]}
        yield from iter_translated_number_mismatch_findings(
            f'"{section.title}"', {other_language: other_section.text, language: section.text}, places
        )
        return
    for (text, where), (other_text, there) in zip(section.parts, other_section.parts, strict=True):
        texts = {other_language: other_text, language: text}
        yield from iter_translated_number_mismatch_findings(
            f'"{section.title}"', texts, {language: where, other_language: there}
        )


def _split_into_sections_at_headings(game: Game, document: Document) -> list[ChapterSection]:
    scope = build_fact_values_by_name(game, document.language)
    sections = [ChapterSection("", ())]
    for block in document.blocks:
        if isinstance(block, Heading):
            words = "".join(get_printed_text_of_span_or_empty(span, scope) for span in block.spans)
            sections.append(ChapterSection(words, ((words, block.where),)))
        else:
            parts = tuple(
                (_get_printed_paragraph_text(each, scope), each.where) for each in iter_nested_paragraphs([block])
            )
            sections[-1] = ChapterSection(sections[-1].title, (*sections[-1].parts, *parts))
    return [section for section in sections if section.parts]


def _join_sections_into_one(sections: Sequence[ChapterSection]) -> ChapterSection:
    return ChapterSection(sections[0].title, tuple(part for section in sections for part in section.parts))


def _get_printed_paragraph_text(paragraph: Paragraph, fact_scope: Mapping[str, Any]) -> str:
    return "".join(get_printed_text_of_span_or_empty(span, fact_scope) for span in paragraph.spans)


def _iter_headings_then_paragraphs(document: Document) -> Iterator[Paragraph]:
    headings: list[Block] = [Paragraph(heading.spans, (), heading.where) for heading in document.iter_headings()]
    return iter_nested_paragraphs([*headings, *document.blocks])


# -- rule citations ------------------------------------------------------------------------------------------
# Check that components say the numbers of the rules they cite. Lint does this for texts that are not made
# from effects.

_IN_NAME = re.compile(r"\d{1,18}")


def list_numbers_differing_from_cited_rules(game: Game) -> list[Finding]:
    """Return the PP529 findings: numbers in a component's texts that neither its cited rules nor
    its fields have, and numbers of cited rules that the citing part does not say. A game without
    rules has no findings."""
    findings: list[Finding] = []
    for language in game.languages if game.rules else ():
        names = build_numbered_name_pattern(game, language)
        for component in game.components.values():
            if not _has_effects_in_fields(component):  # effects tell their own numbers
                findings += _find_component_numbers_not_in_cited_rules(game, component, language, names)
    return merge_findings_differing_in_subject(findings)


def _has_effects_in_fields(component: Component) -> bool:
    return any(True for value in component.fields.values() for _ in iter_effects_nested_in_value(value))


def _find_component_numbers_not_in_cited_rules(
    game: Game, component: Component, language: str, numbered_name_pattern: re.Pattern[str]
) -> Iterator[Finding]:
    own = {1, *_iter_whole_numbers(component.fields)}  # of a single thing a rule says "a" or "one"
    text = component.fields.get("text")
    if isinstance(text, Words):
        ruled = _collect_numbers_in_rule_texts(game, component.rules, language, numbered_name_pattern)
        yield from _find_text_numbers_not_in_allowed_set(
            component, component.rules, (text,), own | ruled, language, numbered_name_pattern
        )
    for part in _iter_mappings_in_list_fields(component):
        rules = _get_rule_ids_cited_by_record_or_empty(part)
        words = tuple(wording for field in part.values() for wording in _iter_translated_texts_of_field(field))
        ruled = _collect_numbers_in_rule_texts(game, rules or component.rules, language, numbered_name_pattern)
        yield from _find_text_numbers_not_in_allowed_set(
            component, rules or component.rules, words, own | ruled, language, numbered_name_pattern
        )
        if words and rules:
            yield from _find_unknown_cited_rules(game, component, rules, words[0].where)
            text_of_part = " ".join(wording.texts.get(language, "") for wording in words)
            told_numbers = set(count_numbers_except_word_one(text_of_part, language))
            for number in sorted(ruled - told_numbers):
                message = f"cites {', '.join(rules)} and does not say {number} ({language})"
                hint = "cite the rules whose numbers are said there"
                yield Finding("PP529", words[0].where, message, hint, about=(component.id,))


def _get_rule_ids_cited_by_record_or_empty(record: Mapping[str, object]) -> tuple[str, ...]:
    """Return the rules that a record cites; a field `rules` of another type is something else."""
    rules = record.get("rules")
    if not isinstance(rules, tuple) or not all(isinstance(rule, str) for rule in rules):
        return ()
    return rules


def _find_text_numbers_not_in_allowed_set(
    component: Component,
    cited_rules_for_message: Sequence[str],
    texts: Sequence[Words],
    numbers_of_component_and_cited_rules: set[int],
    language: str,
    numbered_name_pattern: re.Pattern[str],
) -> Iterator[Finding]:
    for words in texts:
        text = words.texts.get(language, "")
        # An icon shows the number in its name: `:draw-2:`.
        icon_numbers = {int(number) for icon in list_icon_names_in_text(text) for number in _IN_NAME.findall(icon)}
        for number in sorted(
            set(count_numbers_except_word_one(replace_uncounted_numbers_by_gaps(text, numbered_name_pattern), language))
            - numbers_of_component_and_cited_rules
            - icon_numbers
        ):
            source = ", ".join(cited_rules_for_message) or "no rule"
            listed = ", ".join(map(str, sorted(numbers_of_component_and_cited_rules)))
            message = f"says {number} ({language}), what it cites ({source}) and has: {listed}"
            hint = "`rules: [...]` names the rules of which the text speaks"
            yield Finding("PP529", words.where, message, hint, about=(component.id,))


def _find_unknown_cited_rules(
    game: Game, component: Component, cited_rules: Sequence[str], where: Where
) -> Iterator[Finding]:
    for rule in cited_rules:
        if rule not in game.rules:
            message = f"cites {rule}, which the rulebook does not have"
            yield Finding(
                "PP529", where, message, make_nearest_or_possible_words_hint(rule, game.rules), about=(component.id,)
            )


def _collect_numbers_in_rule_texts(
    game: Game, rules: Sequence[str], language: str, numbered_name_pattern: re.Pattern[str]
) -> set[int]:
    texts = [game.rules[rule].words.texts.get(language, "") for rule in rules if rule in game.rules]
    return {
        number
        for text in texts
        for number in count_numbers_except_word_one(
            replace_uncounted_numbers_by_gaps(text, numbered_name_pattern), language
        )
    }


def _iter_mappings_in_list_fields(component: Component) -> Iterator[Mapping[str, object]]:
    """Yield the records of a component, such as the sections of a reference sheet."""
    for value in component.fields.values():
        yield from (part for part in value if isinstance(part, Mapping)) if isinstance(value, tuple) else ()


def _iter_translated_texts_of_field(field: object) -> Iterator[Words]:
    for words in field if isinstance(field, tuple) else (field,):
        if isinstance(words, Words):
            yield words


def _iter_whole_numbers(value: object) -> Iterator[int]:
    """Yield every whole number in a value, such as a component's fields."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _iter_whole_numbers(each)


# -- numbering -----------------------------------------------------------------------------------------------
# Check that numbering runs on: numbered headings, numbered cells of a table, icons named by a number.

_NUMBERED = re.compile(r"(\d{1,18}) +(.+)")
_BOLD = re.compile(r"\*\*(\d{1,18})\*\*")
_ICON = re.compile(r"([a-z][a-z-]*-(\d{1,18})): (.*)", re.DOTALL)


def find_errors_in_running_numbers(game: Game, document: Document) -> Iterator[Finding]:
    """PP532: headings and cells that begin with a number count from 1 on, or name a component by its
    id and title; an icon with a number in its name is told with that number."""
    yield from _find_heading_numbering_errors(game, document)
    for block in _iter_blocks_and_directive_bodies(document.blocks):
        if isinstance(block, TableBlock):
            for column in zip(*block.rows, strict=True):
                cells = [cell for cell in column if _BOLD.match(join_text_of_spans(cell.spans))]
                yield from _find_first_number_out_of_sequence(
                    [(cell, int(_BOLD.findall(join_text_of_spans(cell.spans))[0])) for cell in cells]
                )
        if isinstance(block, Directive) and block.name == "icons":
            for item in iter_nested_paragraphs(block.body):
                yield from _find_icon_number_missing_in_explanation(item, document.language)


def _find_heading_numbering_errors(game: Game, document: Document) -> Iterator[Finding]:
    """Headings below one heading are counted together."""
    above: dict[int, list[tuple[Paragraph, int]]] = {}
    for heading in document.iter_headings():
        for level in [level for level in above if level > heading.level]:
            yield from _find_first_number_out_of_sequence(above.pop(level))
        match = _NUMBERED.match(join_text_of_spans(heading.spans))
        if match and not _is_id_and_title_of_component(game, match[1], match[2], document.language):
            paragraph = Paragraph(heading.spans, (), heading.where)
            above.setdefault(heading.level, []).append((paragraph, int(match[1])))
    for siblings in above.values():
        yield from _find_first_number_out_of_sequence(siblings)


def _is_id_and_title_of_component(game: Game, number: str, heading_text: str, language: str) -> bool:
    component = game.components.get(number)
    title = component.title if component else None
    return title is not None and heading_text.startswith(title.text(language))


def _find_first_number_out_of_sequence(numbered: Sequence[tuple[Paragraph, int]]) -> Iterator[Finding]:
    for expected, (paragraph, number) in enumerate(numbered, 1):
        if number != expected:
            message = f"expected the number {expected}, as these count from 1 on, found {number}"
            yield Finding("PP532", paragraph.where, message, "a heading may also name a component: its id and title")
            return


def _find_icon_number_missing_in_explanation(explanation: Paragraph, language: str) -> Iterator[Finding]:
    match = _ICON.match(join_text_of_spans(explanation.spans))
    if match and int(match[2]) not in count_numbers_except_word_one(match[3], language):
        message = f"the icon {match[1]} is told without its number {match[2]}"
        yield Finding("PP532", explanation.where, message)


def _iter_blocks_and_directive_bodies(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Directive):
            yield from _iter_blocks_and_directive_bodies(block.body)
