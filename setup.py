"""Adds two steps to the build of a wheel: the pages of docs/ as a site, which `playproof docs` opens, and schemas of
YAML files for editors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithPages(build_py):
    """The packages as always, and site and schemas beside them; an editable install reads docs/ itself."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            site = Path(self.build_lib) / "playproof" / "site"
            words = [
                "-q",
                "-b",
                "html",
                "-d",
                str(Path(self.build_lib).parent / "doctrees"),
                "docs",
                str(site),
            ]
            subprocess.run([sys.executable, "-m", "sphinx", *words], check=True)
            schemas = Path(self.build_lib).resolve() / "playproof" / "cli" / "schemas"
            subprocess.run(
                [sys.executable, "-m", "playproof.cli.schemas", schemas],
                check=True,
                env={**os.environ, "PYTHONPATH": self.build_lib, "PYTHONDONTWRITEBYTECODE": "1"},
            )


setup(cmdclass={"build_py": BuildWithPages})
