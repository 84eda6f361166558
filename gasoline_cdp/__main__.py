"""`python -m gasoline_cdp`."""

import sys

from gasoline_cdp.frontends.cli import main

sys.exit(main())
