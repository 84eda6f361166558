"""An OpenAPI 3.1 document of the endpoints that a page was seen to use."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from attrs import frozen

_METHODS = {"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"}
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9]+")


@frozen(kw_only=True)
class Endpoint:
    """What is known of one endpoint: `schema` is that of its successful answers."""

    method: str
    # With `:id` where an id stood.
    path: str
    origin: str
    # Of GraphQL and JSON-RPC: what was called.
    operation: str
    statuses: dict[int, int]
    schema: dict[str, Any] | None


def make_openapi(endpoints: Sequence[Endpoint], title: str = "Observed API") -> dict[str, Any]:
    """The document. Calls that share a method and a path become one operation with alternatives."""
    grouped: dict[tuple[str, str], list[Endpoint]] = defaultdict(list)
    for endpoint in endpoints:
        if endpoint.method in _METHODS and endpoint.path.startswith("/"):
            grouped[endpoint.path, endpoint.method].append(endpoint)
    paths: dict[str, dict[str, Any]] = {}
    taken: set[str] = set()
    for (path, method), same in sorted(grouped.items()):
        template, names = _template(path)
        item = paths.setdefault(template, {})
        if names:
            item["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
            ]
        item[method.lower()] = _operation(method, path, same, taken)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "0", "description": "Learned from the traffic of a page: names and types."},
        "paths": paths,
    }
    if origins := sorted({endpoint.origin for endpoint in endpoints if endpoint.origin}):
        document["servers"] = [{"url": origin} for origin in origins]
    return document


def _template(path: str) -> tuple[str, list[str]]:
    """`/users/:id/posts/:id` → `/users/{id}/posts/{id2}`; braces of the path itself are no parameters."""
    names: list[str] = []
    segments = []
    for segment in path.replace("{", "%7B").replace("}", "%7D").split("/"):
        if segment == ":id":
            names.append("id" if not names else f"id{len(names) + 1}")
            segments.append(f"{{{names[-1]}}}")
        else:
            segments.append(segment)
    return "/".join(segments), names


def _operation(method: str, path: str, same: Sequence[Endpoint], taken: set[str]) -> dict[str, Any]:
    words = _NOT_A_NAME.sub("_", path).strip("_") or "root"
    name = unique = f"{method.lower()}_{words}"
    number = 1
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    taken.add(unique)
    operation: dict[str, Any] = {"operationId": unique, "responses": _responses(same)}
    if called := sorted({endpoint.operation for endpoint in same if endpoint.operation}):
        operation["description"] = f"Operations: {', '.join(called)}."
    return operation


def _responses(same: Sequence[Endpoint]) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status in sorted({status for endpoint in same for status in endpoint.statuses if 100 <= status <= 599}):
        count = sum(endpoint.statuses.get(status, 0) for endpoint in same)
        response: dict[str, Any] = {"description": f"Seen {count} time{'s' if count != 1 else ''}."}
        schemas = [
            {**endpoint.schema, **({"title": endpoint.operation} if endpoint.operation else {})}
            for endpoint in same
            if endpoint.schema is not None and status in endpoint.statuses
        ]
        if schemas and 200 <= status < 300:
            schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
            response["content"] = {"application/json": {"schema": schema}}
        responses[str(status)] = response
    return responses or {"default": {"description": "Not seen to be answered."}}
