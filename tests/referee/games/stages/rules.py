"""Two stages that follow each other: find a lamp and a rope, or fall. What was found is carried on."""

from playproof.language import Game, Local, lose, require, when, win
from playproof.language.options import Options

THINGS = ("lamp", "rope", "knife")


def build(options: Options) -> Game:
    """One player, an order of two carried things, a story before and after."""
    stage = options.choice("stage", ["1", "2"])
    bag = options.several("bag", THINGS)
    again = options.ruling("A1", "same", ["first"])
    g = Game("stages")
    s = g.state
    g.array("owned", len(THINGS), 0, 1, [int(thing in bag) for thing in THINGS])
    g.array("order", 3, 0, 3, [*(THINGS.index(thing) + 1 for thing in bag), 0, 0, 0][:3])
    told = {
        "before": {f"Stage {stage}": ["It is dark."]},
        "after": {f"Stage {stage} is done": ["Light.", "Much of it."]},
        "carried": {thing: s.owned[n] for n, thing in enumerate(THINGS)},
        "ordered": THINGS[:2],
        "into": "bag",
    }
    if stage == "1":
        told["won"] = {"stage": "2"}
    if again == "first":
        told["lost"] = {"stage": "1", "bag": ""}
    g.fact(campaign=told)
    choose = g.phase("choose", 0, text="what you do")

    @g.action(choose, "find the {thing}", thing=THINGS)
    def find(thing: Local) -> None:
        require(s.owned[thing] == 0, "S1", "it is found")
        s.owned[thing] = 1

    @g.action(choose, "leave")
    def leave() -> None:
        win("out of the cave", 0)

    @g.action(choose, "fall")
    def fall() -> None:
        with when(s.owned[0] == 0):
            s.owned[1] = 1
        lose("fell in the dark")

    return g
