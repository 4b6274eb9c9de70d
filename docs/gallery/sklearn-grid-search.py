"""Compare the candidates of the grid search of scikit-learn's example, by two tests."""

from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

import bakeoff

X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
grid = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)

tests = ["corrected_repeated_kfold_t", "bayes_correlated_t"]
print(bakeoff.compare_search(search, versus="best", tests=tests).to_json())
