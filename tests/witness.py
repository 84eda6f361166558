"""An independent client beside the daemon, in a process of its own: opens an address with pychrome.

python tests/witness.py PORT URL
"""

import os
import sys

import pychrome


def main() -> None:
    tab = pychrome.Browser(url=f"http://127.0.0.1:{sys.argv[1]}").new_tab()
    tab.start()
    tab.call_method("Page.navigate", url=sys.argv[2], _timeout=60)
    sys.stdout.write(tab.id)
    sys.stdout.flush()
    # pychrome's thread does not end quietly.
    os._exit(0)


if __name__ == "__main__":
    main()
