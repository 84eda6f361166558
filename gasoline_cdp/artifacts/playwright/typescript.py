"""A flow as a test for `@playwright/test`, in TypeScript or JavaScript."""

from collections.abc import Iterator

from attrs import define, field

from gasoline_cdp.analysis.flows.flow import Call, Dialog, Flow, ShownText, Step
from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline
from gasoline_cdp.artifacts.playwright.aria import template
from gasoline_cdp.artifacts.playwright.javascript_code import (
    expectation,
    locator,
    shown_text,
    template_literal,
    text,
    text_or_pattern,
    url_pattern,
)
from gasoline_cdp.artifacts.playwright.script import Script, ScriptOptions
from gasoline_cdp.artifacts.playwright.shapes import expected_of, says_something
from gasoline_cdp.artifacts.playwright.wording import (
    DRAG_STEPS,
    TEST_SECONDS,
    beside_outline,
    comment,
    error_lines,
    header,
    relative,
    seconds_needed,
    step_title,
)

_LINE = 100
_MOVES = {"back": "goBack", "forward": "goForward", "reload": "reload"}


@define
class _Writer:
    options: ScriptOptions
    lines: list[str] = field(factory=list)
    assertions: int = 0
    names: set[str] = field(factory=set)
    used: set[str] = field(factory=set)

    def put(self, code: str = "", depth: int = 1) -> None:
        self.lines.append(f"{'  ' * depth}{code}" if code else "")

    def name(self, wanted: str) -> str:
        """A variable name that is not taken."""
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}{number}"
        self.names.add(name)
        return name

    def check(self, code: str, confidence: str) -> None:
        self.assertions += 1
        self.put(f"{code} // confidence: {confidence}")


def write_script(flow: Flow, options: ScriptOptions) -> Script:
    """The whole file."""
    writer = _Writer(options)
    watches_errors = options.expected_error or (options.assertions.no_errors and not flow.errors)
    fixtures = "{ page, context }" if flow.pages > 1 and watches_errors else "{ page }"
    writer.put(f"test({text(options.name)}, async ({fixtures}) => {{", 0)
    if (seconds := seconds_needed(flow)) > TEST_SECONDS:
        writer.put(f"test.setTimeout({seconds}_000);")
    if watches_errors:
        writer.used.add("collectErrors")
        writer.put("const errors = collectErrors(page);")
        if flow.pages > 1:
            writer.put("context.on('page', (opened) => collectErrors(opened, errors));")
    if options.mocks_from:
        writer.put("await serveFixtures(page);")
    for number, step in enumerate(flow.steps, 1):
        if number > 1 or watches_errors or options.mocks_from:
            writer.put()
        writer.put(f"// {number}. {step_title(step, options.base_url)}")
        _write_step(writer, step)
    _write_end(writer, flow, bool(watches_errors))
    writer.put("});", 0)
    whole = "\n".join([*_head(flow, options, writer.used), *writer.lines]) + "\n"
    return Script(text=whole, assertions=writer.assertions)


def _head(flow: Flow, options: ScriptOptions, used: set[str]) -> Iterator[str]:
    typed = options.language == "typescript"
    for line in header(flow):
        yield f"// {line}"
    types = [*(["type Page"] if used else []), *(["type Response"] if "answerTo" in used else [])]
    names = ["expect", "test", *(types if typed else [])]
    yield f"import {{ {', '.join(names)} }} from '@playwright/test';"
    if options.mocks_from:
        yield f"import {{ serveFixtures }} from './{options.mocks_from}';"
    yield ""
    if "answerTo" in used:
        yield "// Less than an answer may take: a missing element is reported as such."
        yield "test.use({ actionTimeout: 10_000 });"
        yield ""
    if "collectErrors" in used:
        yield from _collect_errors(typed, flow.missing)
    if "answerTo" in used:
        yield from _answer_to(typed)


def _collect_errors(typed: bool, missing: tuple[str, ...]) -> Iterator[str]:
    into = "(page: Page, errors: string[] = []): string[]" if typed else "(page, errors = [])"
    if missing:
        yield "// These failed when this was recorded, too."
        yield f"const MISSING = [{', '.join(map(text, missing))}];"
        yield ""
    yield "// Errors of the page, from its first script on. The icon of the tab is the browser's own request."
    yield f"function collectErrors{into} {{"
    yield "  page.on('pageerror', (error) => errors.push(error.message));"
    yield "  page.on('console', (message) => {"
    yield "    const path = message.location().url.replace(/^\\w+:\\/\\/[^/]+|[?#].*$/g, '');"
    expected = "path.endsWith('/favicon.ico')" + (" || MISSING.includes(path)" if missing else "")
    yield f"    const isExpected = {expected};"
    yield "    if (message.type() === 'error' && !isExpected) errors.push(message.text());"
    yield "  });"
    yield "  return errors;"
    yield "}"
    yield ""


def _answer_to(typed: bool) -> Iterator[str]:
    given = "(page: Page, method: string, path: string): Promise<Response>" if typed else "(page, method, path)"
    yield "// The next answer to a call. In a path, :id stands for any id."
    yield f"function answerTo{given} {{"
    yield "  const segments = path.split('/');"
    yield "  return page.waitForResponse((response) => {"
    yield "    const given = new URL(response.url()).pathname.split('/');"
    yield "    const isSame = segments.every((segment, index) => segment === ':id' || segment === given[index]);"
    yield "    return response.request().method() === method && given.length === segments.length && isSame;"
    yield "  }, { timeout: 15_000 });"
    yield "}"
    yield ""


def _page_name(page: int) -> str:
    return "page" if not page else f"page{page + 1}"


def _write_step(writer: _Writer, step: Step) -> None:
    if step.warning:
        writer.put(f"// {comment(step.warning)}")
    if step.kind == "comment":
        return
    page = _page_name(step.page)
    answers = _write_before(writer, step, page)
    writer.put(f"{_action(step, page, writer.options)};")
    if step.opens is not None:
        opened = _page_name(step.opens)
        writer.put(f"const {opened} = await {opened}Opened;")
        for shown in step.opened_shows if writer.options.assertions.dom_state else ():
            _check_shown(writer, opened, shown)
    if step.download:
        writer.check(f"expect((await download).suggestedFilename()).toBe({text(step.download)});", "medium")
    for name, call in answers:
        _check_answer(writer, name, call)
    if step.url_after:
        writer.check(f"await expect({page}).toHaveURL({url_pattern(step.url_after)});", "high")
    _write_after(writer, step, page)


def _write_before(writer: _Writer, step: Step, page: str) -> list[tuple[str, Call]]:
    """What has to be waited for from before the action; returns the names of the answers."""
    for dialog in step.dialogs:
        _write_dialog(writer, page, dialog)
    answers = []
    for call in step.calls if writer.options.assertions.network else ():
        writer.used.add("answerTo")
        name = writer.name(_variable(call))
        answers.append((name, call))
        writer.put(f"const {name} = answerTo({page}, {text(call.method)}, {text(call.path)});")
    if step.opens is not None:
        writer.put(f"const {_page_name(step.opens)}Opened = {page}.waitForEvent('popup');")
    if step.download:
        writer.put(f"const download = {page}.waitForEvent('download');")
    return answers


def _write_after(writer: _Writer, step: Step, page: str) -> None:
    if writer.options.assertions.dom_state:
        for shown in beside_outline(step):
            _check_shown(writer, page, shown)
        if step.outline:
            _check_outline(writer, page, step.outline)
    if writer.options.assertions.visual:
        writer.check(f"await expect({page}).toHaveScreenshot();", "low")
    for name in step.other_calls:
        writer.put(f"// Also called: {comment(name)}")


def _check_answer(writer: _Writer, name: str, call: Call) -> None:
    writer.check(f"expect((await {name}).status()).toBe({call.status});", "high")
    expected = expected_of(call.shape) if writer.options.assertions.response_shape else None
    if expected is None or not says_something(expected):
        return
    opening = f"expect(await (await {name}).json()).toEqual("
    flat = f"{opening}{expectation(expected, 10_000)});"
    if len(flat) <= _LINE:
        writer.check(flat, "medium")
        return
    writer.assertions += 1
    writer.put(f"{opening} // confidence: medium")
    writer.put(f"{expectation(expected, _LINE, 2)},", 2)
    writer.put(");")


def _check_shown(writer: _Writer, page: str, shown: ShownText) -> None:
    if shown.kind == "test_id":
        element = f"{page}{locator(Locator('test_id', shown.value, shown.attribute))}"
        if shown.text:
            writer.check(f"await expect({element}).toHaveText({text_or_pattern(shown.text)});", "low")
        else:
            writer.check(f"await expect({element}).toBeVisible();", "low")
        return
    if shown.kind == "heading":
        element = f"{page}{shown_text(shown.text, 'heading')}"
    else:
        element = f"{page}{shown_text(shown.text)}"
    if shown.gone:
        writer.check(f"await expect({element}).toHaveCount(0);", "low")
    else:
        one = f"{element}.first()" if shown.kind == "text" else element
        writer.check(f"await expect({one}).toBeVisible();", "low")


def _check_outline(writer: _Writer, page: str, outline: Outline) -> None:
    writer.assertions += 1
    writer.put(f"await expect({page}{locator(outline.region)}).toMatchAriaSnapshot(`")
    for line in template(outline):
        writer.put(template_literal(line), 2)
    writer.put("`); // confidence: low")


def _write_dialog(writer: _Writer, page: str, dialog: Dialog) -> None:
    answer = f"accept({text(dialog.text) if dialog.text else ''})" if dialog.accepted else "dismiss()"
    writer.put(f"{page}.once('dialog', (dialog) => dialog.{answer}); // {comment(f'{dialog.type}: {dialog.message}')}")


def _write_end(writer: _Writer, flow: Flow, watches_errors: bool) -> None:
    options = writer.options
    if options.expected_error:
        writer.put()
        writer.put("// The error that this reproduces.")
        wanted = f"errors.some((error) => error.includes({text(options.expected_error)}))"
        writer.check(f"await expect.poll(() => {wanted}).toBe(true);", "high")
    elif watches_errors:
        writer.put()
        writer.check("expect(errors).toEqual([]);", "high")
    elif options.assertions.no_errors:
        writer.put()
        for line in error_lines(flow):
            writer.put(f"// {line}")


def _action(step: Step, page: str, options: ScriptOptions) -> str:
    match step.kind:
        case "open":
            return f"await {page}.goto({text(relative(step.value, options.base_url))})"
        case "back" | "forward" | "reload":
            return f"await {page}.{_MOVES[step.kind]}()"
        case "press":
            keys = text("+".join((*step.modifiers, step.value)))
            where = f"{page}.keyboard" if step.locator is None else _element(step, page)
            return f"await {where}.press({keys})"
        case "scroll":
            x, y = step.position or (0, 0)
            if step.locator is None:
                return f"await {page}.mouse.wheel({x}, {y})"
            return f"await {_element(step, page)}.evaluate((element) => element.scrollTo({x}, {y}))"
    return f"await {_element(step, page)}.{_method(step)}"


def _method(step: Step) -> str:
    match step.kind:
        case "fill":
            return f"fill({_secret(step.secret) if step.secret else text(step.value)})"
        case "select":
            if step.secret:
                return f"selectOption({_secret(step.secret)})"
            values = [text(value) for value in step.values]
            return f"selectOption({values[0] if len(values) == 1 else '[' + ', '.join(values) + ']'})"
        case "drag":
            return _drag(step)
        case "upload":
            return f"setInputFiles([{', '.join(map(_file, step.values))}])"
        case "click":
            return f"{'dblclick' if step.count == 2 else 'click'}({_click_options(step)})"
        case _:
            return f"{step.kind}()"


def _drag(step: Step) -> str:
    """In several moves: pages hear of dragging only from the second one on."""
    at = (("sourcePosition", step.position), ("targetPosition", step.drop_at))
    points = [f"{name}: {{ x: {point[0]}, y: {point[1]} }}" for name, point in at if point]
    target = f"{_page_name(step.page)}{locator(step.target)}" if step.target else _page_name(step.page)
    return f"dragTo({target}, {{ {', '.join((*points, f'steps: {DRAG_STEPS}'))} }})"


def _click_options(step: Step) -> str:
    options = []
    if step.button != "left":
        options.append(f"button: {text(step.button)}")
    if step.modifiers:
        options.append(f"modifiers: [{', '.join(map(text, step.modifiers))}]")
    if step.position:
        options.append(f"position: {{ x: {step.position[0]}, y: {step.position[1]} }}")
    return f"{{ {', '.join(options)} }}" if options else ""


def _element(step: Step, page: str) -> str:
    return f"{page}{locator(step.locator)}" if step.locator else page


def _file(name: str) -> str:
    return f"{{ name: {text(name)}, mimeType: 'application/octet-stream', buffer: Buffer.from('placeholder') }}"


def _secret(name: str) -> str:
    return f"process.env.{name} ?? ''"


def _variable(call: Call) -> str:
    parts = call.path.replace("-", "/").replace("_", "/").split("/")
    words = [word for word in parts if word.isalpha() and word.isascii()]
    noun = "".join(word.capitalize() for word in words[-2:]) or "Answer"
    return f"{call.method.lower()}{noun}"
