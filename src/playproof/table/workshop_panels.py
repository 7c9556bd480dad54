"""The panels of the workshop's pages: what is wrong, the claims that a change touches, an entry to edit, files made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from playproof.database.errors import Finding
from playproof.table.card_entry import ComponentEntry
from playproof.table.claim_watch import ClaimAnswer
from playproof.table.editing import EditedGame

_MOST = 60  # findings in sight


@dataclass(frozen=True)
class UnsavedDraft:
    """A text that was not saved: made from the text with the digest `base`. `theirs` is what somebody else saved
    meanwhile; else `findings` says why the file would not be readable."""

    text: str
    base: str
    theirs: ComponentEntry | None
    findings: tuple[Finding, ...]


def render_findings_panel(
    edited: EditedGame, findings: Sequence[Finding], no_findings_text: str = "nothing is wrong"
) -> str:
    """Return what is wrong, each with its place and the nearest fix."""
    if not findings:
        text = "checking" if edited.busy else no_findings_text
        return f'<section class="findings good" id="findings"><p>{text}</p></section>'
    more = len(findings) - _MOST
    stale = "" if edited.readable else "<p>The files cannot be read. You see the last state that could.</p>"
    head = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
    return (
        f'<section class="findings" id="findings"><h2>{head}</h2>{stale}<ul>'
        f"{''.join(_render_finding(each) for each in findings[:_MOST])}</ul>"
        f"{f'<p>and {more} more</p>' if more > 0 else ''}</section>"
    )


def _render_finding(finding: Finding) -> str:
    place = escape(str(finding.where))
    return (
        f'<li class="{finding.severity}"><button class="place" data-place="{place}">{place}</button> '
        f"<b>{escape(finding.code)}</b> {escape(finding.message)}"
        f"{f' ({escape(finding.hint)})' if finding.hint else ''}</li>"
    )


def render_files_panel(edited: EditedGame) -> str:
    """Return the print files that were made."""
    rows = "".join(
        f'<li><a href="{edited.base}/sheet/{escape(file.path.name)}">{escape(file.path.name)}</a> {file.pages} pages, '
        f"{'made' if file.rebuilt else 'current'}{f': {escape(file.note)}' if file.note else ''}</li>"
        for file in edited.files
    )
    if not rows:
        return ""
    return (
        f'<details class="files" id="files"><summary>Sheets and rulebook</summary><ul>{rows}</ul></details>'
    )


def render_claims_panel(edited: EditedGame) -> str:
    """Return the claims that the changes touch: those first that are not as the designer claims."""
    watch = edited.claims
    if watch is None:
        return ""
    if watch.now is None or watch.fault:
        text = f"The claims cannot be asked: {escape(watch.fault)}" if watch.fault else "reading the claims"
        return f'<section class="claims" id="claims"><p role="status">{text}</p></section>'
    touched, answers = watch.now.touched, list(watch.answers.values())
    wrong = [each for each in answers if each.wrong]
    hold = [each for each in answers if not each.wrong]
    if not touched:
        summary = f"Your changes touch none of the {watch.now.claims} claims."
    else:
        summary = f"Your changes can touch {len(touched)} of {watch.now.claims} claims: {len(hold)} hold"
        summary += f", {len(wrong)} do not or are open" if wrong else ""
        left = len(touched) - len(answers)
        summary += f", {left} still to be asked." if left else "."
    return (
        f'<section class="claims" id="claims"><p role="status">{summary}</p>'
        + (f"<ul>{''.join(_render_claim(each) for each in wrong)}</ul>" if wrong else "")
        + (
            f'<details id="claims-hold"><summary>{len(hold)} hold</summary>'
            f"<ul>{''.join(_render_claim(each) for each in hold)}</ul></details>"
            if hold
            else ""
        )
        + "</section>"
    )


def _render_claim(answer: ClaimAnswer) -> str:
    says = f" {escape(answer.says)}" if answer.says else ""
    return (
        f'<li class="{answer.verdict.lower()}"><b>{answer.verdict}</b> <code>{escape(answer.ident)}</code>{says} '
        f"<i>{escape(answer.value)}</i></li>"
    )


def render_edit_panel(
    edited: EditedGame, ident: str, entry: ComponentEntry | None, draft: UnsavedDraft | None
) -> str:
    """Return the form that edits a component's entry, and what became of a draft that was not saved."""
    if entry is None:
        return (
            '<section class="edit" id="edit"><p>The lines of this card cannot be read now, or do not stand in a YAML '
            "file by themselves. Edit the file that the place above names.</p></section>"
            if draft is None
            else _render_edit_form(edited, ident, draft.text, draft.base, draft, "")
        )
    if draft is None:
        return _render_edit_form(edited, ident, entry.text, entry.digest, None, entry.digest)
    # Whoever saves again has seen the other text, so the save stands on that.
    base = draft.theirs.digest if draft.theirs is not None else draft.base
    return _render_edit_form(edited, ident, draft.text, base, draft, entry.digest)


def _render_edit_form(
    edited: EditedGame,
    ident: str,
    text: str,
    base_digest: str,
    draft: UnsavedDraft | None,
    current_digest: str,
) -> str:
    rows = min(24, text.count("\n") + 2)
    why, save = "", "save"
    if draft is not None and draft.theirs is not None:
        save = "save mine in its place"
        why = (
            '<div class="refused" role="alert"><p><b>Not saved:</b> somebody saved this card after you began. '
            "This is their text, which the file holds now; yours is below it. "
            f'<a href="{edited.base}/card/{escape(ident)}">take theirs</a></p>'
            f'<pre id="theirs">{escape(draft.theirs.text)}</pre></div>'
        )
    elif draft is not None:
        rows_of = "".join(_render_finding(each) for each in draft.findings)
        why = f'<div class="refused" role="alert"><p><b>Not saved:</b></p><ul>{rows_of}</ul></div>'
    return (
        f'<details class="edit" id="edit" data-now="{current_digest}"{" open" if draft else ""}>'
        "<summary>Edit this entry</summary>"
        f'<form method="post" action="{edited.base}/card/{escape(ident)}/save"{" data-draft" if draft else ""}>'
        f'{why}<input type="hidden" name="base" value="{escape(base_digest)}">'
        f'<label for="entry">the lines of <code>{escape(ident)}</code></label>'
        f'<textarea id="entry" name="text" rows="{rows}" spellcheck="false">\n{escape(text)}</textarea>'
        '<p class="stale" role="status" hidden>Somebody has saved this card since you began. Your save will be '
        "refused, and show you both texts.</p>"
        f"<p><button>{save}</button></p></form></details>"
    )
