"""The accessibility tree in short lines."""

from typing import Any

from gasoline_cdp.analysis.accessibility_tree import write_tree


def node(
    number: int, role: str, name: str = "", parent: int | None = None, children: tuple[int, ...] = (), **more: Any
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "nodeId": str(number),
        "role": {"type": "role", "value": role},
        "name": {"value": name},
        "childIds": [str(child) for child in children],
        "backendDOMNodeId": number,
        **more,
    }
    return made if parent is None else {**made, "parentId": str(parent)}


def test_roles_names_and_states() -> None:
    properties = [{"name": "level", "value": {"value": 2}}, {"name": "focused", "value": {"value": True}}]
    lines = write_tree(
        [
            node(1, "RootWebArea", "Shop", children=(2, 3, 6)),
            node(2, "heading", "Basket", 1, (4,), properties=properties),
            node(4, "StaticText", "Basket", 2),
            node(3, "generic", "", 1, (5,)),
            node(5, "StaticText", 'Two "things"', 3),
            node(6, "checkbox", "Gift", 1, properties=[{"name": "checked", "value": {"value": "mixed"}}]),
        ]
    )
    assert lines == [
        'document "Shop" [e1]',
        '  heading "Basket" level=2 focused [e2]',
        "  text \"Two 'things'\"",
        '  checkbox "Gift" checked=mixed [e6]',
    ]


def test_what_is_typed_into_a_password_field_is_not_told() -> None:
    lines = write_tree(
        [node(1, "textbox", "Password", value={"value": "••••"}, children=(2,)), node(2, "StaticText", "••••", 1)]
    )
    assert lines == ['textbox "Password" value="[REDACTED]" [e1]']


def test_a_part_of_the_tree_and_a_frames_references() -> None:
    nodes = [node(1, "RootWebArea", "A", children=(2,)), node(2, "link", "B", 1)]
    assert write_tree(nodes, suffix="@AB12", start=2) == ['link "B" [e2@AB12]']
    assert write_tree(nodes, start=9) == []


def test_a_tree_may_be_deep_or_nonsense() -> None:
    deep = [node(n, "group", "g", n - 1 if n else None, (n + 1,)) for n in range(5000)]
    assert len(write_tree(deep)) == 5000
    circle = [node(1, "link", "x", 2, (2,)), node(2, "link", "y", 1, (1,)), {}]
    assert write_tree(circle) == []
