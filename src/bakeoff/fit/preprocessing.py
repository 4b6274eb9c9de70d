"""What stands between the columns and the estimator; all of it is fitted on training rows only."""

from __future__ import annotations

import inspect
from typing import Any

import pandas as pd

_TREES = ("tree", "forest", "boost", "bagging", "lightgbm", "catboost", "xgb")
_LIBRARIES = ("xgboost", "lightgbm", "catboost")
_REFUSED = set('[]<>{}":,')


def automatic_steps(first: Any, classifier: Any, features: pd.DataFrame) -> list[Any]:
    """Return the steps that an estimator needs before it for these columns.

    Columns that are not numbers are encoded by skrub's ``TableVectorizer`` (one-hot for few
    categories, string encodings for many, dates taken apart). Missing values are imputed by
    the median, with an indicator, where the estimator takes none. Numbers are scaled to unit
    variance unless the estimator is made of trees, which do not care. A column without any
    value in the training part says nothing, and no estimator is to stumble over it.

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
    numeric = all(pd.api.types.is_numeric_dtype(dtype) for dtype in features.dtypes)
    if not numeric:
        # importing skrub takes a second: only data that need it pay for it
        from skrub import TableVectorizer

        steps.append(TableVectorizer())
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
