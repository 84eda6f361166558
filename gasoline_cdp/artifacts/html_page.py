"""The frame of every HTML page that we write: one file, light or dark, without scripts and without the network."""

from collections.abc import Iterable


def html_page(title: str, css: str, body: Iterable[str]) -> str:
    """A page. All is markup already: whoever calls this has escaped what comes from elsewhere."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>\n{css}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )
