"""The stable codes of what this room finds wrong (PP5xx; the table of hundreds is in database/errors.py)."""

CODES: dict[str, str] = {
    "PP501": "text does not fit its box at its least size",
    "PP502": "a character no font draws, or an icon nobody drew",
    "PP503": "a layout names a field, box, style, colour or part that does not exist",
    "PP504": "layouts extend each other in a circle, or a file that does not exist",
    "PP505": "no layout for a kind of component",
    "PP506": "a picture that cannot be read, or is refused",
    "PP507": "a size of nought or less",
    "PP508": "an unknown font family",
    "PP509": "an expression that cannot be worked out",
    "PP510": "an unknown element, or an element that is two at once",
    "PP511": "a list is longer than its box",
    "PP512": "a revision that git does not know, or no git",
    "PP513": "a product that the game's build does not have",
    "PP514": "a language the game is not written in",
    "PP515": "a ruling or an option of one that the game does not have",
    "PP516": "an unknown directive of the rulebook's document, or one used wrongly",
    "PP517": "an example that cannot be played",
}
