"""Answers to the questions of reaching: reach, dead, minimum, maximum; each with its evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from rules.language import Interpreter, Term
from rules.language.explorer import Exploration
from rules.language.trace import Require
from rules.language.vector import evaluate
from verifier import beam, greedy
from verifier.bounded import bounded_part
from verifier.case import Budget, Case
from verifier.claims import Question
from verifier.evidence import Part, transcript
from verifier.induction import lower_bound, unreachable
from verifier.kinduction import k_inductive
from verifier.relaxed import least, relaxation
from verifier.replay import replay
from verifier.seek import Search, absent, line_in, row_of_ending, seek, walker
from verifier.target import Target, Targets
from verifier.verdict import Found

_FIRST_LOOK = 6.0  # seconds of exploration before a relaxation and an invariant are tried
_SUM_SHARE = 0.25  # of the time left, for a relaxation


def missing_action(case: Case, target: Target) -> bool:
    """Whether a target is an action that the game does not have: a requirement without any state in it fails."""
    if target.idents is None:
        return False
    return all(_does_not_exist(case, ident) for ident in target.idents)


def _does_not_exist(case: Case, ident: int) -> bool:
    action = case.game.action_of(ident)
    bound = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
    play = Interpreter(case.game)
    for statement in action.body:
        if not isinstance(statement, Require):
            break
        if not statement.condition.reads and not play.value(statement.condition, [], dict(bound)):
            return True
    return False


def exploration_part(seen: Exploration, target: Target, rounds: int | None) -> Part:
    """The part that says: among all states (up to a round) the target is not."""
    return {"kind": "exploration", "target": target.spec, "name": target.name, "rounds": rounds,
            "states": seen.layers[rounds] if rounds is not None else seen.states,
            "digest": digest(seen, rounds), "complete": seen.complete}


def digest(seen: Exploration, rounds: int | None) -> str:
    """Names the states of an exploration, in the order of their discovery."""
    count = seen.layers[rounds] if rounds is not None else seen.states
    return hashlib.sha256(seen.packed[:count].tobytes()).hexdigest()


def rounds_of(question: Question) -> int | None:
    """The bound on rounds in `within`, if that is all it bounds."""
    if isinstance(question.within, dict) and len(question.within) == 1:
        [(name, most)] = question.within.items()
        return int(most) if name in ("round", "rounds") else None
    return None


def reach(case: Case, question: Question, budget: Budget) -> Found:
    """Can it happen? True with a line of play for each target; False where one is shown to be out of reach."""
    targets = Targets(case.game, question.where).read(question.of, question.within)
    wanted = [t for t in targets if not missing_action(case, t)]
    if not wanted:
        return Found(True, "the family is empty", vacuous=True)
    search = seek(case, wanted, budget)
    parts = [transcript(case, line, wanted[i]) for i, line in sorted(search.lines.items())]
    left = [i for i in range(len(wanted)) if i not in search.lines]
    no = refuted(case, question, [wanted[i] for i in left], budget)
    method = " + ".join(dict.fromkeys([*search.method.values(), *(p["kind"] for p in no)]))
    if no:
        return Found(False, method, (*parts, *no), bound={"unreachable": [p["name"] for p in no]})
    if left:
        names = [wanted[i].name for i in left]
        return Found(None, method, tuple(parts), why(case, budget), {"not found": names, **bound_reached(case)})
    return Found(True, method, tuple(parts))


def refuted(case: Case, question: Question, targets: Sequence[Target], budget: Budget) -> list[Part]:
    """Parts that show targets to be out of reach, as far as that can be shown."""
    parts: list[Part] = []
    seen = case.seen
    for target in targets:
        rounds = rounds_of(question)
        if seen is not None and seen.complete and absent(seen, target):
            parts.append(exploration_part(seen, target, None))
        elif seen is not None and rounds is not None and rounds in seen.layers and absent(seen, target):
            parts.append(exploration_part(seen, target, rounds))
        else:
            found = (by_sum(case, target, budget, len(targets) == 1) or unreachable(case, target, budget)
                     or k_inductive(case, target, budget) or bounded_part(case, target, budget))
            if found is not None:
                parts.append(found)
    return parts


def by_sum(case: Case, target: Target, budget: Budget, fine: bool) -> Part | None:
    """A part by the order-free relaxation, which may take a share of the budget; finely for single targets."""
    return relaxation(case, target, Budget(budget.left * _SUM_SHARE, progress=budget.progress), fine)


def why(case: Case, budget: Budget) -> str:
    if budget.stopped:
        return "stopped by hand"
    seen = case.seen
    if seen is not None and seen.states >= budget.states:
        return f"memory: {seen.states:,} states were explored, the limit"
    return f"time: {budget.seconds:g} s were used"


def bound_reached(case: Case) -> dict[str, Any]:
    seen = case.seen
    if seen is None:
        return {}
    return {"states": seen.states, "rounds searched": max(seen.layers, default=0)}


def dead(case: Case, question: Question, budget: Budget) -> Found:
    """Members of a family that can never happen: a list of names, empty when each was seen to happen."""
    targets = Targets(case.game, question.where).read(question.of, question.within)
    wanted = [t for t in targets if not missing_action(case, t)]
    if not wanted:
        return Found([], "the family is empty", vacuous=True)
    search = seek(case, wanted, budget)
    parts = [transcript(case, line, wanted[i]) for i, line in sorted(search.lines.items())]
    left = [wanted[i] for i in range(len(wanted)) if i not in search.lines]
    no = refuted(case, question, left, budget)
    gone = [p["name"] for p in no]
    method = " + ".join(dict.fromkeys([*search.method.values(), *(p["kind"] for p in no)]))
    if len(no) < len(left):
        open_ = [t.name for t in left if t.name not in gone]
        bound = {"dead": gone, "open": open_, **bound_reached(case)}
        return Found(None, method, (*parts, *no), why(case, budget), bound)
    return Found(gone, method, (*parts, *no))


# -- extremes -----------------------------------------------------------------------------------------------


def extreme(case: Case, question: Question, budget: Budget) -> Found:
    """The least (minimum) or greatest (maximum) value of a number where a condition holds."""
    reader = Targets(case.game, question.where)
    spec = dict(question.of)
    number = reader.number(str(spec["number"]))
    target = reader.one(spec.get("when", {"holds": "1 == 1"}), question.within)
    if question.ask == "minimum" and number is _round(case):
        return _fewest_rounds(case, target, number, budget)
    return _extreme_of_all(case, target, number, question.ask == "minimum", budget)


def at_value(target: Target, number: Term, value: int) -> Target:
    """The target where the number has a value."""
    return Target(f"{target.name} at {value}", target.spec, target.condition & (number == value), target.idents)


def _round(case: Case) -> Term | None:
    name = case.game.facts.get("round")
    return case.game.quantities[name] if name else None


def _fewest_rounds(case: Case, target: Target, number: Term, budget: Budget) -> Found:
    """From above: lines of play; from below: rounds searched completely, else an inductive invariant."""
    search = seek(case, [target], budget, explore=False)
    best = _value(case, search.lines.get(0), target, number)
    seen = case.explored(budget, seconds=min(_FIRST_LOOK, budget.seconds / 4), until=lambda now: _hit(now, target))
    if seen.complete and absent(seen, target):
        return Found(None, "exploration", (exploration_part(seen, target, None),), vacuous=True)
    best = _better(case, search, target, number, line_in(seen, target), "exploration", best)
    low, low_part = _searched(seen, target, best)
    if (best is None or low < best) and budget.left > 0:
        share = Budget(budget.left * _SUM_SHARE, progress=budget.progress)
        found = least(case, target, number, best, share, above=low)
        if found is not None and int(found["least"]) > low:
            low, low_part = int(found["least"]), found
    if best is None or low < best:
        lines = walker(case).notable + list(search.lines.values())
        found = lower_bound(case, target, number, best, budget, lines)
        if found is not None and int(found["least"]) > low:
            low, low_part = int(found["least"]), found
    if best is not None and low < best and budget.left > 0:
        line = greedy.search(case, target, budget, below=best, enough=low)
        best = _better(case, search, target, number, line, "greedy games", best)
    while (best is None or low < best) and budget.left > 0:
        line = beam.search(case, target, (number.hi if best is None else best) - 1, budget)
        if line is None:
            break
        best = _better(case, search, target, number, line, "beam", best)
    if best is not None and low < best and budget.left > 0:
        seen = case.explored(budget, rounds=best - 1, until=lambda now: _hit(now, target))
        best = _better(case, search, target, number, line_in(seen, target), "exploration", best)
        more, part = _searched(seen, target, best)
        low, low_part = (more, part) if more > low else (low, low_part)
    parts = [transcript(case, line, target) for line in search.lines.values()]
    parts += [low_part] if low_part is not None else []
    method = " + ".join(dict.fromkeys([*search.method.values(), *([low_part["kind"]] if low_part else [])]))
    if best is not None and best == low:
        return Found(best, method, tuple(parts))
    return Found(None, method, tuple(parts), why(case, budget), {"at least": low, "at most": best,
                                                                 **bound_reached(case)})


def _better(case: Case, search: Search, target: Target, number: Term, line: list[int] | None, method: str,
            best: int | None) -> int | None:
    """The better of a new line and the best known; the search keeps its line."""
    value = _value(case, line, target, number)
    if line is None or value is None or (best is not None and value >= best):
        return best
    search.add(case, [target], 0, line, method)
    return value


def _searched(seen: Exploration, target: Target, best: int | None) -> tuple[int, Part | None]:
    """The least round not searched completely, with the part that says the target is in none before."""
    done = [r for r in seen.layers if best is None or r < best]
    if not done or not _absent_before(seen, target, max(done)):
        return 0, None
    return max(done) + 1, exploration_part(seen, target, max(done))


def _hit(seen: Exploration, target: Target) -> bool:
    return row_of_ending(seen, target) is not None


def _absent_before(seen: Exploration, target: Target, rounds: int) -> bool:
    rows = seen.rows(target.condition)
    return not len(rows) or int(rows[0]) >= seen.layers[rounds]


def _value(case: Case, line: list[int] | None, target: Target, number: Term) -> int | None:
    if line is None:
        return None
    return case.play.value(number, replay(case, line, target).state)


def _extreme_of_all(case: Case, target: Target, number: Term, least: bool, budget: Budget) -> Found:
    seen = case.explored(budget)
    rows = seen.rows(target.condition)
    if not len(rows):
        if seen.complete:
            return Found(None, "exploration", (exploration_part(seen, target, None),), vacuous=True)
        return Found(None, "exploration", (), why(case, budget), bound_reached(case))
    best_row, best = int(rows[0]), None
    for row in rows:
        value = int(evaluate(number, seen.columns(int(row), int(row) + 1))[0])
        if best is None or ((value < best) == least and value != best):
            best_row, best = int(row), value
    line = transcript(case, seen.path(best_row), target)
    if not seen.complete:
        key = "at most" if least else "at least"
        return Found(None, "exploration", (line,), why(case, budget), {key: best, **bound_reached(case)})
    return Found(best, "exploration", (line, {**exploration_part(seen, target, None), "extreme": best}))
