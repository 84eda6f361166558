"""Registers a module that is imported only if one of its names is used. Standard library only.

For what a library imports in any case, and few daemons need. The standard library's own LazyLoader does not help: the
second `import` of such a module already loads it.
"""

import importlib
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
    package, _, own = name.rpartition(".")
    if package:
        setattr(sys.modules[package], own, module)


def hash_without_openssl() -> None:
    """Let `hashlib` and `hmac` use Python's own functions: those of OpenSSL take 3.5 MB, however little is hashed.

    A Python that was built without its own functions keeps OpenSSL's.
    """
    if "_hashlib" in sys.modules or "hashlib" in sys.modules or not _has_own_hashes():
        return
    # An import of a module that is None fails, and both then do without it.
    sys.modules["_hashlib"] = None  # type: ignore[assignment]
    try:
        for name in ("hashlib", "hmac"):
            importlib.import_module(name)
    finally:
        # Whoever imports it later may have it.
        del sys.modules["_hashlib"]


def _has_own_hashes() -> bool:
    # Python 3.12 made one module of two.
    names = ("_md5", "_sha1", "_sha3", "_blake2", *(("_sha2",) if find_spec("_sha2") else ("_sha256", "_sha512")))
    return all(find_spec(name) for name in names)


def _forget(module: ModuleType) -> None:
    del module.__dict__["__getattr__"]
