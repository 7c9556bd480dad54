"""A story for one player: by day choose what each card brings, by night bring tokens to the Goal.

`build` makes one chapter. The cards are data: a chapter is compiled into tables (script.py), the rules here
only say what each symbol does. facts.py says which chapter follows, and what is carried into it.
"""

from __future__ import annotations

from playproof import Game, Options
from playproof.database.components import Option, Step
from playproof.database.effect_text import made_text
from playproof.database.game import Game as Data

from . import day, night, quantities
from .chapter_components import collect_chapter_components_or_refuse, list_ids_carried_from_earlier_chapters
from .rulings import read_chosen_rulings
from .state import GameUnderConstruction

__all__ = ["build", "list_chapter_numbers_as_text"]


def build(options: Options, data: Data) -> Game:
    """One chapter: option `chapter` says which, `carried` what an earlier one left behind, e.g. "I01 H01"."""
    chapter = int(options.choice("chapter", list_chapter_numbers_as_text(data)))
    carried = options.several("carried", list_ids_carried_from_earlier_chapters(data, chapter))
    rulings = read_chosen_rulings(options, data.rulings)
    g = Game("eila", players=1)

    def words(thing: Option | tuple[Step, ...]) -> str:
        return made_text(thing, data.vocabulary, "en", "words")

    t = GameUnderConstruction(g, collect_chapter_components_or_refuse(data, chapter, carried), rulings, words)
    day.declare_day_phases_and_actions(t)
    night.declare_night_phases_and_actions(t)
    g.start(t.dawn)
    quantities.declare_quantities_and_facts(
        t, data, [c for c in list_chapter_numbers_as_text(data) if int(c) > chapter]
    )
    return g


def list_chapter_numbers_as_text(data: Data) -> list[str]:
    """The chapters there is a Goal card for, in ascending order."""
    return sorted({str(c.fields["chapter"]) for c in data.of_kind("goal")})
