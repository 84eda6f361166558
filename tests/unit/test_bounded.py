from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.bounded import BoundedDict


def test_the_oldest_goes_and_is_told() -> None:
    gone: list[tuple[str, int]] = []
    kept: BoundedDict[str, int] = BoundedDict(2, lambda key, value: gone.append((key, value)))
    kept["a"], kept["b"], kept["c"] = 1, 2, 3
    assert list(kept.items()) == [("b", 2), ("c", 3)]
    assert gone == [("a", 1)]


def test_setting_again_makes_newest_and_reading_does_not() -> None:
    kept: BoundedDict[str, int] = BoundedDict(2)
    kept["a"], kept["b"] = 1, 2
    kept["a"] = 3
    assert kept["b"] == 2
    kept["c"] = 4
    assert list(kept) == ["a", "c"]


def test_setdefault_is_bounded_too() -> None:
    kept: BoundedDict[int, list[int]] = BoundedDict(3)
    for number in range(10):
        kept.setdefault(number, []).append(number)
    assert list(kept.values()) == [[7], [8], [9]]


def test_what_is_removed_is_not_evicted() -> None:
    gone: list[str] = []
    kept: BoundedDict[str, int] = BoundedDict(2, lambda key, _: gone.append(key))
    kept["a"], kept["b"] = 1, 2
    assert kept.pop("a") == 1
    del kept["b"]
    kept["c"] = 3
    kept.clear()
    assert gone == []


def test_weight_is_bounded_and_the_newest_stays() -> None:
    kept: BoundedDict[str, str] = BoundedDict(10, weight=len, max_weight=5)
    kept["a"], kept["b"] = "xx", "xxx"
    assert list(kept) == ["a", "b"]
    kept["c"] = "x"
    assert list(kept) == ["b", "c"]
    kept["d"] = "x" * 50
    assert list(kept) == ["d"]


@given(st.integers(0, 5), st.lists(st.integers(0, 8)))
def test_holds_the_newest_keys_in_order(limit: int, keys: list[int]) -> None:
    kept: BoundedDict[int, None] = BoundedDict(limit)
    for key in keys:
        kept[key] = None
    newest: list[int] = []
    for key in reversed(keys):
        if key not in newest:
            newest.append(key)
    # A limit of 0 keeps nothing.
    assert list(kept) == list(reversed(newest[:limit]))
