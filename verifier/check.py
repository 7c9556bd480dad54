"""`check`: stored evidence re-checked from scratch. Nothing in a file is believed but the question it answers.

The game is built anew; transcripts are replayed by the interpreter, invariants and ranks go to a fresh solver,
explorations are made again and compared. What is not shown is a finding.

    PP710  the file cannot be read as evidence        PP713  a line of play does not show what it should
    PP711  the case cannot be built again             PP714  an invariant, rank or sum is none, or implies too little
    PP712  it was made for other rules or cards       PP715  an exploration gives another result
    PP716  the parts do not carry the answer
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, InputError, Where
from playproof.rules.language.errors import RulesError
from playproof.rules.options import OptionError
from playproof.rules.registry import UnknownGame
from playproof.verifier.proof import evidence
from playproof.verifier.proof.always import BOUNDS, NO_DEAD_END, opposite
from playproof.verifier.proof.bounded import bounded
from playproof.verifier.proof.evidence import Part
from playproof.verifier.proof.extremes import at_value, beyond
from playproof.verifier.proof.induction import Prover, prover
from playproof.verifier.proof.k_induction import fault
from playproof.verifier.proof.length import Rank, longest_path, lowers
from playproof.verifier.proof.luck import worth
from playproof.verifier.proof.reach import digest, missing_action
from playproof.verifier.proof.relaxation import below, refusal
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.portfolio import absent
from playproof.verifier.search.replay import replay


def check(path: Path | str, *, numba: bool | None = None) -> list[Finding]:
    """Everything that is wrong with an evidence file; empty where it shows what it says. `numba` as in `Case`."""
    where = Where(str(path))
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["playproof"] != evidence.VERSION:
            raise ValueError(f"version {content['playproof']}, expected {evidence.VERSION}")
        question, value, parts = Question.from_json(content["question"]), content["value"], content["parts"]
        settings = content["case"]
        about = (settings["game"], settings["options"], settings["rulings"], settings["errata"], settings["rules"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [Finding("PP710", where, f"cannot be read as evidence: {type(error).__name__}: {error}")]
    try:
        return Checker(where, about, numba).question(question, value, parts)
    except (InputError, OptionError, UnknownGame, RulesError, KeyError, TypeError, ValueError, IndexError) as error:
        return [Finding("PP711", where, f"cannot be checked: {type(error).__name__}: {error}")]


class Checker:
    """Checks the parts of one file. `about` is the case as the file names it: game, options, rulings, errata, rules."""

    def __init__(self, where: Where, about: tuple[str, dict[str, str], dict[str, str], bool | str, str],
                 numba: bool | None = None) -> None:
        self.where, self.about, self.numba = where, about, numba
        self.findings: list[Finding] = []

    def question(self, question: Question, value: Any, parts: Sequence[Part]) -> list[Finding]:
        """Whether the parts show that the question's answer is `value`."""
        game, options, rulings, errata, rules = self.about
        if question.ask in ("same", "tune"):
            return self._variants(question, value, parts)
        case = Case(game, {**question.values, **options}, {**question.rulings, **rulings}, errata, self.numba)
        if rules and case.digest != rules:
            self.wrong("PP712", "the evidence was made for other rules or cards; prove the claim again")
            return self.findings
        one = {"reach": self._reach, "dead": self._dead, "minimum": self._extreme, "maximum": self._extreme,
               "never": self._always, "always": self._always, "luck": self._luck}[question.ask]
        one(case, question, value, parts)
        return self.findings

    def wrong(self, code: str, message: str) -> bool:
        """Note a finding; False, so that a check can end with it."""
        self.findings.append(Finding(code, self.where, message))
        return False

    # -- parts ----------------------------------------------------------------------------------------------

    def _shown(self, case: Case, target: Target, part: Part) -> bool:
        replayed = replay(case, part["idents"], target)
        if replayed.hit is None:
            return self.wrong("PP713", f"{target.name}: {replayed.error}")
        words = [case.game.show(i) for i in part["idents"]]
        if words != part.get("words"):
            return self.wrong("PP713", f"{target.name}: the words are not those of the actions")
        return True

    def _excluded(self, case: Case, target: Target, part: Part, *also: Any) -> bool:
        """Whether a part shows that a target (with more to refute beside it) never happens."""
        if part["kind"] == "invariant":
            p = prover(case, bool(part.get("integers")))
            return self._invariant(p, part, [*p.refutation(target), *also], target.name)
        if part["kind"] == "exploration":
            return self._exploration(case, target, part)
        if part["kind"] == "bounded" and not also:
            found = bounded(case, target, int(part["steps"]), Budget(3600.0))
            return found.complete or self.wrong("PP715", f"{target.name}: {found.reason or 'Z3 finds a line to it'}")
        if part["kind"] == "relaxation" and not also:
            gap = refusal(case, target, part)
            return not gap or self.wrong("PP714", f"{target.name}: the sum shows nothing: {gap}")
        if part["kind"] == "k-induction" and not also:
            reason = prover(case).check(part["conjuncts"]) or fault(case, target, int(part["k"]), part["conjuncts"])
            return not reason or self.wrong("PP714", f"{target.name}: not {part['k']}-inductive: {reason}")
        return self.wrong("PP716", f"{target.name}: a part of kind `{part['kind']}` excludes nothing")

    def _invariant(self, p: Prover, part: Part, refuted: Sequence[Any], name: str) -> bool:
        broken = p.check(part["conjuncts"])
        if broken:
            return self.wrong("PP714", f"{name}: no invariant: {broken}")
        if not p.implies(part["conjuncts"], *refuted):
            return self.wrong("PP714", f"{name}: the invariant does not exclude it")
        return True

    def _exploration(self, case: Case, target: Target, part: Part) -> bool:
        rounds = part["rounds"]
        seen = case.explored(Budget(3600.0, int(part["states"]) + 1_000_000), rounds=rounds)
        if not (seen.complete if rounds is None else (seen.complete or rounds in seen.layers)):
            return self.wrong("PP715", f"{target.name}: the exploration is not complete: {seen.reason}")
        limit = rounds if rounds in seen.layers else None
        states = seen.states if limit is None else seen.layers[limit]
        if states != part["states"] or digest(seen, limit) != part["digest"]:
            return self.wrong("PP715", f"{target.name}: {states:,} states found, the evidence speaks of "
                                       f"{part['states']:,}, or they differ")
        rows = seen.rows(target.condition) if target.idents is None else None
        inside = not absent(seen, target) if rows is None else bool(len(rows) and int(rows[0]) < states)
        if inside:
            return self.wrong("PP715", f"{target.name}: it is among the states explored")
        return True

    # -- questions ------------------------------------------------------------------------------------------

    def _wanted(self, case: Case, question: Question) -> list[Target]:
        targets = Targets(case.game, self.where).read(question.of, question.within)
        return [t for t in targets if not missing_action(case, t)]

    def _sorted(self, case: Case, question: Question, parts: Sequence[Part]) -> tuple[set[str], set[str], set[str]]:
        """Names of the family's targets that the parts show, exclude, and all of them."""
        wanted = {t.name: t for t in self._wanted(case, question)}
        shown, excluded = set(), set()
        for part in parts:
            target = wanted.get(str(part.get("name")))
            if target is None:
                self.wrong("PP716", f"`{part.get('name')}` is not what the question asks")
            elif part["kind"] == "transcript":
                shown |= {target.name} if self._shown(case, target, part) else set()
            elif self._excluded(case, target, part):
                excluded.add(target.name)
        return shown, excluded, set(wanted)

    def _reach(self, case: Case, question: Question, value: Any, parts: Sequence[Part]) -> None:
        shown, excluded, wanted = self._sorted(case, question, parts)
        if value is True and shown != wanted:
            self.wrong("PP716", f"not shown: {', '.join(sorted(wanted - shown))}")
        if value is False and not excluded:
            self.wrong("PP716", "nothing is shown to be out of reach")

    def _dead(self, case: Case, question: Question, value: Any, parts: Sequence[Part]) -> None:
        shown, excluded, wanted = self._sorted(case, question, parts)
        if value is not None and (set(value) != excluded or shown | excluded != wanted):
            self.wrong("PP716", f"open: {', '.join(sorted(wanted - shown - excluded)) or 'the list differs'}")

    def _extreme(self, case: Case, question: Question, value: Any, parts: Sequence[Part]) -> None:
        reader = Targets(case.game, self.where)
        number = reader.number(str(question.of["number"]))
        target = reader.one(question.of.get("when", {"holds": "1 == 1"}), question.within)
        reached = limited = False
        for part in parts:
            if part["kind"] == "transcript":
                reached |= value is not None and self._shown(case, at_value(target, number, value), part)
            elif value is not None and question.ask == "minimum":
                limited |= self._at_least(case, target, number, value, part)
            elif value is not None:
                limited |= self._at_most(case, target, number, value, part)
        if value is not None and not reached:
            self.wrong("PP716", f"no line of play reaches {value}")
        if value is not None and not limited:
            self.wrong("PP716", f"nothing shows that {value} is the {question.ask}")

    def _at_least(self, case: Case, target: Target, number: Any, value: int, part: Part) -> bool:
        p = prover(case)
        if part["kind"] == "invariant":
            return self._excluded(case, target, part, p.holds(number < value, p.state))
        if part["kind"] == "relaxation":
            return self._excluded(case, below(target, number, value), part)
        if part.get("rounds") is None:
            return self._exploration_extreme(case, target, number, value, part, least=True)
        by_round = case.game.quantities.get(str(case.game.facts.get("round"))) is number
        if not by_round or part["rounds"] != value - 1:
            return self.wrong("PP716", f"a search to {part['rounds']} does not show at least {value}")
        return self._exploration(case, target, part)

    def _at_most(self, case: Case, target: Target, number: Any, value: int, part: Part) -> bool:
        if part["kind"] == "exploration":
            return self._exploration_extreme(case, target, number, value, part)
        return self._excluded(case, beyond(target, number, value), part)

    def _exploration_extreme(self, case: Case, target: Target, number: Any, value: int, part: Part,
                             least: bool = False) -> bool:
        seen = case.explored(Budget(3600.0, int(part["states"]) + 1_000_000))
        better = (number < value) if least else (number > value)
        if not seen.complete or seen.states != part["states"] or digest(seen, None) != part["digest"]:
            return self.wrong("PP715", "the exploration gives other states")
        if len(seen.rows(target.condition & better)):
            return self.wrong("PP715", f"a state goes beyond {value}")
        return True

    def _always(self, case: Case, question: Question, value: Any, parts: Sequence[Part]) -> None:
        if value is None:
            return
        if not parts:
            self.wrong("PP716", "there is no evidence")
        name = question.of.get("invariant") if isinstance(question.of, Mapping) else question.of
        for part in parts:
            if isinstance(question.of, Mapping) and "ends" in question.of:
                self._length(case, int(question.of["ends"]), value, part)
            elif name in (BOUNDS, NO_DEAD_END):
                self._of_rules(case, str(name), value, part)
            elif value is False:
                self._shown(case, opposite(case, question), part)
            else:
                self._excluded(case, opposite(case, question), part)

    def _of_rules(self, case: Case, name: str, value: Any, part: Part) -> None:
        if part["kind"] == "invariant" and value is True:
            sets, p = part["sets"], prover(case)
            broken = next(filter(None, (prover(case, bool(s["integers"])).check(s["conjuncts"]) for s in sets)), "")
            texts = list(dict.fromkeys(text for s in sets for text in s["conjuncts"]))
            if broken or (p.faults(texts) if name == BOUNDS else p.stuck(texts)):
                self.wrong("PP714", f"{name}: {broken or 'the invariant does not carry it'}")
        elif part["kind"] == "transcript" and value is False and name == NO_DEAD_END:
            state = case.play.start()
            for ident in part["idents"]:
                state = case.play.apply(state, ident)
            if case.play.terminal(state) or case.play.legal(state):
                self.wrong("PP713", "the line does not end in a dead end")
        elif part["kind"] == "exploration" and name == NO_DEAD_END:
            seen = case.explored(Budget(3600.0, int(part["states"]) + 1_000_000))
            if not seen.complete or seen.stuck or seen.states != part["states"]:
                self.wrong("PP715", "the exploration gives another result")
        else:
            self.wrong("PP716", f"a part of kind `{part['kind']}` does not show {name}")

    def _length(self, case: Case, most: int, value: Any, part: Part) -> None:
        if part["kind"] == "length":
            rank = Rank({(c, v): w for c, v, w in part["rank"]})
            broken = lowers(prover(case), rank)
            if broken or rank.span(case) > most:
                self.wrong("PP714", broken or f"the rank allows {rank.span(case)} steps")
            return
        from playproof.rules.language.explorer import graph

        seen = case.explored(Budget(3600.0, int(part["states"]) + 1_000_000))
        longest = longest_path(graph(seen))
        if longest != part["longest"] or (longest is not None and longest <= most) != value:
            self.wrong("PP715", f"the longest game has {longest} steps")

    def _luck(self, case: Case, question: Question, value: Any, parts: Sequence[Part]) -> None:
        target = Targets(case.game, self.where).one(question.of, question.within)
        if question.chance == "best" and case.game.players == 1:
            return self._reach(case, question, value, parts)
        for part in parts:
            seen = case.explored(Budget(3600.0, int(part["states"]) + 1_000_000))
            if not seen.complete or seen.states != part["states"] or digest(seen, None) != part["digest"]:
                self.wrong("PP715", "the exploration gives other states")
                continue
            found = worth(seen, target, question.chance)
            answer = round(found.low, 9) if question.chance == "mean" else found.low > 0.5
            if value is not None and (answer != value or found.gap > 1e-9):
                self.wrong("PP715", f"best play is worth {answer}, the evidence says {value}")
        if value is not None and not parts:
            self.wrong("PP716", "there is no evidence")
        return None

    def _variants(self, question: Question, value: Any, parts: Sequence[Part]) -> list[Finding]:
        game, options, rulings, errata, _ = self.about
        for part in parts:
            inner = Question.from_json(part["question"])
            self.findings += Checker(self.where, (game, options, rulings, errata, ""), self.numba).question(
                inner, part["value"], part["parts"])
        values = {str(p["value"]) for p in parts}
        if question.ask == "same" and value is not None and (len(values) == 1) != value:
            self.wrong("PP716", "the settings do not answer as the evidence says")
        return self.findings
