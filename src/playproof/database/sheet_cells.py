"""What stands in the cells and the headings of a spreadsheet: the words that YAML takes, and the names
of properties and ids that are made from them.

    title.fr        Le vieux puits                  text as it is
    cost            gold: 1, food: 2                amounts and other mappings, without braces
    effects         gain: {coin: 3}; lose: {light: 2}
    plays           expedition; combat              a list of words
    options.A       do: [{gain: {food: 1}}], to: future
    fast            yes, no, x

Whatever begins with `[` or `{` is read as YAML writes it.

Any heading is a heading: `Rules`, `class`, `1st edition`, a heading that stands there twice, none at all."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple, get_args

from playproof.database.components import SourceKind
from playproof.database.errors import InputError, Where, format_spreadsheet_column_letters
from playproof.database.source import YamlData, YamlEntry, YamlNode, parse_yaml
from playproof.database.spreadsheets import Worksheet
from playproof.database.vocabulary import Vocabulary
from playproof.database.yaml_models import Fields, FieldSpec

# What stands in one cell of a spreadsheet: the words that YAML takes, without the signs that only YAML
# needs.

_WHOLE = re.compile(r"[-+]?(0|[1-9]\d{0,17})\Z")
_TIMES = re.compile(r"[x×]\s?(\d{1,3})|([0-9]{1,9})\s?[x×]?", re.IGNORECASE)
"""How people write a number of copies: `x2`, `2 ×`."""
_DECIMAL = re.compile(r"[-+]?\d{1,18}[.,]\d{1,18}\Z")
_FLAGS = {"true": True, "yes": True, "x": True, "false": False, "no": False}
_BARE = re.compile(r"[^\W\d_](?:[\w./' -]*[\w.])?\Z")
_RESERVED = frozenset(("true", "false", "null", "yes", "no", "~"))
_MAPPINGS = ("amounts", "map", "record", "options", "option")
WORDS = ("text", "words", "choice", "term", "icon", "image", "reference")
ID = "id"


class ColumnProperty(NamedTuple):
    """What a column may hold: the path of a value in a component, and its type. The type `option` is one lettered
    option."""

    path: tuple[str, ...]
    type: str
    of: FieldSpec | None = None


class CellError(ValueError):
    """A cell that does not read as its property; the message says what was expected."""


def get_possible_columns_by_name(vocabulary: Vocabulary, kind: str) -> dict[str, ColumnProperty]:
    """Return every column that a sheet of this kind may have, by its name as `title.en`."""
    text = FieldSpec(type="text")
    rules = FieldSpec(type="list", of=text)
    columns = [
        ColumnProperty(("count",), "integer"),
        ColumnProperty(("source",), "text"),
        ColumnProperty(("rules",), "list", rules.of),
    ]
    columns += [ColumnProperty(("source", word), "text") for word in get_args(SourceKind)]
    columns += _iter_possible_columns_below((), vocabulary.kinds[kind].fields, vocabulary)
    return {".".join(column.path): column for column in columns}


def _iter_possible_columns_below(
    path: tuple[str, ...], fields: Fields, vocabulary: Vocabulary
) -> Iterable[ColumnProperty]:
    for name, spec in fields.items():
        here = (*path, name)
        yield ColumnProperty(here, spec.type, spec.of)
        if spec.type == "words":
            yield from (ColumnProperty((*here, language), "text") for language in vocabulary.languages)
        elif spec.type == "options":
            yield from (ColumnProperty((*here, letter), "option") for letter in vocabulary.spec.options.letters)
        elif spec.type == "amounts":
            yield from (ColumnProperty((*here, term), "integer") for term in vocabulary.group(spec.group or ""))
        elif spec.type == "record":
            yield from _iter_possible_columns_below(here, spec.fields or {}, vocabulary)


def parse_copies_or_none(text: str) -> int | None:
    """Return a number of copies as people write it, None for another text.

    >>> parse_copies_or_none("3"), parse_copies_or_none("x2"), parse_copies_or_none("2 ×"), parse_copies_or_none("two")
    (3, 2, 2, None)
    """
    written = _TIMES.fullmatch(text.strip())
    return int(written[1] or written[2]) if written else None


def parse_cell_or_leave_as_text(text: str, column: ColumnProperty, separator: str) -> YamlData:
    """Return the value that a cell's text means. Raises CellError."""
    if column.type in WORDS:
        return text
    if column.path == ("count",) and (copies := parse_copies_or_none(text)) is not None:
        return copies
    if column.type == "integer":
        return int(text) if _WHOLE.match(text) else text  # the schema says what was expected
    if column.type == "number":
        if _WHOLE.match(text):
            return int(text)
        return float(text.replace(",", ".")) if _DECIMAL.match(text) else text
    if column.type == "flag":
        return _FLAGS.get(text.casefold(), text)
    if column.type in _MAPPINGS:
        return _parse_yaml_or_cell_error(text if text.startswith("{") else f"{{{text}}}")
    if column.type not in ("effects", "list"):
        return _parse_yaml_or_cell_error(text)
    if text.startswith("["):
        return _parse_yaml_or_cell_error(text)
    items = split_outside_brackets_and_quotes(text, separator)
    if column.type == "effects":
        return [_parse_yaml_or_cell_error(item if item.startswith("{") else f"{{{item}}}") for item in items]
    inner = ColumnProperty((), column.of.type if column.of else "any", column.of.of if column.of else None)
    return [parse_cell_or_leave_as_text(item, inner, separator) for item in items]


def _parse_yaml_or_cell_error(text: str) -> YamlData:
    try:
        return parse_yaml(text).data
    except InputError as error:
        message = error.findings[0].message.removeprefix("this is not YAML: ")
        raise CellError(f"expected the words that YAML takes, found `{text}`: {message}") from None


def split_outside_brackets_and_quotes(text: str, separator: str) -> list[str]:
    """Return the parts between separators that stand in no brackets and no quotes.

    >>> split_outside_brackets_and_quotes('gain: {food: 1}; say: "a; b"', ";")
    ['gain: {food: 1}', 'say: "a; b"']
    """
    parts, depth, quote, start = list[str](), 0, "", 0
    for index, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign == '"' and (depth or not text[start:index].strip() or text[:index].rstrip()[-1:] in ":,"):
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif not depth and (text.startswith(separator, index) or sign == "\n"):
            parts.append(text[start:index])
            start = index + (1 if sign == "\n" else len(separator))
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def format_value_as_cell_or_raise(data: YamlData, column: ColumnProperty, separator: str) -> str:
    """Return the cell that `parse_cell_or_leave_as_text` reads as this value; the signs that YAML needs around it
    are left out where what remains still means the same."""
    for text in (_format_without_yaml_signs(data, column, separator), format_as_one_line_yaml(data)):
        try:
            if (
                text is not None
                and text.strip() == text
                and parse_cell_or_leave_as_text(text, column, separator) == data
            ):
                return text
        except CellError:
            continue
    raise CellError(f"a cell cannot hold {format_as_one_line_yaml(data)}")


def _format_without_yaml_signs(data: YamlData, column: ColumnProperty, separator: str) -> str | None:
    if isinstance(data, bool):
        return "yes" if data else "no"
    if isinstance(data, str | int | float):
        return str(data) if column.type != "any" else None
    if isinstance(data, dict):
        return format_as_one_line_yaml(data)[1:-1] if data and column.type in _MAPPINGS else None
    if not isinstance(data, list) or not data:
        return None
    if column.type == "effects":
        return f"{separator} ".join(
            format_as_one_line_yaml(item)[1:-1] if isinstance(item, dict) else format_as_one_line_yaml(item)
            for item in data
        )
    if all(isinstance(item, str | int) for item in data):
        return f"{separator} ".join(map(str, data))
    return None


def format_as_one_line_yaml(data: YamlData) -> str:
    """Return a value as YAML writes it on one line.

    >>> format_as_one_line_yaml({"gain": {"food": 1}, "to": "a: b"})
    '{gain: {food: 1}, to: "a: b"}'
    """
    if isinstance(data, Mapping):
        return (
            "{"
            + ", ".join(
                f"{format_yaml_scalar(key, key=True)}: {format_as_one_line_yaml(value)}" for key, value in data.items()
            )
            + "}"
        )
    if isinstance(data, list):
        return "[" + ", ".join(map(format_as_one_line_yaml, data)) + "]"
    return format_yaml_scalar(data)


def format_yaml_scalar(data: YamlData, *, key: bool = False) -> str:
    """Return a text, number, flag or nothing as YAML. A text is quoted if it could mean something else."""
    if data is None:
        return "null"
    if not isinstance(data, str):
        return str(data).lower()
    if _BARE.match(data) and data.casefold() not in _RESERVED:
        return data
    if key and _WHOLE.match(data) is None and re.fullmatch(r"[\w-]+", data):
        return data
    return quote_yaml_text(data)


def quote_yaml_text(text: str) -> str:
    """Return a text in double quotes, as YAML reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def yaml_node_from_data_at_one_place(data: YamlData, where: Where) -> YamlNode:
    """Return a value as a node, all parts of which have one place."""
    if isinstance(data, dict):
        entries = {
            key: YamlEntry(key, where, yaml_node_from_data_at_one_place(value, where)) for key, value in data.items()
        }
        return YamlNode(entries, where)
    if isinstance(data, list):
        return YamlNode(tuple(yaml_node_from_data_at_one_place(item, where) for item in data), where)
    return YamlNode(data, where)


# -- sheet headings ------------------------------------------------------------------------------------------
# The headings of a spreadsheet, and the names of properties and ids that are made from what its cells say.

NOTE = "#"
"""A heading that begins so is of a column for notes."""
ID_WORD = "id"
NAMES = ("title", "name")
"""Headings of what a card is called."""
_LONGEST_ID = 40
"""Letters of an id that is made from a text: it also becomes the name of files."""
_KEYS = frozenset(
    (
        "key",
        "uid",
        "uuid",
        "guid",
        "code",
        "nr",
        "lfd",
        "no",
        "num",
        "number",
        "sku",
        "slug",
        "ref",
        "nummer",
        "numero",
        "numéro",
    )
)


COUNTS = (
    "count",
    "copies",
    "quantity",
    "qty",
    "how many",
    "number of copies",
    "no of copies",
    "num copies",
    "anzahl",
    "anzahl karten",
    "stückzahl",
    "exemplaires",
    "nb ex",
    "n ex",
    "no ex",
    "nb exemplaires",
    "nombre d exemplaires",
    *("copias", "número de copias", "numero de copias", "n de copias", "nº de copias", "ejemplares"),
    *("copie", "numero di copie", "numero copie", "cópias", "número de cópias", "exemplares"),
    *("aantal kaarten", "aantal exemplaren", "exemplaren", "liczba kart", "liczba kopii", "liczba egzemplarzy"),
    *("antal kort", "antal kopior", "antall kort", "枚数", "数量"),
    *("qtd", "qtde", "qté", "qte", "cant", "anz", "stk", "počet kusů", "количество копий", "кол во", "darabszám"),
    *("copies in deck", "number in deck", "how many copies", "print count"),
    *("עותקים", "מספר עותקים", "כמות", "عدد النسخ", "النسخ", "الكمية", "تعداد", "จำนวน", "수량", "매수", "장수"),
    *("张数", "份数", "số lượng", "số bản", "αντίτυπα", "ποσότητα", "adet", "kopya", "प्रतियां", "संख्या"),
)
"""Headings of how many copies of a card there are."""
_LIKELY_COUNTS = frozenset(
    (
        *("amount", "menge", "nb", "nombre", "cantidad", "quantità", "quantita", "quantidade", "aantal"),
        *("ilość", "liczba", "antal", "antall", "quantité", "quantite", "количество", "qt", "stück", "ks", "počet"),
        *("number of cards", "no of cards", "card count", "in deck", "sztuk", "kpl", "määrä", "шт"),
        "x",
    )
)
_BESIDE_COORDINATES = "y"
"""The heading beside which an `x` is a place and no number of copies."""
_COUNTS_AFTER_SIGN = frozenset(("", "copies", "of copies"))
"""What `#` stands before when it means a number and no note."""
_COPIES = re.compile(r"\d{1,2}|[x×]\s?\d{1,2}|\d{1,2}\s?[x×]", re.IGNORECASE)
_TITLE_WORDS = frozenset(
    (
        *("name", "title", "titel", "bezeichnung", "überschrift"),
        *("nom", "titre", "intitulé", "nombre", "título", "titulo", "nome", "titolo"),
        *("naam", "namn", "navn", "tittel", "nimi", "nazwa", "tytuł", "tytul", "název", "nev", "név"),
        *("nume", "titlu", "название", "имя", "назва", "名前", "名称", "カード名", "卡名", "이름"),
        *("שם", "اسم", "الاسم", "نام", "ชื่อ", "όνομα", "tên", "isim", "नाम", "名字"),
    )
)
"""What a card is called, in the languages that most games are written in."""
_TITLE_ENDINGS = ("name", "titel", "naam")
"""What compounds end with that name a card: `Kartenname`, `Kaarttitel`."""
_NAMED_BESIDE_CARDS = frozenset(
    (
        *("artist", "author", "designer", "file", "illustrator", "image", "picture", "player", "set"),
        *("artiste", "auteur", "fichier", "joueur", "artista", "autor", "autore", "bild", "datei", "file"),
    )
)
_NAMED_IN_COMPOUNDS = (
    *("file", "user", "nick", "sur", "last", "first", "code", "datei", "bild", "spieler", "künstler", "autor"),
    *("autoren", "nach", "vor", "bestands", "speler", "voor", "achter", "unter", "sub", "unter", "onder", "zwischen"),
)
"""What compounds begin with that name something else, or no more than a part: `Dateiname`, `Untertitel`."""
_TEXT_WORDS = frozenset(
    (
        *("text", "effect", "effects", "ability", "abilities", "description", "rule", "rules", "flavour", "flavor"),
        *("picture", "image", "art", "artwork", "illustration", "cost", "front", "back", "question", "answer"),
        *("regeltext", "effekt", "fähigkeit", "beschreibung", "bild", "kosten", "frage", "antwort"),
        *("texte", "effet", "coût", "question", "réponse", "texto", "efecto", "efeito", "coste", "custo", "pregunta"),
        *("testo", "effetto", "costo", "tekst", "kaarttekst", "opis", "efekt", "koszt", "kortin"),
    )
)
"""What cards say, show or cost, in headings."""
_NOTE_WORDS = frozenset(
    (
        *("todo", "comment", "comments", "remark", "remarks", "feedback", "changelog"),
        *("kommentar", "kommentare", "bemerkung", "bemerkungen", "anmerkung", "anmerkungen", "notiz", "notizen"),
        *("commentaire", "commentaires", "remarque", "remarques", "comentario", "comentarios", "observaciones"),
        *("comentário", "comentários", "observações", "commento", "commenti", "appunti", "osservazioni"),
        *("opmerking", "opmerkingen", "notitie", "notities", "uwaga", "uwagi", "komentarz", "notatki"),
    )
)
"""Headings of what a designer writes for herself."""
_LIKELY_NOTES = frozenset(
    (
        *("note", "notes", "nota", "notas", "notat", "idea", "ideas"),
        *("done", "wip", "fertig", "erledigt", "feito", "hecho", "klaar", "gotowe"),
    )
)
"""Headings that may also be of a card's only text; beside one they are of notes."""
_NOTE_SHEETS = frozenset(
    (
        *("idea", "ideas", "idee", "ideen", "idees", "idées", "ideias", "ideeën", "pomysły", "todo", "backlog"),
        *("notes", "notas", "note", "scratch", "brainstorm", "changelog", "readme", "notizblatt"),
    )
)
_TOTALS = frozenset(
    (
        "total",
        "totals",
        "subtotal",
        "zwischensumme",
        "totale",
        "totaal",
        "sum",
        "summe",
        "gesamt",
        "insgesamt",
        "gesamtsumme",
        "somme",
        "suma",
    )
)
_PLURALS_IN_ES = ("oes", "ches", "shes", "xes", "sses", "tzes", "zzes")
_PLURALS_OF_E = (
    *("axes", "caches", "aches", "avalanches", "niches", "shoes", "canoes", "toes", "foes", "oboes"),
    *("cookies", "zombies", "pixies", "movies", "genies", "faeries", "rookies", "brownies", "calories", "prairies"),
)
"""Endings of plurals whose `e` belongs to the word."""
_SINGULARS = {
    "elves": "elf",
    "wolves": "wolf",
    "thieves": "thief",
    "knives": "knife",
    "dwarves": "dwarf",
    "leaves": "leaf",
    "werewolves": "werewolf",
    "shelves": "shelf",
    "halves": "half",
    "lives": "life",
    "crises": "crisis",
    "quizzes": "quiz",
    "bonuses": "bonus",
    "viruses": "virus",
    "statuses": "status",
    "octopuses": "octopus",
}
_SAME_IN_PLURAL = frozenset(("chaos", "series", "species", "news", "lens", "atlas", "scissors", "pants"))
_NUMBER = re.compile(r"\d[\d_]*(e\d*)?|0[xob][\da-f_]+")


class MadeId(NamedTuple):
    """The id of a row that has none written, and whether it changes when the rows are sorted."""

    id: str
    by_order: bool


def is_heading_marked_as_note(heading: str) -> bool:
    """Return whether a column holds notes: its heading begins with `#`."""
    return heading.startswith(NOTE)


def split_into_casefolded_words(text: str) -> list[str]:
    """Return the words of a text, which fold case and width: letters and digits with the marks on them.

    >>> split_into_casefolded_words("Title (fr)"), split_into_casefolded_words("ชื่อ!")
    (['title', 'fr'], ['ชื่อ'])
    """
    words, word = list[str](), ""
    for char in unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()):
        if char.isalnum() or (word and unicodedata.category(char).startswith("M")):
            word += char
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def split_heading_into_casefolded_words(heading: str) -> list[str]:
    """Return the words of a heading, as programs write them too.

    >>> split_heading_into_casefolded_words("designerNote"), split_heading_into_casefolded_words("ID of card")
    (['designer', 'note'], ['id', 'of', 'card'])
    """
    return split_into_casefolded_words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading))


def normalize_heading(heading: str) -> str:
    """Return a heading so that `Title (fr)`, `title.fr` and `TITLE_FR` are one. One without a word is as it stands.

    >>> normalize_heading("Title (fr)"), normalize_heading("title.fr"), normalize_heading(" ❤ ")
    ('title fr', 'title fr', '❤')
    """
    return " ".join(split_into_casefolded_words(heading)) or heading.strip()


def make_property_name_from_heading(heading: str) -> str:
    """Return the name of the property that a heading gives a kind, or "" for one without a word.

    >>> make_property_name_from_heading("Cost (gold)"), make_property_name_from_heading("__class__")
    ('cost_gold', 'class')
    >>> make_property_name_from_heading("1st Edition"), make_property_name_from_heading("2")
    ('1st_edition', 'n2')
    """
    name = "_".join(split_into_casefolded_words(heading))
    return f"n{name}" if _NUMBER.fullmatch(name) else name  # an expression reads a number as one


def make_id_from_title(title: str) -> str:
    """Return an id made from a title: it stays the same when rows move. One of many words keeps the first of them.

    >>> make_id_from_title("The Old Well!")
    'the-old-well'
    """
    words = split_into_casefolded_words(title)
    while len(words) > 1 and len("-".join(words)) > _LONGEST_ID:
        words.pop()
    return "-".join(words)[:_LONGEST_ID]


def format_id_and_title(component_id: str, title: str) -> str:
    """Return what people read of a component: its id and its title, or the title alone if the id was made of it.

    >>> format_id_and_title("06", "The Ferryman"), format_id_and_title("the-ferryman", "The Ferryman")
    ('06 The Ferryman', 'The Ferryman')
    """
    is_made_of_title = component_id.casefold() in (title.casefold(), make_id_from_title(title))
    return title if is_made_of_title else f"{component_id} {title}"


def make_singular_of_kind_id(kind_id: str) -> str:
    """Return what one card of a sheet is called whose title names many, in English; a word in doubt stays as it is.

    >>> [make_singular_of_kind_id(word) for word in ("heroes", "allies", "witches", "fire-spells", "boss", "axes")]
    ['hero', 'ally', 'witch', 'fire-spell', 'boss', 'axe']
    """
    start, dash, word = kind_id.rpartition("-")
    return start + dash + _make_singular_of_word(word)


def _make_singular_of_word(word: str) -> str:
    if word in _SINGULARS:
        return _SINGULARS[word]
    if len(word) <= 3 or word in _SAME_IN_PLURAL or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith(_PLURALS_OF_E):
        return word[:-1]
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(_PLURALS_IN_ES) else word[:-1]


def list_distinct_column_headings(table: Worksheet) -> list[str]:
    """Return what each column is called, each by a name of its own: the second `Text` is `Text 2`, and a column with
    cells below no heading, or one without a word, is called by its letters: `Column C`. A blank column is ""."""
    named = list[str]()
    times = Counter[str]()
    written = {normalize_heading(heading) for heading in (table.rows[0] if table.rows else ())}
    for number, heading in enumerate(table.rows[0] if table.rows else ()):
        name = heading.strip()
        if is_heading_marked_as_note(name):
            named.append(name)
            continue
        if not split_into_casefolded_words(name):
            has_cells = any(row[number].strip() for row in table.rows[1:] if number < len(row))
            name = f"Column {format_spreadsheet_column_letters(number + 1)}" if name or has_cells else ""
        times[normalize_heading(name)] += 1
        if name and times[normalize_heading(name)] > 1:
            numbers = count(times[normalize_heading(name)])
            times[normalize_heading(name)] = next(
                number for number in numbers if normalize_heading(f"{name} {number}") not in written
            )
            name = f"{name} {times[normalize_heading(name)]}"
        named.append(name)
    return named


def is_heading_of_ids_or_numbers(heading: str) -> bool:
    """Return whether a heading is that of a column which tells rows apart, such as `Unique ID` or `Nr`."""
    words = split_heading_into_casefolded_words(heading) or [heading.strip()]
    return words[-1] in _KEYS or (len(words) > 1 and words[-1] == ID_WORD)


def is_heading_of_card_titles(heading: str) -> bool:
    """Return whether a heading says that its column has what cards are called, such as `Card Name` or `Titel`, and
    not what a file or an artist is called."""
    words = set(split_heading_into_casefolded_words(heading))
    if words & _NAMED_BESIDE_CARDS:
        return False
    return bool(words & _TITLE_WORDS) or any(map(_is_compound_word_for_title, words))


def is_heading_of_card_texts(heading: str) -> bool:
    """Return whether a heading says that its column has what cards say or show: `Rules text`, `Effect`, `Picture`."""
    return not _TEXT_WORDS.isdisjoint(split_heading_into_casefolded_words(heading))


def _is_compound_word_for_title(word: str) -> bool:
    return word.endswith(_TITLE_ENDINGS) and not word.startswith(_NAMED_IN_COMPOUNDS)


_CHECK_MARKS = frozenset("✓✔☑☐✅❌✗✘⬜")


def is_design_note_heading(heading: str) -> bool:
    """Return whether a heading says that its column is no part of the card: `Comments`, `To do`, `✓`, whatever its
    cells hold."""
    words = split_heading_into_casefolded_words(heading)
    pairs = ("".join(pair) for pair in pairwise(words))
    is_check_mark = bool(heading.strip()) and _CHECK_MARKS.issuperset(heading.replace("\ufe0f", "").strip())
    return is_check_mark or (len(words) <= 3 and not _NOTE_WORDS.isdisjoint((*words, *pairs)))


def is_design_note_heading_above_texts(heading: str) -> bool:
    """Return whether a heading says so of a column of texts: `Design notes`, also. `Ideas` with numbers are a goods.

    >>> is_design_note_heading_above_texts("Design notes"), is_design_note_heading("Starting ideas")
    (True, False)
    """
    words = split_heading_into_casefolded_words(heading)
    return is_design_note_heading(heading) or (len(words) in (2, 3) and words[-1] in _LIKELY_NOTES)


def is_likely_note_heading(heading: str) -> bool:
    """Return whether a heading is of notes where another column has the card's text: `Notes`."""
    return normalize_heading(heading) in _LIKELY_NOTES


def is_note_sheet_name(name: str) -> bool:
    """Return whether a sheet of a workbook is called so that it holds no cards: `Ideas`, `Notizen`, `To do`."""
    words = split_into_casefolded_words(name)
    if not words or len(words) > 3:
        return False
    known = _NOTE_SHEETS | _NOTE_WORDS
    return words[0] in known or words[-1] in known or "".join(words) in known


def is_cell_naming_a_total(cell: str) -> bool:
    """Return whether a cell says no more than that the row is a total: `TOTAL`, `Total cards`, `Summe: 60`."""
    words = [word for word in split_into_casefolded_words(cell) if not word.isdecimal()]
    return 1 <= len(words) <= 2 and not _TOTALS.isdisjoint((words[0], words[-1]))


def find_index_of_copies_column(table: Worksheet, other_meanings: Container[str] = ()) -> int | None:
    """Return the number of the column that says how many copies of a card there are, None if none does. Headings in
    ``other_meanings``, as `normalize_heading` has them, name something else. A heading that may mean another thing,
    as `Amount` and `#` do, counts copies if no other does and its cells are small whole numbers."""
    headings = [
        "" if normalize_heading(heading) in other_meanings else heading
        for heading in list_distinct_column_headings(table)
    ]
    for number, heading in enumerate(headings):
        if not is_heading_marked_as_note(heading) and normalize_heading(heading) in COUNTS:
            return number
    has_coordinates = any(normalize_heading(heading) == _BESIDE_COORDINATES for heading in headings)
    likely = (
        number
        for number, heading in enumerate(headings)
        if _can_be_heading_of_copies(heading) and not (has_coordinates and normalize_heading(heading) == "x")
    )
    return next((number for number in likely if _has_cells_that_count_copies(table, number, headings[number])), None)


def _can_be_heading_of_copies(heading: str) -> bool:
    if is_heading_marked_as_note(heading):
        return " ".join(split_into_casefolded_words(heading)) in _COUNTS_AFTER_SIGN
    return normalize_heading(heading) in _LIKELY_COUNTS


def _has_cells_that_count_copies(table: Worksheet, column_index: int, heading: str) -> bool:
    """Return whether the cells of a column are counts. Those below `#` alone may also number the cards: then all of
    them differ, and they go up or begin with 1, or are many."""
    cells = [
        row[column_index].strip() for row in table.rows[1:] if column_index < len(row) and row[column_index].strip()
    ]
    if cells and len(cells) > 2 and cells[-1].isdecimal() and all(map(str.isdecimal, cells)):
        cells = cells[:-1] if int(cells[-1]) == sum(map(int, cells[:-1])) else cells  # a total
    if not cells or not all(map(_COPIES.fullmatch, cells)):
        return False
    values = [int(cell.strip("xX× ")) for cell in cells]
    if split_into_casefolded_words(heading) or len(set(values)) < len(values):
        return True
    return len(values) <= 5 and values != sorted(values) and 1 not in values


def make_distinct_ids_from_row_names(
    names: Sequence[str], key_columns: Sequence[Sequence[str]], written_ids: Iterable[str] = ()
) -> list[MadeId]:
    """Return an id for each row, made from its name. Rows of one name get behind it what a column of ``key_columns``
    says, if one tells them apart; else a number in the order of the rows. No id is one of those ``written_ids``.

    >>> [made.id for made in make_distinct_ids_from_row_names(["Axe", "Bow", "Axe"], [])]
    ['axe', 'bow', 'axe-2']
    >>> [made.id for made in make_distinct_ids_from_row_names(["Axe", "Bow", "Axe"], [["7", "8", "9"]])]
    ['axe-7', 'bow', 'axe-9']
    """
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        groups.setdefault(make_id_from_title(name), []).append(row)
    taken = {*written_ids, *(base for base, rows in groups.items() if len(rows) == 1)}
    made: dict[int, MadeId] = {}
    for base, rows in groups.items():
        if len(rows) == 1 and base not in written_ids:
            made[rows[0]] = MadeId(base, False)
            continue
        suffixes = _list_distinguishing_cells_or_empty(rows, key_columns)
        for at, row in enumerate(rows):
            wanted = f"{base}-{suffixes[at]}" if suffixes else base
            ident = make_free_id_by_adding_number(wanted, taken)
            taken.add(ident)
            made[row] = MadeId(ident, not suffixes)
    return [made[row] for row in range(len(names))]


def _list_distinguishing_cells_or_empty(rows: Sequence[int], key_columns: Sequence[Sequence[str]]) -> list[str]:
    """Return what the first column that tells these rows apart says of each, or [] if none does."""
    for column in key_columns:
        cells = [make_id_from_title(column[row]) for row in rows]
        if all(cells) and len(set(cells)) == len(cells):
            return cells
    return []


def make_free_id_by_adding_number(base_id: str, taken_ids: Container[str]) -> str:
    """Return the id, or with the least number from 2 on behind it that nobody has taken."""
    number, ident = 1, base_id
    while ident in taken_ids:
        number += 1
        ident = f"{base_id}-{number}"
    return ident
