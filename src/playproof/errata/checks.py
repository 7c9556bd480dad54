"""What lint and the rules say of a changed game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game as Cards
from playproof.database.patch import Erratum
from playproof.database.sharing import beside
from playproof.language.registry import UnknownGame, build, data_of
from playproof.linting.played_values import unplayed_changes
from playproof.linting.refusals import REFUSALS, refusal_of
from playproof.linting.whole_game import lint_of

if TYPE_CHECKING:  # it brings the verifier
    from playproof.errata.descriptions import Selector


@dataclass
class Lint:
    """The whole lint of a changed game, beside other work where there are several cores. The game as it was is
    looked at only if something is to be compared."""

    game: str
    old: Selector
    new: Selector
    jobs: int = 1

    def __post_init__(self) -> None:
        self._after = beside(lambda: lint_of(self.game, self.new), self.jobs)

    def new_findings(self) -> list[Finding]:
        """Return what lint finds in the changed game and did not find in the game before it."""
        after = self._after()
        if not after:
            return []
        before = _marks(lint_of(self.game, self.old))
        return [finding for finding, mark in zip(after, _marks(after), strict=True) if mark not in before]


def _marks(findings: Sequence[Finding]) -> list[tuple[str, str, object]]:
    return [(finding.code, finding.message, finding.about) for finding in findings]


def check_played(game: str, old: Cards, new: Cards, erratum: Erratum) -> None:
    """Check that the rules play each value that an erratum changes, but for what is only printed. A game without rules
    has none to ask. Raises InputError, and what the rules raise if they refuse the cards before the erratum too."""
    try:
        build(game, None, new)
    except UnknownGame:
        return
    except REFUSALS as error:
        build(game, None, old)
        raise InputError([refusal_of(erratum, error)]) from None
    findings = unplayed_changes(game, old, new, erratum)
    if findings:
        raise InputError(findings)


def is_refused(game: str, version: str) -> bool:
    """Return whether the rules refuse the changed cards: no claim has rules to speak of."""
    try:
        build(game, None, data_of(game, version))
    except (UnknownGame, *REFUSALS):
        return True
    return False
