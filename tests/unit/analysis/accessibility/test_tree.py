"""The accessibility tree in short lines."""

from typing import Any

from gasoline_cdp.analysis.accessibility import tree
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine

Nodes = list[dict[str, Any]]


def write_tree(nodes: Nodes, **more: Any) -> list[str]:
    return [line.render() for line in tree.write_tree(nodes, **more)]


def keyed(nodes: Nodes) -> dict[str, TreeLine]:
    return {line.key: line for line in tree.write_tree(nodes)}


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
        ' h2 "Basket" focused @2',
        " \"Two 'things'\"",
        ' checkbox "Gift" checked=mixed @6',
    ]


def test_what_is_typed_into_a_password_field_is_not_told() -> None:
    lines = write_tree(
        [node(1, "textbox", "Password", value={"value": "••••"}, children=(2,)), node(2, "StaticText", "••••", 1)]
    )
    assert lines == ['textbox "Password" value="[REDACTED]" @1']


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
        "form @1",
        ' textbox "Name" @4',
        ' combobox "Country" value="Peru" @7',
        ' "Of nothing"',
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
    assert ' "Desk"' in lines
    assert ' link "The desk of the shop": "desk" @3' in lines
    assert ' link "' in lines[3]
    assert 'v1.2.3" @5' in lines[3]
    assert lines[-2:] == [' button "Sign in" @8', '  img "Sign" @9']


def test_the_options_of_a_closed_list_are_counted_where_they_are_many() -> None:
    def closed_list(count: int, start: int | None = None) -> list[str]:
        options = tuple(range(10, 10 + count))
        nodes = [
            node(1, "combobox", "Country", children=(2,), value={"value": "C10"}),
            node(2, "MenuListPopup", "", 1, options),
            *(node(number, "option", f"C{number}", 2) for number in options),
        ]
        return write_tree(nodes, start=start)

    assert closed_list(2) == ['combobox "Country" value="C10" @1', ' option "C10" @10', ' option "C11" @11']
    assert closed_list(200) == ['combobox "Country" value="C10" options=200 @1']
    assert len(closed_list(200, start=1)) == 201


def test_a_part_of_the_tree_and_its_document() -> None:
    nodes = [node(1, "RootWebArea", "A", children=(2,)), node(2, "link", "B", 1)]
    assert write_tree(nodes, document="kfd", start=2) == ['link "B" @kfd2']
    assert write_tree(nodes, start=9) == []


def test_a_tree_may_be_deep_or_nonsense() -> None:
    deep = [node(n, "group", "g", n - 1 if n else None, (n + 1,)) for n in range(5000)]
    assert len(write_tree(deep)) == 5000
    circle = [node(1, "link", "x", 2, (2,)), node(2, "link", "y", 1, (1,)), {}]
    assert write_tree(circle) == []


def test_texts_side_by_side_are_one_and_an_only_text_stands_on_its_line() -> None:
    lines = write_tree(
        [
            node(1, "RootWebArea", "Shop", children=(2, 6, 9)),
            node(2, "paragraph", "", 1, (3, 4, 5)),
            node(3, "StaticText", "Count: ", 2),
            node(4, "StaticText", "3", 2),
            node(5, "StaticText", " things", 2),
            node(6, "paragraph", "", 1, (7, 8)),
            node(7, "StaticText", "Edit ", 6),
            node(8, "code", "", 6, (10,)),
            node(10, "StaticText", "x.ts", 8),
            node(9, "StaticText", "End", 1),
        ]
    )
    assert lines == [
        'document "Shop"',
        ' "Count: 3 things"',
        " paragraph",
        '  "Edit"',
        '  code: "x.ts"',
        ' "End"',
    ]


def test_texts_on_two_lines_of_the_page_stay_two() -> None:
    lines = write_tree(
        [
            node(1, "paragraph", "", None, (2, 3, 4)),
            node(2, "StaticText", "one", 1),
            node(3, "LineBreak", "", 1),
            node(4, "StaticText", "two", 1),
        ]
    )
    assert lines == ["paragraph", ' "one"', ' "two"']


def test_the_name_of_a_row_that_its_cells_tell_is_told_once() -> None:
    nodes = [
        node(1, "row", "Order 7 Edit", None, (2, 3)),
        node(2, "cell", "Order 7", 1, (4,)),
        node(4, "StaticText", "Order 7", 2),
        node(3, "cell", "Edit", 1, (5,)),
        node(5, "button", "Edit", 3),
    ]
    assert write_tree(nodes) == ['row: "Order 7" @1', " cell @3", '  button "Edit" @5']
    # A name of its own stays, and so does one that says more than the controls do.
    nodes[0]["name"] = {"value": "Latest order"}
    nodes[3] = node(3, "cell", "Now Edit", 1, (5, 6))
    nodes.append(node(6, "StaticText", "Now", 3))
    assert write_tree(nodes)[0] == 'row "Latest order" @1'
    assert write_tree(nodes)[2] == ' cell "Now Edit" @3'


def test_cells_that_only_hold_text_stand_on_the_line_of_their_row() -> None:
    nodes = [
        node(1, "table", "Orders", None, (2, 7)),
        node(2, "row", "", 1, (3, 4, 5, 6)),
        node(3, "cell", "Tea | milk", 2),
        node(4, "cell", "", 2),
        node(5, "cell", "Edit", 2, (8,)),
        node(8, "button", "Edit", 5),
        node(6, "cell", "Later", 2),
        node(7, "row", "", 1, (9,)),
        node(9, "cell", "Bread", 7),
    ]
    assert write_tree(nodes) == [
        'table "Orders" @1',
        ' row: "Tea | milk" | "" @2',
        "  cell @5",
        '   button "Edit" @8',
        '  cell "Later" @6',
        ' row: "Bread" @7',
    ]


def test_tables_for_layout_are_looked_through() -> None:
    nodes = [
        node(1, "LayoutTable", "", None, (2,)),
        node(2, "LayoutTableRow", "", 1, (3, 5)),
        node(3, "LayoutTableCell", "Open", 2, (4,)),
        node(4, "button", "Open", 3),
        node(5, "LayoutTableCell", "The desk", 2),
    ]
    assert write_tree(nodes) == ['button "Open" @4', 'LayoutTableCell "The desk" @5']


def test_what_is_a_control() -> None:
    focusable = [{"name": "focusable", "value": {"value": True}}]
    lines = keyed(
        [
            node(1, "RootWebArea", "Shop", children=(2, 3, 4, 5, 6), properties=focusable),
            node(2, "button", "Buy", 1),
            node(3, "group", "Drag me", 1, properties=focusable),
            node(4, "group", "Plain", 1),
            node(5, "progressbar", "Loading", 1),
            node(6, "paragraph", "", 1, (7,), properties=[{"name": "editable", "value": {"value": "richtext"}}]),
            node(7, "StaticText", "Write here", 6),
        ]
    )
    assert [key for key, line in lines.items() if line.control] == ["@2", "@3", "@6"]


def test_each_line_has_a_key_of_its_own() -> None:
    twice = [node(1, "list", "", None, (2, 3)), node(2, "link", "a", 1), node(3, "link", "b", 1)]
    twice[2]["backendDOMNodeId"] = 2
    assert [line.key for line in tree.write_tree(twice, document="kfd")] == ["@kfd1", "@kfd2", "@kfd2#2"]
    del twice[1]["backendDOMNodeId"]
    assert tree.write_tree(twice)[1].key == "n2"


def test_many_texts_side_by_side_take_no_longer_than_they_are() -> None:
    many = [
        node(1, "paragraph", "", None, tuple(range(2, 50_002))),
        *(node(number, "StaticText", "word ", 1) for number in range(2, 50_002)),
    ]
    (line,) = tree.write_tree(many)
    assert line.text.startswith('"word word')
    assert len(line.text) < 400


def test_a_row_of_very_many_cells_is_no_line_without_end() -> None:
    many = [
        node(1, "row", "", None, tuple(range(2, 15_002))),
        *(node(number, "cell", "word", 1) for number in range(2, 15_002)),
    ]
    lines = tree.write_tree(many)
    assert 400 <= len(lines[0].text) < 600
    assert lines[0].text.count("word") + len(lines) - 1 == 15_000


def test_a_name_is_found_without_the_picture_of_its_icon() -> None:
    node = {"role": {"value": "button"}, "name": {"value": "\uf0c7 Save"}}
    assert not tree.is_called(node, "button", "Save")
    assert tree.is_called(node, "button", "Save", loosely=True)
    assert tree.is_called(node, "button", " Save", loosely=True)
    icon = {"role": {"value": "button"}, "name": {"value": "\uf0c7"}}
    assert not tree.is_called(icon, "button", "\uf0c8", loosely=True)
