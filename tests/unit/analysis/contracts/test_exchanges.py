"""What calls sent and what failures answered: names and types, never a value."""

import pytest

from gasoline_cdp.analysis.contracts.exchanges import (
    ABSENT,
    ErrorShapes,
    Exchange,
    SentShapes,
    form_fields,
    media_type,
)
from gasoline_cdp.analysis.contracts.shape_tree import shown


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("application/json; charset=utf-8", "application/json"),
        (" Text/HTML ", "text/html"),
        ("nonsense", ""),
        ("", ""),
        ("a/" + "b" * 200, ""),
    ],
)
def test_a_media_type_without_its_parameters(declared: str, kind: str) -> None:
    assert media_type(declared) == kind


def test_the_fields_of_a_form_are_those_of_json() -> None:
    assert form_fields("a=1&b=&a=2&a=3") == {"a": ["1", "2", "3"], "b": ""}


def test_query_parameters_have_types_and_are_counted_by_call() -> None:
    sent = SentShapes()
    sent.learn(Exchange(query="page=2&tag=x&tag=y&ratio=1.5&all=TRUE&1790000000000=1"))
    sent.learn(Exchange(query="page=two"))
    assert {name: (known.types, known.calls, known.repeated) for name, known in sent.parameters.items()} == {
        "page": ({"integer", "string"}, 2, False),
        "tag": ({"string"}, 1, True),
        "ratio": ({"number"}, 1, False),
        "all": ({"boolean"}, 1, False),
    }
    assert sent.calls == 2


def test_parameters_of_one_endpoint_are_bounded() -> None:
    sent = SentShapes()
    for letter in "abcdefgh":
        sent.learn(Exchange(query="&".join(f"{letter}{'x' * number}=1" for number in range(1, 20))))
    assert len(sent.parameters) == 40


def test_bodies_are_learned_by_media_type() -> None:
    sent = SentShapes()
    for request in ({"name": "Ada"}, {"name": "Bob", "age": 3}):
        sent.learn(Exchange(request_type="application/json", request=request))
    sent.learn(Exchange(request_type="image/png", request=ABSENT))
    sent.learn(Exchange())
    node, learned = sent.bodies["application/json"]
    assert (shown(node), learned) == ({"name": "string", "age?": "number"}, 2)
    assert sent.bodies["image/png"][1] == 0
    assert (sent.calls, sent.with_body) == (4, 3)


def test_what_was_only_tried_is_optional() -> None:
    worked, tried = SentShapes(), SentShapes()
    worked.learn(Exchange(query="a=1"))
    tried.learn(Exchange(query="a=x&b=1", request_type="application/json", request={"x": 1}))
    joined = worked.joined(tried)
    assert joined.parameters["a"].types == {"integer"}
    assert (joined.parameters["b"].calls, joined.calls) == (0, 1)
    assert "application/json" in joined.bodies
    assert SentShapes().joined(tried) is tried


def test_failures_are_learned_by_status() -> None:
    errors = ErrorShapes()
    answer = Exchange(response_type="application/problem+json")
    errors.learn(422, answer, {"detail": "no"}, success=False)
    errors.learn(200, Exchange(response_type="application/json"), {"ok": True}, success=True)
    assert errors.media_types == {422: "application/problem+json", 200: "application/json"}
    assert {status: shown(node) for status, (node, _) in errors.shapes.items()} == {422: {"detail": "string"}}
    for status in range(500, 600):
        errors.learn(status, answer, ABSENT, success=False)
    assert len(errors.media_types) == 12
