"""Results in a storage such as S3: paths for the steps, and unsupported options."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError
from bakeoff.spec import Experiment


class Storage:
    """The location of results: the folder, or Snakemake's default storage.

    Parameters
    ----------
    stored : callable
        Return the object of the storage that a result is, or None without a storage.
    """

    def __init__(self, stored: Callable[[str], Any]) -> None:
        self._stored = stored

    @property
    def elsewhere(self) -> bool:
        """Whether results are not in the folder: a step has copies of what its rule names."""
        return self._stored("any") is not None

    def copy_of(self, path: str) -> str:
        """Return where a step finds a result or leaves it."""
        stored = self._stored(path)
        return path if stored is None else str(stored.local_path())

    def address(self, path: str) -> str:
        """Return the path or the address of a result."""
        stored = self._stored(path)
        return path if stored is None else str(stored.query)

    def has(self, path: str) -> bool:
        """Tell whether a result is there."""
        stored = self._stored(path)
        return Path(path).is_file() if stored is None else asyncio.run(stored.managed_exists())

    def check(self, path: str) -> None:
        """Make sure that the storage answers, before Snakemake asks it for every file at once.

        Raises
        ------
        UserError
            It does not, or lets nobody in.
        """
        try:
            self.has(path)
        except Exception as error:  # each storage has its own
            why = " ".join(str(error).split())
            raise UserError(f"--default-storage-provider: {self.address(path)}: {why}") from None

    def fetched(self, path: str) -> str:
        """Return where a result can be read, after it was copied if that is needed."""
        stored = self._stored(path)
        if stored is not None:
            asyncio.run(stored.managed_retrieve())
        return self.copy_of(path)


def check_stored(experiment: Experiment) -> None:
    """Refuse what leaves files that no rule names: a storage would never be given them.

    Raises
    ------
    UserError
        The keys, and what to say instead.
    """
    refused = list(_not_stored(experiment))
    if refused:
        raise UserError("\n".join(f"--default-storage-provider: {problem}" for problem in refused))


def _not_stored(experiment: Experiment) -> Iterator[str]:
    seeds = {model: experiment.seeds(model) for model in experiment.fitted}
    if experiment.execution.jobs_per == "model" and len(set(seeds.values())) > 1:
        found = ", ".join(f"{model} {count}" for model, count in seeds.items())
        yield (
            f"execution.jobs_per: found model, and models with different numbers of `seeds:` "
            f"({found}), whose batches leave different files; write `jobs_per: dataset` or `fold`"
        )
    for name, model in experiment.fitted.items():
        if model.keep:
            yield (
                f"models.{name}.keep: found true, and fitted models are kept beside the "
                "predictions on this machine's disk alone; leave it out"
            )
