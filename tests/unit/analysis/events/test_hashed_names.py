"""Which names carry a hash of their content."""

import pytest

from gasoline_cdp.analysis.events.hashed_names import without_hash


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("app.3f2a.js", "app.[hash].js"),
        ("static/main.3f2a9b1c0d.chunk.js", "static/main.[hash].chunk.js"),
        ("assets/index-BcD3fXyZ.js", "assets/index-[hash].js"),
        ("assets/index-BcDefXyZ.css?v=2#x", "assets/index-[hash].css"),
        ("assets/index-B_cD-3fX.js", "assets/index-[hash].js"),
        ("out/app-ABCDEFGH.js", "out/app-[hash].js"),
    ],
)
def test_a_hash_before_the_ending(name: str, stem: str) -> None:
    assert without_hash(f"http://app.test/{name}") == f"http://app.test/{stem}"


@pytest.mark.parametrize(
    "name",
    [
        "app.js",
        "app-settings.js",
        "user-overview.js",
        "deadbeef.js",
        "a.min.js",
        "main.css?h=3f2a9b1c",
        "face.decade.js",
    ],
)
def test_words_are_no_hashes(name: str) -> None:
    assert without_hash(f"http://app.test/{name}") == ""
