# ruff: noqa: INP001 - hatchling runs it as a file
"""Compiles the heap kernel when the package is built, if there is a C compiler; without one the package stays pure.

hatchling runs this (pyproject.toml). An editable install gets the library beside its source, a wheel gets it inside.
"""

import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# As in native.py there, which cannot be imported without what the package needs.
KERNEL_NAME = "_kernel.native"
_PLACE = Path("gasoline_cdp", "analysis", "heap")
_FLAGS = ("-O3", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-s")


class KernelBuildHook(BuildHookInterface[Any]):
    """Adds the compiled kernel to what is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the build."""
        if self.target_name != "wheel":
            return
        place = Path(self.root, _PLACE)
        self._scratch = tempfile.TemporaryDirectory(prefix="kernel-")
        built = Path(self._scratch.name, KERNEL_NAME)
        problem = compile_kernel(place / "kernel.c", built)
        if problem:
            self.app.display_warning(f"The heap kernel was not compiled; analyses will be slower. {problem}")
        elif version == "editable":
            # In one step, since a program may be using the one that is there.
            beside = place / f"{KERNEL_NAME}.new"
            shutil.copy(built, beside)
            beside.replace(place / KERNEL_NAME)
        else:
            build_data["force_include"][str(built)] = (_PLACE / KERNEL_NAME).as_posix()
            build_data["pure_python"] = False
            # It knows nothing of Python, so one wheel serves every version on this platform.
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Clean up after the build."""
        if self.target_name == "wheel":
            self._scratch.cleanup()


def compile_kernel(source: Path, into: Path) -> str:
    """Compile; returns why that is not possible, or nothing."""
    named = os.environ.get("CC")
    compiler = shlex.split(named) if named else [shutil.which(name) for name in ("cc", "gcc", "clang")]
    command = compiler if named else [name for name in compiler if name][:1]
    if not command:
        return "There is no C compiler."
    text = source.read_bytes()
    made_from = f"{zlib.crc32(text):08x}-{len(text)}"
    try:
        done = subprocess.run(  # noqa: S603 - the compiler of whoever builds this
            [*command, *_FLAGS, f'-DSOURCE_HASH="{made_from}"', "-o", str(into), str(source)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        return f"{command[0]} did not start: {error}."
    return "" if done.returncode == 0 else f"{command[0]} failed: {done.stderr.strip()[-300:]}"
