"""Files of several recorded games: transcripts behind each other, or one JSON file, which is also written. The words of
a move are those of a transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from playproof.database.errors import FindingCollector, InputError, shorten_path
from playproof.database.recorded_games import RecordedGameSpec, RecordedGamesSpec
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.validation import validate_node
from playproof.referee.transcript import Transcript, TranscriptEntry, read_transcripts


def read_recorded_games(path: Path | str) -> list[Transcript]:
    """Return the games of a file of transcripts or of a JSON file. Raises InputError."""
    return read_json_games(path) if Path(path).suffix == ".json" else read_transcripts(path)


def read_json_games(path: Path | str) -> list[Transcript]:
    """Return the games of a JSON file as transcripts, with their places in it. Raises InputError."""
    node, collector = read_yaml_file(path), FindingCollector()  # JSON is YAML, whose reader keeps the places
    spec = validate_node(RecordedGamesSpec, node, collector, f"{shorten_path(Path(path))}: ")
    if spec is None:
        raise InputError(collector.findings)
    return [
        _transcript_from_spec(game, node.get_nearest(["games", number]))
        for number, game in enumerate(spec.games)
    ]


def _transcript_from_spec(game: RecordedGameSpec, node: YamlNode) -> Transcript:
    moves = node.get_nearest(["moves"]).items
    return Transcript(
        game=game.game,
        options=game.options,
        rulings=game.rulings,
        seats=dict(enumerate(game.seats, 1)),
        seed=game.seed or 0,
        seed_where=node.get_nearest(["seed"]).where if game.seed is not None else None,
        digest=game.description,
        entries=tuple(
            TranscriptEntry(move.where, text) for move, text in zip(moves, game.moves, strict=True)
        ),
        end=game.end,
        end_where=node.get_nearest(["end"]).where if game.end is not None else None,
        where=node.where,
        tags=game.tags,
        survey=game.survey,
        minutes=game.minutes,
        seconds=tuple(game.seconds),
    )


def format_games_as_json(transcripts: Sequence[Transcript]) -> str:
    """Return games as a JSON file."""
    games = [_spec_from_transcript(written).model_dump(exclude_defaults=True) for written in transcripts]
    return json.dumps({"playproof": "games 1", "games": games}, indent=1, ensure_ascii=False) + "\n"


def _spec_from_transcript(transcript: Transcript) -> RecordedGameSpec:
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
