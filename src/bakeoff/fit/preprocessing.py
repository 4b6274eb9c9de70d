"""What stands between the columns and the estimator; all of it is fitted on training rows only."""

from __future__ import annotations

from typing import Any

import pandas as pd

_TREES = ("tree", "forest", "boost", "bagging", "lightgbm", "catboost", "xgb")


def with_preprocessing(estimator: Any, features: pd.DataFrame) -> Any:
    """Put before an estimator the steps it needs for these columns.

    Columns that are not numbers are encoded by skrub's ``TableVectorizer`` (one-hot for few
    categories, string encodings for many, dates taken apart). Missing values are imputed by
    the median, with an indicator, where the estimator takes none. Numbers are scaled to unit
    variance unless the estimator is made of trees, which do not care.

    Parameters
    ----------
    estimator : estimator
        Unfitted.
    features : DataFrame
        Only the columns' types are looked at, never their values.

    Returns
    -------
    Pipeline or estimator
        The estimator itself where nothing is needed.
    """
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps: list[Any] = []
    if not all(pd.api.types.is_numeric_dtype(dtype) for dtype in features.dtypes):
        # importing skrub takes a second: only data that need it pay for it
        from skrub import TableVectorizer

        steps.append(TableVectorizer())
    if not _takes_missing(estimator):
        steps.append(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True))
    if not _made_of_trees(estimator):
        steps.append(StandardScaler())
    return make_pipeline(*steps, estimator) if steps else estimator


def _takes_missing(estimator: Any) -> bool:
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


def _made_of_trees(estimator: Any) -> bool:
    kind = type(estimator)
    return any(word in f"{kind.__module__}.{kind.__name__}".lower() for word in _TREES)
