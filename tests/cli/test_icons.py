"""`playproof docs icons`: what a designer finds by a word, and whom the credits then name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playproof.database.source import read_yaml_file
from playproof.generator.art.icons import iter_credits_of_folder_or_raise
from playproof.generator.layout.layout_files import LAYOUTS

Call = Callable[..., Any]


def test_a_word_finds_icons_with_their_authors(playproof: Call) -> None:
    shown = playproof("docs", "icons", "sword", "--json")
    lorc = "Lorc, CC BY 3.0"
    assert json.loads(shown.out)["icons"] == [{"name": "sword", "credit": lorc}, {"name": "swords", "credit": lorc}]


def test_a_word_finds_icons_that_show_it(playproof: Call) -> None:
    shown = playproof("docs", "icons", "Attack", "--json")
    assert [icon["name"] for icon in json.loads(shown.out)["icons"]] == ["axe", "explosion", "spear", "sword", "swords"]


def test_every_word_names_icons_that_exist_and_are_called_otherwise() -> None:
    every = {path.stem for path in (LAYOUTS / "icons").glob("*.svg")}
    for word, entry in read_yaml_file(LAYOUTS / "icons" / "words.yaml").entries.items():
        names = {str(item.value) for item in entry.node.items}
        assert names <= every, (word, names - every)
        assert word not in every, word


def test_a_word_that_finds_nothing_gives_the_nearest(playproof: Call) -> None:
    shown = playproof("docs", "icons", "swrod")
    assert (shown.status, shown.out) == (1, "no icon has 'swrod' in its name; the nearest is sword\n")


def test_credits_name_the_authors_of_what_is_used_and_no_others() -> None:
    used = [LAYOUTS / "icons" / f"{name}.svg" for name in ("key", "knight-piece", "heart")]
    named = {
        credit.author: sorted(credit.files) for credit in iter_credits_of_folder_or_raise(used, "icons") if credit.files
    }
    assert named == {"Sbed": ["key.svg"], "Skoll": ["knight-piece.svg"], "the Playproof project": ["heart.svg"]}
