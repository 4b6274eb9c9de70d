"""Import what registers itself, so that pytest finds it made.

With ``--import-mode=importlib`` pytest executes a module anew whose package imported it on the way:
``pytest src/bakeoff/stats/metrics/differences.py`` alone would register its tests twice.
"""

import bakeoff.scores
import bakeoff.stats  # noqa: F401
