"""`make release`: the files of a release, made from what is committed, and tried as a user meets them.

It makes nothing public. It says what is wrong with the commit, else builds the archive of sources, and from it the
wheel; installs the wheel into an empty environment; types a first evening there; and prints how to tag.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
OUTPUT = TOP / "output" / "release"
EVENING = (
    ("new", "mygame"),
    ("lint", "mygame"),
    ("build", "mygame", "--paper", "A4"),
    ("simulate", "mygame", "--games", "1000"),
    ("prove", "mygame"),
    ("check", "--game", "mygame", "output/mygame/evidence/winnable.json"),
    ("errata", "eila", "--no-proof", "--games", "0"),
    ("docs", "--path"),
)
"""What is typed in the empty environment, in an empty folder."""


def find_faults(project: str, changelog: str, changed: str, tags: Sequence[str]) -> Iterator[str]:
    """Yield what keeps a commit from being released. `project` is the text of pyproject.toml, `changelog` that of
    CHANGELOG.md, `changed` what `git status --porcelain` prints, `tags` are those that exist."""
    version = tomllib.loads(project)["project"]["version"]
    if changed.strip():
        yield f"something is not committed: {changed.strip().splitlines()[0].strip()}"
    if f"v{version}" in tags:
        yield f"v{version} is released already: raise `version` in pyproject.toml"
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL))
    dated = [title for title in sections if re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", title)]
    if not dated:
        yield f"CHANGELOG.md has no heading `## {version} ({date.today().isoformat()})`"
    if sections.get("Unreleased", "").strip():
        yield f"CHANGELOG.md has lines under `## Unreleased`: put them under {version}"


def build_archives(folder: Path) -> tuple[Path, Path]:
    """Build the archive of sources of the last commit, and the wheel from that archive; return both."""
    checkout, made = folder / "checkout", folder / "dist"
    packed = folder / "commit.tar"
    _run(["git", "archive", "--prefix=checkout/", "-o", str(packed), "HEAD"], TOP)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="tar")  # ours, with links
    _run([sys.executable, "-c", f"import build_backend as b; b.build_sdist({str(made)!r})"], checkout)
    sources = next(made.glob("*.tar.gz"))
    _run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(made), str(sources)], folder)
    return sources, next(made.glob("*.whl"))


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install a wheel into an empty environment, with what it needs, and type a first evening in an empty folder."""
    venv.create(folder / "environment", with_pip=True)
    bin_ = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
    _run([str(bin_ / "python"), "-m", "pip", "install", "--quiet", str(wheel)], folder)
    evening = folder / "evening"
    evening.mkdir()
    for words in EVENING:
        _run([str(bin_ / "playproof"), *words], evening)


def _run(words: Sequence[str], folder: Path) -> None:
    print("$", *words, flush=True)
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _ask_git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=TOP, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Make the files of a release, or say what is wrong; return 1 then."""
    project = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    changelog = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
    faults = list(find_faults(project, changelog, _ask_git("status", "--porcelain"), _ask_git("tag").split()))
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    sources, wheel = build_archives(OUTPUT)
    try_wheel(wheel, OUTPUT)
    version = tomllib.loads(project)["project"]["version"]
    print(f"{sources}\n{wheel}\ngit tag -a v{version} -m 'Playproof {version}'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
