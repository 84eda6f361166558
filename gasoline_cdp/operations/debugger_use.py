"""Says what of the debugger is in use: it slows pages down, so nobody should forget it."""

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.capture.page import Capture


def describe_debugger(capture: Capture) -> str:
    """What is on, and what it has done so far; empty if nothing is on."""
    catcher = capture.catcher
    if catcher.mode == "off":
        return ""
    of = {"uncaught": "exceptions", "all": "exceptions, also caught ones"}[catcher.mode]
    done = f"{number_of(catcher.read, 'exception')} read"
    missed = f", {catcher.skipped} not" if catcher.skipped else ""
    return f"reads the variables at {of}: {done}{missed}"
