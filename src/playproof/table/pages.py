"""The pages that a browser receives, made from what one seat may see: whole pages, and the changing
part of a page.

The server writes everything, without scripts or styles in the text. Positions are attributes of
SVG.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import escape
from itertools import permutations

from rich.console import Console

from playproof.language import CHANCE, Move
from playproof.referee.campaign import following, pages, what_follows
from playproof.referee.match import Match
from playproof.referee.notation import seat_name
from playproof.referee.numbered_choices import Choice, kinds
from playproof.referee.text_table import draw, heading, moment
from playproof.referee.view import View, sees_term
from playproof.table.action_targets import targets
from playproof.table.faces import Faces
from playproof.table.placing import Spread, thrown
from playproof.table.scene import Piece, Scene, Spot, Surface
from playproof.table.sitting import PERSON, Heard, Sitting

_LOG = 60  # lines of the log on a page; the transcript has all lines
_KEPT = 24_576  # pieces, spots and lines of the log as text, each reader's apart
_MOST_ORDERED = 4  # things whose orders are all offered
_BADGE = 6.0  # mm, the radius of a count


Memory = tuple[str, int | None]  # a table and a seat: what one has seen must not make the other's page faster


@dataclass(frozen=True)
class Seen:
    """What a page shows: a sitting, the seat that looks (None: a spectator), and the step (None:
    now)."""

    sitting: Sitting
    seat: int | None
    base: str  # the address of this seat's page, without a slash at its end
    spread: Spread | None
    faces: Faces | None
    step: int | None = None
    said: str = ""

    @property
    def now(self) -> bool:
        """Whether the present is shown."""
        return self.step is None

    @property
    def reader(self) -> int | None:
        """The seat whose secrets the page may show; None on a page that lies open for all."""
        return None if self.sitting.open_page else self.seat

    @property
    def memory(self) -> Memory:
        """Whose remembered pieces and lines this page may use."""
        return self.sitting.ident, self.seat

    @cached_property
    def view(self) -> View:
        """The view of the seat."""
        return self.sitting.view(self.seat, self.step)

    @cached_property
    def moves(self) -> list[Move]:
        """The actions the seat may take."""
        return self.sitting.legal(self.seat) if self.now else []


# -- pages ----------------------------------------------------------------------------------------------------------


def page(title: str, body: str, *, head: str = "", kind: str = "plain") -> str:
    """Return a whole page."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/assets/table.css"><link rel="icon" href="/assets/icon.svg">{head}'
        '<script src="/assets/idiomorph.js" defer></script><script src="/assets/table.js" defer></script>'
        f'</head><body class="{kind}">{body}</body></html>'
    )


def seat_page(seen: Seen, seats: str) -> str:
    """Return the page of a seat. `seats` is the panel with the addresses of other seats, which
    only this seat receives."""
    return page(f"{seen.sitting.variant.title}: {_who(seen)}", part(seen, seats), kind="play")


def part(seen: Seen, seats: str = "") -> str:
    """Return the changing part of a seat's page, which is all of it. Its number is the table's
    version."""
    scene = (
        seen.spread.lay(seen.view, thrown(seen.sitting.match, seen.step), seen.memory)
        if seen.spread
        else None
    )
    at = targets(scene, seen.moves) if scene else {}
    return (
        f'<main id="table" data-base="{escape(seen.base)}" data-version="{seen.sitting.version}" '
        f'data-step="{"" if seen.now else seen.step}">{_top(seen, scene)}'
        f'<div class="room">{_felt(seen, scene, at)}<aside>{_story(seen)}{_deed(seen, at)}{_proposal(seen)}'
        f"{_branch(seen)}"
        f"{_log(seen)}{_time(seen)}{_notes(seen)}{seats}{_words(scene)}</aside></div></main>"
    )


def handover_page(sitting: Sitting, base: str, seat: int) -> str:
    """Return the page shown at one screen until the next person is alone with it. It shows
    nothing of the game."""
    name = escape(sitting.name(seat))
    return page(
        sitting.variant.title,
        (
            f'<main id="table" data-base="{escape(base)}" data-version="{sitting.version}" data-step=""'
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


def _who(seen: Seen) -> str:
    return "watching" if seen.seat is None else seen.sitting.name(seen.seat)


# -- the top --------------------------------------------------------------------------------------------------------


def _top(seen: Seen, scene: Scene | None) -> str:
    sitting = seen.sitting
    state = sitting.match.states[-1 if seen.step is None else seen.step]
    line = heading(sitting.match.play, state, sitting.variant.title)
    chips = "".join(_chip(seen, scene, n) for n in range(sitting.variant.game.players))
    past = (
        ""
        if seen.now
        else (
            f'<p class="past">after step {seen.step} of {len(sitting.match.steps)} '
            f'<a data-live href="{escape(seen.base)}">back to now</a></p>'
        )
    )
    return (
        f'<header><h1>{escape(line)}</h1><p class="moment" role="status">{escape(_moment(seen))}</p>'
        f'<ul class="seats" aria-label="seats">{chips}</ul>{_shown(seen, state)}{past}</header>'
    )


def _moment(seen: Seen) -> str:
    sitting, match = seen.sitting, seen.sitting.match
    if seen.step is not None:
        then, actor = match.states[seen.step], match.play.actor(match.states[seen.step])
        return f"{sitting.name(actor)}: {moment(match.play, then)}"
    if match.over:
        return (
            "The game is over. How it ended hangs on cards that nobody told."
            if sitting.verdicts
            else ended(match)
        )
    if sitting.bot is not None:
        return f"{sitting.name(match.actor)} ({sitting.bot}) is thinking"
    if sitting.paper is not None and match.actor == CHANCE:
        return f"Tell what happens: {moment(match.play, match.state)}"
    if seen.seat == match.actor and not sitting.open_page:
        return f"Your turn: {moment(match.play, match.state)}"
    return f"{sitting.name(match.actor)}: {moment(match.play, match.state)}"


def ended(match: Match) -> str:
    """Return how a game ended, with all returns or the score; "" while it runs."""
    end, returns = match.ending, match.returns()
    if end is None:
        return ""
    told = f"The game is over: {end.reason}."
    if len(returns) > 1:
        return f"{told} " + ", ".join(
            f"{seat_name(match.game, n)} {value:+d}" for n, value in enumerate(returns)
        )
    return f"{told} Score {returns[0]}." if end.kind == "scores" else told


def _chip(seen: Seen, scene: Scene | None, seat: int) -> str:
    sitting, match = seen.sitting, seen.sitting.match
    state = match.states[-1 if seen.step is None else seen.step]
    to_act = not match.play.terminal(state) and match.play.actor(state) == seat
    acts = " acts" if to_act else ""
    own_scores = [score for score in (scene.scores if scene else ()) if score.seat == seat]
    scores = "".join(
        f' <span class="score"><b>{escape(score.value)}</b> {escape(score.title)}</span>'
        for score in own_scores
    )
    name, kind = escape(sitting.name(seat)), escape(_sits_there(seen, seat))
    return f'<li class="seat{acts} of-{seat}"><b>{name}</b> {kind}{scores}</li>'


def _sits_there(seen: Seen, seat: int) -> str:
    """Return who sits there, as the reader sees it: a bot's name, `you`, `free` or `person`; ""
    on an open page."""
    sitting = seen.sitting
    if sitting.open_page:
        return ""
    if sitting.seats[seat] != PERSON:
        return sitting.seats[seat]
    if seat == seen.seat:
        return "you"
    return "free" if seat in sitting.free else "person"


def _shown(seen: Seen, state: Sequence[int]) -> str:
    """Return the quantities that the game declares worth showing and the seat may know."""
    game = seen.sitting.variant.game
    wanted = [name for name in game.facts.get("show", ()) if name in game.quantities]
    looks = range(game.players) if seen.reader is None else [seen.reader]
    known = [name for name in wanted if all(sees_term(game, game.quantities[name], seat) for seat in looks)]
    items = "".join(
        f"<li>{escape(name)} <b>{seen.sitting.match.play.quantity(name, state)}</b></li>" for name in known
    )
    return f'<ul class="shown">{items}</ul>' if items else ""


# -- the felt -------------------------------------------------------------------------------------------------------


def _felt(seen: Seen, scene: Scene | None, at: Mapping[int, Sequence[str]]) -> str:
    if scene is None or seen.faces is None:
        return f'<div class="felt text"><pre>{escape(_drawn(seen))}</pre></div>'
    can = {key for keys in at.values() for key in keys}
    surfaces = "".join(_surface(seen.memory, seen.faces, scene, surface, can) for surface in scene.surfaces)
    sheet = f'<link rel="stylesheet" href="/layout/{layout_name(scene)}.css">'
    return f'<div class="felt" id="felt">{sheet}{surfaces}</div>'


def _drawn(seen: Seen) -> str:
    """Return the table as text, for games without a printed one."""
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None)
    sitting = seen.sitting
    state = sitting.match.states[-1 if seen.step is None else seen.step]
    seat = 0 if seen.reader is None and not sitting.hides else seen.reader
    if seat is None:
        return "this game is shown to those who play"
    console.print(draw(sitting.match.play, state, seat, sitting.variant.title))
    return out.getvalue()


def _surface(memory: Memory, faces: Faces, scene: Scene, surface: Surface, can: set[str]) -> str:
    width, height = _mm(surface.width), _mm(surface.height)
    if surface.picture is None:
        ground = (
            f'<rect class="bare" width="{width}" height="{height}" rx="3"/>'
            f'<text class="name" x="2.5" y="6.6">{escape(surface.title)}</text>'
        )
    else:
        ground = _image(faces.name(surface.picture), (0, 0, surface.width, surface.height))
    spots = "".join(_spot(spot, spot.key in can) for spot in scene.spots_on(surface))
    pieces = "".join(
        _piece(memory, piece, _face(faces, piece), piece.key in can) for piece in scene.on(surface)
    )
    kind = "hand" if surface.hand else "bare-place" if surface.picture is None else "printed"
    return (
        f'<section class="surface {kind}" id="s-{dom_id(surface.key)}">'
        f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{escape(surface.title)}">'
        f"{ground}{spots}{pieces}</svg></section>"
    )


@lru_cache(maxsize=_KEPT)
def _spot(spot: Spot, can: bool) -> str:
    box = f'x="{_mm(spot.x)}" y="{_mm(spot.y)}" width="{_mm(spot.width)}" height="{_mm(spot.height)}" rx="2"'
    name = escape(spot.name)
    return (
        f'<rect class="spot{" can" if can else ""}" id="k-{dom_id(spot.key)}" data-key="{escape(spot.key)}" {box} '
        f'{_reach(can)} aria-label="{name}"><title>{name}</title></rect>'
    )


@lru_cache(maxsize=_KEPT)
def _piece(_: Memory, piece: Piece, image: str, can: bool) -> str:
    x, y = _corner(piece)
    many = piece.count is not None and piece.count > 1
    name = escape(f"{piece.name}, {piece.count}" if many else piece.name)
    badge = ""
    if many:
        # At the lower left, the corner that stays visible if cards overlap.
        left, low = _mm(x + _BADGE), _mm(y + piece.height - _BADGE)
        badge = (
            f'<circle class="badge" cx="{left}" cy="{low}" r="{_BADGE}"/>'
            f'<text class="count" x="{left}" y="{low}">{piece.count}</text>'
        )
    turn = f' transform="rotate({_mm(piece.turn)} {_mm(piece.x)} {_mm(piece.y)})"' if piece.turn else ""
    return (
        f'<g class="piece{" can" if can else ""}" id="k-{dom_id(piece.key)}" data-key="{escape(piece.key)}" '
        f'{_reach(can)} aria-label="{name}"><title>{name}</title>'
        f"<g{turn}>{image}"
        f'<rect class="edge" x="{_mm(x)}" y="{_mm(y)}" width="{_mm(piece.width)}" height="{_mm(piece.height)}" '
        f'rx="2"/></g>{badge}</g>'
    )


def _reach(can: bool) -> str:
    """Return the attributes that let the keyboard reach everything that can be acted on. Other
    things can only be read."""
    return 'role="button" tabindex="0"' if can else 'role="img"'


def _corner(piece: Piece) -> tuple[float, float]:
    """Return the top left corner of a piece on its surface, in mm."""
    return piece.x - piece.width / 2, piece.y - piece.height / 2


def _face(faces: Faces, piece: Piece) -> str:
    """Return the picture of a piece. A part of a face is the whole face behind a window."""
    picture, name = piece.picture, faces.name(piece.picture)
    box = (*_corner(piece), piece.width, piece.height)
    if picture.crop is None:
        return _image(name, box)
    window = " ".join(map(_mm, picture.crop))
    whole = faces.spread.size(replace(picture, crop=None))
    return f'<svg {_box(box)} viewBox="{window}">{_image(name, (0, 0, *whole))}</svg>'


def _image(name: str, box: tuple[float, float, float, float]) -> str:
    return f'<image href="/face/{name}.svg" {_box(box)}/>'


def _box(box: tuple[float, float, float, float]) -> str:
    x, y, width, height = map(_mm, box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _mm(value: float) -> str:
    return f"{round(value, 2):g}"


def dom_id(key: str) -> str:
    """Return a key as an id that style sheets can name."""
    return key.replace(".", "-").replace(" ", "_")


def layout_name(scene: Scene) -> str:
    """Return the places of a scene's surfaces as an address. The style sheet is made from the
    address alone."""
    whole = [f"{scene.width:g}x{scene.height:g}"]
    return "_".join(
        [*whole, *(f"{dom_id(s.key)}~{s.x:g}~{s.y:g}~{s.width:g}~{s.height:g}" for s in scene.surfaces)]
    )


# -- what is to be done ---------------------------------------------------------------------------------------------


def _deed(seen: Seen, at: Mapping[int, Sequence[str]]) -> str:
    said = f'<p class="said" role="alert">{escape(seen.said)}</p>' if seen.said else ""
    asked = f"{_verdicts(seen)}{_questions(seen)}"
    if not seen.moves:
        return f'<section class="deed idle" id="deed">{asked}{said}</section>'
    choices = [Choice(number, move) for number, move in enumerate(seen.moves, 1)]
    groups = "".join(
        _group(kind.heading, kind.choices, kind.own, at) for kind in kinds(seen.sitting.variant.game, choices)
    )
    return (
        f'<section class="deed" id="deed" aria-label="what you can do"><form method="post" '
        f'action="{escape(seen.base)}/move"><input type="hidden" name="version" value="{seen.sitting.version}">'
        f'{groups}</form><div id="menu" hidden></div>{asked}{said}</section>'
    )


def _story(seen: Seen) -> str:
    """Return the pages told before the game, until a person has chosen; after a win, its ending and what follows."""
    match = seen.sitting.match
    if not seen.now or seen.sitting.verdicts:
        return ""
    begun = any(step.actor in seen.sitting.people for step in match.steps)
    told = pages(match, "after") if match.over else () if begun else pages(match, "before")
    texts = "".join(
        f"<h2>{escape(title)}</h2>{''.join(f'<p>{escape(text)}</p>' for text in lines)}"
        for title, lines in told
    )
    texts += _what_next(seen)
    return f'<section class="story">{texts}</section>' if texts else ""


def _what_next(seen: Seen) -> str:
    """Return the button that begins the game that follows, with a choice of order where there is one."""
    after = following(seen.sitting.match)
    if after is None or seen.seat is None:
        return ""
    first, order = after.things[: after.ordered], ""
    if 1 < len(first) <= _MOST_ORDERED and not seen.sitting.following:
        ways = "".join(
            f'<option value="{escape(" ".join(way))}">{escape(", ".join(way))}</option>'
            for way in permutations(first)
        )
        order = f'<label>in this order <select name="order">{ways}</select></label>'
    text = "Next chapter" if after.won else "Begin again"
    return f"<p>{escape(what_follows(seen.sitting.match))}.</p>{_form(seen, 'next', f'{order}<button>{text}</button>')}"


def _questions(seen: Seen) -> str:
    """Return a line to ask whether something is allowed. With paper, it can also report what is
    not among the offers."""
    sitting = seen.sitting
    if not seen.now or seen.seat is None or not sitting.asks(seen.seat):
        return ""
    tell = (
        f'<button formaction="{escape(seen.base)}/say">it happened</button>'
        if sitting.paper is not None
        else ""
    )
    return (
        '<div class="ask">'
        + _form(
            seen,
            "may",
            (
                '<input name="words" maxlength="120" aria-label="may I do this? words of an action" '
                f'placeholder="may I …?"><button>may I?</button>{tell}'
            ),
        )
        + "</div>"
    )


def _verdicts(seen: Seen) -> str:
    """With paper: return the question how the game ended, if that depends on cards nobody
    reported."""
    if not seen.now or seen.seat is None or not (found := seen.sitting.verdicts):
        return ""
    buttons = "".join(
        f'<button name="verdict" value="{escape(text)}">{escape(text)}</button>' for text in found
    )
    return f"<p>Cards that nobody told decide this. Count them: how did it end?</p>{_form(seen, 'decide', buttons)}"


def _group(
    heading_: str, choices: Sequence[Choice], own: Sequence[str], at: Mapping[int, Sequence[str]]
) -> str:
    buttons = "".join(
        f'<button name="move" value="{c.move.ident}" data-at="{escape(" ".join(at.get(c.move.ident, ())))}" '
        f'data-text="{escape(c.move.text)}"{_spoken(text, c.move.text)}>{escape(text)}</button>'
        for c, text in zip(choices, own, strict=True)
    )
    return f'<p class="kind">{f"<span>{escape(heading_)}</span>" if heading_ else ""}{buttons}</p>'


def _spoken(short: str, whole: str) -> str:
    return "" if short == whole else f' aria-label="{escape(whole)}"'


def _proposal(seen: Seen) -> str:
    sitting, asked = seen.sitting, seen.sitting.proposal
    if asked is None or not seen.now:
        return ""
    what = {
        "undo": f"go back to step {asked.step}",
        "branch": f"play on from step {asked.step} at a new table",
    }
    text = f"{sitting.name(asked.by)} asks to {what[asked.kind]}"
    waits = [sitting.name(n) for n in sitting.people if n not in asked.agreed and sitting.tokens[n]]
    buttons = ""
    if seen.seat is not None and seen.seat not in asked.agreed:
        buttons = _form(
            seen,
            "agree",
            '<button name="yes" value="1">agree</button><button name="yes" value="0">no</button>',
        )
    return (
        f'<section class="proposal" role="alert"><p>{escape(text)}. Waiting for {escape(", ".join(waits))}.</p>'
        f"{buttons}</section>"
    )


def _branch(seen: Seen) -> str:
    """Return where play goes on, with the reader's own address there and nobody else's."""
    if not seen.sitting.branches or not seen.now:
        return ""
    branch = seen.sitting.branches[-1]
    token = "" if seen.seat is None else branch.tokens[seen.seat]
    own = f' <a href="/t/{escape(branch.ident)}/{escape(token)}">your seat there</a>' if token else ""
    what = (
        "The campaign goes on"
        if branch.ident == seen.sitting.following
        else f"Play goes on from step {branch.step}"
    )
    return f'<section class="branch"><p>{what} at a new table.{own}</p></section>'


def _form(seen: Seen, verb: str, inside: str) -> str:
    return (
        f'<form method="post" action="{escape(seen.base)}/{verb}"><input type="hidden" name="version" '
        f'value="{seen.sitting.version}">{inside}</form>'
    )


# -- log, time, notes -----------------------------------------------------------------------------------------------


def _log(seen: Seen) -> str:
    sitting = seen.sitting
    steps = sitting.match.steps
    last = len(steps) if seen.step is None else seen.step
    first = max(0, last - _LOG)
    rows = "".join(
        _told(seen.memory, n + 1, heard)
        for n in range(last - 1, first - 1, -1)
        for heard in reversed(sitting.heard(n, seen.seat))
    )
    return (
        f'<section class="log"><h2>What happened</h2><ol reversed aria-live="polite">{rows}</ol>'
        f'<p><a href="{escape(seen.base)}/transcript.txt">transcript</a></p></section>'
        if _tells_all(seen)
        else f'<section class="log"><h2>What happened</h2><ol reversed aria-live="polite">{rows}</ol></section>'
    )


@lru_cache(maxsize=_KEPT)
def _told(_: Memory, number: int, heard: Heard) -> str:
    who = f"<b>{escape(heard.who)}</b> " if heard.who else ""
    return f'<li value="{number}" class="of-{heard.actor}">{who}{escape(heard.words)}</li>'


def _tells_all(seen: Seen) -> bool:
    """Return whether a transcript may be given. It holds every card, so nothing may be hidden or
    the game must be over."""
    return seen.sitting.match.over or not seen.sitting.hides


def _time(seen: Seen) -> str:
    sitting = seen.sitting
    last = len(sitting.match.steps)
    if not last:
        return ""
    here = last if seen.step is None else seen.step
    ask = ""
    if seen.seat is not None:
        own = sitting.last_choice(seen.seat)
        if seen.now and own is not None:
            ask += _form(
                seen,
                "propose",
                f'<input type="hidden" name="kind" value="undo"><input type="hidden" '
                f'name="step" value="{own}"><button>undo my last choice</button>',
            )
        if not seen.now:
            for kind, text in (("undo", "go back to here"), ("branch", "play on from here, at a new table")):
                ask += _form(
                    seen,
                    "propose",
                    f'<input type="hidden" name="kind" value="{kind}"><input type="hidden" '
                    f'name="step" value="{here}"><button>{text}</button>',
                )
    return (
        f'<section class="time"><h2>Time</h2><form method="get" action="{escape(seen.base)}" class="slider">'
        f'<label>step <input type="range" name="at" min="0" max="{last}" value="{here}"></label>'
        f"<output>{here}/{last}</output><button>show</button></form>{ask}</section>"
    )


def _notes(seen: Seen) -> str:
    rows = "".join(
        f"<li><b>{escape(note.who)}</b> after {note.step}: {escape(note.text)}</li>"
        for note in seen.sitting.latest_notes
    )
    write = _form(
        seen,
        "note",
        '<input name="text" maxlength="300" aria-label="a note" placeholder="write a note">'
        "<button>note</button>",
    )
    return f'<section class="notes"><h2>Notes</h2><ul>{rows}</ul>{write}</section>'


def _words(scene: Scene | None) -> str:
    """Return the same table in words."""
    if scene is None:
        return ""
    said = [(surface.title, ", ".join(_things(scene, surface)) or "nothing") for surface in scene.surfaces]
    parts = "".join(f"<dt>{escape(title)}</dt><dd>{escape(text)}</dd>" for title, text in said)
    return f'<details class="words"><summary>The table in words</summary><dl>{parts}</dl></details>'


def _things(scene: Scene, surface: Surface) -> Iterator[str]:
    counted: dict[str, int] = {}
    for piece in scene.on(surface):
        where = next((w for w in piece.words[1:] if w != piece.name), "")
        said = f"{piece.name} ({where})" if where else piece.name
        counted[said] = counted.get(said, 0) + (piece.count or 1)
    for said, count in counted.items():
        yield said if count == 1 else f"{count} × {said}"
