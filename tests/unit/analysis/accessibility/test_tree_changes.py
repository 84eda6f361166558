"""What came, went, changed and moved between two readings of a tree."""

from collections.abc import Sequence

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.accessibility.tree_changes import TreeChanges, compare_trees
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine


def line(depth: int, key: str, name: str = "", role: str = "group") -> TreeLine:
    return TreeLine(depth=depth, key=key, role=role, name=f'"{name or key}"', ref=f"[{key}]")


def compared(before: Sequence[TreeLine], now: Sequence[TreeLine]) -> tuple[list[str], TreeChanges]:
    lines, changes = compare_trees(before, now)
    return [one.render() for one in lines], changes


LIST = [line(0, "top"), line(1, "list"), line(2, "a"), line(3, "a1"), line(2, "b"), line(2, "c"), line(1, "end")]


def test_the_same_is_nothing() -> None:
    assert compared(LIST, LIST) == ([], TreeChanges())
    assert not TreeChanges().any()


def test_what_came_is_told_with_what_it_is_inside_of() -> None:
    now = [*LIST[:5], line(2, "new"), line(3, "new1"), *LIST[5:]]
    assert compared(LIST, now) == (
        [
            '  group "top" [top]',
            '   group "list" [list]',
            '+   group "new" [new]',
            '+    group "new1" [new1]',
        ],
        TreeChanges(added=2),
    )


def test_what_went_is_told_where_it_was_and_once_with_all_inside() -> None:
    now = [one for one in LIST if not one.key.startswith("a")]
    assert compared(LIST, now) == (
        ['  group "top" [top]', '   group "list" [list]', '-   group "a" [a] (and 1 inside)'],
        TreeChanges(removed=2),
    )


def test_what_changed_says_how_it_was() -> None:
    now = [evolve(one, name='"B!"') if one.key == "b" else one for one in LIST]
    lines, changes = compared(LIST, now)
    assert lines[-1] == '~   group "B!" [b] (was: group "b")'
    assert changes == TreeChanges(changed=1)
    long = [evolve(LIST[0], name=f'"{"x" * 500}"')]
    assert len(compared(long, LIST[:1])[0][0]) < 150


def test_another_order_is_told_by_the_fewest_lines() -> None:
    now = [LIST[0], LIST[1], LIST[4], LIST[5], LIST[2], LIST[3], LIST[6]]
    lines, changes = compared(LIST, now)
    assert lines == ['  group "top" [top]', '   group "list" [list]', '>   group "a" [a] (and 1 inside)']
    assert changes == TreeChanges(moved=2)


def test_what_is_inside_another_line_now_has_moved() -> None:
    now = [*LIST[:4], evolve(LIST[4], depth=3), *LIST[5:]]
    lines, changes = compared(LIST, now)
    assert lines[-1] == '>    group "b" [b]'
    assert changes == TreeChanges(moved=1)


def test_a_line_around_others_comes_and_goes_alone() -> None:
    wrapped = [*LIST[:2], line(2, "div"), *(evolve(one, depth=one.depth + 1) for one in LIST[2:6]), LIST[6]]
    assert compared(LIST, wrapped)[1] == TreeChanges(added=1)
    lines, changes = compared(wrapped, LIST)
    assert changes == TreeChanges(removed=1)
    assert lines[-1] == '-   group "div" [div]'


def test_what_left_a_line_that_went_has_moved() -> None:
    before = [line(0, "top"), line(1, "one"), line(2, "item"), line(1, "two")]
    now = [line(0, "top"), line(1, "two"), line(2, "item")]
    lines, changes = compared(before, now)
    assert lines == [
        '  group "top" [top]',
        '-  group "one" [one]',
        '   group "two" [two]',
        '>   group "item" [item]',
    ]
    assert changes == TreeChanges(removed=1, moved=1)


def test_everything_is_another() -> None:
    other = [line(0, "x"), line(1, "y")]
    assert compared(LIST, other) == (
        ['- group "top" [top] (and 6 inside)', '+ group "x" [x]', '+  group "y" [y]'],
        TreeChanges(added=2, removed=7),
    )
    assert compared(LIST, [])[1] == TreeChanges(removed=7)
    assert compared([], LIST)[1] == TreeChanges(added=7)


def test_a_frame_that_went() -> None:
    frame = [evolve(line(-1, "frame #f", role="frame"), ref=""), line(0, "doc"), line(1, "in")]
    lines, changes = compared([*LIST, *frame], LIST)
    assert lines == ['- frame "frame #f" (and 2 inside)']
    assert changes == TreeChanges(removed=3)


TREES = st.lists(
    st.tuples(st.sampled_from("abcdefghij"), st.integers(0, 4), st.sampled_from(["one", "two"])),
    max_size=10,
    unique_by=lambda row: row[0],
)


def grown(rows: list[tuple[str, int, str]]) -> list[TreeLine]:
    lines: list[TreeLine] = []
    for key, depth, name in rows:
        lines.append(line(min(depth, lines[-1].depth + 1) if lines else 0, key, name))
    return lines


@given(TREES, TREES)
def test_every_line_is_accounted_for(first: list[tuple[str, int, str]], second: list[tuple[str, int, str]]) -> None:
    before, now = grown(first), grown(second)
    lines, changes = compare_trees(before, now)
    old, new = {one.key: one.name for one in before}, {one.key: one.name for one in now}
    assert changes.added == len(new.keys() - old.keys())
    assert changes.removed == len(old.keys() - new.keys())
    assert changes.changed == sum(old[key] != new[key] for key in old.keys() & new.keys())
    told = {one.key: one.mark for one in lines}
    assert {key for key, mark in told.items() if mark == "+"} == new.keys() - old.keys()
    assert {key for key, mark in told.items() if mark == "~"} == {
        k for k in old.keys() & new.keys() if old[k] != new[k]
    }
    assert {key for key, mark in told.items() if mark == "-"} <= old.keys() - new.keys()
    # If nothing is told, the two are the same.
    assert changes.any() or [(one.key, one.depth) for one in before] == [(one.key, one.depth) for one in now]
    # Every line that is told of comes with the line that it is inside of.
    for number, one in enumerate(lines):
        assert one.depth <= 0 or any(other.depth < one.depth for other in lines[:number])


def test_a_large_list_turned_round_is_compared_in_time() -> None:
    many = [line(0, "top"), *(line(1, f"k{n}") for n in range(15_000))]
    _, changes = compare_trees(many, [many[0], *reversed(many[1:])])
    assert changes == TreeChanges(moved=14_999)
