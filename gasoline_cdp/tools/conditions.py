"""`set_conditions`: tries pages as another device, network or place has them, and with answers of our own."""

import difflib
from collections.abc import Iterator
from typing import Any

from attrs import asdict, evolve, field, frozen

from gasoline_cdp import wire
from gasoline_cdp.acting.stepping import while_pilot_is_on
from gasoline_cdp.analysis.conditions.mocks import CapturedAnswer, Mock, check_size, filled
from gasoline_cdp.analysis.conditions.parsing import parse_settings
from gasoline_cdp.analysis.conditions.problems import Problems
from gasoline_cdp.analysis.conditions.settings import NORMAL, Settings
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.quoting import folded
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.operations.pilot_gate import pilot_is_off
from gasoline_cdp.redact import safe_text

_WORDS_CHARS = 300


@frozen(kw_only=True)
class ConditionsArgs:
    """Arguments of set_conditions."""

    viewport: str | None = wire.arg("390x844@3 mobile|iPhone 15", default=None)
    network: str | None = wire.arg("offline|slow 3g|fast 3g|4g|latency_ms=9 down_kbps=9", default=None)
    cpu: float | None = wire.arg("How many times slower the processor is.", default=None)
    media: dict[str, Any] | None = wire.arg("{color_scheme: dark, reduced_motion, print}", default=None)
    locale: str | None = wire.arg("Language and region, such as de-DE.", default=None)
    timezone: str | None = wire.arg("Time zone, such as Asia/Tokyo.", default=None)
    geolocation: str | None = wire.arg("LATITUDE,LONGITUDE, or unavailable.", default=None)
    permissions: dict[str, Any] | None = wire.arg("{camera: denied}", default=None)
    headers: dict[str, Any] | None = wire.arg("Extra headers of every request.", default=None)
    user_agent: str | None = wire.arg("The user agent that pages and servers are told.", default=None)
    blocked: list[str] | None = wire.arg("Requests to block: parts of URLs, or patterns with *.", default=None)
    mocks: list[dict[str, Any]] | None = wire.arg(
        "{url: */api/*, method, status, headers, body, delay_ms, fail: true} | {from: r44, set: {a.0.b: 5}}",
        default=None,
    )
    reset: bool = wire.arg("End all, then set what else is given.", default=False)


@frozen(kw_only=True)
class ConditionsAnswer:
    """The conditions in force now, for all tabs. `mocked_requests` counts those that the mocks have answered."""

    summary: str
    conditions: list[str] = field(factory=list)
    mocked_requests: int = 0
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """What is in force, and what to know of it."""
        yield Line(self.summary, tone="heading")
        yield from (Line(folded(one, _WORDS_CHARS), depth=1) for one in self.conditions)
        yield from map(note, self.notes)


async def set_conditions(args: ConditionsArgs, context: Context) -> ConditionsAnswer:
    """Change what is named. Everything is checked before anything is changed."""
    conditions = context.conditions
    given = asdict(args, recurse=False)
    reset = given.pop("reset")
    given = {name: value for name, value in given.items() if value is not None}
    left = 0
    if given or reset:
        settings = await _read(NORMAL if reset else conditions.settings, given, context)
        with while_pilot_is_on(context) as allowed:
            left = await conditions.change(settings)
        if allowed.cancelled_caught or not context.pilot.on:
            raise pilot_is_off("set_conditions was cut off and ended all conditions: it", context)
    return _show(context, left)


async def _read(before: Settings, given: dict[str, Any], context: Context) -> Settings:
    problems = Problems()
    settings = parse_settings(before, given, problems)
    if not problems.all and "mocks" in given:
        mocks = [await _filled(index, mock, context, problems) for index, mock in enumerate(settings.mocks)]
        settings = evolve(settings, mocks=tuple(mocks))
        check_size(settings.mocks, problems)
    if problems.all:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"Nothing was changed. Cannot use these conditions: {'; '.join(problems.all)}.",
            problems=problems.all,
        )
    return settings


async def _filled(index: int, mock: Mock, context: Context, problems: Problems) -> Mock:
    """A mock with the answer that it repeats."""
    if not mock.source:
        return mock
    what = f"mocks[{index}].from"
    try:
        record, body = await context.capture.bodies.read_unmasked(mock.source)
    except GasolineError as error:
        known = [record.id for record in context.telemetry.network.newest()]
        close = difflib.get_close_matches(mock.source, known, n=1, cutoff=0.5) if mock.source not in known else []
        hint = f" Did you mean {close[0]!r}?" if close else ""
        problems.add(f"{what}: {error.message.rstrip('.')}.{hint}".rstrip("."))
        return mock
    answer = CapturedAnswer(
        method=record.method,
        url=record.url,
        status=record.page_status or 200,
        headers=record.response_headers,
        body=body,
    )
    return filled(mock, f"mocks[{index}]", answer, problems)


def _show(context: Context, left: int) -> ConditionsAnswer:
    conditions = context.conditions
    words = [safe_text(word, _WORDS_CHARS) for word in conditions.words]
    return ConditionsAnswer(
        summary=f"{number_of(len(words), 'condition')} in force in all tabs:"
        if words
        else "No conditions are in force.",
        conditions=words,
        mocked_requests=conditions.mocking.answered,
        notes=list(_notes(context, left)),
    )


def _notes(context: Context, left: int) -> Iterator[str]:
    conditions = context.conditions
    settings = conditions.settings
    if conditions.mocking.answered:
        yield f"{number_of(conditions.mocking.answered, 'request')} answered by mocks so far"
    if left:
        yield f"{number_of(left, 'page or frame')} did not take over in time: a busy page does it when it answers"
    if settings.geolocation and dict(settings.permissions).get("geolocation") != "granted":
        yield 'a page is told where it is only with permissions={"geolocation": "granted"}'
    if settings.mocks and (workers := conditions.shared_workers()):
        yield f"{number_of(workers, 'shared worker')} open: Chrome lets nobody mock their requests"


TOOLS = (
    Tool(
        name="set_conditions",
        title="Set conditions",
        description=(
            "Needs the pilot. Emulate a device, network or settings; mock or block requests. In all tabs, until reset. "
            "Only what is named changes; 'default' undoes one."
        ),
        args=ConditionsArgs,
        answer=ConditionsAnswer,
        run=set_conditions,
        needs=Needs(pilot=True),
        read_only=False,
        open_world=True,
    ),
)
