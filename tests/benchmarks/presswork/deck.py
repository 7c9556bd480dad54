"""The deck: cards with a title, a type line and 220 characters of rules with three icons among
the words."""

from __future__ import annotations

from pathlib import Path
from random import Random

SENTENCE = (
    "When the caravan leaves harbour every merchant may trade one crate of silk for two bars of silver then move "
    "along any river road toward the old citadel gate where guards demand toll before nightfall ends"
)
WORDS = SENTENCE.split()
ICONS = ("food", "gold", "energy")
LENGTH = 196  # characters of words; with the icons' names the text is about 220 long

VOCABULARY = """terms:
  resource:
    food: {name: {en: Food}, icon: food}
    gold: {name: {en: Gold}, icon: gold}
    energy: {name: {en: Energy}, icon: energy}
  zone:
    past: {name: {en: Past}}
kinds:
  card:
    name: {en: Card}
    id: 'c\\d+'
    fields: {title: words, type: words, text: words}
"""
FACTS = """title: {en: Bench}
version: "1.0"
players: {min: 1, max: 1}
languages: [en]
about: {en: a deck to be timed}
source: playproof
components: []
"""
LAYOUT = """kind: card
size: poker
bleed: 0
colours: {ink: "#222222", paper: "#f8f2e2", line: "#7a5c3a"}
styles:
  text: {family: alegreya, size: 9, colour: ink}
  title: {family: alegreya, bold: true, size: 13, min: 10, colour: ink, align: centre, valign: middle}
front:
  elements:
    - {shape: rect, box: trim, fill: paper}
    - {shape: rect, box: {inset: 3}, stroke: {colour: line, width: 0.6}, radius: 3}
    - {text: "{title}", box: [6, 6, 51.5, 8], style: title}
    - {text: "{type}", box: [6, 40, 51.5, 5], style: {extends: text, italic: true, align: centre}}
    - {text: "{text}", box: [6, 47, 51.5, 36], style: text}
"""


def cards(count: int) -> list[tuple[str, str, list[str]]]:
    """Return title, type line and words of each card. `:name:` marks an icon's place among the
    words."""
    random = Random(1)
    made = []
    for number in range(count):
        words: list[str] = []
        while len(" ".join(words)) < LENGTH:
            words.append(random.choice(WORDS))
        for at, icon in enumerate(ICONS):
            words.insert(5 + at * 9, f":{icon}:")
        made.append((f"The {random.choice(WORDS).title()} {number}", f"Action - {random.choice(WORDS).title()}", words))
    return made


def write_game(folder: Path, count: int) -> None:
    """Write the deck as a game's folder (`game`) that contains its layout."""
    (folder / "game" / "layouts").mkdir(parents=True, exist_ok=True)
    (folder / "game" / "game.yaml").write_text(FACTS, "utf-8")
    (folder / "game" / "vocabulary.yaml").write_text(VOCABULARY, "utf-8")
    (folder / "game" / "layouts" / "card.yaml").write_text(LAYOUT, "utf-8")
    lines = ["kind: card", "components:"]
    for number, (title, kind, words) in enumerate(cards(count)):
        text = " ".join(words)
        lines.append(f'  c{number:05d}: {{title: {{en: "{title}"}}, type: {{en: "{kind}"}}, text: {{en: "{text}"}}}}')
    (folder / "game" / "cards.yaml").write_text("\n".join(lines) + "\n", "utf-8")
