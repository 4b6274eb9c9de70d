"""No mistake in a file or on a command line ends in a traceback."""

import warnings
from functools import partial

import pandas as pd
import pytest

from tests import broken_input


@pytest.mark.slow
@pytest.mark.parametrize("kind", broken_input.KINDS)
def test_mistakes_drawn_at_random_end_in_a_message(kind, in_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as at the command line, where none stops a command
        found = [(line, why) for line, why in broken_input.attempts(kind, 60, seed=1) if why]
    assert not found


@pytest.mark.parametrize(
    ("file", "damage", "options", "said"),
    [
        ("t.feather", (b"xyzt", b"\xc1yzt"), (), "t.feather"),
        ("t.parquet", (b"xyzt", b"\xc1yzt"), (), "t.parquet"),
        ("t.csv.gz", (b"", b""), (), "t.csv.gz"),
        ("t.csv", (b",A,B", b",,"), ("--groups", "A"), "groups: … column 'A'"),
    ],
)
def test_damaged_tables_are_named(refused, tmp_path, file, damage, options, said):
    path = tmp_path / file
    table = pd.DataFrame({"id": range(40), "A": ["xyzt"] * 40, "B": ["0.5"] * 40})
    suffix = file.partition(".")[2]
    writers = {"feather": table.to_feather, "parquet": partial(table.to_parquet, compression=None)}
    writers.get(suffix, partial(table.to_csv, index=False))(path)
    data = path.read_bytes().replace(*damage)
    path.write_bytes(data[:20] + b"\xff" * 20 + data[40:] if suffix == "csv.gz" else data)
    refused("compare", str(path), "--values", "higher", *options, said=said)


def test_bytes_that_are_no_text_are_named(refused, tmp_path):
    pd.DataFrame({"x": range(9), "y": list("abcabcabc")}).to_csv(tmp_path / "t.csv")
    line = ["init", str(tmp_path / "t.csv"), "--target", "y", "-o", "-", "--target", "\udcff"]
    refused(*line, said="surrogates not allowed")
