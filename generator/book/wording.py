"""The booklets' own words. A language without them gets the English ones."""

from __future__ import annotations

WORDS = {
    "en": {
        "box": "In the box", "rulings": "Questions and rulings", "icons": "Icons and pictures", "fonts": "Type",
        "people": "People", "credits": "Credits", "sources": "Where facts come from", "page": "page",
        "example": "Example", "chance": "Chance", "colon": ":",
        "narrowed": "Why not more:", "notes": "Notes",
    },
    "fr": {
        "box": "Dans la boîte", "rulings": "Questions et décisions", "icons": "Icônes et images", "fonts": "Caractères",
        "people": "Personnes", "credits": "Crédits", "sources": "D'où viennent les faits", "page": "page",
        "example": "Exemple", "chance": "Hasard", "colon": " :",
        "narrowed": "Pourquoi pas plus :", "notes": "Notes",
    },
    "de": {
        "box": "In der Schachtel", "rulings": "Fragen und Antworten", "icons": "Symbole und Bilder",
        "fonts": "Schriften",
        "people": "Personen", "credits": "Mitwirkende", "sources": "Woher die Angaben stammen", "page": "Seite",
        "example": "Beispiel", "chance": "Zufall", "colon": ":",
        "narrowed": "Warum nicht mehr:", "notes": "Notizen",
    },
}  # fmt: skip


def words_of(language: str) -> dict[str, str]:
    """Return the booklet's own words in a language."""
    return WORDS.get(language, WORDS["en"])
