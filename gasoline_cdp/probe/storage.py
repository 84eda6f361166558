"""Saves and restores a site's data in a tab: completely or not at all, never a mixture of two states."""

import time
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import trio
from attrs import frozen

from gasoline_cdp import limits, pilot_limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, call_in_world, open_world
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.cookies import Cookie, CookieRefused, replace_cookies, site_cookies
from gasoline_cdp.probe.dom import asking
from gasoline_cdp.probe.frame_storage import (
    EmptyFrames,
    Missed,
    main_frame,
    put_storage,
    read_frames,
    write_into_frames,
)
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.store.states import SavedState


@frozen(kw_only=True)
class Restored:
    """What was restored."""

    local_items: int
    session_items: int
    cookies: int
    # Cookies that have expired since: setting one would delete it.
    expired: int
    # Storage of cross-origin frames that could not be restored.
    missed: list[Missed]


@frozen(kw_only=True)
class ReadState:
    """A state, and what it does not include: databases, and frames that did not answer."""

    state: SavedState
    databases: list[str]
    silent_frames: int


async def read_state(tab: Tab, name: str) -> ReadState:
    """Read the storage of the tab's page and its frames."""
    with asking(tab):
        frame = await main_frame(tab.session)
        stored: dict[str, Any] = await call_in_world(
            tab.session, page_script("read_storage"), pilot_limits.STATE_DATABASES
        )
        if not stored.get("origin"):
            raise GasolineError(
                Code.STATE_NOT_SAVED,
                f"Tab {tab.tab_id} shows {safe_url(tab.raw_url, 100)}, which keeps no state of its own. "
                "Open a page of the site first.",
            )
        site = _site_of(frame)
        cookies = await site_cookies(tab.session, site)
        frames = await read_frames(tab)
    state = SavedState(
        name=name,
        ts=time.time(),
        # Chrome sends the fragment in a field of its own.
        url=f"{frame['url']}{frame.get('urlFragment', '')}",
        origin=str(stored["origin"]),
        site=site,
        cookies=tuple(cookies),
        storage=str(stored["text"]),
        local_items=int(stored["local"]),
        session_items=int(stored["session"]),
        frames=tuple(frames.storages.values()),
    )
    databases = [*stored["databases"], *frames.databases][: pilot_limits.STATE_DATABASES]
    return ReadState(
        state=state,
        databases=[safe_text(database, 100) for database in databases],
        silent_frames=frames.silent,
    )


def _site_of(frame: dict[str, Any]) -> str:
    return str(frame.get("domainAndRegistry") or urlsplit(str(frame.get("url", ""))).hostname or "")


async def restore_state(tab: Tab, state: SavedState, *, go_there: bool) -> Restored:
    """Replace the site's data in this tab by a saved state. On any failure the previous data is restored.

    With `go_there` the saved address is opened, and no code of the application runs before everything is in place. The
    storage of frames is restored afterwards, one by one; what fails is reported.
    """
    with asking(tab, pilot_limits.STATE_SECONDS):
        session = tab.session
        if not go_there and await _origin(session) != state.origin:
            raise GasolineError(
                Code.STATE_NOT_RESTORED,
                f"The state belongs to {safe_url(state.origin)}, and tab {tab.tab_id} shows something else. "
                "Load it with include_url, or open the site first. Nothing was changed.",
            )
        previous_url = tab.raw_url
        old = await site_cookies(session, state.site)
        now = time.time()
        cookies = [cookie for cookie in state.cookies if cookie.get("session") or cookie.get("expires", 0) > now]
        done = left = False
        try:
            with ExitStack() as stack:
                frames = stack.enter_context(EmptyFrames(tab, (await main_frame(session))["id"])) if go_there else None
                # Cookies first, so that the server recognises the user.
                await replace_cookies(session, state.site, cookies)
                if go_there:
                    left = True
                    await _open_without_scripts(session, state)
                world = await open_world(session)
                if reason := await put_storage(world, state.storage, state.local_items, state.session_items):
                    raise _Stuck(f"{reason[0].upper()}{reason[1:]}.")
                done = True
                missed = await (frames.write(state.frames) if frames else write_into_frames(tab, state.frames))
        except (CookieRefused, _Stuck) as problem:
            raise GasolineError(
                Code.STATE_NOT_RESTORED, f"{_reason(problem)} The old state was put back.", name=state.name
            ) from problem
        finally:
            session.post("Emulation.setScriptExecutionDisabled", {"value": False})
            if not done:
                await _back(session, state.site, old, previous_url if left else None)
            elif go_there:
                session.post("Page.reload")
        return Restored(
            local_items=state.local_items,
            session_items=state.session_items,
            cookies=len(cookies),
            expired=len(state.cookies) - len(cookies),
            missed=missed,
        )


class _Stuck(Exception):  # noqa: N818 - a state of affairs
    """The storage could not be written. Says why, in our own words."""


def _reason(problem: Exception) -> str:
    if isinstance(problem, CookieRefused):
        return f"The browser refuses the cookie {safe_text(problem, 80)!r}."
    return str(problem)


async def _open_without_scripts(session: Session, state: SavedState) -> None:
    # The application must not write into the state while it unloads or loads.
    await session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    await _go(session, state.url)
    if (origin := await _origin(session)) != state.origin:
        raise _Stuck(f"The saved address leads to {safe_url(origin) or 'no site'} now.")


async def _back(session: Session, site: str, old: list[Cookie], previous_url: str | None) -> None:
    """Undo everything, also if the call was cancelled. The storage is never half written.

    Only the caller knows whether the page was left: an address that cannot be opened fails at once, and the browser
    shows its error page a moment later.
    """
    with trio.move_on_after(pilot_limits.STATE_ROLLBACK_SECONDS, shield=True):
        try:
            await replace_cookies(session, site, old)
            if previous_url is not None:
                await _go(session, previous_url)
        except (CdpClosed, CdpError, CookieRefused, _Stuck):
            # The tab is gone, or has lost what cannot be restored.
            return


async def _origin(session: Session) -> str:
    try:
        stored: dict[str, Any] = await call_in_world(session, page_script("read_storage"), 0)
    except PageFault:
        return ""
    return str(stored.get("origin") or "")


async def _go(session: Session, url: str) -> None:
    """Open an address, and wait for its document."""
    reply = await session.send("Page.navigate", {"url": url})
    if "loaderId" not in reply and not reply.get("errorText"):
        # The same document with another fragment: leave it first.
        await _go(session, "about:blank")
        reply = await session.send("Page.navigate", {"url": url})
    if reply.get("errorText"):
        raise _Stuck(f"The saved address cannot be opened ({safe_text(reply['errorText'], 60)}).")
    while (await main_frame(session))["loaderId"] != reply.get("loaderId"):  # noqa: ASYNC110
        # The reply and the new document come from two processes, within milliseconds of each other.
        await trio.sleep(limits.LOOK_AGAIN_SECONDS)
