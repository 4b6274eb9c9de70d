"""`python -m bakeoff` is the command `bakeoff`."""

import sys

from bakeoff.cli import main

sys.exit(main())
