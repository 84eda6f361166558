"""The list of tools as clients read it, from a file that `./launcher/run docs` writes.

Making the list needs every tool, and importing them takes most of a second. A test compares the file with the tools.
"""

from pathlib import Path
from typing import Any

import orjson

LIST_FILE = Path(__file__).with_suffix(".json")


def listed_tools() -> list[dict[str, Any]]:
    """All tools, in the order in which an assistant reads them. The keys have the MCP library's order."""
    tools: list[dict[str, Any]] = orjson.loads(LIST_FILE.read_bytes())
    return tools
