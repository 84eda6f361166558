"""No two documents have the same letters."""

from gasoline_cdp import limits
from gasoline_cdp.cdp.document_tags import DocumentTags

LOADER_ID = "E442FFDBA2D5F4C2C6D277F99F8BD390"


def test_a_document_keeps_its_letters_also_in_another_daemon() -> None:
    tags = DocumentTags()
    tag = tags.of(LOADER_ID)
    assert len(tag) == 3
    assert tag == tags.of(LOADER_ID) == DocumentTags().of(LOADER_ID)
    assert tags.of("") != tag


def test_a_document_whose_letters_another_has_gets_more_of_them() -> None:
    tags = DocumentTags()
    # Three letters of 21 make 9261 names, so these two have the same.
    same = f"{int(LOADER_ID, 16) + 21**3:032X}"
    first, second = tags.of(LOADER_ID), tags.of(same)
    assert second != first
    assert second.startswith(first)
    assert (tags.of(LOADER_ID), tags.of(same)) == (first, second)


def test_letters_are_free_again_after_very_many_documents() -> None:
    tags = DocumentTags()
    first = tags.of("0")
    others = {tags.of(f"{21**3 * number:X}") for number in range(1, limits.DOCUMENTS_TAGGED)}
    assert first not in others
    assert len(others) == limits.DOCUMENTS_TAGGED - 1
    # The next one is one too many, so the first goes.
    tags.of("1")
    assert tags.of(f"{21**3 * limits.DOCUMENTS_TAGGED:X}") == first
