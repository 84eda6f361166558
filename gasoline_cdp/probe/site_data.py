"""A page's data in the browser, by name only: storage keys, and cookies without values."""

import time
from typing import Any

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.security.cookies import Cookie, parse_browser_cookie
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.probe.dom import ask_page
from gasoline_cdp.redact import safe_text


@frozen
class StorageKeys:
    """The storage keys of one origin."""

    origin: str
    local: list[str]
    session: list[str]


async def read_storage_keys(tab: Tab) -> StorageKeys:
    """Ask a page for its storage keys."""
    keys: dict[str, Any] = await ask_page(tab, "storage_keys")
    return StorageKeys(
        safe_text(keys["origin"], 300),
        [safe_text(key, 100) for key in keys["local"]],
        [safe_text(key, 100) for key in keys["session"]],
    )


async def try_storage_keys(tab: Tab) -> StorageKeys | None:
    """The same for a page that may be busy, gone or without storage: then empty, and without a long wait."""
    try:
        with trio.move_on_after(limits.INSPECT_SECONDS):
            return await read_storage_keys(tab)
    except GasolineError:
        pass
    return None


async def try_policies(tab: Tab) -> tuple[str, ...] | None:
    """The content security policies in a page's <meta> elements; None if it does not answer soon."""
    try:
        with trio.move_on_after(limits.INSPECT_SECONDS):
            return tuple((await ask_page(tab, "security_facts"))["policies"])
    except GasolineError:
        pass
    return None


async def read_cookies(tab: Tab) -> list[Cookie]:
    """The cookies that the page's requests carry. Their values are dropped here."""
    try:
        with trio.move_on_after(limits.PAGE_ANSWER_SECONDS):
            reply = await tab.session.send("Network.getCookies")
            now = time.time()
            return [parse_browser_cookie(cookie, now) for cookie in reply.get("cookies", [])[:300]]
    except (CdpClosed, CdpError):
        pass
    return []
