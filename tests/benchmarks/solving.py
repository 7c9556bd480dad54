"""The verifier's answers: explorer states a second and bytes a state; a quick win against a step-by-step encoding of
the same rules in Z3; fewest rounds with their proofs.

Seconds are CPU seconds of one core, except that the verifier's own answer is timed by itself;
machine code comes from the cache.
"""

from __future__ import annotations

import time

import z3

from playproof.language.compiled import Compiled
from playproof.language.explorer import Exploration, explore
from playproof.language.registry import build
from playproof.verifier.kernel.formulas import Truth, conjoin_formulas, disjoin_formulas
from playproof.verifier.kernel.term_reading import Cells
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.portfolio import search_lines_to_targets_by_all_methods
from playproof.verifier.search.random_games import RecordingInterpreter
from playproof.verifier.search.step_readings import OpenStep, OpenStepReading
from tests.benchmarks.measure import Row, cpu

WIN = {"outcome": "win"}
CHAPTERS = {"0": "a chapter of 11 cards", "1": "a chapter of 28 cards"}
_GIVE_UP = 60.0


def run() -> list[Row]:
    """Run all measurements."""
    return [*exploring(), *winning(), *fewest()]


def bytes_a_state(seen: Exploration) -> float:
    """Return the memory that an exploration uses, per state."""
    words = int(seen.packed.shape[1])
    return 8.0 * words + 4 + 4 + 4 * len(seen.table) / max(1, seen.states)


def exploring() -> list[Row]:
    """Measure states a second and bytes a state."""
    rows = []
    for name, states in (("connect_four", 161_029), ("eila", 3_000_000)):
        compiled = Compiled(build(name))
        explore(compiled, states=1_000)
        seen: list[Exploration] = []
        seconds = cpu(lambda c=compiled, n=states, s=seen: s.append(explore(c, states=n)))
        rows.append(
            Row(
                f"{name}, {seen[0].states:,} states",
                f"{seen[0].states / seconds:,.0f} states/s",
                f"{bytes_a_state(seen[0]):.1f} bytes/state",
                "",
                "2,000,000 states/s; 32 bytes",
            )
        )
    return rows


# -- a win --------------------------------------------------------------------------------------------------------


class Unrolled:
    """Bounded model checking by single steps: each small step (an action, or one automatic phase)
    is one layer of Z3 variables.

    Automatic phases are separate layers, because terms that fold them into an action are too deep
    for these rules.
    """

    def __init__(self, case: GameCase) -> None:
        self.target = TargetReader(case.game).read_single_target_of_spec(WIN)
        self.reading = OpenStepReading(case.game, extra=[self.target.condition])
        self.here = self.reading.make_symbolic_state("t")
        self.next = self.reading.make_symbolic_state("n")
        moves = [self._taken(move) for move in self.reading.list_symbolic_small_steps(self.here, "t")]
        relation = conjoin_formulas(
            [self.reading.build_cells_within_bounds_formula(self.next), disjoin_formulas(moves)]
        )
        translator = self.reading.translator
        ranges = translator.list_ranges_of_variables(relation)
        self.relation = z3.And(translator.translate_formula(relation), *ranges)
        self.solver = z3.SolverFor("QF_BV")
        self.states: list[Cells] = [list(case.game.get_state_before_automatic_phases())]

    def _taken(self, move: OpenStep) -> Truth:
        return conjoin_formulas(
            [move.outcome.sound, self.reading.build_states_equal_formula(move.outcome.after, self.next)]
        )

    def longer(self) -> None:
        """Add one small step."""
        k = len(self.states)
        fresh, names = self.reading.make_symbolic_state(f"s{k}."), [*self.here, *self.next]
        values = [*self.states[-1], *fresh]
        for what in self.reading.iter_actions_and_automatic_phases():
            names += self.reading.make_symbolic_parameters(what, f"t.{what.name}.{what.number}.")
            values += self.reading.make_symbolic_parameters(what, f"p{k}.{what.name}.{what.number}.")
        translate = self.reading.translator.translate_formula
        pairs = [(translate(n), translate(v)) for n, v in zip(names, values, strict=True) if not isinstance(n, int)]
        self.solver.add(z3.substitute(self.relation, *pairs))
        self.states.append(fresh)

    def won(self, milliseconds: int) -> z3.CheckSatResult:
        """Check whether the state after the last step can be a win."""
        self.solver.set(timeout=max(1, milliseconds))
        holds = self.reading.build_term_holds_formula(self.target.condition, self.states[-1])
        return self.solver.check(self.reading.translator.translate_formula(holds))


def step_by_step(case: GameCase, seconds: float) -> tuple[bool, int]:
    """Return whether a win was found in the time, and how many small steps were checked."""
    deadline, game = time.process_time() + seconds, Unrolled(case)
    while time.process_time() < deadline:
        game.longer()
        answer = game.won(int(1000 * (deadline - time.process_time())))
        if answer != z3.unsat:
            return answer == z3.sat, len(game.states) - 1 - (answer == z3.unknown)
    return False, len(game.states) - 1


def winning() -> list[Row]:
    """Measure a win within seven rounds: the verifier against Z3 step by step."""
    rows = []
    for chapter, words in CHAPTERS.items():
        case = GameCase("eila", {"chapter": chapter})
        target = TargetReader(case.game).read_single_target_of_spec(WIN, {"rounds": 7})
        case.compiled.run_playouts(1, 1, policies=[1])
        lines: list[list[int]] = []
        ours = cpu(
            lambda c=case, t=target, out=lines: out.append(
                search_lines_to_targets_by_all_methods(c, [t], Budget(60)).lines[0]
            )
        )
        found, depth = step_by_step(case, _GIVE_UP)
        other = f"Z3 step by step: {'found' if found else 'not found'}, {depth} small steps in {_GIVE_UP:g} s"
        rows.append(
            Row(
                f"{words}: a win within 7 rounds, {small_steps(case, lines[0])} small steps long",
                f"{ours:.2f} s",
                other,
                ("" if found else "over ") + f"{_GIVE_UP / ours:,.0f}",
                "60 s, 10 times faster",
            )
        )
    return rows


def small_steps(case: GameCase, line: list[int]) -> int:
    """Return the number of actions and automatic phases in a line of play."""
    play = RecordingInterpreter(case.play)
    state = play.start()
    for ident in line:
        state = play.apply(state, ident)
    return len(play.met)


def fewest() -> list[Row]:
    """Measure the fewest rounds, with the proof that fewer are impossible."""
    rows = []
    for (chapter, words), wanted in zip(CHAPTERS.items(), ("10 s", "300 s, or bounds"), strict=True):
        question = Question(
            "fewest", "minimum", {"number": "round", "when": WIN}, {"rounds": 7}, values={"chapter": chapter}
        )
        prove("eila", claims=[question], work=300)  # machine code into the cache
        [answer] = prove("eila", claims=[question], work=300)
        rows.append(
            Row(
                f"{words}: fewest rounds to a win",
                f"{answer.value} in {answer.seconds:.1f} s",
                f"{answer.verdict.value}: {answer.method}",
                "",
                wanted,
            )
        )
    return rows
