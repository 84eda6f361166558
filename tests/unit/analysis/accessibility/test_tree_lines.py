"""Which lines of a tree are shown if only some are asked for."""

from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine, containing, controls_only, with_ancestors


def lines_of(text: str) -> list[TreeLine]:
    """Lines as they are shown, by their indentation: `button!` is a control, the key is the place."""
    made = []
    for number, line in enumerate(text.strip("\n").split("\n")):
        words = line.strip()
        role, _, name = words.partition(" ")
        made.append(
            TreeLine(
                depth=(len(line) - len(words)) // 2 - (role == "frame"),
                key=f"e{number}",
                role=role.rstrip("!"),
                name=name,
                control=role.endswith("!"),
            )
        )
    return made


def shown(lines: list[TreeLine]) -> list[str]:
    return [line.render() for line in lines]


SHOP = lines_of("""
document "Shop"
  banner
    link! "Home"
  list
    li
      text "Tea"
      button! "Buy"
    li
      group
        text "Coffee, 'ground'"
        group
          button! "Buy"
  paragraph "Nothing more"
frame #pay
document "Pay"
  group
    textbox! "Card"
""")


def test_a_line_comes_with_those_that_it_is_inside_of() -> None:
    assert shown(containing(SHOP, "coffee")) == [
        'document "Shop"',
        " list",
        "  li",
        "   group",
        "    \"Coffee, 'ground'\"",
    ]
    assert shown(containing(SHOP, "card")) == ["frame #pay", 'document "Pay"', " group", '  textbox "Card"']
    assert shown(containing(SHOP, "no such")) == []


def test_a_text_is_found_in_any_case_and_spacing_and_with_either_quotes() -> None:
    for text in ('COFFEE,  "Ground"', "coffee,\n'ground'"):
        assert len(containing(SHOP, text)) == 5
    long = TreeLine(depth=0, key="e1", role="link", name='"The be…"', searched="The beginning and the end")
    assert containing([long], "and the END") == [long]


def test_a_reference_is_no_text_of_the_page() -> None:
    line = TreeLine(depth=0, key="@kfd12", role="link", name='"a"', ref="@kfd12")
    assert containing([line], "kfd12") == []


def test_controls_stand_inside_of_what_says_where_they_are() -> None:
    assert shown(controls_only(SHOP)) == [
        'document "Shop"',
        " banner",
        '  link "Home"',
        ' li: "Tea"',
        '  button "Buy"',
        " li: \"Coffee, 'ground'\"",
        '  button "Buy"',
        "frame #pay",
        'document "Pay"',
        ' textbox "Card"',
    ]


def test_the_text_beside_a_control_is_not_that_of_controls_and_is_cut() -> None:
    rows = lines_of(
        """
row
  cell "Order"
  link! "Details"
    text "Details"
  cell \""""
        + "x" * 200
        + """\"
"""
    )
    (row, link) = controls_only(rows)
    assert row.text.startswith('"Order xxx')
    assert row.text.endswith('…"')
    assert len(row.text) < 90
    assert link.name == '"Details"'


def test_a_deep_tree_takes_no_longer_than_it_is_long() -> None:
    deep = [TreeLine(depth=n, key=f"e{n}", role="group", name='"g"', control=n % 2 == 0) for n in range(15_000)]
    assert len(controls_only(deep)) == 14_999
    assert len(with_ancestors(deep, lambda line: line.depth == 14_999)) == 15_000
    assert len(deep[-1].render()) < 60
