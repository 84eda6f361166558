"""What to change so that an element passes a rule of axe-core, computed from what axe's checks measured."""

import difflib
from collections.abc import Callable
from typing import Any

from gasoline_cdp.analysis.accessibility.aria_fixes import ARIA_FIXES
from gasoline_cdp.analysis.accessibility.changes import (
    Change,
    Element,
    Fix,
    Path,
    attributes_of,
    drop,
    either,
    inside,
    named,
    path_of,
    put,
    style,
    tag_of,
)
from gasoline_cdp.analysis.accessibility.contrast_fixes import fix_contrast

_ACTION = "that says what it does"
_IMAGE = "that describes the image"
_LANGUAGE = 'with the language of its text, such as "en"'
# Elements that cannot contain text.
_VOID = {"area", "embed", "img", "input", "select", "textarea"}
# Field type → autocomplete token.
_TOKENS = {"email": "email", "tel": "tel", "url": "url", "password": "current-password"}
_AUTOCOMPLETE = """
    name given-name family-name username email tel url organization street-address address-line1 address-level1
    address-level2 postal-code country country-name current-password new-password one-time-code cc-name cc-number
    cc-exp cc-csc bday sex language
"""
_COMMON_TOKENS = _AUTOCOMPLETE.split()


def fix_for(rule_id: str, node: dict[str, Any]) -> Fix:
    """What to do about an element that fails a rule."""
    element = Element(node)
    known = _FIXES.get(rule_id)
    fix = known(element) if known is not None else Fix()
    if fix.ways or fix.note:
        return fix
    messages = [check["message"] for check in element.checks]
    return Fix(note=f"No ready-made fix: {messages[0]}" if messages else "See the rule's page for how to fix it")


def _name(hint: str) -> Callable[[Element], Fix]:
    """Fix for elements that are named by their text."""

    def fix(element: Element) -> Fix:
        return either(None if element.tag in _VOID else inside(hint), named(hint))

    return fix


def _wrap(name: str, hint: str = "", **more: Any) -> Change:
    return Change(kind="wrap", name=name, hint=hint, **more)


def _tag(name: str, **more: Any) -> Change:
    return Change(kind="tag", name=name, **more)


def _delete(**more: Any) -> Change:
    return Change(kind="delete", **more)


def _insert(value: str, hint: str = "", where: str = "") -> Change:
    return Change(kind="insert", value=value, hint=hint, name=where)


def _label(element: Element) -> Fix:
    if element.check("hidden-explicit-label"):
        return either(named("that says what it is for"), note="its <label> is hidden")
    field = _wrap("label", "a <label> with its name")
    return either(field, named("that says what it is for"))


def _own_values(element: Element, name: str, hint: str) -> Change | None:
    """Give each of the other elements a different value."""
    related = element.related()
    return put(name, "sample", hint, **related) if related else None


def _accesskeys(element: Element) -> Fix:
    return either(_own_values(element, "accesskey", "with a key of its own"), drop("accesskey"))


def _multiple_labels(element: Element) -> Fix:
    # The <label> around the field comes last. Keep that one.
    others = element.others("multiple-label")[:-1]
    on = tuple(path_of(other["target"]) for other in others)
    return either(_delete(on=on)) if on else Fix(note="leave one <label> for this field")


def _one_landmark(element: Element) -> Fix:
    """Keep the first of several landmarks of one kind."""
    by_role, by_tag = _apart(element, lambda html: "role" in attributes_of(html))
    return either([*(drop("role", on=by_role) if by_role else ()), *([_tag("div", on=by_tag)] if by_tag else ())])


def _apart(element: Element, chosen: Callable[[str], bool]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Paths of the other elements whose HTML matches, and paths of the rest."""
    others = [(path_of(other["target"]), chosen(other["html"])) for other in element.others()]
    return tuple(path for path, yes in others if yes), tuple(path for path, yes in others if not yes)


def _top_level(element: Element) -> Fix:
    outer = element.facts.get("outer")
    if not outer:
        return Fix(note="move it out of the other landmarks")
    return either(Change(kind="move_out", name=outer))


def _unique_landmark(element: Element) -> Fix:
    others = element.related().get("on") or ()
    apart = f" from `{' >>> '.join(others[0])}`" if others else ""
    steps = list(drop("aria-labelledby")) if "aria-labelledby" in element.attributes else []
    return either([*steps, named(f"that sets it apart{apart}")])


def _heading(element: Element) -> Fix:
    previous = element.facts.get("previous")
    if not isinstance(previous, int):
        return Fix(note="use the level after that of the heading before it: no level may be skipped")
    note = f"the heading before it has level {previous}" if previous else "it is the first heading"
    if "aria-level" in element.attributes or not element.tag.startswith("h"):
        return either(put("aria-level", str(previous + 1)), note=note)
    return either(_tag(f"h{previous + 1}"), note=note)


def _list(element: Element) -> Fix:
    items, others = _apart(element, lambda html: tag_of(html) == "li")
    each = "an <li>" if len(others) == 1 else "an <li> each"
    steps = [*(drop("role", on=items) if items else ()), *([_wrap("li", each, on=others)] if others else ())]
    return either(steps, note="" if steps else "leave only <li> directly inside the list")


def _list_item(element: Element) -> Fix:
    data = element.data("listitem")
    if isinstance(data, dict) and data.get("messageKey") == "roleNotValid":
        return either(drop("role", where="parent"))
    return either(_wrap("ul", "a <ul>"))


def _definition_list(element: Element) -> Fix:
    related = element.related("only-dlitems")
    if related:
        return either(Change(kind="move_out", name="dl", hint="the <dl>", **related))
    return Fix(note="begin each group in the <dl> with <dt>, followed by its <dd>")


def _viewport(element: Element) -> Fix:
    content = element.attributes.get("content", "")
    kept = [
        part.strip()
        for part in content.replace(";", ",").split(",")
        if part.strip() and part.partition("=")[0].strip().lower() not in {"user-scalable", "maximum-scale"}
    ]
    return either(put("content", ", ".join(kept)) if kept else _delete())


def _language(element: Element) -> Fix:
    given = [str(value).partition("=")[0] for value in element.data("valid-lang") or []]
    names = [name for name in given if name in element.attributes] or ["lang"]
    return either([put(name, "en", _LANGUAGE) for name in names])


def _xml_language(element: Element) -> Fix:
    return either(put("xml:lang", element.attributes.get("lang", "en")), drop("xml:lang"))


def _autocomplete(element: Element) -> Fix:
    given = element.attributes.get("autocomplete", "").split()
    close = difflib.get_close_matches(given[-1], _COMMON_TOKENS, n=1, cutoff=0.8) if given else []
    if close:
        return either(put("autocomplete", close[0]), drop("autocomplete"))
    sample = _TOKENS.get(element.attributes.get("type", ""), "name")
    hint = f'to a token of the HTML standard, such as "{sample}"'
    return either(put("autocomplete", sample, hint), drop("autocomplete"))


def _spacing(element: Element) -> Fix:
    names = [check["id"].removeprefix("important-") for check in element.checks]
    return either([Change(kind="not_important", name=name) for name in names])


def _scope(element: Element) -> Fix:
    steps = [put("scope", "col", 'to "col", "row", "colgroup" or "rowgroup"')] if element.check("scope-value") else []
    if element.check("html5-scope"):
        return either([_tag("th"), *steps], drop("scope"))
    return either(steps, drop("scope"))


def _image(element: Element) -> Fix:
    del element
    return either(put("alt", hint=_IMAGE), put("alt", "", when="if it is decoration"))


def _target_size(element: Element) -> Fix:
    inline = [style("display", "inline-block")] if element.facts.get("display") == "inline" else []
    return either([*inline, style("min-width", "24px"), style("min-height", "24px")])


def _content_name(element: Element) -> Fix:
    if "aria-label" not in element.attributes:
        return Fix(note="let its accessible name begin with its visible text")
    text = str(element.facts.get("text") or "")
    longer = put("aria-label", text, "that begins with its visible text") if text else None
    return either(drop("aria-label"), longer)


def _title(element: Element) -> Fix:
    del element
    return either(_insert("<title>…</title>", "that says what the page is about", "to the <head>"))


def _note(text: str) -> Callable[[Element], Fix]:
    return lambda _: Fix(note=text)


def _always(fix: Fix) -> Callable[[Element], Fix]:
    return lambda _: fix


_CAPTIONS = _insert('<track kind="captions" src="…">', where="inside it")
_MAIN = Change(kind="wrap_content", name="main")
_HEADING = _insert("<h1>…</h1>", "that says what the page is about")
_LEADS = "that says where it leads"

_FIXES: dict[str, Callable[[Element], Fix]] = {
    **ARIA_FIXES,
    "accesskeys": _accesskeys,
    "area-alt": _always(either(put("alt", hint="that says where this area leads"))),
    "aria-command-name": _name(_ACTION),
    "aria-tab-name": _name("that says what the tab shows"),
    "aria-toggle-field-name": _name("that says what is switched"),
    "aria-tooltip-name": _name("with the words of the tooltip"),
    "aria-treeitem-name": _name("that says what the item is"),
    "audio-caption": _always(either(_CAPTIONS)),
    "autocomplete-valid": _autocomplete,
    "avoid-inline-spacing": _spacing,
    "blink": _always(either(_tag("span"))),
    "button-name": _name(_ACTION),
    "bypass": _always(either(_MAIN, _HEADING)),
    "color-contrast": fix_contrast,
    "color-contrast-enhanced": fix_contrast,
    "css-orientation-lock": _note("remove the rotation by 90 degrees from its @media (orientation) rules"),
    "definition-list": _definition_list,
    "dlitem": _always(either(_wrap("dl", "a <dl>"))),
    "document-title": _title,
    "duplicate-id": lambda element: either(_own_values(element, "id", "of its own")),
    "duplicate-id-active": lambda element: either(_own_values(element, "id", "of its own")),
    "duplicate-id-aria": lambda element: either(_own_values(element, "id", "of its own")),
    "empty-heading": _always(either(inside("that says what the part is about"), _delete())),
    "empty-table-header": lambda element: either(
        inside("that says what the row or column holds"), _tag("td") if element.tag == "th" else None
    ),
    "focus-order-semantics": lambda element: either(
        put("role", "button", 'that says what it is, such as "button" or "link"'),
        drop("tabindex") if "tabindex" in element.attributes else None,
    ),
    "form-field-multiple-labels": _multiple_labels,
    # The element is the document inside the frame.
    "frame-focusable-content": lambda element: either(drop("tabindex", on=(element.path[:-1],))),
    "frame-tested": _note("the frame could not be checked: let it load, or open its address and audit it there"),
    "frame-title": _always(either(put("title", hint="that says what the frame shows"))),
    "frame-title-unique": _always(either(put("title", hint="of its own"))),
    "heading-order": _heading,
    "hidden-content": _note("hidden content is not checked: show it, then audit again"),
    "html-has-lang": _always(either(put("lang", "en", _LANGUAGE))),
    "html-lang-valid": _language,
    "html-xml-lang-mismatch": _xml_language,
    "identical-links-same-purpose": lambda element: either(_own_values(element, "aria-label", _LEADS)),
    "image-alt": _image,
    "image-redundant-alt": _always(either(put("alt", ""), note="the text beside it says the same")),
    "input-button-name": _always(either(put("value", hint=_ACTION), named(_ACTION))),
    "input-image-alt": _always(either(put("alt", hint=_ACTION))),
    "label": _label,
    "label-content-name-mismatch": _content_name,
    "label-title-only": _always(either(_wrap("label", "a <label> with its name"))),
    "landmark-banner-is-top-level": _top_level,
    "landmark-complementary-is-top-level": _top_level,
    "landmark-contentinfo-is-top-level": _top_level,
    "landmark-main-is-top-level": _top_level,
    "landmark-no-duplicate-banner": _one_landmark,
    "landmark-no-duplicate-contentinfo": _one_landmark,
    "landmark-no-duplicate-main": _one_landmark,
    "landmark-one-main": _always(either(_MAIN)),
    "landmark-unique": _unique_landmark,
    "link-in-text-block": _always(either(style("text-decoration", "underline"))),
    "link-name": _name(_LEADS),
    "list": _list,
    "listitem": _list_item,
    "marquee": _always(either(_tag("span"))),
    "meta-refresh": _always(either(_delete())),
    "meta-refresh-no-exceptions": _always(either(_delete())),
    "meta-viewport": _viewport,
    "meta-viewport-large": _viewport,
    "nested-interactive": lambda element: either(Change(kind="move_after", **element.related())),
    "no-autoplay-audio": _always(either(drop("autoplay"), put("controls", ""))),
    "object-alt": _always(either(named("that describes what it shows"))),
    "p-as-heading": _always(either(_tag("h2"))),
    "page-has-heading-one": _always(either(_HEADING)),
    "region": _always(either(_wrap("aside", "a landmark: <main>, <nav>, <aside>, <header> or <footer>"))),
    "scope-attr-valid": _scope,
    "scrollable-region-focusable": _always(either(put("tabindex", "0"))),
    "select-name": _label,
    "server-side-image-map": _always(either(drop("ismap"), note="offer its links as <map> and <area>")),
    "skip-link": lambda _: either(put("href", "#", "to an id that exists in the page", refers=True)),
    "summary-name": _name("that says what it opens"),
    "svg-img-alt": _always(either(_insert("<title>…</title>", _IMAGE, "as its first child"), named(_IMAGE))),
    "tabindex": _always(either(put("tabindex", "0"), drop("tabindex"))),
    "table-duplicate-name": _always(either(drop("summary"))),
    "table-fake-caption": _note("replace the first row with a <caption>"),
    "target-size": _target_size,
    "td-has-header": _note("begin each row or column with a <th>"),
    "td-headers-attr": lambda element: either(drop("headers", **element.related())),
    "th-has-data-cells": _always(either(_tag("td"))),
    "valid-lang": _language,
    "video-caption": _always(either(_CAPTIONS)),
}  # fmt: skip
