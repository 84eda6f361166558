"""The lines of an accessibility tree, and which of them are shown if only some are asked for."""

from collections.abc import Callable, Sequence

from attrs import evolve, frozen

_INDENT_MAX = 12
# Ancestors that say where a control is, even without a name.
_LANDMARKS = {
    "document", "frame", "iframe", "banner", "navigation", "main", "complementary", "contentinfo", "form", "search",
    "dialog", "alertdialog", "menu", "menubar", "toolbar", "tablist", "radiogroup", "table", "grid", "tree",
}  # fmt: skip
# Where controls of the same name stand in rows, the text beside them tells which is which.
_ROWS = {"row", "li", "article", "LayoutTableRow"}
_BESIDE_CHARS = 80
_BESIDE_LINES = 50
# A text that is all there is in these is shown alone, without the role.
_MERE_TEXT = {"text", "paragraph", "strong", "emphasis"}


@frozen(kw_only=True)
class TreeLine:
    """One line: `role "name" states: "text" @ref`, or of a mere text only `"text"`.

    `key` stays the same for the same element or text; `depth` is that among the lines, -1 of the head of a frame.
    `name`, `states` and `text` are masked and have their quotation marks; `text` is that of an only child.
    """

    depth: int
    key: str
    role: str
    name: str = ""
    states: str = ""
    text: str = ""
    ref: str = ""
    control: bool = False
    # More of the name than is shown, to be searched.
    searched: str = ""
    # In a comparison: what became of it, and what stands of that behind it.
    mark: str = ""
    more: str = ""

    @property
    def words(self) -> str:
        """The line without its reference."""
        if self.role in _MERE_TEXT and not self.states and bool(self.name) != bool(self.text):
            return self.name or self.text
        said = " ".join(part for part in (self.role, self.name, self.states) if part)
        return f"{said}: {self.text}" if self.text else said

    def render(self) -> str:
        """The line as it is shown."""
        indent = " " * min(max(self.depth, 0), _INDENT_MAX)
        mark = f"{self.mark} " if self.mark else ""
        ref = f" {self.ref}" if self.ref else ""
        return f"{mark}{indent}{self.words}{ref}{self.more}"

    def contains(self, text: str) -> bool:
        """Whether it says a text, in whichever case."""
        return text in f"{self.words} {self.searched}".lower()


def with_ancestors(lines: Sequence[TreeLine], wanted: Callable[[TreeLine], bool]) -> list[TreeLine]:
    """The lines that are wanted, and those that they are inside of."""
    kept = []
    # Going up, the next line that is less deep is the one around.
    inside = -1
    for line in reversed(lines):
        if wanted(line) or line.depth < inside:
            kept.append(line)
            inside = line.depth
    kept.reverse()
    return kept


def containing(lines: Sequence[TreeLine], text: str) -> list[TreeLine]:
    """The lines that contain a text, and those that they are inside of."""
    searched = " ".join(text.replace('"', "'").split()).lower()
    return with_ancestors(lines, lambda line: line.contains(searched))


def controls_only(lines: Sequence[TreeLine]) -> list[TreeLine]:
    """What can be clicked, typed into or chosen, inside of what says where that is."""
    positions = {line.key: number for number, line in enumerate(lines)}
    shown: list[TreeLine] = []
    # The lines around the next one, by their depth among all, and how deep that one is among those shown.
    around: list[tuple[int, int]] = []
    for line in with_ancestors(lines, lambda line: line.control):
        while around and around[-1][0] >= line.depth:
            around.pop()
        depth = min(line.depth, around[-1][1] if around else 0)
        said = line.name or line.text
        if not said and not line.control and line.role in _ROWS:
            said = _text_beside(lines, positions[line.key])
        if line.control or said or line.role in _LANDMARKS:
            shown.append(evolve(line, depth=depth, text=line.text if line.name or line.control else said))
            depth += 1
        around.append((line.depth, depth))
    return shown


def _text_beside(lines: Sequence[TreeLine], number: int) -> str:
    """What the lines inside one say that are neither controls nor inside of one."""
    pieces: list[str] = []
    hidden = None
    for line in lines[number + 1 : number + 1 + _BESIDE_LINES]:
        if line.depth <= lines[number].depth or sum(map(len, pieces)) > _BESIDE_CHARS:
            break
        if hidden is not None and line.depth > hidden:
            continue
        hidden = line.depth if line.control else None
        if not line.control:
            pieces += [part.strip('"') for part in (line.name, line.text) if part]
    text = " ".join(pieces)
    cut = text if len(text) <= _BESIDE_CHARS else f"{text[: _BESIDE_CHARS - 1]}…"
    return f'"{cut}"' if cut else ""
