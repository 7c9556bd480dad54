"""Draws errata as publishers write them: any field of any component, and every kind of sentence of public lists."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from playproof.database.field_readers import find_reader_and_field_of_value_at_path
from playproof.database.game import Game, load_game
from playproof.database.source import YamlNode

CLASSES = (None, "typo", "clarification", "function", "balance")
_NOTES = ("source", "rules")
Path = tuple[str, ...]


@dataclass(frozen=True)
class Drawn:
    """An erratum and the kind of sentence that it is."""

    game: str
    number: int
    sentence: str
    erratum: dict[str, Any]

    def __str__(self) -> str:
        what = self.erratum.get("changes") or self.erratum.get("rulings")
        return f"{self.game} {self.number} ({self.sentence}, {self.erratum.get('class')}): {what}"


@cache
def game_in_use(name: str) -> Game:
    """Return a game with the errata that are issued."""
    return load_game(name)


def drawn_errata(name: str, count: int, seed: int = 0) -> list[Drawn]:
    """Return so many errata: three of five change a field, the others are sentences of each kind in turn."""
    dice, made = random.Random(f"{name} {seed}"), list[Drawn]()
    sentences = list(SENTENCES)
    dice.shuffle(sentences)
    while len(made) < count:
        number = len(made)
        sentence = "field" if number % 5 < 3 else sentences[(number - number // 5 * 3) % len(sentences)]
        parts = (_changed_field if sentence == "field" else SENTENCES[sentence])(game_in_use(name), dice)
        if parts is None:  # this game has nothing to say it of
            sentence, parts = "field", _changed_field(game_in_use(name), dice)
        head = {"version": "99", "date": "2026-11-29", "status": "proposed", "note": "A test."}
        kind = dice.choice(CLASSES)
        made.append(Drawn(name, number, sentence, {**head, **({"class": kind} if kind else {}), **parts}))
    return made


# -- one field ------------------------------------------------------------------------------------------------------


def _changed_field(game: Game, dice: random.Random) -> dict[str, Any]:
    """Return a change of one value of one component, kind first, so that rare kinds come as often as common ones."""
    while True:
        ident = _component(game, dice)
        kind, node = game.nodes[ident]
        places = [*_scalars(node), (("count",), node.get("count"))]
        path, old = dice.choice(places)
        new = _other_value(game, kind, path, old.value if old else 1, dice)
        if new is not None:
            return {"changes": [_change(ident, path, old, new)]}


def _component(game: Game, dice: random.Random) -> str:
    kind = dice.choice(sorted({component.kind for component in game.components.values()}))
    return dice.choice([component.id for component in game.of_kind(kind)])


def _scalars(node: YamlNode, path: Path = ()) -> list[tuple[Path, YamlNode | None]]:
    """Return the values of a component that are no mappings and lists, with their paths."""
    if node.entries:
        parts = [(key, entry.node) for key, entry in node.entries.items() if path or key not in _NOTES]
    else:
        parts = [(str(n), item) for n, item in enumerate(node.items)]
    if not parts:
        return [(path, node)] if path else []
    return [found for key, inner in parts for found in _scalars(inner, (*path, key))]


def _other_value(game: Game, kind: str, path: Path, old: Any, dice: random.Random) -> Any:
    """Return another value for a place, None if there is none."""
    _, spec = find_reader_and_field_of_value_at_path(game.vocabulary, kind, path)
    if isinstance(old, bool):
        return not old
    if isinstance(old, int | float):
        return dice.choice([old + 1, old - 1, 0, 2 * old + 1])
    if spec is not None and spec.type == "choice":
        return _one_of([word for word in spec.choices or () if word != old], dice)
    for group in game.vocabulary.terms.values():
        if old in group:
            return _one_of([term for term in group if term != old], dice)
    if old in game.components:
        return _one_of([c.id for c in game.of_kind(game.components[old].kind) if c.id != old], dice)
    if old in game.vocabulary.icons:
        return _one_of([icon for icon in sorted(game.vocabulary.icons) if icon != old], dice)
    return _other_words(str(old), dice)


def _one_of(words: list[str], dice: random.Random) -> str | None:
    return dice.choice(words) if words else None


def _other_words(text: str, dice: random.Random) -> str:
    words = text.split() or ["word"]
    place = dice.randrange(len(words))
    words[place] = dice.choice([f"{words[place]}s", "two", words[place].upper(), f"not {words[place]}"])
    return " ".join(words)


def _change(ident: str, path: Path, old: YamlNode | None, new: Any) -> dict[str, Any]:
    made = {"component": ident, "path": ".".join(path), "to": new}
    return made if old is None else {**made, "from": old.data}


# -- sentences of public lists --------------------------------------------------------------------------------------


def _ruling(game: Game, dice: random.Random) -> dict[str, Any] | None:
    """A question that is answered otherwise from now on, or as before, and no card changes."""
    if not game.rulings:
        return None
    ruling = game.rulings[dice.choice(sorted(game.rulings))]
    others = [option for option in ruling.options if option != ruling.default]
    said = [{"becomes": "stays"}, {"becomes": "falls"}, {"becomes": "changes"}]
    said += [{"becomes": "changes", "to": option} for option in others]
    return {"rulings": {ruling.id: dice.choice(said)}}


def _rule(game: Game, dice: random.Random) -> dict[str, Any] | None:
    if not game.rules:
        return None
    rule = game.rules[dice.choice(sorted(game.rules))]
    language = dice.choice(sorted(rule.words.texts))
    old = rule.words.texts[language]
    path = f"rules.{rule.id}.text.{language}"
    return {"changes": [{"file": "rulebook", "path": path, "from": old, "to": _other_words(old, dice)}]}


def _number(game: Game, dice: random.Random) -> dict[str, Any] | None:
    numbers = game.facts.numbers
    if not numbers:
        return None
    name = dice.choice(sorted(numbers))
    to = numbers[name] + dice.choice([1, -1])
    return {"changes": [{"file": "game", "path": f"numbers.{name}", "from": numbers[name], "to": to}]}


def _box(game: Game, dice: random.Random) -> dict[str, Any] | None:
    if not game.facts.components:
        return None
    place = dice.randrange(len(game.facts.components))
    count = game.facts.components[place].count
    return {"changes": [{"file": "game", "path": f"components.{place}.count", "from": count, "to": count + 1}]}


def _new_component(game: Game, dice: random.Random) -> dict[str, Any] | None:
    ident = _component(game, dice)
    kind, node = game.nodes[ident]
    number = dice.choice([f"{ident[:-1]}9", f"{ident}x", f"{ident[:-2]}98"])
    return {"changes": [{"component": number, "kind": kind, "to": node.data}]}


def _renumber(game: Game, dice: random.Random) -> dict[str, Any] | None:
    ident = _component(game, dice)
    return {"changes": [{"component": ident, "path": "id", "from": ident, "to": f"{ident}9"}]}


def _removal(game: Game, dice: random.Random) -> dict[str, Any] | None:
    ident = _component(game, dice)
    return {"changes": [_change(ident, ("count",), game.nodes[ident][1].get("count"), 0)]}


def _option_limit(game: Game, dice: random.Random) -> dict[str, Any] | None:
    ident = _component(game, dice)
    options = game.components[ident].options
    path = f"options.{dice.choice(options).letter}.once" if options else "once"
    return {"changes": [{"component": ident, "path": path, "to": True}]}


def _restriction(game: Game, dice: random.Random) -> dict[str, Any] | None:
    ident = _component(game, dice)
    return {"changes": [{"component": ident, "path": "text.en", "to": "Only on your first turn."}]}


def _longer_list(game: Game, dice: random.Random) -> dict[str, Any] | None:
    """One more of what a list of a component has: an arrow, a space, an effect."""
    for _ in range(50):
        ident = _component(game, dice)
        lists = [(key, e.node) for key, e in game.nodes[ident][1].entries.items() if e.node.items]
        lists = [(key, node) for key, node in lists if key not in _NOTES]
        if lists:
            key, node = dice.choice(lists)
            return {"changes": [_change(ident, (key, str(len(node.items))), None, dice.choice(node.items).data)]}
    return None


def _icon(game: Game, dice: random.Random) -> dict[str, Any] | None:
    """One picture for another, in a field or in a text."""
    for _ in range(50):
        ident = _component(game, dice)
        kind, node = game.nodes[ident]
        for path, old in _scalars(node):
            _, spec = find_reader_and_field_of_value_at_path(game.vocabulary, kind, path)
            text = str(old.value) if old else ""
            shown = [icon for icon in sorted(game.vocabulary.icons) if f":{icon}:" in text]
            if spec is not None and spec.type == "icon":
                return {"changes": [_change(ident, path, old, _other_value(game, kind, path, text, dice))]}
            if shown:
                other = dice.choice([icon for icon in sorted(game.vocabulary.icons) if icon != shown[0]])
                return {"changes": [_change(ident, path, old, text.replace(f":{shown[0]}:", f":{other}:"))]}
    return None


def _languages_apart(game: Game, dice: random.Random) -> dict[str, Any] | None:
    """A text that changes in one language only."""
    for _ in range(50):
        ident = _component(game, dice)
        node = game.nodes[ident][1]
        texts = [(path, old) for path, old in _scalars(node) if path[-1] in game.languages and old is not None]
        if texts:
            path, old = dice.choice(texts)
            return {"changes": [_change(ident, path, old, _other_words(str(old.value), dice))]}
    return None


SENTENCES: Mapping[str, Callable[[Game, random.Random], dict[str, Any] | None]] = {
    "a ruling alone": _ruling,
    "a sentence of the rulebook": _rule,
    "a number of set-up": _number,
    "the list of the box": _box,
    "a new component": _new_component,
    "a component's number": _renumber,
    "a component leaves": _removal,
    "a limit on one option": _option_limit,
    "a restriction in words": _restriction,
    "one more in a list": _longer_list,
    "an icon alone": _icon,
    "one language only": _languages_apart,
}
