"""How much memory processes hold, what they share counted once."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

MIB = 2**20
_BETWEEN = 0.25  # seconds; a look walks through all pages: more of them would be what is measured


class Watched:
    """The most MiB that a process and those below it held, looked at a few times a second.

    Attributes
    ----------
    main : float
        Of the process itself, resident.
    all : float
        Of all together. A page that several have counts for each in proportion, which is what
        Linux calls PSS.
    """

    def __init__(self, process: psutil.Popen) -> None:
        self.main = self.all = 0.0
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()

    def _watch(self, process: psutil.Popen) -> None:
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.Error):
                own = process.memory_info().rss
                family = [process, *process.children(recursive=True)]
                self.main = max(self.main, own / MIB)
                self.all = max(self.all, sum(map(proportional, family)) / MIB)
            time.sleep(_BETWEEN)


def proportional(process: psutil.Process) -> int:
    """Return the bytes that a process holds, its share of what it has with others; 0 once gone."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    held = dict(line.split(":", 1) for line in lines[1:])
    return int(held["Pss"].split()[0]) * 2**10 if held else 0
