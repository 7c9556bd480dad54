"""The dossier as a page for readers: old and new card side by side, and everything that a box owner needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from playproof.database.patch import Printing
from playproof.database.word_changes import marked_words
from playproof.errata.changed_cards import called, picture, titled, unmentioned
from playproof.errata.changed_rules import changed_texts
from playproof.errata.comparison import Comparison
from playproof.errata.dossier import Dossier
from playproof.errata.play import PlayComparison
from playproof.errata.replacement_text import replacement_sections, shorten_list
from playproof.errata.speech import Speech
from playproof.errata.versions import Difference
from playproof.errata.words import WORDS, say
from playproof.generator.build.run import Builder
from playproof.generator.png import embedded
from playproof.lab.ladder import Moved
from playproof.referee.card_text import unmarked
from playproof.verifier.questions.verdicts import Verdict

_NAMED = 5
"""So many claims without an answer are named; `erratum.json` names more."""
_STYLE = """
:root{--ink:#2f251d;--paper:#fbf7ee;--line:#ddd0b8;--old:#a3261d;--new:#1d6b38;--soft:#6f6152}
*{box-sizing:border-box} body{font:17px/1.55 Georgia,serif;margin:0;background:#efe7d8;color:var(--ink)}
main{max-width:60rem;margin:0 auto;padding:2.2rem 2.4rem 3rem;background:var(--paper);box-shadow:0 0 30px #0001}
h1{font-size:2.1rem;line-height:1.15;margin:0 0 .4rem} h2{font-size:1.3rem;margin:2.4rem 0 .6rem;
border-bottom:2px solid var(--line);padding-bottom:.25rem} h3{font-size:1.1rem;margin:0 0 .6rem}
.meta{color:var(--soft);margin:0 0 1rem}
.badge{display:inline-block;font:600 .78rem/1 system-ui,sans-serif;letter-spacing:.04em;padding:.4em .7em;
border-radius:1em;background:#3a5a78;color:#fff;margin-right:.5em} .badge.proposed{background:#96660f}
.note{font-size:1.15rem} .card{display:grid;grid-template-columns:auto auto 1fr;gap:1.4rem;align-items:start;
padding:1.2rem 0;border-bottom:1px solid var(--line)}
figure{margin:0;text-align:center} figure img{width:210px;max-width:100%;border-radius:9px;
box-shadow:0 2px 10px #0003} figure.old img{filter:saturate(.55);opacity:.9}
figcaption{font:600 .8rem system-ui,sans-serif;color:var(--soft);margin-top:.4rem}
figure.new figcaption{color:var(--new)} .text{background:#fff;border-left:4px solid var(--line);
padding:.5rem .8rem;margin:.3rem 0 .9rem} .where{font:600 .82rem system-ui,sans-serif;color:var(--soft)}
del{color:var(--old);background:#fbe7e3;text-decoration-thickness:2px} ins{color:var(--new);background:#e2f3e6;
text-decoration:none;font-weight:bold} table{border-collapse:collapse;width:100%;margin:.4rem 0}
td,th{border-bottom:1px solid var(--line);padding:.35rem .6rem .35rem 0;text-align:left;vertical-align:top}
code{font-size:.78rem;word-break:break-all;color:var(--soft)}
@media(max-width:760px){.card{grid-template-columns:1fr 1fr}.card>div{grid-column:1/-1}main{padding:1.2rem}}
@media print{body,main{background:#fff;box-shadow:none}}
"""


def page(dossier: Dossier, before: Builder, after: Builder, folder: Path, files: Sequence[Path]) -> str:
    """Return the page, which stands in a folder; `files` go with it there."""
    language = dossier.language
    parts = [
        _head(dossier),
        _section(say(language, "changes"), _cards(dossier, before, after)),
        *_replacements(dossier),
        _section(say(language, "rulings"), _rulings(dossier)),
        _section(say(language, "does"), _effects(dossier)),
        _section(say(language, "play"), _play(dossier)),
        _section(say(language, "ladder"), _list(ladder(dossier))),
        _section(say(language, "family"), _list(_family(dossier))),
        _section(say(language, "behind"), _list(left_behind(dossier))),
        _section(say(language, "files"), _files(folder, files)),
    ]
    return (
        f'<!doctype html>\n<html lang="{escape(language)}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(dossier.title)}</title>'
        f"<style>{_STYLE}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def sections(dossier: Dossier) -> Iterator[tuple[str, list[str]]]:
    """Yield what the change does, in sentences under their titles: on claims, in play, on families, and to texts."""
    speech, claims = dossier.speech, dossier.claims
    played = [
        f"{who_plays(each, speech)}{speech.say('colon')} {text}"
        for each in dossier.played
        for text in each.sentences(dossier.language)
    ]
    rulings = [speech.listed(name, [f"{fate}{why and f'. {why}'}"]) for name, fate, why in _fates(dossier)]
    sampled = [speech.say("sampled")] if played or dossier.ladder else []
    parts = {
        "rulings": rulings,
        "does": [*(claims.sentences(speech) if claims else []), *counted(dossier)],
        "play": [*sampled, *played],
        "ladder": ladder(dossier),
        "family": _family(dossier),
        "behind": left_behind(dossier),
    }
    yield from ((speech.say(key), texts) for key, texts in parts.items() if texts)


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def _head(dossier: Dossier) -> str:
    erratum, language = dossier.erratum, dossier.language
    badges = [f'<span class="badge">{escape(say(language, dossier.kind))}</span>']
    if erratum.proposed:
        badges.append(f'<span class="badge proposed">{escape(say(language, "proposed"))}</span>')
    meta = [escape(erratum.date)]
    if erratum.authority:
        who = say(language, "who", name=erratum.authority.name)
        source = (
            erratum.authority.source if language == dossier.new.languages[0] else None
        )  # it is in no other
        meta.append(escape(f"{who} ({source})" if source else who))
    reason = f"<p>{escape(erratum.reason.text(language))}</p>" if erratum.reason else ""
    return (
        f'<h1>{escape(dossier.title)}</h1><p class="meta">{"".join(badges)}{" · ".join(meta)}</p>'
        f'<p class="note">{escape(erratum.note.text(language))}</p>{reason}'
    )


def _cards(dossier: Dossier, before: Builder, after: Builder) -> str:
    rows = "".join(_card(difference, dossier, before, after) for difference in dossier.cards) + _rules(
        dossier
    )
    return rows or f"<p>{escape(say(dossier.language, 'none'))}</p>"


def _rules(dossier: Dossier) -> str:
    """Return the texts and values of the rules that changed."""
    texts = changed_texts(dossier.erratum, dossier.speech)
    rows = "".join(
        f'<p class="where">{escape(_reads(text.where, dossier.speech))}</p>'
        f'<p class="text">{_marked(text.old, text.new)}</p>'
        for text in texts
    )
    return f"<div><h3>{escape(dossier.speech.say('rules'))}</h3>{rows}</div>" if rows else ""


def _card(difference: Difference, dossier: Dossier, before: Builder, after: Builder) -> str:
    speech = dossier.speech
    pictures = [
        (kind, caption, data)
        for there, (kind, caption, builder) in zip(
            difference.shown, (("old", "before", before), ("new", "now", after)), strict=True
        )
        if there and (data := picture(builder, difference.id, speech.language)) is not None
    ]
    if len({data for _, _, data in pictures}) < len(pictures):
        pictures = [("new", "alike", pictures[-1][2])]
    figures = "".join(
        f'<figure class="{kind}">{embedded(data, 210, f"{difference.id} {speech.say(caption)}")}'
        f"<figcaption>{escape(speech.say(caption))}</figcaption></figure>"
        for kind, caption, data in pictures
    )
    texts = "".join(
        f'<p class="where">{escape(_reads(speech.label(change.path, difference.new), speech))}</p>'
        f'<p class="text">{_marked(change.old, change.new)}</p>'
        for change in difference.texts
    )
    values = "".join(f"<li>{escape(text)}</li>" for text in unmentioned(difference, speech))
    listed = f"<ul>{values}</ul>" if values else ""
    title = escape(card_heading(difference, dossier))
    return f'<div class="card">{figures}<div><h3>{title}</h3>{texts}{listed}</div></div>'


def _reads(where: str, speech: Speech) -> str:
    text = speech.say("reads", where=where)
    return text[:1].upper() + text[1:]


def _marked(old: object, new: object) -> str:
    """Return the words of both texts, those that went and those that came marked."""
    tags = {"same": "{}", "old": "<del>{}</del>", "new": "<ins>{}</ins>"}
    parts = marked_words(unmarked(str(old or "")), unmarked(str(new or "")))
    return " ".join(tags[part.kind].format(escape(part.text)) for part in parts)


def card_heading(difference: Difference, dossier: Dossier) -> str:
    """Return a card's id and title; where several kinds of component change, also what it is."""
    title = called(difference, dossier.language, dossier.new)
    kinds = {card.kind for each in dossier.cards if (card := each.new or each.old)}
    card = difference.new or difference.old
    if len(kinds) < 2 or card is None:
        return title
    named = dossier.new.vocabulary.kinds[card.kind].name
    kind = named.get(dossier.language) or named.get("en") or card.kind
    return title if kind in title else f"{title} ({kind})"


def _replacements(dossier: Dossier) -> Iterator[str]:
    """Yield how one tells the cards, with the printings, and what has to be replaced."""
    for title, texts in replacement_sections(dossier):
        if title == dossier.speech.say("tell"):
            yield _section(title, "".join(f"<p>{escape(text)}</p>" for text in texts) + _printings(dossier))
        else:
            yield _section(title, _list(texts))


def _printings(dossier: Dossier) -> str:
    language = dossier.language
    rows = [
        (printing.name, printing.mark.text(language), say(language, "yes" if printing.affected else "no"))
        for printing in dossier.erratum.printings
    ]
    head = [say(language, key) for key in ("printing", "its cards", "affected")]
    return _table(head, rows) if rows else ""


def told_by(printing: Printing, speech: Speech) -> str:
    """Return how one tells a printing's cards, and whether they have the old values, in words."""
    old = speech.listed(speech.say("affected"), [speech.say("yes" if printing.affected else "no")]).lower()
    return speech.listed(f"{printing.name} ({old})", [printing.mark.text(speech.language)])


def _rulings(dossier: Dossier) -> str:
    rows = list(_fates(dossier))
    return _table(["", "", ""], rows) if rows else ""


def _fates(dossier: Dossier) -> Iterator[tuple[str, str, str]]:
    """Yield each ruling that the change touches, with what becomes of it and why."""
    language = dossier.language
    fates = {"stays": "stays", "falls": "falls", "changes": "becomes"}
    for fate in dossier.erratum.rulings:
        ruling = dossier.new.rulings.get(fate.id)
        question = ruling.words.text(language) if ruling else ""
        why = fate.why.text(language) if fate.why else ""
        yield f"{fate.id} {question}", say(language, fates[fate.becomes]), why


def _effects(dossier: Dossier) -> str:
    if dossier.claims is None:
        return ""
    return f"{_list(dossier.claims.sentences(dossier.speech))}<p>{escape(' '.join(counted(dossier)))}</p>"


def counted(dossier: Dossier) -> list[str]:
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
    sentences = " ".join(claims.sentences(speech))
    wordless = any(speech.say("claim", id=a.id) in sentences for a in claims.after)
    leaning = [a.id for a in claims.after if a.assumed and a.verdict in (Verdict.PROVEN, Verdict.REFUTED)]
    return [
        speech.say("claims", same=same + len(claims.alike), all=count_claims(speech, everything)),
        *([speech.say("reached", alike=count_claims(speech, len(claims.alike)))] if claims.alike else []),
        speech.say("proven", proven=count_claims(speech, proven), refuted=refuted),
        *_named(speech, "leaning", leaning),
        *waiting(speech, claims),
        *([speech.say("wordless")] if wordless else []),
    ]


def _play(dossier: Dossier) -> str:
    if not dossier.played:
        return ""
    return f"<p>{escape(dossier.speech.say('sampled'))}</p>" + "".join(
        f'<p class="where">{escape(who_plays(each, dossier.speech))}</p>{_list(each.sentences(dossier.language))}'
        for each in dossier.played
    )


def who_plays(each: PlayComparison, speech: Speech) -> str:
    """Return the setting and the bots of games, in words."""
    return _in_setting(each.setting, speech.say(each.bot) if each.bot in WORDS["en"] else each.bot, speech)


def ladder(dossier: Dossier) -> list[str]:
    """Return what each rung of the ladder wins in both versions, in words."""
    return [_rung(each.setting, each.rung, dossier.speech) for each in dossier.ladder]


def _rung(setting: str, rung: Moved, speech: Speech) -> str:
    bot, below = (_bot(name, speech) if name else None for name in (rung.bot, rung.against))
    bots = speech.say("rung" if below else "alone", bot=bot, below=below)
    ends = (rung.difference.value, rung.difference.low, rung.difference.high)
    difference, low, high = (speech.number(100 * (end or 0.0), "+.1f") for end in ends)
    before, after = (
        speech.say("share", value=speech.number(100 * (side.value or 0.0), ".1f"))
        for side in (rung.before, rung.after)
    )
    figures = {"before": before, "after": after, "difference": difference, "low": low, "high": high}
    return f"{_in_setting(setting, bots, speech)} {speech.say('rung wins', **figures)}"


def _bot(name: str, speech: Speech) -> str:
    key = f"bot {name}"
    return speech.say(key) if key in WORDS["en"] else name


def _in_setting(setting: str, bots: str, speech: Speech) -> str:
    options = dict(pair.split("=", 1) for pair in setting.split(",") if pair)
    text = f"{speech.part(options, '')}, {bots}" if options else bots
    return text[:1].upper() + text[1:]


def _family(dossier: Dossier) -> list[str]:
    def name(ident: str) -> str:
        return titled(ident, dossier.old.components.get(ident), dossier.language, dossier.old)

    speech = dossier.speech
    alike = [
        speech.listed(", ".join(map(name, ids)), [shorten_list(list(map(name, others)), speech)])
        for ids, others in dossier.families
    ]
    return [*alike, *changed_too(dossier)]


def changed_too(dossier: Dossier) -> list[str]:
    """Return what the same change would do on the cards worded alike, and which of them it does not fit, in words."""
    speech, same = dossier.speech, dossier.consistent
    if same is None or not dossier.differences:
        return []
    cards, texts = ", ".join(same.fits), list[str]()
    if same.refused:
        texts.append(speech.say("refused", cards=cards))
    elif same.claims is not None:
        moved, late = same.moved(speech), waiting(speech, same.claims)
        unmoved = [speech.say("unmoved")] if not (moved or late) else []
        texts.append(speech.say("too", cards=cards, does=" ".join([*moved, *unmoved, *late])))
    elif cards:
        texts.append(speech.say("fits", cards=cards))
    if same.misfits:
        each = (
            f"{name} ({speech.quoted(speech.text_of(name, text))})" for name, text in same.misfits.items()
        )
        texts.append(speech.say("unfit", cards=", ".join(each)))
    return texts


def count_claims(speech: Speech, count: int) -> str:
    """Return a number of claims in words."""
    return speech.say("one claim" if count == 1 else "so many", count=count)


def waiting(speech: Speech, claims: Comparison) -> list[str]:
    """Return which claims were not asked to the end, in a sentence, or how many; none if all were."""
    return _named(speech, "waiting", claims.waiting)


def _named(speech: Speech, key: str, ids: Sequence[str]) -> list[str]:
    """Return a sentence that names claims, or counts them if they are many; none if there are none."""
    named = ", ".join(ids) if len(ids) <= _NAMED else count_claims(speech, len(ids))
    return [speech.say(key, ids=named)] if ids else []


def left_behind(dossier: Dossier) -> list[str]:
    """Return each translation that did not follow, in words."""
    return [
        dossier.speech.say(
            "left",
            component=text.component,
            path=dossier.speech.label(text.path, dossier.new.components.get(text.component)),
            changed=", ".join(text.changed),
            unchanged=", ".join(text.unchanged),
        )
        for text in dossier.left_behind
    ]


def _files(folder: Path, files: Sequence[Path]) -> str:
    names = [escape(file.relative_to(folder).as_posix()) for file in files]
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    return f"<ul>{links}</ul>" if links else ""


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(text)}</th>" for text in head) if any(head) else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table>{f'<tr>{cells}</tr>' if cells else ''}{body}</table>"
