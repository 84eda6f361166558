"""Takes a screenshot of the window, the whole page or one element, small enough for a conversation."""

from base64 import b64decode
from typing import Any

import trio
from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import call_in_world
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.element_areas import area_of
from gasoline_cdp.probe.elements import hold_element, one_at_a_time, release
from gasoline_cdp.redact import safe_text

# Quality and scale to try, until the image is small enough.
_WAYS: tuple[tuple[int, float], ...] = ((80, 1.0), (60, 1.0), (40, 0.75), (30, 0.5), (20, 0.25))


@frozen(kw_only=True)
class Picture:
    """A screenshot: its bytes and its area. `scale` is its size relative to the screen."""

    data: bytes
    mime: str
    width: int
    height: int
    scale: float
    quality: int
    # The area of the page, in CSS pixels.
    area: dict[str, float]
    # The requested size, if it is larger than `area`.
    whole: dict[str, float] | None = None


async def take_screenshot(tab: Tab, *, selector: str | None, full_page: bool, kind: str | None = None) -> Picture:
    """Take a screenshot without scrolling.

    `kind` is jpeg, png or webp. Raises `invalid_selector` and Chrome's errors.
    """
    metrics = await tab.session.send("Page.getLayoutMetrics")
    view, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
    visible = {
        "x": view["pageX"],
        "y": view["pageY"],
        "width": view["clientWidth"],
        "height": view["clientHeight"],
    }
    area = visible
    if selector is not None:
        area = await _area_of(tab, selector, visible)
    elif full_page:
        area = {"x": 0.0, "y": 0.0, "width": content["width"], "height": content["height"]}
    side = limits.SCREENSHOT_FULL_SIDE if full_page and selector is None else limits.SCREENSHOT_SIDE
    longest = side / limits.SCREENSHOT_SCALE
    whole = area
    area = {**area, "width": min(area["width"], longest), "height": min(area["height"], longest)}
    if _within(area, visible):
        return await _capture(tab, area, side, kind, beyond=False)
    picture = evolve(await _capture(tab, area, side, kind, beyond=True), whole=_size(whole) if whole != area else None)
    await _bring_back_scrollbars(tab, metrics["cssLayoutViewport"])
    return picture


async def _bring_back_scrollbars(tab: Tab, before: dict[str, Any]) -> None:
    """Chrome hides scrollbars for a screenshot beyond the window, and does not restore them until it is resized."""
    after = (await tab.session.send("Page.getLayoutMetrics"))["cssLayoutViewport"]
    if (after["clientWidth"], after["clientHeight"]) == (before["clientWidth"], before["clientHeight"]):
        return
    size: dict[str, int] = await call_in_world(tab.session, page_script("window_size"))
    own = tab.session.device_metrics
    window = {"width": size["width"], "height": size["height"], "deviceScaleFactor": 0, "mobile": False}
    taller = {**window, **own}
    await tab.session.send("Emulation.setDeviceMetricsOverride", {**taller, "height": taller["height"] + 1})
    if own:
        await tab.session.send("Emulation.setDeviceMetricsOverride", own)
    else:
        await tab.session.send("Emulation.clearDeviceMetricsOverride")
    # Chrome replies before the page has its size back, and sends no event. The next caller must find the page
    # unchanged.
    with trio.move_on_after(limits.WINDOW_SECONDS):
        while await call_in_world(tab.session, page_script("window_size")) != size:  # noqa: ASYNC110 - no event tells
            await trio.sleep(limits.LOOK_AGAIN_SECONDS)


async def _box_of(tab: Tab, selector: str) -> dict[str, float]:
    held = await hold_element(tab, selector)
    if held is None:
        raise GasolineError(Code.INVALID_SELECTOR, f"{safe_text(selector, 100)!r} matches nothing in the page.")
    frame, element = held
    try:
        if not frame.path:
            box: dict[str, float] = await frame.world.call(page_script("element_box"), element)
            return box
        # What its frame shows of it: beyond that, the picture would show something else.
        seen = await area_of(frame, element)
        if seen is None or seen.is_empty:
            raise GasolineError(
                Code.INVALID_SELECTOR,
                f"Its frame shows nothing of {safe_text(selector, 100)!r}: scroll it into view, or take the frame.",
                frame=safe_text(frame.path, 200),
            )
        return {"x": seen.left, "y": seen.top, "width": seen.right - seen.left, "height": seen.bottom - seen.top}
    finally:
        release(frame.world.session)


async def _area_of(tab: Tab, selector: str, visible: dict[str, float]) -> dict[str, float]:
    async with one_at_a_time(tab):
        box = await _box_of(tab, selector)
    if box["width"] < 1 or box["height"] < 1:
        raise GasolineError(
            Code.INVALID_SELECTOR, f"{safe_text(selector, 100)!r} takes no room on the page: it is empty or not shown."
        )
    return {**box, "x": box["x"] + visible["x"], "y": box["y"] + visible["y"]}


def _size(area: dict[str, float]) -> dict[str, float]:
    return {"width": round(area["width"], 1), "height": round(area["height"], 1)}


def _within(area: dict[str, float], visible: dict[str, float]) -> bool:
    return all(
        visible[start] <= area[start] and area[start] + area[size] <= visible[start] + visible[size]
        for start, size in (("x", "width"), ("y", "height"))
    )


async def _capture(tab: Tab, area: dict[str, float], side: int, kind: str | None, *, beyond: bool) -> Picture:
    largest = min(1.0, side / max(area["width"], area["height"]))
    most = limits.SCREENSHOT_PNG_BYTES if kind == "png" else limits.SCREENSHOT_BYTES
    for quality, share in _WAYS:
        # First the format that every client shows and browsers encode fast, then the smallest one.
        made = kind or ("jpeg" if quality == _WAYS[0][0] else "webp")
        scale = largest * share
        params: dict[str, Any] = {
            "format": made,
            "quality": quality,
            "clip": {**area, "scale": scale},
            # Chrome draws what is outside the window for the screenshot. Nothing is scrolled.
            "captureBeyondViewport": beyond,
        }
        reply = await tab.session.send("Page.captureScreenshot", params)
        data = b64decode(reply["data"])
        if len(data) <= most:
            break
    else:
        raise GasolineError(
            Code.INVALID_SELECTOR, "The picture is too large however small it is made. Take one element instead."
        )
    return Picture(
        data=data,
        mime=f"image/{made}",
        width=round(area["width"] * scale),
        height=round(area["height"] * scale),
        scale=round(scale, 3),
        quality=100 if made == "png" else quality,
        area={name: round(value, 1) for name, value in area.items()},
    )
