"""The build of the package: setuptools, which for a wheel also asks for what makes its pages and its schemas.

An editable install reads both from the repository, so it installs setuptools alone: `make demo` waits for the network.
"""

from __future__ import annotations

import re

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable as build_editable,
    build_sdist as build_sdist,
    build_wheel as build_wheel,
    get_requires_for_build_editable as get_requires_for_build_editable,
    get_requires_for_build_sdist as get_requires_for_build_sdist,
    prepare_metadata_for_build_editable as prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel,
)


def describe(readme: str, address: str = "") -> str:
    """Return README.md as the page of a package index shows it, which knows no files beside it.

    Its links lead to the repository's files, if `address` says where these are read; else their words stay alone, and
    pictures are left out.
    """
    text = re.sub(r"<!--.*?-->\n?", "", readme, flags=re.DOTALL)
    if address:
        return re.sub(r"\]\((?!https?:|#)", f"]({address.rstrip('/')}/", text)
    without_pictures = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n*", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:|#)[^)]*\)", r"\1", without_pictures)


# In the ranges of pyproject.toml; tests/test_architecture.py compares them.
PAGES = ["sphinx>=8.2,<10", "furo>=2025.9", "myst-parser>=4,<6"]
SCHEMAS = [  # made from the code
    "lazy-loader>=0.4,<1",
    "pillow>=12,<14",
    "pydantic>=2.12,<3",
    "pyyaml>=6.0.3,<7",
    "reportlab>=5.1,<6",
    "uharfbuzz>=0.50,<1",
]


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """Return the packages that the build of a wheel needs besides setuptools."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *PAGES, *SCHEMAS]
