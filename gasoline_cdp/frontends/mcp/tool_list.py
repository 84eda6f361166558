"""The answer to tools/list: the same bytes for all clients that are offered the same tools."""

from typing import Any

from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions
from gasoline_cdp.frontends.listed_tools import listed_tools


def tool_list(options: ClientOptions = DEFAULTS) -> list[dict[str, Any]]:
    """The tools that this client is offered."""
    return [tool for tool in listed_tools() if options.offers(tool["name"])]
