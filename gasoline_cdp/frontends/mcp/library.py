"""Imports the MCP library without the parts that a server like ours never uses.

Its packages `mcp` and `mcp.server` import everything when any of their modules is imported: the client, an HTTP client,
a cryptography library, a web server and a command-line parser. That is 14 of 36 MB, and a third of the time. We need
only `mcp.server.lowlevel`, which needs nothing of these. So we register both packages without running their own
`__init__` files. Such a file runs when somebody asks for a name that it would define. Whoever imports the library
later, in whatever way, gets it complete.
"""

import importlib
import logging
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from typing import Any

log = logging.getLogger(__name__)

_PACKAGES = ("mcp", "mcp.server")
# The library's event streams import it to hook into it if it serves. Here it does not, and they work without it.
_NOT_OURS = "uvicorn"


def import_library() -> None:
    """Import what we use of the MCP library. If the short import fails, the ordinary import still works."""
    if "mcp" in sys.modules:
        return
    try:
        _import_needed()
    except Exception:
        # The library has changed in a way that we did not foresee. The ordinary import still works.
        log.warning("the MCP library could not be imported the short way", exc_info=True)
        for name in [name for name in sys.modules if name == "mcp" or name.startswith("mcp.")]:
            del sys.modules[name]


def _import_needed() -> None:
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is None:
            raise ImportError(name)
        _install_lazily(spec)
    absent = _NOT_OURS not in sys.modules
    if absent:
        # In Python this means "cannot be imported".
        sys.modules[_NOT_OURS] = None  # type: ignore[assignment]
    try:
        importlib.import_module("mcp.server.lowlevel")
        importlib.import_module("mcp.server.streamable_http_manager")
    finally:
        if absent:
            del sys.modules[_NOT_OURS]


def _install_lazily(spec: ModuleSpec) -> None:
    """Register a package whose submodules can be imported. Its own file runs when one of its names is needed."""
    package = module_from_spec(spec)

    def complete(name: str) -> Any:
        if name.startswith("__"):
            # The import system asks for these names, and the file would not define them.
            raise AttributeError(name)
        if find_spec(f"{spec.name}.{name}") is not None:
            return importlib.import_module(f"{spec.name}.{name}")
        vars(package).pop("__getattr__", None)
        if spec.loader is not None:
            spec.loader.exec_module(package)
        return getattr(package, name)

    vars(package)["__getattr__"] = complete
    sys.modules[spec.name] = package
    parent, _, own = spec.name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, package)
