"""The dossier as a page for readers: old and new card side by side, and everything that a box owner needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from playproof.database.lint_errata import diff_words
from playproof.database.patch import Printing
from playproof.errata.changes import (
    card_id_and_title_of_difference,
    describe_changed_place,
    describe_value_changes_not_in_texts,
    find_changed_rule_texts,
    format_card_id_and_title,
    iter_ruling_outcomes,
    render_card_front_png,
)
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier import (
    ErratumDossier,
    UntranslatedChange,
    iter_replacement_sections,
    join_names_shortened,
)
from playproof.errata.dossier_language import DossierLanguage, format_message, has_message
from playproof.errata.play_comparison import PlayComparisonInSetting
from playproof.errata.versions import ComponentDifference
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import embed_picture_in_html
from playproof.lab.ladder import RungComparison
from playproof.referee.notation import strip_markup
from playproof.verifier.questions.verdicts import Verdict

_NAMED = 5
"""So many claims without an answer are named; `erratum.json` names more."""
_STYLE = Path(__file__).resolve().parent / "assets" / "dossier.css"


def render_dossier_html(
    dossier: ErratumDossier, before: Builder, after: Builder, folder: Path, files: Sequence[Path]
) -> str:
    """Return the page, which stands in a folder; `files` go with it there."""
    language = dossier.language
    parts = [
        _render_header(dossier),
        _html_section(format_message(language, "changes"), _render_cards(dossier, before, after)),
        *_render_replacements(dossier),
        _html_section(format_message(language, "rulings"), _render_rulings_table(dossier)),
        _html_section(format_message(language, "does"), _render_claim_effects(dossier)),
        _html_section(format_message(language, "play"), _render_play_comparisons(dossier)),
        _html_section(format_message(language, "ladder"), _html_list(describe_ladder_changes(dossier))),
        _html_section(format_message(language, "family"), _html_list(_describe_card_families(dossier))),
        _html_section(format_message(language, "behind"), _html_list(describe_untranslated_changes(dossier))),
        _html_section(format_message(language, "files"), _render_file_links(folder, files)),
    ]
    return (
        f'<!doctype html>\n<html lang="{escape(language)}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(dossier.title)}</title>'
        f"<style>\n{_STYLE.read_text('utf-8')}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def iter_effect_sections(dossier: ErratumDossier) -> Iterator[tuple[str, list[str]]]:
    """Yield what the change does, in sentences under their titles: on claims, in play, on families, and to texts."""
    speech, claims = dossier.speech, dossier.claims
    played = [
        f"{describe_play_setting(each, speech)}{speech.format_message('colon')} {text}"
        for each in dossier.played
        for text in each.describe_differences(dossier.language)
    ]
    rulings = [
        speech.format_labelled_list(name, [f"{fate}{why and f'. {why}'}"])
        for name, fate, why in iter_ruling_outcomes(dossier.erratum, dossier.speech)
    ]
    sampled = [speech.format_message("sampled")] if played or dossier.ladder else []
    parts = {
        "rulings": rulings,
        "does": [*(claims.describe_changes(speech) if claims else []), *summarize_claim_counts(dossier)],
        "play": [*sampled, *played],
        "ladder": describe_ladder_changes(dossier),
        "family": _describe_card_families(dossier),
        "behind": describe_untranslated_changes(dossier),
    }
    yield from ((speech.format_message(key), texts) for key, texts in parts.items() if texts)


def _html_section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def _render_header(dossier: ErratumDossier) -> str:
    erratum, language = dossier.erratum, dossier.language
    badges = [f'<span class="badge">{escape(format_message(language, dossier.kind))}</span>']
    if erratum.proposed:
        badges.append(f'<span class="badge proposed">{escape(format_message(language, "proposed"))}</span>')
    meta = [escape(erratum.date)]
    if erratum.authority:
        who = format_message(language, "who", name=erratum.authority.name)
        source = (
            erratum.authority.source if language == dossier.new.languages[0] else None
        )  # it is in no other
        meta.append(escape(f"{who} ({source})" if source else who))
    reason = f"<p>{escape(erratum.reason.text(language))}</p>" if erratum.reason else ""
    return (
        f'<h1>{escape(dossier.title)}</h1><p class="meta">{"".join(badges)}{" · ".join(meta)}</p>'
        f'<p class="note">{escape(erratum.note.text(language))}</p>{reason}'
    )


def _render_cards(dossier: ErratumDossier, before: Builder, after: Builder) -> str:
    rows = "".join(
        _render_card(difference, dossier, before, after) for difference in dossier.cards
    ) + _render_rule_changes(dossier)
    return rows or f"<p>{escape(format_message(dossier.language, 'none'))}</p>"


def _render_rule_changes(dossier: ErratumDossier) -> str:
    """Return the texts and values of the rules that changed."""
    texts = find_changed_rule_texts(dossier.file_changes, dossier.speech)
    rows = "".join(
        f'<p class="where">{escape(_format_now_reads(text.where, dossier.speech))}</p>'
        f'<p class="text">{_mark_word_changes_html(text.old, text.new)}</p>'
        for text in texts
    )
    return f"<div><h3>{escape(dossier.speech.format_message('rules'))}</h3>{rows}</div>" if rows else ""


def _render_card(
    difference: ComponentDifference, dossier: ErratumDossier, before: Builder, after: Builder
) -> str:
    speech = dossier.speech
    pictures = [
        (kind, caption, data)
        for there, (kind, caption, builder) in zip(
            difference.is_shown_before_and_after,
            (("old", "before", before), ("new", "now", after)),
            strict=True,
        )
        if there and (data := render_card_front_png(builder, difference.id, speech.language)) is not None
    ]
    if len({data for _, _, data in pictures}) < len(pictures):
        pictures = [("new", "alike", pictures[-1][2])]
    figures = "".join(
        f'<figure class="{kind}">'
        f"{embed_picture_in_html(data, 210, f'{difference.id} {speech.format_message(caption)}')}"
        f"<figcaption>{escape(speech.format_message(caption))}</figcaption></figure>"
        for kind, caption, data in pictures
    )
    texts = "".join(
        f'<p class="where">{escape(_format_now_reads(speech.label_of_field(change.path, difference.new), speech))}</p>'
        f'<p class="text">{_mark_word_changes_html(change.old, change.new)}</p>'
        for change in difference.texts
    )
    values = "".join(
        f"<li>{escape(text)}</li>" for text in describe_value_changes_not_in_texts(difference, speech)
    )
    listed = f"<ul>{values}</ul>" if values else ""
    title = escape(format_card_heading(difference, dossier))
    return f'<div class="card">{figures}<div><h3>{title}</h3>{texts}{listed}</div></div>'


def _format_now_reads(where: str, speech: DossierLanguage) -> str:
    text = speech.format_message("reads", where=where)
    return text[:1].upper() + text[1:]


def _mark_word_changes_html(old: object, new: object) -> str:
    """Return the words of both texts, those that went and those that came marked."""
    tags = {"same": "{}", "old": "<del>{}</del>", "new": "<ins>{}</ins>"}
    parts = diff_words(strip_markup(str(old or "")), strip_markup(str(new or "")))
    return " ".join(tags[part.kind].format(escape(part.text)) for part in parts)


def format_card_heading(difference: ComponentDifference, dossier: ErratumDossier) -> str:
    """Return a card's id and title; where several kinds of component change, also what it is."""
    title = card_id_and_title_of_difference(difference, dossier.language, dossier.new)
    kinds = {card.kind for each in dossier.cards if (card := each.new or each.old)}
    card = difference.new or difference.old
    if len(kinds) < 2 or card is None:
        return title
    named = dossier.new.vocabulary.kinds[card.kind].name
    kind = named.get(dossier.language) or named.get("en") or card.kind
    return title if kind in title else f"{title} ({kind})"


def _render_replacements(dossier: ErratumDossier) -> Iterator[str]:
    """Yield how one tells the cards, with the printings, and what has to be replaced."""
    for title, texts in iter_replacement_sections(dossier):
        if title == dossier.speech.format_message("tell"):
            yield _html_section(
                title, "".join(f"<p>{escape(text)}</p>" for text in texts) + _render_printings_table(dossier)
            )
        else:
            yield _html_section(title, _html_list(texts))


def _render_printings_table(dossier: ErratumDossier) -> str:
    language = dossier.language
    rows = [
        (
            printing.name,
            printing.mark.text(language),
            format_message(language, "yes" if printing.affected else "no"),
        )
        for printing in dossier.erratum.printings
    ]
    head = [format_message(language, key) for key in ("printing", "its cards", "affected")]
    return _html_table(head, rows) if rows else ""


def describe_printing(printing: Printing, speech: DossierLanguage) -> str:
    """Return how one tells a printing's cards, and whether they have the old values, in words."""
    old = speech.format_labelled_list(
        speech.format_message("affected"), [speech.format_message("yes" if printing.affected else "no")]
    ).lower()
    return speech.format_labelled_list(f"{printing.name} ({old})", [printing.mark.text(speech.language)])


def _render_rulings_table(dossier: ErratumDossier) -> str:
    rows = list(iter_ruling_outcomes(dossier.erratum, dossier.speech))
    return _html_table(["", "", ""], rows) if rows else ""


def _render_claim_effects(dossier: ErratumDossier) -> str:
    if dossier.claims is None:
        return ""
    changes = _html_list(dossier.claims.describe_changes(dossier.speech))
    return f"{changes}<p>{escape(' '.join(summarize_claim_counts(dossier)))}</p>"


def summarize_claim_counts(dossier: ErratumDossier) -> list[str]:
    """Return how many claims hold as before, how many of the answers are proofs, and which claims have none, in
    sentences; none if no claim was asked."""
    claims, speech = dossier.claims, dossier.speech
    if claims is None:
        return []
    before = {answer.id: (answer.verdict, answer.value) for answer in claims.before}
    answered = {a.id: (a.verdict, a.value) for a in claims.after if a.id not in claims.waiting}
    same = sum(before.get(ident, answer) == answer for ident, answer in answered.items())
    everything = len(answered) + len(claims.alike) + len(claims.waiting)
    verdicts = [a.verdict for a in claims.after if not a.assumed]
    proven, refuted = verdicts.count(Verdict.PROVEN), verdicts.count(Verdict.REFUTED)
    sentences = " ".join(claims.describe_changes(speech))
    wordless = any(speech.format_message("claim", id=a.id) in sentences for a in claims.after)
    leaning = [a.id for a in claims.after if a.assumed and a.verdict in (Verdict.PROVEN, Verdict.REFUTED)]
    return [
        speech.format_message(
            "claims", same=same + len(claims.alike), all=format_claim_count(speech, everything)
        ),
        *(
            [speech.format_message("reached", alike=format_claim_count(speech, len(claims.alike)))]
            if claims.alike
            else []
        ),
        speech.format_message("proven", proven=format_claim_count(speech, proven), refuted=refuted),
        *_name_or_count_claims(speech, "leaning", leaning),
        *describe_waiting_claims(speech, claims),
        *([speech.format_message("wordless")] if wordless else []),
    ]


def _render_play_comparisons(dossier: ErratumDossier) -> str:
    if not dossier.played:
        return ""
    return f"<p>{escape(dossier.speech.format_message('sampled'))}</p>" + "".join(
        f'<p class="where">{escape(describe_play_setting(each, dossier.speech))}</p>'
        f"{_html_list(each.describe_differences(dossier.language))}"
        for each in dossier.played
    )


def describe_play_setting(play_comparison: PlayComparisonInSetting, speech: DossierLanguage) -> str:
    """Return the setting and the bots of games, in words."""
    return _prefix_setting(
        play_comparison.setting,
        speech.format_message(play_comparison.bot)
        if has_message(play_comparison.bot)
        else play_comparison.bot,
        speech,
    )


def describe_ladder_changes(dossier: ErratumDossier) -> list[str]:
    """Return what each rung of the ladder wins in both versions, in words."""
    return [_describe_ladder_rung(each.setting, each.rung, dossier.speech) for each in dossier.ladder]


def _describe_ladder_rung(setting: str, rung: RungComparison, speech: DossierLanguage) -> str:
    bot, below = (_bot_name(name, speech) if name else None for name in (rung.bot, rung.against))
    bots = speech.format_message("rung" if below else "alone", bot=bot, below=below)
    ends = (rung.difference.value, rung.difference.low, rung.difference.high)
    difference, low, high = (speech.format_number(100 * (end or 0.0), "+.1f") for end in ends)
    before, after = (
        speech.format_message("share", value=speech.format_number(100 * (side.value or 0.0), ".1f"))
        for side in (rung.before, rung.after)
    )
    figures = {"before": before, "after": after, "difference": difference, "low": low, "high": high}
    return f"{_prefix_setting(setting, bots, speech)} {speech.format_message('rung wins', **figures)}"


def _bot_name(name: str, speech: DossierLanguage) -> str:
    key = f"bot {name}"
    return speech.format_message(key) if has_message(key) else name


def _prefix_setting(setting: str, bots: str, speech: DossierLanguage) -> str:
    options = dict(pair.split("=", 1) for pair in setting.split(",") if pair)
    text = f"{speech.name_part_of_game(options, '')}, {bots}" if options else bots
    return text[:1].upper() + text[1:]


def _describe_card_families(dossier: ErratumDossier) -> list[str]:
    def name(ident: str) -> str:
        return format_card_id_and_title(
            ident, dossier.old.components.get(ident), dossier.language, dossier.old
        )

    speech = dossier.speech
    alike = [
        speech.format_labelled_list(
            ", ".join(map(name, ids)), [join_names_shortened(list(map(name, others)), speech)]
        )
        for ids, others in dossier.unchanged_relatives_by_group
    ]
    return [*alike, *describe_change_on_relatives(dossier)]


def describe_change_on_relatives(dossier: ErratumDossier) -> list[str]:
    """Return what the same change would do on the cards worded alike, and which of them it does not fit, in words."""
    speech, same = dossier.speech, dossier.consistent
    if same is None or not dossier.differences:
        return []
    cards, texts = ", ".join(same.fits), list[str]()
    if same.refused:
        texts.append(speech.format_message("refused", cards=cards))
    elif same.claims is not None:
        moved, late = same.describe_changed_claims(speech), describe_waiting_claims(speech, same.claims)
        unmoved = [speech.format_message("unmoved")] if not (moved or late) else []
        texts.append(speech.format_message("too", cards=cards, does=" ".join([*moved, *unmoved, *late])))
    elif cards:
        texts.append(speech.format_message("fits", cards=cards))
    if same.misfits:
        each = (
            f"{name} ({speech.quote(speech.text_of_card_or_option(name, text))})"
            for name, text in same.misfits.items()
        )
        texts.append(speech.format_message("unfit", cards=", ".join(each)))
    return texts


def format_claim_count(speech: DossierLanguage, count: int) -> str:
    """Return a number of claims in words."""
    return speech.format_message("one claim" if count == 1 else "so many", count=count)


def describe_waiting_claims(speech: DossierLanguage, claims: ClaimComparison) -> list[str]:
    """Return which claims were not asked to the end, in a sentence, or how many; none if all were."""
    return _name_or_count_claims(speech, "waiting", claims.waiting)


def _name_or_count_claims(speech: DossierLanguage, message_key: str, ids: Sequence[str]) -> list[str]:
    """Return a sentence that names claims, or counts them if they are many; none if there are none."""
    named = ", ".join(ids) if len(ids) <= _NAMED else format_claim_count(speech, len(ids))
    return [speech.format_message(message_key, ids=named)] if ids else []


def describe_untranslated_changes(dossier: ErratumDossier) -> list[str]:
    """Return each translation that did not follow, in words."""
    return [
        dossier.speech.format_message(
            "left",
            where=_describe_untranslated_place(text, dossier),
            changed=", ".join(text.changed),
            unchanged=", ".join(text.unchanged),
        )
        for text in dossier.untranslated_changes
    ]


def _describe_untranslated_place(text: UntranslatedChange, dossier: ErratumDossier) -> str:
    """Return what a reader calls a text that did not follow."""
    if text.change is not None:
        return describe_changed_place(text.change, dossier.speech)
    field = dossier.speech.label_of_field(text.path, dossier.new.components.get(text.component))
    return f"{text.component}, {field}"


def _render_file_links(folder: Path, files: Sequence[Path]) -> str:
    names = [escape(file.relative_to(folder).as_posix()) for file in files]
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    return f"<ul>{links}</ul>" if links else ""


def _html_list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(text)}</th>" for text in head) if any(head) else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table>{f'<tr>{cells}</tr>' if cells else ''}{body}</table>"
