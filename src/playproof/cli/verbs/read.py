"""The verbs docs, docs icons and demo: what one looks up, and one game from its YAML to print, proof
and play."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

import playproof
from playproof.cli.arguments import json_option, output_folder_option
from playproof.cli.output import add_command_result_to_json_document

# -- documentation -------------------------------------------------------------------------------------------
# The verbs docs and icons: what one looks up. The documentation is a site that needs no network.


@click.command("docs")
@click.option("--path", "only_path", is_flag=True, help="Print where the pages are; open nothing.")
def open_documentation(only_path: bool) -> int:
    """Open the documentation in the browser. It comes with the package and needs no network."""
    page = find_index_page_of_built_docs()
    if page is None:
        raise click.UsageError("the pages are not built here; `make docs` builds them")
    click.echo(str(page))
    if not only_path:
        webbrowser.open(page.as_uri())
    return 0


def find_index_page_of_built_docs() -> Path | None:
    """Return the site's first page: in an installed package, or in output/docs of a checkout;
    None if it is not built."""
    package = Path(playproof.__file__).parent
    for page in (package / "site" / "index.html", package.parent.parent / "output" / "docs" / "index.html"):
        if page.is_file():
            return page
    return None


@click.command("icons")
@click.argument("word", default="")
@json_option
def print_icon_names(word: str, as_json: bool) -> int:
    """List the icons for WORD, with their authors and licences; without WORD, all.

    An icon is listed if its name holds WORD, or if it shows what WORD means: `attack` lists sword.

    Write `icon: sword` in a layout, or `:sword:` in a text. The page "Icons, motifs, fonts, frames
    and worlds" of `playproof docs` shows them all. A game's own icons lie in its `layouts/icons`.
    """
    from playproof.database.errors import find_nearest_word_or_empty
    from playproof.database.source import read_yaml_file
    from playproof.generator.art.icons import IconLibrary, iter_credits_of_folder_or_raise
    from playproof.generator.layout.layout_files import LAYOUTS

    every = IconLibrary(LAYOUTS / "icons")
    meant = read_yaml_file(LAYOUTS / "icons" / "words.yaml").get(word.lower())
    meanings = {str(item.value) for item in meant.items} if meant else set[str]()
    names = sorted(name for name in every if word.lower() in name or name in meanings)
    authors: dict[str, str] = {}
    for credit in iter_credits_of_folder_or_raise((every.files[name] for name in names), "icons"):
        authors |= {file.removesuffix(".svg"): f"{credit.author}, {credit.licence}" for file in credit.files}
    if as_json:
        add_command_result_to_json_document(
            {"icons": [{"name": name, "credit": authors.get(name, "")} for name in names]}
        )
    elif names:
        width = max(map(len, names))
        click.echo("\n".join(f"{name:{width}}  {authors.get(name, '')}".rstrip() for name in names))
    else:
        near = find_nearest_word_or_empty(word, every)
        click.echo(f"no icon has {word!r} in its name" + (f"; the nearest is {near}" if near else ""))
    return 0 if names else 1


# -- demonstrating -------------------------------------------------------------------------------------------
# The verb demo: one game from its YAML to print, proof and play.


@click.command("demo")
@output_folder_option("Write into this folder.")
def run_demo(out: Path) -> int:
    """Print, prove, replay and simulate the demo game, and say where everything is.

    It types the commands that you would type, and shows each. It takes about half a minute.
    """
    from playproof.cli.demo import read_demo_settings, run_demo_and_get_exit_status

    return run_demo_and_get_exit_status(read_demo_settings(), out)
