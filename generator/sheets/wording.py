"""The words of the margins and helper pages, one set per language. A language without a set uses
English."""

from __future__ import annotations

from collections.abc import Mapping

from playproof.database.vocabulary import is_singular

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "print": "Print",
        "cut": "Cut",
        "fold, glue, cut": "Fold, glue and cut",
        "cut, glue": "Cut and glue",
        "cut, fold, glue": "Cut, fold and glue",
        "card": "{n} card", "cards": "{n} cards",
        "piece": "{n} piece", "pieces": "{n} pieces",
        "paper": "{n} sheet", "papers": "{n} sheets",
        "count": "{things} on {sheets} of {paper}.",
        "board count": "{sheets} of {paper}, at 100\u00a0% or “actual size”, one side.",
        "size": "Print at 100\u00a0% or “actual size”, never “fit to page”.",
        "long": "Print on both sides, turned on the long edge. Fronts and backs alternate.",
        "short": "Print on both sides, turned on the short edge. Fronts and backs alternate.",
        "offset": "Are backs off? Print the calibration sheet once; later sheets are corrected.",
        "low ink": "This is the low-ink version.",
        "ruler": "Measure the ruler of the first sheet before you print the others:",
        "score": "Score the dashed line with a blunt point and fold the backs away from you.",
        "press": "Glue the halves together, press them flat under books, and let them dry.",
        "pile": "Keep the printed sheets in a pile and cut the pile as one.",
        "rule": "Lay a steel rule from mark to mark; the marks are outside the pieces and fall away.",
        "shared": "Cut in the order of the numbers: right across first, then the strips. Neighbours share one cut.",
        "apart": "Cut in the order of the numbers: right across first, then the strips. "
        "There are two cuts between neighbours.",
        "stack": "Lay the piles on each other in reading order, the first on top.",
        "round": "Then cut every piece round along its thin line, or punch it out: punches of {sizes}\u00a0mm.",
        "net cut": "Stiff paper is best. Cut out along the solid lines.",
        "net fold": "Score the dashed lines with a blunt point and fold them away from you, printed side out.",
        "glue die": "Glue every tab under the edge it meets: each edge has one. Close the last face at the end.",
        "glue standee": "Glue the two pictures back to back. Fold one foot to the front and one to the back, "
        "and glue both to a base of card.",
        "glue tuckbox": "Glue the long strip under the side that it meets, then the two wide bottom flaps "
        "over the narrow ones. The lid only tucks in.",
        "glue wedge": "Cut out the slot. Glue the tab under the free edge of the slope. When it is dry, "
        "stand the cards in the slot.",
        "glue drawn": "Glue the flaps as they are labelled.",
        "cut out": "cut out", "slope": "slope", "back": "back", "base": "base",
        "glue under": "glue under the {panel}",
        "glue stickers": "Cut the strips into faces and stick them on a die in their order, 1 to 6 from the left: "
        "opposite faces add up to seven.",
        "four edges": "Lay a steel rule from mark to mark and cut along the four edges.",
        "thin marks": "Cut every tile along its thin marks only: the red edges below. "
        "The other edges keep their paper.",
        "begin": "Begin with A1. Lay the next tile over it so that its cut edge meets the thick ticks, and glue.",
        "overlap": "Pictures overlap by {overlap} mm (grey); they must run on without a step.",
        "rows": "Glue each row, then lay the rows over each other from the top. Trim the rim, and mount on card.",
        "stock cards": "cards", "stock page": "single sheets", "stock board": "boards and tokens",
        "stock net": "folded parts",
        "what you get": "What you get", "together": "{sheets} of {paper} in all; {duplex} printed on both sides.",
        "of both": "{n} of them are", "of both one": "1 of them is",
        "also": "You also need: {things}.",
        "booklets": "To read on a screen, or to print apart: {titles}.",
        "order": "Print part by part, each on its own paper:",
        "pages": "Pages {first} to {last}: {titles}.", "page": "Page {first}: {titles}.",
        "paper cards": "Card of 250 to 300 g/m², both sides, turned on the {flip} edge.",
        "paper page": "Paper of 120 to 160 g/m², one side.",
        "paper board": "Paper of 90 to 120 g/m², glued on grey board of 1.5 to 2 mm.",
        "paper board both": "Card of 250 to 300 g/m², both sides, turned on the {flip} edge; or fronts and backs apart "
        "on both sides of grey board.",
        "paper net": "Stiff paper of 160 to 200 g/m², one side.",
        "long edge": "long", "short edge": "short",
        "all first": "Print the first sheet alone, measure its ruler, then print the others.",
        "how": "How to cut: {title}",
        "alike": "{name}, and {n} more like it",
        "common": "The last sheets hold pieces of several sizes: part the blocks first, then cut each "
        "by its own marks.",
        "size of": "{width} × {height} mm",
        "sheet": "sheet {n} of {of}", "fronts": "fronts", "backs": "backs", "fronts and backs": "fronts and backs",
        "tile": "tile {tile} of {last}",
        "over": "lay over {tiles}, up to the thick ticks",
        "and": " and ",
    },
    "fr": {
        "print": "Imprimer",
        "cut": "Couper",
        "fold, glue, cut": "Plier, coller et couper",
        "cut, glue": "Couper et coller",
        "cut, fold, glue": "Couper, plier et coller",
        "card": "{n} carte", "cards": "{n} cartes",
        "piece": "{n} pièce", "pieces": "{n} pièces",
        "paper": "{n} feuille", "papers": "{n} feuilles",
        "count": "{things} sur {sheets} {paper}.",
        "board count": "{sheets} {paper}, à 100\u00a0% ou «\u00a0taille réelle\u00a0», d’un seul côté.",
        "size": "Imprimer à 100\u00a0% ou «\u00a0taille réelle\u00a0», jamais «\u00a0ajuster à la page\u00a0».",
        "long": "Imprimer recto verso, retourné sur le bord long. Rectos et versos alternent.",
        "short": "Imprimer recto verso, retourné sur le bord court. Rectos et versos alternent.",
        "offset": "Les versos sont décalés\u00a0? Imprimer une fois la feuille de calibrage\u00a0; "
        "les feuilles suivantes en tiennent compte.",
        "low ink": "Ceci est la version qui économise l’encre.",
        "ruler": "Mesurer la règle de la première feuille avant d’imprimer les autres\u00a0:",
        "score": "Marquer la ligne tiretée avec une pointe émoussée et plier les versos vers l’arrière.",
        "press": "Coller les deux moitiés, les presser à plat sous des livres et laisser sécher.",
        "pile": "Garder les feuilles imprimées en pile et couper la pile d’un coup.",
        "rule": "Poser une règle d’acier de repère à repère\u00a0; les repères sont hors des pièces et tombent.",
        "shared": "Couper dans l’ordre des numéros\u00a0: d’abord toute la largeur, puis les bandes. "
        "Les voisines partagent une coupe.",
        "apart": "Couper dans l’ordre des numéros\u00a0: d’abord toute la largeur, puis les bandes. "
        "Il y a deux coupes entre voisines.",
        "stack": "Poser les piles l’une sur l’autre dans l’ordre de lecture, la première au-dessus.",
        "round": "Puis découper chaque pièce en rond sur son trait fin, ou à l’emporte-pièce de {sizes}\u00a0mm.",
        "net cut": "Du papier fort convient le mieux. Découper le long des traits pleins.",
        "net fold": "Marquer les traits tiretés avec une pointe émoussée et plier vers l’arrière, "
        "le côté imprimé dehors.",
        "glue die": "Coller chaque languette sous l’arête qu’elle rejoint\u00a0: chaque arête en a une. "
        "Fermer la dernière face à la fin.",
        "glue standee": "Coller les deux images dos à dos. Plier un pied vers l’avant, l’autre vers l’arrière, "
        "et coller les deux sur un socle de carton.",
        "glue tuckbox": "Coller la longue bande sous le côté qu’elle rejoint, puis les deux larges rabats du fond "
        "sur les étroits. Le couvercle reste libre et se glisse dedans.",
        "glue wedge": "Évider la fente. Coller la languette sous le bord libre de la pente. Une fois sec, "
        "glisser les cartes dans la fente.",
        "glue drawn": "Coller les rabats comme l’indique leur étiquette.",
        "cut out": "à évider", "slope": "pente", "back": "dos", "base": "base",
        "glue under": "à coller sous la {panel}",
        "glue stickers": "Découper les bandes en faces et les coller sur un dé dans leur ordre, "
        "1 à 6 depuis la gauche\u00a0: les faces opposées font sept.",
        "four edges": "Poser une règle d’acier de repère à repère et couper les quatre bords.",
        "thin marks": "Couper chaque partie le long de ses repères fins seulement\u00a0: les bords rouges ci-dessous. "
        "Les autres bords gardent leur papier.",
        "begin": "Commencer par A1. Poser la partie suivante par-dessus, son bord coupé sur les repères épais, "
        "et coller.",
        "overlap": "Les images se recouvrent de {overlap} mm (en gris)\u00a0; elles doivent se suivre sans décalage.",
        "rows": "Coller chaque rangée, puis poser les rangées l’une sur l’autre en partant du haut. "
        "Couper le pourtour et contrecoller sur du carton.",
        "stock cards": "cartes", "stock page": "feuilles simples", "stock board": "plateaux et jetons",
        "stock net": "parties à plier",
        "what you get": "Contenu", "together": "{sheets} {paper} en tout\u00a0; {duplex} recto verso.",
        "of both": "{n} sont", "of both one": "1 est",
        "also": "Il faut aussi\u00a0: {things}.",
        "booklets": "À lire à l’écran, ou à imprimer à part\u00a0: {titles}.",
        "order": "Imprimer partie par partie, chacune sur son papier\u00a0:",
        "pages": "Pages {first} à {last}\u00a0: {titles}.", "page": "Page {first}\u00a0: {titles}.",
        "paper cards": "Carton de 250 à 300 g/m², recto verso, retourné sur le bord {flip}.",
        "paper page": "Papier de 120 à 160 g/m², un seul côté.",
        "paper board": "Papier de 90 à 120 g/m², collé sur du carton gris de 1,5 à 2 mm.",
        "paper board both": "Carton de 250 à 300 g/m², recto verso, retourné sur le bord {flip}\u00a0; ou rectos et "
        "versos à part, des deux côtés d’un carton gris.",
        "paper net": "Papier fort de 160 à 200 g/m², un seul côté.",
        "long edge": "long", "short edge": "court",
        "all first": "Imprimer d’abord la première feuille seule, mesurer sa règle, puis imprimer les autres.",
        "how": "Découpe\u00a0: {title}",
        "alike": "{name} (et {n} de même forme)",
        "common": "Les dernières feuilles portent des pièces de plusieurs tailles\u00a0: séparer d’abord les blocs, "
        "puis couper chacun à ses repères.",
        "size of": "{width} × {height} mm",
        "sheet": "feuille {n} de {of}", "fronts": "rectos", "backs": "versos", "fronts and backs": "rectos et versos",
        "tile": "partie {tile} de {last}",
        "over": "à poser sur {tiles}, jusqu’aux repères épais",
        "and": " et ",
    },
}  # fmt: skip


class Wording:
    """The words of one language."""

    def __init__(self, language: str = "en") -> None:
        self.language = language if language in WORDS else "en"
        self._words = WORDS[self.language]

    def __call__(self, key: str, **holes: object) -> str:
        """Return the words under a key with their holes filled."""
        return self._words[key].format(**holes)

    def counted(self, thing: str, n: int) -> str:
        """Return a count with its noun, such as `1 card` or `2 cards`. French treats zero as
        singular, English as plural.

        >>> Wording("fr").counted("piece", 0), Wording("en").counted("piece", 0)
        ('0 pièce', '0 pieces')
        """
        return self(thing if is_singular(n, self.language) else thing + "s", n=n)
