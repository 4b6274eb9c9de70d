"""What stands between the columns and the estimator; all of it is fitted on training rows only."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_TREES = ("tree", "forest", "boost", "bagging", "lightgbm", "catboost", "xgb")
_LIBRARIES = ("xgboost", "lightgbm", "catboost")
_REFUSED = set('[]<>{}":,')


def automatic_steps(first: Any, classifier: Any, features: pd.DataFrame) -> list[Any]:
    """Return the steps that an estimator needs before it for these columns.

    Texts and categories are encoded by skrub's ``TableVectorizer`` (one-hot for few categories,
    string encodings for many); dates become their parts and seconds; numbers stay as they are.
    Missing values are imputed by the median, with an indicator, where the estimator takes none.
    Numbers are scaled to unit variance unless the estimator is made of trees, which do not care.
    A column without any value in the training part says nothing, and no estimator is to stumble
    over it.

    Parameters
    ----------
    first : estimator
        Unfitted; what gets the columns after these steps.
    classifier : estimator
        Unfitted; the last step, which may be the first.
    features : DataFrame
        Only the columns' names and types are looked at, never their values.
    """
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    steps: list[Any] = []
    numeric = not no_numbers(features)
    if not numeric:
        steps.append(_encoder())
    if not _takes_missing(first):
        steps.append(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True))
    if not _made_of_trees(classifier):
        steps.append(StandardScaler())
    if numeric and type(first).__module__.startswith("sklearn.ensemble._hist_gradient_boosting"):
        # it takes missing values, but in scikit-learn 1.9 no column without any value
        from sklearn.compose import ColumnTransformer

        keep = ("known", "passthrough", with_values)
        steps.append(ColumnTransformer([keep], verbose_feature_names_out=False))
    named = not numeric or any(set(str(name)) & _REFUSED for name in features)
    if boosting_library(first) in ("xgboost", "lightgbm") and named:
        steps.append(FunctionTransformer(number_columns))
    return steps


def _encoder() -> Any:
    """Return what encodes the columns that are not numbers, and these alone.

    skrub computes in single precision, in which the numbers 1700000000 to 1700000060, or times as
    many seconds apart, are one and the same.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import FunctionTransformer
    from skrub import DatetimeEncoder, TableVectorizer  # takes a second to import

    made = [
        ("numbers", "passthrough", known_numbers),
        ("seconds", FunctionTransformer(to_seconds), known_dates),
        ("encoded", TableVectorizer(datetime=DatetimeEncoder(add_total_seconds=False)), no_numbers),
    ]
    return ColumnTransformer(made).set_output(transform="pandas")


def to_seconds(dates: pd.DataFrame) -> pd.DataFrame:
    """Return dates as seconds since 1970, in double precision."""
    utc = {name: pd.to_datetime(column, utc=True) for name, column in dates.items()}
    epoch, second = pd.Timestamp(0, tz="UTC"), pd.Timedelta(seconds=1)
    return pd.DataFrame({name: (column - epoch) / second for name, column in utc.items()})


def known_numbers(features: pd.DataFrame) -> list[Any]:
    """List the columns of numbers that have a value in the training part."""
    return with_values(features.loc[:, _are(pd.api.types.is_numeric_dtype, features)])


def known_dates(features: pd.DataFrame) -> list[Any]:
    """List the columns of dates that have a value in the training part."""
    return with_values(features.loc[:, _are(pd.api.types.is_datetime64_any_dtype, features)])


def no_numbers(features: pd.DataFrame) -> list[Any]:
    """List the columns that are no numbers."""
    return list(features.columns[~_are(pd.api.types.is_numeric_dtype, features)])


def _are(kind: Callable[[Any], bool], features: pd.DataFrame) -> NDArray[np.bool_]:
    return np.array([kind(dtype) for dtype in features.dtypes], dtype=bool)


def with_values(features: pd.DataFrame) -> list[Any]:
    """List the columns that have a value in the training part."""
    return list(features.columns[features.notna().any()])


def number_columns(features: Any) -> Any:
    """Give columns plain names: XGBoost and LightGBM refuse some characters in them."""
    if not isinstance(features, pd.DataFrame):
        return features
    return features.set_axis([f"x{i}" for i in range(features.shape[1])], axis=1)


def boosting_library(estimator: Any) -> str | None:
    """Return the boosting library a classifier is of; a user's class may derive from one."""
    packages = [kind.__module__.partition(".")[0] for kind in inspect.getmro(type(estimator))]
    return next((package for package in packages if package in _LIBRARIES), None)


def _takes_missing(estimator: Any) -> bool:
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


def _made_of_trees(estimator: Any) -> bool:
    kind = type(estimator)
    return any(word in f"{kind.__module__}.{kind.__name__}".lower() for word in _TREES)
