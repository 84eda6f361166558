"""How a test finds an element again: the best of the selectors that matched only it when they were captured."""

from typing import Any, Literal

from attrs import frozen

from gasoline_cdp.analysis.flows.volatile import is_momentary

LocatorKind = Literal["test_id", "role", "label", "placeholder", "alt", "title", "text", "css"]

# In the order in which Playwright recommends them. `within` names the element by a container that can be told apart.
_ORDER: tuple[str, ...] = (
    "test_id",
    "role",
    "presumed",
    "cell",
    "label",
    "placeholder",
    "alt",
    "title",
    "text",
    "id",
    "within",
    "container",
    "css",
)


@frozen
class Locator:
    """One way to find one element. `frames` are the frames around it, from the outside in."""

    kind: LocatorKind
    value: str
    # For a role: the role whose name is `value`. For a test id: the attribute.
    detail: str = ""
    # The container that tells it apart, found by its role and a text in it.
    container_role: str = ""
    container_text: str = ""
    frames: tuple[str, ...] = ()

    @property
    def is_fragile(self) -> bool:
        """Whether it depends on the order of elements."""
        return self.kind == "css" and ":nth-" in self.value


def locator_of(selectors: dict[str, Any]) -> Locator | None:
    """The best locator among the selectors of an action, or None if nothing was unique."""
    frames = tuple(frame for frame in selectors.get("frames") or () if isinstance(frame, str))
    for name in _ORDER:
        chosen = _one(name, selectors.get(name), frames)
        if name == "container" and ":nth-" not in str(selectors.get("css", ":nth-")):
            # A path that counts nothing is shorter.
            continue
        if chosen is not None and not (is_momentary(chosen.value) or is_momentary(chosen.container_text)):
            return chosen
    return None


def _one(name: str, value: Any, frames: tuple[str, ...]) -> Locator | None:
    if not value:
        return None
    if name == "test_id":
        return Locator("test_id", value["value"], value["attribute"], frames=frames)
    if name in {"role", "presumed"}:
        return Locator("role", value["name"], value["role"], frames=frames)
    if name == "cell":
        return Locator("role", value, "cell", frames=frames)
    if name == "within":
        return Locator("role", value["name"], value["role"], value["container"], value["text"], frames)
    if name == "container":
        css = value.get("css")
        return Locator("css", css, "", value["role"], value["text"], frames) if css else None
    if name == "id":
        return Locator("css", css_of_id(value), frames=frames)
    kinds: dict[str, LocatorKind] = {
        "label": "label", "placeholder": "placeholder", "alt": "alt", "title": "title", "text": "text", "css": "css",
    }  # fmt: skip
    return Locator(kinds[name], value, frames=frames)


def css_of_id(value: str) -> str:
    """The CSS selector of an id."""
    return f'[id="{css_text(value)}"]' if _needs_quotes(value) else f"#{value}"


def _needs_quotes(identifier: str) -> bool:
    """Whether an id cannot stand behind # as it is."""
    return not identifier.replace("-", "a").replace("_", "a").isalnum() or identifier[0].isdigit()


def css_text(value: str) -> str:
    """A text as it stands between the quotes of a selector."""
    return value.replace("\\", "\\\\").replace('"', '\\"')
