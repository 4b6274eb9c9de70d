"""Let the tests of the report find the made-up studies beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
