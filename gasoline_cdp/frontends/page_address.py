"""Turns what a person types for a page into a URL: an address as in a browser, or a file."""

import re
from pathlib import Path

_WITHOUT_SLASHES = ("about:", "data:", "file:", "chrome:", "view-source:")
_HOST = re.compile(r"([\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(?:[/?#].*)?")
_THIS_MACHINE = re.compile(r"localhost|\d+(?:\.\d+){3}|\[.*", re.IGNORECASE)


def page_address(text: str, directory: Path | None = None) -> str:
    """The URL that Chrome needs for what a person typed: `localhost:3000`, `example.org`, a file."""
    if "://" in text or text.lower().startswith(_WITHOUT_SLASHES):
        return text
    file = (directory or Path.cwd()) / text
    try:
        if text and file.is_file():
            return file.as_uri()
    except OSError:
        # No file can have this name, or the directory is not readable: so it is not a file.
        pass
    if match := _HOST.fullmatch(text):
        host, port = match.groups()
        if port or _THIS_MACHINE.fullmatch(host):
            # A development server.
            return f"http://{text}"
        if "." in host:
            return f"https://{text}"
    raise ValueError(f"must be an address such as http://localhost:3000, not {text[:60]!r}")
