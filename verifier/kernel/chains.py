"""What conditions exclude: in one state, behind a chain of small steps (k-induction), or in every chain
from the start (bounded search)."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Action, Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.reading import Cells, Truth, conj, disj, neg
from playproof.verifier.kernel.solving import answer, refuse
from playproof.verifier.questions.targets import Target

_LONGEST = 400


class Chain:
    """Symbolic states joined by small steps, from the given first state. `parts` are the formulas
    that join them; `cells` is the last state."""

    def __init__(self, allowed: Inductive, target: Target, first: Cells) -> None:
        self.reading, self.target = allowed.reading, target
        self.cells, self.length = first, 0
        self.parts: list[Truth] = [self.reading.typed(first)]

    def longer(self) -> None:
        """Append one more small step."""
        self.length += 1
        after = self.reading.state(f"k{self.length}_")
        steps = []
        for what in self.reading.kinds():
            tag = f"k{self.length}_{what.number}_{'a' if isinstance(what, Action) else 'p'}"
            step = self.reading.step(what, self.cells, self.reading.params(what, tag))
            same = (self.reading.compare("==", x, y) for x, y in zip(step.after, after, strict=True))
            steps.append(conj([step.sound, *same]))
        self.parts += [self.reading.typed(after), disj(steps)]
        self.cells = after

    def ways(self, cells: Cells) -> list[Truth]:
        """Return the formulas that a settled state meets the target: one, or one for each action."""
        here = conj([self.reading.settled(cells), self.reading.truth(self.target.condition, cells, {})])
        if self.target.idents is None:
            return [here]
        game = self.reading.game
        return [
            conj([here, self.reading.step(game.action_of(i), cells, game.action_of(i).values(i)).legal])
            for i in sorted(self.target.idents)
        ]


def excluded(
    game: Game, conjuncts: Sequence[str], target: Target, integers: bool, k: int, context: Context
) -> None:
    """Check that no state that satisfies the conditions meets the target; with `k`, that no line of
    fewer than `k` small steps meets it, and that `k` states in a row that satisfy the conditions and
    do not meet it lead to no state that does. If no line has `k` steps, the first says all. Raises
    NotShown. Source: Sheeran, Singh, Stålmarck, FMCAD 2000."""
    if not 0 <= k <= _LONGEST:
        raise NotShown(f"expected k from 0 to {_LONGEST}, found {k}")
    allowed = Inductive(game, conjuncts, integers, (), context, [target.condition])
    line, row = Chain(allowed, target, list(game.initial())), Chain(allowed, target, allowed.state)
    for length in range(k):
        if length:
            line.longer()
            if answer(line.parts, integers, context) == "unsat":
                return
        refuse([*line.parts, disj(line.ways(line.cells))], integers, f"after {length} small steps", context)
    for length in range(k):
        if length:
            row.longer()
        row.parts += [*allowed.assumed(row.cells), neg(disj(row.ways(row.cells)))]
    for what in allowed.reading.kinds() if k else ():
        step = allowed.reading.step(what, row.cells, allowed.reading.params(what))
        met = conj([step.sound, disj(row.ways(step.after))])
        refuse([*row.parts, met], integers, f"`{step.name}` may lead to it", context)
    for way in () if k else row.ways(row.cells):
        allowed.exclude(row.cells, [way], "the conditions leave room for it")
