"""Stack frames for a reader: where they are, and whether that is the page's own code or a library's."""

import re

from gasoline_cdp.records import StackFrame

ADDRESS_CHARS = 300
# What the script of an assistant is called in the stacks of what it caused.
SCRIPT_NAME = "execute_javascript"

# Folders of package managers and of bundlers' and development servers' own code.
_PATHS = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|\.vite/deps|@vite|@react-refresh|@id)(?:/|$|\?)|^\(?webpack\)?/"
)
# Hosts that serve packages and nothing else.
_HOSTS = re.compile(
    r"^https?://(?:cdn\.jsdelivr\.net|unpkg\.com|cdnjs\.cloudflare\.com|esm\.sh|esm\.run|ga\.jspm\.io|cdn\.skypack\.dev|"
    r"ajax\.googleapis\.com|code\.jquery\.com)/"
)
# Builds that carry the library's name: jquery-3.7.1.min.js, react-dom.production.min.js, vue.global.js.
_FILES = re.compile(
    r"/(?:react|react-dom|vue|angular|jquery|zone|axios|lodash)(?:[.-](?:min|slim|umd|esm|global|browser|runtime|prod|"
    r"production|dev|development|evergreen|\d[\w.]*))*\.m?js(?:\?|$)"
)
_EXTENSIONS = ("chrome-extension://", "moz-extension://")


def cut(text: str, limit: int) -> str:
    """Text of at most so many characters, and a sign that there was more."""
    return text if len(text) <= limit else text[:limit] + "…"


def place_of(frame: StackFrame) -> str:
    """In the form that editors make clickable."""
    where = f"{cut(frame.url, ADDRESS_CHARS) or '<anonymous>'}:{frame.line}:{frame.column}"
    return f"{frame.function} ({where})" if frame.function else where


def is_library(frame: StackFrame) -> bool:
    """Whether a frame is in somebody else's code: its source map says so, or its address does."""
    # Development servers keep packages apart by their path; a query may hold anything.
    path = frame.url.partition("?")[0]
    return (
        frame.library
        or bool(_PATHS.search(path) or _HOSTS.match(path) or _FILES.search(path))
        or path.startswith(_EXTENSIONS)
    )
