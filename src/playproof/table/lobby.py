"""The lobby: choose a game, the players and the chapter, and show others how to find their
seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape

import segno

from playproof.table.clock import MOST_MINUTES, MOST_SECONDS, PLAYS_ON
from playproof.table.hall import Hall
from playproof.table.lobby_entries import LobbyEntry
from playproof.table.pages import page
from playproof.table.records import COLOURS, LONGEST_NAME
from playproof.table.sitting import PERSON, Sitting

_MOST_LISTED = 12
_CLOCKS = (
    "<details><summary>clocks</summary><p>Each person who wishes one has a clock; only they see them.</p>"
    f'<label>minutes for each <input name="minutes" type="number" min="0" max="{MOST_MINUTES}" '
    'placeholder="none"></label>'
    f'<label>seconds more after each choice <input name="seconds" type="number" min="0" max="{MOST_SECONDS}" '
    'placeholder="0"></label><label>when the time is up <select name="up"><option value="">say so</option>'
    f'<option value="{PLAYS_ON}">say so, and a bot plays on</option></select></label></details>'
)
_BOTS = ("greedy", "random", "mcts:200", "mcts")


def lobby_page(hall: Hall, entries: Sequence[LobbyEntry], base: str, workshop: str = "") -> str:
    """Return the page of all games, each with its entry, and the tables under way. `base` is its own address, which
    ends in a slash; `workshop` is the workshop's address, if there is one."""
    bench = f'<p><a href="{escape(workshop)}">the workshop</a></p>' if workshop else ""
    games = "".join(
        _game(entry, ref, base, number)
        for number, (ref, entry) in enumerate(zip(hall.refs, entries, strict=True))
    )
    tables = "".join(_table(desk.sitting) for desk in list(reversed(hall.desks.values()))[:_MOST_LISTED])
    under_way = f"<h2>Tables under way</h2><ul>{tables}</ul>" if tables else ""
    complaints = "".join(f'<p class="said">{escape(text)}</p>' for text in hall.complaints)
    return page(
        "playproof",
        f'<main class="lobby"><h1>Playproof: the table</h1>{bench}{complaints}'
        f'{under_way}<h2>Begin a game</h2><div class="games">{games}</div></main>',
        kind="hosting",
    )


def _table(sitting: Sitting) -> str:
    """Return a table with links to its taken seats and the invitations to its free ones, for the
    person who set it up at this machine."""
    links = [
        f'<a href="/t/{sitting.ident}/{token}">{escape(sitting.called(n))}</a>'
        for n, token in enumerate(sitting.tokens)
        if token
    ]
    links += [
        f'<a href="{_invitation_at(sitting, n)}">invitation for {escape(sitting.name(n))}</a>'
        for n in sitting.free
    ]
    links.append(f'<a href="/t/{sitting.ident}/{sitting.watch}">watch</a>')
    return f"<li>{escape(str(sitting.match))}: {', '.join(links)}</li>"


def _invitation_at(sitting: Sitting, seat: int) -> str:
    return f"/join/{sitting.ident}/{sitting.invitation(seat)}"


def _game(entry: LobbyEntry, ref: str, base: str, number: int) -> str:
    if entry.error:
        title, error = escape(entry.title), escape(entry.error)
        return f'<section class="game"><h3>{title}</h3><p class="said">{error}</p></section>'
    options = "".join(
        _option(switch.name, switch.about, [name for name, _ in switch.values], switch.default)
        for switch in entry.options
    )
    seats = "".join(_seat(n) for n in range(entry.most))
    return (
        f'<section class="game"><img src="{escape(base)}picture/{number}" alt="" loading="lazy">'
        f"<h3>{escape(entry.title)}</h3><p>{escape(entry.about)}</p>"
        f'<form method="post" action="{escape(base)}new"><input type="hidden" name="game" value="{escape(ref)}">'
        '<label>your name <input name="name" maxlength="24" autocomplete="nickname"></label>'
        f"{options}<fieldset><legend>seats</legend>{seats}</fieldset>{_screens(entry.most)}"
        f"{_CLOCKS}<details><summary>seed and rulings</summary>"
        f'<label>seed <input name="seed" inputmode="numeric" '
        f'maxlength="59" placeholder="a new secret one"></label>{_rulings(entry)}</details>'
        '<button class="big">begin</button></form></section>'
    )


def _screens(most: int) -> str:
    """Return the choice of how people play: by screens, or with paper and the page as referee."""
    ways = {
        "own": "each has an own screen",
        "one": "one screen, passed around",
        "paper-one": "with paper; one page is the referee",
        "paper-own": "with paper; each tells at an own page",
    }
    if most == 1:
        ways = {"own": "on this screen", "paper-one": "with paper; this page is the referee"}
    choices = "".join(f'<option value="{name}">{text}</option>' for name, text in ways.items())
    return f'<label>play <select name="screens">{choices}</select></label>'


def _option(name: str, about: str, values: list[str], default: str) -> str:
    choices = "".join(
        f"<option{' selected' if value == default else ''}>{escape(value)}</option>" for value in values
    )
    return f'<label>{escape(about)} <select name="option-{escape(name)}">{choices}</select></label>'


def _seat(number: int) -> str:
    bots = "".join(
        f'<option value="{bot}"{" selected" if number and bot == "greedy" else ""}>bot: {bot}</option>'
        for bot in _BOTS
    )
    return (
        f'<label>{number + 1} <select name="seat-{number:02}"><option value="{PERSON}">a person</option>'
        f"{bots}</select></label>"
    )


def _rulings(entry: LobbyEntry) -> str:
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


def invitation(sitting: Sitting, seat: int) -> str:
    """Return the page on which an invited person takes a seat."""
    name = escape(sitting.name(seat))
    take = (
        f'<form method="post" class="sit">{who(sitting, seat)}'
        f'<button class="big" name="seat" value="{seat}">sit down as {name}</button></form>'
        if seat in sitting.free
        else f"<p>Somebody already sits at this seat ({name}).</p>"
    )
    return page(
        sitting.variant.title, f'<main class="lobby"><h1>{escape(sitting.variant.title)}</h1>{take}</main>'
    )


def who(sitting: Sitting, seat: int) -> str:
    """Return the fields for a person's name and colour."""
    person, chosen = sitting.persons.get(seat), sitting.colour(seat)
    colours = "".join(
        f'<option value="{n}"{" selected" if n == chosen else ""}>{colour}</option>'
        for n, colour in enumerate(COLOURS)
    )
    return (
        f'<label>your name <input name="name" maxlength="{LONGEST_NAME}" autocomplete="nickname" '
        f'value="{escape(person.name if person else "")}"></label>'
        f'<label>colour <select name="colour">{colours}</select></label>'
    )


def seats_panel(sitting: Sitting, seat: int | None, base: str, lan: str) -> str:
    """Return how others join the table, for those who sit at it, and a button to leave. Only who
    set the table up receives the invitations."""
    if seat is None or sitting.shared:
        return ""
    free = f"{len(sitting.free)} free" if sitting.free else "all seats are taken"
    if seat == sitting.opener:
        invited = "".join(
            f"{_invited(sitting, n, lan)}{_bot_button(sitting, seat, n, base)}" for n in sitting.free
        )
    else:
        invited = "<p>Who set up the table invites to the free seats.</p>" if sitting.free else ""
        invited += "".join(_bot_button(sitting, seat, n, base) for n in sitting.free)
    leave = (
        "<details><summary>leave this seat</summary><p>Somebody else may then take it. The address of this page will "
        f'no longer work.</p><form method="post" action="{escape(base)}/leave"><button>yes, leave it</button></form>'
        "</details>"
        if len(sitting.people) > 1
        else ""
    )
    watch = escape(f"{lan}/t/{sitting.ident}/{sitting.watch}")
    about = (
        f"<p>{free}. This page's own address is your seat: keep it, and keep it to yourself. "
        f'Others watch at <a href="{watch}">{watch if lan else "this address"}</a>.</p>'
    )
    head, rest = (
        ("Invite", f"{invited}{about}")
        if seat == sitting.opener and invited
        else ("Seats", f"{about}{invited}")
    )
    return (
        f'<section class="invite{" first" if head == "Invite" else ""}"><h2>{head}</h2>{rest}'
        "<details><summary>your name and colour</summary>"
        f'<form method="post" action="{escape(base)}/introduce">{who(sitting, seat)}<button>say so</button></form>'
        f"</details>{_wish(sitting, seat, base)}{leave}</section>"
    )


def _wish(sitting: Sitting, seat: int, base: str) -> str:
    """Return the button with which a person takes a clock, or does without; "" at a table without clocks."""
    if sitting.clocks is None:
        return ""
    terms, has = sitting.clocks.terms, seat in sitting.clocks.left
    about = f"{terms.minutes} minutes, {terms.seconds} seconds more after each choice"
    text = "play without a clock" if has else f"play with a clock ({about})"
    return (
        f'<form method="post" action="{escape(base)}/wish"><input type="hidden" name="yes" value="{0 if has else 1}">'
        f"<button>{text}</button></form>"
    )


def invitation_bar(sitting: Sitting, seat: int | None, lan: str) -> str:
    """Return the invitations for the bar at the top, while a seat is free: a button that copies the next one, and all
    with their QR codes. Only who set the table up receives them."""
    if seat is None or sitting.shared or seat != sitting.opener or not sitting.free:
        return ""
    first = sitting.free[0]
    address = escape(f"{lan}{_invitation_at(sitting, first)}")
    code = f"<summary>QR code{'s' if len(sitting.free) > 1 else ''}</summary>"
    about = (
        ""
        if lan
        else "<p>Only this machine reaches this server. Start it with <code>--lan</code>, and a telephone in your "
        "network reads a QR code here.</p>"
    )
    codes = "".join(
        f"<p>{escape(sitting.name(n))}</p>{_code(f'{lan}{_invitation_at(sitting, n)}')}" for n in sitting.free
    )
    return (
        f'<div class="bar"><button type="button" data-copy="{address}" title="copies the address">'
        f"invite {escape(sitting.name(first))}</button>"
        f"<details>{code}<div>{codes if lan else about}</div></details></div>"
    )


def _bot_button(sitting: Sitting, by: int, seat: int, base: str) -> str:
    """Return the button that lets a bot play a free seat; "" for somebody who may not do that."""
    if sitting.paper is not None or not sitting.may_give_to_bot(by, seat):
        return ""
    return (
        f'<form method="post" action="{escape(base)}/bot"><input type="hidden" name="seat" value="{seat}">'
        f"<button>let a bot play {escape(sitting.name(seat))}</button></form>"
    )


def _invited(sitting: Sitting, seat: int, lan: str) -> str:
    """Return the invitation to a seat, with its QR code in a local network."""
    address = escape(f"{lan}{_invitation_at(sitting, seat)}")
    text = address if lan else "the invitation"
    code = _code(f"{lan}{_invitation_at(sitting, seat)}") if lan else ""
    copy = f'<button type="button" data-copy="{address}">copy</button>'
    return f'<p>{escape(sitting.name(seat))}: <a class="join" href="{address}">{text}</a> {copy}</p>{code}'


@lru_cache(maxsize=64)
def _code(address: str) -> str:
    """Return a QR code as SVG without styles."""
    made = segno.make(address, error="m", micro=False)
    return str(
        made.svg_inline(
            scale=4, border=2, dark="#1d2b26", light="#ffffff", omitsize=True, svgclass="qr", lineclass=None
        )
    )
