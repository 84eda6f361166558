"""Joins Chrome's network events into one record per request.

The orders in which events of one request can arrive:

    requestWillBeSent → responseReceived → dataReceived* → loadingFinished           the usual case
    requestWillBeSent → loadingFailed                                                 refused, blocked, offline
    requestWillBeSent → responseReceived → dataReceived* → loadingFailed              aborted half-way
    requestWillBeSent → requestWillBeSent(redirectResponse) → …                       each hop is a record
    requestWillBeSent → requestServedFromCache → responseReceived → loadingFinished   memory cache

The `…ExtraInfo` events carry the headers as they were on the wire. They come from another process: before or after
any of the above, even after loadingFinished, once per hop that has them, in the order of the hops. A finished
request that still expects one waits for it, but not for long: `SETTLE_SECONDS`.

This module is pure: it is told the time and whose request it is, and hands each finished request to `finished`.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import count

from attrs import define, field

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.pending_request import Body, Params, PendingRequest, initiator_phrase, number
from gasoline_cdp.capture.request_bodies import sent_body
from gasoline_cdp.capture.stacks import mapping, parse_stack
from gasoline_cdp.capture.wire_sizes import path_length
from gasoline_cdp.records import Source
from gasoline_cdp.redact import collect_masked, safe_body, safe_url, safe_word

SETTLE_SECONDS = 1.0
# How long a request may outlive its page before we stop waiting for its end.
LEFT_SECONDS = 2.0
# Chrome's own pages (settings, new tab, developer tools) are not the user's traffic.
_OWN_SCHEMES = ("chrome:", "chrome-untrusted:", "chrome-search:", "chrome-extension:", "devtools:", "about:")
_EARLY = 200


@define(eq=False)
class _Chain:
    """All hops that share a request id, oldest first, and extra information that arrived before its hop."""

    hops: list[PendingRequest] = field(factory=list)
    early: list[tuple[str, Params]] = field(factory=list)


class NetworkTracker:
    """Pending requests of one browser. `finished` gets every hop once, when it is complete."""

    def __init__(self, finished: Callable[[PendingRequest], None], next_id: Callable[[], str] | None = None) -> None:
        self._finished = finished
        # Makes the id of the next request.
        self.next_id = next_id or map("r{}".format, count(1)).__next__
        self._chains: BoundedDict[str, _Chain] = BoundedDict(limits.REQUESTS_IN_FLIGHT, self._evicted)
        self._orphans: BoundedDict[str, list[tuple[str, Params]]] = BoundedDict(_EARLY)
        self._waiting: OrderedDict[str, float] = OrderedDict()
        self._left: OrderedDict[str, float] = OrderedDict()
        # Ids of recently ended requests: Chrome may announce a preflight after its request.
        self._ended_ids: BoundedDict[str, str] = BoundedDict(_EARLY)
        # Ids that preflights reserved for requests which Chrome has not announced yet.
        self._reserved_ids: BoundedDict[str, str] = BoundedDict(_EARLY)
        # When documents were requested, by loader id.
        self._documents: BoundedDict[str, float] = BoundedDict(_EARLY)
        # The addresses that mocks answered, by request id: Chrome may tell of a request later than it holds it.
        self._mocked: BoundedDict[str, str] = BoundedDict(_EARLY)
        # The newest time on Chrome's clock, and the offset to seconds since the epoch.
        self.now = 0.0
        self.clock = 0.0
        self.evicted = 0

    def url_of(self, request_id: str) -> str:
        """The address of a pending request."""
        chain = self._chains.get(request_id)
        return chain.hops[-1].url if chain else ""

    def document_asked_for(self, loader_id: str) -> float | None:
        """When a document was requested. None if we did not see it, since its tab did not wait for us."""
        return self._documents.get(loader_id)

    def in_flight(self) -> Iterator[PendingRequest]:
        """Every hop not yet passed to `finished`, newest first."""
        for chain in reversed(self._chains.values()):
            yield from reversed(chain.hops)

    def request(self, params: Params, source: Source, owner: object, during: float | None = None) -> None:
        """Network.requestWillBeSent; `during` is when the user event began that the page is handling."""
        request = mapping(params.get("request"))
        request_id, now = str(params.get("requestId", "")), number(params.get("timestamp"))
        self.now = max(self.now, now)
        self.clock = number(params.get("wallTime"), now + self.clock) - now
        self.settle(now)
        raw_url = str(request.get("url", ""))
        chain = self._chains.get(request_id)
        own = raw_url.startswith(_OWN_SCHEMES) or str(params.get("documentURL", "")).startswith(_OWN_SCHEMES[:5])
        if own and chain is None:
            # An extension may redirect a page's request to itself. That hop belongs to the page.
            return
        if params.get("type") == "Document":
            self._documents.setdefault(str(params.get("loaderId", "")), number(params.get("wallTime")))
        redirected_from = ""
        if chain is not None:
            redirected_from = self._end_hop(chain, params, raw_url, now)
        else:
            chain = self._chains[request_id] = _Chain(early=self._orphans.pop(request_id, []))
        with collect_masked() as in_url:
            url = safe_url(raw_url) + safe_url(request.get("urlFragment") or "", 200)
        with collect_masked() as in_body:
            # Redact and cut it now: a page may have thousands of pending requests.
            post_data = _safe(sent_body(request, mapping(request.get("headers"))))
        pending = PendingRequest(
            id=self._reserved_ids.pop(request_id, "") or self.next_id(),
            request_id=request_id,
            source=source,
            owner=owner,
            ts=number(params.get("wallTime")),
            started=now,
            method=safe_word(request.get("method", "GET"), 20),
            url=url,
            masked_in_url=in_url,
            masked_in_body=in_body,
            type=safe_word(params.get("type", "Other"), 30),
            initiator=initiator_phrase(params.get("initiator")),
            initiator_frames=parse_stack(mapping(params.get("initiator")).get("stack")),
            preflight_for=self._asks_for(mapping(params.get("initiator"))),
            during=during,
            loader_id=str(params.get("loaderId", "")),
            redirected_from=redirected_from,
            post_data=post_data,
            has_post_data=bool(request.get("hasPostData")),
            path_chars=path_length(raw_url),
            request_headers=mapping(request.get("headers")),
        )
        if request_id in self._mocked and _bare(url) == self._mocked[request_id]:
            pending.mocked = True
            del self._mocked[request_id]
        chain.hops.append(pending)
        for kind, extra in [*chain.early]:
            chain.early.remove((kind, extra))
            self._extra(kind, chain, extra)
        self._emit_complete(request_id, chain)

    def _asks_for(self, initiator: Params) -> str:
        """A preflight names its request, which Chrome announces before or after it, or which has ended already."""
        if initiator.get("type") != "preflight":
            return ""
        request_id = str(initiator.get("requestId", ""))
        chain = self._chains.get(request_id)
        if chain:
            return chain.hops[-1].id
        if request_id in self._ended_ids:
            return self._ended_ids[request_id]
        return self._reserved_ids.setdefault(request_id, self.next_id())

    def mocked(self, request_id: str, url: str) -> None:
        """A mock answers this hop of a request. Told before the answer is sent."""
        address = safe_url(url)
        chain = self._chains.get(request_id)
        if chain is not None and _bare(chain.hops[-1].url) == address:
            chain.hops[-1].mocked = True
        else:
            self._mocked[request_id] = address

    def left(self, owner: object, loader_id: str, now: float) -> None:
        """A page has navigated: for requests that outlive it (beacons), Chrome often does not report the end."""
        for request_id, chain in self._chains.items():
            for pending in chain.hops:
                if pending.owner is owner and pending.loader_id not in ("", loader_id) and pending.ended is None:
                    pending.left_at = now
                    self._left[request_id] = now

    def _end_hop(self, chain: _Chain, params: Params, next_url: str, now: float) -> str:
        """The request was redirected, or sent again under the same id. In both cases the previous hop is over."""
        last = chain.hops[-1]
        redirect = params.get("redirectResponse")
        if isinstance(redirect, dict):
            self._take_response(last, redirect)
            last.expects_extra = bool(params.get("redirectHasExtraInfo"))
            last.outcome, last.redirect_to, last.ended = "redirect", safe_url(next_url), now
            last.encoded_bytes = int(number(redirect.get("encodedDataLength")))
            return last.url
        if last.ended is None:
            last.outcome, last.failure, last.ended = "aborted", "sent again under the same id", now
        last.expects_extra = False
        return ""

    def request_extra(self, params: Params) -> None:
        """Network.requestWillBeSentExtraInfo: the headers as sent, cookies included."""
        self._find_extra("request", params)

    def response_extra(self, params: Params) -> None:
        """Network.responseReceivedExtraInfo: the headers as received, and the status before any cache."""
        self._find_extra("response", params)

    def served_from_cache(self, params: Params) -> None:
        """Network.requestServedFromCache."""
        if pending := self._current(params):
            pending.from_cache = True

    def response(self, params: Params, owner: object) -> PendingRequest | None:
        """Network.responseReceived, on the session that has the body: for a worker's script, the worker's."""
        if pending := self._current(params):
            pending.owner = owner
            self._take_response(pending, mapping(params.get("response")))
            pending.type = safe_word(params.get("type", pending.type), 30)
            # For what the page had in its memory Chrome announces it, too, and sends none.
            pending.expects_extra = bool(params.get("hasExtraInfo")) and not pending.from_cache
        return pending

    def data(self, params: Params) -> None:
        """Network.dataReceived."""
        if pending := self._current(params):
            pending.decoded_bytes += int(number(params.get("dataLength")))
            pending.encoded_bytes += int(number(params.get("encodedDataLength")))

    def loaded(self, params: Params) -> None:
        """Network.loadingFinished."""
        if pending := self._current(params):
            pending.encoded_bytes = int(number(params.get("encodedDataLength"))) or pending.encoded_bytes
            pending.outcome = "http_error" if (pending.status or 0) >= 400 else "ok"
            self._end(pending, number(params.get("timestamp")))

    def failed(self, params: Params) -> None:
        """Network.loadingFailed."""
        if pending := self._current(params):
            pending.fail(params)
            self._end(pending, number(params.get("timestamp")))

    def owner_gone(self, owner: object, reason: str) -> None:
        """The page of these requests was closed or crashed: Chrome will not report their end."""
        for request_id, chain in list(self._chains.items()):
            for pending in chain.hops:
                if pending.owner is owner:
                    pending.expects_extra = False
                    if pending.ended is None:
                        pending.outcome, pending.failure, pending.ended = "aborted", reason, pending.started
            self._emit_complete(request_id, chain)

    def all_gone(self, reason: str) -> None:
        """The browser is gone: no request's end will be reported."""
        for owner in {pending.owner for pending in self.in_flight()}:
            self.owner_gone(owner, reason)

    def settle(self, now: float) -> None:
        """Finish what has waited long enough for extra information, or for an end after its page was left."""
        while self._left:
            request_id, since = next(iter(self._left.items()))
            if now - since < LEFT_SECONDS:
                break
            del self._left[request_id]
            if chain := self._chains.get(request_id):
                for pending in chain.hops:
                    if pending.left_at is not None and pending.ended is None:
                        pending.outcome, pending.ended = "unknown", pending.started
                        pending.failure = "the page was left before its end was told"
                        pending.expects_extra = False
                self._emit_complete(request_id, chain)
        while self._waiting:
            request_id, since = next(iter(self._waiting.items()))
            if now - since < SETTLE_SECONDS:
                return
            del self._waiting[request_id]
            if chain := self._chains.get(request_id):
                for pending in chain.hops:
                    pending.expects_extra = False
                self._emit_complete(request_id, chain)

    def _current(self, params: Params) -> PendingRequest | None:
        chain = self._chains.get(str(params.get("requestId", "")))
        return chain.hops[-1] if chain and chain.hops[-1].ended is None else None

    def _take_response(self, pending: PendingRequest, response: Params) -> None:
        pending.response = response
        if pending.status is None:
            pending.status = int(number(response.get("status")))
        if not pending.has_extra:
            pending.response_headers = mapping(response.get("headers"))
        if headers := mapping(response.get("requestHeaders")):
            pending.request_headers = {**pending.request_headers, **headers}

    def _end(self, pending: PendingRequest, now: float) -> None:
        pending.ended = max(now, pending.started)
        chain = self._chains[pending.request_id]
        self._emit_complete(pending.request_id, chain)
        if pending.request_id in self._chains:
            self._waiting[pending.request_id] = now

    def _find_extra(self, kind: str, params: Params) -> None:
        request_id = str(params.get("requestId", ""))
        chain = self._chains.get(request_id)
        if chain is None:
            orphans = self._orphans.setdefault(request_id, [])
            if len(orphans) < _EARLY:
                orphans.append((kind, params))
            return
        self._extra(kind, chain, params)
        self._emit_complete(request_id, chain)

    def _extra(self, kind: str, chain: _Chain, params: Params) -> None:
        """Give extra information to the first hop without it; keep it if that hop is still to come."""
        headers = mapping(params.get("headers"))
        if kind == "request":
            lacking = (hop for hop in chain.hops if not hop.has_request_extra)
        else:
            lacking = (hop for hop in chain.hops if not hop.has_extra and (hop.ended is None or hop.expects_extra))
        hop = next(lacking, None)
        if hop is None:
            if len(chain.early) < _EARLY:
                chain.early.append((kind, params))
            return
        if kind == "request":
            hop.has_request_extra = True
            hop.request_headers = {**hop.request_headers, **headers}
            return
        hop.has_extra = True
        hop.response_headers = headers
        if isinstance(text := params.get("headersText"), str):
            hop.header_text_bytes = len(text.encode(errors="replace"))
        if status := int(number(params.get("statusCode"))):
            hop.status = status

    def _emit_complete(self, request_id: str, chain: _Chain) -> None:
        for pending in [hop for hop in chain.hops if hop.ended is not None]:
            if pending.has_extra or not pending.expects_extra:
                chain.hops.remove(pending)
                self._ended_ids[request_id] = pending.id
                self._finished(pending)
        if not chain.hops:
            self._chains.pop(request_id, None)
            self._waiting.pop(request_id, None)
            self._left.pop(request_id, None)

    def _evicted(self, _: str, chain: _Chain) -> None:
        for pending in chain.hops:
            # Store it as it is: a page cannot make us forget a request by never ending it.
            self.evicted += 1
            self._finished(pending)


def _bare(url: str) -> str:
    return url.partition("#")[0]


def _safe(body: str | None) -> Body | None:
    return None if body is None else Body(*safe_body(body, limits.REQUEST_BODY_BYTES))
