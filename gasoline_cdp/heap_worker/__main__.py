"""`python -m gasoline_cdp.heap_worker`: reads commands from standard input until it ends."""

import sys

from gasoline_cdp.heap_worker.server import serve

if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
