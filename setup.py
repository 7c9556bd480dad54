"""Adds two steps to the build of a wheel: the pages of docs/ as a site, which `playproof docs` opens, and schemas of
YAML files for editors. Makes archives of sources that are equal if the sources are."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

from build_backend import describe


class BuildWithPages(build_py):
    """The packages as always, and site and schemas beside them; an editable install reads docs/ itself."""

    def run(self) -> None:
        if not self.editable_mode:  # what an earlier build left here would get into the wheel
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if not self.editable_mode:
            site = Path(self.build_lib) / "playproof" / "site"
            words = ["-q", "-b", "html", "-d", str(Path(self.build_lib).parent / "doctrees"), "docs", str(site)]
            subprocess.run([sys.executable, "-m", "sphinx", *words], check=True)
            schemas = Path(self.build_lib).resolve() / "playproof" / "cli" / "schemas"
            # pip names the packages of the build by PYTHONPATH too: they stay on it
            path = os.pathsep.join(filter(None, [self.build_lib, os.environ.get("PYTHONPATH")]))
            subprocess.run(
                [sys.executable, "-m", "playproof.cli.schemas", schemas],
                check=True,
                env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            )


class SameSdist(sdist):
    """The archive of sources as always, then packed again so that equal sources give equal bytes: names sorted, no
    times and no owners but those of SOURCE_DATE_EPOCH."""

    def run(self) -> None:
        super().run()
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))  # 1980, as in a wheel
        for name in self.get_archive_files():
            if name.endswith(".tar.gz"):
                _pack_again(Path(name), epoch)


def _pack_again(path: Path, epoch: int) -> None:
    packed = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=epoch))


here = Path(__file__).resolve().parent
if (here / "src" / "playproof" / "cards").is_file():
    sys.exit("src/playproof/cards is a text file and not a link: clone with `git clone -c core.symlinks=true`")
urls = tomllib.loads((here / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
setup(
    cmdclass={"build_py": BuildWithPages, "sdist": SameSdist},
    long_description=describe((here / "README.md").read_text("utf-8"), urls.get("Files", "")),
    long_description_content_type="text/markdown",
)
