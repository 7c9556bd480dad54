"""The workshop: a game's cards, sheets, rulebook and findings in the browser, updated while its
files are edited.

    workshop                       all faces, what is wrong, the files made
    workshop/card/ID               one component, large: old beside new; a click tells file and line
    workshop/card/ID/save          puts a text in the place of its entry in the YAML file
    workshop/sheet/FILE            the pages of a file made
    workshop/live                  its WebSocket: the page again after each save

All these stand below the lobby's secret address, which `site.py` checks.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
from html import escape
from pathlib import Path

import watchfiles
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from playproof.database.components import Component
from playproof.database.errors import InputError
from playproof.generator.png import png_pages
from playproof.generator.preflight.vision import PEOPLE, SIMULATIONS
from playproof.table import card_entry
from playproof.table.editing import SIDES, Edited, Face, inside
from playproof.table.page_updates import Listener, push
from playproof.table.pages import message_page, page
from playproof.table.replies import fields
from playproof.table.sitting import Refused
from playproof.table.workshop_panels import Draft, claims_panel, edit_panel, files_panel, findings_panel

_DEBOUNCE = 120  # ms after a save before files are read
_RESOLUTION = 80.0  # dots per inch of the pages of sheets
_MOST_PAGES = 400
_MOST_SAVED = 400_000  # bytes of a form that saves an entry
_KINDS = {".pdf": "application/pdf", ".svg": "image/svg+xml", ".png": "image/png"}
_FOREVER = "private, max-age=31536000, immutable"


class Workshop:
    """The pages of one edited game, below the address `base`. It calls `refresh` when the game
    has been read again, so that new tables use it."""

    def __init__(self, edited: Edited, refresh: Callable[[], None], base: str) -> None:
        self.edited, self.refresh, self.base = edited, refresh, base
        edited.base = base
        self.listeners: set[Listener] = set()
        self.saved = asyncio.Event()

    def routes(self) -> list[BaseRoute]:
        """Return its routes, of which the first part is for `site.py` to check."""
        below = "/host/{key}/workshop"
        return [
            Route(below, self.shelf),
            Route(f"{below}/card/{{ident}}", self.card),
            Route(f"{below}/card/{{ident}}/save", self.save, methods=["POST"]),
            Route(f"{below}/face/{{ident}}/{{side}}.svg", self.face),
            Route(f"{below}/picture/{{name}}.svg", self.picture),
            Route(f"{below}/lines", self.lines),
            Route(f"{below}/keep", self.keep, methods=["POST"]),
            Route(f"{below}/sheet/{{name}}", self.sheet),
            Route(f"{below}/file/{{name}}", self.file),
            Route(f"{below}/page/{{name}}/{{number}}.png", self.page),
            WebSocketRoute(f"{below}/live", self.live),
        ]

    # -- watching -------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """While the server runs: read, draw, check and build again after each save."""
        stop = asyncio.Event()
        tasks = [asyncio.create_task(self._watch(stop)), asyncio.create_task(self._work())]
        self.saved.set()
        self._ask()
        try:
            yield
        finally:
            stop.set()
            if self.edited.claims is not None:
                self.edited.claims.stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, stop: asyncio.Event) -> None:
        async for _ in watchfiles.awatch(*self.edited.folders, stop_event=stop, debounce=_DEBOUNCE):
            if await asyncio.to_thread(self.edited.read):
                self.refresh()
                self._ask()
                await asyncio.to_thread(self.edited.compare, self.edited.first())
            self._tell()
            self.saved.set()

    def _ask(self) -> None:
        """Ask the claims that the changes touch."""
        if self.edited.claims is not None:
            self.edited.claims.begin(self._tell)

    async def _work(self) -> None:
        """Do the slow work: all other faces, the findings, the files. A save in the meantime
        starts it again."""
        edited = self.edited
        while True:
            await self.saved.wait()
            self.saved.clear()
            for say, work in (
                ("drawing", lambda: edited.compare(list(edited.now.faces()))),
                ("checking", edited.check),
                ("making files", edited.build),
            ):
                edited.busy = say
                self._tell()
                await asyncio.to_thread(work)
                if self.saved.is_set():
                    break
            edited.busy = ""
            self._tell()

    def _tell(self) -> None:
        for listener in self.listeners:
            listener.changed.set()

    async def live(self, socket: WebSocket) -> None:
        """Send the shelf, or the card `?card=`, after each change."""
        ident = socket.query_params.get("card", "")

        async def tell() -> bool:
            await socket.send_text(await asyncio.to_thread(self._main, ident))
            return True

        listener = Listener()
        self.listeners.add(listener)
        try:
            await push(socket, listener, tell)
        finally:
            self.listeners.discard(listener)

    def _main(self, ident: str) -> str:
        if ident in self.edited.now.game.components or ident in self.edited.old.game.components:
            return card_main(self.edited, ident)
        return shelf_main(self.edited)

    # -- pages ----------------------------------------------------------------------------------------------

    async def shelf(self, request: Request) -> Response:
        """Show all faces."""
        return self._answer(f"Workshop: {self.edited.now.game.title}", shelf_main(self.edited))

    async def card(self, request: Request) -> Response:
        """Show one component."""
        ident = request.path_params["ident"]
        if ident not in self.edited.now.game.components and ident not in self.edited.old.game.components:
            return _none()
        return self._answer(f"{ident}: workshop", await asyncio.to_thread(card_main, self.edited, ident))

    async def save(self, request: Request) -> Response:
        """Save a component's entry. A save on top of somebody else's is refused, and shows both texts."""
        component = self.edited.now.game.components.get(request.path_params["ident"])
        if component is None:
            return _none()
        try:
            form = await fields(request, _MOST_SAVED)
            text = form.get("text", "")
            await asyncio.to_thread(card_entry.save, component, form.get("base", ""), text)
        except Refused as error:
            return _html(message_page("Not saved", str(error), f"{self.base}/card/{component.id}"), 400)
        except (card_entry.Conflict, InputError) as error:
            theirs = error.theirs if isinstance(error, card_entry.Conflict) else None
            findings = error.findings if isinstance(error, InputError) else ()
            draft = Draft(text, form.get("base", ""), theirs, tuple(findings))
            main = await asyncio.to_thread(card_main, self.edited, component.id, draft)
            return self._answer(f"{component.id}: not saved", main, 409)
        return RedirectResponse(f"{self.base}/card/{component.id}", 303)

    async def sheet(self, request: Request) -> Response:
        """Show the pages of a file."""
        path = self._made(request)
        if path is None:
            return _none()
        count = min(_MOST_PAGES, await asyncio.to_thread(_count, path))
        stamp, name = path.stat().st_mtime_ns, escape(path.name)
        pictures = "".join(
            f'<img loading="lazy" alt="page {n}" src="{self.base}/page/{name}/{n}.png?{stamp}">'
            for n in range(1, count + 1)
        )
        return self._answer(
            path.name,
            (
                f'<main id="bench" data-base="{self.base}" data-card="" data-still="1"><header><h1>{name}</h1>{_ways()}'
                f'<p><a href="{self.base}">all cards</a> <a href="{self.base}/file/{name}">the file</a></p></header>'
                f'<div class="pages shows">{pictures}</div></main>'
            ),
        )

    def _answer(self, title: str, main: str, status: int = 200) -> Response:
        head = '<link rel="stylesheet" href="/assets/workshop.css"><script src="/assets/workshop.js" defer></script>'
        return _html(page(title, f"{_filters()}{main}", head=head, kind="workshop"), status)

    # -- pictures, files and lines --------------------------------------------------------------------------

    async def face(self, request: Request) -> Response:
        """Return a face as it was before. A changed face has an address with its hash."""
        face = request.path_params["ident"], request.path_params["side"]
        edited = self.edited
        edition = edited.old if edited.old.has(face) else edited.now
        if not edition.has(face):
            return _none()
        name = await asyncio.to_thread(edited.name, edition, face)
        drawing = edited.plain(name)
        return (
            Response(drawing, media_type="image/svg+xml", headers={"cache-control": "no-cache"})
            if drawing
            else _none()
        )

    async def picture(self, request: Request) -> Response:
        """Return a face by the hash of its content."""
        drawing = self.edited.plain(request.path_params["name"])
        return (
            Response(drawing, media_type="image/svg+xml", headers={"cache-control": _FOREVER})
            if drawing
            else _none()
        )

    async def lines(self, request: Request) -> Response:
        """Return the lines of YAML around a place."""
        around = self.edited.lines(request.query_params.get("at", ""))
        return Response(around, media_type="text/plain; charset=utf-8") if around is not None else _none()

    async def keep(self, request: Request) -> Response:
        """Make the present state the one that later states are compared with."""
        self.edited.keep()
        self._tell()
        return RedirectResponse(self.base, 303)

    def _made(self, request: Request) -> Path | None:
        """Return the path of a built file by its name, or None. Nothing else on the disk is
        served."""
        name = request.path_params["name"]
        return next(
            (file.path for file in self.edited.files if file.path.name == name and file.path.is_file()), None
        )

    async def file(self, request: Request) -> Response:
        """Return a built file."""
        path = self._made(request)
        if path is None:
            return _none()
        data = await asyncio.to_thread(path.read_bytes)
        return Response(
            data, media_type=_KINDS.get(path.suffix, "text/plain"), headers={"cache-control": "no-cache"}
        )

    async def page(self, request: Request) -> Response:
        """Return a page of a file as a picture."""
        path, text = self._made(request), request.path_params["number"]
        if path is None or path.suffix != ".pdf" or not re.fullmatch("[0-9]{1,4}", text):
            return _none()
        number = int(text)
        pages = await asyncio.to_thread(_pages, str(path), path.stat().st_mtime_ns)
        if not 1 <= number <= len(pages):
            return _none()
        return Response(pages[number - 1], media_type="image/png", headers={"cache-control": _FOREVER})


# -- what a page shows ----------------------------------------------------------------------------------------------


def shelf_main(edited: Edited) -> str:
    """Return the changing part of the page of all faces."""
    game = edited.now.game
    changed = [ident for ident in game.components if ident in edited.changed]
    kinds = dict.fromkeys(component.kind for component in game.components.values())
    beside = "".join(_beside(edited, game.components[ident]) for ident in changed)
    keep = f'<form method="post" action="{edited.base}/keep"><button>take this as the old</button></form>'
    shelves = "".join(
        f'<section class="kind"><h2>{escape(kind)}</h2><div class="shelf shows">'
        f"{''.join(_on_shelf(edited, c) for c in game.of_kind(kind))}</div></section>"
        for kind in kinds
    )
    return (
        f'<main id="bench" data-base="{edited.base}" data-card="" data-number="{edited.number}">'
        f"<header><h1>{escape(game.title)}</h1>"
        f'<label>search <input type="search" id="search" autocomplete="off"></label>{_ways()}'
        f'<p class="busy" role="status">{escape(edited.busy)}</p></header>'
        f"{findings_panel(edited, edited.findings)}{claims_panel(edited)}{files_panel(edited)}"
        + (
            f'<section class="changed"><h2>Changed: old beside new</h2>{keep}<div class="pairs shows">{beside}</div>'
            "</section>"
            if changed
            else ""
        )
        + f"{shelves}</main>"
    )


def _ways() -> str:
    """Return the controls for how faces are shown."""
    eyes = "".join(f'<option value="see-{name}">as {escape(who)}</option>' for name, who in PEOPLE.items())
    return (
        '<label>seen <select id="eyes"><option value="">as it is</option><option value="see-grey">in grey</option>'
        f'{eyes}</select></label><label>size <select id="size"><option value="">small</option>'
        '<option value="actual">actual size</option></select></label>'
        '<label class="gauge">the bar is 50 mm on this screen <input type="range" id="gauge" min="0.5" max="2.5" '
        'step="0.01" value="1"><svg width="50mm" height="3mm" aria-hidden="true"><rect width="50mm" height="3mm"/>'
        "</svg></label>"
    )


def _filters() -> str:
    """Return SVG filters that simulate colour blindness (Machado and others, 2009). They work on
    linear light, the default of SVG filters."""
    made = []
    for name, matrix in SIMULATIONS.items():
        values = " ".join(f"{a:g} {b:g} {c:g} 0 0" for a, b, c in matrix.tolist())
        made.append(
            f'<filter id="see-{name}"><feColorMatrix type="matrix" values="{values} 0 0 0 1 0"/></filter>'
        )
    return f'<svg class="filters" width="0" height="0" aria-hidden="true"><defs>{"".join(made)}</defs></svg>'


def _on_shelf(edited: Edited, component: Component) -> str:
    sides = [side for side in SIDES if edited.now.has((component.id, side))]
    if not sides:
        return ""
    return (
        f'<figure id="c-{escape(component.id)}" data-words="{escape(edited.now.words(component))}">'
        f'<a href="{edited.base}/card/{escape(component.id)}">{_image(edited, (component.id, sides[0]))}</a>'
        f"<figcaption>{escape(_called(component))}</figcaption></figure>"
    )


def _called(component: Component) -> str:
    """Return the component's id, and its name if it has one of its own."""
    return component.id if component.name == component.id else f"{component.id} {component.name}"


def _image(edited: Edited, face: Face) -> str:
    source = f"{edited.base}/face/{face[0]}/{face[1]}.svg"
    if face[0] in edited.changed and (name := edited.name(edited.now, face)):
        source = f"{edited.base}/picture/{name}.svg"
    return f'<img loading="lazy" src="{escape(source)}" alt="{escape(face[0])} {face[1]}">'


def _beside(edited: Edited, component: Component) -> str:
    """Return the old and the new picture of each side that differs."""
    pairs = []
    for side in SIDES:
        face = component.id, side
        old, new = edited.name(edited.old, face), edited.name(edited.now, face)
        if old != new:
            pictures = f"{_picture(edited, old, 'old')}{_picture(edited, new, 'new')}"
            pairs.append(f'<a href="{edited.base}/card/{escape(component.id)}" class="pair">{pictures}</a>')
    words = escape(edited.now.words(component))
    return f'<figure data-words="{words}">{"".join(pairs)}<figcaption>{escape(component.id)}</figcaption></figure>'


def _picture(edited: Edited, name: str, text: str) -> str:
    return (
        f'<img src="{edited.base}/picture/{name}.svg" alt="{text}">'
        if name
        else f"<span>no {text} one</span>"
    )


def card_main(edited: Edited, ident: str, draft: Draft | None = None) -> str:
    """Return the changing part of a component's page: what is wrong with it, its entry to edit (or a `draft` that was
    not saved), the claims, and each side, old next to new, each part with its source."""
    component = edited.now.game.components.get(ident) or edited.old.game.components[ident]
    parts = []
    for side in SIDES:
        face = ident, side
        old, new = edited.name(edited.old, face), edited.name(edited.now, face)
        if not old and not new:
            continue
        picture = inside(edited.now.svg(face), f"{side}-") if new else "<p>cannot be drawn</p>"
        differs = old != new
        before = (
            f"<figure>{_picture(edited, old, 'old')}<figcaption>old</figcaption></figure>" if differs else ""
        )
        below = f"<figcaption>{'new: ' if differs else ''}click a part</figcaption>"
        parts.append(
            f'<section class="side shows"><h2>{side}</h2><div class="pairs">{before}<figure class="live">'
            f"{picture}{below}</figure></div></section>"
        )
    entry = card_entry.entry_of(component)
    wrong = findings_panel(edited, edited.about(component, entry), good="nothing is wrong with this card")
    place = escape(str(component.where))
    return (
        f'<main id="bench" data-base="{edited.base}" data-card="{escape(ident)}" data-number="{edited.number}">'
        f'<header><h1>{escape(_called(component))}</h1>{_ways()}<p><a href="{edited.base}">all cards</a></p>'
        f'<p><button class="place" data-place="{place}">{place}</button></p>'
        f'<p class="busy" role="status">{escape(edited.busy)}</p></header>'
        f"{edit_panel(edited, component.id, entry, draft)}{wrong}{claims_panel(edited)}"
        f"{''.join(parts)}</main>"
    )


# -- small things ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _pages(path: str, _: int) -> tuple[bytes, ...]:
    """Return all pages of a file as pictures. The second argument is the file's time of writing,
    for the cache."""
    return tuple(png_pages(Path(path).read_bytes(), _RESOLUTION))


def _count(path: Path) -> int:
    return len(_pages(str(path), path.stat().st_mtime_ns)) if path.suffix == ".pdf" else 0


def _html(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html", headers={"cache-control": "no-store"})


def _none() -> Response:
    return Response("there is nothing here\n", 404, media_type="text/plain")
