"""The words in which a dossier speaks, in the languages of its readers. Another language reads English."""

from __future__ import annotations

from typing import Final

_WORDS: Final = {
    "en": {
        "typo": "Typo",
        "clarification": "Clarification",
        "function": "Change of function",
        "balance": "Change of balance",
        "proposed": "Proposed",
        "changes": "What changes",
        "before": "Before",
        "now": "Now",
        "nothing": "nothing",
        "reads": "{where} now reads",
        "option": "option {letter}",
        "new": "A new card.",
        "gone": "This card leaves the game.",
        "tell": "Which cards you hold",
        "mark": "Every changed card has “{mark}” at its foot. A card without this mark is an old one.",
        "printing": "Printing",
        "its cards": "How to tell its cards",
        "affected": "Affected",
        "yes": "yes",
        "no": "no",
        "remove": "Take out of your box",
        "copy": "{count} ×",
        "put": "Put in the new cards from the sheets, or glue the slips over the old text.",
        "rulings": "Rulings",
        "stays": "stays",
        "falls": "falls",
        "becomes": "changes",
        "why": "Why",
        "who": "Decided by {name}",
        "does": "What it does",
        "claims": "{same} of {all} claims hold as they are written, or have the same answer as before. {alike} of them "
        "are about rules that the change does not reach.",
        "waiting": "Not asked to the end, because the time was up: {ids}.",
        "play": "In play",
        "random": "random players",
        "greedy": "greedy players",
        "family": "Cards worded alike that do not change",
        "behind": "Translations left behind",
        "left": "{component}, {path}: changed in {changed}, not in {unchanged}",
        "files": "Files",
        "digest": "The digest tells whether a file is the one that was sent.",
        "slip": "Cut out and glue over the old text.",
        "none": "No card changes.",
    },
    "fr": {
        "typo": "Faute de frappe",
        "clarification": "Clarification",
        "function": "Changement de fonction",
        "balance": "Rééquilibrage",
        "proposed": "Proposé",
        "changes": "Ce qui change",
        "before": "Avant",
        "now": "Maintenant",
        "nothing": "rien",
        "reads": "{where} se lit désormais",
        "option": "option {letter}",
        "new": "Une nouvelle carte.",
        "gone": "Cette carte quitte le jeu.",
        "tell": "Quelles cartes avez-vous",
        "mark": "Toute carte changée porte « {mark} » à son pied. Une carte sans cette marque est ancienne.",
        "printing": "Impression",
        "its cards": "À quoi reconnaître ses cartes",
        "affected": "Concernée",
        "yes": "oui",
        "no": "non",
        "remove": "À retirer de la boîte",
        "copy": "{count} ×",
        "put": "Ajoutez les nouvelles cartes des planches, ou collez les bandes sur l'ancien texte.",
        "rulings": "Décisions",
        "stays": "reste",
        "falls": "tombe",
        "becomes": "change",
        "why": "Pourquoi",
        "who": "Décidé par {name}",
        "does": "Ce que cela fait",
        "claims": "{same} affirmations sur {all} sont vraies telles quelles, ou ont la même réponse qu'avant. {alike} "
        "parlent de règles que le changement n'atteint pas.",
        "waiting": "Sans réponse, faute de temps : {ids}.",
        "play": "En jeu",
        "random": "joueurs au hasard",
        "greedy": "joueurs gloutons",
        "family": "Cartes au texte semblable qui ne changent pas",
        "behind": "Traductions restées en arrière",
        "left": "{component}, {path} : changé en {changed}, non en {unchanged}",
        "files": "Fichiers",
        "digest": "L'empreinte dit si un fichier est bien celui qui fut envoyé.",
        "slip": "À découper et à coller sur l'ancien texte.",
        "none": "Aucune carte ne change.",
    },
}


def say(language: str, key: str, **values: object) -> str:
    """Return a word or sentence with its values filled in."""
    return _WORDS.get(language, _WORDS["en"])[key].format(**values)


KEYS = frozenset(_WORDS["en"])
LANGUAGES = tuple(_WORDS)
"""Every language has every key; a test compares them."""


def has_all(language: str) -> bool:
    """Return whether a language has every word."""
    return frozenset(_WORDS[language]) == KEYS
