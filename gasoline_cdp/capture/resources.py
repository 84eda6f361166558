"""Gets files through a page: the text of a script that ran, and a file from a server.

Nothing here opens a connection. Chrome still has the scripts that ran, and loads a file as DevTools would
(`Network.loadNetworkResource`): with the page's cookies, and without an entry in its network log.
"""

import base64
import binascii
from collections import Counter
from urllib.parse import urljoin

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.security.csp import may_connect
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.response_body import response_body
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.records import Source

_CHUNK_BYTES = 1024 * 1024


@frozen(eq=False)
class PageScript:
    """A script of a page or worker, by its real address. In records, secrets in it are masked."""

    source: Source
    session: Session
    url: str
    # Empty if we did not see it being loaded.
    request_id: str = ""


@frozen(eq=False)
class _Host:
    """A frame that can load a file, its session, and its address."""

    session: Session
    frame_id: str
    url: str


class _Loading:
    """A file being loaded, with the waiter's deadline."""

    def __init__(self) -> None:
        self.arrived = trio.Event()
        self.content: bytes | None = None


class Resources:
    """Asks pages. Its methods raise `CdpError` or `CdpClosed` if a page refuses or is gone."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._loading: Counter[Session] = Counter()

    async def script_text(self, script: PageScript) -> str | None:
        """A script as the browser ran it. It is never loaded again: it might have changed."""
        if script.request_id:
            try:
                reply = await response_body(script.session, script.request_id)
                return _decoded(reply, "body")
            except CdpError:
                # Chrome no longer has the response, but the page may still have the script.
                pass
        host = self._host(script)
        if host is None or self._has_moved_on(script.source):
            return None
        reply = await host.session.send("Page.getResourceContent", {"frameId": host.frame_id, "url": script.url})
        return _decoded(reply, "content")

    async def load(self, script: PageScript, url: str, nursery: trio.Nursery) -> bytes | None:
        """A file that belongs to a script, from its server. None if the page may not or cannot load it.

        If the caller stops waiting, a task in `nursery` goes on, and closes what arrives too late.
        """
        host = self._host(script)
        if host is None or not url.startswith(("http://", "https://")):
            return None
        reply = await host.session.send("Network.getSecurityIsolationStatus", {"frameId": host.frame_id})
        policies = mapping(reply.get("status")).get("csp")
        directives = [str(mapping(policy).get("effectiveDirectives")) for policy in policies or ()]
        if not may_connect(directives, host.url, url):
            # Chrome would refuse, and report a violation to the page's console and server that is not the page's.
            return None
        if self._loading[host.session] >= limits.SOURCE_MAPS_LOADING:
            return None
        loading = _Loading()
        nursery.start_soon(self._receive, host, url, loading)
        await loading.arrived.wait()
        return loading.content

    async def _receive(self, host: _Host, url: str, loading: _Loading) -> None:
        self._loading[host.session] += 1
        options = {"disableCache": False, "includeCredentials": True}
        request = {"frameId": host.frame_id, "url": url, "options": options}
        try:
            reply = await host.session.send("Network.loadNetworkResource", request)
            if stream := mapping(reply.get("resource")).get("stream"):
                try:
                    loading.content = await _read(host.session, str(stream))
                finally:
                    host.session.post("IO.close", {"handle": stream})
        except (CdpError, CdpClosed):
            # The response has no content.
            pass
        finally:
            self._loading[host.session] -= 1
            if not self._loading[host.session]:
                del self._loading[host.session]
            loading.arrived.set()

    def _host(self, script: PageScript) -> _Host | None:
        """The frame in which a script runs. For a worker, which has none, its tab or one of its site and context."""
        source = script.source
        if source.kind in ("page", "iframe"):
            return _Host(script.session, source.frame_id or source.target_id, source.url)
        for tab in self._tabs.open():
            same_site = tab.source.group == source.group and _site(tab.raw_url) == _site(script.url)
            if (tab.tab_id == source.tab_id) if source.tab_id else same_site:
                return _Host(tab.session, tab.target_id, tab.raw_url)
        return None

    def _has_moved_on(self, source: Source) -> bool:
        tab = next((tab for tab in self._tabs.open() if tab.tab_id == source.tab_id), None)
        return tab is not None and tab.source.navigation != source.navigation


async def _read(session: Session, stream: str) -> bytes | None:
    """A stream of Chrome as bytes; None if it is larger than a map may be."""
    content = bytearray()
    while len(content) <= limits.SOURCE_MAP_BYTES:
        chunk = await session.send("IO.read", {"handle": stream, "size": _CHUNK_BYTES})
        data = str(chunk.get("data", ""))
        try:
            content += base64.b64decode(data) if chunk.get("base64Encoded") else data.encode(errors="replace")
        except binascii.Error:
            return None
        if chunk.get("eof"):
            return bytes(content)
    return None


def _decoded(reply: Params, name: str) -> str | None:
    text = str(reply.get(name, ""))
    if not reply.get("base64Encoded"):
        return text
    try:
        return base64.b64decode(text).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _site(url: str) -> str:
    try:
        return urljoin(url, "/")
    except ValueError:
        return ""
