"""Stack frames for a reader: their location, and whether they belong to the page or to a library."""

import re

from gasoline_cdp.records import StackFrame

ADDRESS_CHARS = 300
# The name of an assistant's script in stack traces.
SCRIPT_NAME = "execute_javascript"

# Directories of package managers, and code of bundlers and development servers.
_PATHS = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|\.vite/deps|@vite|@react-refresh|@id)(?:/|$|\?)|^\(?webpack\)?/"
)
# Hosts that serve packages only.
_HOSTS = re.compile(
    r"^https?://(?:cdn\.jsdelivr\.net|unpkg\.com|cdnjs\.cloudflare\.com|esm\.sh|esm\.run|ga\.jspm\.io|cdn\.skypack\.dev|"
    r"ajax\.googleapis\.com|code\.jquery\.com)/"
)
# Builds named after their library: jquery-3.7.1.min.js, react-dom.production.min.js, vue.global.js.
_FILES = re.compile(
    r"/(?:react|react-dom|vue|angular|jquery|zone|axios|lodash)(?:[.-](?:min|slim|umd|esm|global|browser|runtime|prod|"
    r"production|dev|development|evergreen|\d[\w.]*))*\.m?js(?:\?|$)"
)
_EXTENSIONS = ("chrome-extension://", "moz-extension://")


def cut(text: str, limit: int) -> str:
    """The text cut to so many characters, with a mark if it was longer."""
    return text if len(text) <= limit else text[:limit] + "…"


def place_of(frame: StackFrame) -> str:
    """The location in a form that editors make clickable."""
    if frame.url == SCRIPT_NAME and not frame.function:
        # Its line numbers are not the author's: we wrap the script.
        return SCRIPT_NAME
    where = f"{cut(frame.url, ADDRESS_CHARS) or '<anonymous>'}:{frame.line}:{frame.column}"
    return f"{frame.function} ({where})" if frame.function else where


def is_library(frame: StackFrame) -> bool:
    """Whether a frame is library code, by its source map or by its address."""
    # Development servers separate packages by path. The query may contain anything.
    path = frame.url.partition("?")[0]
    return (
        frame.library
        or bool(_PATHS.search(path) or _HOSTS.match(path) or _FILES.search(path))
        or path.startswith(_EXTENSIONS)
    )
