"""Stacks in an answer."""

from gasoline_cdp.answers.stack_lines import show_stack
from gasoline_cdp.records import StackFrame


def frames(*urls: str) -> list[StackFrame]:
    return [StackFrame("", url, line, 1) for line, url in enumerate(urls, 1)]


def test_own_frames_are_shown_and_library_frames_counted() -> None:
    react = "node_modules/react-dom/index.js"
    assert show_stack(frames("src/a.ts", react, react, "src/b.ts", react), 5) == [
        "src/a.ts:1:1",
        "(2 library frames)",
        "src/b.ts:4:1",
        "(1 library frame)",
    ]
    ours = "execute_javascript"
    assert show_stack(frames("src/a.ts", ours, ours), 5) == ["src/a.ts:1:1", ours]
    assert show_stack(frames(react), 5) == ["(1 library frame)"]
    assert show_stack([], 5) == []


def test_only_so_many_own_frames_are_shown() -> None:
    assert show_stack(frames(*(f"src/{n}.ts" for n in range(9))), 2) == ["src/0.ts:1:1", "src/1.ts:2:1"]
