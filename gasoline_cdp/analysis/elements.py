"""Names an element for a reader."""

from typing import Any


def element_of(selectors: dict[str, Any]) -> str | None:
    """The selector that says most to a reader."""
    if role := selectors.get("role") or selectors.get("presumed"):
        return f'{role["role"]} "{role["name"]}"'
    if within := selectors.get("within"):
        return f'{within["role"]} "{within["name"]}" in the {within["container"]} with "{within["text"]}"'
    for name in ("label", "text"):
        if name in selectors:
            return f'"{selectors[name]}"'
    if test_id := selectors.get("test_id"):
        return f"[{test_id['attribute']}={test_id['value']}]"
    return f"#{selectors['id']}" if "id" in selectors else selectors.get("css")
