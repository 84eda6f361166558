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


_PART = """
import json, sys
from gasoline_cdp.frontends.deferred_imports import defer_import
defer_import("importlib.metadata")
import importlib.metadata
told = ["email" in sys.modules]
told.append(importlib.metadata.version("trio") != "" and "email" in sys.modules)
from importlib import metadata
told.append(metadata is sys.modules["importlib.metadata"])
print(json.dumps(told))
"""


def test_a_part_of_a_package_is_found_in_the_package() -> None:
    done = subprocess.run([sys.executable, "-c", _PART], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, True, True]


_CONNECTING = """
import sys
from gasoline_cdp.frontends.deferred_imports import defer_import, hash_without_openssl
for name in ("ssl", "importlib.metadata"):
    defer_import(name)
hash_without_openssl()
import gasoline_cdp.frontends.serve, gasoline_cdp.cdp.websocket
print(sorted({"_ssl", "_hashlib", "email"} & set(sys.modules)))
"""


def test_what_a_daemon_needs_to_connect_loads_none_of_them() -> None:
    done = subprocess.run([sys.executable, "-c", _CONNECTING], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", "they take 5 MB together"


_HASHES = """
import json, sys
from gasoline_cdp.frontends.deferred_imports import hash_without_openssl
hash_without_openssl()
import hashlib, hmac, random, secrets, trio
told = ["_hashlib" in sys.modules, sorted(hashlib.algorithms_guaranteed - set(dir(hashlib)))]
told.append(hashlib.sha256(b"x").hexdigest() + hmac.new(b"k", b"x", "sha1").hexdigest())
import _hashlib
told.append(_hashlib.openssl_sha256(b"x").hexdigest() + _hashlib.hmac_new(b"k", b"x", "sha1").hexdigest())
print(json.dumps(told))
"""


def test_hashes_are_the_same_without_openssl() -> None:
    done = subprocess.run([sys.executable, "-c", _HASHES], capture_output=True, text=True, check=True)
    loaded, missing, own, openssl = json.loads(done.stdout)
    assert (loaded, missing, done.stderr) == (False, [], "")
    assert own == openssl


def test_a_python_without_hashes_of_its_own_keeps_those_of_openssl() -> None:
    program = (
        "import sys\n"
        "from importlib import util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == '_sha1' else found(name, *more)\n"
        "from gasoline_cdp.frontends.deferred_imports import hash_without_openssl\n"
        "hash_without_openssl()\n"
        "import hashlib\n"
        "print('_hashlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
