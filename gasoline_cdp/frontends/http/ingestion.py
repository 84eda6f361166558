"""The endpoints to which a script in a page posts: write-only, with this run's key, from any origin."""

from typing import Any, cast

from gasoline_cdp import wire
from gasoline_cdp.capture.ingest import Ingest, Kind
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.gate import Policy
from gasoline_cdp.frontends.http.http_errors import refusal_body, status_of
from gasoline_cdp.frontends.http.messages import HttpRequest, HttpResponse
from gasoline_cdp.redact import safe_url

INGESTED = Policy(
    methods={"POST", "OPTIONS"},
    needs="key",
    body_bytes=frontend_limits.INGEST_BYTES,
    json=True,
    per_second=frontend_limits.INGEST_PER_SECOND,
)
_PROBLEMS_SHOWN = 10


def answer_ingestion(request: HttpRequest, ingest: Ingest, has_key: bool) -> HttpResponse:
    """Accept a batch, or answer the browser's CORS preflight. Reveals nothing of what was captured."""
    headers = _cors(request) if has_key else {}
    if request.method == "OPTIONS":
        return HttpResponse(status=204, headers=headers)
    kind = cast("Kind", request.path.removeprefix("/"))
    batch: Any = request.parsed
    # "null" is the origin of sandboxed pages and of files. A program sends no origin.
    origin = safe_url(request.header("origin") or "no origin", 200)
    accepted, problems = ingest.take(kind, batch, origin)
    if not problems:
        return HttpResponse(wire.encode({"accepted": accepted}), headers=headers)
    error = GasolineError(
        Code.INVALID_PARAMS,
        f"{accepted} accepted; the others are not well formed: {'; '.join(problems[:3])}.",
        accepted=accepted,
        problems=problems[:_PROBLEMS_SHOWN],
    )
    return HttpResponse(refusal_body(error), status_of(error.code), headers)


def _cors(request: HttpRequest) -> dict[str, str]:
    """Let a page that has the key post with it, and read that the post arrived."""
    origin = request.header("origin")
    if origin is None:
        return {}
    headers = {"access-control-allow-origin": origin, "vary": "origin"}
    if request.method == "OPTIONS":
        headers |= {
            "access-control-allow-methods": "POST",
            "access-control-allow-headers": "content-type",
            "access-control-max-age": "600",
        }
        for asked in ("private-network", "local-network"):
            if request.header(f"access-control-request-{asked}") == "true":
                headers[f"access-control-allow-{asked}"] = "true"
    return headers
