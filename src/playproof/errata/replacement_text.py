"""What a reader has to replace in a box, in words: which copies leave, which come, and how one tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.errata.dossier import ErratumDossier, ReplacedCopies
from playproof.errata.speech import DossierLanguage

TitledLines = tuple[str, list[str]]


_FEW = 10
"""So many names stand in one line at a terminal; of more, the first half."""


def iter_replacement_sections(dossier: ErratumDossier) -> Iterator[TitledLines]:
    """Yield each part under its title: how to tell the cards, what to take out, what to put in, what else is printed
    otherwise. Printings are left to the caller."""
    speech = dossier.speech
    signs = list(_describe_new_card_marks(dossier))
    if signs or dossier.erratum.printings:
        yield speech.format_message("tell"), signs
    if dossier.copies_to_remove:
        yield speech.format_message("remove"), format_copies_by_product(dossier, dossier.copies_to_remove)
    if dossier.copies_to_add:
        how = speech.format_message("put") + (
            f" {speech.format_message('glue')}" if dossier.has_slips else ""
        )
        yield speech.format_message("add"), [*format_copies_by_product(dossier, dossier.copies_to_add), how]
    also = list(_describe_other_reprints(dossier))
    if also:
        yield speech.format_message("else"), also


def _describe_new_card_marks(dossier: ErratumDossier) -> Iterator[str]:
    """Yield how one tells the new cards; a card that is folded from a net has no mark."""
    speech, printed = dossier.speech, dossier.printed
    if printed is None:
        yield speech.format_message("mark", mark=dossier.mark)
        return
    if dossier.marks:
        yield speech.format_message("mark", mark=speech.format_message("or").join(dossier.marks))
    new = [
        part.new
        for part in printed.changed_components_in_language(dossier.language)
        if part.new and part.count_copies_to_add(dossier.language)
    ]
    bare = [card for card in new if not printed.after.press.get_version_mark(card, dossier.language)]
    if bare and dossier.marks:
        yield speech.format_message("unmarked", cards=", ".join(card.id for card in bare))
    if not dossier.copies_to_add and not dossier.copies_to_remove and not dossier.pages and not dossier.boxes:
        yield speech.format_message("nothing to replace")
    if dossier.other_languages:
        yield speech.format_message("elsewhere", languages=", ".join(dossier.other_languages))


def _describe_other_reprints(dossier: ErratumDossier) -> Iterator[str]:
    speech = dossier.speech
    for title, pages in dossier.pages:
        key = "page" if len(pages) == 1 else "pages"
        yield speech.format_labelled_list(
            title, [speech.format_message(key, pages=", ".join(map(str, pages)))]
        )
    for title in dossier.boxes:
        yield speech.format_labelled_list(title, [speech.format_message("box")])


def iter_replacement_lines(dossier: ErratumDossier) -> Iterator[str]:
    """Yield what has to be replaced, in a few lines for a terminal."""
    speech = dossier.speech
    for key, parts in (("remove", dossier.copies_to_remove), ("add", dossier.copies_to_add)):
        lines = format_copies_by_product(dossier, parts, _FEW)
        yield from (speech.format_labelled_list(speech.format_message(key).lower(), [line]) for line in lines)
    also = list(_describe_other_reprints(dossier))
    yield from (speech.format_labelled_list(speech.format_message("else").lower(), [line]) for line in also)
    if not dossier.copies_to_add and not dossier.copies_to_remove and not also:
        yield speech.format_message("nothing to replace")
    if dossier.other_languages:
        yield speech.format_message("elsewhere", languages=", ".join(dossier.other_languages))


def join_names_shortened(names: Sequence[str], speech: DossierLanguage, limit: int = _FEW) -> str:
    """Return names in a row, the first of them where they are many."""
    if len(names) <= limit:
        return ", ".join(names)
    return speech.format_message("more", cards=", ".join(names[: limit // 2]), count=len(names) - limit // 2)


def format_copies_by_product(
    dossier: ErratumDossier, parts: Sequence[ReplacedCopies], limit: int = 1000
) -> list[str]:
    """Return copies by their product, a line for each product: `Cards: 2 × B3-1 Mother of Pearl`."""
    speech, groups = dossier.speech, dict[str, list[str]]()
    for part in parts:
        copies = f"{speech.format_message('copy', count=part.count)} {part.name}"
        groups.setdefault(part.group, []).append(copies)
    return [
        speech.format_labelled_list(group, [join_names_shortened(copies, speech, limit)])
        for group, copies in groups.items()
    ]
