"""Listens to the console of each target: calls, exceptions, and the browser's own messages."""

from collections.abc import Callable

from attrs import evolve

from gasoline_cdp.capture.catching import Catcher
from gasoline_cdp.capture.console import (
    Groups,
    ParsedLog,
    console_text,
    exception_text,
    parse_console,
    parse_exception,
    parse_log_entry,
)
from gasoline_cdp.capture.debugger import Debugger
from gasoline_cdp.capture.inspection import Inspection
from gasoline_cdp.capture.issues import Issues
from gasoline_cdp.capture.previews import PreviewFetcher
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.sources import SessionSources
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.records import LogRecord
from gasoline_cdp.redact import collect_masked
from gasoline_cdp.store.telemetry import Telemetry


class ConsoleListener:
    """Stores each message as it arrives, and requests what can be learned about it later."""

    def __init__(
        self, telemetry: Telemetry, inspection: Inspection, previews: PreviewFetcher, source_maps: SourceMaps
    ) -> None:
        self._telemetry = telemetry
        self._inspection = inspection
        self._previews = previews
        self._source_maps = source_maps
        self.debugger = Debugger()
        # Knows the variables where exceptions were thrown, while somebody wants them.
        self.catcher = Catcher(self.debugger, source_maps, telemetry)

    def listen(self, session: Session, sources: SessionSources) -> None:
        """Subscribe to the events of one target."""
        groups = Groups()

        def add(words: ParsedLog, context_id: object, depth: int = 0, reported: object = None) -> LogRecord:
            source = sources.of_context(context_id)
            if reported and (values := self.catcher.taken(session, reported, words.frames)):
                words = evolve(words, values=values)
            record = words.record(self._telemetry.next_seq(), source, depth, sources.during)
            self._telemetry.add(record)
            self._source_maps.wanted(record, session)
            if reported and words.values:
                self.catcher.recorded(session, reported, record)
            return record

        def called(params: Params) -> None:
            depth = groups.depth(params)
            with collect_masked() as masked:
                words = parse_console(params)
            if words:
                reported = params.get("args") if words.level == "error" else None
                record = add(words, params.get("executionContextId"), depth, reported)
                self._inspection.logged(record, masked)
                self._previews.offer(session, params, record, console_text)

        def thrown(params: Params) -> None:
            details = params.get("exceptionDetails") or {}
            with collect_masked() as masked:
                words = parse_exception(params)
            record = add(words, details.get("executionContextId"), reported=[details.get("exception")])
            self._inspection.logged(record, masked)
            self._previews.offer(session, params, record, exception_text)

        def logged(params: Params) -> None:
            if words := parse_log_entry(params):
                add(words, None)

        def seen(words: ParsedLog) -> LogRecord:
            return add(words, None)

        self.debugger.adopt(session, lambda: sources.of_context(None), seen)
        session.on("Runtime.consoleAPICalled", called)
        session.on("Runtime.exceptionThrown", thrown)
        session.on("Runtime.executionContextsCleared", groups.contexts_cleared)
        session.on("Log.entryAdded", logged)
        self._listen_issues(session, seen)

    @staticmethod
    def _listen_issues(session: Session, seen: Callable[[ParsedLog], LogRecord]) -> None:
        issues = Issues()

        def added(params: Params) -> None:
            if words := issues.parse(params):
                seen(words)

        session.on("Runtime.executionContextsCleared", issues.forget)
        session.on("Audits.issueAdded", added)
