"""Certificates: frozen data that states something about a game and can be checked against it; and who plays
with whom, which the description alone decides and evidence has to name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Never, final

from playproof.language import RulesError
from playproof.language.game import Game
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict_json import (
    Tagged,
    encode_typed_value_as_json,
    map_kinds_to_subclasses,
    to_canonical_json_text,
)

Z3 = "Z3"
FORMULAS = "the kernel's reading by formulas, which tests compare with the interpreter"
_KERNEL = __name__.rpartition(".")[0]


class NotShown(Exception):
    """Raised if a certificate does not show what it states; the message says why."""


class Contradicted(NotShown):
    """Raised if a solver finds what a certificate excludes; any other NotShown may be for want of work."""


class NumbersTooLarge(NotShown):
    """Raised if a game's numbers do not fit the 64 bits in which many states are read at once."""


@contextmanager
def raise_rules_errors_as_not_shown() -> Iterator[None]:
    """Raise NotShown where the rules break."""
    try:
        yield
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None


@dataclass(frozen=True)
class Certificate(Tagged, ABC):
    """Evidence of one kind. `rests` names what has to be trusted besides the kernel."""

    rests: ClassVar[str] = "the interpreter"

    def describe_what_must_be_trusted(self, needs_solver: bool = True) -> str:
        """Return what has to be trusted for this certificate, besides the kernel; `needs_solver` if its check asked
        one."""
        return self.rests if needs_solver or self.rests != Z3 else FORMULAS

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the parts of a claim in words that the certificate is about, and is checked with."""
        return self.build_proved_statement().about.list_claim_parts()

    @abstractmethod
    def build_proved_statement(self) -> Statement:
        """Return the statement that the certificate shows, computed from its data."""

    @abstractmethod
    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Check that the certificate shows its statement of this game. Raises NotShown if it does
        not."""


@final
class Theorem(Statement):
    """A statement that is shown of one game. The only way to make one is to check a certificate of the
    kernel's kinds; claims are answered from theorems alone. Source: the LCF prover of Milner, 1972."""

    game: str
    needs_solver: bool

    def __init__(self, certificate: Certificate, game: Game, context: Context) -> None:
        """Check a certificate, unless that was done before in the context. Raises NotShown."""
        kind = type(certificate)
        if map_kinds_to_subclasses(Certificate).get(kind.kind) is not kind or not kind.__module__.startswith(
            f"{_KERNEL}."
        ):
            raise NotShown(f"`{kind.__name__}` is no kind of the kernel's")
        name, content = (
            context.get_game_digest_cached(game),
            sha256(to_canonical_json_text(encode_typed_value_as_json(certificate)).encode()).digest(),
        )
        if (name, content) not in context.settled:
            with context.settle_and_note_solver((name, content)):
                certificate.require_valid_for_game(game, context)
            context.settled.add((name, content))
        statement = certificate.build_proved_statement()
        super().__init__(statement.about, statement.so, statement.grounds)
        object.__setattr__(self, "game", name)
        object.__setattr__(self, "needs_solver", context.needs_solver((name, content)))

    def __init_subclass__(cls) -> None:
        raise TypeError("a theorem has no other kinds")

    def __reduce_ex__(self, protocol: object) -> Never:
        raise TypeError("a theorem is not copied: check its certificate")


def require_all_are_theorems_of_game(game: Game, statements: Sequence[Statement], context: Context) -> list[Theorem]:
    """Return the statements, all of which must be theorems of this game. Raises TypeError."""
    theorems = [s for s in statements if isinstance(s, Theorem) and s.game == context.get_game_digest_cached(game)]
    if len(theorems) != len(statements):
        raise TypeError("expected theorems of this game")
    return theorems


def require_stated_state_count(found: int, stated: int) -> None:
    """Raise NotShown if the kernel finds more or fewer states than the evidence says."""
    if found != stated:
        raise NotShown(f"there are {found:,} states, the evidence speaks of {stated:,}")


def list_partners_of_seat(game: Game, seat: int) -> tuple[int, ...]:
    """Return the seats that play together with a seat, ascending. The description alone decides it: who wins with whom,
    and what each gets."""
    return tuple(each for each in game.get_team_of_seat(seat) if each != seat)


def require_partners_as_in_game(game: Game, seat: int, partners: tuple[int, ...]) -> None:
    """Check that exactly these seats play together with a seat. Raises NotShown."""
    true = list_partners_of_seat(game, seat)
    if partners != true:
        told = [f"with {', '.join(map(str, seats))}" if seats else "alone" for seats in (true, partners)]
        raise NotShown(f"seat {seat} plays {told[0]}, the evidence lets it play {told[1]}")
