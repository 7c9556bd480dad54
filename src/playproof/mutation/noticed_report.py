"""The results of a run in words: how much is noticed, by which claims, and which lines and cards no
claim covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from playproof.mutation.sampling import EQUIVALENT, NOTICED, SURVIVED, Verdict

_WIDTH = 110


def rate(verdicts: Iterable[Verdict]) -> float | None:
    """Return the share of noticed mutants among those that change the game, or None if no mutant
    does."""
    states = Counter(v.state for v in verdicts)
    changed = states[NOTICED] + states[SURVIVED]
    return states[NOTICED] / changed if changed else None


def silent(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Return the mutants that survived at each place, in the order of files and lines."""
    survivors: dict[str, list[Verdict]] = {}
    for verdict in sorted((v for v in verdicts if v.state == SURVIVED), key=_place):
        survivors.setdefault(verdict.line, []).append(verdict)
    return survivors


def _place(verdict: Verdict) -> tuple[str, int, str]:
    file, _, line = verdict.line.rpartition(":")
    return file, int(line), verdict.said


def lines(what: str, verdicts: Sequence[Verdict]) -> list[str]:
    """Return the report of one part: rules, or cards."""
    if not verdicts:
        return []
    states = Counter(v.state for v in verdicts)
    share = rate(verdicts)
    head = f"{what}: {len(verdicts)} changes, {states[NOTICED]} noticed, {states[SURVIVED]} not"
    same = states[EQUIVALENT]
    head += f", {same} change nothing" if same else ""
    other = len(verdicts) - states[NOTICED] - states[SURVIVED] - same
    head += f", {other} are not played" if other else ""
    head += "" if share is None else f" ({100 * share:.0f} % of those that change the game)"
    report = [head]
    by = Counter(v.by for v in verdicts if v.state == NOTICED)
    report += [f"  {count:4}  {name}" for name, count in by.most_common(12)]
    places = silent(verdicts)
    if places:
        report.append(f"nothing noticed a change of {what} at")
    for place, survivors in places.items():
        for survivor in survivors:
            where = f" ({survivor.owner})" if survivor.owner else ""
            report.append(f"  {place}: {survivor.said}{where}"[: _WIDTH + len(place)])
    return report


def as_json(game: str, seed: int, rules: Sequence[Verdict], cards: Sequence[Verdict]) -> dict[str, Any]:
    """Return the data of `mutate --json`."""

    def part(verdicts: Sequence[Verdict]) -> dict[str, Any]:
        return {
            "rate": rate(verdicts),
            "states": dict(Counter(v.state for v in verdicts)),
            "mutants": [
                {
                    "key": v.key,
                    "where": v.line,
                    "kind": v.kind,
                    "change": v.said,
                    "owner": v.owner,
                    "state": v.state,
                    "by": v.by,
                    "how": v.how,
                }
                for v in verdicts
            ],
        }

    return {"game": game, "seed": seed, "rules": part(rules), "cards": part(cards)}
