"""The site of an address, held against the whole public-suffix list."""

from importlib.resources import files

import pytest
from publicsuffixlist import PublicSuffixList

from gasoline_cdp.analysis.security.sites import _suffixes_below, site_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://shop.io/cart", "shop.io"),
        ("https://api.eu.shop.io:8443/x", "shop.io"),
        ("https://www.shop.co.uk/", "shop.co.uk"),
        # Two letters, and yet no suffix: registered like any other.
        ("https://api.t.co/", "t.co"),
        ("https://a.b.ly/", "b.ly"),
        # Everybody's own: a key of one is not for the other.
        ("https://ann.github.io/", "ann.github.io"),
        ("https://github.io/", "github.io"),
        ("https://co.uk/", "co.uk"),
        # A wildcard, and its exception.
        ("https://a.b.shop.ck/", "b.shop.ck"),
        ("https://a.www.ck/", "www.ck"),
        ("https://a.b.xn--55qx5d.cn/", "b.xn--55qx5d.cn"),
        ("https://a.b.xn--fiqs8s/", "b.xn--fiqs8s"),
        ("https://a.shop.nowhere/", "shop.nowhere"),
        ("http://localhost:3000/", "localhost"),
        ("http://127.0.0.1:3000/", "127.0.0.1"),
        ("http://[::1]:3000/", "::1"),
        ("https://SHOP.io./", "shop.io"),
        ("about:blank", ""),
        ("http://[broken/", ""),
        ("", ""),
    ],
)
def test_the_site_is_what_somebody_registered(url: str, site: str) -> None:
    assert site_of(url) == site


def test_a_part_of_the_list_answers_as_all_of_it_does() -> None:
    whole = PublicSuffixList()
    text = files("publicsuffixlist").joinpath("public_suffix_list.dat").read_text(encoding="utf-8")
    rules = [line for line in text.splitlines() if line and not line.startswith("//")]
    assert len(rules) > 5000
    # Reading a part takes some milliseconds: those with the most rules, and some of the others.
    hosts = [rule.removeprefix("!").replace("*", "any").encode("idna").decode() for rule in rules[::40]]
    assert len({host.rpartition(".")[2] for host in hosts}) > 50
    for host in hosts:
        for asked in (host, f"a.{host}", f"b.a.{host}"):
            assert site_of(f"https://{asked}/") == (whole.privatesuffix(asked) or asked)


def test_what_is_held_of_the_list_is_bounded() -> None:
    assert (_suffixes_below.cache_parameters()["maxsize"] or 1000) < 100
