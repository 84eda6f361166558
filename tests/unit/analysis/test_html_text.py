"""Error pages as text."""

import pytest

from gasoline_cdp.analysis.html_text import html_text, is_html

# As Python's own server, Express and a framework's debug page write them.
PLAIN_SERVER = """<!DOCTYPE HTML>
<html lang="en">
    <head>
        <meta charset="utf-8">
        <style type="text/css">
            :root { color-scheme: light dark; }
        </style>
        <title>Error response</title>
    </head>
    <body>
        <h1>Error response</h1>
        <p>Error code: 404</p>
    </body>
</html>"""


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (PLAIN_SERVER, "Error response Error code: 404"),
        (
            "<!DOCTYPE html>\n<html><head><title>Error</title></head><body>\n<pre>Cannot GET &#x2F;stock</pre>",
            "Error Cannot GET /stock",
        ),
        ("<html><!-- <p>no</p> --><title>KeyError at /cart</title><style>h1 > b { } <p>", "KeyError at /cart"),
        ("<!doctype html><script>if (1 < 2) document.write('<p>no')</script>Out of <b>stock</b>", "Out of stock"),
        ("<!doctype html><svg/>a <svg><path/></svg>b &lt;c&gt; 1 < 2", "a b <c> 1 < 2"),
        ("<html><title>Only a title", "Only a title"),
        ("<html></html>", ""),
    ],
)
def test_a_page_is_its_title_and_what_is_read_on_it(page: str, text: str) -> None:
    assert is_html(page)
    assert html_text(page) == text


@pytest.mark.parametrize("text", ['{"error": "<html>"}', "Bad gateway", "<p>no page</p>", "<htmlx>", ""])
def test_what_is_no_page_is_told_apart(text: str) -> None:
    assert not is_html(text)
