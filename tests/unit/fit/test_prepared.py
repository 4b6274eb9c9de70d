"""Large tables are prepared in parts, to the same bits, and each selection of rows is made once."""

import gc
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from bakeoff.data.target import Classes
from bakeoff.fit import prepared, train
from bakeoff.fit.assemble import assemble
from bakeoff.fit.train import TrainingPart
from bakeoff.seeds import derive
from bakeoff.spec.models import Model

BAYES = "sklearn.naive_bayes.GaussianNB"
BOOSTING = "sklearn.ensemble.GradientBoostingClassifier"  # imputed, not scaled
SEED = derive(1, "fit")


def model(estimator=BAYES, **keys):
    return Model.model_validate({"estimator": estimator, **keys})


def numbers(n=1003, width=7):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((n, width)) * rng.lognormal(size=width) * 1e3 + 100
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(width)])


def frames():
    whole = numbers()
    yield "complete", whole
    yield "counts", whole.astype({"x1": "int64", "x3": "int8", "x4": "int32"})
    yield "constant", whole.assign(x3=0.1)
    lacking = whole.copy()
    lacking.iloc[::7, 2] = lacking.iloc[::5, 4] = np.nan
    yield "lacking", lacking
    yield "empty", lacking.assign(x6=np.nan)
    yield "later", whole.assign(x1=whole["x1"].where(np.arange(len(whole)) < 900))
    for width in (1, 2, 3):
        yield f"width {width}", numbers(2000, width)


def bits(values):
    """Bring what was fitted or made to what can be compared: bytes and layout of arrays."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.dtype, values.shape, values.strides, values.tobytes("A")
    if hasattr(values, "get_params"):
        return {name: bits(value) for name, value in vars(values).items()}
    return type(values), repr(values)


@pytest.fixture(params=[64, 300, 1000])
def in_parts(request, monkeypatch):
    monkeypatch.setattr(prepared, "CELLS", request.param)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("estimator", [BAYES, BOOSTING])
@pytest.mark.parametrize("frame", [pytest.param(f, id=name) for name, f in frames()])
def test_parts_make_the_bits_that_scikit_learn_makes(estimator, frame):
    X, tested = frame.iloc[:800], frame.iloc[700:]
    y = np.arange(800) % 2
    ours = assemble(model(estimator), X, SEED)
    theirs = clone(ours)
    assert isinstance(ours, Pipeline)
    made = prepared.fit_before_last(ours, X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column without values has no mean
        assert bits(made) == bits(theirs[:-1].fit_transform(X, y))
    for (_, one), (_, other) in zip(ours.steps[:-1], theirs.steps[:-1], strict=True):
        assert bits(one) == bits(other)
    assert bits(prepared.prepared(ours, tested)) == bits(theirs[:-1].transform(tested))


@pytest.mark.usefixtures("in_parts")
def test_no_step_gets_more_than_a_part(monkeypatch):
    frame, sizes = numbers(), []

    def noted(name, kind):
        function = getattr(kind, name)

        def noting(self, X, *rest, **options):
            sizes.append(X.size)
            return function(self, X, *rest, **options)

        monkeypatch.setattr(kind, name, noting)

    for kind in prepared._IN_PARTS[1]:
        noted("fit", kind)
        noted("transform", kind)
    estimator = assemble(model(), frame, SEED)
    made = prepared.fit_before_last(estimator, frame, np.arange(len(frame)) % 2)
    # two columns at least, and rows without a remainder
    assert max(sizes) <= max(3 * len(frame), 2 * prepared.CELLS)
    assert max(sizes) < made.size


def test_what_others_see_to_is_not_prepared_in_parts(monkeypatch):
    monkeypatch.setattr(prepared, "CELLS", 64)
    frame = numbers()
    in_single = frame.astype("float32")
    texts = frame.assign(text="a")
    own = model(preprocessing=[{"estimator": "sklearn.preprocessing.StandardScaler"}])
    for entry, X in ((own, frame), (model(), in_single), (model(), texts)):
        estimator = assemble(entry, X, SEED)
        assert not prepared._works_in_parts(estimator, X)
    assert prepared.prepared(GaussianNB(), frame) is frame


@pytest.mark.parametrize("cells", [64, prepared.CELLS])
def test_rows_are_selected_once_and_gone_while_the_model_learns(monkeypatch, cells):
    monkeypatch.setattr(prepared, "CELLS", cells)
    frame, selected, alive = numbers(), [], []
    select = TrainingPart.X.fget
    learn = GaussianNB.fit

    def noting(part):
        found = select(part)
        selected.append(weakref.ref(found))
        return found

    def learning(self, X, *rest, **options):
        gc.collect()
        alive.append(sum(one() is not None for one in selected))
        return learn(self, X, *rest, **options)

    monkeypatch.setattr(TrainingPart, "X", property(noting))
    monkeypatch.setattr(GaussianNB, "fit", learning)
    rows = np.arange(0, len(frame), 2)
    train.train(
        model(), TrainingPart(frame, Classes(("no", "yes")).encoded(rows % 3 % 2), rows=rows), SEED
    )
    assert (len(selected), alive) == (1, [0])
