"""What the process that workers are forks of imports: most of what steps need."""

import gc
import os
import sys

# Arrow's own allocator keeps what it frees: a table's worth in each worker
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

if sys.platform != "darwin":
    # where importing NumPy computes something, and then Apple's libraries fail in a fork
    import bakeoff.fit.run_fit
    import bakeoff.preflight  # noqa: F401

gc.freeze()  # a collection in a worker would copy the pages of all these modules
