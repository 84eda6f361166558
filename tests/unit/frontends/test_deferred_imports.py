"""A deferred module is loaded by the first use of one of its names, and by nothing else."""

import json
import subprocess
import sys

from gasoline_cdp.frontends.deferred_imports import defer_import

_PROGRAM = """
import json, sys
from gasoline_cdp.frontends.deferred_imports import defer_import
defer_import("ssl")
import ssl
import trio
told = ["_ssl" in sys.modules, hasattr(ssl, "__path__"), "_ssl" in sys.modules]
told.append(ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED)
told.append("_ssl" in sys.modules)
defer_import("ssl")
told.append(ssl is sys.modules["ssl"])
print(json.dumps(told))
"""


def test_a_library_that_trio_imports_is_loaded_when_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, False, False, True, True, True]


def test_what_is_loaded_or_does_not_exist_is_left_alone() -> None:
    defer_import("json")
    assert sys.modules["json"] is json
    defer_import("no_such_module_at_all")
    assert "no_such_module_at_all" not in sys.modules
