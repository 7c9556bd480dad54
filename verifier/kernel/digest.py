"""The name by which evidence knows a game: the SHA-256 of the file that describes it.

The file holds everything that decides how a game plays and what claims speak of: rules, cards as far as
the rules read them, texts, quantities and facts. Where a rule is written does not count.
"""

from __future__ import annotations

from playproof.language.description import digest

__all__ = ["digest"]
