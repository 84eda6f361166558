"""The accessibility tree in short lines."""

from typing import Any

from gasoline_cdp.analysis.accessibility.tree import write_tree


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
        'document "Shop"',
        '  heading "Basket" level=2 focused [e2]',
        "  text \"Two 'things'\"",
        '  checkbox "Gift" checked=mixed [e6]',
    ]


def test_what_is_typed_into_a_password_field_is_not_told() -> None:
    lines = write_tree(
        [node(1, "textbox", "Password", value={"value": "••••"}, children=(2,)), node(2, "StaticText", "••••", 1)]
    )
    assert lines == ['textbox "Password" value="[REDACTED]" [e1]']


def test_the_fields_inside_labels_and_what_labels_say() -> None:
    lines = write_tree(
        [
            node(1, "form", children=(2, 5, 7, 9)),
            node(2, "LabelText", "", 1, (3, 4)),
            node(3, "StaticText", "Name ", 2),
            node(4, "textbox", "Name", 2),
            node(5, "LabelText", "", 1, (6,)),
            node(6, "StaticText", "Country", 5),
            node(7, "combobox", "Country", 1, (8,), value={"value": "Peru"}),
            node(8, "StaticText", "Peru", 7),
            node(9, "LabelText", "", 1, (10,)),
            node(10, "StaticText", "Of nothing", 9),
        ]
    )
    assert lines == [
        "form [e1]",
        '  textbox "Name" [e4]',
        '  combobox "Country" value="Peru" [e7]',
        '  text "Of nothing"',
    ]


def test_no_text_is_left_out_because_another_name_contains_it() -> None:
    long = "package " + "word " * 40
    lines = write_tree(
        [
            node(1, "RootWebArea", "ShopDesk", children=(2, 3, 5, 8)),
            node(2, "StaticText", "Desk", 1),
            node(3, "link", "The desk of the shop", 1, (4,)),
            node(4, "StaticText", "desk", 3),
            node(5, "link", f"{long} v1.2.3", 1, (6, 7)),
            node(6, "StaticText", long, 5),
            node(7, "StaticText", "v1.2.3", 5),
            node(8, "button", "Sign in", 1, (9, 10)),
            node(9, "image", "Sign", 8),
            node(10, "StaticText", "in", 8),
        ]
    )
    assert '  text "Desk"' in lines
    assert '    text "desk"' in lines
    assert '    text "v1.2.3"' in lines
    assert lines[-2:] == ['  button "Sign in" [e8]', '    img "Sign" [e9]']


def test_the_options_of_a_closed_list_are_counted_where_they_are_many() -> None:
    def tree(count: int, start: int | None = None) -> list[str]:
        options = tuple(range(10, 10 + count))
        nodes = [
            node(1, "combobox", "Country", children=(2,), value={"value": "C10"}),
            node(2, "MenuListPopup", "", 1, options),
            *(node(number, "option", f"C{number}", 2) for number in options),
        ]
        return write_tree(nodes, start=start)

    assert tree(2) == ['combobox "Country" value="C10" [e1]', '  option "C10" [e10]', '  option "C11" [e11]']
    assert tree(200) == ['combobox "Country" value="C10" options=200 [e1]']
    assert len(tree(200, start=1)) == 201


def test_a_part_of_the_tree_and_its_document() -> None:
    nodes = [node(1, "RootWebArea", "A", children=(2,)), node(2, "link", "B", 1)]
    assert write_tree(nodes, suffix="@k3f9a", start=2) == ['link "B" [e2@k3f9a]']
    assert write_tree(nodes, start=9) == []


def test_a_tree_may_be_deep_or_nonsense() -> None:
    deep = [node(n, "group", "g", n - 1 if n else None, (n + 1,)) for n in range(5000)]
    assert len(write_tree(deep)) == 5000
    circle = [node(1, "link", "x", 2, (2,)), node(2, "link", "y", 1, (1,)), {}]
    assert write_tree(circle) == []
