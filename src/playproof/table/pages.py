"""The pages that a browser receives, made from what one seat may see: whole pages, and the changing
part of a page.

The server writes everything, without scripts or styles in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from playproof.language import CHANCE
from playproof.referee.text_table import heading, moment
from playproof.referee.view import sees_term
from playproof.table.action_targets import targets
from playproof.table.clock import shown
from playproof.table.end_panel import end
from playproof.table.felt import felt
from playproof.table.page_context import PageContext
from playproof.table.panels import branch, deed, log, notes, proposal, recap, story, time, words
from playproof.table.sitting import PERSON, Sitting

# -- pages ----------------------------------------------------------------------------------------------------------


def page(title: str, body: str, *, head: str = "", kind: str = "plain") -> str:
    """Return a whole page."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/assets/table.css"><link rel="icon" href="/assets/icon.svg">'
        # What a head runs may need what play.js defines, and on a slow line pictures wait for it.
        f'<script src="/assets/play.js" defer fetchpriority="high"></script>{head}'
        f'</head><body class="{kind}">{body}</body></html>'
    )


def seat_page(context: PageContext, seats: str, bar: str = "") -> str:
    """Return the page of a seat. `seats` is the panel with the addresses of other seats and `bar` the invitations at
    the top, which only this seat receives."""
    return page(
        f"{context.sitting.variant.title}: {_who(context)}",
        f"{_TOOLS}{part(context, seats, bar)}",
        kind="play",
    )


# Outside the part that changes, so that what somebody chose here stays. Scripts make it visible.
_TOOLS = (
    '<nav id="tools" aria-label="the table\'s view" hidden>'
    '<button data-tool="out" aria-label="smaller" title="smaller (-)">−</button>'
    '<button data-tool="in" aria-label="larger" title="larger (+)">+</button>'
    '<button data-tool="fit" title="all of the table (0)">fit</button>'
    '<button data-tool="hand" title="my hand (h)">my hand</button>'
    '<button data-tool="changed" title="what changed (c)">what changed</button>'
    '<button data-tool="fold" aria-label="choices up or down" aria-pressed="false" title="choices down">▾</button>'
    '<button data-tool="skip" title="show others\' moves at once (s)" hidden>skip ▸▸</button>'
    '<details><summary title="settings">settings</summary><div>'
    '<label>others\' moves <select data-setting="pace"><option value="0">as they come</option>'
    '<option value="900">one after another</option><option value="2000">slowly</option></select></label>'
    '<label><input type="checkbox" data-setting="forced" checked> play by itself what is the only choice</label>'
    '<label><input type="checkbox" data-setting="enlarge" checked> enlarge a card where the mouse rests</label>'
    '<label><input type="checkbox" data-setting="sound"> a sound when it is my turn</label>'
    '<label><input type="checkbox" data-setting="notify"> a notification when it is my turn</label>'
    "<a data-lobby hidden>the lobby</a></div></details></nav>"
)


def part(context: PageContext, seats: str = "", bar: str = "") -> str:
    """Return the changing part of a seat's page, which is all of it but the tools. Its number is the
    table's version."""
    sitting = context.sitting
    at = targets(context.scene, context.moves) if context.scene else {}
    invites = bool(sitting.free) and context.seat is not None and context.seat == sitting.opener
    turn = "own" if _acts(context) else "over" if sitting.match.over else "other"
    return (
        f'<main id="table" data-base="{escape(context.base)}" data-version="{sitting.version}" data-turn="{turn}" '
        f'data-change="{sitting.changes}" data-seat="{"" if context.seat is None else context.seat}" '
        f'data-step="{"" if context.now else context.step}" data-title="{escape(_title(context))}">{_top(context, bar)}'
        f'<div class="room">{felt(context, at)}<aside>{seats if invites else ""}{_people(context)}{end(context)}'
        f"{story(context)}{recap(context)}{deed(context, at)}{proposal(context)}{branch(context)}{log(context)}"
        f"{time(context)}{notes(context)}{'' if invites else seats}{words(context.scene)}</aside></div></main>"
    )


def _acts(context: PageContext) -> bool:
    """Return whether the reader has to decide now."""
    return context.now and context.seat is not None and context.sitting.asks(context.seat)


def _title(context: PageContext) -> str:
    """Return what the tab of the browser says."""
    sitting = context.sitting
    if sitting.match.over:
        whose = "the end"
    elif _acts(context):
        whose = "● your turn"
    else:
        whose = sitting.called(sitting.match.actor)
    return f"{whose} – {sitting.variant.title}"


def handover_page(sitting: Sitting, base: str, seat: int) -> str:
    """Return the page shown at one screen until the next person is alone with it. It shows
    nothing of the game."""
    name = escape(sitting.called(seat))
    return page(
        sitting.variant.title,
        (
            f'<main id="table" data-base="{escape(base)}" data-version="{sitting.version}" data-step=""'
            f' data-change="{sitting.changes}"'
            ' class="hand-over">'
            f"<h1>{name}, it is your turn</h1><p>Take the screen. Press when only you can see it.</p>"
            f'<form method="post" action="{escape(base)}/ready"><input type="hidden" name="seat" value="{seat}">'
            f'<button class="big">I am {name}</button></form></main>'
        ),
        kind="play",
    )


def message_page(title: str, text: str, back: str = "") -> str:
    """Return a page with one message, and the way back if there is one."""
    way = f'<p><a href="{escape(back)}">back</a></p>' if back else ""
    return page(title, f'<main class="lobby"><h1>{escape(title)}</h1><p>{escape(text)}</p>{way}</main>')


def _who(context: PageContext) -> str:
    return "watching" if context.seat is None else context.sitting.called(context.seat)


# -- the top --------------------------------------------------------------------------------------------------------


def _top(context: PageContext, bar: str) -> str:
    sitting = context.sitting
    state = sitting.match.states[-1 if context.step is None else context.step]
    line = heading(sitting.match.play, state, sitting.variant.title)
    past = (
        ""
        if context.now
        else (
            f'<p class="past">after step {context.step} of {len(sitting.match.steps)} '
            f'<a data-live href="{escape(context.base)}">back to now</a></p>'
        )
    )
    moment = f'<p class="moment" role="status">{escape(_moment(context))}</p>'
    return f"<header><h1>{escape(line)}</h1>{moment}{past}{bar}</header>"


def _people(context: PageContext) -> str:
    """Return who sits where with which score, and the quantities worth showing."""
    sitting = context.sitting
    state = sitting.match.states[-1 if context.step is None else context.step]
    chips = "".join(_chip(context, n) for n in range(sitting.variant.game.players))
    seats = f'<ul class="seats" aria-label="seats" tabindex="0">{chips}</ul>'
    return f'<section class="who">{seats}{_shown(context, state)}</section>'


def _moment(context: PageContext) -> str:
    sitting, match = context.sitting, context.sitting.match
    if context.step is not None:
        then, actor = match.states[context.step], match.play.actor(match.states[context.step])
        return f"{sitting.called(actor)}: {moment(match.play, then)}"
    if match.over:
        return (
            "The game is over. How it ended hangs on cards that nobody told."
            if sitting.verdicts
            else "The game is over."
        )
    if context.seat is not None and sitting.paper is None and sitting.has_chosen(context.seat):
        return f"You have chosen; not yet: {', '.join(map(sitting.called, sitting.choosers))}"
    if _acts(context) and not sitting.open_page and match.actor != CHANCE:
        return f"Your turn: {moment(match.play, match.state)}"
    if sitting.bot is not None:
        return f"{sitting.called(match.actor)} ({sitting.bot}) is thinking"
    if sitting.paper is not None and match.actor == CHANCE:
        return f"Tell what happens: {moment(match.play, match.state)}"
    return f"{sitting.called(match.actor)}: {moment(match.play, match.state)}"


def _chip(context: PageContext, seat: int) -> str:
    sitting, match = context.sitting, context.sitting.match
    state = match.states[-1 if context.step is None else context.step]
    to_act = not match.play.terminal(state) and match.play.actor(state) == seat
    if context.now and sitting.paper is None:
        to_act = sitting.asks(seat)
    acts = " acts" if to_act else ""
    scores = "".join(
        f' <span class="score"><b>{escape(score.value)}</b> {escape(score.title)}</span>'
        for score in context.scores
        if score.seat == seat
    )
    name, kind = escape(sitting.called(seat)), escape(_sits_there(context, seat))
    chip = f'<li class="seat{acts} of-{seat} hue-{sitting.colour(seat)}"><b>{name}</b> {kind}{scores}'
    return f"{chip}{_clock(context, seat)}</li>"


def _clock(context: PageContext, seat: int) -> str:
    """Return the time left to a seat, for those who see the clocks."""
    clocks = context.sitting.clocks
    if (
        clocks is None
        or seat not in clocks.left
        or not context.now
        or not context.sitting.sees_clocks(context.seat)
    ):
        return ""
    left = clocks.remaining(seat)
    runs = " data-runs" if clocks.running == seat else ""
    text = shown(left) if left else "time is up"
    up = "" if left else " up"
    return (
        f' <span class="clock{up}" role="timer" data-left="{left:.1f}"{runs} '
        f'aria-label="time left: {text}">{text}</span>'
    )


def _sits_there(context: PageContext, seat: int) -> str:
    """Return who sits there, as the reader sees it: a bot's name, `you`, `free` or `person`; ""
    on an open page."""
    sitting = context.sitting
    if sitting.open_page:
        return ""
    if sitting.seats[seat] != PERSON:
        return sitting.seats[seat]
    if seat == context.seat:
        return "you"
    return "free" if seat in sitting.free else "person"


def _shown(context: PageContext, state: Sequence[int]) -> str:
    """Return the quantities that the game declares worth showing and the seat may know."""
    game = context.sitting.variant.game
    wanted = [name for name in game.facts.get("show", ()) if name in game.quantities]
    looks = range(game.players) if context.reader is None else [context.reader]
    seen_names = [
        name for name in wanted if all(sees_term(game, game.quantities[name], seat) for seat in looks)
    ]
    items = "".join(
        f"<li>{escape(name)} <b>{context.sitting.match.play.quantity(name, state)}</b></li>"
        for name in seen_names
    )
    return f'<ul class="shown">{items}</ul>' if items else ""
