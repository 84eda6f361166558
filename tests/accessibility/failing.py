"""Documents that fail one rule of axe-core each, for most rules in several ways."""

import base64
import struct

_CALM = '<meta name="viewport" content="width=device-width">'


def _page(body: str, *, head: str = "<title>Sample</title>", html: str = 'lang="en"') -> str:
    return f"<!doctype html><html {html}><head>{_CALM}{head}</head><body>{body}</body></html>"


def _in_main(body: str) -> str:
    return _page(f"<main><h1>Sample</h1>{body}</main>")


def _sound(seconds: int, rate: int = 3000) -> str:
    """Silence, as a WAV file in an address."""
    data = b"\x80" * (seconds * rate)
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, rate, rate, 1, 8,
                         b"data", len(data))  # fmt: skip
    return "data:audio/wav;base64," + base64.b64encode(header + data).decode()


_BODIES: dict[str, tuple[str, ...]] = {
    "accesskeys": ('<button accesskey="s">Save</button><button accesskey="s">Send</button>',),
    "area-alt": (
        '<img src="data:," alt="Map" usemap="#m"><map name="m"><area href="#a" shape="rect" coords="0,0,9,9"></map>',
    ),
    "aria-allowed-attr": (
        '<div role="button" tabindex="0" aria-checked="true">Go</div>',
        '<h2 aria-checked="true" aria-selected="true">Two</h2>',
        '<div role="link" tabindex="0" aria-level="2" aria-sort="none">Go</div>',
    ),
    "aria-allowed-role": (
        '<img src="data:," alt="" role="button">',
        '<article role="button" tabindex="0">Go</article>',
    ),
    "aria-braille-equivalent": (
        '<button aria-braillelabel="*"></button><button>Named</button>',
        '<div role="article" aria-brailleroledescription="sld">Slide</div>',
    ),
    "aria-command-name": ('<div role="link" tabindex="0"></div>', '<div role="menuitem" tabindex="0"></div>'),
    "aria-conditional-attr": (
        '<input type="checkbox" aria-label="All" aria-checked="true">',
        '<table role="table"><tr aria-level="1" aria-expanded="true"><td>a</td></tr></table>',
    ),
    "aria-deprecated-role": ('<div role="directory">List</div>',),
    "aria-dialog-name": ('<div role="dialog"><p>Sure?</p></div>', '<div role="alertdialog">Sure?</div>'),
    "aria-hidden-focus": (
        '<div aria-hidden="true"><a href="#a">Link</a><button>Go</button></div>',
        '<button aria-hidden="true">Go</button>',
        '<div aria-hidden="true"><p>Text</p><input aria-label="In"><div tabindex="0">Box</div></div>',
        '<a href="#a" aria-hidden="true">Link</a>',
    ),
    "aria-input-field-name": (
        '<div role="textbox" contenteditable="true"></div>',
        '<div role="slider" tabindex="0" aria-valuenow="3"></div>',
        '<label>Words <div role="searchbox" tabindex="0"></div></label>',
    ),
    "aria-meter-name": ('<div role="meter" aria-valuenow="3"></div>',),
    "aria-progressbar-name": ('<div role="progressbar" aria-valuenow="3"></div>',),
    "aria-prohibited-attr": (
        '<div aria-label="Box">Text</div>',
        '<span aria-labelledby="t">Text</span><p id="t">Title</p>',
        '<div role="code" aria-label="Code">x = 1</div>',
    ),
    "aria-required-attr": (
        '<div role="checkbox" tabindex="0" aria-label="All"></div>',
        '<div role="heading">Part</div>',
        '<div role="slider" tabindex="0" aria-label="Volume"></div>',
        '<div role="combobox" tabindex="0" aria-label="Place" aria-expanded="true"></div>',
        '<div role="scrollbar" tabindex="0" aria-label="Bar"></div>',
        '<div role="switch" tabindex="0" aria-label="On"></div>',
        '<div role="meter" aria-label="Fuel"></div>',
        '<div role="menu"><div role="menuitemradio" tabindex="0">One</div></div>',
    ),
    "aria-required-children": (
        '<div role="list"><div role="button" tabindex="0">One</div></div>',
        '<div role="menu"><div role="button" tabindex="0">One</div></div>',
        '<div role="radiogroup" aria-label="x"><p>x</p></div><div role="tablist"><span>One</span></div>',
        '<div role="listbox" aria-label="Pick"><span role="link">One</span></div>',
        '<ul role="menubar">' + "<li>One</li>" * 30 + "</ul>",
    ),
    "aria-required-parent": (
        '<div role="listitem">One</div>',
        '<div role="tab" tabindex="0">One</div>',
        '<div role="option" tabindex="0">One</div>',
        '<div role="row"><div role="cell">One</div></div>',
        '<div role="gridcell" tabindex="0">One</div>',
    ),
    "aria-roledescription": ('<p aria-roledescription="thing">Text</p>',),
    "aria-roles": (
        '<div role="buton">Go</div>',
        '<div role="widget">Go</div>',
        '<div role="toolbr">Go</div>',
    ),
    "aria-tab-name": ('<div role="tablist"><div role="tab" tabindex="0"></div></div>',),
    "aria-text": ('<div role="text">See <a href="#a">this</a></div>',),
    "aria-toggle-field-name": (
        '<div role="switch" tabindex="0" aria-checked="true"></div>',
        '<div role="checkbox" tabindex="0" aria-checked="true"></div>',
        '<div role="radio" tabindex="0" aria-checked="true"></div>',
    ),
    "aria-tooltip-name": ('<div role="tooltip"></div>',),
    "aria-treeitem-name": ('<div role="tree" aria-label="Files"><div role="treeitem" tabindex="0"></div></div>',),
    "aria-valid-attr": ('<div role="group" aria-lable="Box">Text</div>', '<p aria-foo="1" aria-labl="2">Text</p>'),
    "aria-valid-attr-value": (
        '<button aria-expanded="yes">Menu</button>',
        '<div role="heading" aria-level="-1">Part</div>',
        '<input aria-label="In" aria-invalid="maybe">',
        '<a href="#x" aria-current="">Here</a><div role="slider" tabindex="0" aria-label="s" aria-valuenow="a"></div>',
        '<button aria-labelledby="">Go</button><button aria-controls="nowhere" aria-expanded="true">Menu</button>',
    ),
    "audio-caption": ('<audio src="data:audio/wav;base64,"></audio>',),
    "autocomplete-valid": (
        '<label>Mail <input autocomplete="e-mail"></label>',
        '<label>Key <input name="user" autocomplete="badterm"></label>',
        '<label>Phone <input type="tel" autocomplete="home nonsense"></label>',
    ),
    "avoid-inline-spacing": (
        '<p style="letter-spacing: 0.01em !important; word-spacing: 0.01em !important">Some words here</p>',
    ),
    "blink": ("<blink>Now</blink>",),
    "button-name": ("<button></button>", '<button><img src="data:," alt=""></button>'),
    "color-contrast": (
        '<p style="color:#999;background:#fff">Pale words</p>',
        '<p style="color:#777;background:#888">Grey words</p>',
    ),
    "color-contrast-enhanced": ('<p style="color:#767676;background:#fff">Grey words</p>',),
    "definition-list": ("<dl><p>Text</p><dt>A</dt><dd>B</dd></dl>",),
    "dlitem": ("<div><dt>A</dt></div>", "<dd>B</dd>"),
    "duplicate-id": ('<p id="a">A</p><p id="a">B</p>',),
    "duplicate-id-active": ('<button id="a">A</button><button id="a">B</button>',),
    "duplicate-id-aria": ('<p id="a">A</p><p id="a">B</p><button aria-labelledby="a"></button>',),
    "empty-heading": ("<h2></h2>", '<div role="heading" aria-level="2"></div>'),
    "empty-table-header": ("<table><tr><th></th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",),
    "focus-order-semantics": ('<div tabindex="0">Box</div>',),
    "form-field-multiple-labels": (
        '<label for="f">A</label><label for="f">B</label><input id="f">',
        '<label for="g">A</label><label>B <textarea id="g"></textarea></label>',
    ),
    "frame-title": ('<iframe srcdoc="<p>In</p>"></iframe>',),
    "frame-title-unique": (
        (
            '<iframe title="A" srcdoc="<title>a</title><p>In</p>"></iframe>'
            '<iframe title="A" srcdoc="<title>b</title><p>In</p>"></iframe>'
        ),
    ),
    "frame-focusable-content": (
        '<iframe title="F" tabindex="-1" style="width:99px;height:99px" srcdoc="<button>Go</button>"></iframe>',
    ),
    "heading-order": ("<h3>Three</h3>", "<h2>Two</h2><h4>Four</h4>", '<div role="heading" aria-level="6">Six</div>'),
    "identical-links-same-purpose": (
        '<a href="https://example.org/a">More</a> <a href="https://example.com/b">More</a>',
    ),
    "image-alt": ('<img src="data:,">', '<img src="data:," alt=" ">'),
    "image-redundant-alt": ('<a href="#a"><img src="data:," alt="Home"> Home</a>',),
    "input-button-name": ('<input type="button">', '<input type="submit" value="">'),
    "input-image-alt": ('<input type="image" src="data:,">',),
    "label": (
        '<input type="text">',
        '<textarea name="a"></textarea>',
        '<input id="h"><label for="h" style="display:none">Name</label>',
    ),
    "label-content-name-mismatch": ('<button aria-label="Close">Save all</button>',),
    "label-title-only": ('<input title="Name">', '<p id="d">Name</p><input aria-describedby="d">'),
    "link-in-text-block": (
        '<p style="color:#000">Some words, <a href="#a" style="color:#222;text-decoration:none">a link</a> in it.</p>',
    ),
    "link-name": ('<a href="#a"></a>', '<a href="#a"><img src="data:," alt=""></a>'),
    "list": ("<ul><p>One</p></ul>", "<ol><div>One</div><li>Two</li></ol>", '<ul><li role="link">One</li></ul>'),
    "listitem": ("<div><li>One</li></div>", '<ul role="menu"><li>One</li></ul>'),
    "marquee": ("<marquee>Now</marquee>",),
    "nested-interactive": (
        '<button>Go <a href="#a">on</a></button>',
        '<div role="checkbox" aria-checked="true" tabindex="0">All <input aria-label="x"></div>',
    ),
    "no-autoplay-audio": (f'<audio autoplay src="{_sound(4)}"></audio>',),
    "object-alt": ('<object data="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E"></object>',),
    "p-as-heading": ('<p style="font-weight:bold;font-size:30px">Part one</p><p>Some words that go on and on.</p>',),
    "presentation-role-conflict": (
        '<li role="none" tabindex="0">One</li>',
        '<img src="data:," alt="" aria-label="Cat">',
        '<img src="data:," alt="" tabindex="0">',
    ),
    "role-img-alt": ('<div role="img"></div>',),
    "scope-attr-valid": (
        '<table><tr><th scope="column">A</th></tr><tr><td>1</td></tr></table>',
        '<table><tr><th>A</th></tr><tr><td scope="row">1</td></tr></table>',
    ),
    "scrollable-region-focusable": (
        '<div style="height:50px;width:100px;overflow:scroll">' + "<p>Long</p>" * 20 + "</div>",
    ),
    "select-name": ("<select><option>A</option></select>",),
    "server-side-image-map": ('<a href="#m"><img src="data:," alt="Map" ismap></a>',),
    "summary-name": ("<details><summary></summary>More</details>",),
    "svg-img-alt": ('<svg role="img" width="9" height="9"><circle r="4"/></svg>',),
    "tabindex": ('<button tabindex="3">Go</button>',),
    "table-duplicate-name": ('<table summary="Prices"><caption>Prices</caption><tr><td>1</td></tr></table>',),
    "target-size": (
        (
            '<button style="width:10px;height:10px;padding:0;border:0">a</button>'
            '<button style="width:10px;height:10px;padding:0;border:0">b</button>'
        ),
    ),
    "td-headers-attr": (
        '<table><tr><th id="a">A</th></tr><tr><td headers="b">1</td></tr></table><p id="b">B</p>',
        '<table><tr><th id="a">A</th></tr><tr><td id="c" headers="c">1</td></tr></table>',
        '<table><tr><td id="a">A</td></tr><tr><td headers="a">1</td></tr></table>',
    ),
    "th-has-data-cells": ("<table><tr><th>A</th><th>B</th></tr></table>",),
    "valid-lang": ('<p lang="xx-nonsense">Text</p>', '<p lang="english">Text</p>'),
    "video-caption": ('<video src="data:video/mp4;base64,"></video>',),
}

# Rules of the whole document.
_PAGES: dict[str, tuple[str, ...]] = {
    "aria-hidden-body": (
        '<!doctype html><html lang="en"><title>S</title><body aria-hidden="true"><p>Text</p></body></html>',
    ),
    "bypass": (_page('<a href="https://example.org/">Elsewhere</a><p>More</p>'),),
    "document-title": (_page("<main><h1>S</h1></main>", head=""), _page("<h1>S</h1>", head="<title> </title>")),
    "html-has-lang": (_page("<h1>S</h1>", html=""), _page("<h1>S</h1>", html='xml:lang="en"')),
    "html-lang-valid": (_page("<h1>S</h1>", html='lang="xyzzy"'), _page("<h1>S</h1>", html='lang="english"')),
    "html-xml-lang-mismatch": (_page("<h1>S</h1>", html='lang="en" xml:lang="fr"'),),
    "landmark-banner-is-top-level": (_page('<main><h1>S</h1><div role="banner"><p>B</p></div></main>'),),
    "landmark-complementary-is-top-level": (_page("<main><h1>S</h1></main><nav><aside><p>B</p></aside></nav>"),),
    "landmark-contentinfo-is-top-level": (_page('<main><h1>S</h1><div role="contentinfo"><p>B</p></div></main>'),),
    "landmark-main-is-top-level": (_page("<nav><main><h1>S</h1></main></nav>"),),
    "landmark-no-duplicate-banner": (_page("<header>A</header><header>B</header><main><h1>S</h1></main>"),),
    "landmark-no-duplicate-contentinfo": (_page("<main><h1>S</h1></main><footer>A</footer><footer>B</footer>"),),
    "landmark-no-duplicate-main": (_page('<main><h1>S</h1></main><div role="main"><p>T</p></div><main>Three</main>'),),
    "landmark-one-main": (_page("<h1>S</h1><p>Text</p>"),),
    "landmark-unique": (
        _page('<nav><a href="#a">A</a></nav><nav><a href="#b">B</a></nav><main><h1>S</h1></main>'),
        _page('<main><h1>S</h1></main><aside aria-label="x">A</aside><aside aria-label="x">B</aside>'),
    ),
    "meta-refresh": (_page("<h1>S</h1>", head='<title>S</title><meta http-equiv="refresh" content="9000; url=#a">'),),
    "meta-refresh-no-exceptions": (
        _page("<h1>S</h1>", head='<title>S</title><meta http-equiv="refresh" content="90000; url=#a">'),
    ),
    "meta-viewport": (
        (
            '<!doctype html><html lang="en"><title>S</title>'
            '<meta name="viewport" content="width=device-width, user-scalable=no"><h1>S</h1></html>'
        ),
        (
            '<!doctype html><html lang="en"><title>S</title>'
            '<meta name="viewport" content="width=device-width, maximum-scale=1.0"><h1>S</h1></html>'
        ),
    ),
    "meta-viewport-large": (
        (
            '<!doctype html><html lang="en"><title>S</title>'
            '<meta name="viewport" content="width=device-width, maximum-scale=3"><h1>S</h1></html>'
        ),
    ),
    "page-has-heading-one": (_page("<main><h2>S</h2></main>"),),
    "region": (_page("<main><h1>S</h1></main><p>Outside</p><div><p>Also</p></div>"),),
    "skip-link": (
        _page(
            '<a href="#nowhere" style="position:absolute;left:-999px">Skip to content</a><main><a href="https://example.org/">Elsewhere</a><h1>S</h1></main>'
        ),
    ),
}

FAILING: dict[str, tuple[str, ...]] = {
    **{rule: tuple(_in_main(body) for body in bodies) for rule, bodies in _BODIES.items()},
    **_PAGES,
}
