"""`python -m gasoline_cdp`."""

import sys

from gasoline_cdp.frontends.entry import main

sys.exit(main())
