"""`bakeoff claim`: what a published comparison can be worth."""

from __future__ import annotations

import json

import pytest

from bakeoff.cli import main


def said(capsys: pytest.CaptureFixture[str], text: str, code: int = 0) -> str:
    assert main(["claim", *text.split()]) == code
    captured = capsys.readouterr()
    return " ".join((captured.out or captured.err).split())


def test_with_the_agreement_it_hangs_on_the_rounding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "--a", "0.87", "--b", "0.85", "--n", "500", "--agree", "0.90"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "depends on the digits lost by rounding" in said
    assert "do not say" not in said


def test_it_hangs_on_the_disagreement(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "--a 0.87 --b 0.85 --n 500")
    assert "depends on how often the two disagree" in out
    assert "at most 24 rows (4.8%)" in out
    assert "A: 433 to 437; B: 423 to 427" in out


def test_the_better_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "--a 0.60 --b 0.90 --n 1000")
    assert "B is better than A by accuracy on 1,000 rows: every table" in out
    found = json.loads(said(capsys, "--a 0.60 --b 0.90 --n 1000 --json"))
    assert found["better"] == "B"
    assert found["pvalue"][1] < 1e-6


def test_no_table_is_significant(capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not shown" in said(capsys, "--a 0.86 --b 0.85 --n 100")
    assert "Neither is said to be better" in said(capsys, "--a 0.85 --b 0.85 --n 100")


def test_agreement_is_rounded_as_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    known = "--a 0.9650 --b 0.9500 --n 2000 --json --agree"
    ranges = [json.loads(said(capsys, f"{known} {share}"))["pvalue"] for share in (".95", ".9500")]
    (low, high), (exact_low, exact_high) = ranges
    assert low < exact_low
    assert exact_high < high


def test_the_smaller_error_is_better(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "--metric error --a 0.23% --b 0.27% --n 10000")
    assert "A is better than B by error on 10,000 rows" in out
    assert "Rows that are wrong, of 10,000, by the rounding: A: 23; B: 27." in out
    assert "B − A, 95% CI" in out
    errors = json.loads(said(capsys, "--metric error --a 0.13 --b 0.15 --n 500 --json"))
    shares = json.loads(said(capsys, "--a 0.87 --b 0.85 --n 500 --json"))
    assert errors == shares | {"metric": "error"}
    assert "8 (0.13333) or 7 (0.11667)" not in said(
        capsys, "--metric error --a .127 --b .15 --n 60"
    )
    assert "7 (0.11667) or 8 (0.13333)" in said(capsys, "--metric error --a .127 --b .15 --n 60")
    assert "Are these error rates?" in said(capsys, "--a 0.23% --b 0.27% --n 10000")
    assert "Are these" not in said(capsys, "--a 0.6 --b 0.4 --n 1000")


def test_impossible_numbers_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "--a 0.873 --b 0.85 --n 60")
    assert "A: no whole number of 60 rows gives 0.873" in out
    assert "52 (0.86667) or 53 (0.88333)" in out
    assert "cannot agree" in said(capsys, "--a .85 --b .81 --n 100 --agree .99")


def test_of_areas_and_f1_scores_less_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    area = "--metric roc_auc --a 0.91 --b 0.88 --n 200 --positives 60"
    assert "correlated by 0.86 or more" in said(capsys, area)
    assert json.loads(said(capsys, f"{area} --json"))["impossible"] == []
    f1 = "--metric f1 --a 0.8 --b 0.85 --n 100 --positives 20"
    assert "no p-value follows" in said(capsys, f1)
    assert json.loads(said(capsys, f"{f1} --json"))["models"]["A"]["possible"]
    assert "No table of predictions" in said(
        capsys, "--metric f1 --a 0.99 --b 0.8 --n 20 --positives 10"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--a 87 --b .8 --n 10", "--a: found '87'"),
        ("--a .8 --b x --n 10", "--b: found 'x'"),
        ("--a .8 --b .7 --n 0", "--n: found 0"),
        ("--a .8 --b .7 --n 10 --alpha 2", "--alpha: found 2.0"),
        ("--a .8 --b .7 --n 10 --power 0", "--power: found 0"),
        ("--a .8 --b .7 --n 10 --agree 2", "--agree: found '2'"),
        ("--a .83 --b .7 --n 10 --digits 1", "--digits: found 1"),
        ("--a .8 --b .7 --n 10 --metric f1", "--positives: f1 needs"),
        ("--a .8 --b .7 --n 10 --metric roc_auc --positives 10", "--positives: roc_auc needs"),
        ("--a .8 --b .7 --n 10 --metric f1 --positives 5 --agree .9", "--agree: says nothing"),
        ("--a .8 --b .7 --n 10 --metric f1 --positives 5 --power .9", "--power: says nothing"),
        ("--a .8 --b .7 --n 10 --positives 5", "--positives: goes with"),
        ("--a 5.1 --b 5.3 --n 10 --metric rmse", "p-value, because the variance"),
        ("--a .8 --b .7 --n 10 --metric mcc", "--metric: unknown metric 'mcc'"),
    ],
)
def test_mistakes_are_told(capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    assert message in said(capsys, text, 2)


def test_means_over_folds_or_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "--a 0.87±0.02 --b 0.85+-0.02 --repeats 10 --folds 10")
    assert "correlated by 0.54 or more over the same folds" in out
    assert "p from < .001 to .689" in out
    out = said(capsys, "--a 87.0±0.2% --b 85.0±0.4% --repeats 5")
    assert "differ at the 5% level, however the two models vary together" in out
    assert "say nothing about other rows" in out
    found = json.loads(said(capsys, "--a 0.871±0.000 --b 0.860±0.2 --repeats 3 --json"))
    assert found["correlation_needed"] is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--a 0.87 --b 0.85", "--n: give the rows of the test set; or, for means"),
        ("--a 0.87±0.02 --b 0.85 --repeats 5", "--b: found '0.85', expected a mean and a"),
        ("--a 0.87±0.02 --b 0.85±0.1", "--repeats: give the number of scores"),
        ("--a 0.87±0.02 --b 0.85±0.1 --repeats 12 --folds 5", "expected a multiple of the 5 folds"),
        ("--a 0.87±x --b 0.85±0.1 --repeats 12", "--a: found 'x', expected a number"),
        ("--a 0.87±0.1 --b 0.85±0.1 --repeats 12 --n 50", "--n: says nothing about means"),
        (
            "--a .87±.1 --b .85±.1 --repeats 9 --variant exact",
            "--variant: says nothing about means",
        ),
        ("--a 0.87±0.1 --b 0.85±0.1 --repeats 1", "--repeats: "),
    ],
)
def test_wrong_means(capsys: pytest.CaptureFixture[str], options: str, told: str) -> None:
    assert main(["claim", *options.split()]) == 2
    assert told in " ".join(capsys.readouterr().err.split())
