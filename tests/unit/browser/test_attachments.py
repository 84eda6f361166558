"""Which addresses are attached to, and what is said of browsers that are not there. The rest needs a real browser."""

import pytest
import trio

from gasoline_cdp.browser.attachments import AttachedBrowsers
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.errors import Code, GasolineError
from tests.ports import free_port

pytestmark = pytest.mark.requirement("F11-BROWSERS", "S01")


@pytest.mark.parametrize(
    "address",
    [
        "", "ws://", "http://127.0.0.1:9222/devtools/browser/x", "ws://example.test:9222/devtools/browser/x",
        "ws://10.0.0.1:9222/devtools/browser/x", "ws://127.0.0.1.example.test/devtools/browser/x",
        "ws://0.0.0.0:9222/devtools/browser/x", "ws://[::ffff:10.0.0.1]:9222/devtools/browser/x",
        "ws://127.0.0.1:9222/devtools/page/x", "ws://127.0.0.1:9222/", "ws://127.0.0.1:99999/devtools/browser/x",
        "ws://user@10.0.0.1/devtools/browser/x", "ws://127.0.0.1@10.0.0.1/devtools/browser/x", "ws://[/devtools/browser/",
    ],
)  # fmt: skip
async def test_only_browsers_of_this_machine_are_attached_to(address: str) -> None:
    with pytest.raises(GasolineError, match="of a browser on this machine") as refusal:
        await AttachedBrowsers(BrowserStatus()).attach(address)
    assert refusal.value.code is Code.INVALID_PARAMS


async def test_our_own_browser_is_not_attached_to_again() -> None:
    own = BrowserStatus(state="running", address="ws://127.0.0.1:9222/devtools/browser/one")
    browsers = AttachedBrowsers(own)
    assert await browsers.attach("ws://localhost:9222/devtools/browser/one") is own
    with pytest.raises(GasolineError, match="not running"):
        await browsers.attach("ws://localhost:9222/devtools/browser/another")


async def test_a_browser_that_does_not_answer_leaves_nothing_behind(nursery: trio.Nursery) -> None:
    browsers = AttachedBrowsers(BrowserStatus())
    await nursery.start(browsers.run)
    for _ in range(2):
        with pytest.raises(GasolineError, match="nothing answers there") as refusal:
            await browsers.attach(f"ws://127.0.0.1:{free_port()}/devtools/browser/x")
        assert refusal.value.code is Code.NO_BROWSER
    assert list(browsers) == []
    with pytest.raises(GasolineError, match="those are: none") as refusal:
        browsers.detach("b2")
    assert refusal.value.code is Code.NO_SUCH_BROWSER
    nursery.cancel_scope.cancel()
