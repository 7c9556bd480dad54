"""Claims: what the designer holds to be true of the game, as `claims.yaml` states it.

The database checks the shape (an id, a known question, a sentence) and keeps the rest as free data with
places; what `of`, `within`, `options` and `expect` mean is the verifier's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from playproof.database.check import check
from playproof.database.errors import Collector, Where
from playproof.database.fields import Strict
from playproof.database.source import Data, Node
from playproof.database.vocabulary import WordsSpec


class ClaimSpec(Strict):
    """One claim; keys beyond these are kept for the verifier."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)

    ask: Literal["reach", "minimum", "maximum", "never", "always", "luck", "dead", "same", "tune"]
    says: WordsSpec
    of: Any = None
    within: Any = None
    options: dict[str, Any] = Field(default={})
    expect: Any = None


class ClaimsSpec(Strict):
    """The whole of `claims.yaml`."""

    claims: Annotated[dict[str, ClaimSpec], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. `data` holds all keys as written; `node` knows where each of them stands."""

    id: str
    ask: str
    says: str
    data: Mapping[str, Data]
    node: Node = field(compare=False, repr=False)

    @property
    def where(self) -> Where:
        """Where the claim stands."""
        return self.node.where

    @property
    def of(self) -> Data:
        """What the question is about."""
        return self.data.get("of")

    @property
    def within(self) -> Data:
        """The bound, such as `{rounds: 7}`."""
        return self.data.get("within")

    @property
    def options(self) -> Mapping[str, Data]:
        """Set-up options and rulings under which the claim is made."""
        found = self.data.get("options")
        return found if isinstance(found, dict) else {}

    @property
    def expect(self) -> Data:
        """The answer the designer expects."""
        return self.data.get("expect")


def read_claims(node: Node, collector: Collector) -> dict[str, Claim]:
    """Check and convert; nothing after noting what is wrong."""
    if check(ClaimsSpec, node, collector) is None:
        return {}
    return {name: _claim(name, entry.node) for name, entry in node.at(["claims"]).entries.items()}


def _claim(name: str, node: Node) -> Claim:
    data = {key: entry.node.data for key, entry in node.entries.items()}
    says = data["says"]
    sentence = says if isinstance(says, str) else says.get("en", "") if isinstance(says, dict) else ""
    return Claim(name, str(data["ask"]), str(sentence), data, node)
