"""What to change so that an element passes a rule of axe-core: computed where it can be, else said plainly."""

import re
from typing import Any

from gasoline_cdp.analysis.contrast import parse_colour, passing_colour, ratio, write_colour

_TAG = re.compile(r"<([a-zA-Z][\w-]{0,40})")
_RATIO = re.compile(r"\d+(?:\.\d+)?")

# Rule → what to do. `{tag}` is the element's own tag.
_FIXES = {
    "area-alt": "Add an alt attribute that says where this area of the map leads",
    "aria-allowed-attr": "Remove the aria-* attributes that its role does not allow, or give it the role that does",
    "aria-allowed-role": "Remove the role attribute, or use an element to which this role may be given",
    "aria-command-name": "Add text inside it, or an aria-label that says what it does",
    "aria-dialog-name": "Add aria-labelledby with the id of the dialog's heading, or an aria-label",
    "aria-hidden-body": "Remove aria-hidden from <body>: it hides the whole page from screen readers",
    "aria-hidden-focus": 'Take it out of the tab order (tabindex="-1" or disabled), or remove aria-hidden around it',
    "aria-input-field-name": "Add an aria-label, or aria-labelledby with the id of its visible label",
    "aria-meter-name": "Add an aria-label that says what is measured",
    "aria-progressbar-name": "Add an aria-label that says what is in progress",
    "aria-required-attr": "Add the aria-* attributes that its role requires",
    "aria-required-children": "Give its children the roles that its own role requires, or remove its role",
    "aria-required-parent": "Put it inside an element with the role that its own role requires, or remove its role",
    "aria-roles": "Use a role that exists in WAI-ARIA, or remove the role attribute",
    "aria-toggle-field-name": "Add an aria-label, or text inside it, that says what is switched",
    "aria-tooltip-name": "Put the tooltip's text inside it, or add an aria-label",
    "aria-valid-attr": "Correct the spelling of the aria-* attribute, or remove it",
    "aria-valid-attr-value": "Give the aria-* attribute a value that it allows; ids must exist in the page",
    "autocomplete-valid": "Use an autocomplete token of the HTML standard, such as email, name or current-password",
    "avoid-inline-spacing": "Remove !important from letter-, word- and line-spacing in its style attribute",
    "blink": "Replace <blink> with text that does not blink",
    "button-name": "Put text inside the <{tag}>, or add an aria-label that says what it does",
    "bypass": 'Add a <main> landmark, headings, or a "skip to content" link at the top of the page',
    "definition-list": "Leave only <dt> and <dd> groups (or <div>, <script>, <template>) directly inside <dl>",
    "dlitem": "Put <dt> and <dd> inside a <dl>",
    "document-title": "Add a <title> with words to the <head>",
    "duplicate-id-aria": "Give each element its own id: labels and aria-* attributes refer to this one",
    "empty-heading": "Put text into the heading, or remove it",
    "empty-table-header": "Put text into the table header, or make it a <td>",
    "focus-order-semantics": "Give the focusable element a role that says what it is",
    "form-field-multiple-labels": "Leave one <label> for this field",
    "frame-focusable-content": 'Remove tabindex="-1" from the frame, or what can be focused inside it',
    "frame-title": "Add a title attribute that says what the frame shows",
    "frame-title-unique": "Give each frame a title of its own",
    "heading-order": "Use the next heading level (no level may be skipped)",
    "html-has-lang": 'Add lang to <html>, for example <html lang="en">',
    "html-lang-valid": 'Give lang a language tag that exists, for example lang="en"',
    "html-xml-lang-mismatch": "Give lang and xml:lang the same language",
    "image-alt": 'Add an alt attribute that describes the image, or alt="" if it is decoration',
    "image-redundant-alt": 'Use alt="" where the text beside the image says the same',
    "input-button-name": "Add a value attribute (or aria-label) that says what the button does",
    "input-image-alt": "Add an alt attribute that says what the button does",
    "label": "Add <label for> with the id of this <{tag}>, or an aria-label",
    "label-title-only": "Add a visible <label>; a title is seen by few",
    "landmark-banner-is-top-level": "Move the banner out of other landmarks",
    "landmark-complementary-is-top-level": "Move the <aside> out of other landmarks",
    "landmark-contentinfo-is-top-level": "Move the contentinfo out of other landmarks",
    "landmark-main-is-top-level": "Move <main> out of other landmarks",
    "landmark-no-duplicate-banner": "Leave one banner in the page",
    "landmark-no-duplicate-contentinfo": "Leave one contentinfo in the page",
    "landmark-no-duplicate-main": "Leave one <main> in the page",
    "landmark-one-main": "Put the main content of the page into <main>",
    "landmark-unique": "Give landmarks of the same kind names of their own with aria-label",
    "link-in-text-block": "Underline the link, or give it 3:1 contrast with the text around it",
    "link-name": "Put text inside the link, or add an aria-label that says where it leads (alt for an image in it)",
    "list": "Leave only <li> (or <script>, <template>) directly inside the list",
    "listitem": "Put the <li> inside a <ul>, <ol> or <menu>",
    "marquee": "Replace <marquee> with text that does not move",
    "meta-refresh": "Remove the timed refresh; let people choose when to go on",
    "meta-viewport": "Remove user-scalable=no, and any maximum-scale below 2, from the viewport meta tag",
    "meta-viewport-large": "Allow maximum-scale up to 5 in the viewport meta tag",
    "nested-interactive": "Take the control inside it out: controls may not hold other controls",
    "no-autoplay-audio": "Do not play by itself for more than 3 s, or show a control that stops it",
    "object-alt": "Add text inside the <object>, or an aria-label",
    "page-has-heading-one": "Add one <h1> that says what the page is about",
    "presentation-role-conflict": "Remove role none/presentation, or what makes the element focusable or named",
    "region": "Put this content inside a landmark: <main>, <nav>, <header>, <footer> or a named <section>",
    "role-img-alt": "Add an aria-label that describes the image",
    "scope-attr-valid": "Use scope only on <th>, with row, col, rowgroup or colgroup",
    "scrollable-region-focusable": 'Add tabindex="0" so that it can be scrolled with the keyboard',
    "select-name": "Add <label for> with the id of this <select>, or an aria-label",
    "server-side-image-map": "Replace the server-side image map with a client-side one",
    "skip-link": "Let the skip link point to an element that exists and can take the focus",
    "summary-name": "Put text into the <summary>",
    "svg-img-alt": "Add a <title> as the first child of the <svg>, or an aria-label",
    "tabindex": 'Use tabindex="0" (or none), and order the elements in the document instead',
    "table-duplicate-name": "Give the caption and the summary of the table different words",
    "target-size": "Make it at least 24 by 24 CSS pixels, or leave that much space around it",
    "td-headers-attr": "Let headers name only ids of <th> in the same table",
    "th-has-data-cells": "Remove the header, or add the cells it is for",
    "valid-lang": 'Give lang a language tag that exists, for example lang="en"',
    "video-caption": '<track kind="captions"> inside the <video> is missing: add it',
}  # fmt: skip


def fix_for(rule_id: str, node: dict[str, Any]) -> str:
    """One sentence that says what to do."""
    if rule_id.startswith("color-contrast") and (found := _colours(node)):
        return found
    known = _FIXES.get(rule_id)
    if known is not None:
        tag = _TAG.match(node["html"])
        return known.replace("{tag}", tag[1].lower() if tag else "element")
    messages = [check["message"] for part in ("none", "all", "any") for check in node[part]]
    return f"Change what the rule names: {messages[0]}" if messages else "See the rule's page for how to repair it"


def _colours(node: dict[str, Any]) -> str | None:
    """A text colour, or else a background, with which the contrast is enough; both are computed, not guessed."""
    data = next((check["data"] for check in node["any"] if check.get("data")), None)
    if data is None:
        return None
    text, ground = parse_colour(data["fgColor"]), parse_colour(data["bgColor"])
    wanted = _RATIO.match(str(data["expectedContrastRatio"]))
    if text is None or ground is None or wanted is None:
        return None
    required = float(wanted[0])
    now = f"{ratio(text, ground):.2f}:1 now, {wanted[0]}:1 required"
    ways = []
    if better := passing_colour(text, ground, required):
        ways.append(
            f"Change the text colour from {write_colour(text)} to {write_colour(better)} "
            f"({ratio(better, ground):.2f}:1 on {write_colour(ground)})"
        )
    if other := passing_colour(ground, text, required):
        first = "or" if ways else "Change"
        ways.append(f"{first} the background to {write_colour(other)}")
    return f"{', '.join(ways)}; {now}" if ways else None
