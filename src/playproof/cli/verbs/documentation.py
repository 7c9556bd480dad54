"""The verb docs: the documentation as a site that needs no network."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

import playproof


@click.command()
@click.option("--path", "only_path", is_flag=True, help="Print where the pages are; open nothing.")
def docs(only_path: bool) -> int:
    """Open the documentation in the browser. It comes with the package and needs no network."""
    page = first_page()
    if page is None:
        raise click.UsageError("the pages are not built here; `make docs` builds them")
    click.echo(str(page))
    if not only_path:
        webbrowser.open(page.as_uri())
    return 0


def first_page() -> Path | None:
    """Return the site's first page: in an installed package, or in output/docs of a checkout;
    None if it is not built."""
    package = Path(playproof.__file__).parent
    for page in (package / "site" / "index.html", package.parent.parent / "output" / "docs" / "index.html"):
        if page.is_file():
            return page
    return None
