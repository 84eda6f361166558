"""Presses keys and inserts text, where the focus is."""

from collections.abc import Sequence

from gasoline_cdp.analysis.acting.keys import KeyPress
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.probe.input.replies import send_input


async def press_keys(tab: Tab, keys: Sequence[KeyPress | str]) -> bool:
    """Press keys one after the other; insert what no key types. False if a dialog opened."""
    for key in keys:
        if isinstance(key, str):
            done = await insert_text(tab, key)
        else:
            done = await send_input(tab, "Input.dispatchKeyEvent", key.events()) is not None
        if not done:
            return False
    return True


async def insert_text(tab: Tab, text: str) -> bool:
    """Insert a text at once, as an input method does. False if a dialog opened."""
    return await send_input(tab, "Input.insertText", [{"text": text}]) is not None
