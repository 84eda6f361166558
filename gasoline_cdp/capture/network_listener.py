"""Listens to the network of each target: requests, bodies, WebSockets and event streams."""

import time

from gasoline_cdp.capture.bodies import Bodies
from gasoline_cdp.capture.code_changes import CodeChangeListener
from gasoline_cdp.capture.network import NetworkTracker
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
        self.network = NetworkTracker(self._request_finished)
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
            self._sockets.request_ended(pending.request_id, time.time())

    def _listen_requests(self, session: Session, sources: SessionSources) -> None:
        tracker = self.network

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
        session.on("Network.dataReceived", self._bodies.partials.data)
        session.on("Network.loadingFinished", tracker.loaded)
        session.on("Network.loadingFailed", tracker.failed)

    def _listen_sockets(self, session: Session, sources: SessionSources) -> None:
        sockets = self._sockets

        def created(params: Params) -> None:
            sockets.created(params, sources.own(), session, time.time(), sources.during)

        def streamed(params: Params) -> None:
            url = self.network.url_of(str(params.get("requestId", "")))
            sockets.event_source_message(params, url, sources.own(), session, time.time())

        session.on("Network.webSocketCreated", created)
        session.on("Network.webSocketWillSendHandshakeRequest", sockets.handshake_sent)
        session.on("Network.webSocketHandshakeResponseReceived", sockets.handshake_answered)
        session.on("Network.webSocketFrameReceived", sockets.frame_received)
        session.on("Network.webSocketFrameSent", sockets.frame_sent)
        session.on("Network.webSocketFrameError", sockets.frame_error)
        session.on("Network.webSocketClosed", sockets.closed)
        session.on("Network.eventSourceMessageReceived", streamed)
