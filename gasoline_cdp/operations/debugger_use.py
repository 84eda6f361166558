"""Says what of the debugger is in use: it slows pages down, so nobody should forget it."""

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.capture.page import Capture


def describe_debugger(capture: Capture) -> str:
    """What is on, and what it has done so far; empty if nothing is on."""
    uses = []
    catcher = capture.catcher
    if catcher.is_on:
        of = "exceptions, also caught ones" if catcher.mode == "all" else "exceptions"
        missed = f", {catcher.skipped} not" if catcher.skipped else ""
        uses.append(f"reads the variables at {of}: {catcher.read} read{missed}")
    points = [point for point in capture.log_points.points if not point.over]
    if points:
        hits = sum(point.hits for point in points)
        uses.append(f"has {number_of(len(points), 'log point')}: {number_of(hits, 'hit')}")
    if catcher.is_on and catcher.async_stacks:
        uses.append("keeps asynchronous stacks, which makes promises up to 75 times slower")
    if capture.coverage.is_on:
        uses.append(f"counts what runs{', by line' if capture.coverage.by_line else ''}")
    return "; ".join(uses)
