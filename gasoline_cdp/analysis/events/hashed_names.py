"""Names of built files, which carry a hash of their content: `app.3f2a9b1c.js`, `index-BcD3fXyZ.css`."""

import re

# Before the ending, of one or two parts: hexadecimal digits, or eight characters as Vite, Rollup and esbuild write
# them. A digit or two kinds of letters tell these from most words.
_HASH = re.compile(
    r"(?<=[._-])(?:(?=[0-9a-f]*\d)[0-9a-f]{4,64}|(?=[\w-]*(?:\d|[a-z][A-Z]|[A-Z]{2}))[A-Za-z0-9_-]{8})"
    r"(?=\.(?:\w{1,5}\.)?\w{1,5}$)"
)


def without_hash(url: str) -> str:
    """The address of a file without the hash in its name, and without query; empty if its name has none."""
    path = url.partition("#")[0].partition("?")[0]
    stem = _HASH.sub("[hash]", path)
    return stem if stem != path else ""
