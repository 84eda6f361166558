"""Finds the files that run inside pages, in a wheel or in a checkout."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent


@cache
def page_script(name: str) -> str:
    """The text of page/NAME.js: one function expression."""
    return (_PACKAGE / "page" / f"{name}.js").read_text(encoding="utf-8")


@cache
def artifact_style(name: str) -> str:
    """The text of artifacts/NAME.css."""
    return (_PACKAGE / "artifacts" / f"{name}.css").read_text(encoding="utf-8")


@cache
def vendored(name: str) -> str:
    """The text of a vendored file: `_vendor` in a wheel, `vendor` beside the package in a checkout."""
    for directory in (_PACKAGE / "_vendor", _PACKAGE.parent / "vendor"):
        if (directory / name).is_file():
            return (directory / name).read_text(encoding="utf-8")
    raise FileNotFoundError(f"{name} is missing from this installation")
