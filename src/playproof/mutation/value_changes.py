"""Values of YAML files, changed one at a time while they are read, and which cards decide a denied claim:
each of their numbers raised and lowered by one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError, Where, make_path_relative_to_working_folder
from playproof.database.game import require_game_folder
from playproof.database.source import YamlNode, override_file_content_in_block, read_yaml_file
from playproof.generator.layout.layout_files import find_layout_folder_of_game
from playproof.linting.played_values import REFUSALS
from playproof.verifier.analysis.what_if import DeniedClaim, is_answer_better_than_usual
from playproof.verifier.prove import VerifierRun
from playproof.verifier.questions.premises import read_meaning_of_game
from playproof.verifier.questions.verdicts import Answer, Verdict, format_value_for_people
from playproof.verifier.search.case import Budget, Progress

# -- values --------------------------------------------------------------------------------------------------
# Values of YAML files, changed one at a time while they are read. The files stay as they are.

LEFT_OUT = ("claims",)
"""Files whose values are claims about the other files."""
_WORD = re.compile(r"[a-z][a-z0-9-]*\Z")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
_NUMBER = re.compile(r"\d+")
_BLOCK = re.compile(r"[|>][-+]?\Z")
_ANCHOR = re.compile(r"&\S+\s+")
"""The anchor of a value."""
_PLAIN = re.compile(r"[^\s,\]}#]+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_QUOTES = "\"'"


@dataclass(frozen=True)
class YamlValueChange:
    """One scalar of a YAML file. `path` are the keys that lead to it, `was` its text, and `other` the
    text that replaces it. With a `second` place (line, column) the effects of two cards are exchanged: what was here
    stands there."""

    file: Path
    line: int
    column: int
    path: tuple[str | int, ...]
    was: str
    other: str
    second: tuple[int, int] | None = None

    @property
    def component_id_or_empty(self) -> str:
        """The component's id, or ""."""
        return str(self.path[1]) if len(self.path) > 2 and self.path[0] == "components" else ""

    @property
    def place(self) -> str:
        """The place as `file:line`."""
        return f"{make_path_relative_to_working_folder(self.file)}:{self.line}"

    @property
    def key(self) -> str:
        """The name of the change."""
        keys = ".".join(map(str, self.path))
        return f"{self.place} {keys}: {self.other} for {self.was}"[:200]

    @property
    def change_text(self) -> str:
        """The change within its card, as a report words it: `effects.0.gain.coin: 2 for 1`."""
        within = self.path[2:] if self.component_id_or_empty else self.path
        moved = f", exchanged with line {self.second[0]}" if self.second else ""
        return f"{'.'.join(map(str, within))}: {self.other} for {self.was}{moved}"

    @property
    def is_game_value(self) -> bool:
        """Whether the value is a number, a boolean or a name rather than a sentence."""
        number = self.was.lstrip("-").isdigit() or self.was in ("true", "false")
        return number or self.second is not None or bool(_WORD.match(self.was))


def list_changeable_yaml_values_of_game(ref: str) -> list[YamlValueChange]:
    """Return every value of a game's files that can be changed in place; layouts and claims are left
    out."""
    folder = require_game_folder(ref)
    looks = find_layout_folder_of_game(folder)
    files = [
        path
        for path in sorted(folder.glob("**/*.yaml"))
        if path.stem not in LEFT_OUT and not path.is_relative_to(looks)
    ]
    return list_changeable_yaml_values_of_files(files)


def list_exchanges_of_effects_between_cards(ref: str) -> list[YamlValueChange]:
    """Return for each list of effects that stands on one line its exchange with the next other one in the same
    place of another card: an effect is printed on the wrong card."""
    values: list[YamlValueChange] = []
    for file in sorted(require_game_folder(ref).glob("*.yaml")):
        if file.stem in LEFT_OUT:
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        groups: dict[tuple[str, ...], list[YamlValueChange]] = defaultdict(list)
        for keys, node in _iter_lists_of_mappings(read_yaml_file(file), ()):
            line, column = node.where.line, node.where.column
            raw = _get_bracketed_list_at_start_or_empty(lines[line - 1][column - 1 :])
            if raw and keys[0] == "components":
                groups[drop_ids_and_list_positions_of_keys(keys)].append(
                    YamlValueChange(file, line, column, keys, raw, raw)
                )
        for group in groups.values():
            for n, value in enumerate(group):
                later = (other for other in group[n + 1 :] if other.was != value.was and other.line != value.line)
                other = next(later, None)
                if other is not None:
                    values.append(replace(value, other=other.was, second=(other.line, other.column)))
    return values


def _iter_lists_of_mappings(
    node: YamlNode, keys: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], YamlNode]]:
    """Yield every list of mappings, outermost first."""
    if node.items and all(item.entries for item in node.items):
        yield keys, node
        return
    for key, entry in node.entries.items():
        yield from _iter_lists_of_mappings(entry.node, (*keys, key))


def _get_bracketed_list_at_start_or_empty(text: str) -> str:
    """Return the list in brackets that a text begins with, "" if it does not end there."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth == 0:
            return text[: place + 1] if letter == "]" else ""
    return ""


def list_changeable_yaml_values_of_files(files: Sequence[Path]) -> list[YamlValueChange]:
    """Return every value of these files, each with a replacement: a neighbouring number, the other
    boolean, another name used in the same role, or a longer text."""
    nodes = {path: read_yaml_file(path) for path in files}
    used: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for _, keys, node in _iter_scalars_of_files(nodes):
        if isinstance(node.value, str) and _WORD.match(node.value):
            used[drop_ids_and_list_positions_of_keys(keys)].add(node.value)
    values = []
    for path, keys, node in _iter_scalars_of_files(nodes):
        lines = path.read_text(encoding="utf-8").splitlines()
        line, column = node.where.line, node.where.column
        if _BLOCK.match(lines[line - 1][column - 1 :]):
            line, column = line + 1, len(lines[line]) - len(lines[line].lstrip()) + 1
        anchor = _ANCHOR.match(lines[line - 1][column - 1 :])
        column += anchor.end() if anchor else 0
        raw = _get_raw_text_of_value_in_line(lines[line - 1][column - 1 :], node.value)
        whole = raw in _list_spellings_of_value(node.value) or not isinstance(node.value, str)
        other = (
            _choose_replacement_text_for_value(node.value, used[drop_ids_and_list_positions_of_keys(keys)])
            if whole
            else f"{_strip_quotes_of_raw_value(raw)}x"
        )
        if raw:
            values.append(YamlValueChange(path, line, column, keys, raw, _quote_replacement_like_original(raw, other)))
    return values


def _iter_scalars_of_files(nodes: dict[Path, YamlNode]) -> Iterator[tuple[Path, tuple[str | int, ...], YamlNode]]:
    seen: set[tuple[Path, int, int]] = set()
    for path, root in nodes.items():
        for keys, node in _iter_scalars_below(root, ()):
            at = (path, node.where.line, node.where.column)
            if at not in seen:  # an alias stands where its anchor does
                seen.add(at)
                yield path, keys, node


def _iter_scalars_below(
    node: YamlNode, keys: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], YamlNode]]:
    for key, entry in node.entries.items():
        yield from _iter_scalars_below(entry.node, (*keys, key))
    for number, item in enumerate(node.items):
        yield from _iter_scalars_below(item, (*keys, number))
    if not node.entries and not node.items and not isinstance(node.value, dict | tuple) and node.value is not None:
        yield keys, node


def drop_ids_and_list_positions_of_keys(yaml_keys: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return what values in the same role share: the keys that lead to them, without the id of a
    component or term and without list positions."""
    own = {"components": 1, "terms": 2}.get(str(yaml_keys[0]), -1)
    return tuple(key for n, key in enumerate(yaml_keys) if isinstance(key, str) and n != own)


def _choose_replacement_text_for_value(value: object, names_in_same_role: set[str]) -> str:
    """Return a text that may replace a value."""
    if isinstance(value, bool):
        return "false" if value else "true"
    if isinstance(value, int):
        return str(value + 1)
    if isinstance(value, float):
        return str(round(value + 0.1, 6))
    text = str(value)
    others = sorted(names_in_same_role - {text})
    if _WORD.match(text) and others:
        return next((other for other in others if other > text), others[0])
    if _COLOUR.match(text):
        return text[:-1] + ("1" if text[-1] == "0" else "0")
    number = _NUMBER.search(text)
    if number:
        above = str(int(number[0]) + 1).zfill(len(number[0]))
        return f"{text[: number.start()]}{above}{text[number.end() :]}"
    return f"{text}x"


def _list_spellings_of_value(value: object) -> tuple[str, ...]:
    """Return the ways to write a value on one line."""
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    return f'"{plain}"', f"'{plain}'", plain


def _get_raw_text_of_value_in_line(line_text: str, value: object) -> str:
    """Return the value as its line writes it; for a longer text, the rest of its first line."""
    whole = next(
        (written for written in _list_spellings_of_value(value) if written and line_text.startswith(written)), ""
    )
    if whole:
        return whole
    if not isinstance(value, str):  # `+30`, `True`
        plain = _PLAIN.match(line_text)
        return plain[0] if plain else ""
    quoted = _QUOTED.match(line_text)
    return quoted[0] if quoted else line_text.rstrip()


def _strip_quotes_of_raw_value(raw: str) -> str:
    """Return the text without quotes."""
    if raw[:1] not in _QUOTES:
        return raw
    return raw[1:-1] if len(raw) > 1 and raw[-1] == raw[0] else raw[1:]


def _quote_replacement_like_original(raw: str, replacement: str) -> str:
    return f"{raw[0]}{replacement}{raw[0]}" if raw[0] in _QUOTES else replacement


def override_file_by_value_change(value_change: YamlValueChange) -> AbstractContextManager[None]:
    """While the context lasts, this process reads the value's replacement; the file itself stays
    unchanged."""
    text = value_change.file.read_text(encoding="utf-8")
    return override_file_content_in_block(value_change.file, apply_value_change_to_text(text, value_change))


def apply_value_change_to_text(text: str, value_change: YamlValueChange) -> str:
    """Return a file's text with one of its values replaced."""
    lines = text.split("\n")
    _replace_text_in_one_line(lines, value_change.line, value_change.column, value_change.was, value_change.other)
    if value_change.second is not None:
        _replace_text_in_one_line(lines, *value_change.second, value_change.other, value_change.was)
    return "\n".join(lines)


def _replace_text_in_one_line(
    file_lines: list[str], line_number: int, column: int, old_text: str, new_text: str
) -> None:
    text, start = file_lines[line_number - 1], column - 1
    file_lines[line_number - 1] = text[:start] + new_text + text[start + len(old_text) :]


# -- cards that carry ----------------------------------------------------------------------------------------
# Which cards carry a "no": each number on each card raised and lowered by one, alone, and the claim asked
# again.


@dataclass(frozen=True)
class ChangedNumberAnswer:
    """A number of a card, changed by one, and the answer to the claim with it."""

    value: YamlValueChange
    answer: Answer

    @property
    def text_with_answer(self) -> str:
        """Return the change with its answer: `effects.0.gain.food: 2 for 1: yes`."""
        known = self.answer.verdict is not Verdict.UNKNOWN
        return f"{self.value.change_text}: {format_value_for_people(self.answer.value) if known else 'open'}"


@dataclass(frozen=True)
class CardInfluence:
    """A card, and what its numbers do to a "no": those that make it a yes (`better`), those whose answer is `open`, and
    how many were tried."""

    card: str
    better: tuple[ChangedNumberAnswer, ...]
    open: tuple[ChangedNumberAnswer, ...]
    tried: int

    def format_lines_under_card_name(self, name: str) -> str:
        """Return the card under a name as lines, one for each number that matters or is open."""
        return "\n".join(f"{name:<24} {changed.text_with_answer}" for changed in (*self.better, *self.open))

    def to_json_values(self) -> dict[str, Any]:
        """Return the card as JSON data."""
        better = [{"change": changed.value.change_text, "value": changed.answer.value} for changed in self.better]
        return {
            "card": self.card,
            "better": better,
            "open": [changed.value.change_text for changed in self.open],
            "tried": self.tried,
        }


def iter_influence_of_cards_on_denial(
    run: VerifierRun, denial: DeniedClaim, *, only: Sequence[str] = (), work: float, progress: Progress | None = None
) -> Iterator[CardInfluence]:
    """Yield each card that the claim's rules read, or those named by `only`, with what its numbers do to a claim that
    is no. Numbers that the rules do not read, and changes that the game refuses, are left out. Raises InputError if no
    card has a number and such a name."""
    by_card: dict[str, list[YamlValueChange]] = {}
    for value in list_changeable_yaml_values_of_game(run.ref):
        # a list of kinds has no ids
        if value.component_id_or_empty and isinstance(value.path[1], str) and value.was.isdecimal():
            by_card.setdefault(value.component_id_or_empty, []).append(value)
    unknown = [card for card in only if card not in by_card]
    if unknown:
        message = f"there is no card {', '.join(unknown)} with a number"
        raise InputError.from_single_finding(
            "PP704",
            Where(make_path_relative_to_working_folder(Path(run.ref))),
            message,
            f"one of: {', '.join(by_card)}",
        )
    if only:
        by_card = {card: by_card[card] for card in only}
    for card, numbers in by_card.items():
        answered = [
            changed
            for value in numbers
            for by in (1, -1)
            if (changed := _answer_with_changed_number_or_none(run, denial, value, by, work, progress))
        ]
        if answered:
            better = tuple(each for each in answered if is_answer_better_than_usual(each.answer, denial.usual))
            still = tuple(each for each in answered if each.answer.verdict is Verdict.UNKNOWN)
            yield CardInfluence(card, better, still, len(answered))


def _answer_with_changed_number_or_none(
    run: VerifierRun,
    denial: DeniedClaim,
    value_change: YamlValueChange,
    increment: int,
    work_limit: float,
    progress: Progress | None,
) -> ChangedNumberAnswer | None:
    """Return the answer to the claim with a number changed by so much; None if the game refuses it, or if the claim's
    rules do not notice."""
    changed = replace(value_change, other=str(int(value_change.was) + increment))
    other = VerifierRun(run.ref, machine=run.machine, context=run.context)
    with override_file_by_value_change(changed):
        try:
            game = other.get_or_build_case_of_question(denial.question).game
        except REFUSALS:
            return None
        usual_game = run.get_or_build_case_of_question(denial.question).game
        usual = read_meaning_of_game(usual_game)
        if not usual.list_claims_that_change_touches([denial.question], read_meaning_of_game(game)):
            return None
        budget = Budget(denial.question.budget or work_limit, progress=progress)
        budget.report_progress_line(f"{value_change.component_id_or_empty}: {changed.change_text}")
        with other.offer_evidence_of_other_setting(denial.question, denial.settings, usual_game):
            answer = other.answer_claim_and_write_evidence(denial.question, denial.claims, budget)
        return ChangedNumberAnswer(changed, answer)
