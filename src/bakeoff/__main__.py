"""`python -m bakeoff` is the command `bakeoff`."""

import sys

from bakeoff.cli import main

if __name__ == "__main__":  # who lists the package's modules runs no command
    sys.exit(main())
