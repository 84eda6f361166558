"""A client that switches the domains on, reads what Chrome says, and does nothing with it: what watching must cost.

python -m tests.benchmarks.bare PROFILE URL
"""

import sys
from pathlib import Path

import trio

from gasoline_cdp.cdp.connection import open_connection
from gasoline_cdp.cdp.transport import PipeTransport
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.process import Launch, open_chrome

DOMAINS = ("Page", "Network", "Runtime", "Log")


async def watch(profile: Path, url: str) -> None:
    """Start a browser as we do, and listen to its one tab until killed."""
    launch = Launch(browser=find_browser(), profile=profile, headless=True, no_sandbox=True)
    async with open_chrome(launch) as chrome:
        assert chrome.to_chrome is not None
        assert chrome.from_chrome is not None
        async with open_connection(PipeTransport(chrome.to_chrome, chrome.from_chrome)) as connection:
            root = connection.root
            targets = (await root.send("Target.getTargets"))["targetInfos"]
            page = next(target["targetId"] for target in targets if target["type"] == "page")
            attached = await root.send("Target.attachToTarget", {"targetId": page, "flatten": True})
            session = connection.open_session(attached["sessionId"], root)
            for domain in DOMAINS:
                await session.send(f"{domain}.enable")
            await session.send("Page.navigate", {"url": url})
            await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(watch, Path(sys.argv[1]), sys.argv[2])
