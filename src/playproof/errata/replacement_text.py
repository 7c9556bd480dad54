"""What a reader has to replace in a box, in words: which copies leave, which come, and how one tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.errata.dossier import Dossier, Replaced
from playproof.errata.speech import Speech

Section = tuple[str, list[str]]


_FEW = 10
"""So many names stand in one line at a terminal; of more, the first half."""


def replacement_sections(dossier: Dossier) -> Iterator[Section]:
    """Yield each part under its title: how to tell the cards, what to take out, what to put in, what else is printed
    otherwise. Printings are left to the caller."""
    speech = dossier.speech
    signs = list(_how_to_tell(dossier))
    if signs or dossier.erratum.printings:
        yield speech.say("tell"), signs
    if dossier.removed:
        yield speech.say("remove"), group_by_product(dossier, dossier.removed)
    if dossier.added:
        how = speech.say("put") + (f" {speech.say('glue')}" if dossier.has_slips else "")
        yield speech.say("add"), [*group_by_product(dossier, dossier.added), how]
    also = list(_else(dossier))
    if also:
        yield speech.say("else"), also


def _how_to_tell(dossier: Dossier) -> Iterator[str]:
    """Yield how one tells the new cards; a card that is folded from a net has no mark."""
    speech, printed = dossier.speech, dossier.printed
    if printed is None:
        yield speech.say("mark", mark=dossier.mark)
        return
    if dossier.marks:
        yield speech.say("mark", mark=speech.say("or").join(dossier.marks))
    new = [
        part.new
        for part in printed.changed_in(dossier.language)
        if part.new and part.put_in(dossier.language)
    ]
    bare = [card for card in new if not printed.after.press.mark(card, dossier.language)]
    if bare and dossier.marks:
        yield speech.say("unmarked", cards=", ".join(card.id for card in bare))
    if not dossier.added and not dossier.removed and not dossier.pages and not dossier.boxes:
        yield speech.say("nothing to replace")
    if dossier.other_languages:
        yield speech.say("elsewhere", languages=", ".join(dossier.other_languages))


def _else(dossier: Dossier) -> Iterator[str]:
    speech = dossier.speech
    for title, pages in dossier.pages:
        key = "page" if len(pages) == 1 else "pages"
        yield speech.listed(title, [speech.say(key, pages=", ".join(map(str, pages)))])
    for title in dossier.boxes:
        yield speech.listed(title, [speech.say("box")])


def replacement_lines(dossier: Dossier) -> Iterator[str]:
    """Yield what has to be replaced, in a few lines for a terminal."""
    speech = dossier.speech
    for key, parts in (("remove", dossier.removed), ("add", dossier.added)):
        lines = group_by_product(dossier, parts, _FEW)
        yield from (speech.listed(speech.say(key).lower(), [line]) for line in lines)
    also = list(_else(dossier))
    yield from (speech.listed(speech.say("else").lower(), [line]) for line in also)
    if not dossier.added and not dossier.removed and not also:
        yield speech.say("nothing to replace")
    if dossier.other_languages:
        yield speech.say("elsewhere", languages=", ".join(dossier.other_languages))


def shorten_list(names: Sequence[str], speech: Speech, few: int = _FEW) -> str:
    """Return names in a row, the first of them where they are many."""
    if len(names) <= few:
        return ", ".join(names)
    return speech.say("more", cards=", ".join(names[: few // 2]), count=len(names) - few // 2)


def group_by_product(dossier: Dossier, parts: Sequence[Replaced], few: int = 1000) -> list[str]:
    """Return copies by their product, a line for each product: `Cards: 2 × B3-1 Mother of Pearl`."""
    speech, groups = dossier.speech, dict[str, list[str]]()
    for part in parts:
        copies = f"{speech.say('copy', count=part.count)} {part.name}"
        groups.setdefault(part.group, []).append(copies)
    return [speech.listed(group, [shorten_list(copies, speech, few)]) for group, copies in groups.items()]
