"""The cause of an error stands in the text of its page, not in the markup before it."""

from gasoline_cdp.answers.error_bodies import BODY_CHARS, error_words

_SQL = """<!DOCTYPE html>
<html><head><title>shop: select * from product</title><style>.CodeMirror { height: auto }</style></head>
<body class="query"><header><nav><a href="/">home</a></nav></header>
<!-- <p>an old hint</p> --><h1>shop</h1><p class="message-error">no such table: product</p>
<textarea>select * from product</textarea><script>window.onload = () => {</script></body></html>"""


def test_of_a_page_the_title_and_the_text_are_told() -> None:
    assert error_words(_SQL) == "shop: select * from product · shop no such table: product"
    assert error_words("<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1><hr>nginx") == "502 Bad Gateway nginx"
    assert error_words("<title>Not here</title>") == "Not here"
    assert error_words("<h1>O&#39;Hara &amp; sons &lt;b&gt;</h1>&amp;lt;") == "O'Hara & sons <b> &lt;"
    assert error_words("<html><script>one</script><p>two<style>never closed") == "two"


def test_of_anything_else_the_beginning_is_told() -> None:
    assert error_words('{"error": "no\n  stock"}') == '{"error": "no stock"}'
    assert error_words("a < b and c > d") == "a < b and c > d"
    assert error_words("<?xml version='1.0'?><fault>no stock</fault>") == "<?xml version='1.0'?><fault>no stock</fault>"
    assert error_words("x" * 2000) == "x" * BODY_CHARS + "…"


def test_pieces_that_tags_kept_apart_are_not_joined() -> None:
    assert error_words("<p>AKIA<b>IOSF</b>ODNN7</p>") == "AKIA IOSF ODNN7"


def test_many_beginnings_without_an_end_take_no_longer_than_their_length() -> None:
    for piece in ("<script", "<!--", "<p ", "<", "<head>"):
        assert len(error_words("<p>" + piece * 4000)) <= BODY_CHARS + 1
