"""A story for one player: by day choose what each card brings, by night bring tokens to the Goal.

`build` makes one chapter. The cards are data: a chapter is compiled into tables (script.py), the rules here
only say what each symbol does. campaign.py carries items and habits from one chapter to the next.
"""

from __future__ import annotations

from database.components import Option, Step
from database.game import Game as Data
from database.wording import made_text
from rules.eila import day, night
from rules.eila.box import can_be_carried, open_box, read_carried
from rules.eila.campaign import after_loss, next_chapter
from rules.eila.rulings import read_rulings
from rules.eila.table import Table
from rules.eila.words import Place, Resource
from rules.language import Game
from rules.options import Options

__all__ = ["after_loss", "build", "chapters", "next_chapter"]


def build(options: Options, data: Data) -> Game:
    """One chapter: option `chapter` says which, `carried` what an earlier one left behind, e.g. "I01 H01"."""
    chapter = int(options.choice("chapter", chapters(data)))
    carried = read_carried(options.text("carried", ""), can_be_carried(data, chapter))
    rulings = read_rulings(options, data.rulings)
    g = Game("eila", players=1, source="the published demo rulebook")

    def words(thing: Option | tuple[Step, ...]) -> str:
        return made_text(thing, data.vocabulary, "en", "words")

    t = Table(g, open_box(data, chapter, carried), rulings, words)
    day.declare(t)
    night.declare(t)
    g.start(t.dawn)
    _quantities(t, data)
    return g


def chapters(data: Data) -> list[str]:
    """The chapters there is a Goal card for, in ascending order."""
    return sorted({str(c.fields["chapter"]) for c in data.of_kind("goal")})


def _quantities(t: Table, data: Data) -> None:
    """What claims, reports and bots may speak of."""
    g, s, box = t.g, t.s, t.box
    g.quantity("round", s.round)
    g.quantity("hearts", s.hearts)
    for r in Resource:
        g.quantity(r.name.lower(), s.have[r])
    for n, (r, _) in enumerate(box.goal):
        g.quantity(f"placed {r.name.lower()}", s.placed[n])
    g.quantity("placed", sum(s.placed[n] for n in range(len(box.goal))))
    known = {item.id: n for n, item in enumerate(box.items)}
    for item in data.of_kind("item"):
        g.quantity(f"owns {item.id}", t.owns(known[item.id]) if item.id in known else 0)
    for n, card in enumerate(box.cards):
        if card.back == "habit":
            g.quantity(f"habit {card.id}", s.where[n] != Place.DECK)
    later = [c for c in chapters(data) if int(c) > box.chapter]
    g.fact(round="round", items=[i.id for i in box.items], cards=[c.id for c in box.cards],
           habits=[c.id for c in box.cards if c.back == "habit"], next_chapter=later[0] if later else None)
