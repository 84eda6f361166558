"""Watches the browsers that Playwright for Python starts, with pytest-playwright or without.

The public methods of its classes are wrapped, in the process of the tests only: so no fixture of a project has to
change, and those that a project overrides still work.
"""

from collections.abc import Callable
from functools import wraps
from inspect import isawaitable
from pathlib import Path
from types import ModuleType
from typing import Any

from gasoline_cdp.frontends.pytest_plugin.endpoints import endpoint_of, read_endpoint, with_port
from gasoline_cdp.frontends.pytest_plugin.watcher import ContextAddress, Watcher

_PROCESSES = "SystemInfo.getProcessInfo"
_CONTEXTS = "Target.getBrowserContexts"
Method = Callable[..., Any]


class Watched:
    """A browser that the daemon watches."""

    def __init__(self, name: str, session: Any) -> None:
        self.name = name
        self.session = session


class PlaywrightBrowsers:
    """Wraps the classes of one of Playwright's two interfaces. Sync methods and coroutines differ only in waiting."""

    def __init__(self, watcher: Watcher, module: ModuleType) -> None:
        self._watcher = watcher
        self._watched: dict[object, Watched] = {}
        self._is_async = module.__name__.endswith("async_api")
        self._undo: list[Callable[[], None]] = []
        self._wrap(module.BrowserType, "launch", self._launch)
        self._wrap(module.BrowserType, "launch_persistent_context", self._launch_persistent)
        self._wrap(module.Browser, "new_context", self._new_context)
        # It makes a context, too, without the method above.
        self._wrap(module.Browser, "new_page", self._new_page)

    def undo(self) -> None:
        """Leave the classes as they were."""
        for restore in self._undo:
            restore()

    def _wrap(self, owner: Any, name: str, around: Callable[..., Any]) -> None:
        original: Method = getattr(owner, name)

        @wraps(original)
        def wrapper(this: Any, *args: Any, **options: Any) -> Any:
            if self._watcher.daemon.gone is not None:
                return original(this, *args, **options)
            steps = around(original, this, args, options)
            return drive_async(steps) if self._is_async else drive(steps)

        setattr(owner, name, wrapper)
        self._undo.append(lambda: setattr(owner, name, original))

    # Each of these is a generator that yields what has to be waited for: calls of Playwright, as functions.

    def _launch(self, original: Method, this: Any, args: Any, options: dict[str, Any]) -> Any:
        is_chromium = this.name == "chromium"
        if is_chromium:
            options = {**options, "args": with_port(options.get("args"))}
        browser = yield lambda: original(this, *args, **options)
        if is_chromium:
            yield from self._quietly(self._watch(browser))
        return browser

    def _watch(self, browser: Any) -> Any:
        session = yield browser.new_browser_cdp_session
        processes = yield lambda: session.send(_PROCESSES)
        contexts = yield lambda: session.send(_CONTEXTS)
        name = self._watcher.add_browser(endpoint_of(processes), contexts["browserContextIds"])
        if name is not None:
            self._watched[browser] = Watched(name, session)
            browser.on("disconnected", lambda *_: self._watched.pop(browser, None))

    def _launch_persistent(self, original: Method, this: Any, args: Any, options: dict[str, Any]) -> Any:
        directory = args[0] if args else options.get("user_data_dir")
        watched = this.name == "chromium" and bool(directory)
        if watched:
            options = {**options, "args": with_port(options.get("args"))}
        context = yield lambda: original(this, *args, **options)
        if watched:
            yield from self._quietly(self._watch_persistent(context, Path(str(directory))))
        return context

    def _watch_persistent(self, context: Any, directory: Path) -> Any:
        name = self._watcher.add_browser(read_endpoint(directory), [])
        if name is None:
            return
        page = context.pages[0] if context.pages else (yield context.new_page)
        session = yield lambda: context.new_cdp_session(page)
        target = yield lambda: session.send("Target.getTargetInfo")
        yield session.detach
        self._opened(
            context, lambda: self._watcher.open(context, ContextAddress(name, target["targetInfo"]["browserContextId"]))
        )

    def _new_context(self, original: Method, this: Any, args: Any, options: dict[str, Any]) -> Any:
        context = yield lambda: original(this, *args, **options)
        yield from self._quietly(self._adopt(this, context))
        return context

    def _new_page(self, original: Method, this: Any, args: Any, options: dict[str, Any]) -> Any:
        page = yield lambda: original(this, *args, **options)
        yield from self._quietly(self._adopt(this, page.context))
        return page

    def _adopt(self, browser: Any, context: Any) -> Any:
        if (watched := self._watched.get(browser)) is None:
            return
        listed = yield lambda: watched.session.send(_CONTEXTS)
        self._opened(context, lambda: self._watcher.add_contexts(context, watched.name, listed["browserContextIds"]))

    def _opened(self, context: Any, announce: Callable[[], None]) -> None:
        context.on("close", lambda *_: self._watcher.forget(context))
        announce()

    def _quietly(self, steps: Any) -> Any:
        """Run the steps. Whatever fails in them is told, and is no failure of the test."""
        try:
            yield from steps
        except Exception as error:  # noqa: BLE001 - the tests are not ours to fail
            self._watcher.warn(f"{type(error).__name__}: {str(error)[:200]}")


def drive(steps: Any) -> Any:
    """Run a generator of calls that block."""
    send, value = steps.send, None
    try:
        while True:
            call = send(value)
            send, value = steps.send, None
            try:
                value = call()
            except Exception as error:  # noqa: BLE001 - it goes to where it was asked for
                send, value = steps.throw, error
    except StopIteration as end:
        return end.value


async def drive_async(steps: Any) -> Any:
    """Run a generator of calls, and await what they return if it has to be."""
    send, value = steps.send, None
    try:
        while True:
            call: Callable[[], Any] = send(value)
            send, value = steps.send, None
            try:
                value = call()
                if isawaitable(value):
                    value = await value
            except Exception as error:  # noqa: BLE001 - it goes to where it was asked for
                send, value = steps.throw, error
    except StopIteration as end:
        return end.value
