"""What lint and the rules say of a changed game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game as Cards
from playproof.database.patch import Erratum
from playproof.database.sharing import start_in_background
from playproof.language.registry import UnknownGame, build, load_game_cards
from playproof.linting.played_values import find_unplayed_changes
from playproof.linting.refusals import REFUSALS, make_refused_cards_finding
from playproof.linting.whole_game import lint_whole_game

if TYPE_CHECKING:  # it brings the verifier
    from playproof.errata.descriptions import Selector


@dataclass
class LintComparison:
    """The whole lint of a changed game, beside other work where there are several cores. The game as it was is
    looked at only if something is to be compared."""

    game: str
    old: Selector
    new: Selector
    jobs: int = 1

    def __post_init__(self) -> None:
        self._after = start_in_background(lambda: lint_whole_game(self.game, self.new), self.jobs)

    def find_new_lint_findings(self) -> list[Finding]:
        """Return what lint finds in the changed game and did not find in the game before it."""
        after = self._after()
        if not after:
            return []
        before = _finding_keys(lint_whole_game(self.game, self.old))
        return [
            finding for finding, mark in zip(after, _finding_keys(after), strict=True) if mark not in before
        ]


def _finding_keys(findings: Sequence[Finding]) -> list[tuple[str, str, object]]:
    return [(finding.code, finding.message, finding.about) for finding in findings]


def check_rules_use_changed_values(game: str, old: Cards, new: Cards, erratum: Erratum) -> None:
    """Check that the rules play each value that an erratum changes, but for what is only printed. A game without rules
    has none to ask. Raises InputError, and what the rules raise if they refuse the cards before the erratum too."""
    try:
        build(game, None, new)
    except UnknownGame:
        return
    except REFUSALS as error:
        build(game, None, old)
        raise InputError([make_refused_cards_finding(erratum, error)]) from None
    findings = find_unplayed_changes(game, old, new, erratum)
    if findings:
        raise InputError(findings)


def do_rules_refuse_cards(game: str, version: str) -> bool:
    """Return whether the rules refuse the changed cards: no claim has rules to speak of."""
    try:
        build(game, None, load_game_cards(game, version))
    except (UnknownGame, *REFUSALS):
        return True
    return False
