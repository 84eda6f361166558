"""Variables of minified code by the names that were written."""

import pytest

from gasoline_cdp.analysis.sourcemaps.variable_names import ScriptLines, as_it_runs, names_near, written_names
from tests.unit.analysis.sourcemaps.maps import source_map

CODE = "function t(e,n){let r=e.a;return()=>{let e=n;return e+r}}"


def names_of(begin: str, end: int = len(CODE)) -> dict[str, str | None]:
    mapped = source_map(
        CODE,
        "src/cart.ts",
        ("t(", 0, 0, "apply"),
        ("e,", 0, 6, "cart"),
        ("n)", 0, 12, "coupon"),
        ("r=", 1, 2, "total"),
        ("e.a", 1, 10, "cart"),
        ("e=n", 2, 4, "extra"),
        ("n;", 2, 12, "coupon"),
        ("e+", 3, 2, "extra"),
        ("r}", 3, 10, "total"),
    )
    return written_names(ScriptLines(CODE), mapped, (1, CODE.index(begin) + 1), (1, end + 1))


def test_a_parameter_is_sure_although_its_name_is_used_again_inside() -> None:
    assert names_of("(e,n)") == {"e": "cart", "n": "coupon", "r": "total"}


def test_a_name_that_was_several_is_not_guessed() -> None:
    assert names_of("{let r") == {"e": None, "n": "coupon", "r": "total"}
    assert names_of("let e=") == {"e": "extra", "n": "coupon", "r": "total"}


@pytest.mark.parametrize(
    ("written", "runs"),
    [
        ("cart.coupon, coupon", "e.coupon, n"),
        ("'cart' + cart", "'cart' + e"),
        ("{cart: coupon}", "{cart: n}"),
        ("cart ? coupon : 1", "e ? n : 1"),
        ("carton.cart", "carton.cart"),
    ],
)
def test_an_expression_with_the_names_that_run(written: str, runs: str) -> None:
    assert as_it_runs(written, {"cart": "e", "coupon": "n"}) == runs


def test_places_in_a_script() -> None:
    script = ScriptLines("ab\ncd\n")
    assert [script.position(offset) for offset in (0, 1, 3, 4)] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert all(script.offset(script.position(offset)) == offset for offset in range(6))


def test_names_of_a_line_those_nearest_to_a_place_first() -> None:
    line = "const sum = prices.pear.gross * amount + prices.tax('sum of it', rate);"
    code = f"let other;\n{line}\nlet last;"
    begin, end = code.index(line), code.index(line) + len(line)
    place = code.index("gross")
    names = names_near(code, begin, place, end)
    assert [name for name in names if name != "const"] == ["prices", "amount", "sum", "rate"]
