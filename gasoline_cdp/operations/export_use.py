"""The export to an OpenTelemetry backend, made from what a person asked for. Only a daemon that exports imports it."""

import os
from collections.abc import Iterator, Sequence

from gasoline_cdp import __version__
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.context import Context
from gasoline_cdp.otel.commit import commit_of
from gasoline_cdp.otel.export import BatchSender, Export, HeapSize, Sources
from gasoline_cdp.otel.signals import Origin, Value


def make_export(context: Context, endpoint: str, headers: Sequence[tuple[str, str]]) -> Export:
    """An export of everything that a daemon stores."""
    commit = commit_of(context.directory, os.environ)

    def open_sender() -> BatchSender:
        # Imported in a thread, and only here: it takes longer than all of our own modules.
        from gasoline_cdp.otel.sending import OtlpSender  # noqa: PLC0415 - as above

        return OtlpSender(endpoint, headers)

    def describe(origin: Origin) -> dict[str, Value]:
        return resource_of(origin, next(_browsers(context, origin.browser_id), None), commit)

    def heaps() -> Iterator[HeapSize]:
        for tab in context.tabs.open():
            if samples := context.memory.of(tab):
                yield HeapSize(tab.source, samples[-1].ts, samples[-1].used)

    sources = Sources(
        describe=describe,
        test_of=context.boundaries.test_of,
        pending=context.capture.pending_requests,
        heaps=heaps,
    )
    return Export(context.telemetry, endpoint, open_sender, sources)


def resource_of(origin: Origin, browser: BrowserStatus | None, commit: str) -> dict[str, Value]:
    """The resource attributes of an origin."""
    name, _, version = (browser.version if browser else "").partition("/")
    attributes = {
        "telemetry.distro.name": "gasoline-cdp",
        "telemetry.distro.version": __version__,
        "user_agent.name": name,
        "user_agent.version": version,
        "gasoline.browser.id": origin.browser_id,
        "test.case.name": origin.test_id,
        "vcs.ref.head.revision": commit,
    }
    return {key: value for key, value in attributes.items() if value}


def _browsers(context: Context, browser_id: str) -> Iterator[BrowserStatus]:
    return (one for one in (context.browser, *context.browsers) if one.browser_id == browser_id)
