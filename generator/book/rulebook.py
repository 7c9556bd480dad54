"""What stands in the booklets: rules and rulings from the database, credits from every file that keeps them."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.database.errors import Collector, Finding, InputError, Where
from playproof.database.game import Game
from playproof.database.rulebook import Ruling
from playproof.database.source import read
from playproof.generator.book.flow import Block, Book
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.looks import LAYOUTS, Layout
from playproof.generator.scene import Face

# The booklet's own words; a language without them reads English.
WORDS = {
    "en": {
        "contents": "In the box", "rulings": "Questions and rulings", "default": "We play", "or": "or",
        "icons": "Icons and pictures", "fonts": "Type", "people": "People", "settled": "see ruling",
        "about": "About this game", "credits": "Credits", "sources": "Where facts come from",
    },
    "fr": {
        "contents": "Dans la boîte", "rulings": "Questions et décisions", "default": "On joue\u00a0", "or": "ou",
        "icons": "Icônes et images", "fonts": "Caractères", "people": "Personnes", "settled": "voir décision",
        "about": "À propos de ce jeu", "credits": "Crédits", "sources": "D'où viennent les faits",
    },
}  # fmt: skip


def rulebook_book(game: Game, looks: Looks, language: str) -> list[Face]:
    """The rulebook: contents, every rule by section with its number, every ruling with its options."""
    titles = game.rulebook.title
    title = titles.text(language) if titles else game.titles.text(language)
    blocks = [*_about(game, language), *_contents(game, language), *_rules(game, language), *_rulings(game, language)]
    return Book(looks, _layout(looks), language, title).faces(blocks)


def credits_book(game: Game, looks: Looks, language: str) -> list[Face]:
    """The credits: people, icons, pictures and fonts with their licences; where facts come from."""
    words = _words(language)
    blocks = [Block(words["credits"], "heading"), *_people(game, language), *_licences(looks, language)]
    title = f"{game.titles.text(language)}: {words['credits']}"
    return Book(looks, _layout(looks), language, title).faces(blocks, cover=False)


def _layout(looks: Looks) -> Layout:
    if looks.book is None:
        where = Where(str(looks.folder))
        message = "expected a layout with `book: true` for the booklet, found none"
        raise InputError([Finding("PP505", where, message, f"write one in layouts/{looks.game.name}/")])
    return looks.book


def _words(language: str) -> dict[str, str]:
    return WORDS.get(language, WORDS["en"])


def _about(game: Game, language: str) -> Iterator[Block]:
    about = game.facts.about.get(language) or game.facts.about.get("en", "")
    if about:
        yield Block(about, "lead")


def _contents(game: Game, language: str) -> Iterator[Block]:
    words = _words(language)
    if not game.facts.components:
        return
    yield Block(words["contents"], "heading", above=5, keep=True)
    lines = []
    for part in game.facts.components:
        name = part.name.get(language) or part.name.get("en", "")
        icon = next((f":{ref}: " for ref in part.ids or () if ref in _icons(game)), "")
        lines.append(f"{icon}{part.count} {name}")
    yield Block("\n".join(f"- {line}" for line in lines), "text")


def _icons(game: Game) -> set[str]:
    return set(game.vocabulary.icons)


def _rules(game: Game, language: str) -> Iterator[Block]:
    words = _words(language)
    for section, titles in game.rulebook.sections.items():
        yield Block(titles.text(language), "heading", above=5, keep=True)
        for rule in game.rules.values():
            if rule.section != section:
                continue
            settled = f" *({words['settled']} {rule.ruling})*" if rule.ruling else ""
            yield Block(rule.words.text(language) + settled, "text", rule.id, where=rule.where)


def _rulings(game: Game, language: str) -> Iterator[Block]:
    words = _words(language)
    if not game.rulings:
        return
    yield Block(words["rulings"], "heading", above=5, keep=True)
    for ruling in game.rulings.values():
        yield Block(_ruling(ruling, language), "text", ruling.id, above=1.8, where=ruling.where)


def _ruling(ruling: Ruling, language: str) -> str:
    words = _words(language)
    options = {slug: text.text(language) for slug, text in ruling.option_words.items()}
    others = [text for slug, text in options.items() if slug != ruling.default]
    lines = [f"**{ruling.words.text(language)}**", f"{words['default']}: {options.get(ruling.default, ruling.default)}"]
    lines += [f"- *{words['or']}* {text}" for text in others]
    return "\n".join(lines)


def _people(game: Game, language: str) -> Iterator[Block]:
    words = _words(language)
    yield Block(words["people"], "subheading", above=4, keep=True)
    for person in game.facts.credits:
        role = person.role.get(language) or person.role.get("en", "")
        licence = f" ({person.licence})" if person.licence else ""
        yield Block(f"**{person.name}**: {role}{licence}")
    notice = game.facts.notice.get(language) or game.facts.notice.get("en", "")
    if notice:
        yield Block(words["sources"], "subheading", above=4, keep=True)
        yield Block(notice)


def _licences(looks: Looks, language: str) -> Iterator[Block]:
    words = _words(language)
    yield Block(words["icons"], "subheading", above=4, keep=True)
    folders = [looks.folder / "icons", looks.folder / "motifs", LAYOUTS / "icons", LAYOUTS / "motifs"]
    files = [folder / "credits.yaml" for folder in folders if (folder / "credits.yaml").is_file()]
    said: dict[str, Block] = {}  # those who drew for two folders are named once
    for block in (block for file in files for block in _credits(file, "icons")):
        said.setdefault(block.text, block)
    yield from said.values()
    yield Block(words["fonts"], "subheading", above=4, keep=True)
    yield from _credits(LAYOUTS / "fonts" / "credits.yaml", "fonts")


def _credits(file: object, key: str) -> Iterator[Block]:
    """The entries of one credits file: who, under which licence, from where."""
    node = read(str(file))
    collector = Collector()
    for item in node.at([key]).items:
        given = {name: str(entry.node.value) for name, entry in item.entries.items()}
        missing = [name for name in ("author", "licence", "source") if name not in given]
        if missing:
            collector.add("PP203", item.where, f"a credit lacks {', '.join(missing)}")
            continue
        name = f"**{given['name']}** " if "name" in given else ""
        yield Block(f"{name}{given['author']}, {given['licence']}: {given['source']}", where=item.where)
    collector.check()
