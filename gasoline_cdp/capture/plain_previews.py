"""Variables as Chrome itself describes them, where a deep preview would have to run code of the page.

A Proxy whose traps have an effect, as those of reactive frameworks have, ends a deep preview of everything around it.
Chrome looks behind a Proxy without its traps, one level deep.
"""

from collections.abc import Sequence

from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import Params, Session

# Properties of one object that are taken. A scope rarely has as many.
_PARTS = 200


async def plain_previews(session: Session, references: Sequence[str], string_chars: int) -> list[Params]:
    """The properties of each object, which should be few: Chrome sends all of them."""
    wanted = [
        {"objectId": reference, "ownProperties": True, "generatePreview": True, "nonIndexedPropertiesOnly": False}
        for reference in references
    ]
    replies = await session.send_many("Runtime.getProperties", wanted)
    return [_preview(mapping(reply), string_chars) for reply in replies]


def _preview(reply: Params, string_chars: int) -> Params:
    given = reply.get("result")
    properties = [mapping(one) for one in given[:_PARTS]] if isinstance(given, list) else []
    parts = [_part(one, string_chars) for one in properties]
    return {"type": "object", "description": "Object", "properties": parts}


def _part(described: Params, string_chars: int) -> Params:
    """A property of a preview, as the one that Chrome describes with its object."""
    name, value = str(described.get("name")), mapping(described.get("value"))
    if "value" not in described:
        return {"name": name, "type": "accessor"}
    if value.get("type") == "function":
        return {"name": name, "type": "function"}
    text = value.get("unserializableValue", value.get("description", value.get("value", value.get("type"))))
    text = str(text).lower() if value.get("type") == "boolean" else str(text)
    part: Params = {"name": name, "type": value.get("type"), "value": _short(text, string_chars)}
    if value.get("subtype"):
        part["subtype"] = value["subtype"]
    if isinstance(value.get("preview"), dict):
        part["valuePreview"] = value["preview"]
    return part


def _short(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[:chars]}…"
