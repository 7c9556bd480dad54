"""Where the package and its games are, and which version it is."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CARDS = (PACKAGE / "cards").resolve()  # in a checkout, a link to a folder at its top
EXAMPLES = PACKAGE / "examples"
LINKS = ("cards", "generator", "layouts", "verifier")
"""What a checkout has links to, and a wheel has as folders."""
CLONE = "clone with `git clone -c core.symlinks=true` (on Windows, turn on developer mode before), or install a wheel"
"""What to do where a checkout came without links."""


def find_link_checked_out_as_text_file(package: Path = PACKAGE) -> Path | None:
    """Return a link of the package of which the checkout has made a text file, as git does on Windows for whoever may
    make no links. None if there is no such file."""
    return next((package / name for name in LINKS if (package / name).is_file()), None)


def get_version_or_not_installed_text() -> str:
    """Return the installed version, or "(not installed)" in a checkout."""
    from importlib import metadata  # takes longer to load than the whole list of commands

    try:
        return metadata.version("playproof")
    except metadata.PackageNotFoundError:
        return "(not installed)"


@lru_cache(maxsize=4)
def compute_digest_of_program_code(packages: tuple[str, ...] = ()) -> str:
    """Return a digest of the code of these packages; of all the code if none is named. In a checkout some are links,
    which a walk through the package would pass by."""
    made = sha256()
    for folder in [PACKAGE / name for name in packages or sorted(p.name for p in PACKAGE.iterdir())]:
        for file in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
            made.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return made.hexdigest()
