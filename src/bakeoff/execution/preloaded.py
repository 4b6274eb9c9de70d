"""What the process that workers are forks of imports: most of what steps need."""

import gc
import sys

from bakeoff.execution.worker import return_freed_memory

return_freed_memory()
# on macOS importing NumPy starts libraries of Apple that fail in a fork: there each worker imports
if sys.platform != "darwin":
    import bakeoff.fit.run_fit
    import bakeoff.preflight  # noqa: F401

gc.freeze()  # a collection in a worker would copy the pages of all these modules
