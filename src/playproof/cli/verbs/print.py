"""The verbs build, build preflight and build calibrate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from playproof.cli.arguments import (
    FALSE,
    games_argument_with_trust_option,
    json_option,
    output_folder_option,
    papers_option,
    parse_options_and_rulings,
    print_findings_and_choose_exit_status,
    print_warning_of_unreadable_claims,
    rulings_option,
    show_progress_of_counted_work,
)
from playproof.cli.output import WRONG_INPUT, add_command_result_to_json_document, add_findings_to_json_document
from playproof.table.rulebook_games import RefereedGamePlayer

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.database.game import Game
    from playproof.generator.build import BuiltFile
    from playproof.generator.build.export_jobs import WriteExport
    from playproof.generator.papercraft import CardStock


# -- printing ------------------------------------------------------------------------------------------------
# The verbs build and preflight.

SHOWN_AT_ONCE = 4  # up to so many cards changed by one save are drawn before anything else
TABLES = ("tabletop-simulator", "tabletop-playground", "vassal", "playingcards-io", "card-game-simulator")

UNREADABLE = "PP560"
"""What `preflight` finds in a file that is no PDF and no picture, or is not there."""


def _refuse_unknown_print_shop_names(
    _: click.Context, __: click.Parameter, shop_names: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse a wrong name before anything is drawn."""
    if shop_names:
        from playproof.generator.vendor_profiles import read_vendor_profile_by_name_or_raise

        for name in shop_names:
            read_vendor_profile_by_name_or_raise(name, option_in_message="--vendor")
    return shop_names


@click.command("build")
@games_argument_with_trust_option()
@output_folder_option("The folder that gets one folder per game.")
@papers_option
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="May be repeated.  [default: the game's first language]",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["pdf", "svg", "png", "showcase"]),
    help="pdf makes sheets; svg and png make single faces; showcase makes one picture of a hand of cards, 1200 pixels "
    "wide, see-through round them. May be repeated.  [default: pdf]",
)
@click.option("--only", metavar="IDS", help="Print only these components, such as 101-110,H01.")
@click.option("--product", "products", multiple=True, metavar="NAME", help="Make only this product; may be repeated.")
@click.option("--sheet", metavar="PLAN", help="Use another sheet plan, such as fold or lowink.")
@click.option(
    "--stock",
    type=click.FloatRange(40, 600),
    default=300.0,
    show_default=True,
    metavar="GRAMS",
    help="Weight of the cards' paper in g/m2; it decides how deep boxes are.",
)
@click.option(
    "--dpi",
    type=click.IntRange(30, 1200),
    default=300,
    show_default=True,
    metavar="DPI",
    help="Dots to the inch of --format png.",
)
@click.option(
    "--picture-dpi",
    type=click.IntRange(0, 2400),
    default=300,
    show_default=True,
    metavar="DPI",
    help="Scale photographs (JPEG) with more than one and a half times as many dots to the inch; 0 scales none.",
)
@click.option("--rule-ids", is_flag=True, help="Print the ids of rules in the margins of rulebooks, for editors.")
@click.option("--sleeved", is_flag=True, help="Make boxes for cards in sleeves.")
@click.option(
    "--vendor",
    "vendors",
    multiple=True,
    metavar="NAME",
    callback=_refuse_unknown_print_shop_names,
    help="Make files for this print shop; may be repeated.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice(TABLES),
    help="Make files for this virtual table; may be repeated.",
)
@click.option(
    "--url",
    default="",
    metavar="BASE",
    help="The address at which players find the files of --table tabletop-simulator (upload.txt lists them) or "
    "card-game-simulator.",
)
@click.option(
    "--changed-since", "since", metavar="REV", help="Print only what looks different since this git revision."
)
@rulings_option
@click.option("--note", default="", metavar="TEXT", help="Print this text in the margin of every sheet.")
@click.option("--force", is_flag=True, help="Make everything again, also what has not changed.")
@click.option(
    "--keep-going",
    is_flag=True,
    help="Leave out the components that cannot be drawn and print the others. Sheets name what is left out, and the "
    "exit status is 1.",
)
@click.option("--watch", is_flag=True, help="Then keep running, and make again whatever changes, until Ctrl-C.")
@json_option
def build_print_files(
    games: tuple[str, ...],
    out: Path,
    papers: tuple[str, ...],
    languages: tuple[str, ...],
    formats: tuple[str, ...],
    only: str | None,
    products: tuple[str, ...],
    sheet: str | None,
    stock: float,
    dpi: int,
    picture_dpi: int,
    rule_ids: bool,
    sleeved: bool,
    vendors: tuple[str, ...],
    tables: tuple[str, ...],
    url: str,
    since: str | None,
    rulings: tuple[str, ...],
    note: str,
    force: bool,
    keep_going: bool,
    watch: bool,
    as_json: bool,
) -> int:
    """Make the print files of GAMES: sheets for A4 and Letter, faces, booklets, files for print
    shops and screens.

    If anything is wrong with the data or the layouts, or a shop takes none of it, nothing is written. --keep-going
    prints what can be drawn.
    """
    from playproof.database.files import refuse_output_folders_of_other_games
    from playproof.database.process_memory import pause_garbage_collection_and_freeze_objects
    from playproof.database.source import enable_cache_of_parsed_files
    from playproof.generator.papercraft import CardStock

    _refuse_contradictory_options(
        since is not None and only is not None, keep_going and bool(vendors or tables or watch)
    )
    if watch and len(games) != 1:
        raise click.UsageError("--watch takes one game")
    read_as, weight = parse_options_and_rulings(None, None, (), rulings)[1], CardStock(stock, sleeved=sleeved)
    chosen: dict[str, Any] = {
        "papers": papers or ("A4", "Letter"),
        "languages": languages or None,
        "formats": formats or ("pdf",),
        "only": only,
        "products": products or None,
        "sheet": sheet,
    }
    drawn = {"force": force, "stock": weight, "keep_going": keep_going, "names_rules": rule_ids}
    if watch:
        _watch_game_and_build_on_every_save(games[0], out, chosen, note, read_as, weight)
        return 0
    enable_cache_of_parsed_files()  # cards are read again by whoever plays the examples
    with pause_garbage_collection_and_freeze_objects():
        read = [_load_game_or_advise_keep_going(name, keep_going) for name in games]  # all are read before any is drawn
    spoken = {game.name: languages or game.languages[:1] for game in read}
    refuse_output_folders_of_other_games((out / game.name, game.folder) for game in read)
    exports, remarks = _prepare_all_exports_or_raise(read, out, vendors, tables, spoken, read_as, products or None, url)
    chosen |= {**drawn, "note": note, "picture_dpi": float(picture_dpi), "face_dpi": float(dpi)}
    files, findings = _build_games_to_file_rows_and_findings(read, out, read_as, spoken, chosen, since)
    made, left_out, adapted = _write_exports_and_list_json_rows(exports)
    remarks = [*remarks, *_list_warnings_on_sheets_without_cards(read)]
    _print_findings_on_error_stream(finding for finding in remarks if finding not in findings)
    if not files and not made and since is None:
        _print_findings_on_error_stream(_make_nothing_to_print_warning(game) for game in read)
    _print_build_results([*files, *made], left_out, adapted, as_json)
    return FALSE if any(finding.severity == "error" for finding in findings) else 0


def _load_game_or_advise_keep_going(game_name: str, keep_going: bool) -> Game:
    """Read a game. Raises InputError, which says what --keep-going would print."""
    from playproof.database.errors import InputError
    from playproof.database.game import load_game

    try:
        return load_game(game_name, keep_going=keep_going)
    except InputError as error:
        if not keep_going:
            with suppress(InputError):
                rest = load_game(game_name, keep_going=True)
                if rest.components:
                    error.advice = _format_keep_going_advice(len(rest.components))
        raise


def _format_keep_going_advice(printable_count: int) -> str:
    return f"nothing was written; --keep-going leaves these out and prints the other {printable_count}"


class BuildRows(NamedTuple):
    file_rows: list[dict[str, Any]]
    findings: list[Finding]


def _build_games_to_file_rows_and_findings(
    games: Sequence[Game],
    output_folder: Path,
    rulings: dict[str, str],
    languages_by_game: Mapping[str, Sequence[str]],
    build_options: dict[str, Any],
    git_revision: str | None,
) -> BuildRows:
    """Build the games one after another. Return their files, and what was found: errors are about what is left out."""
    files, findings = list[dict[str, Any]](), list["Finding"]()
    for game in games:
        languages = languages_by_game[game.name]
        print_warning_of_unreadable_claims(game)
        _print_findings_on_missing_translations(game, languages)
        only = (
            build_options["only"]
            if git_revision is None
            else _print_and_join_ids_of_changed_cards(game, git_revision, languages[0])
        )
        if git_revision is None or only:
            made, of_game = _build_game_files_showing_progress(
                game, output_folder, rulings, {**build_options, "languages": languages, "only": only}
            )
            files += map(_built_file_to_json, made)
            findings += of_game
    return BuildRows(files, findings)


def _refuse_contradictory_options(has_two_component_filters: bool, has_keep_going_with_exports: bool) -> None:
    """Refuse options of `build` that contradict each other."""
    if has_two_component_filters:
        raise click.UsageError("--only and --changed-since both choose the components: give one of them")
    if has_keep_going_with_exports:
        raise click.UsageError("--keep-going makes sheets and faces; shops and tables take whole games only")


def _print_build_results(
    file_rows: list[dict[str, Any]],
    left_out_rows: list[dict[str, Any]],
    adapted_rows: list[dict[str, Any]],
    as_json: bool,
) -> None:
    """Print one line per file, and one per piece that a shop or a program does not accept, or gets otherwise than it
    is; or JSON."""
    if as_json:
        add_command_result_to_json_document({"files": file_rows, "left_out": left_out_rows, "adapted": adapted_rows})
        return
    for file in file_rows:
        what = "made" if file["rebuilt"] else "current"
        made = ", ".join(_format_count_with_noun(file[what], what) for what in ("pages", "cards"))
        counts = f"  ({made}, {file['seconds']:.2f} s)" if file["pages"] else ""
        click.echo(f"{what:<8} {file['path']}{counts}")
        if file.get("note"):
            click.echo(f"         {file['note']}", err=True)
    for piece in left_out_rows:
        click.echo(f"left out {piece.get('vendor') or piece['table']}: {piece['said']}", err=True)
    for piece in adapted_rows:
        click.echo(f"adapted  {piece['vendor']}: {piece['said']}", err=True)


def _make_nothing_to_print_warning(game: Game) -> Finding:
    """Return the warning for a game of which a build makes no file."""
    from playproof.database.errors import Finding, Where, make_path_relative_to_working_folder

    hint = "cards in a sheet and a layout for them make print files: `playproof help new`"
    return Finding(
        "PP549", Where(make_path_relative_to_working_folder(game.folder)), "there is nothing to print", hint, "warning"
    )


def _format_count_with_noun(count: int, plural_noun: str) -> str:
    return f"{count} {plural_noun[:-1] if count == 1 else plural_noun}"


def _print_findings_on_missing_translations(game: Game, languages: Sequence[str]) -> None:
    """Print which texts a language lacks. English replaces them. The claims' texts are not printed."""
    from playproof.database.lint_text import iter_missing_translation_findings

    _print_findings_on_error_stream(iter_missing_translation_findings(replace(game, claims={}), languages))


def _print_findings_on_error_stream(findings: Iterable[Finding]) -> None:
    """Print findings on the error stream, those of one cause together."""
    from playproof.database.errors import iter_report_lines_shortened_by_cause

    said = list(findings)
    add_findings_to_json_document(said)
    for line in iter_report_lines_shortened_by_cause(said):
        click.echo(line, err=True)


def _build_game_files_showing_progress(
    game: Game, output_folder: Path, rulings: dict[str, str], build_options: dict[str, Any]
) -> tuple[list[BuiltFile], list[Finding]]:
    """Build one game. Return its files, and what was found; print it."""
    from playproof.generator.build import build as build_game
    from playproof.generator.layout.layout_renderer import LayoutRenderer
    from playproof.generator.sheets import read_printer_offsets_or_empty

    with (
        show_progress_of_counted_work(f"building {game.name}") as step,
        _add_keep_going_advice_to_raised_errors(game),
        _merge_raised_errors_on_unknown_icons(game),
    ):
        looks = LayoutRenderer(game, rulings=rulings)
        missing: list[Finding] = []
        files = build_game(
            game,
            output_folder / game.name,
            looks=looks,
            printer=read_printer_offsets_or_empty(),
            plays=RefereedGamePlayer(),
            progress=lambda name, done, of: step(done, of),
            removed=lambda path: click.echo(f"removed  {path}", err=True),
            missing=missing.append,
            **build_options,
        )
        _print_findings_on_error_stream(missing)
        return files, missing


@contextmanager
def _add_keep_going_advice_to_raised_errors(game: Game) -> Iterator[None]:
    """Add to an error that is about some of a game's components how the others are printed."""
    from playproof.database.errors import InputError

    try:
        yield
    except InputError as error:
        faulty = {about.partition(" (")[0] for finding in error.findings for about in finding.about}
        others = len(game.components) - len(faulty)
        if faulty and others > 0:
            error.advice = _format_keep_going_advice(others)
        raise


@contextmanager
def _merge_raised_errors_on_unknown_icons(game: Game) -> Iterator[None]:
    """Report an icon that cannot be drawn where a vocabulary or a card names it, and not once per card and layout
    that would show it."""
    from playproof.database.errors import InputError
    from playproof.database.lint_text import find_names_of_undrawable_icons, iter_unknown_icon_findings
    from playproof.generator.art.icons import IconLibrary
    from playproof.generator.layout.layout_files import LAYOUTS, find_layout_folder_of_game

    try:
        yield
    except InputError as error:
        icons = set(IconLibrary(find_layout_folder_of_game(game.folder) / "icons", LAYOUTS / "icons"))
        unknown = [f"there is no icon {name!r}" for name in find_names_of_undrawable_icons(game, icons)]
        others = [f for f in error.findings if not any(text in f.message for text in unknown)]
        raise InputError([*iter_unknown_icon_findings(game, icons), *others]) from None


def _print_and_join_ids_of_changed_cards(game: Game, git_revision: str, language: str) -> str:
    """Return the ids of components that print differently since a revision, and say what changed
    on each."""
    from playproof.errata.changes import format_card_id_and_title_of_difference, list_sentences_on_card_difference
    from playproof.errata.dossier_language import DossierLanguage
    from playproof.errata.versions import list_component_differences
    from playproof.generator.build.version_changes import (
        hash_layout_and_picture_files,
        list_new_or_changed_component_ids,
        load_game_at_git_revision_or_raise,
    )

    before = load_game_at_git_revision_or_raise(game, git_revision)
    if before.looks != hash_layout_and_picture_files(game):
        click.echo(f"{game.name}: layouts or pictures differ from those at {git_revision}", err=True)
    for difference in list_component_differences(before.game, game, language):
        click.echo(
            "; ".join(
                [
                    format_card_id_and_title_of_difference(difference, language, game),
                    *list_sentences_on_card_difference(difference, DossierLanguage(language, game)),
                ]
            ),
            err=True,
        )
    changed = list_new_or_changed_component_ids(before, game)
    if not changed:
        click.echo(f"{game.name}: no card prints otherwise than at {git_revision}", err=True)
    return ",".join(changed)


def _watch_game_and_build_on_every_save(
    game_name: str,
    output_folder: Path,
    build_options: dict[str, Any],
    note: str,
    rulings: dict[str, str],
    stock: CardStock,
) -> None:
    """Build now and after every saved change. Report errors and keep the last good files."""
    from playproof.database.game import load_game
    from playproof.generator.build.run import Builder, call_on_built_now_and_after_changes
    from playproof.generator.layout.layout_renderer import LayoutRenderer
    from playproof.generator.sheets import read_printer_offsets_or_empty

    def start() -> Builder:
        game = load_game(game_name)
        return Builder(
            game,
            output_folder / game.name,
            looks=LayoutRenderer(game, rulings=rulings),
            printer=read_printer_offsets_or_empty(),
            note=note,
            plays=RefereedGamePlayer(),
            stock=stock,
        )

    def built(builder: Builder) -> None:
        for file in builder.update_output_folder_and_report_files(
            builder.list_file_jobs_or_raise(**build_options), False, None
        ):
            if file.rebuilt:
                click.echo(f"made     {file.path}  ({file.seconds:.2f} s)")
        _print_findings_on_error_stream(builder.missing)
        click.echo("watching; Ctrl-C ends")

    def changed(builder: Builder, ids: Sequence[str]) -> None:
        components = (builder.press.game.components[ident] for ident in ids)
        cards = tuple(
            card for card in components if builder.press.looks.find_layout_for_component_or_none(card) is not None
        )
        if len(cards) <= SHOWN_AT_ONCE:
            (language, *_) = build_options["languages"] or builder.press.game.languages
            # each as soon as it is made
            for job in builder.sheets.create_single_face_picture_jobs(cards, language, ("png",)):
                (file,) = builder.update_output_folder_and_report_files([job], False, None)
                click.echo(f"shown    {file.path}")

    call_on_built_now_and_after_changes(
        start, built, lambda error: _print_findings_on_error_stream(error.findings), on_changed=changed
    )


def _built_file_to_json(file: BuiltFile) -> dict[str, Any]:
    facts = file._asdict() | {"path": str(file.path), "seconds": round(file.seconds, 3)}
    return {name: value for name, value in facts.items() if name != "note" or value}


def _exported_path_to_json(exported_file: Path) -> dict[str, Any]:
    return {"path": str(exported_file), "pages": 0, "cards": 0, "seconds": 0.0, "rebuilt": True}


def _list_warnings_on_sheets_without_cards(games: Sequence[Game]) -> list[Finding]:
    """Return a warning for each sheet of a workbook of which no card is printed and whose name does not say so, and
    for each row that is taken for a total."""
    from playproof.database.lint import find_sheet_findings_except_row_order, get_left_out_sheet_findings

    left_out = [finding for game in games for finding in get_left_out_sheet_findings(game)]
    return [*left_out, *(finding for game in games for finding in find_sheet_findings_except_row_order(game))]


class NamedExport(NamedTuple):
    name_json: dict[str, str]  # such as {"vendor": "mpc"}
    write: WriteExport


def _prepare_all_exports_or_raise(
    games: Sequence[Game],
    output_folder: Path,
    vendors: Sequence[str],
    tables: Sequence[str],
    languages_by_game: Mapping[str, Sequence[str]],
    rulings: dict[str, str],
    products: Sequence[str] | None,
    url: str,
) -> tuple[list[NamedExport], list[Finding]]:
    """Return what writes the files for each shop and each screen, with its name, and remarks on what they show. Raises
    InputError with everything that a shop or a screen refuses, before anything is written."""
    if not vendors and not tables:
        return [], []
    from playproof.database.errors import InputError
    from playproof.generator.build.export_jobs import (
        build_function_writing_print_shop_files,
        build_function_writing_table_files,
    )
    from playproof.generator.build.run import Builder
    from playproof.generator.exports.virtual_table import TableSetup
    from playproof.generator.layout.layout_renderer import LayoutRenderer
    from playproof.table.setup_positions import compute_new_game_positions_or_empty

    exports: list[NamedExport] = []
    refused, remarks = list["Finding"](), list["Finding"]()
    for game in games:
        builder = Builder(
            game, output_folder / game.name, looks=LayoutRenderer(game, rulings=rulings), plays=RefereedGamePlayer()
        )
        languages = languages_by_game[game.name]
        for language in languages:
            lying = compute_new_game_positions_or_empty(builder, language) if tables else TableSetup()
            for name in vendors:
                try:
                    export = build_function_writing_print_shop_files(builder, name, language, products)
                    exports.append(NamedExport({"vendor": name}, export))
                except InputError as error:
                    refused += error.findings
            for name in tables:
                try:
                    table = build_function_writing_table_files(
                        builder, name, language, lying, url, in_language_folder=len(languages) > 1
                    )
                    exports.append(NamedExport({"table": name}, table))
                except InputError as error:
                    refused += error.findings
        remarks += [*builder.press.list_missing_picture_findings(), *builder.press.list_print_remark_findings()]
    if refused:
        raise InputError(refused)
    return exports, remarks


class ExportRows(NamedTuple):
    files: list[dict[str, Any]]
    left_out_pieces: list[dict[str, Any]]
    adapted_pieces: list[dict[str, Any]]


def _write_exports_and_list_json_rows(named_exports: Sequence[NamedExport]) -> ExportRows:
    """Write what `_prepare_all_exports_or_raise` returned. Return the files, the pieces that were left out, and
    those that were scaled or turned, as JSON has them."""
    rows = ExportRows([], [], [])
    for whose, export in named_exports:
        exported = export()
        rows.files.extend(_exported_path_to_json(path) for path in exported.paths)
        rows.left_out_pieces.extend({**whose, **asdict(piece), "said": str(piece)} for piece in exported.left_out)
        rows.adapted_pieces.extend({**whose, **asdict(piece), "said": str(piece)} for piece in exported.adapted)
    return rows


@click.command("preflight")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--profile", default="home", show_default=True, metavar="NAME", help="The print shop.")
@click.option("--game", metavar="GAME", help="Also check that players can tell the colours of this game apart.")
@click.option(
    "--order",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Instead, hold FILES (also zip files) against this order-LANGUAGE.json: what is missing, different, extra, "
    "or there too often.",
)
@json_option
def check_print_files_for_shop(
    files: tuple[Path, ...], profile: str, game: str | None, order: Path | None, as_json: bool
) -> int:
    """Check FILES (PDFs, pictures, folders of pictures): boxes, fonts, colours, ink, resolution,
    text size. The exit status is 2 if one of them is neither, or is not there."""
    from playproof.generator.preflight import list_vendor_problems_in_file_or_folder as check_file
    from playproof.generator.vendor_profiles import read_vendor_profile_by_name_or_raise as profile_of

    if order is not None:
        from playproof.generator.exports.vendor import list_differences_of_uploads_from_order

        complete = f"complete: {', '.join(map(str, files))} is what {order} orders"
        return print_findings_and_choose_exit_status(
            list_differences_of_uploads_from_order(order, files), as_json=as_json, success_message=complete
        )
    wanted = profile_of(profile)
    findings: list[Finding] = []
    for file in files:
        findings += check_file(file, wanted)
    if game is not None:
        from playproof.database.game import load_game
        from playproof.generator.preflight.colour_vision import list_findings_on_terms_looking_alike

        findings += list_findings_on_terms_looking_alike(load_game(game))
    ready = f"ready for {wanted.title}: {', '.join(map(str, files))}"
    status = print_findings_and_choose_exit_status(findings, as_json=as_json, success_message=ready)
    return WRONG_INPUT if any(finding.code == UNREADABLE for finding in findings) else status


# -- calibrating ---------------------------------------------------------------------------------------------
# The verb calibrate: measure once the offset of a printer's backs, and store it.

FLIPS = click.Choice(["long", "short"])


@click.command("calibrate")
@click.option("--paper", default="A4", show_default=True, metavar="NAME")
@click.option("--landscape", is_flag=True, help="The sheet lies on its side.")
@click.option(
    "--flip", type=FLIPS, default="long", show_default=True, help="The edge on which the printer turns the sheet."
)
@output_folder_option(None)
@click.option("--right", type=float, metavar="MM", help="Store: move backs this far to the right, seen from the back.")
@click.option("--down", type=float, metavar="MM", help="Store: move backs down this far.")
def store_offset_of_printer_backs(
    paper: str, landscape: bool, flip: str, out: Path, right: float | None, down: float | None
) -> None:
    """Make the calibration sheet. With --right or --down, store what you read on it.

    The offset is stored in .playproof/printer.yaml. Every later build moves its backs by it.
    """
    from playproof.generator.pdf import Metadata, write_pages_to_pdf_file
    from playproof.generator.sheets import (
        parse_paper_name_or_size_or_raise as paper_named,
        read_printer_offsets_or_empty,
        write_printer_offsets_or_raise,
    )
    from playproof.generator.sheets.printer import (
        Printer,
        build_calibration_front_and_back,
        format_orientation_and_flip_name,
    )
    from playproof.generator.sheets.slots import Size

    named = paper_named(paper)
    short, long = sorted((named.width, named.height))
    sheet = Size(long, short) if landscape else Size(short, long)
    edge: Literal["long", "short"] = "short" if flip == "short" else "long"
    name = format_orientation_and_flip_name(sheet, edge)
    if right is not None or down is not None:
        write_printer_offsets_or_raise(
            Printer({**read_printer_offsets_or_empty().offsets, name: (right or 0.0, down or 0.0)})
        )
        click.echo(f"stored   {name}: backs go {right or 0.0:g} mm right, {down or 0.0:g} mm down")
        return
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"calibration-{paper}-{name}.pdf"
    write_pages_to_pdf_file(
        build_calibration_front_and_back(sheet, edge), path, metadata=Metadata(title=f"Calibration, {paper}, {name}")
    )
    click.echo(f"made     {path}  (2 pages: print on both sides, turned on the {edge} edge)")
