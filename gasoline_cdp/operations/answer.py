"""What a call gives, for any destination: the answer as a record, as plain values, and as JSON."""

from functools import cached_property
from typing import Any

from attrs import field, frozen

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError


@frozen
class Image:
    """A picture that goes with an answer."""

    data: bytes
    mime: str


@frozen
class Illustrated:
    """What a function returns whose answer has pictures."""

    answer: object
    images: tuple[Image, ...]


@frozen
class Answer:
    """Plain values that are dumped once, with the record they were dumped from; pictures where there are any."""

    data: dict[str, Any]
    is_error: bool = False
    images: tuple[Image, ...] = ()
    # An instance of the operation's answer class, for those who render it otherwise; `GasolineError` of a failure.
    record: object = field(default=None, eq=False)
    _known_json: bytes | None = field(default=None, eq=False, repr=False)

    @cached_property
    def json(self) -> bytes:
        """The values as JSON: encoded once, whoever asks for their size or sends them."""
        return wire.encode(self.data) if self._known_json is None else self._known_json

    def extended(self, **more: Any) -> "Answer":
        """The same with more fields at its end; what is encoded already is not encoded again."""
        json = wire.extend(self.json, more)
        return Answer({**self.data, **more}, self.is_error, self.images, self.record, json)


def failure(error: GasolineError) -> Answer:
    """An error in the one shape that all frontends use."""
    shape: dict[str, Any] = {"status": "error", "error": error.code.value, "message": error.message}
    if error.details:
        shape["details"] = error.details
    return Answer(shape, is_error=True, record=error)
