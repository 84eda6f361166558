"""What to change so that an element passes the rules about WAI-ARIA."""

import difflib
import re
from collections.abc import Callable
from typing import Any

from gasoline_cdp.analysis.accessibility.changes import Change, Element, Fix, drop, either, named, put

_NAMES = re.compile(r"\baria-[a-z]+")

_ROLES = """
    alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
    comment complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid
    gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu menubar
    menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
    radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
    subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree
    treegrid treeitem
"""
ROLES = _ROLES.split()

_TRUE_FALSE = 'to "true" or "false"'
_STATE = 'with its state: "true" or "false"'
_NUMBER = "with its current number"
_ID = "with the id of an element in the page"
# Attribute → a value that it allows, and a description of that value.
VALUES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("aria-atomic", "aria-busy", "aria-disabled", "aria-modal", "aria-multiline", "aria-multiselectable",
         "aria-readonly", "aria-required"), ("false", _TRUE_FALSE)),
    **dict.fromkeys(
        ("aria-checked", "aria-expanded", "aria-grabbed", "aria-hidden", "aria-pressed", "aria-selected"),
        ("false", _STATE)),
    **dict.fromkeys(("aria-valuenow", "aria-valuemin", "aria-valuemax"), ("0", _NUMBER)),
    **dict.fromkeys(
        ("aria-level", "aria-posinset", "aria-setsize", "aria-colcount", "aria-colindex", "aria-colspan",
         "aria-rowcount", "aria-rowindex", "aria-rowspan"), ("2", "with a whole number from 1 on")),
    **dict.fromkeys(
        ("aria-activedescendant", "aria-controls", "aria-describedby", "aria-details", "aria-errormessage",
         "aria-flowto", "aria-labelledby", "aria-owns"), ("", _ID)),
    "aria-autocomplete": ("list", 'to "inline", "list", "both" or "none"'),
    "aria-current": ("page", 'to "page", "step", "location", "date", "time", "true" or "false"'),
    "aria-haspopup": ("menu", 'to "menu", "listbox", "tree", "grid", "dialog", "true" or "false"'),
    "aria-invalid": ("true", 'to "true", "false", "grammar" or "spelling"'),
    "aria-live": ("polite", 'to "polite", "assertive" or "off"'),
    "aria-orientation": ("horizontal", 'to "horizontal" or "vertical"'),
    "aria-relevant": ("additions", 'to "additions", "removals", "text" or "all"'),
    "aria-sort": ("ascending", 'to "ascending", "descending", "other" or "none"'),
    **dict.fromkeys(("aria-label", "aria-placeholder", "aria-valuetext", "aria-roledescription"),
                    ("Sample text", "with words")),
    **dict.fromkeys(("aria-braillelabel", "aria-brailleroledescription", "aria-colindextext", "aria-description",
                     "aria-keyshortcuts", "aria-rowindextext"), ("Sample text", "with words")),
}  # fmt: skip

_SUFFIXES = [name.removeprefix("aria-") for name in VALUES]

# Use these parents only if the role allows no other: they need a parent of their own.
_INNER = {"group", "rowgroup"}
# Of the children and parents that a role allows, the most likely one.
_CHILDREN = {"menu": "menuitem", "menubar": "menuitem", "grid": "row", "treegrid": "row", "table": "row"}
_PARENTS = {"row": "table", "rowgroup": "table"}


def _given(element: Element, *checks: str) -> list[str]:
    """The aria-* attributes that a check names."""
    return [name for check in checks for name in dict.fromkeys(_NAMES.findall(str(element.data(check) or "")))]


def _not_allowed(element: Element) -> Fix:
    names = [
        name
        for check in element.checks
        for name in _NAMES.findall(str(check.get("data") or ""))
        if name in element.attributes
    ]
    return either(drop(*dict.fromkeys(names)))


def _prohibited(element: Element) -> Fix:
    data = element.data("aria-prohibited-attr") or {}
    names = data.get("prohibited") or []
    group = put("role", "group") if not data.get("role") and not element.attributes.get("role") else None
    return either(drop(*names), group)


def _conditional(element: Element) -> Fix:
    data = element.data("aria-conditional-attr") or {}
    return either(drop(*(data.get("invalidAttrs") or ["aria-checked"])))


def _without_role(element: Element) -> tuple[Change, ...] | None:
    return drop("role") if "role" in element.attributes else None


def _deprecated_role(element: Element) -> Fix:
    list_role = put("role", "list") if element.data("deprecatedrole") == "directory" else None
    return either(list_role, drop("role"))


def _valid_role(element: Element) -> Fix:
    given = element.attributes.get("role", "").split()
    close = difflib.get_close_matches(given[0], ROLES, n=1, cutoff=0.75) if len(given) == 1 else []
    return either(put("role", close[0]) if close else None, drop("role"))


def _valid_attribute(element: Element) -> Fix:
    steps: list[Change] = []
    names = _given(element, "aria-valid-attr")
    for name in names:
        close = difflib.get_close_matches(name.removeprefix("aria-"), _SUFFIXES, n=1, cutoff=0.7)
        # The correct attribute is already there, so the misspelt one is a leftover.
        if close and f"aria-{close[0]}" not in element.attributes:
            steps.append(Change(kind="rename", name=name, value=f"aria-{close[0]}"))
        else:
            steps += drop(name)
    only_drop = all(step.kind == "remove" for step in steps)
    return either(steps, None if only_drop else drop(*names))


def set_value(name: str) -> Change | None:
    """Give an attribute a value that it allows. None if we do not know the attribute."""
    if name not in VALUES:
        return None
    value, hint = VALUES[name]
    return put(name, value, hint, refers=not value)


def _valid_value(element: Element) -> Fix:
    names = _given(element, "aria-valid-attr-value", "aria-errormessage", "aria-level")
    steps = [set_value(name) for name in names]
    return either(None if None in steps else [step for step in steps if step is not None], drop(*names))


def _required_attribute(element: Element) -> Fix:
    names = element.data("aria-required-attr") or []
    steps = [step for name in names if (step := set_value(name)) is not None]
    return either(steps, _without_role(element) if element.tag != "input" else None)


def _required_children(element: Element) -> Fix:
    data = element.data("aria-required-children")
    owned = [role for role in element.facts.get("owned") or [] if role not in _INNER]
    if isinstance(data, list):
        owned = [role for role in data if role not in _INNER] or data
    if not owned:
        return either(_without_role(element), note="give its children the roles that its own role requires")
    own_role = element.attributes.get("role", "")
    role = _CHILDREN[own_role] if _CHILDREN.get(own_role) in owned else min(owned, key=len)
    if isinstance(data, list):
        first = put("role", role, where="children") if element.facts.get("children") else None
        return either(first, _without_role(element))
    return either(put("role", role, **element.related()), _without_role(element))


def _required_parent(element: Element) -> Fix:
    role = element.attributes.get("role", "")
    parents: list[str] = element.data("aria-required-parent") or []
    outer = [parent for parent in parents if parent not in _INNER] or parents
    # A row needs a table around it, too.
    if not outer or outer == ["row"]:
        return either(_without_role(element), note="or put it into the rows of a table or grid" if outer else "")
    chosen = _PARENTS[role] if _PARENTS.get(role) in outer else outer[0]
    return either(Change(kind="wrap", name="div", value=f'role="{chosen}"'), _without_role(element))


def _hidden_focus(element: Element) -> Fix:
    related = element.related()
    itself = any(
        tuple(part["target"]) == tuple(element.node.get("target") or ())
        for check in element.checks
        for part in check.get("related") or []
    )
    steps = ([put("tabindex", "-1")] if itself or not related else []) + (
        [put("tabindex", "-1", **related)] if related else []
    )
    return either(steps, drop("aria-hidden"))


def _braille(element: Element) -> Fix:
    pairs = {"aria-braillelabel": "aria-label", "aria-brailleroledescription": "aria-roledescription"}
    given = [name for name in pairs if name in element.attributes]
    return either([put(pairs[name], hint="with the same words, not in braille") for name in given], drop(*given))


def _presentation(element: Element) -> Fix:
    focusable = bool(element.check("is-element-focusable"))
    steps = list(drop(*(element.data("has-global-aria-attribute") or [])))
    if focusable and "tabindex" in element.attributes:
        steps += drop("tabindex")
        focusable = False
    if element.tag == "img" and "role" not in element.attributes:
        other: Any = put("alt", hint="that describes the image")
    else:
        other = _without_role(element)
    return either(None if focusable else steps, other)


def _labels(hint: str) -> Callable[[Element], Fix]:
    """Name the element by an attribute: it has no text of its own."""

    def fix(element: Element) -> Fix:
        # A <label> names native fields only, and axe warns if the name differs from the label.
        if element.facts.get("labelled"):
            return either([Change(kind="move_out", name="label", hint="its <label>"), named(hint)])
        by_id = put("aria-labelledby", "", "with the id of the element that names it", refers=True)
        return either(named(hint), by_id)

    return fix


ARIA_FIXES: dict[str, Callable[[Element], Fix]] = {
    "aria-allowed-attr": _not_allowed,
    "aria-allowed-role": lambda _: either(drop("role")),
    "aria-braille-equivalent": _braille,
    "aria-conditional-attr": _conditional,
    "aria-deprecated-role": _deprecated_role,
    "aria-dialog-name": _labels("that says what the dialog is for"),
    "aria-hidden-body": lambda _: either(drop("aria-hidden")),
    "aria-hidden-focus": _hidden_focus,
    "aria-input-field-name": _labels("that says what it is for"),
    "aria-meter-name": _labels("that says what is measured"),
    "aria-progressbar-name": _labels("that says what is in progress"),
    "aria-prohibited-attr": _prohibited,
    "aria-required-attr": _required_attribute,
    "aria-required-children": _required_children,
    "aria-required-parent": _required_parent,
    "aria-roledescription": lambda _: either(drop("aria-roledescription")),
    "aria-roles": _valid_role,
    "aria-text": lambda _: either(drop("role")),
    "aria-valid-attr": _valid_attribute,
    "aria-valid-attr-value": _valid_value,
    "presentation-role-conflict": _presentation,
    "role-img-alt": _labels("that describes the image"),
}
