"""Yahtzee and Yatzy for one player: five dice, three rolls a turn, a box of the score sheet for each turn.

Published: under best play Yahtzee scores 254.5896095 on average, 245.8707745 without jokers and extra Yahtzees.
Source: Verhoeff and Scheffers, "Optimal solitaire Yahtzee strategies", https://www-set.win.tue.nl/~wstomv/misc/yahtzee/
"""

from playproof import CHANCE, Game, Local, Options, Term, goto, keep, max_of, min_of, pick, require, score, sum_of, when

DICE, ALL = 5, range(6)
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
YAHTZEE = ("three", "four", "full house", "small straight", "large straight", "yahtzee", "chance")
YATZY = ("pair", "two pairs", "three", "four", "1 to 5", "2 to 6", "full house", "yatzy", "chance")


def lower(yatzy: bool, dice: list[Term], joker: Term) -> list[Term]:
    """The lower boxes. Of a pair, three or four Yatzy counts those dice alone. A joker fills house and rows."""
    total = sum_of((f + 1) * dice[f] for f in ALL)
    pair, three, four = (max_of(*(pick(dice[f] >= n, n * (f + 1), 0) for f in ALL)) for n in (2, 3, 4))
    house = (max_of(*dice) == 3) & (sum_of(count == 2 for count in dice) == 1)
    rows = {n: [min_of(*dice[f : f + n]) > 0 for f in range(7 - n)] for n in (4, 5)}
    five = pick(max_of(*dice) == DICE, 50, 0)
    if yatzy:
        both = pick(sum_of(count >= 2 for count in dice) == 2, 2, 0)
        pairs = both * sum_of(pick(dice[f] >= 2, f + 1, 0) for f in ALL)
        straights = [pick(row, sum_, 0) for row, sum_ in zip(rows[5], (15, 20), strict=True)]
        return [pair, pairs, three, four, *straights, pick(house, total, 0), five, total]
    made = ((house, 25), (max_of(*rows[4]) == 1, 30), (max_of(*rows[5]) == 1, 40))
    alike = [pick(some > 0, total, 0) for some in (three, four)]
    return [*alike, *(pick(joker | holds, worth, 0) for holds, worth in made), five, total]


def build(options: Options) -> Game:
    """The game with a `sheet`. `upper` counts up to the bonus, `fifty` says that the box of five alike scored."""
    sheet = options.choice("sheet", ["yahtzee", "without jokers", "yatzy"])
    boxes = UPPER + (YATZY if sheet == "yatzy" else YAHTZEE)
    g = Game("yahtzee")
    s = g.state
    g.array("dice", 6, 0, DICE)
    g.integer("again", 0, 2, 2)  # how often the dice may be rolled again
    g.array("open", len(boxes), 0, 1, [1] * len(boxes))
    g.integer("left", 0, len(boxes), len(boxes))
    g.integer("upper", 0, 63)
    g.flag("fifty")
    g.integer("points", 0, 1575)
    roll = g.phase("roll", actor=CHANCE, text="a die is rolled")
    choose = g.phase("choose", text="take dice up or stop")
    fill = g.phase("fill", text="fill a box")
    dice = [s.dice[f] for f in ALL]

    @g.action(roll, "a die shows {face}", face=UPPER)
    def shown(face: Local) -> None:
        with when(sum_of(dice) == DICE - 1):
            goto(choose)
            with when(s.again == 0):
                goto(fill)
        s.dice[face] += 1

    @g.action(choose, "take up one of the {face}", face=UPPER)
    def up(face: Local) -> None:
        require(s.dice[face] > 0, "Y1", "no die shows it")
        s.dice[face] -= 1

    @g.action(choose, "roll again")
    def go() -> None:
        require(sum_of(dice) < DICE, "Y2", "no die is taken up")
        s.again -= 1
        goto(roll)

    @g.action(choose, "stop")
    def stop() -> None:
        require(sum_of(dice) == DICE, "Y3", "dice are taken up")
        s.again = 0
        goto(fill)

    @g.action(fill, "fill {box}", box=boxes)
    def filled(box: Local) -> None:
        require(s.open[box] == 1, "Y4", "the box is used")
        five, last = max_of(*dice) == DICE, boxes.index("chance") - 1
        joker = (sum_of((dice[f] == DICE) & (s.open[f] == 0) for f in ALL) == 1) & (s.open[last] == 0)
        of = [*((f + 1) * dice[f] for f in ALL), *lower(sheet == "yatzy", dice, joker & (sheet == "yahtzee"))]
        gained = keep(sum_of(pick(box == n, each, 0) for n, each in enumerate(of)))
        s.points += gained + pick(five & (s.fifty == 1), 100, 0)
        with when(five & (box == last) & (sheet == "yahtzee")):
            s.fifty = 1
        with when(box < 6):
            s.points += pick((s.upper < 63) & (s.upper + gained >= 63), 50 if sheet == "yatzy" else 35, 0)
            s.upper = min_of(63, s.upper + gained)
        s.open[box], s.left, s.again = 0, s.left - 1, 2
        for f in ALL:
            s.dice[f] = 0
        goto(roll)
        with when(s.left == 0):
            score("the sheet is full")

    g.returns(s.points)
    return g
