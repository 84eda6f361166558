"""One headless Chromium that tests and benchmarks attach to."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import chrome_flags

# Puts the pipe where Chrome looks for it. In a process of its own, since the run has threads when it is split in two.
_WITH_PIPE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(os.open(os.devnull, os.O_WRONLY), 4)
for end in (3, 4):
    os.set_inheritable(end, True)
os.execv(sys.argv[2], sys.argv[2:])
"""


@contextmanager
def open_chromium() -> Iterator[str]:
    """Its debugging address. It ends with the block, and with this process however that ends."""
    profile = Path(tempfile.mkdtemp(prefix="gasoline-tests-"))
    flags = chrome_flags(profile=profile, headless=True, pipe=True, debug_port=0, no_sandbox=True, small_shm=True)
    # Nobody speaks on the pipe: it is there because Chrome goes when it closes, however the run ends.
    chrome_reads, ours = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", _WITH_PIPE, str(chrome_reads), str(find_browser()), *flags],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=[chrome_reads],
    )
    os.close(chrome_reads)
    try:
        assert process.stderr is not None
        # Nobody reads on once Chrome has said where it listens: leave room for all that it says in a run.
        fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 1024 * 1024)
        listening = next(line for line in process.stderr if b"DevTools listening on" in line)
        yield listening.split()[-1].decode()
    finally:
        os.close(ours)
        os.killpg(process.pid, 9)
        process.wait()
        if process.stderr:
            process.stderr.close()
        shutil.rmtree(profile, ignore_errors=True)
