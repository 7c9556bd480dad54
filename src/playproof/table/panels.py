"""What stands beside the felt: what can be done, the story, proposals, the log, time, notes, the table in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby, permutations
from zlib import crc32

from playproof.referee.campaign import following, pages, what_follows
from playproof.referee.numbered_choices import Choice, kinds
from playproof.table.page_context import REMEMBERED, Memory, PageContext, form
from playproof.table.records import LogLine
from playproof.table.scene import Picture, Scene, Surface

_LOG = 60  # lines of the log on a page; the transcript has all lines
_RECALLED = 6  # lines of what the others did
_TAKEN_BACK = 5  # lines of what going back would take back
_MOST_ORDERED = 4  # things whose orders are all offered


def deed(context: PageContext, at: Mapping[int, Sequence[str]]) -> str:
    answer = f'<p class="said" role="alert">{escape(context.reply)}</p>' if context.reply else ""
    questions = f"{_verdicts(context)}{_questions(context)}"
    if not context.moves:
        return f'<section class="deed idle" id="deed" tabindex="-1">{questions}{answer}</section>'
    choices = [Choice(number, move) for number, move in enumerate(context.moves, 1)]
    does = _explain(context)
    groups = "".join(
        _group(kind.heading, kind.choices, kind.own, at, does)
        for kind in kinds(context.sitting.variant.game, choices)
    )
    return (
        f'<section class="deed" id="deed" tabindex="-1" aria-label="what you can do"><form method="post" '
        f'action="{escape(context.base)}/move"><input type="hidden" name="version" value="{context.sitting.version}">'
        f'<input type="hidden" name="position" value="{context.sitting.position(context.seat)}">'
        f'{groups}</form>{_explanations(does)}<div id="menu" hidden></div>{questions}{answer}</section>'
    )


def story(context: PageContext) -> str:
    """Return the pages told before the game, until a person has chosen; after a win, its ending and what follows."""
    match = context.sitting.match
    if not context.now or context.sitting.verdicts:
        return ""
    begun = any(step.actor in context.sitting.people for step in match.steps)
    chapters = pages(match, "after") if match.over else () if begun else pages(match, "before")
    texts = "".join(
        f"<h2>{escape(title)}</h2>{_page_picture(context, title)}{''.join(f'<p>{escape(text)}</p>' for text in lines)}"
        for title, lines in chapters
    )
    texts += _what_next(context)
    return f'<section class="story">{texts}</section>' if texts else ""


def _page_picture(context: PageContext, title: str) -> str:
    """Return the printed page of this title as a picture that a click enlarges; "" if none is printed. Its words
    follow it as text."""
    if context.spread is None or context.faces is None:
        return ""
    page = next((c for c in context.spread.components.values() if c.name == title), None)
    if page is None or context.spread.looks.layout_for(page, context.spread.language) is None:
        return ""
    address = f"/face/{context.faces.name(Picture(page.id))}.svg"
    picture = f'<img src="{address}" alt="{escape(title)}, as printed">'
    return f'<a class="page" href="{address}" target="_blank">{picture}</a>'


def _what_next(context: PageContext) -> str:
    """Return the button that begins the game that follows, with a choice of order where there is one."""
    after = following(context.sitting.match)
    if after is None or context.seat is None:
        return ""
    first, order = after.things[: after.ordered], ""
    if 1 < len(first) <= _MOST_ORDERED and not context.sitting.following:
        ways = "".join(
            f'<option value="{escape(" ".join(way))}">{escape(", ".join(way))}</option>'
            for way in permutations(first)
        )
        order = f'<label>in this order <select name="order">{ways}</select></label>'
    text = "Next chapter" if after.won else "Begin again"
    go_on = form(context, "next", f"{order}<button>{text}</button>")
    return f"<p>{escape(what_follows(context.sitting.match))}.</p>{go_on}"


def _questions(context: PageContext) -> str:
    """Return a line to ask whether something is allowed. With paper, it can also report what is
    not among the offers."""
    sitting = context.sitting
    if not context.now or context.seat is None or not sitting.asks(context.seat):
        return ""
    tell = (
        f'<button formaction="{escape(context.base)}/say">it happened</button>'
        if sitting.paper is not None
        else ""
    )
    return (
        '<div class="ask">'
        + form(
            context,
            "may",
            (
                '<input name="words" maxlength="120" aria-label="may I do this? words of an action" '
                f'placeholder="may I …?"><button>may I?</button>{tell}'
            ),
        )
        + "</div>"
    )


def _verdicts(context: PageContext) -> str:
    """With paper: return the question how the game ended, if that depends on cards nobody
    reported."""
    if not context.now or context.seat is None or not (verdicts := context.sitting.verdicts):
        return ""
    buttons = "".join(
        f'<button name="verdict" value="{escape(text)}">{escape(text)}</button>' for text in verdicts
    )
    return f"<p>Cards that nobody told decide this. Count them: how did it end?</p>{form(context, 'decide', buttons)}"


def _explain(context: PageContext) -> dict[int, str]:
    """Return what each choice does in words, by its number; nothing for a game without printed cards."""
    if context.spread is None:
        return {}
    explain = context.spread.card_words.explain
    return {move.ident: words for move in context.moves if (words := explain(move))}


def _explanations(does: Mapping[int, str]) -> str:
    """Return what the choices do, each text once. Readers of screens read it with its choice, a script shows it
    beside."""
    texts = dict.fromkeys(does.values())
    items = "".join(f'<li id="{_explanation_id(text)}">{escape(text)}</li>' for text in texts)
    return f'<ul class="doings" hidden>{items}</ul>' if items else ""


def _explanation_id(text: str) -> str:
    return f"does-{crc32(text.encode()):08x}"


def _group(
    heading_: str,
    choices: Sequence[Choice],
    own: Sequence[str],
    at: Mapping[int, Sequence[str]],
    does: Mapping[int, str],
) -> str:
    buttons = "".join(
        f'<button name="move" value="{c.move.ident}" data-at="{escape(" ".join(at.get(c.move.ident, ())))}" '
        f'data-text="{escape(c.move.text)}"{_spoken(text, c.move.text)}{_described(does.get(c.move.ident))}>'
        f"{escape(text)}</button>"
        for c, text in zip(choices, own, strict=True)
    )
    return f'<p class="kind">{f"<span>{escape(heading_)}</span>" if heading_ else ""}{buttons}</p>'


def _described(words: str | None) -> str:
    return f' aria-describedby="{_explanation_id(words)}"' if words else ""


def _spoken(short: str, whole: str) -> str:
    return "" if short == whole else f' aria-label="{escape(whole)}"'


def proposal(context: PageContext) -> str:
    sitting, pending = context.sitting, context.sitting.proposal
    if pending is None or not context.now:
        return ""
    what = {
        "undo": f"go back to step {pending.step}",
        "branch": f"play on from step {pending.step} at a new table",
    }
    text = f"{sitting.called(pending.by)} asks to {what[pending.kind]}"
    gone = _taken_back(context, pending.step) if pending.kind == "undo" else ""
    waits = [sitting.called(n) for n in sitting.people if n not in pending.agreed and sitting.tokens[n]]
    buttons = ""
    if context.seat is not None and context.seat not in pending.agreed:
        buttons = form(
            context,
            "agree",
            '<button name="yes" value="1">agree</button><button name="yes" value="0">no</button>',
        )
    return (
        f'<section class="proposal" role="alert"><p>{escape(text)}. Waiting for {escape(", ".join(waits))}.</p>'
        f"{gone}{buttons}</section>"
    )


def _taken_back(context: PageContext, step: int) -> str:
    """Return what going back to a step takes back, as the reader heard it, and whether chance has acted since."""
    sitting = context.sitting
    heard = [
        (n + 1, line)
        for n in range(step, len(sitting.match.steps))
        for line in sitting.heard(n, context.seat)
        if line.actor >= 0
    ]
    rows = "".join(_rows(context, heard[:_TAKEN_BACK]))
    rest = len(heard) - _TAKEN_BACK
    more = f"<p>and {rest} more</p>" if rest > 0 else ""
    return f"<p>This takes back:</p><ol>{rows}</ol>{more}<p>{_chance_since(context, step)}</p>"


def _chance_since(context: PageContext, step: int) -> str:
    """Return whether cards or dice were seen after a step, and what going back to it does about that."""
    sitting = context.sitting
    if not sitting.chance_acted_since(step):
        seen = "Neither cards nor dice came since."
        over = " The game is over and anybody may read its seed, so chance is drawn anew from there."
        return f"{seen}{over}" if sitting.draws_anew(step) else seen
    anew = " They are drawn anew from there." if sitting.draws_anew(step) else ""
    return f"Cards or dice were seen since.{anew}"


def branch(context: PageContext) -> str:
    """Return where play goes on, with the reader's own address there and nobody else's."""
    if not context.sitting.branches or not context.now:
        return ""
    branch = context.sitting.branches[-1]
    token = "" if context.seat is None else branch.tokens[context.seat]
    own = f' <a href="/t/{escape(branch.ident)}/{escape(token)}">your seat there</a>' if token else ""
    what = (
        ("The next game is" if following(context.sitting.match) is None else "The campaign goes on")
        if branch.ident == context.sitting.following
        else f"Play goes on from step {branch.step}"
    )
    return f'<section class="branch"><p>{what} at a new table.{own}</p></section>'


def log(context: PageContext) -> str:
    sitting = context.sitting
    steps = sitting.match.steps
    last = len(steps) if context.step is None else context.step
    first = max(0, last - _LOG)
    lines = (
        (n + 1, line)
        for n in range(last - 1, first - 1, -1)
        for line in reversed(sitting.heard(n, context.seat))
    )
    rows = "".join(_rows(context, lines))
    whole = (
        f'<p><a href="{escape(context.base)}/transcript.txt">transcript</a></p>'
        if _tells_all(context)
        else ""
    )
    return (
        '<section class="log"><h2>What happened</h2><ol reversed tabindex="0" '
        f'aria-label="what happened, the latest first" aria-live="polite">{rows}</ol>{whole}</section>'
    )


def _rows(context: PageContext, lines: Iterable[tuple[int, LogLine]]) -> Iterator[str]:
    """Yield lines of the log. Those that read alike and follow each other are one line with their number."""
    for heard, alike in groupby(lines, key=lambda line: line[1]):
        numbers = [number for number, _ in alike]
        yield _told(context.memory, numbers[0], heard, context.sitting.colour(heard.actor), len(numbers))


@lru_cache(maxsize=REMEMBERED)
def _told(_: Memory, number: int, heard: LogLine, colour: int, times: int) -> str:
    who = f"<b>{escape(heard.who)}:</b> " if heard.who else ""
    hue = f"hue-{colour}" if heard.actor >= 0 else "nobody"
    often = f" ×\N{NO-BREAK SPACE}{times}" if times > 1 else ""
    return f'<li value="{number}" class="of-{heard.actor} {hue}">{who}{escape(heard.words)}{often}</li>'


def _tells_all(context: PageContext) -> bool:
    """Return whether a transcript may be given. It holds every card, so nothing may be hidden or
    the game must be over."""
    return context.sitting.match.over or not context.sitting.hides


def recap(context: PageContext) -> str:
    """Return what the others did since the reader's last choice, in order, when the reader must choose."""
    sitting = context.sitting
    if not context.now or context.seat is None or context.reader is None or not sitting.asks(context.seat):
        return ""
    last = len(sitting.match.steps)
    own = sitting.last_choice(context.seat)
    first = max(0 if own is None else own + 1, last - _LOG)
    lines = (
        (n + 1, line)
        for n in range(first, last)
        for line in sitting.heard(n, context.seat)
        if line.actor >= 0 and line.actor != context.seat
    )
    others = list(_rows(context, lines))
    return (
        f'<section class="recap"><h2>Since your last choice</h2><ol>{"".join(others[-_RECALLED:])}</ol></section>'
        if others
        else ""
    )


def time(context: PageContext) -> str:
    sitting = context.sitting
    last = len(sitting.match.steps)
    if not last:
        return ""
    here = last if context.step is None else context.step
    ask = ""
    if context.seat is not None:
        own = sitting.last_choice(context.seat)
        if context.now and own is not None:
            ask += form(
                context,
                "propose",
                f'<input type="hidden" name="kind" value="undo"><input type="hidden" '
                f'name="step" value="{own}"><button title="{_chance_since(context, own)}">undo my last choice</button>',
            )
        if not context.now:
            for kind, text in (("undo", "go back to here"), ("branch", "play on from here, at a new table")):
                about = f' title="{_chance_since(context, here)}"' if kind == "undo" else ""
                ask += form(
                    context,
                    "propose",
                    f'<input type="hidden" name="kind" value="{kind}"><input type="hidden" '
                    f'name="step" value="{here}"><button{about}>{text}</button>',
                )
    return (
        f'<section class="time"><h2>Time</h2><form method="get" action="{escape(context.base)}" class="slider">'
        f'<label>step <input type="range" name="at" min="0" max="{last}" value="{here}"></label>'
        f"<output>{here}/{last}</output><button>show</button></form>{ask}</section>"
    )


def notes(context: PageContext) -> str:
    called = {context.sitting.name(n): context.sitting.called(n) for n in context.sitting.people}
    rows = "".join(
        f"<li><b>{escape(called.get(note.who, note.who))}</b> after {note.step}: {escape(note.text)}</li>"
        for note in context.sitting.latest_notes
    )
    write = form(
        context,
        "note",
        '<input name="text" maxlength="300" aria-label="a note" placeholder="write a note">'
        "<button>note</button>",
    )
    return f'<section class="notes"><h2>Notes</h2><ul>{rows}</ul>{write}</section>'


def words(scene: Scene | None) -> str:
    """Return the same table in words."""
    if scene is None:
        return ""
    surfaces = [
        (surface.title, ", ".join(_things(scene, surface)) or "nothing") for surface in scene.surfaces
    ]
    parts = "".join(f"<dt>{escape(title)}</dt><dd>{escape(text)}</dd>" for title, text in surfaces)
    return f'<details class="words"><summary>The table in words</summary><dl>{parts}</dl></details>'


def _things(scene: Scene, surface: Surface) -> Iterator[str]:
    counted: dict[str, int] = {}
    for piece in scene.on(surface):
        where = next((w for w in piece.words[1:] if w != piece.name), "")
        text = f"{piece.name} ({where})" if where else piece.name
        counted[text] = counted.get(text, 0) + (piece.count or 1)
    for text, count in counted.items():
        yield text if count == 1 else f"{count} × {text}"
