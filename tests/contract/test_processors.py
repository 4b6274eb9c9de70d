"""Statistics of the same input agree to 1e-10, whichever processor computes them.

Ranks, ties, draws and texts are the same. OpenBLAS and NumPy choose their loops by the processor
that they find, and the C library its exponentials and logarithms; processes of their own are told
to choose as on others. The kernel Prescott runs on every x86-64 processor of NumPy's; with Haswell
an older one takes the best that it has. On another architecture, or with another BLAS, these
variables choose nothing, and the test shows no more than that two processes agree.
"""

import contextlib
import functools
import io
import itertools
import platform
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

from bakeoff import stats
from bakeoff.__main__ import main
from tests.conftest import agree, called
from tests.contract import test_catalogue as suite

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("processors")]
PROCESSORS = {
    "this one": {},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "without AVX": {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX",
    },
}


def catalogue():
    """Yield every test on every case of its contract, and in every form."""
    for name, entry in suite.CATALOGUE.items():
        cases = suite.cases(entry)
        forms = [
            {option: value}
            for option, facts in entry.options.items()
            for value in suite.words(facts.annotation)
        ]
        if entry.variants is not None:
            blocks = np.arange(len(cases["ordinary"][0])) // 4
            named = entry.variants.groups if "variant" in entry.options else ()
            forms += [{"variant": form, "groups": blocks} for form in named] or [{"groups": blocks}]
        asked = [(case, {}) for case in cases]
        asked += itertools.product(("ordinary", "identical models"), forms)
        for case, form in asked:
            try:
                found = suite.call(entry, cases[case], **form).to_dict()
            except ValueError as error:
                found = str(error)
            yield f"{name}, {case}, {list(form.items())[:1]}", found


def singular():
    """Yield what is drawn from covariances that are singular, or have equal eigenvalues."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    right = rng.random((120, 3)) < 0.8
    said = np.where(right, y[:, None], 1 - y[:, None])
    blocks = np.repeat(np.eye(3, dtype=bool), 40, axis=0)  # uncorrelated, equally good
    tables = {
        "identical": said[:, [0, 1, 1, 2, 2]],
        "opposite": np.column_stack([said, 1 - said]),
        "exchangeable": np.where(blocks, 1 - y[:, None], y[:, None]),
    }
    groups = np.repeat(np.arange(30), 4)
    of_groups = {"groups": groups}
    for (name, table), metric, more in itertools.product(
        tables.items(), ("accuracy", "f1", "mcc"), ({}, of_groups)
    ):
        case = f"{name}, {metric}, {list(more)}"
        yield case, stats.all_pairs("metric_difference", y, table, metric=metric, **more).to_dict()
        yield case, stats.best_models(y, table, metric=metric, **more).to_dict()
    first, second = rng.random((2, 120))
    collinear = np.column_stack([first, second, first + second, 2 * first - second])
    for more in ({}, of_groups):
        yield "collinear", stats.all_pairs("mean_difference", collinear, **more).to_dict()
        yield "collinear", stats.best_by_values(collinear, **more).to_dict()
    parts = np.arange(120) % 4 // 2 + groups % 2
    both = said[:, 0], said[:, 1]
    yield "parts", stats.metric_interaction(y, *both, subgroup=parts, groups=groups).to_dict()
    yield "order", stats.order_dependence(right, labels=groups)
    # means that are equal in decimal
    yield "ties", stats.friedman([[0.1 + 0.2, 0.3, 0.3], [0.7, 0.1 * 7, 0.2]] * 3).to_dict()


def files():
    """Yield every table that a comparison of given predictions writes, and what it prints."""
    rng = np.random.default_rng(1)
    n = 240
    y = rng.integers(0, 2, n)
    table = pd.DataFrame({"id": np.arange(n), "y": np.where(y, "sick", "well")})
    table["patient"] = np.repeat(np.arange(n // 4), 4)
    table["site"] = np.where(table["patient"] % 3 > 0, "north", "south")
    for name, noise in {"logistic": 0.5, "forest": 0.6, "knn": 0.9}.items():
        sick = np.clip(np.round(0.3 + 0.4 * y + noise * (rng.random(n) - 0.5), 3), 0, 1)
        table[f"{name}:sick"], table[f"{name}:well"] = sick, 1 - sick
    table["twin:sick"], table["twin:well"] = table["forest:sick"], table["forest:well"]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        table.to_csv("p.csv", index=False)
        asked = ["compare", "p.csv", "--truth=y", "--subgroups=site", "--json", "--output=out"]
        asked += ["--groups=patient"]
        for more in (
            ["--metric=accuracy", "--metric=roc_auc", "--metric=log_loss"],
            [
                *("--metric=accuracy", "--metric=balanced_accuracy", "--metric=brier"),
                *("--metric=f1", "--set", "independent_rows=true"),
            ],
        ):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                assert main([*asked, *more]) == 0
            yield "printed", said.getvalue()
            yield from ((path.name, path.read_text()) for path in sorted(Path("out").iterdir()))


def chosen():
    """Name the kernels of OpenBLAS that this process uses."""
    return sorted({str(lib.get("architecture")) for lib in threadpool_info()})


@functools.cache
def computed(processor):
    """Return what a process of its own uses and finds, a line each."""
    line = sys.executable, "-m", "tests.contract.test_processors"
    return called(*line, **PROCESSORS[processor]).stdout.splitlines()


@pytest.mark.parametrize("processor", [name for name in PROCESSORS if name != "this one"])
def test_statistics_agree(processor):
    here, there = computed("this one")[1:], computed(processor)[1:]
    assert len(here) > 800
    differ = [(a, b) for a, b in zip(here, there, strict=True) if not agree(a, b)]
    assert not differ, differ[0]


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64") or "None" in chosen(),
    reason="these are kernels of OpenBLAS on x86-64",
)
def test_kernels_were_chosen():
    assert computed("Haswell")[0] != computed("without AVX")[0]


if __name__ == "__main__":
    for case, found in itertools.chain([("kernels", chosen())], catalogue(), singular(), files()):
        sys.stdout.write(f"{case}: {found!r}\n")
