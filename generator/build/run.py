"""`build`: make a game's files, and again whenever a card or a layout is saved (`--watch`). It leaves
current files alone, and writes nothing before all is made."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple

from playproof.database.components import Component
from playproof.database.errors import Finding, FindingCollector, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.files import (
    claim_output_folder_or_raise_if_taken,
    format_json_bytes,
    make_relative_path_to_game,
    refuse_output_folders_of_other_games,
    write_file_atomically,
)
from playproof.database.game import Game, load_game
from playproof.database.process_memory import pause_garbage_collection_and_freeze_objects
from playproof.database.source import enable_cache_of_parsed_files
from playproof.generator.art.picture_files import PICTURE_SUFFIXES
from playproof.generator.build.file_jobs import FileJob, JobResult, run_jobs_and_iter_results_in_order
from playproof.generator.build.press import Press
from playproof.generator.build.print_jobs import PREVIEW, PRINT_ME, BookletJobFactory, SheetJobFactory
from playproof.generator.build.products import Product
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.papercraft import CardStock
from playproof.generator.papercraft.paper_models import COMMON
from playproof.generator.sheets import Printer, parse_paper_name_or_size_or_raise, select_ids_named_in_text_or_raise
from playproof.generator.type.fonts import use_fonts_as_default_within

if TYPE_CHECKING:
    from playproof.generator.book.play_interface import RecordedGamePlayer


# `build`: make a game's files. It leaves current files alone, and writes nothing before all is drawn.
# Beside the files lies a manifest: what each was made from.

Progress = Callable[[str, int, int], None]


class BuiltFile(NamedTuple):
    """One file: its path, its pages and cards, the CPU seconds spent, whether it was made anew, and
    a note."""

    path: FilePath
    pages: int
    cards: int
    seconds: float
    rebuilt: bool
    note: str = ""


def build(
    game: Game,
    out: FilePath,
    *,
    papers: Sequence[str] = ("A4", "Letter"),
    languages: Sequence[str] | None = None,
    only: str | None = None,
    products: Sequence[str] | None = None,
    sheet: str | None = None,
    formats: Sequence[str] = ("pdf",),
    printer: Printer | None = None,
    looks: LayoutRenderer | None = None,
    force: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
    note: str = "",
    stock: CardStock = COMMON,
    removed: Callable[[FilePath], None] | None = None,
    missing: Callable[[Finding], None] | None = None,
    plays: RecordedGamePlayer | None = None,
    keep_going: bool = False,
    picture_dpi: float | None = None,
    face_dpi: float = PREVIEW,
    names_rules: bool = False,
) -> list[BuiltFile]:
    """Make a game's print files below ``out``; returns every file, rebuilt or not.

    ``languages`` None is the game's first; ``only`` selects components (``101-110,H01``), ``sheet`` overrides the
    products' sheet plans, ``formats`` adds one SVG and one PNG a face, and a showcase picture; ``note`` is printed in
    the margin of every sheet (an erratum's version and date); ``stock`` is what cards are made of, which makes boxes
    deeper; ``workers`` None takes the cores that the work is worth; ``removed`` hears of each file that went because
    its product or component is gone, ``missing`` of each picture in whose place a frame is printed; ``plays`` plays the
    examples of rulebooks. Raises InputError with all that is wrong, before anything is written. With ``keep_going`` the
    components that cannot be drawn are left out, each sheet of the others says so, and ``missing`` hears why.
    ``picture_dpi`` is the dots to the inch that large photographs are scaled to in sheets and booklets, None the usual
    300, 0 none; ``face_dpi`` are those of faces as PNG. ``names_rules`` prints the ids of rules in the margins of
    rulebooks.
    """
    builder = Builder(
        game,
        out,
        looks=looks,
        printer=printer,
        note=note,
        plays=plays,
        stock=stock,
        keep_going=keep_going,
        picture_dpi=picture_dpi,
    )
    builder.sheets.face_dpi = face_dpi
    builder.books.names_rules = names_rules
    jobs = builder.list_file_jobs_or_raise(
        papers=papers, languages=languages, only=only, products=products, sheet=sheet, formats=formats
    )
    files = builder.update_output_folder_and_report_files(jobs, force, progress, workers)
    if removed is not None:
        for path in builder.removed:
            removed(path)
    if missing is not None:
        for finding in builder.missing:
            missing(finding)
    return files


def _refuse_unknown_products_and_languages(
    builder: Builder, products: Sequence[str] | None, languages: Sequence[str]
) -> None:
    """Raise InputError if the game does not have one of the products or languages."""
    collector = FindingCollector()
    for name in products or ():
        product_names = [product.name for product in builder.press.products]
        if name not in product_names:
            hint = make_nearest_or_possible_words_hint(name, product_names)
            collector.add_finding("PP513", Where("--product"), f'the game has no product "{name}"', hint)
    for language in languages:
        if language not in builder.press.game.languages:
            hint = make_nearest_or_possible_words_hint(language, builder.press.game.languages)
            collector.add_finding("PP514", Where("--language"), f'the game is not written in "{language}"', hint)
    collector.raise_if_errors()


class Builder:
    """Builds one game into one folder: its press draws, its sheets and books say which files to make. A
    builder that is kept draws only the cards that changed."""

    def __init__(
        self,
        game: Game,
        out: FilePath,
        *,
        looks: LayoutRenderer | None = None,
        printer: Printer | None = None,
        note: str = "",
        plays: RecordedGamePlayer | None = None,
        stock: CardStock = COMMON,
        keep_going: bool = False,
        picture_dpi: float | None = None,
    ) -> None:
        """Read the products of `build.yaml`. Raises InputError with every mistake in it."""
        self.out = out
        self.keep_going = keep_going
        self.press = Press(game, looks=looks, stock=stock, picture_dpi=picture_dpi)
        self.sheets = SheetJobFactory(self.press, out, printer=printer, note=note)
        self.books = BookletJobFactory(self.press, out, plays=plays)
        self.missing: tuple[Finding, ...] = ()  # of pictures that the last run has not found
        self.removed: list[FilePath] = []  # files of products no longer made, which the last run took away

    def reload_game_and_list_changed_ids(self) -> list[str]:
        """Read the game's folder again. Return the ids of components that now print differently.

        Raises InputError if the game is wrong now, and keeps the old game.
        """
        with pause_garbage_collection_and_freeze_objects():
            before = self._hash_printed_content_by_id()
            self.press.replace_game_by_newer_reading(load_game(self.press.game.folder))
            return [
                ident for ident, print_ in self._hash_printed_content_by_id().items() if print_ != before.get(ident)
            ]

    def _hash_printed_content_by_id(self) -> dict[str, str]:
        """Return the hash of what is printed of each component, by its id."""
        return {
            ident: self.press.hash_printed_content_with_mark(card) for ident, card in self.press.game.components.items()
        }

    def list_file_jobs_or_raise(
        self,
        *,
        papers: Sequence[str] = ("A4", "Letter"),
        languages: Sequence[str] | None = None,
        only: str | None = None,
        products: Sequence[str] | None = None,
        sheet: str | None = None,
        formats: Sequence[str] = ("pdf",),
    ) -> list[FileJob]:
        """Return the jobs for the files to make; the parameters are those of `build`. Raises
        InputError if the game lacks what they name."""
        languages = languages or self.press.game.languages[:1]
        _refuse_unknown_products_and_languages(self, products, languages)
        if self.keep_going:
            self.press.record_unprintable_component_findings(
                languages, [parse_paper_name_or_size_or_raise(name) for name in papers]
            )
            if self.press.game.components.keys() <= self.press.left_out.keys():
                raise InputError([fault for faults in self.press.left_out.values() for fault in faults])
        chosen = self.select_unboxed_products_with_components(products, only)
        if only is not None and not chosen:
            request = f"{only} in {', '.join(products)}" if products else only
            message = f"nothing of {request} is in a product that can be printed"
            raise InputError.from_single_finding("PP549", Where("--only"), message)
        jobs: list[FileJob] = []
        if "pdf" in formats:
            if only is None:
                jobs += self._list_booklet_jobs(products, papers, languages, sheet)
                chosen_for_sheets = [*chosen, *self.select_tuckbox_products_with_cards(products)]
            else:
                chosen_for_sheets = chosen
            for language, (product, cards), page in itertools.product(languages, chosen_for_sheets, papers):
                jobs.append(
                    self.sheets.create_sheets_job_with_fallback_plan(
                        product, cards, page, language, sheet, only is not None
                    )
                )
                if only is None:
                    jobs += self.sheets.create_cutting_machine_jobs_or_empty(product, cards, page, language, sheet)
            if only is None and not products and sheet is None and self._has_several_products_to_print():
                for language, page in itertools.product(languages, papers):
                    jobs.append(self.sheets.create_job_for_file_of_all_products(page, language))
        for language, (_, cards) in itertools.product(languages, chosen):
            jobs += self.sheets.create_single_face_picture_jobs(
                cards, language, formats, self.press.is_low_ink_plan(sheet)
            )
        if "showcase" in formats:
            hands = [
                job
                for language in languages
                if (job := self.sheets.create_hand_picture_job_or_none(chosen, language)) is not None
            ]
            if not hands:
                message = "nothing of this is a card that lies in a hand: upright, flat, 50 to 125 mm high"
                raise InputError.from_single_finding("PP549", Where("--format showcase"), message)
            jobs += hands
        return jobs

    def _list_booklet_jobs(
        self, product_names: Sequence[str] | None, papers: Sequence[str], languages: Sequence[str], sheet: str | None
    ) -> list[FileJob]:
        """Return the jobs for the booklets among the products asked for."""
        books = [
            book for book in self.press.products if book.book and (not product_names or book.name in product_names)
        ]
        jobs: list[FileJob] = []
        for language, book in itertools.product(languages, books):
            jobs += self.books.create_booklet_jobs(book, papers, language, sheet)
        return jobs

    def _has_several_products_to_print(self) -> bool:
        """Return whether there is more than one product to print, so that one file of all of them
        saves work."""
        return len([product for product in self.press.products if product.book is None]) > 1

    def select_unboxed_products_with_components(
        self, product_names: Sequence[str] | None, component_selection: str | None
    ) -> list[tuple[Product, tuple[Component, ...]]]:
        """Return the products asked for, each with the components asked for. Products without such
        components are dropped."""
        ids = tuple(self.press.game.components)
        wanted = (
            set(select_ids_named_in_text_or_raise(component_selection, ids))
            if component_selection is not None
            else set(ids)
        )
        chosen = []
        for product in self.press.products:
            if product.box is not None or (product_names is not None and product.name not in product_names):
                continue
            cards = tuple(
                card for card in self.press.list_product_components_not_left_out(product) if card.id in wanted
            )
            if cards:
                chosen.append((product, cards))
        return chosen

    def select_tuckbox_products_with_cards(
        self, product_names: Sequence[str] | None
    ) -> list[tuple[Product, tuple[Component, ...]]]:
        """Return the tuckboxes among the products asked for, each with the cards it holds."""
        boxed = [
            p for p in self.press.products if p.box is not None and (product_names is None or p.name in product_names)
        ]
        return [
            (product, cards) for product in boxed if (cards := self.press.list_product_components_not_left_out(product))
        ]

    def update_output_folder_and_report_files(
        self, jobs: Sequence[FileJob], force: bool, progress: Progress | None, workers: int | None = 1
    ) -> list[BuiltFile]:
        """Make the files that are not current. Everything is drawn before anything is written. Raises InputError,
        also if the folder holds what was made of another game.

        With more than one worker (None: as many as the work is worth) the drawn faces are not kept
        for the next run.
        """
        with pause_garbage_collection_and_freeze_objects(), use_fonts_as_default_within(self.press.looks.fonts):
            return self._draw_all_then_update_output_folder(jobs, force, progress, workers)

    def _list_missing_picture_and_print_findings(self) -> tuple[Finding, ...]:
        return (*self.press.list_missing_picture_findings(), *self.press.list_print_remark_findings())

    def _draw_all_then_update_output_folder(
        self, jobs: Sequence[FileJob], force: bool, progress: Progress | None, workers: int | None
    ) -> list[BuiltFile]:
        refuse_output_folders_of_other_games([(self.out, self.press.game.folder)])
        manifest = Manifest(self.out, make_relative_path_to_game(self.press.game.folder, self.out))
        current = {
            job.path: None if force else manifest.get_entry_of_current_file_or_none(job.path, job.fingerprint)
            for job in jobs
        }
        due = [
            job._replace(missing=self._list_missing_picture_and_print_findings)
            for job in jobs
            if current[job.path] is None
        ]
        made: dict[FilePath, JobResult] = {}
        for number, (job, result) in enumerate(
            zip(due, run_jobs_and_iter_results_in_order(due, workers), strict=True), 1
        ):
            made[job.path] = result
            if progress:
                progress(job.path.name, number, len(due))
        collector = FindingCollector()
        for result in made.values():
            collector.add_findings(result.findings)
        if self.keep_going:
            made = {path: result for path, result in made.items() if result.data}
        else:
            collector.raise_if_errors()
        claim_output_folder_or_raise_if_taken(self.out, self.press.game.folder)
        for job in due:
            if job.path not in made:
                continue
            result = made[job.path]
            write_file_atomically(job.path, result.data)
            # one with a missing picture is never current
            fingerprint = "" if result.findings else job.fingerprint
            entry = ManifestEntry(fingerprint, result.pages, result.cards, len(result.data), job.of)
            manifest.set_entry_of_file(job.path, entry)
        made_of = {*self.press.game.components, *(product.name for product in self.press.products)}
        if self._has_several_products_to_print():
            made_of.add(PRINT_ME)
        self.removed = manifest.remove_files_of_vanished_and_list_paths(made_of)
        manifest.write_entries_of_existing_files()
        of_cards = (fault for faults in self.press.left_out.values() for fault in faults)
        self.missing = InputError([*collector.findings, *of_cards]).findings
        written = [job for job in jobs if job.path in made or current[job.path] is not None]
        return [_build_report_of_made_or_current_file(job, made.get(job.path), current[job.path]) for job in written]


def _build_report_of_made_or_current_file(
    job: FileJob, result: JobResult | None, current: ManifestEntry | None
) -> BuiltFile:
    if result is not None:
        return BuiltFile(job.path, result.pages, result.cards, result.seconds, True, job.note)
    assert current is not None  # what was not made is current
    return BuiltFile(job.path, current.pages, current.cards, 0.0, False, job.note)


NAME = ".build.json"


class ManifestEntry(NamedTuple):
    """One file's fingerprint, pages, cards and size in bytes, and the product or component that it
    shows."""

    fingerprint: str
    pages: int
    cards: int
    size: int
    of: str = ""


class Manifest:
    """Entries by path, relative to the output folder. A manifest that cannot be read, or that another game wrote,
    counts as empty: what it lists is not this game's to remove."""

    def __init__(self, folder: FilePath, source: str) -> None:
        """Read the manifest of a folder; `source` is the path from there to the game."""
        self.folder = folder
        self.source = source
        self.entries: dict[str, ManifestEntry] = {}
        try:
            data = json.loads((folder / NAME).read_text("utf-8"))
            if data["game"] != source:
                return
            self.entries = {path: ManifestEntry(**entry) for path, entry in data["files"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.entries = {}

    def get_entry_of_current_file_or_none(self, path: FilePath, fingerprint: str) -> ManifestEntry | None:
        """Return the entry of a file that exists with its full size and has this fingerprint, else
        None."""
        entry = self.entries.get(self._get_relative_path(path))
        if entry is None or entry.fingerprint != fingerprint:
            return None
        try:
            return entry if path.stat().st_size == entry.size else None
        except OSError:
            return None

    def set_entry_of_file(self, path: FilePath, entry: ManifestEntry) -> None:
        self.entries[self._get_relative_path(path)] = entry

    def remove_files_of_vanished_and_list_paths(self, existing_names: Collection[str]) -> list[FilePath]:
        """Remove the files of products and components that are not in ``existing_names``. Return their
        paths."""
        gone = [path for path, entry in self.entries.items() if entry.of and entry.of not in existing_names]
        for path in gone:
            del self.entries[path]
            (self.folder / path).unlink(missing_ok=True)
        return [self.folder / path for path in gone]

    def write_entries_of_existing_files(self) -> None:
        """Write the manifest, without entries of files that no longer exist."""
        entries = {
            path: entry._asdict() for path, entry in sorted(self.entries.items()) if (self.folder / path).is_file()
        }
        write_file_atomically(self.folder / NAME, format_json_bytes({"game": self.source, "files": entries}))

    def _get_relative_path(self, path: FilePath) -> str:
        return path.relative_to(self.folder).as_posix()


# -- watch ---------------------------------------------------------------------------------------------------
# `--watch`: build again whenever a card or a layout is saved.

OnBuilt = Callable[[Builder], None]
OnError = Callable[[InputError], None]
OnChanged = Callable[[Builder, Sequence[str]], None]
# ms: saves count as one change for at most the first time, or until none comes for the second
TOGETHER, QUIET = (60, 10)


def call_on_built_now_and_after_changes(
    create_builder: Callable[[], Builder],
    on_built: OnBuilt,
    on_error: OnError,
    stop: threading.Event | None = None,
    on_changed: OnChanged | None = None,
) -> None:
    """Call ``on_built`` with a builder now and after every change. Call ``on_error`` with the error if a
    save breaks something.

    Before ``on_built``, call ``on_changed`` with the ids of the components that now print differently. A
    caller can show their faces at once, while sheets and booklets take their time.

    ``create_builder`` makes the builder, and makes a new one when a layout changes. When a card changes, the
    existing builder reads it and draws that card alone. Returns when ``stop`` is set or the user
    interrupts.
    """
    import watchfiles

    enable_cache_of_parsed_files()
    builder = _create_builder_and_build_or_none(create_builder, on_built, on_error)
    if builder is None:
        return
    cards, looks = builder.press.game.folder.resolve(), builder.press.looks.folder.resolve()
    folders = {cards, looks, looks.parent / "icons", looks.parent / "motifs"}
    watched = [each for each in folders if each.is_dir()]
    for changes in watchfiles.watch(*watched, stop_event=stop, debounce=TOGETHER, step=QUIET):
        paths = [FilePath(path).resolve() for _, path in changes]
        if all(path.is_relative_to(cards) and not _is_layout_or_picture_file(path, looks) for path in paths):
            _reload_game_and_build_or_report(builder, on_built, on_error, on_changed)
        else:
            builder = _create_builder_and_build_or_none(create_builder, on_built, on_error) or builder


def _is_layout_or_picture_file(path: FilePath, layouts_folder: FilePath) -> bool:
    """Return whether a file is of the looks: a layout or what it needs, or a picture anywhere."""
    return path.is_relative_to(layouts_folder) or path.suffix.lower() in PICTURE_SUFFIXES


def _create_builder_and_build_or_none(
    create_builder: Callable[[], Builder], on_built: OnBuilt, on_error: OnError
) -> Builder | None:
    try:
        builder = create_builder()
        on_built(builder)
    except InputError as error:
        on_error(error)
        return None
    return builder


def _reload_game_and_build_or_report(
    builder: Builder, on_built: OnBuilt, on_error: OnError, on_changed: OnChanged | None
) -> None:
    try:
        others = builder.reload_game_and_list_changed_ids()
        if on_changed is not None and others:
            on_changed(builder, others)
        on_built(builder)
    except InputError as error:
        on_error(error)
