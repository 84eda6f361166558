"""Registers a module that is imported only if one of its names is used. Standard library only.

For what a library imports in any case, and few daemons need. The standard library's own LazyLoader does not help: the
second `import` of such a module already loads it.
"""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def defer_import(name: str) -> None:
    """From now on `import name` costs nothing; the module is loaded when somebody asks for one of its names."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    loader = spec.loader

    def load(attribute: str) -> Any:
        if attribute.startswith("__"):
            # Whoever inspects modules asks all of them for such names.
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        _forget(module)
        loader.exec_module(module)
        return getattr(module, attribute)

    # A module's own __getattr__ is called for names that it does not have.
    module.__dict__["__getattr__"] = load
    sys.modules[name] = module


def _forget(module: ModuleType) -> None:
    del module.__dict__["__getattr__"]
