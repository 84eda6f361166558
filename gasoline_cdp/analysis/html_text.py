"""The text of an HTML page, as far as it says what went wrong: error pages are mostly markup and style."""

import html
import re

_PAGE = re.compile(r"\s{0,200}(?:<!--[^<>]{0,1000}-->\s{0,200})?<(?:!doctype\s{1,10}html|html)\b", re.IGNORECASE)
_NAME = re.compile(r"/?[a-z][a-z0-9-]{0,20}", re.IGNORECASE)
_UNSEEN = {"script", "style", "svg", "template", "noscript"}


def is_html(text: str) -> bool:
    """Whether a text begins as an HTML page does."""
    return _PAGE.match(text) is not None


def html_text(page: str) -> str:
    """Title and text of a page on one line, without what nobody sees. The cost is linear, whatever the page says."""
    title, until = "", ""
    texts: list[str] = []
    for piece in page.split("<")[1:]:
        if until == "-->" or (not until and piece.startswith("!--")):
            _, closed, text = piece.partition("-->")
            until = "" if closed else "-->"
            texts.append(text)
            continue
        tag, _, text = piece.partition(">")
        matched = _NAME.match(piece)
        name = matched.group().lower() if matched else ""
        if until:
            if name == until:
                until = ""
                texts.append(text)
        elif name in _UNSEEN and not tag.endswith("/"):
            until = f"/{name}"
        elif name == "title" and not title:
            title = _plain(text)
        else:
            texts.append(text if name or piece.startswith("!") else f"<{piece}")
    shown = _plain(" ".join(texts))
    return shown if shown.startswith(title) else f"{title} {shown}".rstrip()


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).split())
