"""Preprocessing between columns and estimator, fitted on training rows only."""

from __future__ import annotations

import inspect
from typing import Any

import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from bakeoff.usercode import require

_TREES = ("tree", "forest", "boost", "bagging", "lightgbm", "catboost", "xgb")
_LIBRARIES = ("xgboost", "lightgbm", "catboost")
_REFUSED = set('[]<>{}":,')


def automatic_steps(first: Any, classifier: Any, features: pd.DataFrame) -> list[Any]:
    """Return the steps that an estimator needs before it for these columns."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from sklearn.utils import get_tags

    steps: list[Any] = []
    numeric = not no_numbers(features)
    if not numeric:
        steps.append(TextEncoder())
    if not get_tags(first).input_tags.allow_nan:
        steps.append(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True))
    name = f"{type(classifier).__module__}.{type(classifier).__name__}".lower()
    if not any(word in name for word in _TREES):
        steps.append(StandardScaler())
    if numeric and boosting_library(first) == "histogram":
        # it takes missing values, but in scikit-learn 1.9 no column without any value
        from sklearn.compose import ColumnTransformer

        keep = ("known", "passthrough", with_values)
        steps.append(ColumnTransformer([keep], verbose_feature_names_out=False))
    named = not numeric or any(set(str(name)) & _REFUSED for name in features)
    if boosting_library(first) in ("xgboost", "lightgbm") and named:
        steps.append(FunctionTransformer(number_columns))
    return steps


def boosting_library(estimator: Any) -> str:
    """Name the boosting library that an estimator is of, or derives from; empty where of none.

    The gradient boosting by histograms of scikit-learn is called `histogram`.
    """
    if type(estimator).__module__.startswith("sklearn.ensemble._hist_gradient_boosting"):
        return "histogram"
    packages = [kind.__module__.partition(".")[0] for kind in inspect.getmro(type(estimator))]
    return next((package for package in packages if package in _LIBRARIES), "")


def to_seconds(dates: pd.Series[Any]) -> pd.Series[float]:
    """Return dates as seconds since 1970, in double precision."""
    since = pd.to_datetime(dates, utc=True) - pd.Timestamp(0, tz="UTC")
    seconds: pd.Series[float] = since / pd.Timedelta(seconds=1)
    return seconds


def no_numbers(features: pd.DataFrame) -> list[Any]:
    """List the columns that are no numbers."""
    return [c for c, dtype in features.dtypes.items() if not pd.api.types.is_numeric_dtype(dtype)]


def with_values(features: pd.DataFrame) -> list[Any]:
    """List the columns that have a value in the training part."""
    return list(features.columns[features.notna().any()])


def number_columns(features: Any) -> Any:
    """Give columns plain names: XGBoost and LightGBM refuse some characters in them."""
    if not isinstance(features, pd.DataFrame):
        return features
    return features.set_axis([f"x{i}" for i in range(features.shape[1])], axis=1)


class TextEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encodes the columns that are not numbers, and these alone; the order of columns stays."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> TextEncoder:
        """Learn the categories of texts."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: Any = None) -> pd.DataFrame:
        """Learn the categories of texts, and encode."""
        require("skrub", "encoding columns that are not numbers")
        from skrub import DatetimeEncoder, TableVectorizer  # takes a second to import

        dates = DatetimeEncoder(add_total_seconds=False)
        self.vectorizer_ = TableVectorizer(datetime=dates)
        self.others_ = no_numbers(X)
        self.known_ = set(with_values(X))
        return self._joined(X, self.vectorizer_.fit_transform(X[self.others_], y))

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Encode."""
        return self._joined(X, self.vectorizer_.transform(X[self.others_]))

    def _joined(self, X: pd.DataFrame, encoded: pd.DataFrame) -> pd.DataFrame:
        columns: list[Any] = []
        for name in filter(self.known_.__contains__, X.columns):
            if name not in self.others_:
                columns.append(X[name])
                continue
            columns += [encoded[c] for c in self.vectorizer_.input_to_outputs_.get(name, [])]
            if pd.api.types.is_datetime64_any_dtype(X[name].dtype):
                columns.append(to_seconds(X[name]).rename(f"{name}_seconds"))
        joined: pd.DataFrame = pd.concat(columns, axis=1)
        twice = joined.columns.duplicated(keep=False)  # a number's name may be that of a code
        named = zip(joined.columns, twice, strict=True)
        joined.columns = pd.Index([f"{c}#{i}" if t else c for i, (c, t) in enumerate(named)])
        return joined
