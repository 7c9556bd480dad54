"""A variant: one game under chosen options and rulings, with the digest of its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a run of a game that has not changed needs none of this
    from playproof.language import Game, Interpreter
    from playproof.referee.game_summary import GameSummary
    from playproof.referee.witness import Witness


@dataclass(frozen=True)
class Variant:
    """`ref` is a game's name or folder. `options` and `rulings` are as in
    `playproof.language.options.Options`.

    Everything else is made on first use: the description, its interpreter, the words of its
    actions. The first use raises UnknownGame, OptionError or database.errors.InputError if the
    choices are wrong.
    """

    ref: str
    options: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type[Variant], tuple[str, dict[str, str], dict[str, str]]]:
        """Pickle only the choices. The other process builds the description again."""
        return Variant, (self.ref, dict(self.options), dict(self.rulings))

    @classmethod
    def with_cards(cls, ref: str, cards: Any) -> Variant:
        """Return the variant without options, with cards that have been read already."""
        variant = cls(ref)
        vars(variant)["data"] = cards  # `cached_property` keeps its value here
        return variant

    @classmethod
    def described(cls, game: Game) -> Variant:
        """Return a game that was read from a file, and comes without cards."""
        from playproof.language.description import digest

        name = digest(game)
        variant = cls(f"{game.name} {name}", game.setting["options"], game.setting["rulings"])
        vars(variant).update(data=None, game=game, digest=name)
        return variant

    @cached_property
    def data(self) -> Any:
        """The cards of the game, or None if its rules need none."""
        from playproof.language.registry import data_of

        return data_of(self.ref)

    @cached_property
    def game(self) -> Game:
        """The sealed description."""
        from playproof.language.options import Options
        from playproof.language.registry import build

        return build(self.ref, Options(dict(self.options), dict(self.rulings)), self.data)

    @cached_property
    def play(self) -> Interpreter:
        """The interpreter of the game."""
        from playproof.language import Interpreter

        return Interpreter(self.game)

    @cached_property
    def witness(self) -> Witness:
        """The witness, which says what part of a step each seat sees."""
        from playproof.referee.witness import witness_of

        return witness_of(self.game)

    @cached_property
    def summary(self) -> GameSummary:
        """The summary that a run of many games needs."""
        from playproof.referee.game_summary import summary_of

        return summary_of(self)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the description's file, by which recorded games and evidence name the game. It
        changes with the rules and with what they read of the cards."""
        from playproof.language.description import digest

        return digest(self.game)

    @property
    def name(self) -> str:
        """The game's name."""
        return self.game.name

    @property
    def title(self) -> str:
        """The game's title for people: from its cards, else declared, else its name in plain
        words."""
        title = getattr(self.data, "title", None) or self.game.facts.get("title")
        return str(title or self.game.name.replace("_", " ").capitalize())
