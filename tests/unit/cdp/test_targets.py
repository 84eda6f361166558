"""Every target is captured before its first instruction runs, let go on, and accounted for when it goes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from gasoline_cdp.cdp.connection import CdpClosed, Connection, Session, open_connection
from gasoline_cdp.cdp.targets import Target, Targets
from tests.fakes import FakeTransport, make_context, settled

RESUME = "Runtime.runIfWaitingForDebugger"


class Told:
    """What the targets told those who capture."""

    def __init__(self) -> None:
        self.adopted: list[tuple[str, str, bool]] = []
        self.changed: list[Target] = []
        self.gone: list[tuple[str, str, str]] = []

    def adopt(self, session: Session, target: Target, waiting: bool) -> None:
        self.adopted.append((session.session_id, target.target_id, waiting))
        session.post("Network.enable")
        session.post("Runtime.enable")

    def left(self, session: Session, target: Target, reason: str) -> None:
        self.gone.append((session.session_id, target.target_id, reason))


class World:
    """A started `Targets` on a fake Chrome."""

    def __init__(self, connection: Connection, chrome: FakeTransport) -> None:
        self.connection = connection
        self.chrome = chrome
        self.told = Told()
        self.targets = Targets(
            connection,
            adopt=self.told.adopt,
            changed=lambda _, target: self.told.changed.append(target),
            gone=self.told.left,
        )

    async def attach(
        self, session: str, target: str, kind: str = "page", parent: str = "", *, waiting: bool = True, **more: Any
    ) -> None:
        self.chrome.attach(session, target, kind, parent, waiting=waiting, **more)
        await settled()

    async def detach(self, session: str, target: str, parent: str = "") -> None:
        self.chrome.detach(session, target, parent)
        await settled()


@asynccontextmanager
async def opened() -> AsyncIterator[World]:
    chrome = FakeTransport()
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        world = World(connection, chrome)
        nursery.start_soon(world.targets.start)
        for method in ("Target.setDiscoverTargets", "Target.setAutoAttach"):
            await settled()
            chrome.answer(chrome.last(method))
        await settled()
        yield world


async def test_the_start_asks_for_all_that_is_open_and_all_that_will_be() -> None:
    async with opened() as world:
        assert world.chrome.methods() == ["Target.setDiscoverTargets", "Target.setAutoAttach"]
        params = world.chrome.last("Target.setAutoAttach")["params"]
        assert (params["autoAttach"], params["waitForDebuggerOnStart"], params["flatten"]) == (True, True, True)
        # `tab`, `browser` and Chrome's own interface would bring hundreds of chrome:// requests.
        assert params["filter"] == [
            {"type": "page"},
            {"type": "shared_worker"},
            {"type": "service_worker"},
            {"exclude": True},
        ]


@pytest.mark.parametrize("kind", ["page", "iframe", "worker"])
async def test_a_target_is_wired_in_order_and_resumed_last(kind: str) -> None:
    async with opened() as world:
        await world.attach("S1", "T1", kind)
        assert world.chrome.methods("S1") == ["Target.setAutoAttach", "Network.enable", "Runtime.enable", RESUME]
        nested = world.chrome.last("Target.setAutoAttach")["params"]
        assert nested["filter"] == [
            {"type": "iframe"},
            {"type": "worker"},
            {"type": "service_worker"},
            {"exclude": True},
        ]
        assert world.told.adopted == [("S1", "T1", True)]
        session = world.targets._adopted.get("T1")
        assert session is not None
        assert session.session_id == "S1"


@pytest.mark.parametrize("kind", ["shared_worker", "service_worker"])
async def test_a_worker_that_has_no_children_is_not_asked_for_any(kind: str) -> None:
    async with opened() as world:
        await world.attach("S1", "T1", kind)
        assert world.chrome.methods("S1") == ["Network.enable", "Runtime.enable", RESUME]


async def test_frames_and_workers_are_known_by_their_parent() -> None:
    async with opened() as world:
        await world.attach("S1", "T1")
        await world.attach("S2", "T2", "iframe", parent="S1")
        await world.attach("S3", "T3", "worker", parent="S2", waiting=False)
        sessions = [world.connection.sessions.get(name) for name in ("S1", "S2", "S3")]
        assert [session.parent.session_id for session in sessions if session and session.parent] == ["", "S1", "S2"]
        assert world.told.adopted[-1] == ("S3", "T3", False)


async def test_a_service_worker_announced_twice_is_captured_once() -> None:
    async with opened() as world:
        await world.attach("S1", "T1")
        await world.attach("W1", "SW", "service_worker")
        await world.attach("W2", "SW", "service_worker", parent="S1")
        assert world.chrome.methods("W2") == [RESUME]
        detach = world.chrome.last("Target.detachFromTarget")
        assert (detach["sessionId"], detach["params"]) == ("S1", {"sessionId": "W2"})
        await world.detach("W2", "SW", parent="S1")
        assert world.told.gone == []
        session = world.targets._adopted.get("SW")
        assert session is not None
        assert session.session_id == "W1"


async def test_a_service_worker_is_the_browser_s_whoever_announces_it_first() -> None:
    async with opened() as world:
        await world.attach("S1", "T1")
        await world.attach("W2", "SW", "service_worker", parent="S1")
        await world.attach("W1", "SW", "service_worker")
        assert world.chrome.methods("W2") == [RESUME]
        assert world.told.adopted[-1] == ("W1", "SW", True)


async def test_a_target_that_goes_may_come_again() -> None:
    async with opened() as world:
        await world.attach("W1", "SW", "service_worker")
        await world.detach("W1", "SW")
        await world.attach("W2", "SW", "service_worker")
        assert [adopted[:2] for adopted in world.told.adopted] == [("W1", "SW"), ("W2", "SW")]
        assert world.told.gone == [("W1", "SW", "closed")]


@pytest.mark.parametrize("kind", ["tab", "browser_ui", "webview", "worklet", "", None, {}, 7])
async def test_unknown_kinds_are_resumed_and_let_go(kind: Any) -> None:
    async with opened() as world:
        await world.attach("S1", "T1", kind)
        assert world.told.adopted == []
        assert world.chrome.methods("S1") == [RESUME]
        assert world.chrome.last("Target.detachFromTarget")["params"] == {"sessionId": "S1"}
        assert world.targets._adopted.get("T1") is None


async def test_a_closed_page_fails_what_waits_on_it_and_is_told() -> None:
    async with opened() as world, trio.open_nursery() as nursery:
        await world.attach("S1", "T1")
        session = world.targets._adopted.get("T1")
        assert session is not None
        errors: list[CdpClosed] = []

        async def ask() -> None:
            try:
                await session.send("Page.getFrameTree")
            except CdpClosed as error:
                errors.append(error)

        nursery.start_soon(ask)
        await settled()
        await world.detach("S1", "T1")
        assert [error.reason for error in errors] == ["the page was closed"]
        assert world.told.gone == [("S1", "T1", "closed")]
        assert world.targets._adopted.get("T1") is None
        assert world.connection.sessions.get("S1") is None
        # Nobody is told twice.
        await world.detach("S1", "T1")
        assert len(world.told.gone) == 1


async def test_a_crashed_tab_fails_what_waits_but_keeps_its_session() -> None:
    async with opened() as world, trio.open_nursery() as nursery:
        await world.attach("S1", "T1")
        await world.attach("S2", "T2")
        crashed, healthy = world.targets._adopted.get("T1"), world.targets._adopted.get("T2")
        assert crashed is not None
        assert healthy is not None
        errors: list[str] = []

        async def ask(session: Session) -> None:
            try:
                await session.send("Page.getFrameTree")
            except CdpClosed as error:
                errors.append(f"{session.session_id} {error.reason}")

        nursery.start_soon(ask, crashed)
        nursery.start_soon(ask, healthy)
        await settled()
        world.chrome.event("Target.targetCrashed", {"targetId": "T1", "status": "crashed", "errorCode": 11})
        await settled()
        assert errors == ["S1 the tab crashed"]
        assert world.told.gone == [("S1", "T1", "crashed")]
        # A reload brings the session back with its enables.
        assert world.targets._adopted.get("T1") is crashed
        crashed.post("Page.reload")
        await settled()
        assert world.chrome.methods("S1")[-1] == "Page.reload"
        nursery.cancel_scope.cancel()


async def test_a_crash_of_what_we_do_not_know_is_no_news() -> None:
    async with opened() as world:
        world.chrome.event("Target.targetCrashed", {"targetId": "T9"})
        world.chrome.event("Target.targetInfoChanged", {"targetInfo": {"targetId": "T9", "type": "page"}})
        world.chrome.event("Target.targetInfoChanged", {})
        await settled()
        assert (world.told.gone, world.told.changed) == ([], [])


async def test_news_of_a_target_are_passed_on() -> None:
    async with opened() as world:
        await world.attach("S1", "T1")
        info = {"targetId": "T1", "type": "page", "title": "Cart", "url": "http://app.test/cart", "openerId": "T0"}
        world.chrome.event("Target.targetInfoChanged", {"targetInfo": info})
        await settled()
        (target,) = world.told.changed
        assert (target.title, target.url, target.opener_id) == ("Cart", "http://app.test/cart", "T0")


async def test_the_capture_enables_everything_before_the_page_goes_on() -> None:
    """The real capture on the fake Chrome: what is posted on attaching, in order, with nothing awaited."""
    chrome = FakeTransport()
    capture = make_context().capture
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        targets = Targets(connection, adopt=capture.adopt, changed=capture.changed, gone=capture.gone)
        nursery.start_soon(targets.start)
        world = World(connection, chrome)
        await settled()
        await world.attach("S1", "T1")
        methods = chrome.methods("S1")
        assert methods[0] == "Target.setAutoAttach"
        assert methods[-1] == RESUME
        assert {"Page.enable", "Network.enable", "Runtime.enable", "Log.enable"} <= set(methods)
        await world.attach("W1", "SW", "service_worker")
        assert "Page.enable" not in chrome.methods("W1")
        assert chrome.methods("W1")[-1] == RESUME
        nursery.cancel_scope.cancel()
