"""The dossier as a page for readers: old and new card side by side, and everything that a box owner needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from playproof.database.lint_errata import list_runs_of_kept_and_changed_words
from playproof.database.patch import Printing
from playproof.errata.changes import (
    format_card_id_and_title,
    format_card_id_and_title_of_difference,
    format_changed_place_for_readers,
    iter_rulings_with_outcome_and_reason,
    list_changed_card_texts_in_language,
    list_changed_texts_of_files,
    list_sentences_on_value_changes_not_in_texts,
    render_card_front_png_or_none,
)
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier import (
    ErratumDossier,
    UntranslatedChange,
    iter_titles_and_lines_of_replacements,
    join_names_or_first_half,
)
from playproof.errata.dossier_language import DossierLanguage, format_message, has_message
from playproof.errata.play_comparison import PlayComparisonInSetting
from playproof.errata.versions import ComponentDifference
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import build_img_tag_with_embedded_picture
from playproof.generator.html_page import render_standalone_html_page
from playproof.lab.ladder import RungComparison
from playproof.verifier.questions.verdicts import Verdict

_NAMED = 5
"""So many claims without an answer are named; `erratum.json` names more."""
_STYLE = Path(__file__).resolve().parent / "assets" / "dossier.css"


def render_dossier_html(
    dossier: ErratumDossier,
    old_builder: Builder,
    new_builder: Builder,
    page_folder: Path,
    files_in_folder: Sequence[Path],
) -> str:
    """Return the page, which stands in a folder; `files_in_folder` go with it there."""
    language = dossier.language
    parts = [
        _render_dossier_header_html(dossier),
        _render_html_section_or_empty(
            format_message(language, "changes"), _render_changed_cards_and_rules_html(dossier, old_builder, new_builder)
        ),
        *_iter_html_sections_on_swapping_copies(dossier),
        _render_html_section_or_empty(
            format_message(language, "rulings"), _render_ruling_outcomes_or_empty_html(dossier)
        ),
        _render_html_section_or_empty(format_message(language, "does"), _render_changed_claims_or_empty_html(dossier)),
        _render_html_section_or_empty(
            format_message(language, "play"), _render_play_comparisons_or_empty_html(dossier)
        ),
        _render_html_section_or_empty(
            format_message(language, "ladder"), _render_html_list_or_empty(list_sentences_on_ladder_rungs(dossier))
        ),
        _render_html_section_or_empty(
            format_message(language, "family"),
            _render_html_list_or_empty(_list_sentences_on_unchanged_relatives(dossier)),
        ),
        _render_html_section_or_empty(
            format_message(language, "behind"),
            _render_html_list_or_empty(list_sentences_on_untranslated_texts(dossier)),
        ),
        _render_html_section_or_empty(
            format_message(language, "files"), _render_file_links_or_empty_html(page_folder, files_in_folder)
        ),
    ]
    main = f"<main>{''.join(parts)}</main>"
    return render_standalone_html_page(dossier.title, main, _STYLE.read_text("utf-8"), language=language)


def iter_titles_and_sentences_of_effects(dossier: ErratumDossier) -> Iterator[tuple[str, list[str]]]:
    """Yield what the change does, in sentences under their titles: on claims, in play, on families, and to texts."""
    speech, claims = dossier.speech, dossier.claims
    played = [
        f"{describe_setting_and_bots_of_play(each, speech)}{speech.format_message('colon')} {text}"
        for each in dossier.played
        for text in each.describe_differing_figures_or_no_difference(dossier.language)
    ]
    rulings = [
        speech.format_label_and_texts(name, [f"{fate}{why and f'. {why}'}"])
        for name, fate, why in iter_rulings_with_outcome_and_reason(dossier.erratum, dossier.speech)
    ]
    sampled = [speech.format_message("sampled")] if played or dossier.ladder else []
    parts = {
        "rulings": rulings,
        "does": [
            *(claims.list_sentences_on_changed_answers(speech) if claims else []),
            *list_sentences_on_claim_counts(dossier),
        ],
        "play": [*sampled, *played],
        "ladder": list_sentences_on_ladder_rungs(dossier),
        "family": _list_sentences_on_unchanged_relatives(dossier),
        "behind": list_sentences_on_untranslated_texts(dossier),
    }
    yield from ((speech.format_message(key), texts) for key, texts in parts.items() if texts)


def _render_html_section_or_empty(title: str, body_html: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body_html}</section>" if body_html else ""


def _render_dossier_header_html(dossier: ErratumDossier) -> str:
    erratum, language = dossier.erratum, dossier.language
    badges = [f'<span class="badge">{escape(format_message(language, dossier.kind))}</span>']
    if erratum.proposed:
        badges.append(f'<span class="badge proposed">{escape(format_message(language, "proposed"))}</span>')
    meta = [escape(erratum.date)]
    if erratum.authority:
        who = format_message(language, "who", name=erratum.authority.name)
        source = erratum.authority.source if language == dossier.new.languages[0] else None  # it is in no other
        meta.append(escape(f"{who} ({source})" if source else who))
    reason = f"<p>{escape(erratum.reason.text(language))}</p>" if erratum.reason else ""
    return (
        f'<h1>{escape(dossier.title)}</h1><p class="meta">{"".join(badges)}{" · ".join(meta)}</p>'
        f'<p class="note">{escape(erratum.note.text(language))}</p>{reason}'
    )


def _render_changed_cards_and_rules_html(dossier: ErratumDossier, old_builder: Builder, new_builder: Builder) -> str:
    rows = "".join(
        _render_changed_card_html(difference, dossier, old_builder, new_builder) for difference in dossier.cards
    ) + _render_changed_rules_or_empty_html(dossier)
    return rows or f"<p>{escape(format_message(dossier.language, 'none'))}</p>"


def _render_changed_rules_or_empty_html(dossier: ErratumDossier) -> str:
    """Return the texts and values of the rules that changed."""
    texts = list_changed_texts_of_files(dossier.file_changes, dossier.speech)
    rows = "".join(
        f'<p class="where">{escape(_format_place_now_reads(text.where, dossier.speech))}</p>'
        f'<p class="text">{_merge_texts_marking_changes_html(text.old, text.new)}</p>'
        for text in texts
    )
    return f"<div><h3>{escape(dossier.speech.format_message('rules'))}</h3>{rows}</div>" if rows else ""


def _render_changed_card_html(
    difference: ComponentDifference, dossier: ErratumDossier, old_builder: Builder, new_builder: Builder
) -> str:
    speech = dossier.speech
    pictures = [
        (kind, caption, data)
        for there, (kind, caption, builder) in zip(
            difference.is_shown_before_and_after,
            (("old", "before", old_builder), ("new", "now", new_builder)),
            strict=True,
        )
        if there and (data := render_card_front_png_or_none(builder, difference.id, speech.language)) is not None
    ]
    if len({data for _, _, data in pictures}) < len(pictures):
        pictures = [("new", "alike", pictures[-1][2])]
    figures = "".join(
        f'<figure class="{kind}">'
        f"{build_img_tag_with_embedded_picture(data, 210, f'{difference.id} {speech.format_message(caption)}')}"
        f"<figcaption>{escape(speech.format_message(caption))}</figcaption></figure>"
        for kind, caption, data in pictures
    )
    texts = "".join(
        f'<p class="where">{escape(_format_place_now_reads(text.where, speech))}</p>'
        f'<p class="text">{_merge_texts_marking_changes_html(text.old, text.new)}</p>'
        for text in list_changed_card_texts_in_language(difference, speech)
    )
    values = "".join(
        f"<li>{escape(text)}</li>" for text in list_sentences_on_value_changes_not_in_texts(difference, speech)
    )
    listed = f"<ul>{values}</ul>" if values else ""
    title = escape(format_heading_with_kind_if_mixed(difference, dossier))
    return f'<div class="card">{figures}<div><h3>{title}</h3>{texts}{listed}</div></div>'


def _format_place_now_reads(place: str, dossier_language: DossierLanguage) -> str:
    text = dossier_language.format_message("reads", where=place)
    return text[:1].upper() + text[1:]


def _merge_texts_marking_changes_html(old_text: str, new_text: str) -> str:
    """Return the words of both texts, those that went and those that came marked."""
    tags = {"same": "{}", "old": "<del>{}</del>", "new": "<ins>{}</ins>"}
    parts = list_runs_of_kept_and_changed_words(old_text, new_text)
    return " ".join(tags[part.kind].format(escape(part.text)) for part in parts)


def format_heading_with_kind_if_mixed(difference: ComponentDifference, dossier: ErratumDossier) -> str:
    """Return a card's id and title; where several kinds of component change, also what it is."""
    title = format_card_id_and_title_of_difference(difference, dossier.language, dossier.new)
    kinds = {card.kind for each in dossier.cards if (card := each.new or each.old)}
    card = difference.new or difference.old
    if len(kinds) < 2 or card is None:
        return title
    named = dossier.new.vocabulary.kinds[card.kind].name
    kind = named.get(dossier.language) or named.get("en") or card.kind
    return title if kind in title else f"{title} ({kind})"


def _iter_html_sections_on_swapping_copies(dossier: ErratumDossier) -> Iterator[str]:
    """Yield how one tells the cards, with the printings, and what has to be replaced."""
    for title, texts in iter_titles_and_lines_of_replacements(dossier):
        if title == dossier.speech.format_message("tell"):
            yield _render_html_section_or_empty(
                title, "".join(f"<p>{escape(text)}</p>" for text in texts) + _render_printings_or_empty_html(dossier)
            )
        else:
            yield _render_html_section_or_empty(title, _render_html_list_or_empty(texts))


def _render_printings_or_empty_html(dossier: ErratumDossier) -> str:
    language = dossier.language
    rows = [
        (printing.name, printing.mark.text(language), format_message(language, "yes" if printing.affected else "no"))
        for printing in dossier.erratum.printings
    ]
    head = [format_message(language, key) for key in ("printing", "its cards", "affected")]
    return _render_html_table(head, rows) if rows else ""


def describe_how_to_tell_printing(printing: Printing, dossier_language: DossierLanguage) -> str:
    """Return how one tells a printing's cards, and whether they have the old values, in words."""
    old = dossier_language.format_label_and_texts(
        dossier_language.format_message("affected"),
        [dossier_language.format_message("yes" if printing.affected else "no")],
    )
    old = old[:1].lower() + old[1:]
    return dossier_language.format_label_and_texts(
        f"{printing.name} ({old})", [printing.mark.text(dossier_language.language)]
    )


def _render_ruling_outcomes_or_empty_html(dossier: ErratumDossier) -> str:
    rows = list(iter_rulings_with_outcome_and_reason(dossier.erratum, dossier.speech))
    return _render_html_table(["", "", ""], rows) if rows else ""


def _render_changed_claims_or_empty_html(dossier: ErratumDossier) -> str:
    if dossier.claims is None:
        return ""
    changes = _render_html_list_or_empty(dossier.claims.list_sentences_on_changed_answers(dossier.speech))
    return f"{changes}<p>{escape(' '.join(list_sentences_on_claim_counts(dossier)))}</p>"


def list_sentences_on_claim_counts(dossier: ErratumDossier) -> list[str]:
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
    sentences = " ".join(claims.list_sentences_on_changed_answers(speech))
    wordless = any(speech.format_message("claim", id=a.id) in sentences for a in claims.after)
    if not everything:
        return [speech.format_message("no claims")]
    leaning = [a.id for a in claims.after if a.assumed and a.verdict in (Verdict.PROVEN, Verdict.REFUTED)]
    return [
        speech.format_message("claims", same=same + len(claims.alike), all=format_claim_count(speech, everything)),
        *(
            [speech.format_message("reached", alike=format_claim_count(speech, len(claims.alike)))]
            if claims.alike
            else []
        ),
        speech.format_message("proven", proven=format_claim_count(speech, proven), refuted=refuted),
        *_list_sentences_naming_or_counting_claims(speech, "leaning", leaning),
        *list_sentences_on_unanswered_claims(speech, claims),
        *([speech.format_message("wordless")] if wordless else []),
    ]


def _render_play_comparisons_or_empty_html(dossier: ErratumDossier) -> str:
    if not dossier.played:
        return ""
    return f"<p>{escape(dossier.speech.format_message('sampled'))}</p>" + "".join(
        f'<p class="where">{escape(describe_setting_and_bots_of_play(each, dossier.speech))}</p>'
        f"{_render_html_list_or_empty(each.describe_differing_figures_or_no_difference(dossier.language))}"
        for each in dossier.played
    )


def describe_setting_and_bots_of_play(
    play_comparison: PlayComparisonInSetting, dossier_language: DossierLanguage
) -> str:
    """Return the setting and the bots of games, in words."""
    return _format_setting_and_bots_capitalized(
        play_comparison.setting,
        dossier_language.format_message(play_comparison.bot)
        if has_message(play_comparison.bot)
        else play_comparison.bot,
        dossier_language,
    )


def list_sentences_on_ladder_rungs(dossier: ErratumDossier) -> list[str]:
    """Return what each rung of the ladder wins in both versions, in words."""
    return [_describe_ladder_rung_before_and_after(each.setting, each.rung, dossier.speech) for each in dossier.ladder]


def _describe_ladder_rung_before_and_after(
    setting: str, rung: RungComparison, dossier_language: DossierLanguage
) -> str:
    bot, below = (
        _get_translated_bot_name(name, dossier_language) if name else None for name in (rung.bot, rung.against)
    )
    bots = dossier_language.format_message("rung" if below else "alone", bot=bot, below=below)
    ends = (rung.difference.value, rung.difference.low, rung.difference.high)
    difference, low, high = (dossier_language.format_number(100 * (end or 0.0), "+.1f") for end in ends)
    before, after = (
        dossier_language.format_message("share", value=dossier_language.format_number(100 * (side.value or 0.0), ".1f"))
        for side in (rung.before, rung.after)
    )
    figures = {"before": before, "after": after, "difference": difference, "low": low, "high": high}
    return (
        f"{_format_setting_and_bots_capitalized(setting, bots, dossier_language)} "
        f"{dossier_language.format_message('rung wins', **figures)}"
    )


def _get_translated_bot_name(bot_name: str, dossier_language: DossierLanguage) -> str:
    key = f"bot {bot_name}"
    return dossier_language.format_message(key) if has_message(key) else bot_name


def _format_setting_and_bots_capitalized(setting: str, bots: str, dossier_language: DossierLanguage) -> str:
    options = dict(pair.split("=", 1) for pair in setting.split(",") if pair)
    text = f"{dossier_language.name_part_or_whole_of_game(options, '')}, {bots}" if options else bots
    return text[:1].upper() + text[1:]


def _list_sentences_on_unchanged_relatives(dossier: ErratumDossier) -> list[str]:
    def name(ident: str) -> str:
        return format_card_id_and_title(ident, dossier.old.components.get(ident), dossier.language, dossier.old)

    speech = dossier.speech
    alike = [
        speech.format_label_and_texts(
            ", ".join(map(name, ids)), [join_names_or_first_half(list(map(name, others)), speech)]
        )
        for ids, others in dossier.unchanged_relatives_by_group
    ]
    return [*alike, *describe_same_change_on_similar_cards(dossier)]


def describe_same_change_on_similar_cards(dossier: ErratumDossier) -> list[str]:
    """Return what the same change would do on the cards worded alike, and which of them it does not fit, in words."""
    speech, same = dossier.speech, dossier.consistent
    if same is None or not dossier.differences:
        return []
    cards, texts = ", ".join(same.fits), list[str]()
    if same.refused:
        texts.append(speech.format_message("refused", cards=cards))
    elif same.claims is not None:
        moved, late = (
            same.list_sentences_on_claims_changed_beyond_erratum(speech),
            list_sentences_on_unanswered_claims(speech, same.claims),
        )
        unmoved = [speech.format_message("unmoved")] if not (moved or late) else []
        texts.append(speech.format_message("too", cards=cards, does=" ".join([*moved, *unmoved, *late])))
    elif cards:
        texts.append(speech.format_message("fits", cards=cards))
    if same.misfits:
        each = (
            f"{name} ({speech.quote_text(speech.get_only_text_of_card_or_fallback(name, text))})"
            for name, text in same.misfits.items()
        )
        texts.append(speech.format_message("unfit", cards=", ".join(each)))
    return texts


def format_claim_count(dossier_language: DossierLanguage, count: int) -> str:
    """Return a number of claims in words."""
    return dossier_language.format_message("one claim" if count == 1 else "so many", count=count)


def list_sentences_on_unanswered_claims(dossier_language: DossierLanguage, claims: ClaimComparison) -> list[str]:
    """Return which claims were not asked to the end, in a sentence, or how many; none if all were."""
    return _list_sentences_naming_or_counting_claims(dossier_language, "waiting", claims.waiting)


def _list_sentences_naming_or_counting_claims(
    dossier_language: DossierLanguage, message_key: str, claim_ids: Sequence[str]
) -> list[str]:
    """Return a sentence that names claims, or counts them if they are many; none if there are none."""
    named = ", ".join(claim_ids) if len(claim_ids) <= _NAMED else format_claim_count(dossier_language, len(claim_ids))
    return [dossier_language.format_message(message_key, ids=named)] if claim_ids else []


def list_sentences_on_untranslated_texts(dossier: ErratumDossier) -> list[str]:
    """Return each translation that did not follow, in words."""
    return [
        dossier.speech.format_message(
            "left",
            where=_name_place_of_untranslated_text(text, dossier),
            changed=", ".join(text.changed),
            unchanged=", ".join(text.unchanged),
        )
        for text in dossier.untranslated_changes
    ]


def _name_place_of_untranslated_text(text: UntranslatedChange, dossier: ErratumDossier) -> str:
    """Return what a reader calls a text that did not follow."""
    if text.change is not None:
        return format_changed_place_for_readers(text.change, dossier.speech)
    field = dossier.speech.get_label_of_card_field(text.path, dossier.new.components.get(text.component))
    return f"{text.component}, {field}"


def _render_file_links_or_empty_html(page_folder: Path, files: Sequence[Path]) -> str:
    names = [escape(file.relative_to(page_folder).as_posix()) for file in files]
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    return f"<ul>{links}</ul>" if links else ""


def _render_html_list_or_empty(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _render_html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(text)}</th>" for text in head) if any(head) else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table>{f'<tr>{cells}</tr>' if cells else ''}{body}</table>"
