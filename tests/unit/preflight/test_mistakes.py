"""Every mistake in an experiment is told in one message: the place, what was found, the remedy."""

import datetime

import pytest

from bakeoff.errors import UserError
from bakeoff.spec import read_experiment
from tests.conftest import GONE, TINY, change, hold, messages

IRIS = ["setosa", "versicolor", "virginica"]
WRONG = [*IRIS[:2], "virginca"]
THREE = {"classes": IRIS, "matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}
CART = "sklearn.tree.DecisionTreeClassifier"
LOGISTIC = "sklearn.linear_model.LogisticRegression"
KNN = {"estimator": "sklearn.neighbors.KNeighborsClassifier"}
XGBOOST = "xgboost.XGBClassifier"
SCALER = "sklearn.preprocessing.StandardScaler"
BAGGING = "sklearn.ensemble.BaggingClassifier"
RIDGE = "sklearn.linear_model.RidgeClassifierCV"


def costs(classes, matrix):
    return {"costs": {"classes": [*classes], "matrix": matrix}}


def folds(number, metric):
    return {"metrics": [metric], "resampling": {"kfold": {"folds": number}}, "tests": {}}


DAY = datetime.date(2024, 5, 31)
MISTAKES = [
    ("on_error", "skip", ": unknown value 'skip'"),
    ("timeout", 0, " … greater than 0"),
    ("memory", "2 GB", " … '2 GB'"),
    ("tests.run", ["mcnemer"], "[0]: unknown test 'mcnemer'; did you mean 'mcnemar'?"),
    ("metrics", ["acuracy"], "[0]: unknown metric 'acuracy'; did you mean 'accuracy'?"),
    ("datasets.iris.source", "sklern", ": unknown source 'sklern'; did you mean 'sklearn'?"),
    ("datasets.iris.name", "irs", ": unknown value 'irs'; did you mean 'iris'?"),
    ("models.tree.estimator", "nosuch.space.A", " … pip install nosuch … put nosuch.py beside"),
    ("models.tree.estimator", "tree", ": found 'tree' … import path"),
    ("models.tree.estimator", "sklearn.tree.plot_tree", " … is a function, not a class"),
    ("models.tree.params", {"max_dept": 3}, " … 'max_dept'; did you mean 'max_depth'?"),
    ("models", {}, ": found 0 entries, at least 1 needed"),
    ("models.My Model", {"estimator": "a.b"}, " … use `label:` for any text"),
    ("experiment", "../../etc", ": found '../../etc'"),
    (
        "datasets",
        {f"seed_{i}": {"source": "sklearn", "name": "iris"} for i in (1, 2)},
        ": `seed_1` and `seed_2` are called like seeds, runs or folds … give them other names",
    ),
    ("tests.alpha", 1.0, " … less than 1"),
    ("tests.alpha", 0, " … greater than 0"),
    ("tests.alpha", "5%", " … found '5%'"),
    ("tests.correction", "bonferoni", " … did you mean 'bonferroni'?"),
    ("metrics", ["roc_auc"], "[0]: roc_auc is for two classes, iris has 3 … roc_auc_ovr"),
    ("resampling.holdout", {"test": ["x"]}, ": `test` goes with `column`"),
    ("resampling.holdout", {"column": "part"}, ".column: unknown column 'part'"),
    ("datasets.o", {"source": "openml"}, ": give either `data_id` or `name`"),
    ("tests.run", [], ": found 0 entries, at least 1 needed"),
    ("tests.options", {"mcnemar": "exact"}, ".mcnemar … found 'exact'"),
    ("tests.run", ["mcnemar", "delong"], "[1]: delong is for two classes, iris has 3"),
    ("tests.margin", -0.1, " … greater than 0"),
    ("metrics", ["cost"], "[0]: cost needs `costs:"),
    ("costs", {"classes": ["a", "b"], "matrix": [[0, 0], [0, 0]]}, ": every error costs 0"),
    ("metrics", ["accuracy", "accuracy"], "[1]: accuracy appears twice"),
    ("metrics", ["F1"], "[0]: unknown metric 'F1'; did you mean 'f1'?"),
    ("label", DAY, ": expected text, found 2024-05-31"),
    ("seed", -1, " … greater than or equal to 0"),
    ("resampling.holdout", {"test_size": 0.3, "column": "part"}, ": give either `test_size`"),
    ("models.tree.estimator", "sklearn.treee.Tree", " … there is no module 'sklearn.treee'"),
    ("execution", {"jobs_per": "modle"}, ".jobs_per: unknown value 'modle'; did you mean 'model'?"),
    ("models.tree.params", {"max_depth": DAY}, ": The 'max_depth' parameter … Got datetime.date("),
    ("tests.run", "mcnemar", ": found 'mcnemar', expected `recommended` or a list of tests like ["),
    ("resampling.cv_5x2", {"repeats": 10}, ".repeats: found 10, expected 5"),
    ("seed", 2**32, ": expected less than 4294967296, found 4294967296"),
    ("timeout", float("inf"), ": expected a finite number, found inf"),
    ("label", "\0", ": found '\\x00', expected one line of text that can be seen"),
    ("on_error", None, ": found nothing, expected one of stop, exclude"),
    ("metrics", "accuracy", ": expected a list like [a, b], found 'accuracy'"),
    ("models", {1: {}}, ": found 1 for the name of a key; names are texts"),
    ("execution", {True: 1}, ": found True for the name of a key (YAML reads bare yes"),
    ("resampling", {}, ": no plan at all; name one of cv_5x2, kfold"),
    ("resampling", {"cv_5x2": None}, ": `cv_5x2` has no value: write `cv_5x2: {}`"),
    ("models.tree.resources", {"GPU": 1}, ".GPU: this name must be made of letters"),
    ("models.tree.resources", {"gpu": -1}, ".gpu … -1"),
    ("models.tree.resources", {"gpu": 1.5}, ".gpu … 1.5"),
    ("models.tree.resources", {"slurm_partition": "a b"}, ".slurm_partition"),
]
FTP = {"source": "url", "url": "ftp://x/a.csv", "sha256": "abc", "target": "y"}
WINE = {"datasets.wine": {"source": "sklearn", "name": "wine"}, "datasets.iris.costs": THREE}
TWO = {"classes": ["setosa", "virginica"], "matrix": [[0, 1], [1, 0]]}
SEVERAL = {
    "'modells' … did you mean 'models'": {"modells": {}},
    "datasets.iris: unknown key 'nam'; did you mean 'name'?": {"datasets.iris.nam": "x"},
    "the key 'datasets' is missing": {"datasets": GONE},
    ".folds: f1_macro needs two rows of each class … 25 folds of iris at": folds(26, "f1_macro"),
    ".folds: 151 folds of the 150 rows of iris: 150 at most": folds(151, "accuracy"),
    "w.url: found 'ftp://x/a.csv', expected a web address": {"datasets.w": FTP},
    "w.sha256: found 'abc', expected 64 characters": {"datasets.w": FTP},
    "metrics[0]: cost needs `costs: … which wine lacks": WINE | {"metrics": ["cost"]},
    "iris.costs.classes: the class 'versicolor' of iris has no row": {"datasets.iris.costs": TWO},
    "costs: the matrix has 2 row(s) of 1, 2 number(s)": costs("ab", [[0, 1], [1]]),
    "costs.matrix[0][1] … greater than or equal to 0": costs("ab", [[0, -1], [1, 0]]),
    "costs: a right prediction of 'b' costs 2, must cost 0": costs("ab", [[0, 1], [1, 2]]),
    "costs: class 'a' appears twice": costs("aa", [[0, 1], [1, 0]]),
    "costs.classes[2]: iris: … did you mean 'virginica'?": {"costs": THREE | {"classes": WRONG}},
    "models: 'tree' and 'Tree' differ by case alone": {"models.Tree": TINY["models"]["tree"]},
    "models.tree: … write `threads: 4`": {"models.tree.resources": {"threads": 4}},
    "models.tree: found mem … write `mem_mb:`": {"models.tree.resources": {"mem": "16GB"}},
    "models.tree: found disk_mib … write `disk_mb:`": {"models.tree.resources": {"disk_mib": 900}},
}


SEVERAL |= {f"{place}{said}": {place: value} for place, value, said in MISTAKES}


@pytest.mark.parametrize("expected", SEVERAL)
def test_mistake_is_told_with_its_place(tiny, expected):
    change(tiny, SEVERAL[expected])
    hold(messages(tiny), expected)


UV = "1,u\n2,v\n" * 9
TIMES = "0,1,u\n2,2,v\n" * 9
# the rows of a table of a (and b) and y, and what is said of its data set
DATA = [
    ("d.target: unknown target column 'c'", "a,b", "1,2\n", {"target": "c"}),
    ("did you mean 'label'?", "a,label", "1,2\n", {"target": "lable"}),
    ("d.target: only one class, 'u'", "a,y", "1,u\n2,u\n3,u\n", {}),
    ("every value of 'y' is missing", "a,y", "1,\n2,\n", {}),
    ("1 of 3 rows have no value … missing_target: drop", "a,y", "1,u\n2,\n3,v\n", {}),
    ("NA, None and the like are read as missing values", "a,y", "1,None\n2,u\n3,v\n", {}),
    ("'u' (9 rows) and 'u ' (9 rows) … merge", "a,y", "1,u \n2,v\n3,u\n" * 9, {}),
    ("class 'v' has 3 row(s) … cv_5x2", "a,y", "1,u\n" * 9 + "2,v\n" * 3, {}),
    ("look like a quantity", "a,y", "".join(f"1,{i}.5\n" for i in range(200)), {}),
    ("datasets.d.positive", "a,y", UV, {"positive": "w"}),
    ("datasets.d.drop … 'b'", "a,y", UV, {"drop": ["b"]}),
    ("no feature is left", "a,y", UV, {"drop": ["a"]}),
    ("d.id: ids must be unique: '1' appears twice", "i,a,y", "1,1,u\n2,2,v\n" * 9, {"id": "i"}),
    ("undefined in 9 row(s)", "a,y", "0,u\n2,v\n" * 9, {"derive": {"b": "log(a)"}}),
    ("expected function(column)", "a,y", UV, {"derive": {"b": "a+1"}}),
    ("unknown function", "a,y", UV, {"derive": {"b": "exec(a)"}}),
    ("d.time: cv_5x2 divides rows at random … `holdout` … `kfold`", "a,t,y", TIMES, {"time": "t"}),
    ("d: groups and time cannot be combined", "a,t,y", TIMES, {"time": "t", "groups": "a"}),
    ("d.filter[0]: a filter needs a condition", "a,y", "1,u\n", {"filter": [{"column": "a"}]}),
    ("d.filter[0]: unknown key 'mim'; did you", "a,y", UV, {"filter": [{"column": "a", "mim": 3}]}),
    ("no file at 'nowhere.csv'", "a,y", UV, {"test_path": "nowhere.csv"}),
]


@pytest.mark.parametrize(("said", "header", "rows", "keys"), DATA)
def test_mistake_in_data_is_told(tiny, write_csv, said, header, rows, keys):
    path = write_csv(f"{header}\n{rows}")
    tiny["datasets"] = {"d": {"source": "file", "path": path, "target": "y", **keys}}
    hold(messages(tiny), said)


def test_missing_file_is_told_with_the_nearest(tiny, write_csv):
    path = write_csv("a,y\n1,u\n").replace("data.csv", "dat.csv")
    tiny["datasets"] = {"d": {"source": "file", "path": path, "target": "y"}}
    hold(messages(tiny), "datasets.d.path: no file at … data.csv")


def test_all_mistakes_are_told_at_once(tiny):
    tiny["models"]["tree"]["params"] = {"max_dept": 3}
    message = messages(tiny | {"metrics": ["acuracy"], "tests": {"run": ["mcnemer"]}})
    for meant in ("max_depth", "accuracy", "mcnemar"):
        assert f"did you mean '{meant}'?" in message


def test_capital_letters_are_taken(tiny):
    tiny["models"] = {"RF": tiny["models"]["tree"], "kNN-5": tiny["models"]["tree"]}
    tiny["tests"] = {"run": ["mcnemar"], "versus": "RF"}
    assert messages(tiny) == ""
    for most in ((25, "f1_macro"), (150, "accuracy")):  # and as many folds as rows allow
        assert messages({**TINY, **folds(*most)}) == ""


TREE = "{estimator: sklearn.tree.DecisionTreeClassifier}"
BAD_FILES = [
    ("seed: 1\nmetrix: [f1]\n", "e.yaml:2: (top level): unknown key 'metrix'; did you mean"),
    ("models:\n  a:\n    parms: {}\n", "e.yaml:3: models.a: unknown key 'parms'; did you mean"),
    ("experiment: e\nseed: 1\nmodels:\n  a: {estimator: x}\n", ":4: models.a.estimator: found 'x'"),
    (f"models:\n  RF: {TREE}\n  rf: {TREE}\n", ":1: models: 'RF' and 'rf' differ by case alone"),
    ("e: 1\nmodels: &all\n  a: {params: *all}\n", ":2:9: not valid YAML: an alias (*) stands ins"),
    ("models: " + "[" * 2000 + "]" * 2000, ": lists or mappings are nested too deeply"),
    ("models:\n  a: 1\n  a: 2\n", ":3:3: not valid YAML: 'a' appears twice (also in line 2)"),
    ("models: {a: [\n", ":2:1: not valid YAML"),
    ("a: b: c\n", ":1:5: not valid YAML"),
    ("\t- x\n", ":1:1: not valid YAML"),
    ("a: *nowhere\n", ":1:4: not valid YAML"),
    *((text, "") for text in ("- a\n", "just text\n", "", "!!python/object:os.system {}\n")),
]


@pytest.mark.parametrize(("text", "said"), BAD_FILES)
def test_file_that_is_no_experiment_is_refused_with_its_line(tmp_path, text, said):
    file = tmp_path / "e.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as told:
        read_experiment(file)
    assert said in str(told.value)


def test_missing_experiment_file():
    with pytest.raises(UserError, match="cannot be read"):
        read_experiment("nowhere.yaml")


# --- mistakes in the entry of a model

STEPS = {"steps": [SCALER, {"estimator": LOGISTIC}]}
SHIFTED = {"estimator": SCALER, "params": {"with_men": False}}
LENGTH, SEEDED = "petal length (cm)", {"random_state": 0}
PCA = {"steps": ["sklearn.decomposition.PCA", "sklearn.naive_bayes.GaussianNB"]}
SIZES = {"tune": {"space": {"pca__n_components": ["two"]}}}
TREE_OF, DEEP = {"estimator": CART}, {"params": {"max_depth": "x"}}
DEPT = {"tune": {"space": {"max_dept": [1]}}}
TWICE = {"uniform": [1, 2], "loguniform": [1, 2]}
BALANCED = {"class_weight": "balanced"}


def tuned(**keys):
    return {"estimator": LOGISTIC, "tune": {"space": {"C": [0.1, 1]}, **keys}}


def drawn(**space):
    return tuned(space=space, search="random")


def bagged(params):
    return {"estimator": BAGGING, "params": {"estimator": params}}


# what is told of an entry, which has the estimator CART where it names none
OF_MODELS = [
    (": expected `estimator:` … found neither", {}),
    (": expected `estimator:` … found both", {"estimator": CART, **STEPS}),
    (".steps: found 0 entries", {"steps": []}),
    (" … each step has its own `params:`", {**STEPS, "params": {"C": 1}}),
    (".steps[1]: found 'logistic'", {"steps": [SCALER, "logistic"]}),
    (".steps[0].params … did you mean 'with_mean'?", {"steps": [SHIFTED, LOGISTIC]}),
    (".steps[0].estimator … transformer", {"steps": [CART, LOGISTIC]}),
    (".steps[0].estimator … no fit and predict", {"steps": [SCALER]}),
    (".params: The 'max_depth' parameter … Got -3 instead", {"params": {"max_depth": -3}}),
    (".preprocessing.estimator … it is no transformer", {"preprocessing": CART}),
    (".preprocessing[0].estimator … StandardScal", {"preprocessing": [SCALER[:-2] + "r"]}),
    (".features[1]: unknown feature 'petal' … set iris", {"features": [LENGTH, "petal"]}),
    (f".drop[0] … did you mean '{LENGTH}'? … set iris", {"drop": ["petal lenght (cm)"]}),
    (".drop: no feature is left", {"features": [LENGTH], "drop": [LENGTH]}),
    (".threshold … 'f1'", {"threshold": "f1"}),
    *((f".threshold: found {t}, expected a probability", {"threshold": t}) for t in (0, 1, 1.5)),
    (".threshold: a threshold is for two classes, iris has 3", {"threshold": 0.3}),
    (".threshold.choose: unknown value 'f2' … youden", {"threshold": {"choose": "f2"}}),
    (".threshold.choose: needs `costs:", {"threshold": {"choose": "cost"}}),
    (" … is for two classes", {"estimator": RIDGE, "threshold": {"choose": "f1"}}),
    (".class_weight: … 'balancd'; did you mean 'balanced'?", {"class_weight": "balancd"}),
    (".class_weight.setoza … iris … did you mean 'setosa'?", {"class_weight": {"setoza": 2}}),
    (".class_weight: given twice", {"params": BALANCED, **BALANCED}),
    (".class_weight: KNeighborsClassifier takes neither class weights nor", KNN | BALANCED),
    (".seeds … greater than or equal to 1", {"seeds": 0}),
    (".seeds: `params: {random_state: 0}` makes all 3 seeds", {"params": SEEDED, "seeds": 3}),
    (".timeout … '5 s'", {"timeout": "5 s"}),
    (".memory … found 1", {"memory": 1}),
    (".tune.search … did you mean 'grid'?", tuned(search="gird")),
    (".tune.space: found 0 entries", tuned(space={})),
    (".tune.cv … greater than or equal to 2", tuned(cv=1)),
    (".tune: unknown scoring 'acuracy'; did you mean 'accuracy'?", tuned(scoring="acuracy")),
    (".tune: `n_iter` is for `search: random`", tuned(n_iter=3)),
    (".tune: unknown parameter of LogisticRegression: 'c'", tuned(space={"c": [1]})),
    (".tune: … 'CC'; did you mean 'C'? (allowed: C, ", tuned(space={"CC": [1]})),
    (".tune: … of XGBClassifier: … did you mean 'max_depth'?", {"estimator": XGBOOST, **DEPT}),
    (".tune.space.C: The 'C' parameter of Log … Got -1 instead", tuned(space={"C": [1, -1]})),
    (".tune.space.pca__n_components: The 'n_components' parameter of PCA … 'two'", PCA | SIZES),
    (".params: The 'max_depth' parameter of DecisionTree … Got 'x'", bagged({**TREE_OF, **DEEP})),
    (".params: found '../tree', expected an import path", bagged({"estimator": "../tree"})),
    (".params: found ['a'], expected the parameters of", bagged({**TREE_OF, "params": ["a"]})),
    (".tune: a grid … C has none: use `search: random`", tuned(space={"C": {"uniform": [0, 1]}})),
    (".tune.space.C: … 'logunifrm'; did you mean 'loguniform'?", drawn(C={"logunifrm": [1, 2]})),
    (".tune.space.C: found loguniform: [0, 2] … 0 < low < high", drawn(C={"loguniform": [0, 2]})),
    (".tune.space.C: found uniform: [2, 1] … low < high", drawn(C={"uniform": [2, 1]})),
    (".tune.space.C.uniform", drawn(C={"uniform": [1, 2, 3]})),
    (".tune.space.C: expected a list of values or one of uniform", drawn(C=TWICE)),
    (".tune.space.max_iter.randint[1] … found 2.5", drawn(max_iter={"randint": [1, 2.5]})),
    (".tune.space.C: expected a list like [a, b], found 3", tuned(space={"C": 3})),
    (".estimator:  … not installed … pip install lightgbmm", {"estimator": "lightgbmm.LGBM"}),
]


@pytest.mark.parametrize(("said", "entry"), OF_MODELS)
def test_mistake_in_a_model_is_told(tiny, said, entry):
    usual = {"estimator": CART} if entry and "steps" not in entry else {}
    tiny["models"]["m"] = usual | entry
    message = messages(tiny | {"metrics": ["accuracy"], "tests": {"run": ["cv5x2_f"]}})
    assert len(message.splitlines()) == 1, message
    hold(message, f"models.m{said}")


def test_weights_that_a_model_cannot_take_are_told(tiny, write_csv):
    path = write_csv("a,w,y\n" + "1,1,u\n2,2,v\n" * 20)
    tiny["datasets"] = {"d": {"source": "file", "path": path, "target": "y", "weights": "w"}}
    tiny["models"]["knn"] = KNN
    message = messages(tiny)
    assert "models.knn: KNeighborsClassifier takes no sample weights, and data set d" in message
    assert "models.tree" not in message


@pytest.mark.parametrize(
    "entry",
    [
        {"estimator": LOGISTIC, "params": {"tol": "1e-3"}},
        {"estimator": LOGISTIC, "tune": {"space": {"C": ["1e-3", 1]}}},
        {**STEPS, "tune": {"space": {"C": [1], "standardscaler__with_mean": [True, False]}}},
        {"estimator": CART, "preprocessing": {"estimator": SCALER, "params": {"with_std": False}}},
        {"estimator": CART, "class_weight": {"setosa": 2}, "timeout": 5, "memory": 4000},
        {"estimator": XGBOOST, "class_weight": "balanced", "seeds": 2},
        {"estimator": CART, "features": ["petal length (cm)"]},
    ],
)
def test_what_is_right_is_let_through(tiny, entry):
    """YAML reads 1e-3 as a text; people mean a number."""
    tiny["models"]["m"], tiny["tests"]["run"] = entry, ["cv5x2_f"]
    assert messages(tiny) == ""
