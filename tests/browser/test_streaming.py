"""What a real page does, as its subscribers are told: one test for each rule that a browser can show."""

from typing import Any

import pytest
import trio

from gasoline_cdp.streaming import StreamSettings, Subscription
from tests.hands import Hand, by_id
from tests.support import PATIENCE, Watch

pytestmark = [pytest.mark.requirement("F3-STREAM-RULES"), pytest.mark.long]

ON = StreamSettings(enabled=True, throttle_seconds=1)


async def told(subscription: Subscription, beginning: str) -> dict[str, Any]:
    """Wait for an event whose message begins so."""
    with trio.fail_after(PATIENCE):
        async for notification in subscription:
            for event in notification.get("events", [notification]):
                if event["message"].startswith(beginning):
                    found: dict[str, Any] = event
                    return found
    raise AssertionError("the subscription has ended")


async def test_errors_of_a_page(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    with watch.context.streaming.subscribe(ON) as subscription:
        await watch.evaluate("void setTimeout(() => { throw new TypeError('cart 17 is empty') })")
        await watch.evaluate("void Promise.reject(new Error('nobody listens'))")
        error = await told(subscription, "New error: Uncaught TypeError: cart 17 is empty")
        assert error["context"]["url"] == f"{site}page/blank"
        await watch.evaluate("void Promise.reject(new Error('nobody listens either'))")
        await told(subscription, "Unhandled rejection: Uncaught (in promise) Error: nobody listens either")


async def test_requests_of_a_page(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    with watch.context.streaming.subscribe(ON) as subscription:
        await watch.evaluate("fetch('/status/503').then(r => r.text())")
        server = await told(subscription, "Server error: GET /status/503 → 503")
        assert server["category"] == "network_errors"
        assert "this is a 503" in server["context"]["response_preview"]
        await watch.evaluate("fetch('/typed?status=200').then(r => r.text())")
        await watch.evaluate("fetch('/typed?status=403').then(r => r.text())")
        refused = await told(subscription, "Auth/access issue: GET /typed → 403 (was 200)")
        assert refused["context"]["previous_status"] == 200
        await watch.evaluate("fetch('http://127.0.0.1:1/x').catch(() => 0)")
        await told(subscription, "Request failed: GET http://127.0.0.1:1/x")
        await watch.evaluate("fetch('/json?api_key=abcdefabcdef').then(r => r.text())")
        secret = await told(subscription, "Possible credential exposure in GET /json")
        assert secret["category"] == "security"
        assert "abcdefabcdef" not in str(secret)


async def test_a_blocked_main_thread(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    with watch.context.streaming.subscribe(ON) as subscription:
        await watch.evaluate("void setTimeout(() => { const end = Date.now() + 700; while (Date.now() < end); })")
        blocked = await told(subscription, "Main thread blocked for")
        assert blocked["context"]["duration_ms"] > 600


async def test_a_load_slower_than_usual(watch: Watch, site: str) -> None:
    store = watch.telemetry.performance
    await watch.open(f"{site}page/blank")
    first = await watch.until(lambda: next((r for r in store.newest() if r.path == "/page/blank"), None))
    with watch.context.streaming.subscribe(ON) as subscription:
        wait = round(3 * first.timing.load + 500)
        await watch.open(f"{site}page/blank?wait={wait}")
        slow = await told(subscription, "Performance regression: /page/blank loaded in")
        assert slow["context"]["load_ms"] > wait
        assert slow["context"]["baseline_ms"] == round(first.timing.load)


async def test_a_person_who_clicks_again_and_again(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/form")
    buttons = "<button id=dead type=button>Pay</button> <button id=live type=button>More</button>"
    await watch.evaluate(f"document.body.insertAdjacentHTML('beforeend', '{buttons}')")
    await watch.evaluate("document.getElementById('live').onclick = (event) => event.target.append('!')")
    with watch.context.streaming.subscribe(ON) as subscription:
        hand = Hand(watch)
        # What does something is clicked again because it works.
        for button in (*["live"] * 4, *["dead"] * 3):
            x, y = await hand.press(by_id(button))
            await hand.release(x, y)
        clicked = await told(subscription, "Repeated clicks on")
        assert "Pay" in clicked["message"]
        assert clicked["category"] == "user_frustration"
        assert clicked["context"]["clicks"] == 3


async def test_a_form_that_gets_no_response(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/form")
    await watch.evaluate("document.getElementById('login').addEventListener('submit', e => e.preventDefault())")
    # Nobody submits within the moment by which two clocks may differ: the load would count as the answer.
    await watch.evaluate(
        "new Promise((done) => { const look = () => performance.now() > 300 ? done() : requestAnimationFrame(look);"
        " look(); })"
    )
    with watch.context.streaming.subscribe(ON) as subscription:
        hand = Hand(watch)
        x, y = await hand.press("document.querySelector('#login button')")
        await hand.release(x, y)
        form = await told(subscription, f"Form submit to {site}session")
        assert form["message"].endswith("no response after 5s")
        assert "abcdef" not in str(form)


async def test_a_tab_that_crashes(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    with watch.context.streaming.subscribe(ON) as subscription:
        watch.tab.session.post("Page.crash")
        crashed = await told(subscription, "The tab crashed")
        assert (crashed["category"], crashed["severity"]) == ("errors", "error")
    assert watch.daemon.root is not None


async def test_a_page_that_does_nothing_wrong_is_not_told_of(watch: Watch, site: str) -> None:
    with watch.context.streaming.subscribe(ON) as subscription:
        await watch.open(f"{site}page/blank")
        await watch.evaluate("console.log('fine'); console.warn('careful')")
        await watch.evaluate("fetch('/json').then(r => r.text())")
        await watch.evaluate("fetch('/status/404').then(r => r.text())")
        await watch.request("/status/404")
        await watch.evaluate("console.error('the end')")
        assert (await told(subscription, ""))["message"] == "New error: the end"
