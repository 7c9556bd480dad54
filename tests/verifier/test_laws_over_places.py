"""Laws over places: cells at a computed place, what `was` before, what a step changes `only`, and where it is
`legal`. A small game is played by hand; each law is asked of the kernel, of its interpreter, and of the games that
`mutate` plays."""

from __future__ import annotations

from typing import Any

import pytest

from playproof.database.errors import InputError, Where
from playproof.language import Game, Interpreter, Local, goto, require, score
from playproof.mutation.mutant_games import PlayedGame, SmallStepTable
from playproof.verifier.kernel.certificate import Contradicted
from playproof.verifier.kernel.invariant import require_every_step_obeys_laws
from playproof.verifier.kernel.laws import (
    does_decision_or_phase_after_it_break_law,
    is_decision_required_by_law_illegal,
)
from playproof.verifier.questions.claims import is_family_of_laws
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.questions.ledger import list_names_and_specs_of_laws
from playproof.verifier.questions.premises import is_law_family_about_card_rows

LAYERS = [3, 1, 2]


def digging(slip: str = "") -> Game:
    """Two players dig on three sites, each as deep as its table says; `slip` is a fault of the rules."""
    g = Game("digging", players=2)
    s = g.state
    g.array("earth", 3, 0, 3, LAYERS)
    g.array("gold", 2, 0, 9)
    g.array("dug", 3, 0, 3)
    g.integer("by", 0, 1)
    worth = g.table("worth", [1, 2, 3])
    day = g.phase("day", s.by)

    @g.action(day, "dig on {site}", site=3)
    def dig(site: Local) -> None:
        require(s.earth[site] > (1 if slip == "guard" else 0), "", "nothing is left")
        where = site if slip != "place" else 0
        s.earth[where] = s.earth[where] - 1
        s.gold[s.by] = s.gold[s.by] + worth[site]
        if slip != "count":
            s.dug[site] = s.dug[site] + 1
        if slip == "more":
            s.gold[1 - s.by] = 0
        if slip != "turn":
            s.by = 1 - s.by
        goto(day)

    @g.action(day, "rest")
    def rest() -> None:
        if slip == "rest":
            s.gold[s.by] = 0

    @g.action(day, "go home")
    def home() -> None:
        score("all have gone home")

    g.returns(s.gold[0], s.gold[1])
    return g


SITE_LOSES = {"action": "dig", "changes": {"earth[site]": -1, "dug[site]": 1}}
DIGGER_GAINS = {"action": "dig", "changes": {"gold[by]": "worth[site]"}}
NOTHING_ELSE = {"action": "dig", "only": ["earth[site]", "dug[site]", "gold[by]", "by"]}
BY_TURNS = {"action": "dig", "leads": "by == 1 - was(by) and gold[was(by)] == was(gold[by]) + worth[site]"}
WHERE_EARTH_IS = {"action": "dig", "legal": "phase == day and earth[site] > 0"}
IDLE = {"action": "rest", "only": []}
LAWS = [SITE_LOSES, DIGGER_GAINS, NOTHING_ELSE, BY_TURNS, WHERE_EARTH_IS, IDLE]
BREAKS = {
    "guard": [WHERE_EARTH_IS],
    "place": [SITE_LOSES, NOTHING_ELSE],
    "count": [SITE_LOSES],
    "more": [NOTHING_ELSE],
    "turn": [BY_TURNS],
    "rest": [IDLE],
    "": [],
}
NO_OVERFLOW = ("gold[0] <= 6", "gold[1] <= 6", "all(i in dug: dug[i] + earth[i] <= 3)")


def contradicted(game: Game, spec: Any) -> bool:
    try:
        require_every_step_obeys_laws(game, NO_OVERFLOW, True, spec, Context())
    except Contradicted:
        return True
    return False


def broken_in_play(game: Game, spec: Any) -> bool:
    """Ask each step of all lines of three decisions, without Z3."""
    play, rule, todo = Interpreter(game), law_spec_to_law(game, spec), [(Interpreter(game).start(), 0)]
    while todo:
        state, length = todo.pop()
        legal = play.legal(state)
        if is_decision_required_by_law_illegal(play, rule, state) or any(
            does_decision_or_phase_after_it_break_law(play, rule, state, ident) for ident in legal
        ):
            return True
        todo += [(play.apply(state, ident), length + 1) for ident in legal if length < 2]
    return False


@pytest.mark.parametrize("slip", BREAKS)
def test_the_kernel_and_the_interpreter_find_the_same_laws_broken(slip: str) -> None:
    game = digging(slip)
    for spec in LAWS:
        assert contradicted(game, spec) == (spec in BREAKS[slip]), spec
        assert broken_in_play(game, spec) == (spec in BREAKS[slip]), spec


@pytest.mark.parametrize("slip", ["place", "turn", ""])
def test_whole_games_are_asked_as_single_steps_are(slip: str) -> None:
    game = digging(slip)
    play = Interpreter(game)
    moments, steps = [play.start()], [0, 1, 3, 0]
    for ident in steps:
        moments.append(play.apply(moments[-1], ident))
    batch = [PlayedGame(steps, moments, steps, list(range(len(moments))))]
    for spec in (SITE_LOSES, DIGGER_GAINS, NOTHING_ELSE, BY_TURNS, IDLE):
        rule = law_spec_to_law(game, spec)
        lines = SmallStepTable(game, batch).find_lines_whose_last_step_breaks_law(rule)
        expected = [
            n
            for n, ident in enumerate(steps)
            if does_decision_or_phase_after_it_break_law(play, rule, moments[n], ident)
        ]
        assert sorted(len(line) - 1 for line in lines) == expected


def test_conditions_count_over_places() -> None:
    game = digging()
    play, state = Interpreter(game), Interpreter(game).start()
    formula = ConditionReader(game, Where("here"))
    for text, value in {
        "sum(i in earth: earth[i])": sum(LAYERS),
        "sum(i in 2: worth[i] * earth[i])": 3 * 1 + 1 * 2,
        "any(i in earth: earth[i] == 2)": 1,
        "all(i in earth: any(j in earth: earth[j] > earth[i]) or earth[i] == 3)": 1,
        "earth[earth[1]]": LAYERS[LAYERS[1]],
        "earth[by + 2]": 2,
    }.items():
        assert play.value(formula.condition_text_to_term(text), state) == value, text


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"action": "dig", "only": "earth"}, "a list of fields"),
        ({"action": "dig", "only": ["earht"]}, "`earht` is no field"),
        ({"action": "dig", "only": ["worth[site]"]}, "is no field"),
        ({"action": "dig", "needs": "was(by) == 0"}, "`leads` of a law"),
        ({"action": "dig", "leads": "all(i in dug: dug[i] == was(dug[i]))"}, "counter `i`"),
        ({"action": "dig", "changes": {"sum(i in dug: dug[earth[i]])": 1}}, "counter `i`"),
        ({"action": "dig", "leads": "any(site in dug: dug[site] > 0)"}, "a meaning already"),
    ],
)
def test_a_law_that_means_nothing_is_refused(spec: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        law_spec_to_law(digging(), spec)


def test_families_of_values_and_of_laws() -> None:
    game = digging()
    seats = {
        "each": {"seat": [0, 1], "n": [1, 2]},
        "action": "dig",
        "when": "by == {seat} and {n} > 0",
        "changes": {"gold[{seat}]": "worth[site]"},
    }
    assert [name for name, _ in list_names_and_specs_of_laws(game, seats)] == ["0, 1", "0, 2", "1, 1", "1, 2"]
    assert not any(contradicted(game, spec) for _, spec in list_names_and_specs_of_laws(game, seats))
    both = [IDLE, seats]
    assert is_family_of_laws(both)
    assert not is_law_family_about_card_rows(both)
    assert is_law_family_about_card_rows([IDLE, {"each": "card", "action": "dig", "only": []}])
    assert [name for name, _ in list_names_and_specs_of_laws(game, both)][:2] == ["rest", "dig: 0, 1"]
    with pytest.raises(InputError, match="lists of values"):
        list_names_and_specs_of_laws(game, {"each": {"seat": 2}, "action": "dig", "only": []})


def test_a_law_about_every_other_step_covers_all_actions_and_automatic_phases() -> None:
    game = digging()
    actions = {action.name for action in game.actions}
    phases = {phase.name for phase in game.phases if phase.automatic}
    kept = {"except": ["dig"], "changes": {"gold[0] + gold[1]": 0}}
    laws = [law for _, law in list_names_and_specs_of_laws(game, kept)]
    named = {name for law in laws for name in law.get("action", ())}
    assert named | {law["phase"] for law in laws if "phase" in law} == (actions | phases) - {"dig"}
    assert not any(contradicted(game, law) for law in laws)
    everything = [law for _, law in list_names_and_specs_of_laws(game, {**kept, "except": []})]
    assert any(contradicted(game, law) for law in everything)  # to dig gives gold
    each = {"each": {"seat": [0, 1]}, "except": ["dig"], "changes": {"gold[{seat}]": 0}}
    assert len(list_names_and_specs_of_laws(game, each)) == 2 * len(laws)
    assert not is_law_family_about_card_rows([kept, each])


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"except": ["dgi"], "only": []}, "called `dgi`"),
        ({"except": "dig", "only": []}, "a list of actions and automatic phases"),
        ({"except": ["dig"], "action": "rest", "only": []}, "about all others"),
    ],
)
def test_a_law_that_excepts_what_is_not_there_is_refused(spec: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        list_names_and_specs_of_laws(digging(), spec)
