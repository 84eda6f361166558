"""Bodies of a request in an answer, and where to read the rest of them."""

from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut
from gasoline_cdp.answers.amounts import clock, duration
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.network_entries import short_tag
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import block, word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.records import BodyRecord

# Bodies get more characters than other texts.
_CUT_FACTOR = 5
_JSON = "application/json"


# Without slots: made a thousand times for one answer, and three times faster.
@frozen(kw_only=True, slots=False)
class BodyEntry:
    """The bodies of one request. `truncated`: not everything is shown; `resource` has the rest."""

    ts: str
    id: str
    method: str
    url: str
    status: int | None
    requestBody: str | None = None  # noqa: N815 - the field names of the original tool
    responseBody: str | None = None  # noqa: N815
    contentType: str | None = None  # noqa: N815
    duration: float | None = None
    # `base64` if a binary body is read with a cursor.
    encoding: str | None = None
    truncated: bool = False
    resource: str | None = None
    missing: str | None = None
    tab_id: int
    # A mock of set_conditions answered it, not a server.
    mocked: bool = False
    ingested_from: str | None = None

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """The request, and below it the two bodies, each line behind a mark."""
        # Only cut if not even one entry would fit: the view has already cut bodies to the answer's size.
        most = limits.ANSWER_BYTES_MAX if chars >= limits.LINE_TEXT_CHARS else _CUT_FACTOR * chars
        words = (
            shared.url(self.url),
            word(self.contentType) if self.contentType and not self._is_plain_json() else "",
            duration(self.duration) if self.duration is not None else "",
            self.encoding,
            f"posted by {word(self.ingested_from)}" if self.ingested_from else "",
            shared.tab(self.tab_id),
            "mocked" if self.mocked else "",
            f"no body: {self.missing}" if self.missing else "",
            f"cut, whole: {self.resource}" if self.truncated and self.resource else "cut" if self.truncated else "",
        )
        yield Line(
            " ".join(filter(None, words)),
            time=clock(self.ts),
            tag=f"{self.id} {short_tag(self.method, self.status, None)}".strip(),
            tone="error" if (self.status or 0) >= 400 else "plain",
        )
        if self.requestBody:
            yield Line("sent:", depth=1)
            yield from _block(self.requestBody, most)
        if self.responseBody:
            # A response body needs a title only beside a request body.
            if self.requestBody:
                yield Line("got:", depth=1)
            yield from _block(self.responseBody, most)
        elif self.responseBody is not None and not self.missing:
            yield Line("got: nothing", depth=1)

    def _is_plain_json(self) -> bool:
        """Whether the type says no more than the body does."""
        return self.contentType == _JSON and (self.responseBody or "").lstrip()[:1] in {"{", "["}


def _block(body: str, most: int) -> Iterator[Line]:
    return (Line(line, depth=1) for line in block(body, most))


def body_resource(request_id: str, *, sent: bool = False) -> str:
    """The URI of the whole body as a resource."""
    return f"gasoline://network/{request_id}/{'request' if sent else 'response'}-body"


def show_body(record: BodyRecord) -> BodyEntry:
    """A body record as an entry."""
    return BodyEntry(
        ts=iso(record.ts),
        id=record.id,
        method=record.method,
        url=cut(record.url, ADDRESS_CHARS),
        status=record.status,
        requestBody=record.request_body,
        responseBody=record.response_body,
        contentType=record.content_type or None,
        duration=record.duration_ms,
        truncated=record.request_truncated or record.response_truncated,
        resource=(
            body_resource(record.id, sent=not record.response_truncated)
            if record.request_truncated or record.response_truncated
            else None
        ),
        missing=record.missing or None,
        tab_id=record.source.tab_id,
        ingested_from=record.source.ingested_from or None,
        mocked=record.mocked,
    )
