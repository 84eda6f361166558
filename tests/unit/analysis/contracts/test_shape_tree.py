"""The shape of many answers together, and how one more departs from it."""

from typing import Any

import pytest

from gasoline_cdp.analysis.contracts.shape_tree import Diff, Node, absorb, compare, is_name, learn, shown, type_of


def learned(*answers: Any) -> Node:
    node = Node()
    for turn, answer in enumerate(answers):
        learn(node, answer, turn)
    return node


def differences(node: Node, answer: Any) -> list[Diff]:
    return list(compare(node, answer))


@pytest.mark.parametrize(
    ("value", "name"),
    [({}, "object"), ([], "array"), (True, "boolean"), (1, "number"), (1.5, "number"), ("", "string"), (None, "null")],
)
def test_types_are_those_of_json(value: object, name: str) -> None:
    assert type_of(value) == name


def test_a_field_that_some_answers_lack_is_optional() -> None:
    assert shown(learned({"a": 1}, {"a": 1, "b": "x"})) == {"a": "number", "b?": "string"}


def test_alternatives_and_elements_of_lists_are_joined() -> None:
    assert shown(learned({"a": [1, "x", {"b": 1}]})) == {"a": [[{"b": "number"}, "number", "string"]]}


def test_an_object_or_nothing_is_told_by_the_object() -> None:
    assert shown(learned({"a": None}, {"a": {"b": 1}})) == {"a": {"b": "number"}}


def test_keys_that_are_ids_make_a_dictionary() -> None:
    node = learned({"17": {"a": 1}, "18": {"a": 2}}, {"19": {"a": 3}})
    assert shown(node) == {"{id}": {"a": "number"}}
    assert differences(node, {"20": {"a": 4}}) == []


def test_nothing_is_news_before_three_answers() -> None:
    assert differences(learned({"a": 1}, {"a": 1}), {"a": "x"}) == []
    assert differences(learned(*[{"a": 1}] * 3), {"a": "x"}) == [Diff("type_change", "a", "number", "string")]


def test_each_way_to_depart() -> None:
    node = learned(*[{"a": 1, "list": [{"b": "x"}]}] * 3)
    assert differences(node, {"a": None, "list": [{"b": "x"}]}) == [Diff("null_field", "a", "number", "null")]
    assert differences(node, {"list": []}) == [Diff("missing_field", "a", "number")]
    assert differences(node, {"a": 1, "list": [], "c": True}) == [Diff("new_field", "c", "", "boolean")]
    assert differences(node, {"a": 1, "list": [{"b": 2}]}) == [Diff("type_change", "list[].b", "string", "number")]


def test_the_last_page_has_no_next_one() -> None:
    assert differences(learned(*[{"next_page": "x"}] * 3), {"next_page": None}) == []


def test_a_difference_that_is_skipped_is_not_learned() -> None:
    node = learned(*[{"a": 1}] * 3)
    learn(node, {"a": "x", "b": 1}, 3, skip={("type_change", "a"), ("new_field", "b")})
    assert shown(node) == {"a": "number"}


def test_absorbing_leaves_the_other_as_it_was() -> None:
    into, other = learned({"a": 1}), learned({"b": "x"})
    absorb(into, other)
    assert shown(into) == {"a?": "number", "b?": "string"}
    assert shown(other) == {"b": "string"}
    learn(into, {"a": 1, "b": 2}, 9)
    assert shown(other) == {"b": "string"}


@pytest.mark.parametrize("key", ["x" * 81, "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "a\u202eb"])
def test_essays_and_secrets_are_no_names(key: str) -> None:
    assert not is_name(key)
    assert shown(learned({key: 1, "a": 1})) == {"a": "number"}
