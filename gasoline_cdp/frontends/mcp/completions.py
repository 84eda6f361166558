"""Completes what a person types: the choices of prompts, the ids of requests, the names of tools."""

from collections.abc import Iterable
from typing import Any

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.prompts import PROMPTS
from gasoline_cdp.frontends.mcp.resources import TEMPLATES
from gasoline_cdp.operations.context import Context
from gasoline_cdp.tools.registry import TOOLS


def complete(context: Context, ref: Any, argument: str, typed: str) -> dict[str, Any]:
    """All values that begin with the typed text, as many as the protocol allows."""
    values = [value for value in _values(context, ref, argument) if value.startswith(typed)]
    shown = values[: frontend_limits.COMPLETIONS]
    return {"values": shown, "total": len(values), "hasMore": len(values) > len(shown)}


def _values(context: Context, ref: Any, argument: str) -> Iterable[str]:
    if ref.type == "ref/prompt":
        arguments = PROMPTS[ref.name].arguments if ref.name in PROMPTS else ()
        return next((one.choices for one in arguments if one.name == argument), ())
    if not any(template.uri == ref.uri and f"{{{argument}}}" in template.uri for template in TEMPLATES):
        return ()
    if argument == "name":
        return TOOLS
    # Newest first, and each id once.
    return dict.fromkeys(record.id for record in context.telemetry.network.newest())


def handlers(context: Context) -> dict[str, Any]:
    """The handlers for the library's server."""

    async def completion(_ctx: Any, params: Any) -> Any:
        completion = complete(context, params.ref, params.argument.name, params.argument.value)
        return {"completion": completion, "resultType": "complete"}

    return {"on_completion": completion}
