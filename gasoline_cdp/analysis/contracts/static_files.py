"""Distinguishes static files from answers of an API: both may be JSON that a script fetched."""

import re
from collections.abc import Mapping

from gasoline_cdp.analysis.performance.loads import path_of

# What development servers and bundlers fetch for their own use.
_DEV_SERVER = re.compile(
    r"\.hot-update\.(?:json|js)$|/@(?:vite|fs|id|react-refresh)(?:/|$)|/__(?:webpack|nextjs|vite|turbopack)[\w-]*(?:/|$)"
    r"|/_next/(?:static|webpack-hmr)(?:/|$)|/sockjs-node/|/\.vite/|\.map$|/__open-in-editor$|/__parcel"
)
_FILE = re.compile(r"/[^/]{1,200}\.(?:json|geojson|topojson|webmanifest|json5|jsonc|gltf|importmap)$", re.IGNORECASE)
# A content hash in a file name: `messages.4f3a9c1b.json`, `chunk-B3kd9QxZ.json`.
_HASHED = re.compile(r"[.-](?=[A-Za-z0-9_-]{0,63}\d)[A-Za-z0-9_-]{8,64}\.[a-z0-9]{2,12}$")


def is_static_file(method: str, url: str, response_headers: Mapping[str, str]) -> bool:
    """Whether an answer is a file: one of a development server, or one served from a disk.

    An API may have `.json` in its addresses, but it sends no Last-Modified.
    """
    path = path_of(url)
    if _DEV_SERVER.search(path):
        return True
    if method != "GET" or not _FILE.search(path):
        return False
    return "last-modified" in response_headers or _HASHED.search(path) is not None
