"""The results of a run in words: how much beliefs notice, which claims do, and which lines and cards no belief
covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from playproof.mutation.sampling import DOUBTED, EQUIVALENT, NOTICED, RECORDED, SURVIVED, MutantOutcome

_WIDTH = 110


def detection_rate(verdicts: Iterable[MutantOutcome]) -> float | None:
    """Return the share of mutants that a belief or lint notices among those that change the game, or None if no
    mutant does. A law that is left open where it was shown counts. What recorded games alone notice does not: they
    say that something is another, and not that it is wrong."""
    states = Counter(v.state for v in verdicts)
    noticed = states[NOTICED] + states[DOUBTED]
    changed = noticed + states[RECORDED] + states[SURVIVED]
    return noticed / changed if changed else None


def group_undetected_by_place(verdicts: Sequence[MutantOutcome]) -> dict[str, list[MutantOutcome]]:
    """Return the mutants that no belief noticed at each place, in the order of files and lines."""
    survivors: dict[str, list[MutantOutcome]] = {}
    for verdict in sorted((v for v in verdicts if v.state in (SURVIVED, RECORDED)), key=_sort_key_by_place):
        survivors.setdefault(verdict.line, []).append(verdict)
    return survivors


def _sort_key_by_place(verdict: MutantOutcome) -> tuple[str, int, str]:
    file, _, line = verdict.line.rpartition(":")
    return file, int(line), verdict.said


def format_part_report(part: str, verdicts: Sequence[MutantOutcome]) -> list[str]:
    """Return the report of one part: rules, or cards."""
    if not verdicts:
        return []
    by = Counter(v.by for v in verdicts if v.state in (NOTICED, DOUBTED, RECORDED))
    report = [_format_counts(part, verdicts), *(f"  {count:4}  {name}" for name, count in by.most_common())]
    places = group_undetected_by_place(verdicts)
    if places:
        report.append(f"no belief noticed a change of {part} at")
    for place, survivors in places.items():
        for survivor in survivors:
            where = f" ({survivor.owner})" if survivor.owner else ""
            recorded = f" [recorded: {survivor.by}]" if survivor.state == RECORDED else ""
            report.append(f"  {place}: {survivor.said}{where}"[: _WIDTH + len(place)] + recorded)
    return report


def _format_counts(part: str, verdicts: Sequence[MutantOutcome]) -> str:
    """Return the counts of one part as a line."""
    states = Counter(v.state for v in verdicts)
    counted = (NOTICED, DOUBTED, RECORDED, SURVIVED, EQUIVALENT)
    parts = [
        f"{part}: {len(verdicts)} changes, {states[NOTICED]} noticed by beliefs",
        f"{states[DOUBTED]} leave a law open" if states[DOUBTED] else "",
        f"{states[RECORDED]} by recordings alone" if states[RECORDED] else "",
        f"{states[SURVIVED]} not",
        f"{states[EQUIVALENT]} change nothing" if states[EQUIVALENT] else "",
        f"{unplayed} are not played" if (unplayed := len(verdicts) - sum(states[s] for s in counted)) else "",
    ]
    share = detection_rate(verdicts)
    percent = "" if share is None else f" ({100 * share:.0f} % of those that change the game)"
    return ", ".join(filter(None, parts)) + percent


def count_detections_by_claim(claims: Iterable[str], verdicts: Iterable[MutantOutcome]) -> dict[str, int]:
    """Return how many mutants each claim notices, and each code of lint; 0 for a claim that notices none."""
    counts = Counter(v.by for v in verdicts if v.state in (NOTICED, DOUBTED, RECORDED))
    return dict.fromkeys(claims, 0) | dict(counts.most_common())


def format_claims_without_detection(claims: Iterable[str], verdicts: Iterable[MutantOutcome]) -> list[str]:
    """Return the claims that notice no mutant of the sample, as lines."""
    idle = [name for name, count in count_detections_by_claim(claims, verdicts).items() if not count]
    names = wrap(", ".join(idle), _WIDTH, break_on_hyphens=False)
    return ["these noticed none", *(f"  {line}" for line in names)] if idle else []


def mutation_report_to_json(
    game: str, seed: int, rules: Sequence[MutantOutcome], cards: Sequence[MutantOutcome]
) -> dict[str, Any]:
    """Return the data of `mutate --json`."""

    def part(verdicts: Sequence[MutantOutcome]) -> dict[str, Any]:
        return {
            "rate": detection_rate(verdicts),
            "states": dict(Counter(v.state for v in verdicts)),
            "earlier": sum(v.earlier for v in verdicts),
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
