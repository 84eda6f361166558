"""How references are written and read."""

import pytest

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.references import Reference, is_reference, parse_reference


@pytest.mark.parametrize("written", ["@kfd12", "ref=@kfd12", "ref=kfd12", " ref= @kfd12 ", "@KFD12", "kfd12"])
def test_a_reference_is_read_as_it_was_written(written: str) -> None:
    assert is_reference(written)
    assert parse_reference(written) == Reference(12, "kfd")


@pytest.mark.parametrize("text", ["ref=", "ref=x", "ref=12", "@12", "ref=@kf12", "@kfd", "@kfd-1", "@kfd12x", "@12kfd"])
def test_what_is_no_whole_reference_is_refused(text: str) -> None:
    assert is_reference(text)
    with pytest.raises(GasolineError) as raised:
        parse_reference(text)
    assert raised.value.code == Code.INVALID_SELECTOR


@pytest.mark.parametrize("selector", ["h1", "#kfd12", ".kfd12", "button", "area1", "my-tag12", "[data-x='@kfd12']"])
def test_selectors_are_no_references(selector: str) -> None:
    assert not is_reference(selector)
