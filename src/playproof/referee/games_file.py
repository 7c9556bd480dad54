"""Files of several recorded games: transcripts behind each other, or one JSON file, which is also written. The words of
a move are those of a transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from playproof.database.errors import Collector, InputError, short_path
from playproof.database.recorded_games import RecordedGameSpec, RecordedGamesSpec
from playproof.database.source import Node, read
from playproof.database.validation import check
from playproof.referee.transcript import Entry, Transcript, read_several


def read_all(path: Path | str) -> list[Transcript]:
    """Return the games of a file of transcripts or of a JSON file. Raises InputError."""
    return read_games(path) if Path(path).suffix == ".json" else read_several(path)


def read_games(path: Path | str) -> list[Transcript]:
    """Return the games of a JSON file as transcripts, with their places in it. Raises InputError."""
    node, collector = read(path), Collector()  # JSON is YAML, whose reader keeps the places
    spec = check(RecordedGamesSpec, node, collector, f"{short_path(Path(path))}: ")
    if spec is None:
        raise InputError(collector.findings)
    return [_transcript(game, node.at(["games", number])) for number, game in enumerate(spec.games)]


def _transcript(game: RecordedGameSpec, node: Node) -> Transcript:
    moves = node.at(["moves"]).items
    return Transcript(
        game=game.game,
        options=game.options,
        rulings=game.rulings,
        seats=dict(enumerate(game.seats, 1)),
        seed=game.seed or 0,
        seed_where=node.at(["seed"]).where if game.seed is not None else None,
        digest=game.description,
        entries=tuple(Entry(move.where, text) for move, text in zip(moves, game.moves, strict=True)),
        end=game.end,
        end_where=node.at(["end"]).where if game.end is not None else None,
        where=node.where,
        tags=game.tags,
        survey=game.survey,
        minutes=game.minutes,
        seconds=tuple(game.seconds),
    )


def games_text(transcripts: Sequence[Transcript]) -> str:
    """Return games as a JSON file."""
    games = [_spec(written).model_dump(exclude_defaults=True) for written in transcripts]
    return json.dumps({"playproof": "games 1", "games": games}, indent=1, ensure_ascii=False) + "\n"


def _spec(written: Transcript) -> RecordedGameSpec:
    last = max(written.seats, default=0)
    return RecordedGameSpec(
        game=written.game,
        options=dict(written.options),
        rulings=dict(written.rulings),
        seed=written.seed if written.seed_where else None,
        description=written.digest,
        seats=[written.seats.get(seat, "") for seat in range(1, last + 1)],
        minutes=written.minutes,
        seconds=list(written.seconds),
        tags=dict(written.tags),
        survey=dict(written.survey),
        moves=[entry.text for entry in written.entries],
        end=written.end,
    )
