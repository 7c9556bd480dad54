"""The basis of a hint: several independent searches, and whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from playproof.language.random import Stream
from playproof.referee.bots.base import Sight
from playproof.referee.bots.mixing import learn_mixture
from playproof.referee.bots.search import TreeSearch
from playproof.referee.bots.tree import Candidate

SEARCHES = 5
ITERATIONS = 1000
_ALWAYS = 0.95  # a larger share counts as a single choice


@dataclass(frozen=True)
class Advice:
    """The choice of most searches, and what all searches found about it and about the next best.

    `agreed` of `searches` made the choice `best`. `share` is how often to make the choice if it is
    better not to be foreseen, else 1. Values are mean returns of the seat, over the games that the
    searches played to the end. `rival` is the choice with the greatest mean, if that is not `best`:
    a search ends on the choice that it tried most, and the game's evaluation guides its tries if
    there is one (`judged`). If the searches learn how often to make each choice (`mixed`), the
    means do not decide either.
    """

    best: Candidate
    second: Candidate | None
    agreed: int
    searches: int
    visits: int
    share: float
    rival: Candidate | None = None
    judged: bool = False
    mixed: bool = False

    @property
    def stable(self) -> bool:
        """Whether another seed would very likely give the same hint: all searches agree on a single
        choice."""
        tie = self.second is not None and self.second.proved and self.second.value == self.best.value
        return self.agreed == self.searches and self.share > _ALWAYS and not tie

    def describe_basis(self, format_choice: Callable[[int], str]) -> str:
        """Return the basis of the hint in one line. `name` returns the words of a choice."""
        if self.best.proved:
            basis = f"proved: it brings {self.best.value:g}"
        else:
            basis = f"{self.best.visits:,} of {self.visits:,} tries, {_describe_value(self.best)}"
        parts = [f"{self.agreed} of {self.searches} searches", basis]
        if self.share < 1:
            parts.append(
                f"to be done in {100 * self.share:.0f} % of such moments, so that nobody can foresee it"
            )
        if self.second is not None:
            parts.append(f"next {format_choice(self.second.ident)}: {_describe_value(self.second)}")
        if self.rival is not None:
            parts.append(self._explain_rival(self.rival, format_choice(self.rival.ident)))
        if self.agreed < self.searches:
            parts.append("the searches do not agree, so another seed may say something else")
        elif not self.stable:
            parts.append("another seed may name another choice")
        return "; ".join(parts)

    def _explain_rival(self, rival: Candidate, name: str) -> str:
        """Return why the hint is not the choice with the greater mean."""
        again = self.second is not None and self.second.ident == rival.ident
        mean = (
            f"{name} has the higher mean" if again else f"{name} has a higher mean: {_describe_value(rival)}"
        )
        if self.best.proved:
            return f"{mean}, which is not proved"
        if self.mixed:
            return f"{mean}, but how often to make each choice is learnt against the best answers to it"
        guide = ", guided by the game's evaluation" if self.judged else ""
        apart = rival.interval[0] > self.best.interval[1]
        chance = "" if apart else "; the two means are within chance of each other"
        return f"{mean}, but a search ends on the choice that it tried most{guide}{chance}"


def advise(sight: Sight, stream: Stream, *, iterations: int = ITERATIONS, searches: int = SEARCHES) -> Advice:
    """Run several searches of `iterations` each and return what they advise."""
    mind = TreeSearch(iterations)
    votes: Counter[int] = Counter()
    shares = dict.fromkeys(sight.legal, 0.0)
    lines: dict[int, list[Candidate]] = {ident: [] for ident in sight.legal}
    mixed = False
    for _ in range(searches):
        answers = mind.search(sight, stream)
        for line in answers:
            lines[line.ident].append(line)
        mixture = learn_mixture(sight, iterations, stream)
        mixed = mixed or bool(mixture)
        mixture = mixture or {answers[0].ident: 1.0}  # its own choice: the lines tell what it rests on
        votes[max(mixture, key=lambda ident: (mixture[ident], -ident))] += 1
        for ident, share in mixture.items():
            shares[ident] += share / searches
    together = [_merge_candidates(ident, answers_of) for ident, answers_of in lines.items()]
    best = max(together, key=lambda line: (votes[line.ident], line.visits))
    others = [line for line in together if line.ident != best.ident and line.visits]
    second = max(others, key=lambda line: (shares[line.ident], line.visits), default=None)
    highest = max((line for line in together if line.visits), key=lambda line: line.value, default=best)
    rival = highest if highest.value > best.value else None
    share = shares[best.ident] if votes[best.ident] == searches else 1.0
    return Advice(
        best,
        second,
        votes[best.ident],
        searches,
        sum(line.visits for line in together),
        min(1.0, share),
        rival,
        sight.engine.evaluates,
        mixed,
    )


def _merge_candidates(action_id: int, candidates: list[Candidate]) -> Candidate:
    """Combine what several searches found about one choice."""
    proved = next((line for line in candidates if line.proved), None)
    visits = sum(line.visits for line in candidates)
    if proved is not None:
        return Candidate(action_id, visits, proved.value, proved.interval, True)
    if not visits:
        return Candidate(action_id, 0, 0.0, candidates[0].interval if candidates else (0.0, 0.0), False)
    mean = sum(line.visits * line.value for line in candidates) / visits
    # The searches are independent, so the variance of their weighted mean is the sum of the
    # weighted variances.
    variance = sum((line.visits * (line.interval[1] - line.value)) ** 2 for line in candidates if line.visits)
    half = variance**0.5 / visits
    return Candidate(action_id, visits, mean, (mean - half, mean + half), False)


def _describe_value(candidate: Candidate) -> str:
    low, high = candidate.interval
    if candidate.proved:
        return f"brings {candidate.value:g} for sure"
    return f"mean return {candidate.value:.2f} ({low:.2f} to {high:.2f})"
