"""What a part of a claim is, as a person reads it: printed from its claim terms. A condition is printed in the claims'
own grammar, and read back as the same terms; a test sees to it.

Nothing that is shown rests on this. Who wants to know what was checked reads it, or the terms themselves in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType

from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import ClaimTerm
from playproof.verifier.kernel.strict_json import (
    Json,
    Unreadable,
    raise_unreadable_for_wrong_shape,
)

_LOOSE, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGNED = range(7)
_STRENGTH = MappingProxyType({"or": _LOOSE, "and": _AND, "not": _NOT, "+": _SUM, "-": _SUM, "*": _PRODUCT})
"""How strongly a word binds what stands beside it; the signs that are left out compare."""
_BARE = re.compile(r"(?!(?:and|or|not|sum|any|all|was|True|False)$)[A-Za-z_][A-Za-z0-9_]*")


def format_claim_term(game: Game, data: ClaimTerm, least_strength: int = _LOOSE) -> str:
    """Return data as a condition, in parentheses where it binds less than asked for. It is read back as this data, but
    for what only endings, scores and evaluations mean."""

    def show(part: ClaimTerm, strength: int) -> str:
        return format_claim_term(game, part, strength)

    match data:
        case int():
            return str(data)
        case ["text", text]:
            return f'"{text}"'
        case ["name" | "field" | "printed", name]:
            return name if _BARE.fullmatch(name) else f"`{name}`"
        case ["cell", name, *place]:
            return f"{show(['name', name], _SIGNED)}[{', '.join(show(part, _SUM) for part in place)}]"
        case ["sum" | "any" | "all" as kind, counter, rows, part]:
            return f"{kind}({show(['name', counter], _SIGNED)} in {rows}: {show(part, _LOOSE)})"
        case ["was", part]:
            return f"was({show(part, _LOOSE)})"
        case ["quantity" | "declared" as word, name]:
            return f"`{word} {name}`"
        case ["ended", number]:
            return format_claim_term(game, ["==", ["name", "outcome"], number], least_strength)
        case ["return" | "evaluation" as word, seat]:
            return f"`{word} of seat {seat}`"
        case ["winner", number]:
            return f"`winner of {game.endings[number - 1].reason}`"
        case ["negative", part]:
            text, strength = f"-{show(part, _SIGNED)}", _SIGNED
        case ["not", part]:
            text, strength = f"not {show(part, _NOT)}", _NOT
        case ["and" | "or" as word, *parts]:
            strength = _STRENGTH[word]
            text = f" {word} ".join(show(part, strength + 1) for part in parts)
        case [sign, left, right]:
            strength = _STRENGTH.get(sign, _COMPARED)
            is_compared = strength == _COMPARED
            label = _find_label(game, left, right) if sign in ("==", "!=") else ""
            text = f"{show(left, strength + is_compared)} {sign} {label or show(right, strength + 1)}"
    return f"({text})" if strength < least_strength else text


def _find_label(game: Game, compared: ClaimTerm, value: ClaimTerm) -> str:
    """Return the name of a field's value, in quotes; "" if it has none, or others have the same."""
    while compared[:1] == ["was"] if isinstance(compared, list) else False:
        compared = compared[1]
    match compared, value:
        case ["name" | "cell", name, *_], int() if name in game.handles and name not in game.quantities:
            held = game.handles[name].field
            named = dict(enumerate(held.labels, held.lo))
            label = named.get(value, "")
            plain = '"' not in label and label and list(named.values()).count(label) == 1
            return f'"{label}"' if plain else ""
    return ""


def format_actions(game: Game, action_ids: Collection[int]) -> str:
    """Return ground actions in words, with their numbers if the words mean several; all of an action by its name."""
    texts = list[str]()
    for action in game.actions:
        mine = [ident for ident in action.idents if ident in action_ids]
        words = {ident: game.show(ident) for ident in mine}
        named = [t if len(game.idents_by_text[t]) == 1 else f"{t} [#{ident}]" for ident, t in words.items()]
        texts += [f"any `{action.name}`"] if 1 < len(mine) == action.count else named
    return " or ".join(texts)


def format_target(game: Game, data: Json) -> str:
    """Return the target of data as a condition, or as the actions that it speaks of."""
    if data["actions"] is None:
        text = format_claim_term(game, data["condition"])
    else:
        text = format_actions(game, data["actions"])
    return text if data["within"] is None else f"{text}, within {format_claim_term(game, data['within'])}"


def format_law(game: Game, data: Json) -> str:
    """Return the law of data in words."""
    show = partial(format_claim_term, game)
    said = [f"phase {game.phases[data['phase']].name}"] if "phase" in data else []
    said += [f"{key} {format_actions(game, data[key])}" for key in ("actions", "can") if data.get(key)]
    said += [f"{key} {show(data[key])}" for key in ("when", "needs", "legal", "leads") if key in data]
    said += [f"{show(number)} changes by {show(by)}" for number, by in data.get("changes", ())]
    said += [f"only {', '.join(map(show, data['only']))}"] if "only" in data else []
    return "; ".join(said)


def format_strategy(game: Game, data: Json) -> str:
    """Return the way to play of data in words."""
    rules = [_format_rule(game, rule) for rule in data["rules"]]
    return f"seats {', '.join(map(str, data['seats']))}: {'; else '.join(rules)} (ties: {data['ties']})"


def _format_rule(game: Game, data: Json) -> str:
    take = "any action" if data["take"] is None else format_actions(game, data["take"])
    numbers = [
        f"parameter {term[1]}" if isinstance(term, list) and term[0] == "parameter" else format_claim_term(game, term)
        for term in data["numbers"]
    ]
    prefer = f" with the {'least' if data['least'] else 'most'} {', then '.join(numbers)}" if numbers else ""
    return f"when {format_claim_term(game, data['when'])} take {take}{prefer}"


def format_worth(game: Game, data: Json) -> str:
    """Return what data asks of in words."""
    what = f"decisions of {data['counts']}" if data["number"] is None else format_claim_term(game, data["number"])
    how = data["play"] or format_strategy(game, data["plan"])
    after = f", after {', '.join(map(game.show, data['after']))}" if data["after"] else ""
    of_each = ", of each option" if data["options"] else ", of each value" if data["spread"] else ""
    return f"{what}, for seat {data['seat']}, play {how}{after}{of_each}"


def format_count_of_cards(game: Game, data: Json) -> str:
    """Return which rows of the cards data speaks of, and what is counted of them."""
    terms = {"where": data["where"], data["measure"]: data["of"]}
    return "; ".join(f"{key} {format_claim_term(game, term)}" for key, term in terms.items() if term != 1)


_PRINTERS: Mapping[str, Callable[[Game, Json], str]] = MappingProxyType(
    {
        "condition": format_claim_term,
        "number": format_claim_term,
        "target": format_target,
        "law": format_law,
        "strategy": format_strategy,
        "worth": format_worth,
        "ledger": format_count_of_cards,
        "members": lambda game, data: ", ".join(f"{name}" for name, _ in data) or "nothing",
        "laws": lambda game, data: ", ".join(f"{name}" for name, _ in data) or "nothing",
    }
)
"""How data of each kind is printed; a family by the names of its members."""


def format_claim_part_or_data(game: Game, kind: str, data: Json) -> str:
    """Return what data of claim terms says, in words; as it stands if it is no such data."""
    try:
        with raise_unreadable_for_wrong_shape("no claim terms"):
            return _PRINTERS[kind](game, data)
    except (Unreadable, UnboundLocalError, RecursionError):
        return str(data)
