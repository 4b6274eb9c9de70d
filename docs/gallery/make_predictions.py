"""Write the predictions that two pages of the gallery compare: `python make_predictions.py`."""

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import GroupShuffleSplit, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
SEEDS = range(1, 6)


def concrete() -> pd.DataFrame:
    """Predict the strength of the concrete of mixtures that the models have not seen."""
    table = pd.read_csv(HERE.parents[1] / "config/data/concrete.csv")
    y, groups = table["strength"], table["mixture"]
    X = table.drop(columns=["strength", "mixture"])
    division = GroupShuffleSplit(n_splits=1, test_size=0.3, random_state=0)
    train, test = next(division.split(X, y, groups))
    models = {
        "boosting": HistGradientBoostingRegressor(random_state=0),
        "forest": RandomForestRegressor(random_state=0),
    }
    found = pd.DataFrame({"mixture": groups.iloc[test], "strength": y.iloc[test]})
    for name, model in models.items():
        found[name] = model.fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test]).round(3)
    return found


def training_runs() -> pd.DataFrame:
    """Predict by two sizes of networks, each trained five times."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
    parts = []
    for seed in SEEDS:
        part = pd.DataFrame({"seed": seed, "row": range(len(y_test)), "truth": y_test})
        for name, size in {"small": 2, "large": 50}.items():
            network = MLPClassifier((size,), max_iter=60, random_state=seed)
            model = make_pipeline(StandardScaler(), network).fit(X_train, y_train)
            part[name] = model.predict(X_test)
        parts.append(part)
    return pd.concat(parts)


if __name__ == "__main__":
    concrete().to_csv(HERE / "concrete.csv", index=False, lineterminator="\n")
    training_runs().to_csv(HERE / "training-runs.csv", index=False, lineterminator="\n")
