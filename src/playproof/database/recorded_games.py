"""Recorded games as JSON: the same content as transcripts (`referee.transcript`), for other programs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from playproof.database.yaml_models import StrictModel

Word = Annotated[str, Field(pattern=r"^[^:\s][^:\n]*$")]
Line = Annotated[str, Field(pattern=r"^[^\n]*$")]


class RecordedGameSpec(StrictModel):
    """One game. Each of `moves` is a line of a transcript: "player 1: mark 4", or the words alone."""

    game: Line = Field(min_length=1, description="a bundled game, or the name of the folder of another")
    options: dict[Word, Line] = Field(default={})
    rulings: dict[Word, Line] = Field(default={})
    seed: int | None = Field(default=None, description="decides all chance events, if the game was played with it")
    description: Line = Field(default="", description="the digest of the description that the game was played by")
    seats: list[Line] = Field(default=[], description="who sat where: a name, or the bot that played")
    minutes: float | int | None = Field(default=None, ge=0, description="how long the game took")
    seconds: list[float | int | None] = Field(
        default=[], description="how long each of `moves` was waited for, null where nobody knows"
    )
    tags: dict[Word, Line] = Field(default={}, description="whatever tells groups of games apart")
    survey: dict[Word, float | int] = Field(default={}, description="what the players were asked, as numbers")
    moves: list[Line]
    end: Line | None = Field(default=None, description="the ending's reason | each seat's return")


class RecordedGamesSpec(StrictModel):
    """Recorded games in one file."""

    playproof: Literal["games 1"]
    games: Annotated[list[RecordedGameSpec], Field(min_length=1)]
