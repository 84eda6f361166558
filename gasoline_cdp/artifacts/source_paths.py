"""Addresses of pages and scripts as relative paths of a repository, which code scanning can show."""

import re
from urllib.parse import quote, unquote

# webpack://app/./src/x.ts, webpack-internal:///./src/x.ts, vite:/src/x.ts, file:///src/x.ts, http://host/src/x.ts
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?/?")
# A file, with a line or not: `src/Cart.tsx:12`.
_COMPONENT = re.compile(
    r"""data-(?:component|component-file|source|source-file|inspector-relative-path|insp-path|locatorjs-id)="""
    r""""([^"\s]{1,300}?\.(?:[jt]sx?|vue|svelte|astro|html))(?::{1,2}(\d{1,7}))?(?::\d+)*[^"]*\""""
)
_ROOT = "index.html"


def page_path(path: str) -> str:
    """The path of a page without its slash: `/cart` → `cart`. The root, which has no name, is `index.html`."""
    return _clean(path) or _ROOT


def source_path(url: str) -> str:
    """The path of a script or source file: without scheme, host and what leads out of the repository."""
    return _clean(_SCHEME.sub("", url.partition("?")[0].partition("#")[0], count=1)) or _ROOT


def component_of(html: str) -> tuple[str, int] | None:
    """The file and line that an attribute of an element names, as several frameworks write it in development."""
    match = _COMPONENT.search(html)
    return (source_path(match[1]), int(match[2] or 1) or 1) if match else None


def _clean(path: str) -> str:
    parts = [part for part in unquote(path).replace("\\", "/").split("/") if part not in ("", ".", "..")]
    # A colon in the first part would make it a scheme.
    return quote("/".join(parts), safe="/-._~!$&'()*+,;=@")
