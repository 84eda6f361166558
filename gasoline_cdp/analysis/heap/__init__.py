"""Heap snapshots: read, understood as DevTools understands them, and compared.

Everything here imports numpy. Only the process that analyses a snapshot imports this package, never the daemon.
"""

import os

# numpy brings a library for linear algebra, which starts a thread with memory of its own for every core. None is used.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
