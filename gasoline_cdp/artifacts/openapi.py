"""An OpenAPI 3.1 document of the endpoints that a page used."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.analysis.contracts.exchanges import Parameter
from gasoline_cdp.analysis.contracts.json_schema import fitting_schema

_METHODS = {"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"}
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9]+")
_JSON = "application/json"

Schema = dict[str, Any]


def make_openapi(
    contracts: Sequence[Contract], title: str = "Observed API", schema_bytes: int = limits.OPENAPI_SCHEMA_BYTES
) -> dict[str, Any]:
    """The document. Calls that share a method and a path become one operation with alternatives.

    A schema of more than `schema_bytes` is shown with fewer levels.
    """
    grouped: dict[tuple[str, str], list[Contract]] = defaultdict(list)
    for contract in contracts:
        if contract.method in _METHODS and contract.path.startswith("/"):
            grouped[contract.path, contract.method].append(contract)
    paths: dict[str, dict[str, Any]] = {}
    taken: set[str] = set()
    for (path, method), same in sorted(grouped.items()):
        template, names = _template(path)
        item = paths.setdefault(template, {})
        if names:
            item["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
            ]
        item[method.lower()] = _operation(method, path, same, taken, schema_bytes)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "0", "description": "Learned from the traffic of a page: names and types."},
        "paths": paths,
    }
    if origins := sorted({contract.origin for contract in contracts if contract.origin}):
        document["servers"] = [{"url": origin} for origin in origins]
    return document


def _template(path: str) -> tuple[str, list[str]]:
    """`/users/:id/posts/:id` → `/users/{id}/posts/{id2}`. Braces in the path itself are no parameters."""
    names: list[str] = []
    segments = []
    for segment in path.replace("{", "%7B").replace("}", "%7D").split("/"):
        if segment == ":id":
            names.append("id" if not names else f"id{len(names) + 1}")
            segments.append(f"{{{names[-1]}}}")
        else:
            segments.append(segment)
    return "/".join(segments), names


def _operation(method: str, path: str, same: Sequence[Contract], taken: set[str], budget: int) -> dict[str, Any]:
    words = _NOT_A_NAME.sub("_", path).strip("_") or "root"
    name = unique = f"{method.lower()}_{words}"
    number = 1
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    taken.add(unique)
    operation: dict[str, Any] = {"operationId": unique, "responses": _responses(same, budget)}
    if called := sorted({contract.operation for contract in same if contract.operation}):
        operation["description"] = f"Operations: {', '.join(called)}."
    if parameters := _parameters(same):
        operation["parameters"] = parameters
    if body := _request_body(same, budget):
        operation["requestBody"] = body
    return operation


def _parameters(same: Sequence[Contract]) -> list[dict[str, Any]]:
    """Query parameters. Required are those that every call had."""
    merged: dict[str, Parameter] = {}
    every = [contract.sent_shapes() for contract in same]
    calls = sum(sent.calls for sent in every)
    for sent in every:
        for name, known in sent.parameters.items():
            into = merged.setdefault(name, Parameter())
            into.types |= known.types
            into.calls += known.calls
            into.repeated |= known.repeated
    return [
        {"name": name, "in": "query", "required": known.calls == calls, "schema": _parameter_schema(known)}
        for name, known in sorted(merged.items())
    ]


def _parameter_schema(known: Parameter) -> Schema:
    types = known.types
    # A text that sometimes looks like a number is text.
    kind = next(iter(types)) if len(types) == 1 else "number" if types == {"integer", "number"} else "string"
    return {"type": "array", "items": {"type": kind}} if known.repeated else {"type": kind}


def _request_body(same: Sequence[Contract], budget: int) -> dict[str, Any] | None:
    schemas: dict[str, list[Schema]] = defaultdict(list)
    required = True
    for contract in same:
        sent = contract.sent_shapes()
        required &= sent.with_body == sent.calls
        for kind, (node, learned) in sent.bodies.items():
            schemas[kind] += [_titled(fitting_schema(node, budget), contract)] if learned else []
    if not schemas:
        return None
    return {"content": {kind: _content(schema) for kind, schema in schemas.items()}, "required": required}


def _responses(same: Sequence[Contract], budget: int) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status in sorted({status for contract in same for status in contract.statuses if 100 <= status <= 599}):
        count = sum(contract.statuses.get(status, 0) for contract in same)
        response: dict[str, Any] = {"description": f"Seen {count} time{'s' if count != 1 else ''}."}
        schemas: dict[str, list[Schema]] = defaultdict(list)
        for contract in same:
            if status not in contract.statuses:
                continue
            kind = contract.errors.media_types.get(status, "")
            nodes = [contract.shape] if contract.learned and 200 <= status < 300 else []
            nodes += [contract.errors.shapes[status][0]] if status in contract.errors.shapes else []
            if kind or nodes:
                schemas[kind or _JSON] += [_titled(fitting_schema(node, budget), contract) for node in nodes]
        if schemas:
            response["content"] = {kind: _content(schema) for kind, schema in schemas.items()}
        responses[str(status)] = response
    return responses or {"default": {"description": "Not seen to be answered."}}


def _titled(schema: Schema, contract: Contract) -> Schema:
    return {**schema, **({"title": contract.operation} if contract.operation else {})}


def _content(schemas: list[Schema]) -> dict[str, Any]:
    distinct = [schema for index, schema in enumerate(schemas) if schema not in schemas[:index]]
    if not distinct:
        return {}
    return {"schema": distinct[0] if len(distinct) == 1 else {"anyOf": distinct}}
