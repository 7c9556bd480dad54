"""`playproof icons`: what a designer finds by a word, and whom the credits then name."""

from __future__ import annotations

import json

from click.testing import CliRunner

from playproof.cli.verbs.documentation import icons
from playproof.generator.art.credits import credits_of
from playproof.generator.layout.layout_files import LAYOUTS


def test_a_word_finds_icons_with_their_authors() -> None:
    shown = CliRunner().invoke(icons, ["sword", "--json"], standalone_mode=False)
    lorc = "Lorc, CC BY 3.0"
    assert json.loads(shown.output) == [{"name": "sword", "credit": lorc}, {"name": "swords", "credit": lorc}]


def test_a_word_that_finds_nothing_gives_the_nearest() -> None:
    shown = CliRunner().invoke(icons, ["swrod"], standalone_mode=False)
    assert (shown.return_value, shown.output) == (
        1,
        "no icon has 'swrod' in its name; the nearest is sword\n",
    )


def test_credits_name_the_authors_of_what_is_used_and_no_others() -> None:
    used = [LAYOUTS / "icons" / f"{name}.svg" for name in ("key", "knight-piece", "heart")]
    named = {credit.author: sorted(credit.files) for credit in credits_of(used, "icons") if credit.files}
    assert named == {
        "Sbed": ["key.svg"],
        "Skoll": ["knight-piece.svg"],
        "the Playproof project": ["heart.svg"],
    }
