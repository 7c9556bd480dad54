"""Reads a game's claims.yaml, and reports every claim that cannot be understood, or that the first state
answers, at its own place before any is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from playproof.database.claims_yaml import Claim
from playproof.database.errors import Finding, InputError, make_nearest_or_possible_words_hint
from playproof.language import Interpreter
from playproof.language.game import Game
from playproof.language.options import OptionError, Options
from playproof.language.registry import build, load_cards_if_rules_need_them
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.statements import ENDS, PROPERTIES
from playproof.verifier.questions.claims import (
    BESIDE,
    NOW,
    Question,
    build_question_inside_same_or_tune,
    get_ignored_key_of_question_or_empty,
    has_worked_example_shape,
    is_family_of_laws,
    parse_expected_number_or_none,
)
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise, list_names_and_specs_of_laws
from playproof.verifier.questions.secrecy import secret_spec_to_secret
from playproof.verifier.questions.strategies import (
    get_target_of_strategy_or_raise,
    strategy_spec_to_strategy,
    worth_spec_to_number,
)
from playproof.verifier.questions.targets import TargetReader

KEYS = ("ask", "says", "of", "within", "options", "given", "expect", "chance", "seeing", "budget", "rules")
GameBuilder = Callable[[Question], Game]
"""Builds the game under the options and rulings of a question."""
_YES_OR_NO = ("reach", "never", "always", "step", "example", "same", "secret")
_MOST_DEALS = 10_000
_EXTREME = ("number", "when")
_INSIDE = ("ask", "of", "within", "chance", "seeing", "expect")
_ASKED = (
    *("reach", "dead", "minimum", "maximum", "never", "always"),
    *("luck", "step", "worth", "count", "distance", "equilibrium", "strategy"),
)
"""The keys of a question that `same` and `tune` ask in place, and the kinds of it."""
_EXTREMES = ("minimum", "maximum")
_WHOLE = (*_EXTREMES, "count", "distance")
_END = "write `within: outcome > 0` beside `of`, or name the endings that are meant: {outcome: [loss, draw]}"
_AT_ONCE = {
    "": ("what it asks for holds before anybody acts, because no game is over there", f"to ask of the end, {_END}"),
    "always": ("it fails before anybody acts, because no game is over there", f"to ask of each end, {_END}"),
    "luck": ("what it asks for holds before anybody acts, so its chance is 1", f"to ask of the end, {_END}"),
}
"""What is wrong with a question that the first state answers, and what to write, by the kind of question."""
_INSTEAD = {("within", "ledger"): "write `where` in `of`", ("within", "step"): "write `when` in `of`"}
"""What to write in place of a word that says nothing in a kind of question."""
_EXPECTED = {
    **dict.fromkeys(_WHOLE, "a whole number"),
    **dict.fromkeys(("equilibrium", "worth"), "a number or fraction"),
    **dict.fromkeys(("dead", "tune"), "none or a list"),
}


def claim_to_question(claim: Claim) -> Question:
    """Return the question that a claim asks. Raises InputError for an unknown key: without it, the
    claim would be another one."""
    unknown = [k for k in claim.data if k not in KEYS]
    if unknown:
        raise InputError(
            [
                Finding(
                    "PP703",
                    claim.where,
                    f"claim `{claim.id}`: unknown key `{k}`",
                    make_nearest_or_possible_words_hint(k, KEYS),
                )
                for k in unknown
            ]
        )
    options = dict(claim.options)
    data: Mapping[str, Any] = claim.data
    rulings = options.pop("rulings", None) or {}
    if not isinstance(rulings, Mapping):
        raise InputError([Finding("PP704", claim.where, "expected `rulings` as `id: option`")])
    return Question(
        claim.id,
        claim.ask,
        claim.of,
        claim.within,
        claim.says,
        options,
        dict(rulings),
        claim.expect,
        str(data.get("chance", "mean")),
        str(data.get("seeing", "")),
        data.get("budget"),
        where=claim.where,
    )


def list_mistakes_in_questions(
    game_ref: str,
    questions: Iterable[Question],
    claims: Mapping[str, Question],
    errata: bool | str = True,
    build_game: GameBuilder | None = None,
) -> list[Finding]:
    """Return everything that is wrong with questions about a game and with the claims given to
    them. `claims` are the claims that they may name; `game_of` gives games that are built already.
    Raises RulesError if the rules cannot be built for any of the questions; where they can for some,
    the answers to the others say so."""
    wrong = list_wrong_questions_with_mistakes(game_ref, questions, claims, errata, build_game)
    return list(dict.fromkeys(finding for _, findings in wrong for finding in findings))


def list_wrong_questions_with_mistakes(
    game_ref: str,
    questions: Iterable[Question],
    claims: Mapping[str, Question],
    errata: bool | str = True,
    build_game: GameBuilder | None = None,
) -> list[tuple[Question, list[Finding]]]:
    """Do what `list_mistakes_in_questions` does. Return each question that cannot be asked, with what is wrong."""
    built = build_game or make_cached_game_builder(game_ref, load_cards_if_rules_need_them(game_ref, errata))
    needed = [(question, list_given_claims_then_question(question)) for question in questions]
    every = {id(each): each for _, group in needed for each in group}
    wrong: dict[int, list[Finding]] = {}
    errors: list[Exception] = []
    for key, question in every.items():
        try:
            wrong[key] = _find_mistakes_in_question(question, claims, built)
        except Exception as error:
            errors.append(error)
    if errors and len(errors) == len(every):
        raise errors[0]
    of_each = [(question, [f for each in group for f in wrong.get(id(each), ())]) for question, group in needed]
    return [(question, findings) for question, findings in of_each if findings]


def make_cached_game_builder(
    game_ref: str, cards: Any, built_default_game: tuple[Game, Options] | None = None
) -> GameBuilder:
    """Return a function that builds the game of a question from these cards, once for each setting; `usual` is
    the game without options, and what it asked for, if it is built already."""
    games: dict[str, Game] = {}

    def game_of(question: Question) -> Game:
        values = {name: str(value) for name, value in question.values.items()}
        rulings = {name: str(value) for name, value in question.rulings.items()}
        if built_default_game is not None and built_default_game[1].are_all_default_values(values, rulings):
            return built_default_game[0]
        key = repr((sorted(values.items()), sorted(rulings.items())))
        if key not in games:
            games[key] = build(game_ref, Options(values, rulings), cards)
        return games[key]

    return game_of


def _find_mistakes_in_question(
    question: Question, claims: Mapping[str, Question], build_game: GameBuilder
) -> list[Finding]:
    def told(code: str, message: str, hint: str = "") -> list[Finding]:
        return [Finding(code, question.where, f"claim `{question.id}`: {message}", hint)]

    if question.ask in _YES_OR_NO and not isinstance(question.expect, bool | None):
        return told("PP704", f"expected `expect` as true or false, found {question.expect!r}")
    if question.ask in ("luck", "strategy") and not _is_none_or_probability(question.expect):
        return told("PP704", f"expected `expect` as a chance, found {question.expect!r}", "write 0.25 or 1/4")
    if not _can_expected_value_be_answer(question.ask, question.expect):
        return told("PP704", f"expected `expect` as {_EXPECTED[question.ask]}, found {question.expect!r}")
    try:
        compared = question.ask in ("same", "tune")
        if compared:
            _require_no_ignored_key(question)
            _require_known_keys_of_inner_question(question, claims)
        variants = (
            [v for _, v in build_question_inside_same_or_tune(question, claims).iter_labels_and_questions_by_setting()]
            if compared
            else [question]
        )
        if not variants:  # all of no settings answer alike
            return told("PP704", "an option or ruling has an empty list of values", "name the values to compare")
        for variant in variants:
            _require_readable_question(build_game(variant), variant)
        if all(does_first_state_answer_question_on_endings(build_game(variant), variant) for variant in variants):
            return told("PP704", *_AT_ONCE.get(question.ask, _AT_ONCE[""]))
    except InputError as error:
        return [replace(f, where=question.where, message=f"claim `{question.id}`: {f.message}") for f in error.findings]
    except OptionError as error:
        return told("PP704", str(error))
    return []


def _require_known_keys_of_inner_question(question: Question, claims: Mapping[str, Question]) -> None:
    """Check the words of the question that `same` or `tune` asks under each setting. Raises
    InputError."""
    spec = question.of
    if not isinstance(spec, Mapping) or not {"claim", "ask"} & set(spec):
        return  # `build_question_inside_same_or_tune` says what was expected
    keys = ("claim",) if "claim" in spec else _INSIDE
    findings = [
        Finding(
            "PP703",
            question.where,
            f"unknown key `{key}` beside `{keys[0]}`",
            make_nearest_or_possible_words_hint(str(key), keys),
        )
        for key in spec
        if key not in keys
    ]
    if "ask" in spec and spec["ask"] not in _ASKED:
        findings.append(
            Finding(
                "PP704",
                question.where,
                f"ask `{spec['ask']}`: expected {', '.join(_ASKED)}",
                make_nearest_or_possible_words_hint(str(spec["ask"]), _ASKED),
            )
        )
    findings += iter_findings_on_chance_seeing_and_budget(build_question_inside_same_or_tune(question, claims))
    if findings:
        raise InputError(findings)


def _can_expected_value_be_answer(question_kind: str, expected_value: Any) -> bool:
    """Return whether what a claim expects can be its answer; a false one would be refuted
    otherwise, and `false` is no number although Python counts it as 0."""
    if expected_value is None or question_kind not in _EXPECTED:
        return True
    if question_kind in ("equilibrium", "worth"):
        return parse_expected_number_or_none(expected_value) is not None
    return (
        type(expected_value) is int
        if question_kind in _WHOLE
        else expected_value == "none" or isinstance(expected_value, list)
    )


def _is_none_or_probability(expected_value: Any) -> bool:
    """Return whether `expected_value` is None, or a number or fraction from 0 to 1."""
    if expected_value is None:
        return True
    chance = parse_expected_number_or_none(int(expected_value) if isinstance(expected_value, bool) else expected_value)
    return chance is not None and 0 <= chance <= 1


def _require_readable_question(game: Game, question: Question) -> None:
    """Read everything that the question says. Raises InputError."""
    _require_no_ignored_key(question)
    if question.ask == "ledger":
        _require_readable_ledger_claim(game, question)
        return
    reader = TargetReader(game, question.where)
    reader.within_spec_to_condition(question.within)
    if question.ask == "example":
        if not has_worked_example_shape(question.of):
            raise reader.wrong(f"expected `of` as {{line: [...], end: ..., then: [...]}}, found {question.of!r}")
        line = [str(word) for word in question.of["line"]]
        now = [word.removeprefix(NOW) for word in line if word.startswith(NOW)]
        for text in (*now, *question.of.get("then", [])):
            reader.formula.condition_text_to_term(str(text))
    elif question.ask == "step":
        family = (
            list_names_and_specs_of_laws(game, question.of, question.where)
            if is_family_of_laws(question.of)
            else [("", question.of)]
        )
        for _, spec in family:
            law_spec_to_law(game, spec, question.where)
    elif question.ask == "secret":
        _require_readable_secret_claim(game, question)
    elif question.ask in _EXTREMES:
        _require_readable_extreme_claim(reader, question.of)
    elif question.ask == "worth":
        _require_readable_worth_claim(game, question)
    elif question.ask == "always":
        _require_readable_always_claim(reader, question)
    elif question.ask in ("never", "luck", "count"):
        reader.read_single_target_of_spec(question.of)
    elif question.ask == "distance":
        _require_readable_distance_claim(reader, question.of)
    elif question.ask == "equilibrium":
        _require_readable_equilibrium_claim(reader, question)
    elif question.ask == "deals":
        _require_readable_deals_claim(reader, question)
    elif question.ask == "strategy":
        strategy_spec_to_strategy(game, question.of, question.where)
        get_target_of_strategy_or_raise(game, question.of, question.within, question.where)
    else:
        reader.read_targets_of_spec(question.of)


def _require_no_ignored_key(question: Question) -> None:
    """Check that no word beside `of` says nothing. Raises InputError."""
    word = get_ignored_key_of_question_or_empty(question)
    if word in BESIDE:
        hint = _INSTEAD.get((word, question.ask), "leave it out")
        raise InputError.from_single_finding(
            "PP704", question.where, f"`{word}` says nothing in `{question.ask}`", hint
        )


def _describe_expected_type_or_empty_if_right(ledger_spec: Any, expected_value: Any) -> str:
    """Return what a claim about the cards must expect, in words, "" if it does."""
    truth = isinstance(ledger_spec, Mapping) and bool({"holds", "band", "alike"} & set(ledger_spec))
    if expected_value is None or not isinstance(ledger_spec, Mapping):
        return ""
    if truth:
        return "" if isinstance(expected_value, bool) else "true or false"
    if "by" in ledger_spec:
        whole = isinstance(expected_value, Mapping) and all(type(n) is int for n in expected_value.values())
        return "" if whole else "a whole number for each value of `by`"
    return "" if type(expected_value) is int else "a whole number"


def _require_readable_ledger_claim(game: Game, question: Question) -> None:
    """Check a claim about the cards: it is counted, which takes no longer than to read it. Raises InputError."""

    wrong = partial(InputError.from_single_finding, "PP704", question.where)
    if game.cards is None:
        raise wrong("the rules have no cards to count")
    wanted = _describe_expected_type_or_empty_if_right(question.of, question.expect)
    if wanted:
        raise wrong(f"expected `expect` as {wanted}, found {question.expect!r}")
    count_ledger_claim_on_cards_or_raise(tuple(game.cards.components.values()), question.of, question.where)


def _require_readable_extreme_claim(reader: TargetReader, claim_spec: Any) -> None:
    if not isinstance(claim_spec, Mapping) or "number" not in claim_spec:
        raise reader.wrong(f"expected `of` as {{number: ..., when: target}}, found {claim_spec!r}")
    for key in claim_spec:
        if key not in _EXTREME:
            raise reader.wrong(
                f"unknown key `{key}` beside `number`", make_nearest_or_possible_words_hint(str(key), _EXTREME)
            )
    reader.number_text_to_term(str(claim_spec["number"]))
    if "when" in claim_spec:
        reader.read_single_target_of_spec(claim_spec["when"])


def _require_readable_distance_claim(reader: TargetReader, claim_spec: Any) -> None:
    if not isinstance(claim_spec, Mapping) or set(claim_spec) not in ({"nearest"}, {"farthest"}):
        raise reader.wrong(f"expected `of` as {{nearest: target}} or {{farthest: target}}, found {claim_spec!r}")
    reader.read_single_target_of_spec(*claim_spec.values())


def _require_readable_secret_claim(game: Game, question: Question) -> None:
    secret_spec_to_secret(game, question.of, question.where)


def _require_readable_worth_claim(game: Game, question: Question) -> None:
    try:
        worth_spec_to_number(game, question.of)
    except InputError as error:
        raise InputError([replace(f, where=question.where) for f in error.findings]) from None


def _require_readable_equilibrium_claim(reader: TargetReader, question: Question) -> None:
    """Check that the question names a seat, or nothing. Raises InputError."""
    of = {} if question.of is None else question.of
    if not isinstance(of, Mapping) or not set(of) <= {"seat"}:
        raise reader.wrong(f"expected `of` as {{seat: 0}}, or nothing, found {of!r}")
    if of and (type(of["seat"]) is not int or of["seat"] not in range(reader.game.players)):
        raise reader.wrong(f"seat {of['seat']} of {reader.game.players}", "seats are counted from 0")


def _require_readable_deals_claim(reader: TargetReader, question: Question) -> None:
    """Check that the question names a target and a sample. Raises InputError."""
    of = question.of
    if not isinstance(of, Mapping) or not {"share", "deals"} <= set(of) <= {"share", "deals", "seed"}:
        raise reader.wrong(f"expected `of` as {{share: target, deals: 100, seed: 1}}, found {of!r}")
    for key in ("deals", "seed"):
        if type(of.get(key, 1)) is not int or not 1 <= of.get(key, 1) <= _MOST_DEALS:
            raise reader.wrong(f"expected `{key}` as a whole number from 1 to {_MOST_DEALS:,}, found {of[key]!r}")
    reader.read_single_target_of_spec(of["share"])
    if question.expect is not None:
        raise reader.wrong("a sample proves no share, so none can be expected", "leave `expect` out")


def _require_readable_always_claim(reader: TargetReader, question: Question) -> None:
    of = question.of
    name = of.get("invariant") if isinstance(of, Mapping) else of
    ends = of["ends"] if isinstance(of, Mapping) and set(of) == {"ends"} else None
    if name not in (*PROPERTIES, ENDS) and ends is None:
        reader.read_single_target_of_spec({"not": of})
    elif question.within is not None:
        raise InputError(
            [Finding("PP704", question.where, "`within` says nothing here", "it belongs to a condition; leave it out")]
        )
    elif isinstance(of, Mapping) and ends is None:
        reader.require_known_keys(of, "invariant", "with")
        reader.require_readable_with_conditions(of.get("with", []))
    if ends is not None and not (type(ends) is int and ends >= 0):
        raise reader.wrong(f"expected `ends` as a whole number of steps, found {ends!r}")


# -- first state ---------------------------------------------------------------------------------------------
# Questions that the first state answers, although they seem to ask how games end.

_OUTCOME = 1
"""The cell that says how the game ended, 0 while it goes on."""
_OF_CHANCES = ("luck", "strategy")


def does_first_state_answer_question_on_endings(game: Game, question: Question) -> bool:
    """Return whether what a question about endings looks for holds before anybody acts, in a game that is not
    over there. A `luck` or `strategy` question is always about what becomes of a game."""
    targets = [t for t in _iter_targets_of_question(game, question) if t.idents is None]
    number = game.outcome.field.number
    if question.ask not in _OF_CHANCES:
        targets = [t for t in targets if number in t.condition.reads]
    if not targets:
        return False
    play = Interpreter(game)
    try:
        start = play.start()
        if play.terminal(start):
            return False
        return any(
            play.value(t.condition, start) and (question.ask in _OF_CHANCES or _is_target_about_endings(play, t, start))
            for t in targets
        )
    except Exception:  # rules that break at the start; the claim is answered, and says so
        return False


def _iter_targets_of_question(game: Game, question: Question) -> Iterator[Target]:
    """Yield the targets that a question looks for."""
    reader, of = TargetReader(game, question.where), question.of
    if question.ask in ("reach", "dead"):
        yield from reader.read_targets_of_spec(of, question.within)
    elif question.ask in ("never", "luck"):
        yield reader.read_single_target_of_spec(of, question.within)
    elif question.ask == "strategy":
        yield get_target_of_strategy_or_raise(game, of, question.within, question.where)
    elif question.ask in ("minimum", "maximum") and "when" in of:
        yield reader.read_single_target_of_spec(of["when"], question.within)
    elif question.ask == "always":
        name = of.get("invariant") if isinstance(of, Mapping) else of
        if name not in (*PROPERTIES, ENDS) and not (isinstance(of, Mapping) and "ends" in of):
            yield reader.read_single_target_of_spec({"not": of}, question.within)


def _is_target_about_endings(interpreter: Interpreter, target: Target, start_state: list[int]) -> bool:
    """Return whether a target that holds in the first state is about endings: the negation of one, or a
    condition that holds behind some endings and not behind others."""
    if _is_spec_negated_ending(target.spec):
        return True
    after = {
        bool(interpreter.value(target.condition, [*start_state[:_OUTCOME], end.number, *start_state[_OUTCOME + 1 :]]))
        for end in interpreter.game.endings
    }
    return len(after) > 1


def _is_spec_negated_ending(target_spec: Any) -> bool:
    negated = False
    while isinstance(target_spec, Mapping) and "not" in target_spec:
        target_spec, negated = target_spec["not"], not negated
    return negated and isinstance(target_spec, Mapping) and bool({"outcome", "reason"} & set(target_spec))


# -- claims file ---------------------------------------------------------------------------------------------
# Reads a game's claims.yaml: every claim as a question, with the claims given to it.

CHANCES, SEEING = ("best", "worst", "mean"), ("", "all")
"""The words for luck, and for what players see."""
_CONDITIONS = ("always",)
_HELP = {**dict.fromkeys(("minimum", "maximum"), (*_CONDITIONS, "example")), "luck": (*_CONDITIONS, "strategy")}
"""The kinds of claims that a claim may be given, where examples or strategies can show what it asks for."""


def claims_to_questions_by_id_or_raise(claims: Mapping[str, Claim]) -> dict[str, Question]:
    """Return the questions of a game's claims. A claim may take only earlier claims as given.
    Raises InputError."""
    questions, findings = readable_claims_to_questions_by_id(claims)
    if findings:
        raise InputError(findings)
    return questions


def readable_claims_to_questions_by_id(claims: Mapping[str, Claim]) -> tuple[dict[str, Question], list[Finding]]:
    """Return the questions of those claims that can be read, and what is wrong with the others."""
    questions: dict[str, Question] = {}
    findings: list[Finding] = []
    for name, claim in claims.items():
        lemma_names = claim.data.get("given") or []
        names = [str(n) for n in (lemma_names if isinstance(lemma_names, list) else [lemma_names])]
        helps = _HELP.get(claim.ask, _CONDITIONS)
        lemmas = [questions[n] for n in names if n in questions and questions[n].ask in helps]
        missing = sorted(set(names) - {q.id for q in lemmas})
        wrong = [
            Finding(
                "PP705",
                claim.where,
                f"claim `{name}` is given `{n}`, and no `{'` or `'.join(helps)}` claim of that name stands before it",
                make_nearest_or_possible_words_hint(n, questions),
            )
            for n in missing
        ]
        try:
            question = replace(claim_to_question(claim), given=tuple(lemmas))
            wrong += iter_findings_on_chance_seeing_and_budget(question)
        except InputError as error:
            wrong += error.findings
        if not wrong:
            questions[name] = question
        findings += wrong
    return questions, findings


def iter_findings_on_chance_seeing_and_budget(question: Question) -> Iterator[Finding]:
    """Yield what is wrong with a question's chance, seeing and budget. No certificate answers a
    question about a luck that does not exist."""
    budget = question.budget
    if question.chance not in CHANCES:
        yield Finding(
            "PP704",
            question.where,
            f"chance `{question.chance}`: expected best, worst or mean",
            make_nearest_or_possible_words_hint(question.chance, CHANCES),
        )
    if question.seeing not in SEEING:
        yield Finding("PP704", question.where, f"seeing `{question.seeing}`: expected all, or nothing")
    if budget is not None and not (isinstance(budget, int | float) and budget > 0):
        yield Finding("PP704", question.where, f"budget `{budget}`: expected a number above 0")


def list_given_claims_then_question(question: Question) -> list[Question]:
    """Return the claims given to a claim, each after those given to it, and then the claim
    itself."""
    some = [q for lemma in question.given for q in list_given_claims_then_question(lemma)]
    return list({q.id: q for q in [*some, question]}.values())
