"""Watches the browsers that Selenium starts by chromedriver or msedgedriver: they tell where they listen."""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from gasoline_cdp.frontends.pytest_plugin.endpoints import endpoint_at
from gasoline_cdp.frontends.pytest_plugin.watcher import ContextAddress, Watcher

_OPTIONS = ("goog:chromeOptions", "ms:edgeOptions")


class SeleniumDrivers:
    """Wraps the methods of WebDriver that begin and end a session."""

    def __init__(self, watcher: Watcher, module: ModuleType) -> None:
        self._watcher = watcher
        self._undo: list[Callable[[], None]] = []
        self._wrap(module.WebDriver, "start_session", after=self._started)
        self._wrap(module.WebDriver, "quit", after=lambda driver: self._watcher.forget(id(driver)))

    def undo(self) -> None:
        """Leave the class as it was."""
        for restore in self._undo:
            restore()

    def _wrap(self, owner: Any, name: str, after: Callable[[Any], None]) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        @wraps(original)
        def wrapper(driver: Any, *args: Any, **options: Any) -> Any:
            result = original(driver, *args, **options)
            self._watcher.quietly(lambda: after(driver))
            return result

        setattr(owner, name, wrapper)
        self._undo.append(lambda: setattr(owner, name, original))

    def _started(self, driver: Any) -> None:
        options = [driver.caps[name] for name in _OPTIONS if name in driver.caps]
        address = options[0].get("debuggerAddress") if options else None
        if address is None or not hasattr(driver, "execute_cdp_cmd"):
            # Another browser, or one on another machine.
            return
        name = self._watcher.add_browser(endpoint_at(address), [])
        if name is not None:
            target = driver.execute_cdp_cmd("Target.getTargetInfo", {})["targetInfo"]
            self._watcher.open(id(driver), ContextAddress(name, target["browserContextId"]))
