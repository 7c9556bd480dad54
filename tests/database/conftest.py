"""A tiny game of its own, so that these tests hold for any game and break none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GAME = """\
title: {en: Shells, fr: Coquillages}
players: {min: 1, max: 2}
languages: [en, fr]
components:
  - {name: shells, kind: shell, count: 2, numbers: [01-02]}
  - {name: pearls, ids: [pearl], count: 6}
"""

VOCABULARY = """\
terms:
  goods:
    pearl:
      name: {en: Pearl, fr: Perle}
      plural: {en: Pearls, fr: Perles}
      icon: pearl
      supply: [pearl.count]
      store: bag
    salt: {name: {en: Salt, fr: Sel}, icon: salt, supply: [4], store: bag}
    dread: {name: {en: Dread, fr: Effroi}, icon: dread, short: true}
  store:
    bag: {name: {en: Bag, fr: Sac}, limit: [8]}
  zone:
    beach: {name: {en: Beach, fr: Plage}, icon: beach}
    sea: {name: {en: Sea, fr: Mer}, icon: sea}
effects:
  gain:
    args: {amounts: {type: amounts, group: goods, max: 9}}
    each: amounts
    text: "+{n} {term}"
    words: {en: "gain {n} {term}", fr: "gagne {n} {term}"}
  pay:
    args: {amounts: {type: amounts, group: goods}}
    each: amounts
    cost: true
    text: "−{n} {term}"
  call:
    args: {card: {type: reference, kinds: [shell], where: {deck: [reef]}, same: [part]}}
    text: ":{card.deck}: **{card}**"
  swap:
    args: {from: {type: term, group: goods}, to: {type: term, group: goods}}
    text: "X {from} :arrow: X {to}"
  tools:
    args: {items: {type: list, min: 1, of: {type: reference, kinds: [tool]}}}
    each: items
    text: ":{one.icon}: {one.title}"
options: {to: zone, pay: pay, needs: [tool]}
wording: {cost: "{cost} :arrow: {effects}", needs: ":{needs.icon}: {effects}"}
kinds:
  shell:
    name: {en: Shell, fr: Coquillage}
    id: '\\d\\d'
    fields:
      title: words
      deck: {type: choice, choices: [reef, shore]}
      part: {type: integer, min: 1, max: 3, required: false}
      image: {type: image, required: false}
      options: options
  token:
    name: {en: Token, fr: Jeton}
    fields: {icon: {type: icon, required: false}}
  tool:
    name: {en: Tool, fr: Outil}
    fields: {title: words, icon: icon}
icons: {arrow: cost, reef: the reef, shore: the shore, knife: the knife}
"""

SHELLS = """\
kind: shell
defaults: {source: playproof}
components:
  "01":
    title: {en: Whelk, fr: Bulot}
    deck: shore
    options:
      A: {do: [{gain: {pearl: 1}}, {call: "02"}], to: beach}
      B: {pay: {pearl: 1, salt: 2}, do: [{swap: {from: salt, to: pearl}}], to: sea}
  "02":
    title: {en: Cowrie, fr: Porcelaine}
    deck: reef
    options:
      A: {do: [{either: [[{gain: {pearl: 2}}], [{tools: [K1]}]]}], to: beach}
      B: {needs: K1, do: [{gain: {salt: 1}}], to: sea}
"""

TOKENS = """\
kind: token
defaults: {source: {rulebook: Components}}
components:
  pearl: {count: 6, icon: pearl}
"""

TOOLS = """\
kind: tool
defaults: {source: {public: "https://example.org/tools"}}
components:
  K1: {title: {en: Knife, fr: Couteau}, icon: knife}
"""

RULEBOOK = """\
rules:
  R1: {section: start, text: {en: A game begins., fr: Une partie commence.}}
  R2: {section: start, text: {en: A game ends., fr: Une partie finit.}, ruling: A1}
rulings:
  A1:
    default: late
    question: {en: When?, fr: Quand ?}
    options: {late: {en: After a while., fr: Plus tard.}, soon: {en: At once., fr: Tout de suite.}}
"""

CLAIMS = """\
claims:
  winnable: {ask: reach, says: It can be won., of: {outcome: win}, within: {rounds: 3}, expect: true}
"""

FILES = {
    "game": GAME, "vocabulary": VOCABULARY, "shells": SHELLS, "tokens": TOKENS, "tools": TOOLS,
    "rulebook": RULEBOOK, "claims": CLAIMS,
}  # fmt: skip

Edit = tuple[str, str, str]
MakeGame = Callable[..., Path]


@pytest.fixture
def make_game(tmp_path: Path) -> MakeGame:
    """Writes the tiny game with edits (file, old text, new text); every old text must be there."""

    def make(*edits: Edit, **more: str) -> Path:
        texts = dict(FILES)
        for name, old, new in edits:
            assert texts[name].count(old) >= 1, f"{old!r} is not in {name}"
            texts[name] = texts[name].replace(old, new, 1)
        folder = tmp_path / "shells"
        folder.mkdir(exist_ok=True)
        for name, text in {**texts, **more}.items():
            path = folder / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return make
