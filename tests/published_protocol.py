"""The DevTools Protocol as the browser itself publishes it, and whether a message fits it."""

import json
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from attrs import define, field

Params = dict[str, Any]

# Fields that we add ourselves: what a second look at an object found.
_OURS = {"deeper"}

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "binary": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@define
class PublishedProtocol:
    """Commands and events with their parameters, and the types that these are made of."""

    domains: set[str] = field(factory=set)
    commands: dict[str, dict[str, Params]] = field(factory=dict)
    events: dict[str, dict[str, Params]] = field(factory=dict)
    _types: dict[str, Params] = field(factory=dict)
    # Every name that a field of anything has.
    names: set[str] = field(factory=lambda: set(_OURS))

    def problems(self, method: str, params: Params) -> list[str]:
        """What is wrong with a command: its name, a parameter that it does not have, or one that it must."""
        if method not in self.commands:
            return [f"there is no command {method}"]
        domain = method.partition(".")[0]
        return list(self._problems_of(list(self.commands[method].values()), params, method, domain))

    def fields_of(self, event: str) -> dict[str, Params] | None:
        """The parameters of an event; None if there is no such event."""
        return self.events.get(event)

    def inner(self, declared: Params, domain: str) -> dict[str, Params] | None:
        """The fields of an object; None of what is none, or holds anything."""
        declared, _ = self._resolved(declared, domain)
        found = declared.get("properties")
        return {one["name"]: one for one in found} if found else None

    def domain_of(self, declared: Params, domain: str) -> str:
        """Where the names inside a type are looked up."""
        return self._resolved(declared, domain)[1]

    def _resolved(self, declared: Params, domain: str) -> tuple[Params, str]:
        while reference := declared.get("$ref"):
            name = reference if "." in reference else f"{domain}.{reference}"
            declared, domain = self._types[name], name.partition(".")[0]
        return declared, domain

    def _problems_of(self, declared: list[Params], given: Params, where: str, domain: str) -> Iterator[str]:
        known = {one["name"]: one for one in declared}
        yield from (f"{where} has no {name}" for name in given if name not in known)
        yield from (
            f"{where} needs {name}" for name, one in known.items() if not one.get("optional") and name not in given
        )
        for name, value in given.items():
            if name in known:
                yield from self._value(known[name], value, f"{where}.{name}", domain)

    def _value(self, declared: Params, value: Any, where: str, domain: str) -> Iterator[str]:
        declared, domain = self._resolved(declared, domain)
        kind = declared.get("type", "any")
        if kind in _TYPES and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
            yield f"{where} is {type(value).__name__} and not {kind}"
        elif "enum" in declared and value not in declared["enum"]:
            yield f"{where} may not be {value!r}"
        elif kind == "array" and "items" in declared:
            for one in value:
                yield from self._value(declared["items"], one, f"{where}[]", domain)
        elif kind == "object" and "properties" in declared:
            yield from self._problems_of(declared["properties"], value, where, domain)


def read_protocol(debugging_address: str) -> PublishedProtocol:
    """What the browser at this address understands."""
    with urllib.request.urlopen(f"http://{urlsplit(debugging_address).netloc}/json/protocol", timeout=30) as reply:
        published = json.load(reply)
    found = PublishedProtocol()
    for domain in published["domains"]:
        name = domain["domain"]
        found.domains.add(name)
        for one in domain.get("types", ()):
            found._types[f"{name}.{one['id']}"] = one
            found.names.update(each["name"] for each in one.get("properties", ()))
        for kind, listed in (("commands", found.commands), ("events", found.events)):
            for one in domain.get(kind, ()):
                listed[f"{name}.{one['name']}"] = {each["name"]: each for each in one.get("parameters", ())}
        found.names.update(each for one in found.events.values() for each in one)
    return found


class Told(Params):
    """What an event or an object in it tells: reading a field that nothing in the protocol has is a mistake.

    Of nothing at all, since some of our readers serve several objects that are alike.
    """

    def __init__(self, value: Params, protocol: PublishedProtocol, fields: dict[str, Params], domain: str) -> None:
        super().__init__(
            (name, _told(one, protocol, fields[name], domain) if name in fields else one) for name, one in value.items()
        )
        self._known = protocol.names

    def get(self, key: str, default: Any = None) -> Any:
        assert key in self._known, f"nothing in the protocol has a field {key}"
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        assert key in self._known, f"nothing in the protocol has a field {key}"
        return super().__getitem__(key)


def _told(value: Any, protocol: PublishedProtocol, declared: Params, domain: str) -> Any:
    if isinstance(value, list) and "items" in declared:
        return [_told(one, protocol, declared["items"], domain) for one in value]
    inner = protocol.inner(declared, domain) if isinstance(value, dict) else None
    return value if inner is None else Told(value, protocol, inner, protocol.domain_of(declared, domain))


def told(protocol: PublishedProtocol, event: str, params: Params) -> Params:
    """The parameters of an event that notice when somebody reads what no browser tells."""
    fields = protocol.fields_of(event)
    return params if fields is None else Told(params, protocol, fields, event.partition(".")[0])
