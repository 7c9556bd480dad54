"""A position of a game set up by hand: read its fields, take actions by their words, ask which rule refuses one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple, Self

import pytest

from playproof.database.rulebook import Ruling
from playproof.language import CHANCE, Game, IllegalAction, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.options import Options
from playproof.language.registry import build
from tests.language.folded import Folded


@cache
def game_with(name: str, pairs: tuple[tuple[str, str], ...]) -> Interpreter:
    """The game under options and rulings (A1, A2 ...), built once for all tests."""
    rulings = {k: v for k, v in pairs if k.startswith("A")}
    values = {k: v for k, v in pairs if not k.startswith("A")}
    return Interpreter(build(name, Options(values, rulings)))


class Taken(NamedTuple):
    """One random action: who acted, what was done, and among how many."""

    actor: int
    ident: int
    legal: int


class Position:
    """A game under options, and where it stands. A game's own scene adds how its cards are laid out."""

    def __init__(self, name: str, options: dict[str, str]) -> None:
        self.play = game_with(name, tuple(sorted(options.items())))
        self.game: Game = self.play.game
        self.state = self.play.start()

    # -- reading --------------------------------------------------------------------------------------------

    def cell(self, name: str, *index: int) -> int:
        """Where a cell of a field lies in the flat state."""
        field, flat = self.game.get_field(name), 0
        for part, size in zip(index, field.shape, strict=True):
            flat = flat * size + part
        return field.offset + flat

    def at(self, name: str, *index: int) -> int:
        """The value of a field's cell."""
        return self.state[self.cell(name, *index)]

    def number(self, name: str) -> int:
        """A named quantity."""
        return self.play.quantity(name, self.state)

    def phase_number(self, name: str) -> int:
        """A phase's number by its name."""
        return next(p.number for p in self.game.phases if p.name == name)

    @property
    def phase(self) -> str:
        """The moment of the game."""
        return self.game.phases[self.state[0]].name

    @property
    def over(self) -> str:
        """How the game ended, or "" while it runs."""
        end = self.play.ending(self.state)
        return end.reason if end else ""

    def legal(self) -> list[str]:
        """What may be done now, in words."""
        return [self.game.show(i) for i in self.play.legal(self.state)]

    # -- playing --------------------------------------------------------------------------------------------

    def ident(self, text: str) -> int:
        """The number of an action by its words, of the phase at hand if several read alike."""
        found = [(i, a) for i, a, v in self.game.iter_ground_actions() if a.format_ground_action(v) == text]
        assert found, text
        return next((i for i, a in found if self.state[0] in a.phases), found[0][0])

    def do(self, *texts: str) -> Self:
        """Take actions by their words; refused ones raise IllegalAction."""
        for text in texts:
            self.state = self.play.apply(self.state, self.ident(text))
        return self

    def refused(self, text: str) -> list[str]:
        """The rules that an action breaks."""
        with pytest.raises(IllegalAction) as caught:
            self.play.apply(self.state, self.ident(text))
        return [b.rule for b in caught.value.broken]

    def chance(self) -> Self:
        """Chance does the first thing it can until a player acts or the game is over."""
        while not self.over and self.play.actor(self.state) == CHANCE:
            self.state = self.play.apply(self.state, self.play.legal(self.state)[0])
        return self

    def step(self, random: Random) -> Taken:
        """Whoever is to act does something at random, chance by its weights."""
        legal = self.play.legal(self.state)
        assert legal, "somebody must be able to act"
        (ident,) = random.choices(legal, [self.play.weight(self.state, i) for i in legal])
        taken = Taken(self.play.actor(self.state), ident, len(legal))
        self.state = self.play.apply(self.state, ident)
        return taken


def untested(rulings: Mapping[str, Ruling], folder: Path) -> set[str]:
    """Rulings that no test of the folder names, and options that none switches to, as `A1` and `A1=option`."""
    tests = "".join(path.read_text(encoding="utf-8") for path in folder.glob("test_*.py"))
    missing = {ident for ident in rulings if not re.search(rf"\b{ident}\b", tests)}
    return missing | {
        f"{ident}={option}"
        for ident, ruling in rulings.items()
        for option in ruling.options
        if option != ruling.default and not re.search(rf'{ident}(=|": )"{option}"', tests)
    }


def playthrough(scene: Position, seats: list[str], random: Random) -> list[str]:
    """A random game to its end, a line a step: round, who, what, among how many; last how it ended."""
    lines = []
    while not scene.over:
        round_ = scene.number("round")
        taken = scene.step(random)
        who = "chance" if taken.actor == CHANCE else seats[taken.actor]
        lines.append(f"{round_:3} {who:6} {scene.game.show(taken.ident)}  ({taken.legal} legal)")
    return [*lines, scene.over]


def assert_readings_agree(scene: Position, random: Random) -> None:
    """Interpreter, generated source and symbolic reading take the same steps (machine code: tests/language)."""
    play = scene.play
    compiled, symbolic = Compiled(play.game, machine=False), Folded(play.game)
    fast = compiled.start()
    while not scene.over:
        assert compiled.legal(fast) == play.legal(scene.state)
        before = scene.state
        ident = scene.step(random).ident
        step = symbolic.whole(before, ident)
        compiled.apply(fast, ident)
        assert fast.tolist() == scene.state
        assert (step.legal, [int(cell) for cell in step.after]) == (True, scene.state)
    assert compiled.returns(fast) == play.returns(scene.state)
