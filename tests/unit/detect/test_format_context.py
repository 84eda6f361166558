"""Values that have a format and are no secret where they stand."""

import pytest

from gasoline_cdp.detect.scan import find

pytestmark = pytest.mark.requirement("F5-SECRETS")

KEY_ID = "AKIA" + "Z7XQJ5KLMNOPQRST"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (f"key id {KEY_ID}", True),
        (f"https://b.s3.test/f?X-Amz-Credential={KEY_ID}%2F20260101&a=1", False),
        (f'{{"pattern": "/{KEY_ID}/"}}', False),
        (f"<!--{KEY_ID}-->", True),
        (f"a%22{KEY_ID}%22", True),
        (f"line\\n{KEY_ID} end", True),
    ],
)
def test_a_key_id_is_reported_but_not_in_a_signed_address_or_an_expression(text: str, reported: bool) -> None:
    assert any(one.reportable for one in find(text)) == reported
