"""Notices when the code of a tab changes: its development server says so, or a load brings other files.

Nothing is asked of the page or of Chrome. What a server says is in the messages of its socket (`ServerWords`). What a
load brings is distinguished by what each response says of its content: its ETag, its size, when it was last modified;
by the hash in the name of a file that the document names; and by the body, where bodies are kept. Where these say
nothing, nothing is known, and no change is recorded.
"""

from hashlib import blake2b
from typing import Any

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.events.hashed_names import without_hash
from gasoline_cdp.analysis.events.hot_updates import ServerWord, ServerWords, read_request
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.pending_request import number
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.records import LogRecord, NetworkRecord, Source
from gasoline_cdp.redact import REDACTED, safe_url
from gasoline_cdp.store.code_changes import CodeChange
from gasoline_cdp.store.telemetry import Telemetry

_CODE = frozenset({"Script", "Stylesheet"})
_FILE_CHARS = 100
# Builds of a server, by their names.
_BUILDS = 200
# What Chrome calls the cause of a request that the markup of a document makes.
_BY_DOCUMENT = "parser"


@frozen
class _Load:
    """The document that a tab shows: which one it is, when it was asked for, and what had arrived when it came."""

    navigation: int
    started: float
    seq: int
    url: str


@frozen
class _NamedFiles:
    """The files with a hash in their name that one load of a document named.

    Address without the hash → the address and its time; None if there are several.
    """

    navigation: int
    files: dict[str, tuple[str, float] | None]

    def add(self, stem: str, url: str, ts: float) -> None:
        known = self.files.get(stem)
        if stem not in self.files:
            if len(self.files) < limits.CODE_NAMES:
                self.files[stem] = url, ts
        elif known and known[0] != url:
            self.files[stem] = None


@frozen
class _Body:
    """What a file had in a load."""

    ts: float
    navigation: int
    digest: bytes


@frozen
class _Content:
    """What a response says of its content; None where it says nothing."""

    ts: float
    navigation: int
    etag: str | None
    modified: str | None
    size: int | None


class CodeChangeListener:
    """Hears of messages, loads and files, and records the changes."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._words: BoundedDict[str, ServerWords] = BoundedDict(limits.SOCKETS_TRACKED)
        # The build that a tab has, and the document that has it: by tab, address of the server and name of the build.
        self._builds: BoundedDict[tuple[int, str, str], tuple[str, int]] = BoundedDict(_BUILDS)
        self._loads: BoundedDict[int, _Load] = BoundedDict(limits.TABS_REMEMBERED)
        self._files: BoundedDict[tuple[int, str], _Content] = BoundedDict(limits.CODE_FILES)
        self._bodies: BoundedDict[tuple[int, str], _Body] = BoundedDict(limits.CODE_FILES)
        # By tab and document: at the load before, and at the last.
        self._names: BoundedDict[tuple[int, str], tuple[_NamedFiles | None, _NamedFiles]] = BoundedDict(
            limits.CODE_DOCUMENTS
        )

    def navigated(self, source: Source, started: float | None, now: float) -> None:
        """A tab shows another document; `started` is when it was asked for, where that was seen."""
        document = source.url.partition("#")[0]
        self._loads[source.tab_id] = _Load(source.navigation, started or now, self._telemetry.last_seq, document)

    def on_message(
        self, connection_id: str, url: str, protocol: str, source: Source, text: str, ts: float, event: str = ""
    ) -> None:
        """A message has come to a page over one of its sockets or event streams."""
        if source.kind != "page":
            # A stranger's frame does not speak for the page.
            return
        words = self._words.get(connection_id)
        if words is None:
            words = self._words[connection_id] = ServerWords(url, protocol)
        if word := words.read(text, source.url, event):
            self._said(word, url, source, ts)

    def asked(self, params: dict[str, Any], source: Source) -> None:
        """Network.requestWillBeSent: a page asks for a script."""
        url = str(mapping(params.get("request")).get("url", ""))
        if source.kind == "page" and (word := read_request(url)):
            self._said(word, url, source, number(params.get("wallTime")))

    def finished(self, record: NetworkRecord) -> None:
        """A request has ended: another content than before may have come."""
        if not _is_own_code(record):
            return
        now = _content_of(record)
        key = (record.source.tab_id, record.url)
        before = self._files.get(key)
        self._files[key] = now
        self._named(record)
        if before and before.navigation < now.navigation and (difference := _difference(before, now)):
            self._brought(record, f"{_shown(record.url)} came back with {difference} than before", before.ts)

    def read(self, record: NetworkRecord, text: str) -> None:
        """The body of a response was read, to be kept: another one than before may have come."""
        if not _is_own_code(record):
            return
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        key, now = (record.source.tab_id, record.url), _Body(record.ts, record.source.navigation, digest)
        before = self._bodies.get(key)
        self._bodies[key] = now
        if before and before.navigation < now.navigation and before.digest != now.digest:
            self._brought(record, f"{_shown(record.url)} came back with another content than before", before.ts)

    def _named(self, record: NetworkRecord) -> None:
        """A document names a file with a hash in its name: it may have named another in its place before."""
        stem, load = without_hash(record.url), self._loads.get(record.source.tab_id)
        if not stem or not record.initiator.startswith(_BY_DOCUMENT):
            return
        if load is None or load.navigation != record.source.navigation:
            return
        key = (record.source.tab_id, load.url)
        before, now = self._names.get(key) or (None, _NamedFiles(load.navigation, {}))
        if now.navigation != load.navigation:
            before, now = now, _NamedFiles(load.navigation, {})
        now.add(stem, record.url, record.ts)
        self._names[key] = before, now
        # Of several that are alike but for their hash, nobody knows which became which.
        name, ts = (before.files.get(stem) if before else None) or ("", 0.0)
        if name and name != record.url:
            self._brought(record, f"{_shown(record.url)} is loaded, where the load before had {_shown(name)}", ts)

    def _brought(self, record: NetworkRecord, text: str, before: float) -> None:
        """The document that a tab shows has other code than the one that got this file at `before`."""
        source, load = record.source, self._loads.get(record.source.tab_id)
        if load is None or load.navigation != source.navigation:
            return
        known = self._telemetry.code_changes.of_tab(source.tab_id)
        # What was announced since the file was last loaded explains it.
        if known and (known.ts > before or known.navigation >= source.navigation):
            return
        text = f"Code changed: {text}"
        if record.ts - load.started < limits.LOAD_PATIENCE_SECONDS:
            self._record(text, "a load", source, load.started, from_seq=load.seq, navigation=load.navigation)
        else:
            # What the page has run until now did not have it.
            self._record(text, "a load", source, record.ts, navigation=load.navigation)

    def _said(self, word: ServerWord, url: str, source: Source, ts: float) -> None:
        files = f": {', '.join(map(_shown, word.files))}" if word.files else ""
        load = self._loads.get(source.tab_id)
        if word.effect == "build":
            key = (source.tab_id, url.partition("?")[0], word.name)
            before = self._builds.get(key)
            self._builds[key] = word.build, source.navigation
            if before is None or before[0] == word.build:
                return
            if before[1] != source.navigation and load and load.navigation == source.navigation:
                # The page was away while it was built: this load brought it.
                text = f"Code changed: {word.server} has another build than at the load before"
                self._record(text, word.server, source, load.started, from_seq=load.seq, navigation=load.navigation)
                return
        reloads = word.effect == "reload"
        verb = "has the page load itself anew" if reloads else "updated the page"
        text = f"Code changed: {word.server} {verb}{files}"
        self._record(text, word.server, source, ts, navigation=source.navigation + reloads)

    def _record(
        self, text: str, told_by: str, source: Source, ts: float, *, navigation: int, from_seq: int | None = None
    ) -> None:
        seq = self._telemetry.next_seq()
        change = CodeChange(
            seq=seq,
            tab_id=source.tab_id,
            from_seq=seq if from_seq is None else from_seq,
            ts=ts,
            navigation=navigation,
            told_by=told_by,
        )
        self._telemetry.code_changes.add(change)
        self._telemetry.add(LogRecord(seq=seq, ts=ts, source=source, kind="change", level="info", text=text))


def _is_own_code(record: NetworkRecord) -> bool:
    """Whether it is a script or a style sheet of the page's own origin that has come."""
    if record.type not in _CODE or record.source.kind != "page" or record.outcome != "ok" or record.method != "GET":
        return False
    return origin_of(record.url) == origin_of(record.source.url) and REDACTED not in record.url


def _content_of(record: NetworkRecord) -> _Content:
    headers = record.response_headers
    etag = headers.get("etag", "").removeprefix("W/")
    return _Content(
        ts=record.ts,
        navigation=record.source.navigation,
        # One that looks like a secret was masked, as all of its kind.
        etag=etag if etag and REDACTED not in etag else None,
        modified=headers.get("last-modified") or None,
        # What comes from a cache of the page's own process is not counted.
        size=record.decoded_bytes or None,
    )


def _difference(before: _Content, now: _Content) -> str:
    """What shows that the content is another one; empty where it is the same, or where nothing shows it."""
    if before.etag and before.etag == now.etag:
        return ""
    same_size = before.size is not None and before.size == now.size
    if before.size is not None and now.size is not None and not same_size:
        return "another size"
    if before.etag and now.etag:
        # Machines that share a site may each have their own ETag for the same file.
        same_file = same_size and before.modified is not None and before.modified == now.modified
        return "" if same_file else "another ETag"
    if before.modified and now.modified and before.modified != now.modified:
        return "another time of its last change"
    return ""


def _shown(file: str) -> str:
    """A file as its server names it, or an address of this page's origin: its path."""
    path = path_of(file) if "://" in file else file
    return safe_url(path, _FILE_CHARS)
