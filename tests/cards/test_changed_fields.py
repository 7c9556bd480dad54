"""What a card says is played, or refused with its place: a change of it changes the description of the game.

A sample of all fields here; `PLAYPROOF_FIELDS=all` tries every field of every component (about an hour).
"""

from __future__ import annotations

import os
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.database.field_readers import find_reader_and_field_of_value_at_path
from playproof.database.game import list_names_of_game_folders
from playproof.language.description import digest
from playproof.language.options import Options
from playproof.language.registry import build
from tests.cards.changed_fields import (
    FieldChange,
    field_changes,
    outcome_of,
    published,
    published_descriptions,
    with_change,
)

OF_RULINGS = {"olith": ("board.wheels.10", "board.wheels.14")}
"""Fields that only another reading of a ruling plays."""
REFUSED = {"PP204", "PP205", "PP206", "PP210", "PP212", "PP833", "PP860", "PP861", "PP862"}
SAMPLE = 5


def is_only_printed(change: FieldChange) -> bool:
    """Return whether the vocabulary declares that no rule needs a value."""
    path = tuple(map(str, change.path))
    return find_reader_and_field_of_value_at_path(published(change.game).vocabulary, change.kind, path)[0] == "print"


def places(name: str) -> dict[tuple[str, Any], list[FieldChange]]:
    """The changes of a game by component and place, without those of fields that are declared to be only printed."""
    found = defaultdict(list)
    for change in field_changes(name):
        of_ruling = change.field.startswith(OF_RULINGS.get(name, ("-",)))
        if not is_only_printed(change) and not of_ruling:
            found[change.component, change.path].append(change)
    return found


@pytest.mark.parametrize("name", list_names_of_game_folders())
def test_every_field_is_played_or_refused(name: str) -> None:
    """Counts of tokens beyond what can be needed change nothing: so a place is asked until one change tells."""
    groups = list(places(name).values())
    whole = os.environ.get("PLAYPROOF_FIELDS") == "all"
    for changes in groups if whole else Random(62).sample(groups, SAMPLE):
        outcomes = {}
        for change in sorted(changes, key=lambda c: c.new == 0, reverse=True):
            outcomes[str(change)] = outcome = outcome_of(change)
            assert outcome in ("played", "silent") or set(outcome.split()) <= REFUSED, outcomes
            if outcome != "silent":
                break
        else:
            pytest.fail(f"nothing reads it: {outcomes}")


@pytest.mark.parametrize("name", list_names_of_game_folders())
def test_what_is_only_printed_is_said_of_few_fields(name: str) -> None:
    """Of places, tracks, measures and reference sheets: no effect, cost or count of a card is among them."""
    printed = {change.field for change in field_changes(name) if is_only_printed(change)}
    every = {change.field for change in field_changes(name)}
    assert 0 < len(printed) < 0.4 * len(every)
    assert not {field for field in printed if field.endswith(".count")} - {"reference.count", "stand.count"}


@pytest.mark.parametrize(
    ("name", "change", "answer"),
    [
        ("eila", ("009", "count", 0), "PP833"),
        ("eila", ("I02", "once", True), "played"),
        ("eila", ("I04", "once", True), "played"),
        ("eila", ("I04", "power.0.arrange", 3), "played"),
        ("eila", ("I05", "power.0.gain", {"food": 2}), "played"),
        ("eila", ("I03", "once", True), "PP860"),
        ("eila", ("I02", "moment", "day-start"), "PP860"),
        ("eila", ("heart", "count", 3), "PP862"),
        ("eila", ("goal-1", "count", 2), "PP861"),
        ("opale", ("bar", "count", 0), "played"),
        ("opale", ("bar", "count", 3), "PP861"),
        ("opale", ("bar", "moment", "start"), "PP860"),
        ("opale", ("3", "copies", 9), "PP860"),
        ("opale", ("7", "pawn", True), "played"),
        ("olith", ("m1", "count", 0), "PP833"),
        ("olith", ("m1", "count", 2), "PP862"),
        ("olith", ("c6", "count", 0), "played"),
        ("olith", ("a101", "count", 2), "played"),
        ("olith", ("l101", "count", 0), "played"),
        ("olith", ("victory-soul", "count", 9), "PP862"),
        ("olith", ("board", "shop", 4), "PP860"),
        ("eurydice", ("1-1", "count", 0), "played"),
        ("eurydice", ("1-1", "count", 2), "played"),
        ("eurydice", ("board-2", "number", 3), "PP862"),
        ("eurydice", ("1-1", "always", [{"toll": 3}]), "PP860"),
    ],
    ids=str,
)
def test_a_change_is_played_or_refused(name: str, change: tuple[str, str, Any], answer: str) -> None:
    component, path, new = change
    keys = tuple(path.split("."))
    assert outcome_of(FieldChange(name, "", component, keys, None, new)) == answer


def test_a_refusal_says_what_can_be_played_and_where() -> None:
    with pytest.raises(InputError) as caught:
        build("olith", Options(), with_change("olith", ("victory-soul", "count", 9)))
    (finding,) = caught.value.findings
    assert str(finding.where).startswith("cards/olith/tokens.yaml:")
    assert finding.message == (
        "expected as many Victory Tokens (R1) for everybody, found 9 of soul, 8 of shadow, 8 of power, 8 of wisdom"
    )


def test_all_tokens_and_units_of_a_player_count() -> None:
    """Nine Victory Tokens and five units each are played, and the ending says how many there are."""
    peoples = ("soul", "shadow", "power", "wisdom")
    more = [(f"victory-{p}", "count", 9) for p in peoples] + [(f"unit-{p}", "count", 5) for p in peoples]
    game = build("olith", Options(), with_change("olith", *more))
    assert "all nine Victory Tokens are placed" in {ending.reason for ending in game.endings}
    assert (game.get_field("placed").hi, game.get_field("supply").hi) == (9, 3)


def test_the_published_cards_are_what_is_compared_with() -> None:
    again = digest(build("opale", Options(), published("opale")))
    assert published_descriptions("opale")[0] == again
