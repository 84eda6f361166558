"""Which part of a tab an entry comes from."""

from typing import Any

from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut
from gasoline_cdp.records import Source


def inside(source: Source) -> dict[str, Any]:
    """The frame or worker that a record comes from, or the origin that posted it. Empty for the page itself."""
    if source.ingested_from:
        return {"ingested_from": source.ingested_from}
    if source.kind == "page":
        return {}
    where = cut(source.url, ADDRESS_CHARS)
    return {"frame": where} if source.kind == "iframe" else {"worker": f"{source.kind} {where}"}
