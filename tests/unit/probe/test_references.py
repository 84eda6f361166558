"""How references are written and read."""

import pytest

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.references import Reference, document_tag, parse_reference

LOADER_ID = "E442FFDBA2D5F4C2C6D277F99F8BD390"


def test_a_reference_is_read_as_it_was_written() -> None:
    tag = document_tag(LOADER_ID)
    assert len(tag) == 5
    for written in (f"ref=e12@{tag}", f"ref= e12@{tag} ", f"ref=[e12@{tag}]", f"ref=E12@{tag.upper()}"):
        assert parse_reference(written) == Reference(12, tag)


def test_documents_have_tags_of_their_own() -> None:
    assert document_tag(LOADER_ID) != document_tag(LOADER_ID[:-1] + "1")
    assert document_tag("") == "00000"


@pytest.mark.parametrize(
    "text", ["ref=", "ref=x", "ref=e12", "ref=e12@", "ref=e12@abc", "ref=e12@ABCDEFG", "ref=e-1@abcde"]
)
def test_what_is_no_whole_reference_is_refused(text: str) -> None:
    with pytest.raises(GasolineError) as raised:
        parse_reference(text)
    assert raised.value.code == Code.INVALID_SELECTOR
