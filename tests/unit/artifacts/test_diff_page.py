"""The page of a comparison."""

from gasoline_cdp.analysis.compare.sessions import compare_sessions
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionSnapshot
from gasoline_cdp.artifacts.diff_page import diff_page


def test_a_request_without_an_answer_is_told_in_words() -> None:
    aborted = Endpoint(method="GET", url="/rates", status=None, calls=1)
    refused = Endpoint(method="GET", url="/news", status=None, calls=1, failure="net::ERR_FAILED")
    before, after = SessionSnapshot(captured_at=1), SessionSnapshot(captured_at=2, network=(aborted, refused))
    page = diff_page(before, after, compare_sessions(before, after), names=("a", "b"), css="")
    assert "GET /rates → no answer" in page
    assert "GET /news → net::ERR_FAILED" in page
    assert "None" not in page
