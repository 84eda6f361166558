"""What axe brings from a page is kept for a while: without the secrets in it."""

from random import Random
from typing import Any

import pytest

from gasoline_cdp.probe.accessibility import mask_html
from tests.made_material import MAKERS


@pytest.mark.requirement("F1-SECRETS")
def test_secrets_in_the_html_of_elements_are_masked_on_arrival() -> None:
    secret = MAKERS["shopify"](Random(3))
    others = [{"target": ["#b"], "html": f'<i data-key="{secret}">'}]
    node: dict[str, Any] = {
        "target": ["#a"],
        "html": f'<input type="password" value="hunter2"><b title="{secret}">',
        "any": [{"id": "x", "message": "", "related": others}],
        "all": [{"id": "y", "message": "", "related": None}],
        "none": [],
    }
    result: dict[str, Any] = {"violations": [{"nodes": [node]}], "incomplete": []}
    mask_html(result)
    assert "hunter2" not in str(result)
    assert secret[6:14] not in str(result)
    assert node["html"].startswith('<input type="password"')
    assert str(others[0]["html"]).startswith("<i data-key=")
