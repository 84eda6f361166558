"""Waits for replies of a page: none comes while a dialog is open."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import trio

from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.nurseries import open_hidden_nursery

T = TypeVar("T")


async def unless_dialog(tab: Tab, work: Callable[[], Awaitable[T]]) -> T | None:
    """The result of work that needs the page. None if a dialog opened before it was done."""
    opened = trio.Event()
    result: T | None = None

    def dialog_opened(_: Params) -> None:
        opened.set()

    with tab.session.listening("Page.javascriptDialogOpening", dialog_opened):
        async with open_hidden_nursery() as nursery:

            async def wait_for_dialog() -> None:
                await opened.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(wait_for_dialog)
            result = await work()
            nursery.cancel_scope.cancel()
    return result


async def send_input(tab: Tab, method: str, many: Sequence[Params], session: Session | None = None) -> Params | None:
    """Send commands to a page at once, and wait for the last reply. None if a dialog opened before it."""
    receiver = session or tab.session
    for params in many[:-1]:
        receiver.post(method, params)
    return await unless_dialog(tab, lambda: receiver.send(method, many[-1]))


async def catch_up(tab: Tab, session: Session | None = None) -> bool:
    """Wait until everything that the page reported so far has arrived. False if a dialog keeps it from answering."""
    return not tab.dialog and await send_input(tab, "Runtime.getIsolateId", [{}], session) is not None
