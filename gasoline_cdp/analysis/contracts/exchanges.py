"""What calls of an endpoint sent, and what it answered on errors: for the description of an API.

Only names and types are kept, never values.
"""

import re
from typing import Any
from urllib.parse import parse_qsl

from attrs import define, evolve, field, frozen

from gasoline_cdp.analysis.contracts.shape_tree import Node, is_name, learn
from gasoline_cdp.analysis.normalise import is_id

# There was no JSON, or none that could be parsed.
ABSENT: Any = object()

# Parameters learned per endpoint. Further ones are ignored.
_PARAMETERS = 40
_MEDIA_TYPES = 4
_STATUSES = 12
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?\d{1,18}\.\d{1,18}")
_BOOLEANS = ("true", "false")


@frozen(kw_only=True)
class Exchange:
    """One call: the types in its address, its body and its answer. Values are `ABSENT` if they are not JSON."""

    query: str = ""
    request_type: str = ""
    request: Any = ABSENT
    response_type: str = ""


@define(eq=False)
class Parameter:
    """A query parameter: the types of its values, and the number of calls that had it."""

    types: set[str] = field(factory=set)
    calls: int = 0
    repeated: bool = False


@define(eq=False)
class SentShapes:
    """What the calls of one endpoint have sent so far."""

    calls: int = 0
    parameters: dict[str, Parameter] = field(factory=dict)
    # Request media type → the shape of JSON or form fields, and the number of bodies it was learned from.
    bodies: dict[str, tuple[Node, int]] = field(factory=dict)
    with_body: int = 0

    def learn(self, exchange: Exchange) -> None:
        """Learn one more call."""
        self.calls += 1
        self._learn_query(exchange.query)
        kind = media_type(exchange.request_type)
        if not kind:
            return
        self.with_body += 1
        if kind not in self.bodies and len(self.bodies) >= _MEDIA_TYPES:
            return
        node, learned = self.bodies.get(kind, (Node(), 0))
        if exchange.request is not ABSENT:
            learn(node, exchange.request, learned)
            learned += 1
        self.bodies[kind] = node, learned

    def joined(self, tried: "SentShapes") -> "SentShapes":
        """This one, completed by what only the other one has."""
        if not self.calls:
            return tried
        optional = {name: evolve(known, calls=0) for name, known in tried.parameters.items()}
        return evolve(self, parameters=optional | self.parameters, bodies=tried.bodies | self.bodies)

    def _learn_query(self, query: str) -> None:
        seen: set[str] = set()
        for name, value in parse_qsl(query, keep_blank_values=True)[:_PARAMETERS]:
            known = self.parameters.get(name)
            if known is None:
                # A bare number serves to bypass a cache.
                if len(self.parameters) >= _PARAMETERS or is_id(name) or not is_name(name):
                    continue
                known = self.parameters[name] = Parameter()
            known.types.add(_type_of_text(value))
            if name in seen:
                known.repeated = True
            else:
                known.calls += 1
            seen.add(name)


@define(eq=False)
class ErrorShapes:
    """The shapes of error answers by status, and the media type of every status."""

    media_types: dict[int, str] = field(factory=dict)
    shapes: dict[int, tuple[Node, int]] = field(factory=dict)

    def learn(self, status: int, exchange: Exchange, value: Any, *, success: bool) -> None:
        """Learn one more answer."""
        if status not in self.media_types and len(self.media_types) >= _STATUSES:
            return
        if kind := media_type(exchange.response_type):
            self.media_types[status] = kind
        if not success and value is not ABSENT:
            node, learned = self.shapes.get(status, (Node(), 0))
            learn(node, value, learned)
            self.shapes[status] = node, learned + 1


def media_type(content_type: str) -> str:
    """`application/json` from `application/json; charset=utf-8`. Empty if it is no media type."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind if "/" in kind and len(kind) <= 100 and is_name(kind) else ""


def form_fields(text: str) -> dict[str, Any]:
    """The fields of a form as JSON values."""
    fields: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True)[:_PARAMETERS]:
        fields[name] = [*_as_list(fields[name]), value] if name in fields else value
    return fields


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _type_of_text(value: str) -> str:
    if _INTEGER.fullmatch(value):
        return "integer"
    if _NUMBER.fullmatch(value):
        return "number"
    return "boolean" if value.lower() in _BOOLEANS else "string"
