"""Campaign: games that follow each other, and what is carried from one into the next.

In each of two chapters the player walks three steps and may pick up one thing. The rope from the first chapter opens
the gorge of the second.
"""

from typing import Any

from playproof import Game, Options, goto, lose, otherwise, require, when, win

THINGS = ["rope", "lamp"]


def build(options: Options) -> Game:
    """`bag` holds the names of the things that were carried here."""
    chapter = options.choice("chapter", ["1", "2"])
    bag = options.several("bag", THINGS)
    g = Game("campaign")
    s = g.state
    g.array("owned", len(THINGS), 0, 1, [int(name in bag) for name in THINGS])
    g.integer("step", 0, 2)
    facts: Any = {
        "before": {"The Way" if chapter == "1" else "The Gorge": ["You set out."]},
        "carried": {name: s.owned[n] for n, name in enumerate(THINGS)},
        "into": "bag",
    }
    if chapter == "1":
        facts |= {"won": {"chapter": "2"}, "after": {"Evening": ["You rest."]}}
    g.fact(ends_within=3, names={"owned": THINGS}, campaign=facts)
    walk = g.phase("walk", text="walk, or pick something up")

    def on() -> None:
        goto(walk)
        with when(s.step < 2):
            s.step += 1
        with otherwise((chapter == "1") | (s.owned[0] == 1)):
            win("you have arrived")
        with otherwise():
            lose("the gorge cannot be crossed", rule="V3")

    @g.action(walk, "walk on", rule="V1")
    def walking() -> None:
        on()

    @g.action(walk, "pick up the {thing}", thing=THINGS, rule="V2")
    def picking(thing: object) -> None:
        require(chapter == "1", "V2", "nothing lies here")
        require((s.owned[0] == 0) & (s.owned[1] == 0), "V2", "you can carry one thing")
        s.owned[thing] = 1
        on()

    return g
