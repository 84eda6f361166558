"""Buckets of requests."""

from gasoline_cdp.frontends.http.rates import Rates


def test_a_burst_is_allowed_and_then_so_many_a_second() -> None:
    rates = Rates()
    assert [rates.allow(b"a", 0.0, 10, 3) for _ in range(4)] == [True, True, True, False]
    assert [rates.allow(b"a", 0.1, 10, 3) for _ in range(2)] == [True, False]
    # Never more than the burst, however long nobody came.
    assert [rates.allow(b"a", 1000.0, 10, 3) for _ in range(4)] == [True, True, True, False]


def test_one_who_floods_takes_nothing_from_others() -> None:
    rates = Rates()
    while rates.allow(b"loud", 0.0, 1, 5):
        pass
    assert rates.allow(b"quiet", 0.0, 1, 5)


def test_names_are_bounded() -> None:
    rates = Rates(names=10)
    for number in range(1000):
        rates.allow(b"%d" % number, 0.0, 1, 5)
    assert len(rates._buckets) == 10
