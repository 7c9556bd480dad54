"""The stable codes of the generator's findings: layouts and books (PP50x to PP53x, PP63x), sheets, profiles
and exports (PP54x, PP55x). The codes of preflight (PP56x to PP59x) stand beside their rules in
`playproof.generator.preflight`."""

from __future__ import annotations

# The stable codes (PP5xx) of this package's findings; database/errors.py has the table of hundreds.

LAYOUT_CODES: dict[str, str] = {
    "PP501": "text does not fit its box at its least size",
    "PP502": "a character no font draws, or an icon nobody drew",
    "PP503": "a layout names a field, box, style, colour or part that does not exist",
    "PP504": "layouts extend each other in a circle, or a file that does not exist",
    "PP505": "no layout for a kind of component",
    "PP506": "a picture that cannot be read, or is refused",
    "PP507": "a size of zero or less",
    "PP508": "an unknown font family",
    "PP509": "an expression that cannot be worked out",
    "PP510": "an unknown element, or one item that holds two elements",
    "PP511": "a list is longer than its box",
    "PP512": "a revision that git does not know, or no git",
    "PP513": "a product that is not in the game's build.yaml",
    "PP514": "a language the game is not written in",
    "PP515": "an unknown ruling, or an unknown option of a ruling",
    "PP516": "a net whose folds would be cut",
    "PP517": "a component that no product prints",
    "PP518": "a thing that the rules need, neither printed nor listed under `also`",
    "PP519": "a symbol on a card that nothing in print explains",
    "PP520": "pieces of different sets that look alike",
    "PP521": "a font file of the game that cannot be read (a warning; an error where a style names it)",
    "PP522": "a coloured face without bleed",
    "PP523": "an unknown directive of the rulebook's document, or one used wrongly",
    "PP524": "an example that cannot be played",
    "PP526": "words in another font than their style's, which lacks their letters (a warning)",
    "PP527": "a number typed in a rulebook's text; expected a fact, or a mark that no data holds it",
    "PP528": "a rule or ruling with a number that is missing in the chapters that state it",
    "PP529": "a text of a component with a number that the rules it cites do not tell",
    "PP530": "a number typed in a chapter that the rules stated there do not say",
    "PP531": "a number told of a recorded game that its moves do not have",
    "PP532": "a heading, a row or an icon with another number than its place or name",
    "PP538": "a picture with too few pixels for its size (a warning)",
    "PP537": "type that hardly differs from what it is printed on (a warning)",
    "PP536": "an SVG picture printed as pixels, because it holds what lines and areas cannot show (a warning)",
    "PP535": "texts of one style in many sizes, large beside small (a warning)",
    "PP534": "a title of a product without a language of the game, or in another (a warning)",
    "PP634": "a crop outside its picture, or a mask that is neither a shape nor a picture",
    "PP630": "a picture that is not printed as its file says: frames, a profile, colours of its own (a warning)",
    "PP631": "a tag, a named character or a backslash in a text, which prints as it stands (a warning)",
    "PP632": "type in a cut that its family has not, printed in another (a warning)",
    "PP633": "a name between colons that is no icon's, and prints as it stands (a warning)",
    "PP533": "text, an icon or a picture outside its card, or a shape that nobody sees",
    "PP638": "a part of a text in a colour or size that does not exist, or without an end",
    "PP640": "a number of a copy where copies are alike",
    "PP639": "letter spacing where letters are joined",
}


# The codes of findings about sheets, profiles and exports (PP54x, PP55x).

SHEET_CODES: dict[str, str] = {
    "PP540": "there is no such paper, sheet or profile",
    "PP541": "a size that is zero, negative or not a number",
    "PP542": "the paper is too small for the card",
    "PP543": "cards of different sizes in one deck",
    "PP544": "a selection that matches nothing or cannot be read",
    "PP545": "a count of copies that is negative or too large",
    "PP546": "the printer's file is wrong",
    "PP547": "a back is missing, or differs in size from its front",
    "PP548": "a profile names a standard without its printing condition",
    "PP549": "nothing to print",
    "PP550": "the card's size is none of this vendor's products",
    "PP551": "the card has less bleed than this vendor needs",
    "PP552": "too many cards for one file of this vendor",
    "PP553": "two components with one name in an export",
    "PP555": "a file of an order that was not uploaded",
    "PP556": "a file of an order whose content is another",
    "PP557": "a file that is not of the order",
    "PP558": "a file of an order that was uploaded too often, or not often enough",
    "PP559": "an order manifest that cannot be read",
    "PP646": "a sheet plan that both folds its sheets and fixes places on them",
}
