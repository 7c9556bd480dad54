"""In which language the texts of a sheet are written, by their script and by the small words that most sentences have.

The answer is a guess for a new game, which game.yaml then holds: it decides hyphenation, and the words that the press
adds to a sheet."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

from playproof.database.sheet_cells import split_into_casefolded_words

_SMALL_WORDS = {
    "en": "the a and of to you your with for from this that is are it an each when may if all at by one or draw card",
    "de": "der die das und du dein deine deinen ein eine einen mit für von dies ist sind es jede jeder wenn oder nicht "
    "auf den dem des zu im karte karten ziehe lege nimm wird werden anzahl",
    "fr": "le la les et vous votre un une des du avec pour ce cette est sont chaque quand ou pas sur dans au aux de "
    "vos joueur carte cartes piochez défaussez qui ne",
    "es": "el la los las y tu un una con para este esta es son cada cuando o no en del al de que por carta cartas roba "
    "descarta jugador puedes",
    "it": "il lo la gli le e tuo un una con per questo questa è sono ogni quando o non nel del alla di che carta carte "
    "pesca scarta giocatore puoi della",
    "pt": "o a os as e teu seu um uma com para este esta é são cada quando ou não no na do da de que por carta cartas "
    "compre descarte jogador você pode",
    "nl": "de het en je jouw een met voor van dit is zijn elke wanneer of niet op in dat aan kaart kaarten trek leg "
    "speler mag als",
    "pl": "i w na z do nie to jest się za każdy gdy lub od po dla karta kartę karty kart dobierz odrzuć gracz możesz",
    "sv": "och att det en ett med för av denna är du din varje när eller inte på som kort korten dra spelare får till",
    "da": "og at det en et med for af denne er du din hver når eller ikke på som kort kortene træk spiller må til",
    "no": "og å det en et med for av denne er du din hver når eller ikke på som kort kortene trekk spiller kan til",
    "cs": "a v na s do se je to za každý když nebo od po pro ne karta kartu karty karet lízni odhoď hráč můžeš si",
    "fi": "ja on ei se tai kun jos voit sinun kortti kortin kortit korttia nosta pelaaja jokainen kanssa joka",
    "hu": "a az és egy nem van ha vagy hogy minden lapot kártya kártyát húzz dobj játékos amikor ez is",
    "ro": "și o un nu este cu pe la din sau când fiecare carte cărți trage jucător poți de să",
    "tr": "ve bir bu ile için değil her veya da de kart kartı oyuncu çek olan ne",
    "ru": "и в на с не из за по или если это карту карты карт игрок возьмите сбросьте каждый для от",
    "uk": "і в на з не із за по або якщо це карту карти карт гравець візьміть скиньте кожен для від та й",
}
"""Frequent small words, and what cards often ask for."""
_SMALL_WORD_SETS = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
_OF_SCRIPT = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "GREEK": "el", "CJK": "zh", "HEBREW": "he", "ARABIC": "ar",
    "THAI": "th", "LAO": "lo", "KHMER": "km", "MYANMAR": "my", "GEORGIAN": "ka", "ARMENIAN": "hy", "ETHIOPIC": "am",
    "DEVANAGARI": "hi", "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te", "SINHALA": "si",
}  # fmt: skip
"""The language that a script is mostly of; where kana stand beside it, a text in Chinese signs is Japanese."""
_PERSIAN_LETTERS = frozenset("پچژگکی")
_LEAST_WORDS = 4
_LEAST_LEAD = 1.3
"""How many times as many small words as of any other language."""


def guess_language_of_texts_else_english(texts: Iterable[str]) -> str:
    """Return the code of the language that the texts are most likely in, "en" if nothing tells.

    >>> guess_language_of_texts_else_english(["Ziehe zwei Karten und lege eine auf den Stapel.", "Der Brunnen"])
    'de'
    >>> guess_language_of_texts_else_english(["Draw two cards.", "Der Blitz"])
    'en'
    >>> guess_language_of_texts_else_english(["V", "S", "V", "V", "Knight"])
    'en'
    >>> [guess_language_of_texts_else_english([text]) for text in ("カードを引く", "משוך 2 קלפים.", "۲ کارت بکش")]
    ['ja', 'he', 'fa']
    """
    told = list(texts)
    by_script = _find_language_of_script_or_empty(told)
    if by_script:
        return by_script
    # A cell of one or two letters is a code: V for verso is no Czech word, however many rows have it.
    words = Counter(word for text in told if len(text.strip()) > 2 for word in split_into_casefolded_words(text))
    found = {language: sum(words[small] for small in small_words) for language, small_words in _SMALL_WORD_SETS.items()}
    best, second = sorted(found, key=lambda language: found[language], reverse=True)[:2]
    is_clear = found[best] >= _LEAST_WORDS and found[best] >= _LEAST_LEAD * found[second]
    return best if is_clear else "en"


def _find_language_of_script_or_empty(texts: Iterable[str]) -> str:
    """Return the language of the script that most letters are of, "" if several languages write so."""
    letters = Counter(unicodedata.name(letter, "").split(" ")[0] for text in texts for letter in text.casefold())
    known = {script: letters[script] for script in _OF_SCRIPT}
    if 2 * sum(known.values()) <= letters["LATIN"] + letters["CYRILLIC"] or not any(known.values()):
        return ""
    if known["HIRAGANA"] + known["KATAKANA"]:
        return "ja"
    language = _OF_SCRIPT[max(known, key=lambda script: known[script])]
    is_persian = language == "ar" and any(letter in _PERSIAN_LETTERS for text in texts for letter in text)
    return "fa" if is_persian else language
