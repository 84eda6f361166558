"""`gasoline-cdp mcp`: runs the bridge between an editor and the daemon. Standard library only."""

import sys
from collections.abc import Callable

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.invocation import UsageError, say
from gasoline_cdp.frontends.local.bridge_loop import BridgeLoop, StreamError
from gasoline_cdp.frontends.local.starting import reach


def run_bridge(arguments: list[str], when_refused: Callable[[GasolineError, list[str]], int]) -> int:
    """Run the bridge, and start the daemon with these arguments if there is none. Returns the exit code.

    `when_refused` takes over if no daemon can be started: the editor must still see why.
    """
    try:
        BridgeLoop(lambda: reach(arguments, say), say).run()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except GasolineError as error:
        say(error.message)
        return when_refused(error, arguments)
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    except StreamError as error:
        say(str(error))
        return 1
    return 0
