"""Answers in words, as commands print them."""

from __future__ import annotations

from playproof.verifier.questions.verdicts import BROKEN, ESTIMATED, SIZE, UNFIT, Answer, Verdict

_VALUE, _WHOLE = 46, 1_000
_FRACTION = 20  # characters of a fraction that people may want to read


def format_answer(answer: Answer) -> str:
    """Return one claim as one line, with more lines if something was expected, assumed or not
    settled."""
    exactly = answer.bound.get("exactly", "") if answer.value is not None else ""
    value = format_value(answer.value)
    if 0 < len(exactly) <= _FRACTION and exactly != value:
        value += f" = {exactly}"
    value += f" {answer.whom}" if answer.whom else ""
    text = f"{answer.verdict.value:<8} {answer.id:<28} {value:<{_VALUE}} {answer.seconds:7.2f} s  {answer.method}"
    wrong = answer.verdict is Verdict.REFUTED
    expected = (
        f"\n         expected {format_value(answer.expect)}" if wrong and answer.expect is not None else ""
    )
    more = [text.rstrip() + expected]
    if wrong and answer.ask == "same":
        values: dict[str, object] = answer.bound.get("values", {})
        more += [f"{setting}: {format_value(each)}" for setting, each in values.items()]
    if UNFIT in answer.bound:
        more.append(f"{UNFIT}: {answer.bound[UNFIT]}")
    if "because" in answer.bound:
        more.append(f"why: {answer.bound['because']}")
    if "breaks" in answer.bound:
        more.append(f"breaks: {answer.bound['breaks']}")
    more += _format_option_lines(answer)
    if BROKEN in answer.bound:
        more.append(f"what stands under `with` does not hold: {answer.bound[BROKEN]}")
    if answer.assumed:
        more.append(f"if every game keeps: {', '.join(answer.assumed)}; not shown here")
    if answer.reason:
        bound = {name: value for name, value in answer.bound.items() if name not in (ESTIMATED, SIZE)}
        more.append(f"{answer.reason}; bound reached: {format_value(bound, _WHOLE)}")
        more += _list_estimate_lines(answer)
    return "\n         ".join(more)


def _list_estimate_lines(answer: Answer) -> list[str]:
    """Return what is estimated of an open answer, and what an exact one would take."""
    lines = [answer.bound[ESTIMATED]["words"]] if ESTIMATED in answer.bound else []
    return [*lines, *([str(answer.bound[SIZE])] if SIZE in answer.bound else [])]


def _format_option_lines(answer: Answer) -> list[str]:
    """Return a line for each option that a claim asks of, and for each value of a spread."""
    options: dict[str, dict[str, float]] = answer.bound.get("options", {})
    spread: dict[str, float] = answer.bound.get("spread", {})
    lines = [f"{value}: {chance:.6f}" for value, chance in spread.items()]
    for name, each in options.items():
        beside = f"regret {each['regret']:.6f}" if each["regret"] else "best"
        lines.append(f"{name}: {each['worth']:.6f}, {beside}")
    return lines


def format_value(value: object, max_length: int = _VALUE) -> str:
    """Return a value in words, cut after `most` characters."""
    if value is None or value == {}:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        text = ", ".join(f"{k} {format_value(v, max_length)}" for k, v in value.items())
    elif isinstance(value, list | tuple):
        text = ", ".join(format_value(each, max_length) for each in value) or "none"
    else:
        text = _format_decimal(value) if isinstance(value, float) else str(value)
    return text if len(text) <= max_length else f"{text[: max_length - 4]} ..."


def _format_decimal(value: float) -> str:
    """Return six digits of a number, or as many as tell it from 1. A number that is rounded has six decimals or more,
    because `expect` takes one with fewer for exact."""
    short = f"{value:.6g}"
    if short == "1" != str(value)[:1]:
        return f"{value:.9f}"
    decimals = 0 if "e+" in short else len(short.partition(".")[2])
    return short if decimals >= 6 or float(short) == value else f"{value:.6f}"


def format_value_with_reason(answer: Answer) -> str:
    """Return an answer's value, with the reason of a no in the game's words."""
    because = f", because {answer.bound['because']}" if "because" in answer.bound else ""
    return ("never" if answer.verdict is Verdict.VACUOUS else format_value(answer.value)) + because
