"""Writes the browser's accessibility tree as a few lines, from which an assistant can navigate."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from attrs import define, evolve, field

from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine
from gasoline_cdp.redact import REDACTED, safe_text

_NAME_CHARS = 120
_TEXT_CHARS = 300
_VALUE_CHARS = 80
# Further cells of a row have lines of their own.
_ROW_CHARS = 400
# Characters of a long name that are searched.
_SEARCHED_CHARS = 2000
# Roles of nodes that only group others.
_TRANSPARENT = {"none", "generic", "presentation", "GenericContainer", "LabelText", "MenuListPopup", "LayoutTable",
                "LayoutTableRow", "LayoutTableCell"}  # fmt: skip
# Their names are mostly what stands in them.
_NAMED_BY_CONTENT = {"row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "LayoutTableRow",
                     "LayoutTableCell"}  # fmt: skip
_SILENT = {"InlineTextBox", "LineBreak", "ListMarker"}
_DOCUMENT = "RootWebArea"
_TEXT = "StaticText"
_WORDS = {_DOCUMENT: "document", _TEXT: "text", "image": "img", "Iframe": "iframe", "listitem": "li"}
_IMAGES = {"image", "img"}
# Nobody asks for these by reference: they hold text, or rows.
_WITHOUT_REF = {_DOCUMENT, "paragraph", "rowgroup", "code", "strong", "emphasis", "mark", "time", "subscript",
                "superscript", "deletion", "insertion", "term", "definition"}  # fmt: skip
# States shown only if true, and states shown with either value.
_IF_TRUE = ("focused", "disabled", "required", "readonly", "selected", "modal", "busy")
_EITHER = {"checked": "unchecked", "pressed": "unpressed", "expanded": "collapsed"}
_BULLETS = "•●∙·*"
# Text inside these roles is what a user typed, and is shown as the value. Inside other roles it may be.
_TYPED = {"textbox", "searchbox", "spinbutton"}
_CHOSEN = {"combobox", "slider", "ComboBoxMenuButton"}
# Fields that may have a label. The label's text is their name.
_LABELLED = {*_TYPED, *_CHOSEN, "checkbox", "radio", "switch", "listbox", "meter", "progressbar", "Date", "DateTime",
             "InputTime", "ColorWell"}  # fmt: skip
# What can be clicked, typed into or chosen, and what may have the focus without that.
_CONTROLS = {*_LABELLED - {"meter", "progressbar"}, "button", "link", "tab", "menuitem", "menuitemcheckbox",
             "menuitemradio", "option", "MenuListOption", "treeitem", "PopUpButton", "DisclosureTriangle"}  # fmt: skip
_VIEWS = {"RootWebArea", "Iframe"}
# The popup of a closed <select>. Its options are listed up to this number, otherwise counted.
_POPUP = "MenuListPopup"
_OPTIONS = {"option", "MenuListOption"}
_OPTIONS_LISTED = 10
# How many nodes to scan to find whether a name repeats all text below it.
_SCANNED_NODES = 200
_LEVELLED = {"heading", "treeitem"}
# Headings of these levels are called as in HTML: h1.
_HTML_LEVELS = range(1, 7)


@define
class _Node:
    raw: dict[str, Any]
    children: "list[_Node]" = field(factory=list)


def write_tree(nodes: list[dict[str, Any]], *, document: str = "", start: int | None = None) -> list[TreeLine]:
    """Lines of one document's tree.

    `document`: the letters for it in references. `start` is the DOM node to begin at.
    """
    known = {str(node.get("nodeId")): _Node(node) for node in nodes}
    roots = []
    for node in known.values():
        parent = known.get(str(node.raw.get("parentId", "")))
        if parent is None:
            roots.append(node)
    for node in known.values():
        node.children = [known[child] for child in map(str, node.raw.get("childIds") or ()) if child in known]
    if start is not None:
        roots = [node for node in known.values() if node.raw.get("backendDOMNodeId") == start]
    labelled = {_squeezed(_name(node.raw)) for node in known.values() if _role(node.raw) in _LABELLED}
    lines: list[TreeLine] = []
    # No recursion: a page may nest its elements arbitrarily deep.
    waiting = [(node, 0, False) for node in reversed(roots)]
    visited: set[int] = set()
    keys: Counter[str] = Counter()
    while waiting:
        node, depth, silent = waiting.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        role = _role(node.raw)
        if role == _TEXT and silent:
            continue
        options = 0 if node.raw.get("backendDOMNodeId") == start else _options(node)
        line = _write(node, depth, document, options)
        if line is not None:
            keys[line.key] += 1
            # One element may have several nodes.
            lines.append(line if keys[line.key] == 1 else evolve(line, key=f"{line.key}#{keys[line.key]}"))
            depth += 1
        if role != _TEXT and options <= _OPTIONS_LISTED:
            silent = silent or _says_its_text(node, labelled)
            waiting.extend((child, depth, silent) for child in reversed(_joined(node.children)))
    return _with_cells(_with_only_text(lines))


def is_called(node: dict[str, Any], role: str, name: str, *, loosely: bool = False) -> bool:
    """Whether a node's line begins with this role and name; the role may also be the browser's own word for it.

    `loosely`: without the pictures of icon fonts, which readers cannot see and often lose.
    """
    if node.get("ignored") or role.lower() not in {_role(node).lower(), _role_word(node, _role(node)).lower()}:
        return False
    if loosely:
        return bool(_without_icons(name)) and _without_icons(name) == _without_icons(_name(node))
    shown = _quoted(_name(node), _NAME_CHARS)
    return name.replace('"', "'") in {shown, " ".join(_name(node).split()).replace('"', "'")}


def _without_icons(name: str) -> str:
    """What is left without characters for private use, and with quotation marks as they are shown."""
    return " ".join("".join(one for one in name if not "\ue000" <= one <= "\uf8ff").split()).replace('"', "'")


def called(node: dict[str, Any]) -> str:
    """`button "Save"`."""
    name = _name(node)
    return f'{_role_word(node, _role(node))} "{_quoted(name, _NAME_CHARS)}"' if name else _role_word(node, _role(node))


def _joined(children: list[_Node]) -> list[_Node]:
    """Children of which texts that stand side by side, as in `Count: {n}`, are one: Chrome has nodes between others."""
    joined: list[_Node] = []
    for is_text, group in groupby(children, _is_text):
        nodes = list(group)
        if is_text and len(nodes) > 1:
            nodes = [_Node({**nodes[0].raw, "name": {"value": "".join(_raw_name(node.raw) for node in nodes)}})]
        joined += nodes
    return joined


def _is_text(node: _Node) -> bool:
    return _role(node.raw) == _TEXT and not node.raw.get("ignored")


def _with_only_text(lines: list[TreeLine]) -> list[TreeLine]:
    """Lines of which a text that is all there is inside another line stands on that one."""
    kept: list[TreeLine] = []
    for number, line in enumerate(lines):
        outer = kept[-1] if kept else None
        last = number + 1 == len(lines) or lines[number + 1].depth < line.depth
        if (
            outer is not None
            and last
            and (line.role, line.depth) == ("text", outer.depth + 1)
            and outer is lines[number - 1]
            and outer.role not in {"text", "document"}
        ):
            kept[-1] = evolve(outer, text=line.name, searched=f"{outer.searched} {line.searched}")
        else:
            kept.append(line)
    return kept


def _with_cells(lines: list[TreeLine]) -> list[TreeLine]:
    """Lines of which the first cells of a row, as far as they only hold text, stand on the line of the row."""
    kept: list[TreeLine] = []
    row: TreeLine | None = None
    for number, line in enumerate(lines):
        leaf = number + 1 == len(lines) or lines[number + 1].depth <= line.depth
        plain = line.role == "cell" and leaf and not (line.control or line.states or (line.name and line.text))
        if row is not None and plain and line.depth == row.depth + 1 and len(row.text) < _ROW_CHARS:
            said = line.name or line.text or '""'
            row = evolve(
                row, text=f"{row.text} | {said}" if row.text else said, searched=f"{row.searched} {line.searched}"
            )
            kept[-1] = row
            continue
        kept.append(line)
        row = line if line.role == "row" and not line.name and not line.text else None
    return kept


def _says_its_text(node: _Node, labelled: set[str]) -> bool:
    """Whether the text below a node is shown already: as its value, its name, or the name of a labelled control."""
    role, name = _role(node.raw), _name(node.raw)
    if role in _TYPED:
        return len(_value(node.raw)) <= _VALUE_CHARS or _properties(node.raw).get("editable") != "richtext"
    if role in _CHOSEN and _value(node.raw):
        return True
    if role == "LabelText":
        return _text_below(node) in labelled
    # A document's title may equal a text of the page by chance.
    return 0 < len(name) <= _NAME_CHARS and role != _DOCUMENT and _text_below(node) == _squeezed(name)


def _text_below(node: _Node) -> str | None:
    """The text below a node without spaces, with images as their names. None if there is too much."""
    text = ""
    waiting = list(reversed(node.children[:_SCANNED_NODES]))
    for _ in range(_SCANNED_NODES):
        if not waiting:
            return text
        inner = waiting.pop()
        role = _role(inner.raw)
        if role == _TEXT or role in _IMAGES:
            text += _squeezed(_name(inner.raw)[: 2 * _NAME_CHARS])
        elif role not in _TYPED and role not in _CHOSEN:
            waiting.extend(reversed(inner.children[:_SCANNED_NODES]))
    return None


def _options(node: _Node) -> int:
    """How many options a closed <select> has."""
    popups = [child for child in node.children if _role(child.raw) == _POPUP]
    return sum(
        _role(option.raw) in _OPTIONS
        for popup in popups
        for child in popup.children
        for option in (child, *child.children)
    )


def _role(node: dict[str, Any]) -> str:
    return str((node.get("role") or {}).get("value") or "")


def _raw_name(node: dict[str, Any]) -> str:
    return str((node.get("name") or {}).get("value") or "")


def _name(node: dict[str, Any]) -> str:
    # A zero-width space only marks where a line may break.
    return " ".join(_raw_name(node).replace("\u200b", "").split())


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _write(node: _Node, depth: int, document: str, options: int) -> TreeLine | None:
    """The line of a node, or None if it has nothing to say."""
    raw = node.raw
    role, name = _role(raw), _name(raw)
    if raw.get("ignored") or role in _SILENT or not role:
        return None
    number = raw.get("backendDOMNodeId")
    key = f"@{document}{number}" if number else f"n{raw.get('nodeId')}{document}"
    searched = safe_text(name, _SEARCHED_CHARS).replace('"', "'") if len(name) > _NAME_CHARS else ""
    if role == _TEXT:
        text = f'"{_quoted(name, _TEXT_CHARS)}"'
        return TreeLine(depth=depth, key=key, role="text", name=text, searched=searched) if name else None
    if role in _NAMED_BY_CONTENT and _says_its_name(node):
        name = ""
    states, control = list(_states(raw)), _is_control(raw, role)
    if role in _TRANSPARENT and not name and "focused" not in states:
        return None
    if options > _OPTIONS_LISTED:
        states.append(f"options={options}")
    return TreeLine(
        depth=depth,
        key=key,
        role=_role_word(raw, role),
        name=f'"{_quoted(name, _NAME_CHARS)}"' if name else "",
        states=" ".join(states),
        ref=f"@{document}{number}" if number and (control or role not in _WITHOUT_REF) else "",
        control=control,
        searched=searched,
    )


def _role_word(raw: dict[str, Any], role: str) -> str:
    return _html_heading(raw) or safe_text(_WORDS.get(role, role), 40)


def _html_heading(raw: dict[str, Any]) -> str:
    """`h2` for a heading of an ordinary level."""
    level = _properties(raw).get("level") if _role(raw) == "heading" else None
    return f"h{level}" if isinstance(level, int) and level in _HTML_LEVELS else ""


def _is_control(raw: dict[str, Any], role: str) -> bool:
    if role in _CONTROLS:
        return True
    properties = _properties(raw)
    return role not in _VIEWS and (properties.get("focusable") is True or "editable" in properties)


def _says_its_name(node: _Node) -> bool:
    """Whether the name of a row or cell is made of those of the controls and cells in it, which have lines."""
    joined = ""
    waiting = list(reversed(node.children[:_SCANNED_NODES]))
    for _ in range(_SCANNED_NODES):
        if not waiting:
            return bool(joined) and joined == _squeezed(_name(node.raw))
        inner = waiting.pop()
        role, name = _role(inner.raw), _squeezed(_name(inner.raw))
        if inner.raw.get("ignored") or role in _TRANSPARENT or not name:
            waiting.extend(reversed(inner.children[:_SCANNED_NODES]))
        elif role == _TEXT:
            return False
        else:
            joined += name
    return False


def _states(node: dict[str, Any]) -> Iterable[str]:
    properties = _properties(node)
    if isinstance(level := properties.get("level"), int) and _role(node) in _LEVELLED and not _html_heading(node):
        yield f"level={level}"
    for state in _IF_TRUE:
        if properties.get(state) is True:
            yield state
    if properties.get("invalid") not in (None, "false", False):
        yield "invalid"
    for state, opposite in _EITHER.items():
        value = properties.get(state)
        if value is not None:
            said = str(value).lower()[:10]
            yield {"true": state, "false": opposite}.get(said, f"{state}={said}")
    if value := _value(node):
        shown = REDACTED if not value.strip(_BULLETS) else _quoted(value, _VALUE_CHARS)
        yield f'value="{shown}"'


def _properties(node: dict[str, Any]) -> dict[str, Any]:
    return {one.get("name"): (one.get("value") or {}).get("value") for one in node.get("properties") or ()}


def _value(node: dict[str, Any]) -> str:
    return str((node.get("value") or {}).get("value") or "")


def _quoted(text: str, limit: int) -> str:
    return safe_text(" ".join(text.split()), limit).replace('"', "'")
