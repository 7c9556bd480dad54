"""Certificates: frozen data that states something about a game and can be checked against it.

    @dataclass(frozen=True)
    class Transcript(Certificate):
        kind = "transcript"
        event: Event
        idents: tuple[int, ...]

        def statement(self) -> Statement: ...      what it shows, if its check accepts it
        def check(self, game: Game) -> None: ...   raises NotShown

A class registers when it is defined; `of_json` finds it by its kind. Fields have the types that
`strict.decode` knows. The kernel does not ask who made a certificate, or how.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playproof.rules.language import Game
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict import Json, Unreadable, decode, encode

_KINDS: dict[str, type[Certificate]] = {}


class NotShown(Exception):
    """Raised if a certificate does not show what it states; the message says why."""


@dataclass(frozen=True)
class Certificate(ABC):
    """Evidence of one kind. Subclasses are frozen dataclasses and register by their `kind`. `rests`
    names what has to be trusted besides the kernel."""

    kind: ClassVar[str] = ""
    rests: ClassVar[str] = "the interpreter"

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        if abstract:
            return
        if not cls.kind or cls.kind in _KINDS:
            raise TypeError(f"{cls.__name__}: a certificate needs a kind of its own, found {cls.kind!r}")
        _KINDS[cls.kind] = cls

    def leans_on(self) -> str:
        """Return what has to be trusted for this certificate, besides the kernel."""
        return self.rests

    @abstractmethod
    def statement(self) -> Statement:
        """Return the statement that the certificate shows, computed from its data."""

    @abstractmethod
    def check(self, game: Game) -> None:
        """Check that the certificate shows its statement of this game. Raises NotShown if it does
        not."""

    def to_json(self) -> Json:
        """Return the certificate as an evidence file keeps it: its kind, then its data."""
        return {"kind": self.kind, **encode(self)}


def of_json(data: Json, where: str = "certificate") -> Certificate:
    """Return the certificate that a file holds. Raises Unreadable."""
    if type(data) is not dict or type(data.get("kind")) is not str:
        raise Unreadable(f"{where}: expected a mapping with a `kind`")
    made = _KINDS.get(data["kind"])
    if made is None:
        raise Unreadable(f"{where}: unknown kind `{data['kind'][:40]}`, known are {', '.join(sorted(_KINDS))}")
    found: Certificate = decode(made, {k: v for k, v in data.items() if k != "kind"}, where)
    return found


def kinds() -> Mapping[str, type[Certificate]]:
    """Return the class of each registered kind of certificate."""
    return dict(_KINDS)


__all__ = ["Certificate", "NotShown", "kinds", "of_json"]
