"""Imports the MCP library without those of its parts that a server like ours never uses.

Its packages `mcp` and `mcp.server` import everything when any of their modules is: the client, an HTTP client, a
cryptography library, a web server and a command-line parser. That is 14 of 36 MB, and a third of the time. What we need
stands below these two packages, in `mcp.server.lowlevel`, which needs nothing of theirs. So they are put in place as
they are on disk, and only their own file is not run yet: it runs when somebody asks for a name that it would define.
Whoever imports the library later, in whatever way, finds it complete.
"""

import importlib
import logging
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from typing import Any

log = logging.getLogger(__name__)

_PACKAGES = ("mcp", "mcp.server")
# Imported by the library's event streams to hook into it if it serves; here it does not. They go without it.
_NOT_OURS = "uvicorn"


def import_library() -> None:
    """Import what we use of the MCP library. If the short way does not work any more, the ordinary import is left."""
    if "mcp" in sys.modules:
        return
    try:
        _import_needed()
    except Exception:
        # A library that has changed in ways we did not foresee; the long way still works.
        log.warning("the MCP library could not be imported the short way", exc_info=True)
        for name in [name for name in sys.modules if name == "mcp" or name.startswith("mcp.")]:
            del sys.modules[name]


def _import_needed() -> None:
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is None:
            raise ImportError(name)
        _put_in_place(spec)
    absent = _NOT_OURS not in sys.modules
    if absent:
        # What the language has for "cannot be imported".
        sys.modules[_NOT_OURS] = None  # type: ignore[assignment]
    try:
        importlib.import_module("mcp.server.lowlevel")
        importlib.import_module("mcp.server.streamable_http_manager")
    finally:
        if absent:
            del sys.modules[_NOT_OURS]


def _put_in_place(spec: ModuleSpec) -> None:
    """A package whose submodules can be imported, and whose own file runs when its names are asked for."""
    package = module_from_spec(spec)

    def complete(name: str) -> Any:
        if name.startswith("__"):
            # Asked for by the import system itself, and nothing that the file would define.
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
