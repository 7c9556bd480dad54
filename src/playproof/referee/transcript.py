"""Transcripts: a match as readable text that can be read back, line for line, and campaigns, whose
games follow each other and are saved as the transcripts of these games.

    playproof transcript 1
    game: some_game
    option chapter: 0
    ruling A11: heart
    seed: 7
    description: 5b1f0c...
    seat 1: person

      1  1/chance: draw 003
      2  1/player: choose option A of 003

    end: the goal is complete | 1

`description:` is the digest of the description that the game was played by. `game:` is the name of a bundled game,
or of the folder of another. It is never a path: a file must not say whose rules are run. After the header, each action
has one line: its number, `round/actor:`, its words. A person who writes by hand may leave out number, round and actor;
the reader checks those that are present. `#` starts a comment. `end:` gives the ending's reason and each seat's return;
a game without it is unfinished. Games of people may have lines `minutes: 43`, `tag NAME: WORDS` and
`survey QUESTION: NUMBER`. `seconds: - 4.2 11` has a number per action line: how long it was waited for (`-`: not
known, or chance). A campaign is several such games behind each other.

After a win the next game begins with what is carried on; after a loss the same game, or another one, begins
again. A campaign is saved as the transcripts of its games, one behind the other, and judged in that order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from playproof.database.errors import Finding, FindingCollector, InputError, Where, make_path_relative_to_working_folder
from playproof.database.files import write_file_atomically
from playproof.database.source import MOST_RECORDED, decode_utf8_without_byte_mark, read_limited_plain_file_or_raise
from playproof.language.game import Game
from playproof.language.registry import get_name_recorded_for_game
from playproof.referee.events import has_automatic_phase_revealing_hidden_cells
from playproof.referee.match import Match
from playproof.referee.notation import ActionLexicon, find_seat_or_chance_by_name_or_none, seat_name
from playproof.referee.variant import Variant

# Transcripts: a match as readable text that can be read back, line for line.

VERSION = 1
_FIRST = re.compile(r"playproof transcript (\d{1,9})\Z")
_HEADER = re.compile(r"(game|seed|description|minutes|seconds|(?:option|ruling|seat|tag|survey) +[^:]+?) *:(.*)\Z")
_NUMBER = re.compile(r"(\d{1,9})[.)]?\s+")
_LABELLED = re.compile(r"(?:(?P<number>\d{1,9})[.)]?\s+)?(?:(?P<round>\d{1,9})/)?(?P<actor>[^:/]+):\s+(?P<words>.+)\Z")


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One action line as written."""

    where: Where
    text: str


@dataclass(frozen=True, slots=True)
class MoveLine:
    """The content of an action line: number, round and actor (None for each that the line does
    not have), and the words of the action."""

    number: int | None
    round: int | None
    actor: str | None
    words: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript as written, not yet checked against the rules. `digest` is of the description."""

    game: str
    options: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    seats: Mapping[int, str] = field(default_factory=dict)
    seed: int = 0
    seed_where: Where | None = None
    digest: str = ""
    entries: tuple[TranscriptEntry, ...] = ()
    end: str | None = None
    end_where: Where | None = None
    where: Where = field(default=Where("<transcript>"))
    tags: Mapping[str, str] = field(default_factory=dict)
    survey: Mapping[str, float] = field(default_factory=dict)
    minutes: float | None = None
    seconds: tuple[float | None, ...] = ()


# -- writing --------------------------------------------------------------------------------------------------------


def write(match: Match, note: str = "", *, seed: bool = True) -> str:
    """Return the match as text, with the lines of `note` as comments, and what phases show of hidden cells. Without
    `seed`, the text does not hold the seed, from which a reader could compute what chance brings."""
    variant, game = match.variant, match.game
    lines = [
        f"playproof transcript {VERSION}",
        *(f"# {line}" for line in note.splitlines()),
        f"game: {get_name_recorded_for_game(variant.ref)}",
    ]
    lines += [f"option {name}: {value}" for name, value in variant.options.items()]
    lines += [f"ruling {name}: {value}" for name, value in variant.rulings.items()]
    lines += [f"seed: {match.seed}"] if seed else []
    lines.append(f"description: {variant.digest}")
    lines += [f"seat {number}: {who}" for number, who in enumerate(match.seats, 1)]
    waits = [
        "-" if wait is None or step.actor < 0 else f"{wait:.1f}"
        for step, wait in zip(match.steps, match.waits, strict=True)
    ]
    lines += [f"seconds: {' '.join(waits)}"] if set(waits) - {"-"} else []
    lines.append("")
    for number, (step, state) in enumerate(zip(match.steps, match.states, strict=False), 1):
        words = match.lexicon.format_action_numbered_if_ambiguous(step.ident, match.play.legal(state))
        turn = "" if step.round is None else f"{step.round}/"
        lines.append(f"{number:4}  {turn}{seat_name(game, step.actor)}: {words}")
        lines += [f"# {shown}" for shown in list_words_on_newly_revealed_cells(match, number - 1)]
    if match.ending is not None:
        lines += ["", f"end: {format_ending_reason_and_returns(match)}"]
    return "\n".join(lines) + "\n"


def list_words_on_newly_revealed_cells(match: Match, step_index: int) -> list[str]:
    """Return what automatic phases after a step show to all of hidden cells, in words."""
    if not has_automatic_phase_revealing_hidden_cells(match.game):
        return []
    texts = {phase.name: phase.text for phase in match.game.phases}
    events = match.heard(step_index)[1:]
    return [event.words for event in events if event.action and event.words != texts[event.action]]


def format_ending_reason_and_returns(match: Match) -> str:
    """Return the ending's reason and each seat's return."""
    reason = match.ending.reason if match.ending else ""
    return f"{reason} | {' '.join(map(str, match.returns()))}"


def save(match: Match, path: Path | str, comment_lines: str = "") -> None:
    """Write the transcript. Replaces the file atomically, and makes its folder if missing."""
    write_file_atomically(Path(path), write(match, comment_lines).encode())


# -- reading --------------------------------------------------------------------------------------------------------


def read_transcript_file_or_raise(transcript_file: Path | str) -> Transcript:
    """Read a transcript file. Raises InputError with every finding."""
    short = make_path_relative_to_working_folder(Path(transcript_file))
    return parse_transcript_text_or_raise(_read_transcript_text_or_raise(transcript_file, short), short)


def _read_transcript_text_or_raise(transcript_file: Path | str, path_for_messages: Path) -> str:
    try:
        return decode_utf8_without_byte_mark(
            read_limited_plain_file_or_raise(transcript_file, MOST_RECORDED), path_for_messages
        )
    except OSError as error:
        raise InputError.from_single_finding(
            "PP604", Where(path_for_messages), f"cannot read this file: {error.strerror or error}"
        ) from None


def parse_transcript_text_or_raise(text: str, file_for_messages: Path | str = "<transcript>") -> Transcript:
    """Read a transcript's text. Raises InputError with every finding about its form."""
    return _TranscriptParser(file_for_messages).parse_or_raise_findings(text)


def read_transcripts_of_file_or_raise(transcript_file: Path | str) -> list[Transcript]:
    """Read a file of one transcript or, for a campaign, several behind each other.

    Raises InputError as `read_transcript_file_or_raise`."""
    short = make_path_relative_to_working_folder(Path(transcript_file))
    lines = _read_transcript_text_or_raise(transcript_file, short).lstrip("\ufeff").splitlines()
    starts = [0, *(n for n, line in enumerate(lines) if n and _FIRST.match(line.strip()))]
    ends = [*starts[1:], len(lines)]
    return [
        _TranscriptParser(short, start + 1).parse_or_raise_findings("\n".join(lines[start:end]))
        for start, end in zip(starts, ends, strict=True)
    ]


class _TranscriptParser:
    """One pass over the lines: first the header, then actions, then the end."""

    def __init__(self, file: Path | str, first: int = 1) -> None:
        """Begin a part whose first line has the number `first` in the file."""
        self.file, self.first = file, first
        self.collector = FindingCollector()
        self.header: dict[str, tuple[str, Where]] = {}
        self.entries: list[TranscriptEntry] = []
        self.end: tuple[str, Where] | None = None

    def parse_or_raise_findings(self, transcript_text: str) -> Transcript:
        lines = transcript_text.lstrip("\ufeff").splitlines()
        first_line = lines[0].strip() if lines else ""
        self._require_supported_version(first_line)
        for number, raw in enumerate(lines[1:], self.first + 1):
            line = raw.strip()
            if line and not line.startswith("#"):
                self._parse_header_action_or_end_line(line, Where(self.file, number, len(raw) - len(raw.lstrip()) + 1))
        if "game" not in self.header:
            self.collector.add_finding(
                "PP605", Where(self.file, self.first), "expected a line `game: NAME`, found none"
            )
        seed = self._parse_whole_number_header_or_zero("seed")
        survey = {
            key.partition(" ")[2]: self._parse_decimal_header_or_zero(key)
            for key in self.header
            if key.startswith("survey ")
        }
        minutes = self._parse_decimal_header_or_zero("minutes") if "minutes" in self.header else None
        seconds = self._parse_seconds_per_action()
        self.collector.raise_if_errors()
        seats = {
            int(n): who for n, who in self._get_header_values_by_name("seat").items() if re.fullmatch(r"\d{1,9}", n)
        }
        seed_where = self.header["seed"][1] if "seed" in self.header else None
        end, end_where = self.end or (None, None)
        return Transcript(
            game=self.header["game"][0],
            options=self._get_header_values_by_name("option"),
            rulings=self._get_header_values_by_name("ruling"),
            seats=seats,
            seed=seed,
            seed_where=seed_where,
            digest=self.header.get("description", ("",))[0],
            entries=tuple(self.entries),
            end=end,
            end_where=end_where,
            where=Where(self.file, self.first),
            tags=self._get_header_values_by_name("tag"),
            survey=survey,
            minutes=minutes,
            seconds=seconds,
        )

    def _require_supported_version(self, first_line: str) -> None:
        match = _FIRST.match(first_line)
        where = Where(self.file, self.first)
        if not match:
            self.collector.add_finding(
                "PP605", where, f"expected `playproof transcript {VERSION}`, found `{first_line[:60]}`"
            )
        elif int(match[1]) != VERSION:
            self.collector.add_finding(
                "PP605", where, f"expected version {VERSION} of transcripts, found version {match[1]}"
            )
        self.collector.raise_if_errors()

    def _parse_header_action_or_end_line(self, line: str, where: Where) -> None:
        if line.startswith("end:"):
            self.end = (line[4:].strip(), where)
        elif self.end:
            more = "the next game of a campaign" if _FIRST.match(line) else "another line"
            self.collector.add_finding("PP605", where, f"expected nothing after `end:`, found {more}")
        elif not self.entries and (header := _HEADER.match(line)):
            key = " ".join(header[1].split())
            if key in self.header:
                self.collector.add_finding("PP605", where, f"`{key}` stands twice")
            self.header[key] = (header[2].strip(), where)
        else:
            self.entries.append(TranscriptEntry(where, line))

    def _get_header_values_by_name(self, header_kind: str) -> dict[str, str]:
        start = f"{header_kind} "
        return {key[len(start) :]: value for key, (value, _) in self.header.items() if key.startswith(start)}

    def _parse_seconds_per_action(self) -> tuple[float | None, ...]:
        if "seconds" not in self.header:
            return ()
        text, where = self.header["seconds"]
        words = text.split()
        if len(words) != len(self.entries):
            fault = f"expected a number per action after `seconds:`, {len(self.entries)}, found {len(words)}"
            self.collector.add_finding("PP605", where, fault)
            return ()
        return tuple(
            None if word == "-" else self._parse_decimal_or_note_error_as_zero("seconds", word, where) for word in words
        )

    def _parse_decimal_header_or_zero(self, header_key: str) -> float:
        return self._parse_decimal_or_note_error_as_zero(header_key, *self.header[header_key])

    def _parse_decimal_or_note_error_as_zero(self, header_key: str, text: str, where: Where) -> float:
        if re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", text):
            return float(text)
        self.collector.add_finding("PP605", where, f"expected a number after `{header_key}:`, found `{text}`")
        return 0.0

    def _parse_whole_number_header_or_zero(self, header_key: str) -> int:
        text, where = self.header.get(header_key, ("0", Where(self.file, self.first)))
        if re.fullmatch(r"-?\d{1,4000}", text):
            return int(text)
        self.collector.add_finding("PP605", where, f"expected a whole number after `{header_key}:`, found `{text}`")
        return 0


def split_action_line_into_parts(action_line: TranscriptEntry, game: Game, lexicon: ActionLexicon) -> MoveLine:
    """Split an action line into its parts.

    Actions may begin with a number or contain a colon. So text that can be read as an action is
    one, unless a known actor's name comes before it.
    """
    labelled = _LABELLED.match(action_line.text)
    if labelled and find_seat_or_chance_by_name_or_none(game, labelled["actor"]) is not None:
        return _make_move_line_from_regex(labelled)
    if lexicon.list_action_ids_of_exact_wording(action_line.text):
        return MoveLine(None, None, None, action_line.text)
    number = _NUMBER.match(action_line.text)
    if number and lexicon.list_action_ids_of_exact_wording(action_line.text[number.end() :]):
        return MoveLine(int(number[1]), None, None, action_line.text[number.end() :])
    return _make_move_line_from_regex(labelled) if labelled else MoveLine(None, None, None, action_line.text)


def _make_move_line_from_regex(match: re.Match[str]) -> MoveLine:
    number, round_ = (int(match[key]) if match[key] else None for key in ("number", "round"))
    return MoveLine(number, round_, match["actor"].strip(), match["words"])


# -- campaign ------------------------------------------------------------------------------------------------
# Campaigns: games that follow each other, as the fact `campaign` of each says.


@dataclass(frozen=True)
class NextGame:
    """The game that may follow a finished one. `things` are the names of what is carried into it; the first
    `ordered` of them may change places."""

    won: bool
    options: Mapping[str, str]
    into: str
    things: tuple[str, ...]
    ordered: int

    def build_variant_of_next_game(self, finished_variant: Variant, names_in_order: Sequence[str] = ()) -> Variant:
        """Return the following game, with the ordered things in this order (default: as they stand).

        Raises ValueError if `names_in_order` does not name each of them once.
        """
        first = self.things[: self.ordered]
        if names_in_order and sorted(names_in_order) != sorted(first):
            raise ValueError(
                f"expected each of {', '.join(first) or 'nothing'} once, found {', '.join(names_in_order)}"
            )
        options = {**finished_variant.options, **self.options}
        if self.won and self.into:
            options[self.into] = " ".join((*(names_in_order or first), *self.things[self.ordered :]))
        return Variant(
            finished_variant.ref, {name: text for name, text in options.items() if text != ""}, finished_variant.rulings
        )

    def is_variant_this_next_game(self, finished_variant: Variant, variant: Variant) -> bool:
        """Return whether a game is this one, in one of the orders that the player may choose."""
        words = variant.options.get(self.into, "").replace(",", " ").split()[: self.ordered]
        try:
            wanted = self.build_variant_of_next_game(finished_variant, words)
        except ValueError:
            return False
        return _normalize_options_and_rulings(wanted) == _normalize_options_and_rulings(variant)


def get_next_game_of_campaign_or_none(match: Match) -> NextGame | None:
    """Return the game that follows a match; None if it is not over, or nothing follows it."""
    declared: Mapping[str, Any] = match.game.facts.get("campaign", {})
    if not declared or match.ending is None:
        return None
    if match.ending.kind != "win":
        return NextGame(False, declared.get("lost", {}), declared.get("into", ""), (), 0)
    if "won" not in declared:
        return None
    carried = [
        name for name, term in declared.get("carried", {}).items() if _is_term_nonzero_in_present_state(match, term)
    ]
    ordered = [name for name in carried if name in declared.get("ordered", ())]
    things = (*ordered, *(name for name in carried if name not in ordered))
    return NextGame(True, declared["won"], declared.get("into", ""), things, len(ordered))


def start_next_campaign_match_or_none(match: Match, seed: int, names_in_order: Sequence[str] = ()) -> Match | None:
    """Return the match that follows, with a seed of its own; None if none does."""
    after = get_next_game_of_campaign_or_none(match)
    if after is None:
        return None
    return Match(after.build_variant_of_next_game(match.variant, names_in_order), seed, seats=match.seats)


StoryMoment = Literal["before", "after"]
"""Before a game, or after a game that was won."""


def iter_titles_and_paragraphs_of_story(match: Match, moment: StoryMoment) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield title and paragraphs of each page that is told at a moment: none after a game that was not won."""
    declared: Mapping[str, Any] = match.game.facts.get("campaign", {})
    if moment == "before" or (match.ending is not None and match.ending.kind == "win"):
        yield from ((title, tuple(lines)) for title, lines in declared.get(moment, {}).items())


def describe_next_campaign_game_or_empty(match: Match, names_in_order: Sequence[str] = ()) -> str:
    """Return in words which game follows and what is carried into it, in this order; "" if none does."""
    after = get_next_game_of_campaign_or_none(match)
    if after is None:
        return ""
    variant = after.build_variant_of_next_game(match.variant)
    chosen = {**after.options, **({} if after.options else variant.options)}
    name = " ".join(f"{option} {text}" for option, text in chosen.items() if text and option != after.into)
    title = f"{name[:1].upper()}{name[1:]}" if name else "The game"
    if not after.won:
        return f"{title} begins again"
    things = (*(names_in_order or after.things[: after.ordered]), *after.things[after.ordered :])
    carried = ", ".join(_list_carried_names_with_titles(match.variant, things)) or "nothing carried on"
    return f"{title} begins with {carried}"


def format_matches_as_transcripts(matches: Sequence[Match]) -> str:
    """Return the games of a campaign as transcripts, one behind the other."""
    return "\n".join(map(write, matches))


def save_matches_as_transcripts(matches: Sequence[Match], transcript_file: Path | str) -> None:
    """Write a campaign whole or not at all."""
    write_file_atomically(Path(transcript_file), format_matches_as_transcripts(matches).encode())


def add_findings_on_wrong_campaign_order(
    transcripts_with_matches: Sequence[tuple[Transcript, Match]], findings: list[Finding]
) -> None:
    """Add a finding (PP612) for each game that is not the one that follows the game before it."""
    collector = FindingCollector(findings)
    for (_, before), (written, match) in pairwise(transcripts_with_matches):
        after = get_next_game_of_campaign_or_none(before)
        if after is None:
            why = "that game is not over" if not before.over else "no game follows that one"
            collector.add_finding("PP612", written.where, f"expected one game, found a second one behind it; {why}")
        elif before.game.name != match.game.name or not after.is_variant_this_next_game(before.variant, match.variant):
            wanted, actual = (
                _format_variant_with_settings(after.build_variant_of_next_game(before.variant)),
                _format_variant_with_settings(match.variant),
            )
            collector.add_finding("PP612", written.where, f"expected the game that follows, {wanted}; found {actual}")


def _is_term_nonzero_in_present_state(match: Match, term: Any) -> bool:
    value = term if isinstance(term, int) else match.play.value(term, match.state)
    return value != 0


def _list_carried_names_with_titles(variant: Variant, carried_names: Sequence[str]) -> list[str]:
    """The things by number and title, where the cards give one."""
    cards = getattr(variant.data, "components", {})
    return [f"{thing} {cards[thing].name}" if thing in cards else thing for thing in carried_names]


def _normalize_options_and_rulings(variant: Variant) -> tuple[dict[str, str], dict[str, str]]:
    options = {name: " ".join(text.replace(",", " ").split()) for name, text in variant.options.items()}
    return {name: text for name, text in options.items() if text}, dict(variant.rulings)


def _format_variant_with_settings(variant: Variant) -> str:
    options, rulings = _normalize_options_and_rulings(variant)
    return ", ".join([variant.name, *(f"{n}: {text}" for n, text in {**options, **rulings}.items())])
