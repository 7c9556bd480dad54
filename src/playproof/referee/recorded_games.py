"""Recorded games: finds the game that a file records, reads files of several, and accepts each or
names the first illegal move with its rule and its line.

A file never says whose rules are run. They are those of a game that a person has named, of an installed game, or none:
archives are read without their Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    Where,
    format_game_reference_for_people,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.game import Game as Cards, has_game_file_or_printable_sheets
from playproof.database.recorded_games import RecordedGameSpec, RecordedGamesSpec
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.yaml_models import validate_node_or_record_findings
from playproof.language import CHANCE, BoundsError
from playproof.language.archive import (
    FOLDER,
    RULES,
    extract_archive_to_cache_folder,
    load_descriptions_unless_rules_exist,
    read_game_name_in_archive_or_empty,
)
from playproof.language.description import DescriptionError, digest
from playproof.language.options import OptionError, Options
from playproof.language.random import Stream
from playproof.language.registry import (
    UnknownGame,
    build,
    get_name_recorded_for_game,
    is_game_recorded_under_name,
    is_name_of_bundled_game,
)
from playproof.language.watched_source import DEAD_END, get_declared_invariants
from playproof.referee.errors import LengthError, MoveError, NotLegal
from playproof.referee.match import Match
from playproof.referee.notation import find_seat_or_chance_by_name_or_none, seat_name, seat_names
from playproof.referee.transcript import (
    MoveLine,
    Transcript,
    TranscriptEntry,
    add_findings_on_wrong_campaign_order,
    format_ending_reason_and_returns,
    read_transcripts_of_file_or_raise,
    split_action_line_into_parts,
)
from playproof.referee.variant import Variant

# -- judging -------------------------------------------------------------------------------------------------
# The judge: it accepts a recorded game or names the first illegal move with its rule and its line.

_QUICK = {"random", "greedy"}


def judge(path: Path | str, *, check: bool = False, game: str | None = None) -> list[Finding]:
    """List what is wrong with a recorded game. The game is accepted if no finding is an error.

    A file names its game and never says whose rules are run. They are those of `game`, which is the folder of a game
    that is not installed, if that game has this name, else those of the installed game of this name. A campaign is
    judged game by game; each must be the one that follows the game before it (PP612). With `check`, it also checks
    after every move that the game's invariants hold and that somebody can act (PP610). A warning (PP608) says that the
    rules or cards have changed since the game was recorded. Raises InputError if the file is not a transcript.
    """
    findings: list[Finding] = []
    _replay_file_adding_findings(path, game, findings, check_invariants=check)
    return findings


def format_judge_command(variant: Variant) -> str:
    """Return the command that judges games of this variant, without its other words."""
    if is_name_of_bundled_game(variant.ref):
        return "playproof log judge"
    return f"playproof log judge --game {format_game_reference_for_people(variant.ref)}"


def get_next_actor_name_or_none(game_file: Path | str, game_folder: str | None = None) -> str | None:
    """Return who acts next in a recorded game; None if the game has ended or is not accepted."""
    findings: list[Finding] = []
    matches = _replay_file_adding_findings(game_file, game_folder, findings)
    if not matches or matches[-1].over or any(f.severity == "error" for f in findings):
        return None
    match = matches[-1]
    return seat_name(match.game, match.actor) if match.legal() else "nobody"


def load(path: Path | str, game: str | None = None, cards: Cards | None = None) -> Match:
    """Return the match that a file records, the last one of a campaign, ready to continue; `game` as
    for `judge`; `cards` are those of another version than the one in force. Raises InputError if anything in it is
    wrong."""
    return load_campaign_matches_or_raise(path, game, cards=cards)[-1]


def load_campaign_matches_or_raise(
    game_file: Path | str,
    game_folder: str | None = None,
    report_warning: Callable[[str], object] = str,
    cards: Cards | None = None,
) -> list[Match]:
    """Return the matches of a campaign in order; `game_folder` and `cards` as for `load`. Each warning is given to
    `report_warning`. Raises InputError if anything in the file is wrong."""
    findings: list[Finding] = []
    matches = _replay_file_adding_findings(game_file, game_folder, findings, cards=cards)
    if not matches or any(f.severity == "error" for f in findings):
        raise InputError(findings)
    for finding in findings:
        report_warning(str(finding))
    return matches


def _replay_file_adding_findings(
    game_file: Path | str,
    game_folder: str | None,
    findings: list[Finding],
    *,
    check_invariants: bool = False,
    cards: Cards | None = None,
) -> list[Match]:
    """Play each game of a file, of a campaign until one is wrong, and return the matches so far. Appends to
    `findings`."""
    parts: list[tuple[Transcript, Match]] = []
    campaign = Path(game_file).suffix != ".json"  # games in JSON are apart from each other
    for written in read_games_from_transcripts_or_json(game_file):
        match = replay_transcript_or_add_findings(
            written, findings, check_invariants=check_invariants, game_folder=game_folder, cards=cards
        )
        if match is not None:
            parts.append((written, match))
        if not campaign:
            continue
        add_findings_on_wrong_campaign_order(parts[-2:], findings)
        if match is None or any(f.severity == "error" for f in findings):
            break
    return [match for _, match in parts]


def replay_transcript_or_add_findings(
    transcript: Transcript,
    findings: list[Finding],
    *,
    check_invariants: bool = False,
    game_folder: str | None = None,
    cards: Cards | None = None,
) -> Match | None:
    """Play a transcript move by move until it ends or breaks a rule; `game_folder` and `cards` as for `load`. Returns
    the match so far, or None if it cannot be set up; appends to `findings`."""
    collector = FindingCollector(findings)
    match = _make_match_of_transcript_or_add_finding(transcript, game_folder, collector, cards)
    if match is None:
        return None
    for number, entry in enumerate(transcript.entries, 1):
        if not _apply_entry_or_add_finding(match, entry, number, collector) or (
            check_invariants and not _check_invariants_adding_findings(match, entry, number, collector)
        ):
            return match
    _add_finding_if_ending_differs(match, transcript, collector)
    _add_finding_if_chance_differs_from_seed(match, transcript, collector)
    return match


def _make_match_of_transcript_or_add_finding(
    transcript: Transcript, game_folder: str | None, collector: FindingCollector, cards: Cards | None
) -> Match | None:
    options, rulings = dict(transcript.options), dict(transcript.rulings)
    try:
        ref = _find_game_reference_or_raise(transcript, game_folder)
        if cards is None:
            variant = Variant(ref, options, rulings)
        else:
            variant = Variant.from_loaded_cards(ref, cards, {**options, **rulings})
        match = Match(variant, transcript.seed, seats=tuple(transcript.seats.values()))
    except UnknownGame as error:
        collector.add_finding("PP606", transcript.where, str(error), _make_game_folder_hint(game_folder))
        return None
    except OptionError as error:
        collector.add_finding("PP606", transcript.where, str(error))
        return None
    for number in transcript.seats:
        if not 1 <= number <= match.game.players:
            collector.add_finding(
                "PP606",
                transcript.where,
                f"expected seats up to {match.game.players}, found `seat {number}`",
                "seats are counted from 1",
            )
    message = describe_digest_change_or_empty(variant, transcript.digest)
    if message:
        hint = "moves may mean something else now; --game FOLDER names another game of this name"
        collector.add_finding("PP608", transcript.where, message, hint, "warning")
    return match


def _find_game_reference_or_raise(transcript: Transcript, game_or_archive_folder: str | None) -> str:
    """Return what finds the game of a transcript: the one that is named, or an installed one, or an archive in the
    working directory or in the folder that is named. Raises UnknownGame."""
    recorded = RecordedGame(transcript.game, transcript.digest, transcript.options, transcript.rulings)
    if game_or_archive_folder is None or not is_folder_of_archives_and_no_game(game_or_archive_folder):
        return find_game_reference_of_record_or_raise(
            recorded, [] if game_or_archive_folder is None else [game_or_archive_folder], [Path()]
        )
    return find_game_reference_of_record_or_raise(recorded, archive_folders=[Path(), Path(game_or_archive_folder)])


def describe_digest_change_or_empty(variant: Variant, recorded_digest: str) -> str:
    """Return how a game differs from the recorded digest of its description; "" if it does not, and for a
    record without a digest."""
    if recorded_digest in ("", variant.digest):
        return ""
    return (
        f"recorded with a game of digest {recorded_digest[:16]}; its rules or cards have changed, "
        f"they now have {variant.digest[:16]}"
    )


def _make_game_folder_hint(game_folder: str | None) -> str:
    """Return how to name the folder of a game that is not installed, or how the one that was named is called."""
    if game_folder is None:
        return "--game FOLDER names the folder of a game that is not installed"
    return (
        f"the game in {game_folder} is called `{get_name_recorded_for_game(game_folder)}`; the line "
        f"`game:` names another"
    )


def _apply_entry_or_add_finding(
    match: Match, transcript_entry: TranscriptEntry, move_number: int, collector: FindingCollector
) -> bool:
    """Take one entry. Returns False and adds a finding if the entry cannot stand."""
    line = split_action_line_into_parts(transcript_entry, match.game, match.lexicon)
    wrong = _describe_wrong_line_and_hint_or_none(match, line, move_number)
    if wrong:
        collector.add_finding("PP607", transcript_entry.where, *wrong)
        return False
    try:
        match.apply(line.words)
    except NotLegal as error:
        actor = "" if match.over else f" by {seat_name(match.game, match.actor)}"
        collector.add_finding(error.code, transcript_entry.where, f"move {move_number}{actor}: {error.message}")
        return False
    except MoveError as error:
        hint = getattr(error, "near", ())
        collector.add_finding(
            error.code,
            transcript_entry.where,
            f"move {move_number}: {error.message}",
            make_nearest_or_possible_words_hint(line.words, hint),
        )
        return False
    except (BoundsError, LengthError) as error:
        place = f"{Path(error.place.file).name}:{error.place.line}"
        collector.add_finding(
            error.code,
            transcript_entry.where,
            f"move {move_number}: {error.message}",
            f"a mistake in the rules, {place}",
        )
        return False
    return True


def _check_invariants_adding_findings(
    match: Match, transcript_entry: TranscriptEntry, move_number: int, collector: FindingCollector
) -> bool:
    """Return whether everything that must hold does after a move. Adds a finding for each
    failure."""
    wrong = list_names_of_invariants_failing_now(match)
    for name in wrong:
        what = "nobody can act" if name == DEAD_END else f"the invariant `{name}` does not hold"
        collector.add_finding(
            "PP610", transcript_entry.where, f"after move {move_number}: {what}", "a mistake in the rules"
        )
    return not wrong


def list_names_of_invariants_failing_now(match: Match) -> list[str]:
    """Return the names of what fails in the present state of a match, computed by the
    interpreter."""
    play, state = match.play, match.state
    wrong = [name for name, term in get_declared_invariants(match.game).items() if not play.value(term, state)]
    stuck = not play.terminal(state) and not play.legal(state)
    return wrong + ([DEAD_END] if stuck else [])


def _describe_wrong_line_and_hint_or_none(
    match: Match, move_line: MoveLine, expected_number: int
) -> tuple[str, str] | None:
    """Return (message, hint) if the line's number, actor or round is wrong, else None."""
    if move_line.number is not None and move_line.number != expected_number:
        return f"expected move {expected_number}, found move {move_line.number}", ""
    if match.over:
        return None  # the refusal says that the game is over
    if move_line.actor is not None:
        seat = find_seat_or_chance_by_name_or_none(match.game, move_line.actor)
        if seat is None:
            return f'nobody is called "{move_line.actor}"', make_nearest_or_possible_words_hint(
                move_line.actor, [*seat_names(match.game), "chance"]
            )
        if seat != match.actor:
            return (
                f"{seat_name(match.game, match.actor)} is to act, not {move_line.actor}",
                _describe_current_phase(match),
            )
    if move_line.round is not None and match.round is not None and move_line.round != match.round:
        return f"it is round {match.round}, not {move_line.round}", ""
    return None


def _describe_current_phase(match: Match) -> str:
    phase = match.game.phases[match.state[0]]
    return f"{' '.join(phase.rules)}: {phase.text}" if phase.rules else f"now is: {phase.text}"


def _add_finding_if_ending_differs(match: Match, transcript: Transcript, collector: FindingCollector) -> None:
    if transcript.end is None:
        return
    where = transcript.end_where or Where(transcript.where.file)
    if not match.over:
        who = "chance" if match.actor == CHANCE else seat_name(match.game, match.actor)
        collector.add_finding("PP609", where, f"the transcript ends the game here, but {who} is to act")
    elif " ".join(transcript.end.split()) != format_ending_reason_and_returns(match):
        collector.add_finding(
            "PP609", where, f"expected `end: {format_ending_reason_and_returns(match)}`, found `end: {transcript.end}`"
        )


def _add_finding_if_chance_differs_from_seed(match: Match, transcript: Transcript, collector: FindingCollector) -> None:
    """Check that chance did what the seed says, if the transcript names its seats and a seed.

    A game at the table draws by the seed and the number of the step. A game of a run draws from one
    stream, bots included, so it is played again; if it was continued at the table, the rest draws
    as at the table. If a bot searches, the game is not played again and the seed is not checked.
    """
    if not transcript.seats or transcript.seed_where is None:
        return
    first = match.find_chance_step_unlike_seed()
    if first is not None and set(match.seats) <= _QUICK:
        first = match.find_chance_step_unlike_seed(_count_first_steps_equal_to_simulated_run(match))
    elif first is not None and any(_is_searching_bot(who) for who in match.seats):
        return
    if first is not None:
        step = match.steps[first]
        collector.add_finding(
            "PP611",
            transcript.seed_where,
            f"with seed {match.seed} chance does something else in move "
            f"{first + 1}: {match.game.show(match.draw_chance_action_by_seed(first))}, not {step.text}",
            "leave the line `seed:` out if chance was decided otherwise",
        )


def _is_searching_bot(bot_name: str) -> bool:
    return bot_name.partition(":")[0] in ("mcts", "exact")


def _count_first_steps_equal_to_simulated_run(match: Match) -> int:
    """Return how many first steps equal those of the run's game with this seed and these bots."""
    from playproof.referee.batches import play_game_to_states_actions_and_choices
    from playproof.referee.bots import make_bot
    from playproof.referee.engine import Engine

    names = match.seats if len(match.seats) == match.game.players else ("random",) * match.game.players
    _, actions, _ = play_game_to_states_actions_and_choices(
        Engine(match.game), [make_bot(name) for name in names], Stream(match.seed)
    )
    pairs = zip(actions, match.actions, strict=False)
    return next((n for n, (theirs, ours) in enumerate(pairs) if theirs != ours), min(len(actions), len(match.steps)))


# Finds the game that a file records: by its name, and among several of one name by the digest of its
# description.

_MOST_ARCHIVES = 200
"""Archives of a folder that are looked at."""


@dataclass(frozen=True)
class RecordedGame:
    """What a file says of its game: its name, the digest of its description ("" if a person wrote the file), and
    the setting that it was played under."""

    name: str
    digest: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)

    def has_same_digest_as_game(self, game_ref: str) -> bool:
        """Return whether a game's description under the setting has the recorded digest."""
        described = load_descriptions_unless_rules_exist(game_ref)
        if described is not None:
            return any(self.digest == name for _, name in described.settings)
        try:
            return digest(build(game_ref, Options(dict(self.options), dict(self.rulings)))) == self.digest
        except OptionError:
            return False


def find_game_reference_of_record_or_raise(
    recorded: RecordedGame, preferred_refs: Iterable[str] = (), archive_folders: Iterable[Path] = ()
) -> str:
    """Return what finds a recorded game: among `preferred_refs`, which a person has named and which go first; else
    among the installed games and the archives in some folders. If several have its name, the digest decides. Raises
    UnknownGame."""
    named = [ref for ref in preferred_refs if is_game_recorded_under_name(ref, recorded.name)]
    if named:
        return named[0] if len(named) == 1 else next(filter(recorded.has_same_digest_as_game, named), named[0])
    if "/" in recorded.name or "\\" in recorded.name or recorded.name in (".", ".."):
        raise UnknownGame(
            f"expected the name of a game, found the path `{recorded.name}`; rules are never run from a path in a file"
        )
    installed = [recorded.name] if is_name_of_bundled_game(recorded.name) else []
    archives = {
        ref: archive
        for folder in archive_folders
        for archive, ref in _iter_extracted_archives_of_game(folder, recorded.name)
    }
    there = [*installed, *archives]
    if not there:
        raise UnknownGame(f"no installed game is called `{recorded.name}`, and no archive here is of it")
    if len(there) == 1 or (installed and not recorded.digest):
        return there[0]
    same = next(filter(recorded.has_same_digest_as_game, there), None)
    if same is None:
        places = ", ".join(["the installed game"] * len(installed) + [str(path) for path in archives.values()])
        raise UnknownGame(
            f"several games are called `{recorded.name}` ({places}), and none has the recorded digest "
            f"{recorded.digest[:16]}; name one with --game"
        )
    return same


def is_folder_of_archives_and_no_game(folder_or_game: str) -> bool:
    """Return whether a folder is no game itself, but holds archives."""
    folder = Path(folder_or_game)
    is_game = has_game_file_or_printable_sheets(folder) or any((folder / part).exists() for part in (*RULES, FOLDER))
    return not is_name_of_bundled_game(folder_or_game) and folder.is_dir() and not is_game and any(folder.glob("*.zip"))


def _iter_extracted_archives_of_game(archive_folder: Path, game_name: str) -> Iterator[tuple[Path, str]]:
    """Yield the archives in a folder of a game of this name, with the folders of their files. What is no archive, or
    a broken one, is passed over."""
    for path in sorted(archive_folder.glob("*.zip"))[:_MOST_ARCHIVES]:
        try:
            if path.is_file() and read_game_name_in_archive_or_empty(path) == game_name:
                yield path, extract_archive_to_cache_folder(str(path))
        except DescriptionError:
            continue


# -- games file ----------------------------------------------------------------------------------------------
# Files of several recorded games: transcripts behind each other, or one JSON file, which is also written.
# The words of a move are those of a transcript.


def read_games_from_transcripts_or_json(games_file: Path | str) -> list[Transcript]:
    """Return the games of a file of transcripts or of a JSON file. Raises InputError."""
    return (
        read_json_games_as_transcripts(games_file)
        if Path(games_file).suffix == ".json"
        else read_transcripts_of_file_or_raise(games_file)
    )


def read_json_games_as_transcripts(json_file: Path | str) -> list[Transcript]:
    """Return the games of a JSON file as transcripts, with their places in it. Raises InputError."""
    node, collector = (read_yaml_file(json_file), FindingCollector())  # JSON is YAML, whose reader keeps the places
    spec = validate_node_or_record_findings(
        RecordedGamesSpec, node, collector, f"{make_path_relative_to_working_folder(Path(json_file))}: "
    )
    if spec is None:
        raise InputError(collector.findings)
    return [
        _convert_json_spec_to_transcript(game, node.get_node_or_nearest_ancestor(["games", number]))
        for number, game in enumerate(spec.games)
    ]


def _convert_json_spec_to_transcript(game: RecordedGameSpec, node: YamlNode) -> Transcript:
    moves = node.get_node_or_nearest_ancestor(["moves"]).items
    return Transcript(
        game=game.game,
        options=game.options,
        rulings=game.rulings,
        seats=dict(enumerate(game.seats, 1)),
        seed=game.seed or 0,
        seed_where=node.get_node_or_nearest_ancestor(["seed"]).where if game.seed is not None else None,
        digest=game.description,
        entries=tuple(TranscriptEntry(move.where, text) for move, text in zip(moves, game.moves, strict=True)),
        end=game.end,
        end_where=node.get_node_or_nearest_ancestor(["end"]).where if game.end is not None else None,
        where=node.where,
        tags=game.tags,
        survey=game.survey,
        minutes=game.minutes,
        seconds=tuple(game.seconds),
    )


def format_games_as_json(transcripts: Sequence[Transcript]) -> str:
    """Return games as a JSON file."""
    games = [_json_spec_from_transcript(written).model_dump(exclude_defaults=True) for written in transcripts]
    return json.dumps({"playproof": "games 1", "games": games}, indent=1, ensure_ascii=False) + "\n"


def _json_spec_from_transcript(transcript: Transcript) -> RecordedGameSpec:
    last = max(transcript.seats, default=0)
    return RecordedGameSpec(
        game=transcript.game,
        options=dict(transcript.options),
        rulings=dict(transcript.rulings),
        seed=transcript.seed if transcript.seed_where else None,
        description=transcript.digest,
        seats=[transcript.seats.get(seat, "") for seat in range(1, last + 1)],
        minutes=transcript.minutes,
        seconds=list(transcript.seconds),
        tags=dict(transcript.tags),
        survey=dict(transcript.survey),
        moves=[entry.text for entry in transcript.entries],
        end=transcript.end,
    )
