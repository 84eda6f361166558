"""A flow as a test for pytest-playwright."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field

from gasoline_cdp.analysis.flows.flow import Call, Dialog, Flow, ShownText, Step
from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline
from gasoline_cdp.artifacts.playwright.aria import template
from gasoline_cdp.artifacts.playwright.python_code import (
    DEFINITIONS,
    expectation,
    from_environment,
    locator,
    placeholder_file,
    shown_text,
    text,
    text_or_pattern,
    triple_quoted,
    url_pattern,
)
from gasoline_cdp.artifacts.playwright.script import Script, ScriptOptions
from gasoline_cdp.artifacts.playwright.shapes import expected_of, says_something
from gasoline_cdp.artifacts.playwright.wording import (
    DRAG_STEPS,
    beside_outline,
    comment,
    error_lines,
    header,
    relative,
    step_title,
)

_LINE = 110
_MOVES = {"back": "go_back", "forward": "go_forward", "reload": "reload"}
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")


@define
class _Writer:
    options: ScriptOptions
    lines: list[str] = field(factory=list)
    depth: int = 1
    assertions: int = 0
    names: set[str] = field(factory=set)
    used: set[str] = field(factory=set)

    def put(self, code: str = "") -> None:
        self.lines.append(f"{'    ' * self.depth}{code}" if code else "")

    def name(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}_{number}"
        self.names.add(name)
        return name

    def check(self, code: str, confidence: str) -> None:
        self.assertions += 1
        self.put(f"{code}  # confidence: {confidence}")

    @contextmanager
    def waiting(self, waits: list[str]) -> Iterator[None]:
        """A block that waits for all of these."""
        if len(waits) == 1:
            with self.block(f"with {waits[0]}:"):
                yield
            return
        self.put("with (")
        for wait in waits:
            self.put(f"    {wait},")
        with self.block("):"):
            yield

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        self.put(opening)
        self.depth += 1
        yield
        self.depth -= 1


def write_python(flow: Flow, options: ScriptOptions) -> Script:
    """The whole file."""
    writer = _Writer(options)
    watches_errors = bool(options.expected_error or (options.assertions.no_errors and not flow.errors))
    if watches_errors:
        writer.used.add("collect_errors")
        writer.put("errors: list[str] = []")
        writer.put("collect_errors(page, errors)")
        if flow.pages > 1:
            writer.put('page.context.on("page", lambda opened: collect_errors(opened, errors))')
    for number, step in enumerate(flow.steps, 1):
        if writer.lines:
            writer.put()
        writer.put(f"# {number}. {step_title(step, options.base_url)}")
        _write_step(writer, step)
    _write_end(writer, flow, watches_errors)
    whole = "\n".join([*_head(flow, writer), *writer.lines]) + "\n"
    return Script(text=whole, assertions=writer.assertions)


def _head(flow: Flow, writer: _Writer) -> Iterator[str]:
    for line in header(flow):
        yield f"# {line}"
    body = "\n".join(writer.lines)
    used = writer.used
    plain = [name for name in ("os", "re") if f"{name}." in body]
    yield from (f"import {name}" for name in plain)
    if "answer_to" in used:
        yield "from collections.abc import Callable"
    if "has_shape" in used:
        yield "from typing import Any"
    if used & {"answer_to", "collect_errors"}:
        yield "from urllib.parse import urlsplit"
    if plain or used & {"answer_to", "collect_errors", "has_shape"}:
        yield ""
    names = ["Page", "expect", *(["ConsoleMessage"] if "collect_errors" in used else [])]
    names += ["Response"] if "answer_to" in used else []
    yield f"from playwright.sync_api import {', '.join(sorted(names, key=lambda name: (name == 'expect', name)))}"
    for name, definition in DEFINITIONS.items():
        if name in used:
            if name == "collect_errors":
                yield from _missing(flow)
            yield ""
            yield definition.rstrip()
    yield ""
    yield ""
    name = _NOT_A_WORD.sub("_", writer.options.name.lower()).strip("_") or "flow"
    yield f"def test_{name}(page: Page) -> None:"


def _missing(flow: Flow) -> Iterator[str]:
    yield ""
    if flow.missing:
        yield "# These failed when this was recorded, too."
    yield f"MISSING: tuple[str, ...] = ({', '.join(map(text, flow.missing))}{',' if len(flow.missing) == 1 else ''})"


def _page_name(page: int) -> str:
    return "page" if not page else f"page_{page + 1}"


def _write_step(writer: _Writer, step: Step) -> None:
    if step.warning:
        writer.put(f"# {comment(step.warning)}")
    if step.kind == "comment":
        return
    page = _page_name(step.page)
    for dialog in step.dialogs:
        _write_dialog(writer, page, dialog)
    waits, answers = _waits(writer, step, page)
    if waits:
        with writer.waiting(waits):
            writer.put(_action(step, page, writer.options))
    else:
        writer.put(_action(step, page, writer.options))
    if step.opens is not None:
        opened = _page_name(step.opens)
        writer.put(f"{opened} = {opened}_opened.value")
        for shown in step.opened_shows if writer.options.assertions.dom_state else ():
            _check_shown(writer, opened, shown)
    if step.download:
        writer.check(f"assert download.value.suggested_filename == {text(step.download)}", "medium")
    for name, call in answers:
        _check_answer(writer, name, call)
    _write_after(writer, step, page)


def _write_after(writer: _Writer, step: Step, page: str) -> None:
    if step.url_after:
        writer.check(f"expect({page}).to_have_url({url_pattern(step.url_after)})", "high")
    if writer.options.assertions.dom_state:
        for shown in beside_outline(step):
            _check_shown(writer, page, shown)
        if step.outline:
            _check_outline(writer, page, step.outline)
    for other in step.other_calls:
        writer.put(f"# Also called: {comment(other)}")


def _waits(writer: _Writer, step: Step, page: str) -> tuple[list[str], list[tuple[str, Call]]]:
    """What has to be waited for from before the action, and the names of the answers."""
    waits, answers = [], []
    for call in step.calls if writer.options.assertions.network else ():
        writer.used.add("answer_to")
        name = writer.name(_variable(call))
        answers.append((name, call))
        waits.append(
            f"{page}.expect_response(answer_to({text(call.method)}, {text(call.path)}), timeout=15_000) as {name}"
        )
    if step.opens is not None:
        waits.append(f"{page}.expect_popup() as {_page_name(step.opens)}_opened")
    if step.download:
        waits.append(f"{page}.expect_download() as download")
    return waits, answers


def _check_answer(writer: _Writer, name: str, call: Call) -> None:
    writer.check(f"assert {name}.value.status == {call.status}", "high")
    expected = expected_of(call.shape) if writer.options.assertions.response_shape else None
    if expected is not None and says_something(expected):
        writer.used.add("has_shape")
        flat = f"assert has_shape({name}.value.json(), {expectation(expected)})"
        if len(flat) <= _LINE:
            writer.check(flat, "medium")
            return
        writer.put("assert has_shape(")
        writer.put(f"    {name}.value.json(),")
        writer.put(f"    {expectation(expected, _LINE, writer.depth + 1)},")
        writer.check(")", "medium")


def _check_shown(writer: _Writer, page: str, shown: ShownText) -> None:
    if shown.kind == "test_id":
        element = f"{page}{locator(Locator('test_id', shown.value, shown.attribute))}"
        check = f"to_have_text({text_or_pattern(shown.text)})" if shown.text else "to_be_visible()"
    elif shown.kind == "heading":
        element = f"{page}{shown_text(shown.text, 'heading')}"
        check = "to_have_count(0)" if shown.gone else "to_be_visible()"
    else:
        element = f"{page}{shown_text(shown.text)}{'' if shown.gone else '.first'}"
        check = "to_have_count(0)" if shown.gone else "to_be_visible()"
    writer.check(f"expect({element}).{check}", "low")


def _check_outline(writer: _Writer, page: str, outline: Outline) -> None:
    writer.assertions += 1
    writer.put(f'expect({page}{locator(outline.region)}).to_match_aria_snapshot("""')
    for line in template(outline):
        writer.put(f"    {triple_quoted(line)}")
    writer.put('""")  # confidence: low')


def _write_dialog(writer: _Writer, page: str, dialog: Dialog) -> None:
    answer = f"accept({text(dialog.text) if dialog.text else ''})" if dialog.accepted else "dismiss()"
    said = comment(f"{dialog.type}: {dialog.message}")
    writer.put(f'{page}.once("dialog", lambda dialog: dialog.{answer})  # {said}')


def _write_end(writer: _Writer, flow: Flow, watches_errors: bool) -> None:
    options = writer.options
    writer.put()
    if options.expected_error:
        writer.put("# The error that this reproduces.")
        # It may come as a message or as an exception, and a moment after the last action.
        wanted = f"any({text(options.expected_error)} in error for error in errors)"
        with writer.block("for _ in range(50):"):
            with writer.block(f"if {wanted}:"):
                writer.put("break")
            writer.put("page.wait_for_timeout(100)")
        writer.check(f"assert {wanted}", "high")
    elif watches_errors:
        writer.check("assert errors == []", "high")
    elif options.assertions.no_errors:
        for line in error_lines(flow):
            writer.put(f"# {line}")


def _action(step: Step, page: str, options: ScriptOptions) -> str:
    match step.kind:
        case "open":
            return f"{page}.goto({text(relative(step.value, options.base_url))})"
        case "back" | "forward" | "reload":
            return f"{page}.{_MOVES[step.kind]}()"
        case "press":
            keys = text("+".join((*step.modifiers, step.value)))
            where = f"{page}.keyboard" if step.locator is None else _element(step, page)
            return f"{where}.press({keys})"
        case "scroll":
            x, y = step.position or (0, 0)
            if step.locator is None:
                return f"{page}.mouse.wheel({x}, {y})"
            return f'{_element(step, page)}.evaluate("element => element.scrollTo({x}, {y})")'
    return f"{_element(step, page)}.{_method(step, page)}"


def _method(step: Step, page: str) -> str:
    match step.kind:
        case "fill":
            return f"fill({from_environment(step.secret) if step.secret else text(step.value)})"
        case "select":
            values = [text(value) for value in step.values]
            chosen = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
            return f"select_option({from_environment(step.secret) if step.secret else chosen})"
        case "drag":
            return _drag(step, page)
        case "upload":
            return f"set_input_files([{', '.join(map(placeholder_file, step.values))}])"
        case "click":
            return f"{'dblclick' if step.count == 2 else 'click'}({_click_options(step)})"
        case _:
            return f"{step.kind}()"


def _drag(step: Step, page: str) -> str:
    """In several moves: pages hear of dragging only from the second one on."""
    at = (("source_position", step.position), ("target_position", step.drop_at))
    points = [f'{name}={{"x": {point[0]}, "y": {point[1]}}}' for name, point in at if point]
    target = f"{page}{locator(step.target)}" if step.target else page
    return f"drag_to({', '.join((target, *points, f'steps={DRAG_STEPS}'))})"


def _click_options(step: Step) -> str:
    options = []
    if step.button != "left":
        options.append(f"button={text(step.button)}")
    if step.modifiers:
        options.append(f"modifiers=[{', '.join(map(text, step.modifiers))}]")
    if step.position:
        options.append(f'position={{"x": {step.position[0]}, "y": {step.position[1]}}}')
    return ", ".join(options)


def _element(step: Step, page: str) -> str:
    return f"{page}{locator(step.locator)}" if step.locator else page


def _variable(call: Call) -> str:
    words = [word for word in _NOT_A_WORD.split(call.path.lower()) if word.isalpha()]
    return "_".join([call.method.lower(), *words[-2:]])
