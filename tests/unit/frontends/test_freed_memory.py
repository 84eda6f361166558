"""What a daemon gives back to the system, in a process of its own: the collector is told once and for all."""

import json
import subprocess
import sys

_PROGRAM = """
import gc, json
from gasoline_cdp.frontends import freed_memory
trimmed = []
freed_memory._trim = lambda: trimmed.append(1)
freed_memory.settle_memory()
freed_memory.settle_memory()
told = [len(trimmed), gc.get_freeze_count() > 1000, gc.callbacks.count(freed_memory._after_collection)]
gc.collect(0)
gc.collect(1)
told.append(len(trimmed))
gc.collect()
print(json.dumps([*told, len(trimmed)]))
"""


def test_pages_go_back_when_all_was_looked_at() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    # The second call of settle_memory collects, which trims once more.
    assert json.loads(done.stdout) == [3, True, 1, 3, 4]
