"""The workshop: a game's cards, sheets, rulebook and findings in the browser, with panels of claims
and of an entry to edit, updated while its files are edited.

    workshop                       all faces, what is wrong, the files made
    workshop/card/ID               one component, large: old beside new; a click tells file and line
    workshop/card/ID/save          puts a text in the place of its entry in the YAML file
    workshop/sheet/FILE            the pages of a file made
    workshop/live                  its WebSocket: the page again after each save

All these stand below the lobby's secret address, which `web_app.py` checks."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path

import watchfiles
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from playproof.database.components import Component
from playproof.database.errors import Finding, InputError
from playproof.generator.exports.raster import iter_pdf_pages_as_png
from playproof.generator.preflight.colour_vision import PEOPLE, SIMULATIONS
from playproof.table import edited_game
from playproof.table.claim_watch import ClaimAnswer
from playproof.table.edited_game import SIDES, ComponentEntry, EditedGame, FaceKey, make_svg_embeddable
from playproof.table.pages import render_html_page, render_message_page_html
from playproof.table.session_seats import RequestRefused
from playproof.table.web_exchange import Listener, push_updates_until_browser_leaves, read_form_fields_or_refuse

# The workshop: a game's cards, sheets, rulebook and findings in the browser, updated while its files are
# edited.

_DEBOUNCE = 120  # ms after a save before files are read
_RESOLUTION = 80.0  # dots per inch of the pages of sheets
_MOST_PAGES = 400
_MOST_SAVED = 400_000  # bytes of a form that saves an entry
_KINDS = {".pdf": "application/pdf", ".svg": "image/svg+xml", ".png": "image/png"}
_FOREVER = "private, max-age=31536000, immutable"


class Workshop:
    """The pages of one edited game, below the address `base`. It calls `refresh` when the game
    has been read again, so that new tables use it."""

    def __init__(self, edited: EditedGame, refresh: Callable[[], None], base: str) -> None:
        self.edited, self.refresh, self.base = edited, refresh, base
        edited.base = base
        self.listeners: set[Listener] = set()
        self.saved = asyncio.Event()

    def make_routes(self) -> list[BaseRoute]:
        """Return its routes, of which the first part is for `web_app.py` to check."""
        below = "/host/{key}/workshop"
        return [
            Route(below, self.respond_with_page_of_all_faces),
            Route(f"{below}/card/{{ident}}", self.respond_with_card_page),
            Route(f"{below}/card/{{ident}}/save", self.save_posted_card_entry, methods=["POST"]),
            Route(f"{below}/face/{{ident}}/{{side}}.svg", self.respond_with_old_face_svg),
            Route(f"{below}/picture/{{name}}.svg", self.respond_with_face_svg_by_hash),
            Route(f"{below}/lines", self.respond_with_yaml_lines_around_place),
            Route(f"{below}/keep", self.make_present_state_baseline_for_comparison, methods=["POST"]),
            Route(f"{below}/sheet/{{name}}", self.respond_with_pages_of_built_file),
            Route(f"{below}/file/{{name}}", self.respond_with_built_file),
            Route(f"{below}/page/{{name}}/{{number}}.png", self.respond_with_page_png),
            WebSocketRoute(f"{below}/live", self.push_changed_html_over_websocket),
        ]

    # -- watching -------------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def run_background_work_while_serving(self) -> AsyncIterator[None]:
        """While the server runs: read, draw, check and build again after each save."""
        stop = asyncio.Event()
        tasks = [
            asyncio.create_task(self._reload_and_redraw_after_each_save(stop)),
            asyncio.create_task(self._draw_check_and_build_after_each_save()),
        ]
        self.saved.set()
        self._start_asking_touched_claims()
        try:
            yield
        finally:
            stop.set()
            if self.edited.claims is not None:
                self.edited.claims.stop_asking_claims()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _reload_and_redraw_after_each_save(self, stop_event: asyncio.Event) -> None:
        async for _ in watchfiles.awatch(*self.edited.folders, stop_event=stop_event, debounce=_DEBOUNCE):
            if await asyncio.to_thread(self.edited.reload_files_keeping_last_readable):
                self.refresh()
                self._start_asking_touched_claims()
                await asyncio.to_thread(
                    self.edited.draw_faces_and_note_changed_components,
                    self.edited.list_faces_of_changed_components(),
                )
            self._tell_browsers_of_change()
            self.saved.set()

    def _start_asking_touched_claims(self) -> None:
        """Ask the claims that the changes touch."""
        if self.edited.claims is not None:
            self.edited.claims.start_process_asking_touched_claims(self._tell_browsers_of_change)

    async def _draw_check_and_build_after_each_save(self) -> None:
        """Do the slow work: all other faces, the findings, the files. A save in the meantime
        starts it again."""
        edited = self.edited
        while True:
            await self.saved.wait()
            self.saved.clear()
            for say, work in (
                (
                    "drawing",
                    lambda: edited.draw_faces_and_note_changed_components(list(edited.now.iter_printed_faces())),
                ),
                ("checking", edited.store_lint_and_drawing_findings),
                ("making files", edited.build_outdated_print_files),
            ):
                edited.busy = say
                self._tell_browsers_of_change()
                await asyncio.to_thread(work)
                if self.saved.is_set():
                    break
            edited.busy = ""
            self._tell_browsers_of_change()

    def _tell_browsers_of_change(self) -> None:
        for listener in self.listeners:
            listener.changed.set()

    async def push_changed_html_over_websocket(self, socket: WebSocket) -> None:
        """Send the shelf, or the card `?card=`, after each change."""
        ident = socket.query_params.get("card", "")

        async def tell() -> bool:
            await socket.send_text(await asyncio.to_thread(self._render_card_or_shelf_html, ident))
            return True

        listener = Listener()
        self.listeners.add(listener)
        try:
            await push_updates_until_browser_leaves(socket, listener, tell)
        finally:
            self.listeners.discard(listener)

    def _render_card_or_shelf_html(self, component_id: str) -> str:
        if component_id in self.edited.now.game.components or component_id in self.edited.old.game.components:
            return render_card_details_html(self.edited, component_id)
        return render_all_faces_html(self.edited)

    # -- pages ----------------------------------------------------------------------------------------------

    async def respond_with_page_of_all_faces(self, request: Request) -> Response:
        """Show all faces."""
        return self._make_workshop_page_response(
            f"Workshop: {self.edited.now.game.title}", render_all_faces_html(self.edited)
        )

    async def respond_with_card_page(self, request: Request) -> Response:
        """Show one component."""
        ident = request.path_params["ident"]
        if ident not in self.edited.now.game.components and ident not in self.edited.old.game.components:
            return _make_not_found_response()
        return self._make_workshop_page_response(
            f"{ident}: workshop", await asyncio.to_thread(render_card_details_html, self.edited, ident)
        )

    async def save_posted_card_entry(self, request: Request) -> Response:
        """Save a component's entry. A save on top of somebody else's is refused, and shows both texts."""
        component = self.edited.now.game.components.get(request.path_params["ident"])
        if component is None:
            return _make_not_found_response()
        try:
            form = await read_form_fields_or_refuse(request, _MOST_SAVED)
            text = form.get("text", "")
            await asyncio.to_thread(
                edited_game.replace_yaml_entry_or_raise_conflict, component, form.get("base", ""), text
            )
        except RequestRefused as error:
            return _make_html_response(
                render_message_page_html("Not saved", str(error), f"{self.base}/card/{component.id}"), 400
            )
        except (edited_game.SaveConflict, InputError) as error:
            theirs = error.theirs if isinstance(error, edited_game.SaveConflict) else None
            findings = error.findings if isinstance(error, InputError) else ()
            draft = UnsavedDraft(text, form.get("base", ""), theirs, tuple(findings))
            main = await asyncio.to_thread(render_card_details_html, self.edited, component.id, draft)
            return self._make_workshop_page_response(f"{component.id}: not saved", main, 409)
        return RedirectResponse(f"{self.base}/card/{component.id}", 303)

    async def respond_with_pages_of_built_file(self, request: Request) -> Response:
        """Show the pages of a file."""
        path = self._find_built_file(request)
        if path is None:
            return _make_not_found_response()
        count = min(_MOST_PAGES, await asyncio.to_thread(_count_pages_or_zero_unless_pdf, path))
        stamp, name = path.stat().st_mtime_ns, escape(path.name)
        pictures = "".join(
            f'<img loading="lazy" alt="page {n}" src="{self.base}/page/{name}/{n}.png?{stamp}">'
            for n in range(1, count + 1)
        )
        return self._make_workshop_page_response(
            path.name,
            (
                f'<main id="bench" data-base="{self.base}" data-card="" data-still="1">'
                f"<header><h1>{name}</h1>{_render_view_controls_html()}"
                f'<p><a href="{self.base}">all cards</a> <a href="{self.base}/file/{name}">the file</a></p></header>'
                f'<div class="pages shows">{pictures}</div></main>'
            ),
        )

    def _make_workshop_page_response(self, title: str, main_html: str, status: int = 200) -> Response:
        head = '<link rel="stylesheet" href="/assets/workshop.css"><script src="/assets/workshop.js" defer></script>'
        return _make_html_response(
            render_html_page(
                title, f"{_render_colour_blindness_filters_svg()}{main_html}", head_html=head, body_class="workshop"
            ),
            status,
        )

    # -- pictures, files and lines --------------------------------------------------------------------------

    async def respond_with_old_face_svg(self, request: Request) -> Response:
        """Return a face as it was before. A changed face has an address with its hash."""
        face = request.path_params["ident"], request.path_params["side"]
        edited = self.edited
        edition = edited.old if edited.old.has_printed_face(face) else edited.now
        if not edition.has_printed_face(face):
            return _make_not_found_response()
        name = await asyncio.to_thread(edited.get_picture_hash_of_face_or_empty, edition, face)
        drawing = edited.get_svg_by_picture_hash(name)
        return (
            Response(drawing, media_type="image/svg+xml", headers={"cache-control": "no-cache"})
            if drawing
            else _make_not_found_response()
        )

    async def respond_with_face_svg_by_hash(self, request: Request) -> Response:
        """Return a face by the hash of its content."""
        drawing = self.edited.get_svg_by_picture_hash(request.path_params["name"])
        return (
            Response(drawing, media_type="image/svg+xml", headers={"cache-control": _FOREVER})
            if drawing
            else _make_not_found_response()
        )

    async def respond_with_yaml_lines_around_place(self, request: Request) -> Response:
        """Return the lines of YAML around a place."""
        around = self.edited.read_yaml_lines_around_place(request.query_params.get("at", ""))
        return (
            Response(around, media_type="text/plain; charset=utf-8")
            if around is not None
            else _make_not_found_response()
        )

    async def make_present_state_baseline_for_comparison(self, request: Request) -> Response:
        """Make the present state the one that later states are compared with."""
        self.edited.make_present_state_the_baseline()
        self._tell_browsers_of_change()
        return RedirectResponse(self.base, 303)

    def _find_built_file(self, request: Request) -> Path | None:
        """Return the path of a built file by its name, or None. Nothing else on the disk is
        served."""
        name = request.path_params["name"]
        return next((file.path for file in self.edited.files if file.path.name == name and file.path.is_file()), None)

    async def respond_with_built_file(self, request: Request) -> Response:
        """Return a built file."""
        path = self._find_built_file(request)
        if path is None:
            return _make_not_found_response()
        data = await asyncio.to_thread(path.read_bytes)
        return Response(data, media_type=_KINDS.get(path.suffix, "text/plain"), headers={"cache-control": "no-cache"})

    async def respond_with_page_png(self, request: Request) -> Response:
        """Return a page of a file as a picture."""
        path, text = self._find_built_file(request), request.path_params["number"]
        if path is None or path.suffix != ".pdf" or not re.fullmatch("[0-9]{1,4}", text):
            return _make_not_found_response()
        number = int(text)
        pages = await asyncio.to_thread(_render_pdf_pages_to_cached_pngs, str(path), path.stat().st_mtime_ns)
        if not 1 <= number <= len(pages):
            return _make_not_found_response()
        return Response(pages[number - 1], media_type="image/png", headers={"cache-control": _FOREVER})


# -- what a page shows ----------------------------------------------------------------------------------------------


def render_all_faces_html(edited: EditedGame) -> str:
    """Return the changing part of the page of all faces."""
    game = edited.now.game
    changed = [ident for ident in game.components if ident in edited.changed]
    kinds = dict.fromkeys(component.kind for component in game.components.values())
    beside = "".join(_render_changed_sides_old_beside_new(edited, game.components[ident]) for ident in changed)
    keep = f'<form method="post" action="{edited.base}/keep"><button>take this as the old</button></form>'
    shelves = "".join(
        f'<section class="kind"><h2>{escape(kind)}</h2><div class="shelf shows">'
        f"{''.join(_render_component_figure_or_empty_html(edited, c) for c in game.of_kind(kind))}</div></section>"
        for kind in kinds
    )
    return (
        f'<main id="bench" data-base="{edited.base}" data-card="" data-number="{edited.number}">'
        f"<header><h1>{escape(game.title)}</h1>"
        f'<label>search <input type="search" id="search" autocomplete="off"></label>{_render_view_controls_html()}'
        f'<p class="busy" role="status">{escape(edited.busy)}</p></header>'
        f"{render_findings_panel_html(edited, edited.findings)}{render_touched_claims_or_empty_html(edited)}"
        f"{render_built_files_or_empty_html(edited)}"
        + (
            f'<section class="changed"><h2>Changed: old beside new</h2>{keep}<div class="pairs shows">{beside}</div>'
            "</section>"
            if changed
            else ""
        )
        + f"{shelves}</main>"
    )


def _render_view_controls_html() -> str:
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


def _render_colour_blindness_filters_svg() -> str:
    """Return SVG filters that simulate colour blindness (Machado and others, 2009). They work on
    linear light, the default of SVG filters."""
    made = []
    for name, matrix in SIMULATIONS.items():
        values = " ".join(f"{a:g} {b:g} {c:g} 0 0" for a, b, c in matrix.tolist())
        made.append(f'<filter id="see-{name}"><feColorMatrix type="matrix" values="{values} 0 0 0 1 0"/></filter>')
    return f'<svg class="filters" width="0" height="0" aria-hidden="true"><defs>{"".join(made)}</defs></svg>'


def _render_component_figure_or_empty_html(edited: EditedGame, component: Component) -> str:
    sides = [side for side in SIDES if edited.now.has_printed_face((component.id, side))]
    if not sides:
        return ""
    return (
        f'<figure id="c-{escape(component.id)}" data-words="'
        f'{escape(edited.now.make_search_words_of_component(component))}">'
        f'<a href="{edited.base}/card/{escape(component.id)}">'
        f"{_render_face_img_tag(edited, (component.id, sides[0]))}</a>"
        f"<figcaption>{escape(_format_component_id_and_name(component))}</figcaption></figure>"
    )


def _format_component_id_and_name(component: Component) -> str:
    """Return the component's id, and its name if it has one of its own."""
    return component.id if component.name == component.id else f"{component.id} {component.name}"


def _render_face_img_tag(edited: EditedGame, face: FaceKey) -> str:
    source = f"{edited.base}/face/{face[0]}/{face[1]}.svg"
    if face[0] in edited.changed and (name := edited.get_picture_hash_of_face_or_empty(edited.now, face)):
        source = f"{edited.base}/picture/{name}.svg"
    return f'<img loading="lazy" src="{escape(source)}" alt="{escape(face[0])} {face[1]}">'


def _render_changed_sides_old_beside_new(edited: EditedGame, component: Component) -> str:
    """Return the old and the new picture of each side that differs."""
    pairs = []
    for side in SIDES:
        face = component.id, side
        old, new = (
            edited.get_picture_hash_of_face_or_empty(edited.old, face),
            edited.get_picture_hash_of_face_or_empty(edited.now, face),
        )
        if old != new:
            pictures = f"{_render_picture_img_tag(edited, old, 'old')}{_render_picture_img_tag(edited, new, 'new')}"
            pairs.append(f'<a href="{edited.base}/card/{escape(component.id)}" class="pair">{pictures}</a>')
    words = escape(edited.now.make_search_words_of_component(component))
    return f'<figure data-words="{words}">{"".join(pairs)}<figcaption>{escape(component.id)}</figcaption></figure>'


def _render_picture_img_tag(edited: EditedGame, picture_hash: str, old_or_new: str) -> str:
    return (
        f'<img src="{edited.base}/picture/{picture_hash}.svg" alt="{old_or_new}">'
        if picture_hash
        else f"<span>no {old_or_new} one</span>"
    )


def render_card_details_html(edited: EditedGame, component_id: str, draft: UnsavedDraft | None = None) -> str:
    """Return the changing part of a component's page: what is wrong with it, its entry to edit (or a `draft` that was
    not saved), the claims, and each side, old next to new, each part with its source."""
    component = edited.now.game.components.get(component_id) or edited.old.game.components[component_id]
    parts = []
    for side in SIDES:
        face = component_id, side
        old, new = (
            edited.get_picture_hash_of_face_or_empty(edited.old, face),
            edited.get_picture_hash_of_face_or_empty(edited.now, face),
        )
        if not old and not new:
            continue
        picture = (
            make_svg_embeddable(edited.now.get_face_svg_or_empty(face), f"{side}-") if new else "<p>cannot be drawn</p>"
        )
        differs = old != new
        before = (
            f"<figure>{_render_picture_img_tag(edited, old, 'old')}<figcaption>old</figcaption></figure>"
            if differs
            else ""
        )
        below = f"<figcaption>{'new: ' if differs else ''}click a part</figcaption>"
        parts.append(
            f'<section class="side shows"><h2>{side}</h2><div class="pairs">{before}<figure class="live">'
            f"{picture}{below}</figure></div></section>"
        )
    entry = edited_game.read_yaml_entry_of_component(component)
    wrong = render_findings_panel_html(
        edited, edited.list_findings_about(component, entry), no_findings_text="nothing is wrong with this card"
    )
    place = escape(str(component.where))
    return (
        f'<main id="bench" data-base="{edited.base}" data-card="{escape(component_id)}" data-number="{edited.number}">'
        f"<header><h1>{escape(_format_component_id_and_name(component))}</h1>{_render_view_controls_html()}"
        f'<p><a href="{edited.base}">all cards</a></p>'
        f'<p><button class="place" data-place="{place}">{place}</button></p>'
        f'<p class="busy" role="status">{escape(edited.busy)}</p></header>'
        f"{render_edit_panel_html(edited, component.id, entry, draft)}{wrong}"
        f"{render_touched_claims_or_empty_html(edited)}"
        f"{''.join(parts)}</main>"
    )


# -- pages as pictures ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _render_pdf_pages_to_cached_pngs(pdf_path: str, modification_time: int) -> tuple[bytes, ...]:
    """Return all pages of a file as pictures. The cache tells two writings of it apart by their time."""
    return tuple(iter_pdf_pages_as_png(Path(pdf_path).read_bytes(), _RESOLUTION))


def _count_pages_or_zero_unless_pdf(built_file: Path) -> int:
    return (
        len(_render_pdf_pages_to_cached_pngs(str(built_file), built_file.stat().st_mtime_ns))
        if built_file.suffix == ".pdf"
        else 0
    )


def _make_html_response(html: str, status: int = 200) -> Response:
    return Response(html, status, media_type="text/html", headers={"cache-control": "no-store"})


def _make_not_found_response() -> Response:
    return Response("there is nothing here\n", 404, media_type="text/plain")


# -- workshop panels -----------------------------------------------------------------------------------------
# The panels of the workshop's pages: what is wrong, the claims that a change touches, an entry to edit,
# files made.

_MOST = 60  # findings in sight


@dataclass(frozen=True)
class UnsavedDraft:
    """A text that was not saved: made from the text with the digest `base`. `theirs` is what somebody else saved
    meanwhile; else `findings` says why the file would not be readable."""

    text: str
    base: str
    theirs: ComponentEntry | None
    findings: tuple[Finding, ...]


def render_findings_panel_html(
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
        f"{''.join(_render_finding_html(each) for each in findings[:_MOST])}</ul>"
        f"{f'<p>and {more} more</p>' if more > 0 else ''}</section>"
    )


def _render_finding_html(finding: Finding) -> str:
    place = escape(str(finding.where))
    return (
        f'<li class="{finding.severity}"><button class="place" data-place="{place}">{place}</button> '
        f"<b>{escape(finding.code)}</b> {escape(finding.message)}"
        f"{f' ({escape(finding.hint)})' if finding.hint else ''}</li>"
    )


def render_built_files_or_empty_html(edited: EditedGame) -> str:
    """Return the print files that were made."""
    rows = "".join(
        f'<li><a href="{edited.base}/sheet/{escape(file.path.name)}">{escape(file.path.name)}</a> {file.pages} pages, '
        f"{'made' if file.rebuilt else 'current'}{f': {escape(file.note)}' if file.note else ''}</li>"
        for file in edited.files
    )
    if not rows:
        return ""
    return f'<details class="files" id="files"><summary>Sheets and rulebook</summary><ul>{rows}</ul></details>'


def render_touched_claims_or_empty_html(edited: EditedGame) -> str:
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
        + (f"<ul>{''.join(_render_claim_answer_html(each) for each in wrong)}</ul>" if wrong else "")
        + (
            f'<details id="claims-hold"><summary>{len(hold)} hold</summary>'
            f"<ul>{''.join(_render_claim_answer_html(each) for each in hold)}</ul></details>"
            if hold
            else ""
        )
        + "</section>"
    )


def _render_claim_answer_html(answer: ClaimAnswer) -> str:
    says = f" {escape(answer.says)}" if answer.says else ""
    return (
        f'<li class="{answer.verdict.lower()}"><b>{answer.verdict}</b> <code>{escape(answer.ident)}</code>{says} '
        f"<i>{escape(answer.value)}</i></li>"
    )


def render_edit_panel_html(
    edited: EditedGame, component_id: str, yaml_entry: ComponentEntry | None, draft: UnsavedDraft | None
) -> str:
    """Return the form that edits a component's entry, and what became of a draft that was not saved."""
    if yaml_entry is None:
        return (
            '<section class="edit" id="edit"><p>The lines of this card cannot be read now, or do not stand in a YAML '
            "file by themselves. Edit the file that the place above names.</p></section>"
            if draft is None
            else _render_edit_form_html(edited, component_id, draft.text, draft.base, draft, "")
        )
    if draft is None:
        return _render_edit_form_html(edited, component_id, yaml_entry.text, yaml_entry.digest, None, yaml_entry.digest)
    # Whoever saves again has seen the other text, so the save stands on that.
    base = draft.theirs.digest if draft.theirs is not None else draft.base
    return _render_edit_form_html(edited, component_id, draft.text, base, draft, yaml_entry.digest)


def _render_edit_form_html(
    edited: EditedGame,
    component_id: str,
    yaml_text: str,
    base_digest: str,
    draft: UnsavedDraft | None,
    current_digest: str,
) -> str:
    rows = min(24, yaml_text.count("\n") + 2)
    why, save = "", "save"
    if draft is not None and draft.theirs is not None:
        save = "save mine in its place"
        why = (
            '<div class="refused" role="alert"><p><b>Not saved:</b> somebody saved this card after you began. '
            "This is their text, which the file holds now; yours is below it. "
            f'<a href="{edited.base}/card/{escape(component_id)}">take theirs</a></p>'
            f'<pre id="theirs">{escape(draft.theirs.text)}</pre></div>'
        )
    elif draft is not None:
        rows_of = "".join(_render_finding_html(each) for each in draft.findings)
        why = f'<div class="refused" role="alert"><p><b>Not saved:</b></p><ul>{rows_of}</ul></div>'
    return (
        f'<details class="edit" id="edit" data-now="{current_digest}"{" open" if draft else ""}>'
        "<summary>Edit this entry</summary>"
        f'<form method="post" action="{edited.base}/card/{escape(component_id)}/save"{" data-draft" if draft else ""}>'
        f'{why}<input type="hidden" name="base" value="{escape(base_digest)}">'
        f'<label for="entry">the lines of <code>{escape(component_id)}</code></label>'
        f'<textarea id="entry" name="text" rows="{rows}" spellcheck="false">\n{escape(yaml_text)}</textarea>'
        '<p class="stale" role="status" hidden>Somebody has saved this card since you began. Your save will be '
        "refused, and show you both texts.</p>"
        f"<p><button>{save}</button></p></form></details>"
    )
