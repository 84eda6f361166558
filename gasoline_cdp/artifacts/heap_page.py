"""A heap snapshot as one HTML page: what retains how much, what grew, what holds the largest objects. No network."""

from collections.abc import Iterable, Sequence
from html import escape

import attrs

from gasoline_cdp.analysis.heap.classes import ClassChange, ClassTotals
from gasoline_cdp.analysis.heap.summary import HeapSummary, ObjectDetails, PathStep
from gasoline_cdp.artifacts.html_page import html_page
from gasoline_cdp.limits import KB, MB

_TILES = 40
_ROWS = 40
_NAME_CHARS = 100
_WIDTH, _HEIGHT = 1000.0, 420.0
_TONES = 6
# A label needs room for a few characters.
_LABEL_WIDTH, _LABEL_HEIGHT, _CHARACTER = 46.0, 20.0, 7.2


@attrs.frozen
class _Box:
    x: float
    y: float
    width: float
    height: float


def heap_page(
    name: str,
    summary: HeapSummary,
    *,
    changes: Sequence[ClassChange] | None,
    before: str,
    objects: Sequence[tuple[ObjectDetails, str]],
    css: str,
) -> str:
    """The page. Everything from the snapshot is text, escaped here and nowhere else."""
    title = _text(f"Heap of {name}")
    body = [
        f"<h1>{title}</h1>",
        f'<p class="faint">{summary.nodes:,} objects, {summary.edges:,} references.</p>',
        _numbers(
            ("In all", _size(summary.size)),
            ("Native", _size(summary.native_size)),
            ("Strings", _size(summary.string_size)),
            ("Code", _size(summary.code_size)),
            ("Detached elements", f"{summary.detached_elements:,}"),
        ),
        *_treemap(summary.classes),
        *(_growth(changes, before) if changes is not None else ()),
        *_classes(summary.classes),
        *_objects(objects),
    ]
    return html_page(title, css, body)


def _treemap(classes: Sequence[ClassTotals]) -> Iterable[str]:
    """The larger an area, the more it would free. Classes hold each other, so areas are shares of what is drawn."""
    shown = [one for one in classes if one.retained_size][:_TILES]
    if not shown:
        return
    yield "<h2>Retained size by class</h2>"
    note = "What would be freed with all objects of a class. What one class holds of another counts twice."
    yield f'<p class="faint">{note}</p>'
    yield (
        f'<div class="wide"><svg class="map" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        'aria-label="Areas as large as what each class retains; the table below has the numbers">'
    )
    boxes = _squarify([one.retained_size for one in shown], _Box(0, 0, _WIDTH, _HEIGHT))
    for index, (one, box) in enumerate(zip(shown, boxes, strict=True)):
        yield f'<g class="tone{index % _TONES}"><title>{_text(one.name)}: {_size(one.retained_size)} retained</title>'
        yield f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"/>'
        if box.width >= _LABEL_WIDTH and box.height >= _LABEL_HEIGHT:
            room = int((box.width - 10) / _CHARACTER)
            label = one.name if len(one.name) <= room else one.name[: room - 1] + "…"
            yield f'<text x="{box.x + 5:.1f}" y="{box.y + 15:.1f}">{_text(label)}</text>'
            amount = _size(one.retained_size)
            if box.height >= 2 * _LABEL_HEIGHT and len(amount) <= room:
                yield f'<text class="amount" x="{box.x + 5:.1f}" y="{box.y + 31:.1f}">{amount}</text>'
        yield "</g>"
    yield "</svg></div>"


def _squarify(sizes: Sequence[int], room: _Box) -> list[_Box]:
    """Boxes of these areas, as square as can be: rows along the shorter side (Bruls, Huizing, van Wijk, 2000)."""
    scale = room.width * room.height / sum(sizes)
    areas = [size * scale for size in sizes]
    boxes: list[_Box] = []
    begin = 0
    while begin < len(areas):
        side = min(room.width, room.height)
        end = begin + 1
        while end < len(areas) and _worst(areas[begin : end + 1], side) <= _worst(areas[begin:end], side):
            end += 1
        row = areas[begin:end]
        depth = sum(row) / side if side else 0.0
        along = 0.0
        for area in row:
            length = area / depth if depth else 0.0
            upright = room.width >= room.height
            boxes.append(
                _Box(room.x, room.y + along, depth, length) if upright else _Box(room.x + along, room.y, length, depth)
            )
            along += length
        if room.width >= room.height:
            room = _Box(room.x + depth, room.y, max(room.width - depth, 0.0), room.height)
        else:
            room = _Box(room.x, room.y + depth, room.width, max(room.height - depth, 0.0))
        begin = end
    return boxes


def _worst(row: Sequence[float], side: float) -> float:
    """How far the longest box of a row is from a square."""
    total = sum(row)
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row)))


def _growth(changes: Sequence[ClassChange], before: str) -> Iterable[str]:
    yield f"<h2>Growth since {_text(before)}</h2>"
    if not changes:
        yield "<p>Nothing was added or removed.</p>"
        return
    largest = max(1, *(abs(one.size_delta) for one in changes))
    rows = []
    for one in changes[:_ROWS]:
        share = 100 * abs(one.size_delta) / largest
        kind = "worse" if one.size_delta > 0 else "better"
        bar = f'<svg class="bar {kind}" viewBox="0 0 100 10"><rect width="{share:.1f}" height="10"/></svg>'
        rows.append(
            f"<tr><td>{_name(one.name)}</td><td>{one.added:,}</td><td>{one.removed:,}</td>"
            f'<td class="{kind}">{_signed(one.size_delta)}</td><td>{bar}</td></tr>'
        )
    yield from _table(("Class", "Added", "Removed", "Size", ""), rows, len(changes))


def _classes(classes: Sequence[ClassTotals]) -> Iterable[str]:
    yield "<h2>Classes</h2>"
    rows = [
        f"<tr><td>{_name(one.name)}</td><td>{one.count:,}</td><td>{_size(one.self_size)}</td>"
        f"<td>{_size(one.retained_size)}</td></tr>"
        for one in classes[:_ROWS]
    ]
    yield from _table(("Class", "Objects", "Own size", "Retained"), rows, len(classes))


def _objects(objects: Sequence[tuple[ObjectDetails, str]]) -> Iterable[str]:
    if not objects:
        return
    yield "<h2>Largest objects, and what holds them</h2>"
    for one, held_by in objects:
        yield f'<h3>{_text(one.name)} <span class="kind">@{one.id}, {_size(one.retained_size)} retained</span></h3>'
        yield f"<p>{_text(held_by)}</p>" if held_by else ""
        yield "<details><summary>The shortest path, as DevTools has it</summary>"
        yield '<ol class="path">'
        yield from (_path_step(step) for step in one.path)
        yield "</ol>" if one.path else "<li>Nothing but weak references leads here.</li></ol>"
        yield "</details>"


def _path_step(step: PathStep) -> str:
    return f'<li><code>{_text(step.edge)}</code> {_text(step.name)} <span class="kind">@{step.id}</span></li>'


def _table(heads: Sequence[str], rows: Sequence[str], of: int) -> Iterable[str]:
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th>{head}</th>" for head in heads) + "</tr></thead><tbody>"
    yield from rows
    yield "</tbody></table></div>"
    if of > len(rows):
        yield f'<p class="faint">And {of - len(rows):,} more.</p>'


def _numbers(*pairs: tuple[str, str]) -> str:
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs) + "</dl>"


def _signed(size: int) -> str:
    return f"{'+' if size > 0 else '−' if size < 0 else ''}{_size(abs(size))}"


def _size(size: int) -> str:
    if size < KB:
        return f"{size} B"
    return f"{size / KB:.1f} KB" if size < MB else f"{size / MB:.1f} MB"


def _name(name: str) -> str:
    """Of a class, in a row of a table: templates of Blink have names of many lines."""
    return _text(name if len(name) <= _NAME_CHARS else name[: _NAME_CHARS - 1] + "…")


def _text(text: str) -> str:
    """Text of a page, in one line and of a length that can be read."""
    shown = text if len(text) <= 300 else text[:299] + "…"
    return escape("".join(sign if sign.isprintable() else "�" for sign in shown))
