"""`gasoline-cdp heap --save` and `--load`: snapshots from the running daemon to a file, and back."""

from pathlib import Path

from gasoline_cdp import memory_limits
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.frontends.cli.comparing import ask_daemon

# The daemon gives up before.
_SECONDS = memory_limits.HEAP_SECONDS + 10


def run_save(path: Path, of: str | None) -> int:
    """Take a snapshot of the page used last, or of its frame or worker."""
    question = {"want": "save_heap", "path": str(path.absolute()), **({"of": of} if of else {})}
    data = ask_daemon(question, seconds=_SECONDS)
    print(f"Wrote {path} ({size(data['bytes'])}): {data['summary']} It holds every text of the page, secrets too.")
    return 0


def run_load(path: Path, name: str) -> int:
    """Have the daemon keep the snapshot of a file, so that assistants can ask about it."""
    data = ask_daemon({"want": "load_heap", "path": str(path.absolute()), "name": name}, seconds=_SECONDS)
    print(f"Loaded {data['objects']:,} objects. An assistant asks about them: ", end="")
    print(f"analyze(action='memory', scope='classes', name={name!r}).")
    if data.get("dropped"):
        print(f"Dropped to make room: {', '.join(data['dropped'])}.")
    return 0
