"""Listens to the network of each target: requests, bodies, WebSockets and event streams."""

import time
from functools import partial

from gasoline_cdp.capture.bodies import Bodies
from gasoline_cdp.capture.code_changes import CodeChangeListener
from gasoline_cdp.capture.network_trackers import NetworkTrackers
from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.sources import SessionSources
from gasoline_cdp.capture.websocket import SocketTracker
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.records import WRONG
from gasoline_cdp.store.telemetry import Telemetry


class NetworkListener:
    """Combines the events of requests with `network`, and stores each request when it has ended."""

    def __init__(
        self,
        telemetry: Telemetry,
        bodies: Bodies,
        sockets: SocketTracker,
        source_maps: SourceMaps,
        code_changes: CodeChangeListener,
    ) -> None:
        self.network = NetworkTrackers(self._request_finished)
        self._telemetry = telemetry
        self._bodies = bodies
        self._sockets = sockets
        self._source_maps = source_maps
        self._code_changes = code_changes

    def listen(self, session: Session, sources: SessionSources) -> None:
        """Subscribe to the events of one target."""
        self._listen_requests(session, sources)
        self._listen_sockets(session, sources)

    def _request_finished(self, pending: PendingRequest) -> None:
        record = pending.record(self._telemetry.next_seq())
        self._telemetry.add(record)
        self._code_changes.finished(record)
        self._bodies.inspection.sent(pending, record, bodies=self._bodies.mode != "off")
        self._bodies.offer(pending, record)
        if record.outcome in WRONG and isinstance(pending.owner, Session):
            self._source_maps.wanted(record, pending.owner)
        if pending.type == "EventSource":
            self._sockets.request_ended(pending.request_id, time.time(), pending.source.browser_id)

    def _listen_requests(self, session: Session, sources: SessionSources) -> None:
        tracker = self.network.of(session.browser_id)

        def request(params: Params) -> None:
            if session.unrecorded is not None and session.unrecorded(params):
                return
            source = sources.of_frame(params.get("frameId"))
            tracker.request(params, source, session, sources.during)
            if params.get("type") == "Script":
                self._code_changes.asked(params, source)

        def response(params: Params) -> None:
            if pending := tracker.response(params, session):
                self._bodies.responded(pending)
            if params.get("type") == "Script":
                self._source_maps.script_loaded(params, sources.of_frame(params.get("frameId")), session)

        session.on("Network.requestWillBeSent", request)
        session.on("Network.requestWillBeSentExtraInfo", tracker.request_extra)
        session.on("Network.requestServedFromCache", tracker.served_from_cache)
        session.on("Network.responseReceived", response)
        session.on("Network.responseReceivedExtraInfo", tracker.response_extra)
        session.on("Network.dataReceived", tracker.data)
        session.on("Network.dataReceived", partial(self._bodies.partials.data, session.browser_id))
        session.on("Network.loadingFinished", tracker.loaded)
        session.on("Network.loadingFailed", tracker.failed)

    def _listen_sockets(self, session: Session, sources: SessionSources) -> None:
        sockets, tracker = self._sockets, self.network.of(session.browser_id)

        def created(params: Params) -> None:
            sockets.created(params, sources.own(), session, time.time(), sources.during)

        def streamed(params: Params) -> None:
            url = tracker.url_of(str(params.get("requestId", "")))
            sockets.event_source_message(params, url, sources.own(), session, time.time())

        session.on("Network.webSocketCreated", created)
        session.on(
            "Network.webSocketWillSendHandshakeRequest", partial(sockets.handshake_sent, browser_id=session.browser_id)
        )
        session.on(
            "Network.webSocketHandshakeResponseReceived",
            partial(sockets.handshake_answered, browser_id=session.browser_id),
        )
        session.on("Network.webSocketFrameReceived", partial(sockets.frame_received, browser_id=session.browser_id))
        session.on("Network.webSocketFrameSent", partial(sockets.frame_sent, browser_id=session.browser_id))
        session.on("Network.webSocketFrameError", partial(sockets.frame_error, browser_id=session.browser_id))
        session.on("Network.webSocketClosed", partial(sockets.closed, browser_id=session.browser_id))
        session.on("Network.eventSourceMessageReceived", streamed)
