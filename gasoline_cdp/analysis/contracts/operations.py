"""Names an endpoint by its operation: GraphQL and JSON-RPC do everything at one address."""

import json
import re
from typing import Any

from gasoline_cdp.analysis.normalise import endpoint_of
from gasoline_cdp.redact import safe_text

_OPERATION = re.compile(r"\b(?:query|mutation|subscription)\s{1,9}([A-Za-z_]\w{0,80})")
_FIRST_FIELD = re.compile(r"\{\s{0,20}([A-Za-z_]\w{0,80})")
_NAMED = re.compile(r'"operationName"\s{0,3}:\s{0,3}"([A-Za-z_]\w{0,80})"')


def name_endpoint(method: str, url: str, request_body: str | None) -> str:
    """The endpoint of a request.

    GraphQL adds its operation, JSON-RPC its method, since all of them share an address.
    """
    endpoint = endpoint_of(method, url)
    if method != "POST" or not request_body or request_body[:1] not in ("{", "["):
        return endpoint
    try:
        body = json.loads(request_body)
    except (ValueError, RecursionError):
        # The body was cut to what we keep. The operation may still be in it.
        named = _NAMED.search(request_body) if "graphql" in url.lower() else None
        return f"{endpoint} {named[1]}" if named else endpoint
    calls = [call for call in (body if isinstance(body, list) else [body])[:5] if isinstance(call, dict)]
    names = [name for call in calls if (name := _operation(call, graphql="graphql" in url.lower()))]
    return f"{endpoint} {'+'.join(names)}" if names else endpoint


def _operation(call: dict[str, Any], *, graphql: bool) -> str:
    if call.get("jsonrpc") and isinstance(call.get("method"), str):
        return safe_text(call["method"], 80)
    query = call.get("query")
    if isinstance(call.get("operationName"), str) and (graphql or isinstance(query, str)):
        return safe_text(call["operationName"], 80)
    if isinstance(query, str) and "{" in query:
        match = _OPERATION.search(query) or _FIRST_FIELD.search(query)
        return match[1] if match else ""
    return ""
