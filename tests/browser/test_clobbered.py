"""A page whose fields and images hide every property of its forms and of its document."""

import re

import pytest

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.records import ActionRecord
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-SEEING")


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


async def test_every_question_is_answered(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/clobbered")
    await watch.log("the form")
    await watch.until(lambda: list(watch.telemetry.dom_snapshots.newest()))
    snapshot = next(iter(watch.telemetry.dom_snapshots.newest()))
    assert [element["text"] for element in snapshot.elements] == ["Real heading"]

    info = await watch.call("get_page_info")
    assert info["title"] == "Clobbered"
    assert info["language"] == "en"
    assert info["headings"] == ["Real heading"]
    assert info["formCount"] == 11
    assert info["forms"][0]["action"] == "/sent"
    assert len(info["forms"][0]["fields"]) == 30

    (form,) = (await watch.call("query_dom", selector="#form", include_children=True, max_depth=1))["matches"]
    assert (form["tag"], form["selector"]) == ("form", "#form")
    tree = await watch.call("observe", what="accessibility_tree", max_bytes=50 * 1024)
    (ref,) = re.findall(r'textbox "field getAttribute" (@\w+)', tree["tree"])
    (match,) = (await watch.call("query_dom", selector=f"ref={ref}"))["matches"]
    assert match["attributes"]["name"] == "getAttribute"

    marked = await watch.call("highlight_element", selector="form")
    assert marked["bounds"]["width"] == form["boundingBox"]["width"] > 0
    await watch.call("observe", what="screenshot", selector="#form")

    await watch.call("analyze", action="audit", scope="performance")
    security = await watch.call("analyze", action="security", scope="full")
    assert "error" not in security
    # axe-core itself is lost in such a page, and that is said.
    assert (await watch.error("run_accessibility_audit"))["error"] == "axe_injection_failed"

    box = (await watch.call("query_dom", selector="#button"))["matches"][0]["boundingBox"]
    at = {"x": box["x"] + 5, "y": box["y"] + 5, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        await watch.tab.session.send("Input.dispatchMouseEvent", {"type": kind, **at})
    action: ActionRecord = await watch.until(
        lambda: next((one for one in watch.telemetry.actions.newest() if one.type == "click"), None)
    )
    assert action.selectors["id"] == "button"

    await watch.daemon.capture.previews.backlog.wait_idle()
    errors = await watch.call("observe", what="errors")
    assert "form#form" in str(errors), errors
