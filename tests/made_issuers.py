"""Labelled texts made at run time from the shapes that public rule sets know, in what a browser sends, logs and loads.

The shapes are facts in `samples/issuer-shapes.tsv`, in four parts: one was looked at while the product's tables were
written, one was held out, one came from another rule set at the end. These differ by issuer, so that the last two say
how the search does on issuers that nobody tuned it for. The fourth is how other packages describe the best known ones.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import quote

from attrs import frozen

from tests.made_formats import fill

_SHAPES = Path(__file__).parent / "samples" / "issuer-shapes.tsv"
PARTS = ("dev", "held", "fresh", "other")


@frozen
class Shape:
    """One credential: whether its shape is known without a name, and whether it is public by design."""

    part: str
    name: str
    template: str
    named: bool
    public: bool


def _snake(name: str) -> str:
    return name


def _upper(name: str) -> str:
    return name.upper()


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def _header(name: str) -> str:
    return "X-" + "-".join(map(str.title, name.split("_")))


# How names are spelled there, and the text around them; a shape that needs no name stands under one that says nothing.
CARRIERS = {
    "json": (_snake, '{{"id":17,"{n}":"{v}","active":true}}', "value"),
    "header": (_header, "{n}: {v}\r\nAccept: application/json", "thing"),
    "query": (_snake, "https://api.shop.test/v1/items?page=2&{n}={v}", "x"),
    "env": (_upper, "NODE_ENV=production\n{n}={v}\nPORT=3000", "setting"),
    "console": (_camel, "[config] loaded {n}: {v}", "thing"),
    "js": (_camel, 'fetch(u,{{mode:"cors"}});const {n}="{v}";init({n});', "x"),
}


def shapes() -> list[Shape]:
    """All of them, in the order of the file."""
    rows = [line.split("\t") for line in _SHAPES.read_text().splitlines() if not line.startswith("#")]
    return [
        Shape(part, name, template, named=kind.endswith("named"), public=kind.startswith("public"))
        for part, kind, name, template in rows
    ]


def issuers() -> Iterator[tuple[Shape, str, str, str]]:
    """Shape, carrier, text and the value in it."""
    random = Random(61)
    for shape in shapes():
        for carrier, (spell, text, nothing) in CARRIERS.items():
            value = fill(random, shape.template)
            if carrier == "query":
                value = quote(value, safe="-_.~:")
            yield shape, carrier, text.format(n=spell(shape.name if shape.named else nothing), v=value), value
