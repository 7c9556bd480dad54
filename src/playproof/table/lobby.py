"""The lobby: choose a game, the players and the chapter, and show others how to find their
seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape

import segno

from playproof.table.drawing_process import LobbyEntry
from playproof.table.game_session import GameSession
from playproof.table.pages import render_html_page
from playproof.table.session_records import COLOURS, LONGEST_NAME, MOST_MINUTES, MOST_SECONDS, PLAYS_ON
from playproof.table.session_seats import PERSON
from playproof.table.sessions import ServerState

_MOST_LISTED = 12
_MOST_IN_SIGHT = 4  # tables under way
_CLOCKS = (
    "<details><summary>clocks</summary><p>Each person who wishes one has a clock; only they see them.</p>"
    f'<label>minutes for each <input name="minutes" type="number" min="0" max="{MOST_MINUTES}" '
    'placeholder="none"></label>'
    f'<label>seconds more after each choice <input name="seconds" type="number" min="0" max="{MOST_SECONDS}" '
    'placeholder="0"></label><label>when the time is up <select name="up"><option value="">say so</option>'
    f'<option value="{PLAYS_ON}">say so, and a bot plays on</option></select></label></details>'
)
_BOTS = ("greedy", "random", "mcts:200", "mcts")


def render_lobby_page_html(
    server_state: ServerState, lobby_entries: Sequence[LobbyEntry], lobby_path: str, workshop_path: str = ""
) -> str:
    """Return the page of all games, each with its entry, and the tables under way. `lobby_path` is its own address,
    which ends in a slash; `workshop_path` is the workshop's address, if there is one."""
    bench = f'<p><a href="{escape(workshop_path)}">the workshop</a></p>' if workshop_path else ""
    games = "".join(
        _render_new_game_form_html(entry, ref, lobby_path, number)
        for number, (ref, entry) in enumerate(zip(server_state.refs, lobby_entries, strict=True))
    )
    under_way = _render_session_lists_or_empty_html(
        [running_session.session for running_session in reversed(server_state.running_sessions.values())]
    )
    complaints = "".join(f'<p class="said">{escape(text)}</p>' for text in server_state.complaints)
    return render_html_page(
        "playproof",
        f'<main class="lobby"><h1>Playproof: the table</h1>{bench}{complaints}'
        f'{under_way}<h2>Begin a game</h2><div class="games">{games}</div></main>',
        body_class="hosting",
    )


def _render_session_lists_or_empty_html(sessions: Sequence[GameSession]) -> str:
    """Return the tables, the latest first: a few that are under way, and behind a summary older and finished ones, so
    that the games to begin stay in sight."""
    listed = sessions[:_MOST_LISTED]
    running = [session for session in listed if not session.match.over][:_MOST_IN_SIGHT]
    rest = [session for session in listed if session not in running]
    rows, more = ("".join(map(_render_session_links_html, some)) for some in (running, rest))
    if not rows and not more:
        return ""
    heading = "<h2>Tables under way</h2>" if running else ""
    label = "older and finished tables" if running else "finished tables"
    folded = f'<details class="tables"><summary>{label}: {len(rest)}</summary><ul>{more}</ul></details>' if rest else ""
    return f'{heading}<ul class="tables">{rows}</ul>{folded}'


def _render_session_links_html(session: GameSession) -> str:
    """Return a table with links to its taken seats and the invitations to its free ones, for the
    person who set it up at this machine."""
    links = [
        f'<a href="/t/{session.ident}/{token}">{escape(session.format_person_and_seat_name(n))}</a>'
        for n, token in enumerate(session.tokens)
        if token
    ]
    links += [
        f'<a href="{_make_invitation_path_of_seat(session, n)}">invitation for '
        f"{escape(session.get_declared_seat_name(n))}</a>"
        for n in session.free_seats
    ]
    links.append(f'<a href="/t/{session.ident}/{session.watch}">watch</a>')
    return f"<li>{escape(str(session.match))}: {', '.join(links)}</li>"


def _make_invitation_path_of_seat(session: GameSession, seat: int) -> str:
    return f"/join/{session.ident}/{session.make_invitation_secret(seat)}"


def _render_new_game_form_html(entry: LobbyEntry, game_ref: str, lobby_path: str, cover_number: int) -> str:
    if entry.error:
        title, error = escape(entry.title), escape(entry.error)
        return f'<section class="game"><h3>{title}</h3><p class="said">{error}</p></section>'
    options = "".join(
        _render_option_select_html(switch.name, switch.about, [name for name, _ in switch.values], switch.default)
        for switch in entry.options
    )
    seats = "".join(_render_person_or_bot_select_html(n) for n in range(entry.most))
    return (
        f'<section class="game"><img src="{escape(lobby_path)}picture/{cover_number}" alt="" loading="lazy">'
        f"<h3>{escape(entry.title)}</h3><p>{escape(entry.about)}</p>"
        f'<form method="post" action="{escape(lobby_path)}new"><input type="hidden" name="game" value="'
        f'{escape(game_ref)}">'
        '<label>your name <input name="name" maxlength="24" autocomplete="nickname"></label>'
        f"{options}<fieldset><legend>seats</legend>{seats}</fieldset>{_render_way_of_playing_select_html(entry.most)}"
        f"{_CLOCKS}<details><summary>seed and rulings</summary>"
        f'<label>seed <input name="seed" inputmode="numeric" '
        f'maxlength="59" placeholder="a new secret one"></label>{_render_ruling_selects_html(entry)}</details>'
        '<button class="big">begin</button></form></section>'
    )


def _render_way_of_playing_select_html(max_players: int) -> str:
    """Return the choice of how people play: by screens, or with paper and the page as referee."""
    ways = {
        "own": "each has an own screen",
        "one": "one screen, passed around",
        "paper-one": "with paper; one page is the referee",
        "paper-own": "with paper; each tells at an own page",
    }
    if max_players == 1:
        ways = {"own": "on this screen", "paper-one": "with paper; this page is the referee"}
    choices = "".join(f'<option value="{name}">{text}</option>' for name, text in ways.items())
    return f'<label>play <select name="screens">{choices}</select></label>'


def _render_option_select_html(option_name: str, label: str, option_values: list[str], default: str) -> str:
    choices = "".join(
        f"<option{' selected' if value == default else ''}>{escape(value)}</option>" for value in option_values
    )
    return f'<label>{escape(label)} <select name="option-{escape(option_name)}">{choices}</select></label>'


def _render_person_or_bot_select_html(seat: int) -> str:
    bots = "".join(
        f'<option value="{bot}"{" selected" if seat and bot == "greedy" else ""}>bot: {bot}</option>' for bot in _BOTS
    )
    return (
        f'<label>{seat + 1} <select name="seat-{seat:02}"><option value="{PERSON}">a person</option>'
        f"{bots}</select></label>"
    )


def _render_ruling_selects_html(entry: LobbyEntry) -> str:
    """Return every question the rulebook leaves open, its default first."""
    rows = []
    for ruling in entry.rulings:
        choices = "".join(
            f'<option value="{escape("" if name == ruling.default else name)}"'
            f"{' selected' if name == ruling.default else ''}>{escape(text)}</option>"
            for name, text in ruling.values
        )
        rows.append(
            f'<label>{escape(ruling.name)} {escape(ruling.about)} <select name="ruling-{ruling.name}">'
            f"{choices}</select></label>"
        )
    return "".join(rows)


def render_take_seat_page_html(session: GameSession, seat: int) -> str:
    """Return the page on which an invited person takes a seat."""
    name = escape(session.get_declared_seat_name(seat))
    take = (
        f'<form method="post" class="sit">{render_name_and_colour_fields_html(session, seat)}'
        f'<button class="big" name="seat" value="{seat}">sit down as {name}</button></form>'
        if seat in session.free_seats
        else f"<p>Somebody already sits at this seat ({name}).</p>"
    )
    return render_html_page(
        session.variant.title, f'<main class="lobby"><h1>{escape(session.variant.title)}</h1>{take}</main>'
    )


def render_name_and_colour_fields_html(session: GameSession, seat: int) -> str:
    """Return the fields for a person's name and colour."""
    person, chosen = session.persons.get(seat), session.get_seat_colour(seat)
    colours = "".join(
        f'<option value="{n}"{" selected" if n == chosen else ""}>{colour}</option>' for n, colour in enumerate(COLOURS)
    )
    return (
        f'<label>your name <input name="name" maxlength="{LONGEST_NAME}" autocomplete="nickname" '
        f'value="{escape(person.name if person else "")}"></label>'
        f'<label>colour <select name="colour">{colours}</select></label>'
    )


def render_seats_panel_or_empty_html(
    session: GameSession, seat: int | None, page_path: str, public_address: str
) -> str:
    """Return how others join the table, for those who sit at it, and a button to leave. Only who
    set the table up receives the invitations."""
    if seat is None or session.shared:
        return ""
    free = f"{len(session.free_seats)} free" if session.free_seats else "all seats are taken"
    if seat == session.opener:
        invited = "".join(
            f"{_render_invitation_to_seat_html(session, n, public_address)}"
            f"{_render_bot_button_or_empty_html(session, seat, n, page_path)}"
            for n in session.free_seats
        )
    else:
        invited = "<p>Who set up the table invites to the free seats.</p>" if session.free_seats else ""
        invited += "".join(_render_bot_button_or_empty_html(session, seat, n, page_path) for n in session.free_seats)
    leave = (
        "<details><summary>leave this seat</summary><p>Somebody else may then take it. The address of this page will "
        "no longer work.</p>"
        f'<form method="post" action="{escape(page_path)}/leave"><button>yes, leave it</button></form>'
        "</details>"
        if len(session.people_seats) > 1
        else ""
    )
    watch = escape(f"{public_address}/t/{session.ident}/{session.watch}")
    about = (
        f"<p>{free}. This page's own address is your seat: keep it, and keep it to yourself. "
        f'Others watch at <a href="{watch}">{watch if public_address else "this address"}</a>.</p>'
    )
    head, rest = (
        ("Invite", f"{invited}{about}") if seat == session.opener and invited else ("Seats", f"{about}{invited}")
    )
    return (
        f'<section class="invite{" first" if head == "Invite" else ""}"><h2>{head}</h2>{rest}'
        "<details><summary>your name and colour</summary>"
        f'<form method="post" action="{escape(page_path)}/introduce">'
        f"{render_name_and_colour_fields_html(session, seat)}<button>say so</button></form>"
        f"</details>{_render_clock_button_or_empty_html(session, seat, page_path)}{leave}</section>"
    )


def _render_clock_button_or_empty_html(session: GameSession, seat: int, page_path: str) -> str:
    """Return the button with which a person takes a clock, or does without; "" at a table without clocks."""
    if session.clocks is None:
        return ""
    terms, has = session.clocks.terms, seat in session.clocks.left
    about = f"{terms.minutes} minutes, {terms.seconds} seconds more after each choice"
    text = "play without a clock" if has else f"play with a clock ({about})"
    return (
        f'<form method="post" action="{escape(page_path)}/wish">'
        f'<input type="hidden" name="yes" value="{0 if has else 1}">'
        f"<button>{text}</button></form>"
    )


def render_invitation_bar_or_empty_html(session: GameSession, seat: int | None, public_address: str) -> str:
    """Return the invitations for the bar at the top, while a seat is free: a button that copies the next one, and all
    with their QR codes. Only who set the table up receives them."""
    if seat is None or session.shared or seat != session.opener or not session.free_seats:
        return ""
    first = session.free_seats[0]
    address = escape(f"{public_address}{_make_invitation_path_of_seat(session, first)}")
    code = f"<summary>QR code{'s' if len(session.free_seats) > 1 else ''}</summary>"
    about = (
        ""
        if public_address
        else "<p>Only this machine reaches this server. Start it with <code>--lan</code>, and a telephone in your "
        "network reads a QR code here.</p>"
    )
    codes = "".join(
        f"<p>{escape(session.get_declared_seat_name(n))}</p>"
        f"{_render_qr_code_svg(f'{public_address}{_make_invitation_path_of_seat(session, n)}')}"
        for n in session.free_seats
    )
    return (
        f'<div class="bar"><button type="button" data-copy="{address}" title="copies the address">'
        f"invite {escape(session.get_declared_seat_name(first))}</button>"
        f"<details>{code}<div>{codes if public_address else about}</div></details></div>"
    )


def _render_bot_button_or_empty_html(session: GameSession, asking_seat: int, seat: int, page_path: str) -> str:
    """Return the button that lets a bot play a free seat; "" for somebody who may not do that."""
    if session.reported_match is not None or not session.is_asker_opener_or_was_seat_left(asking_seat, seat):
        return ""
    return (
        f'<form method="post" action="{escape(page_path)}/bot"><input type="hidden" name="seat" value="{seat}">'
        f"<button>let a bot play {escape(session.get_declared_seat_name(seat))}</button></form>"
    )


def _render_invitation_to_seat_html(session: GameSession, seat: int, public_address: str) -> str:
    """Return the invitation to a seat, with its QR code in a local network."""
    address = escape(f"{public_address}{_make_invitation_path_of_seat(session, seat)}")
    text = address if public_address else "the invitation"
    code = (
        _render_qr_code_svg(f"{public_address}{_make_invitation_path_of_seat(session, seat)}") if public_address else ""
    )
    copy = f'<button type="button" data-copy="{address}">copy</button>'
    name = escape(session.get_declared_seat_name(seat))
    return f'<p>{name}: <a class="join" href="{address}">{text}</a> {copy}</p>{code}'


@lru_cache(maxsize=64)
def _render_qr_code_svg(address: str) -> str:
    """Return a QR code as SVG without styles."""
    made = segno.make(address, error="m", micro=False)
    return str(
        made.svg_inline(
            scale=4, border=2, dark="#1d2b26", light="#ffffff", omitsize=True, svgclass="qr", lineclass=None
        )
    )
