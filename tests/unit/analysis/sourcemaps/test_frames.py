"""Stack frames for a reader."""

import pytest

from gasoline_cdp.analysis.sourcemaps.frames import is_library, place_of
from gasoline_cdp.records import StackFrame

OWN = [
    "http://localhost:5173/src/Order.jsx?t=1763",
    "src/node_modules.ts",
    "http://app.test/assets/index-4f2a91.js",
    "http://app.test/vendor.js",
    "http://app.test/vue-cart.js",
    "http://app.test/reactions.js",
    "webpack-internal:///./src/a.ts",
    "src/api.ts?from=/node_modules/",
    "",
]
LIBRARIES = [
    "http://localhost:5173/node_modules/.vite/deps/chunk-ABC.js?v=1",
    "http://localhost:5173/@vite/client",
    "node_modules/react-dom/cjs/react-dom.development.js",
    "webpack-internal:///./node_modules/scheduler/index.js",
    "webpack/bootstrap",
    "https://unpkg.com/some-package@1/index.js",
    "http://app.test/js/jquery-3.7.1.min.js",
    "http://app.test/react-dom.production.min.js",
    "http://app.test/vue.global.prod.js?v=3",
    "chrome-extension://abc/content.js",
]


@pytest.mark.parametrize(("url", "library"), [*((url, False) for url in OWN), *((url, True) for url in LIBRARIES)])
def test_libraries_are_known_by_their_address(url: str, library: bool) -> None:
    assert is_library(StackFrame("f", url, 1, 1)) is library


def test_or_by_their_source_map() -> None:
    assert is_library(StackFrame("f", "src/ui/kit.ts", 1, 1, True))


def test_a_place_is_as_editors_know_it() -> None:
    assert place_of(StackFrame("f", "src/a.ts", 3, 4)) == "f (src/a.ts:3:4)"
    assert place_of(StackFrame("", "", 3, 4)) == "<anonymous>:3:4"
