"""The build of the package: setuptools, which for a wheel also asks for what makes its pages and its schemas.

An editable install reads both from the repository, so it installs setuptools alone: `make demo` waits for the network.
"""

from __future__ import annotations

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

# In the ranges of pyproject.toml; tests/test_house.py compares them.
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
