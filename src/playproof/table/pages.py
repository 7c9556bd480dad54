"""The pages that a browser receives, made from what one seat may see: whole pages, and the changing
part of a page.

The server writes everything, without scripts or styles in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from playproof.language import CHANCE
from playproof.referee.text_table import describe_phase_or_ending, format_title_round_and_actor
from playproof.referee.view import can_seat_see_all_fields_of_term
from playproof.table.game_session import GameSession
from playproof.table.panels import (
    describe_seat_result,
    render_action_choices_panel_html,
    render_branch_link_or_empty_html,
    render_campaign_story_or_empty_html,
    render_finished_game_or_empty_html,
    render_history_controls_or_empty_html,
    render_log_html,
    render_notes_html,
    render_pending_proposal_or_empty_html,
    render_printed_rules_or_empty_html,
    render_recap_or_empty_html,
    render_table_in_words_html,
    summarize_results_of_all_seats,
)
from playproof.table.scene import map_actions_to_keys_they_name
from playproof.table.session_records import format_clock_time
from playproof.table.session_seats import PERSON
from playproof.table.table_view import PageContext, render_table_as_svg_or_text_html

# -- pages ----------------------------------------------------------------------------------------------------------


def render_html_page(title: str, body_html: str, *, head_html: str = "", body_class: str = "plain") -> str:
    """Return a whole page."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/assets/table.css"><link rel="icon" href="/assets/icon.svg">'
        # What a head runs may need what play.js defines, and on a slow line pictures wait for it.
        f'<script src="/assets/play.js" defer fetchpriority="high"></script>{head_html}'
        f'</head><body class="{body_class}">{body_html}</body></html>'
    )


def render_seat_page_html(context: PageContext, seats_panel_html: str, invitations_html: str = "") -> str:
    """Return the page of a seat. `seats_panel_html` is the panel with the addresses of other seats and
    `invitations_html` the invitations at the top, which only this seat receives."""
    return render_html_page(
        f"{context.session.variant.title}: {_get_reader_name_or_watching(context)}",
        f"{_TOOLS}{render_main_part_of_seat_page(context, seats_panel_html, invitations_html)}",
        body_class="play",
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


def render_main_part_of_seat_page(context: PageContext, seats_panel_html: str = "", invitations_html: str = "") -> str:
    """Return the changing part of a seat's page, which is all of it but the tools. Its number is the
    table's version."""
    session = context.session
    at = map_actions_to_keys_they_name(context.scene, context.moves) if context.scene else {}
    invites = bool(session.free_seats) and context.seat is not None and context.seat == session.opener
    turn = "own" if _needs_reader_to_decide_now(context) else "over" if session.match.over else "other"
    return (
        f'<main id="table" data-base="{escape(context.base)}" data-version="{session.version}" data-turn="{turn}" '
        f'data-change="{session.changes}" data-seat="{"" if context.seat is None else context.seat}" '
        f'data-step="{"" if context.now else context.step}" data-title="{escape(_format_tab_title(context))}">'
        f"{_render_table_header_html(context, invitations_html)}"
        f'<div class="room">{render_table_as_svg_or_text_html(context, at)}<aside>{seats_panel_html if invites else ""}'
        f"{_render_seats_and_quantities_html(context)}{render_finished_game_or_empty_html(context)}"
        f"{render_campaign_story_or_empty_html(context)}{render_recap_or_empty_html(context)}"
        f"{render_action_choices_panel_html(context, at)}"
        f"{render_printed_rules_or_empty_html(context, at)}"
        f"{render_pending_proposal_or_empty_html(context)}{render_branch_link_or_empty_html(context)}"
        f"{render_log_html(context)}"
        f"{render_history_controls_or_empty_html(context)}{render_notes_html(context)}"
        f"{'' if invites else seats_panel_html}"
        f"{render_table_in_words_html(context.scene)}</aside></div></main>"
    )


def _needs_reader_to_decide_now(context: PageContext) -> bool:
    """Return whether the reader has to decide now."""
    return context.now and context.seat is not None and context.session.needs_action_from(context.seat)


def _format_tab_title(context: PageContext) -> str:
    """Return what the tab of the browser says."""
    session = context.session
    if session.match.over:
        whose = "the end"
    elif _needs_reader_to_decide_now(context):
        whose = "● your turn"
    else:
        whose = session.format_person_and_seat_name(session.match.actor)
    return f"{whose} – {session.variant.title}"


def render_hand_over_screen_page_html(session: GameSession, page_path: str, seat: int) -> str:
    """Return the page shown at one screen until the next person is alone with it. It shows
    nothing of the game."""
    name = escape(session.format_person_and_seat_name(seat))
    return render_html_page(
        session.variant.title,
        (
            f'<main id="table" data-base="{escape(page_path)}" data-version="{session.version}" data-step=""'
            f' data-change="{session.changes}"'
            ' class="hand-over">'
            f"<h1>{name}, it is your turn</h1><p>Take the screen. Press when only you can see it.</p>"
            f'<form method="post" action="{escape(page_path)}/ready"><input type="hidden" name="seat" value="{seat}">'
            f'<button class="big">I am {name}</button></form></main>'
        ),
        body_class="play",
    )


def render_message_page_html(title: str, text: str, back_path: str = "") -> str:
    """Return a page with one message, and the way back if there is one."""
    way = f'<p><a href="{escape(back_path)}">back</a></p>' if back_path else ""
    return render_html_page(title, f'<main class="lobby"><h1>{escape(title)}</h1><p>{escape(text)}</p>{way}</main>')


def _get_reader_name_or_watching(context: PageContext) -> str:
    return "watching" if context.seat is None else context.session.format_person_and_seat_name(context.seat)


# -- the top --------------------------------------------------------------------------------------------------------


def _render_table_header_html(context: PageContext, invitations_html: str) -> str:
    session = context.session
    state = session.match.states[-1 if context.step is None else context.step]
    line = format_title_round_and_actor(session.match.play, state, session.variant.title, with_actor=False)
    past = (
        ""
        if context.now
        else (
            f'<p class="past">after step {context.step} of {len(session.match.steps)} '
            f'<a data-live href="{escape(context.base)}">back to now</a></p>'
        )
    )
    moment = f'<p class="moment" role="status">{escape(_describe_whose_turn_or_ending(context))}</p>'
    return f"<header><h1>{escape(line)}</h1>{moment}{past}{invitations_html}</header>"


def _render_seats_and_quantities_html(context: PageContext) -> str:
    """Return who sits where with which score, and the quantities worth showing."""
    session = context.session
    state = session.match.states[-1 if context.step is None else context.step]
    chips = "".join(_render_seat_list_item_html(context, n) for n in range(session.variant.game.players))
    seats = f'<ul class="seats" aria-label="seats" tabindex="0">{chips}</ul>'
    return f'<section class="who">{seats}{_render_declared_quantities_or_empty_html(context, state)}</section>'


def _describe_whose_turn_or_ending(context: PageContext) -> str:
    session, match = context.session, context.session.match
    if context.step is not None:
        then, actor = match.states[context.step], match.play.actor(match.states[context.step])
        return f"{session.format_person_and_seat_name(actor)}: {describe_phase_or_ending(match.play, then)}"
    if match.over:
        return (
            "The game is over. How it ended hangs on cards that nobody told."
            if session.verdicts
            else _describe_result_for_reader(context)
        )
    if context.seat is not None and session.reported_match is None and session.has_chosen_before_others(context.seat):
        return (
            f"You have chosen; not yet: {', '.join(map(session.format_person_and_seat_name, session.choosing_seats))}"
        )
    if _needs_reader_to_decide_now(context) and not session.open_page and match.actor != CHANCE:
        return f"Your turn: {describe_phase_or_ending(match.play, match.state)}"
    if session.bot is not None:
        return f"{session.format_person_and_seat_name(match.actor)} ({session.bot}) is thinking"
    if session.reported_match is not None and match.actor == CHANCE:
        return f"Tell what happens: {describe_phase_or_ending(match.play, match.state)}"
    return f"{session.format_person_and_seat_name(match.actor)}: {describe_phase_or_ending(match.play, match.state)}"


def _describe_result_for_reader(context: PageContext) -> str:
    """Return who won, as the reader says it: `you won`, or every seat's result."""
    session = context.session
    names = [session.format_person_and_seat_name(seat) for seat in range(len(session.seats))]
    if context.seat is not None and len(names) == 2 and not session.open_page:
        result = describe_seat_result(session.match, context.seat)
        if result in ("won", "lost"):
            return f"The game is over: you {result}."
    return f"The game is over: {summarize_results_of_all_seats(session.match, names)}."


def _render_seat_list_item_html(context: PageContext, seat: int) -> str:
    session, match = context.session, context.session.match
    state = match.states[-1 if context.step is None else context.step]
    to_act = not match.play.terminal(state) and match.play.actor(state) == seat
    if context.now and session.reported_match is None:
        to_act = session.needs_action_from(seat)
    acts = " acts" if to_act else ""
    scores = "".join(
        f' <span class="score"><b>{escape(score.value)}</b> {escape(score.title)}</span>'
        for score in context.scores
        if score.seat == seat
    )
    name, kind = escape(session.format_person_and_seat_name(seat)), escape(_describe_occupant_of_seat(context, seat))
    chip = f'<li class="seat{acts} of-{seat} hue-{session.get_seat_colour(seat)}"><b>{name}</b> {kind}{scores}'
    return f"{chip}{_render_seat_clock_or_empty_html(context, seat)}</li>"


def _render_seat_clock_or_empty_html(context: PageContext, seat: int) -> str:
    """Return the time left to a seat, for those who see the clocks."""
    clocks = context.session.clocks
    if clocks is None or seat not in clocks.left or not context.now or not context.session.can_see_clocks(context.seat):
        return ""
    left = clocks.get_remaining_seconds(seat)
    runs = " data-runs" if clocks.running == seat else ""
    text = format_clock_time(left) if left else "time is up"
    up = "" if left else " up"
    return (
        f' <span class="clock{up}" role="timer" data-left="{left:.1f}"{runs} '
        f'aria-label="time left: {text}">{text}</span>'
    )


def _describe_occupant_of_seat(context: PageContext, seat: int) -> str:
    """Return who sits there, as the reader sees it: a bot's name, `you`, `free` or `person`; ""
    on an open page."""
    session = context.session
    if session.open_page:
        return ""
    if session.seats[seat] != PERSON:
        return session.seats[seat]
    if seat == context.seat:
        return "you"
    return "free" if seat in session.free_seats else "person"


def _render_declared_quantities_or_empty_html(context: PageContext, state: Sequence[int]) -> str:
    """Return the quantities that the game declares worth showing and the seat may know."""
    game = context.session.variant.game
    wanted = [name for name in game.facts.get("show", ()) if name in game.quantities]
    looks = range(game.players) if context.reader is None else [context.reader]
    seen_names = [
        name
        for name in wanted
        if all(can_seat_see_all_fields_of_term(game, game.quantities[name], seat) for seat in looks)
    ]
    items = "".join(
        f"<li>{escape(name)} <b>{context.session.match.play.quantity(name, state)}</b></li>" for name in seen_names
    )
    return f'<ul class="shown">{items}</ul>' if items else ""
