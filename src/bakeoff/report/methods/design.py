"""What was compared, on which data, and how models were prepared, trained and tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bakeoff.report.methods.sentence import Sentence, cited
from bakeoff.report.numbers import capital, count, percent, spread, words
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.spec.models import Model
from bakeoff.spec.resampling import Halves, KFold, Plan, Resampled
from bakeoff.spec.training_choices import ChosenThreshold, Tune

MOST = 8
"""Names that a sentence lists; of more it gives the number."""
_MOST_PARAMS = 4
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS = dict(enumerate(_NUMBERS, 1))
_LEFT_OUT = {
    "rows_filtered": "by a filter",
    "rows_dropped_without_target": "without a label",
    "rows_of_other_classes": "of other classes",
}
_ELSEWHERE = {
    "predictions": "their predictions",
    "values": "a number for each row",
    "scores": "their scores",
    "results": "the predictions of another run",
}


def data(study: Study) -> Iterator[Sentence]:
    """Say what was compared and describe the data sets."""
    yield _models(study)
    yield from _given(study)
    if any(card["rows"] for card in study.cards.values()):  # of scores alone none are known
        yield _rows(study)
    yield from _left_out(study)
    yield from _missing(study)


def _models(study: Study) -> Sentence:
    fitted = study.experiment.fitted
    named = [
        f"{study.name(model)} ({_estimator(fitted[model])})"
        if model in fitted
        else study.name(model)
        for model in study.models
    ]
    verb = "compared" if len(named) > 1 else "evaluated"
    done = f"We {verb} {few(len(named), 'model')}: {words(named, MOST)}."
    return Sentence(done, ("5a",), ("12c",))


def few(n: int, noun: str) -> str:
    """Count things, few of them in words."""
    return f"{_IN_WORDS[n]} {noun}{'s' if n > 1 else ''}" if n in _IN_WORDS else count(n, noun)


def _estimator(model: Model) -> str:
    """Name the classes of a model's steps, and the parameters that were set where they are few."""
    said = []
    for step in model.parts:
        what = step.estimator.rpartition(".")[2]
        plain = {k: v for k, v in step.params.items() if isinstance(v, str | int | float)}
        if plain and plain == step.params and len(plain) <= _MOST_PARAMS:
            what += " with " + words([f"{k} = {clean(str(v))}" for k, v in plain.items()])
        elif step.params:
            what += " with parameters of its own"
        said.append(what)
    return ", then ".join(said)


def _given(study: Study) -> Iterator[Sentence]:
    kinds: dict[str, list[str]] = {}
    for model, spec in study.experiment.given.items():
        kind = next(kind for kind in _ELSEWHERE if getattr(spec, kind) is not None)
        kinds.setdefault(kind, []).append(study.name(model))
    for kind, models in kinds.items():
        everyone = len(models) == len(study.models)
        who = "All models" if everyone and len(models) > 1 else words(models, MOST)
        were = "were" if len(models) > 1 else "was"
        brought = _ELSEWHERE[kind] if len(models) > 1 else _ELSEWHERE[kind].replace("their", "its")
        said = f"{who} {were} trained elsewhere and represented by {brought}."
        yield Sentence(said, (), ("12g",))


def _rows(study: Study) -> Sentence:
    cards = study.cards
    if len(cards) > 1:
        names = [study.dataset_label(dataset) for dataset in cards]
        rows = spread([card["rows"] for card in cards.values()])
        listed = words(names, MOST if len(names) <= MOST else 4)
        said = f"They were evaluated on {few(len(cards), 'data set')} of {rows} rows: {listed}."
        return Sentence(said, ("3e",))
    ((dataset, card),) = cards.items()
    features = card.get("features")
    of = f" and {count(len(features), 'feature')}" if features else ""
    said = f"The data set {study.dataset_label(dataset)} has {count(card['rows'], 'row')}{of}"
    classes = card.get("classes", {})
    if 1 < len(classes) <= MOST and any(classes.values()):
        said += "; the classes are " + words(
            [f"{clean(str(c))} ({n:,} rows)" for c, n in classes.items()], MOST
        )
        return Sentence(f"{said}.", ("3d", "3e"), ("21",))
    return Sentence(f"{said}.", ("3e",))


def _left_out(study: Study) -> Iterator[Sentence]:
    several = len(study.cards) > 1
    for dataset, card in study.cards.items():
        found = [
            f"{count(int(card[key]), 'row')} {why}"
            for key, why in _LEFT_OUT.items()
            if card.get(key)
        ]
        pooled = [
            f"{words([clean(old) for old in olds], MOST)} were pooled as {clean(new)}"
            for new, olds in card.get("merged", {}).items()
        ]
        of = f"Of {study.dataset_label(dataset)}, " if several else ""
        if found:
            said = f"{of}{words(found)} {'was' if found[0].startswith('1 ') else 'were'} left out."
            yield Sentence(capital(said), ("4a",))
        if pooled:
            said = f"{of}{'the ' if of else 'The '}classes {words(pooled)}."
            yield Sentence(said, ("4c",), ("7",))


def _missing(study: Study) -> Iterator[Sentence]:
    sized = [
        (c["missing_cells"], c["rows"] * len(c.get("features", ()))) for c in study.cards.values()
    ]
    largest = max((missing / cells for missing, cells in sized if cells), default=0.0)
    if not largest:
        return
    most = percent(round(largest, 4))
    where = f"Up to {most} of the feature values of a data set" if len(study.cards) > 1 else most
    of = "" if len(study.cards) > 1 else " of the feature values"
    yield Sentence(f"{where}{of} are missing.", ("3f",), ("11",))


_SEARCHES = {
    "grid": "a grid search",
    "random": "a random search",
    "halving": "a search by successive halving",
}


def design(study: Study) -> Iterator[Sentence]:
    """Say how models were prepared, and how rows were divided for training and testing."""
    yield from _preprocessing(study)
    for model, spec in study.experiment.fitted.items():
        yield from _choices(study, model, spec)
    yield from _plans(study)
    yield from _together(study)


def _preprocessing(study: Study) -> Iterator[Sentence]:
    fitted = study.experiment.fitted
    by: dict[str, list[str]] = {}
    for model, spec in fitted.items():
        if spec.steps is not None and spec.preprocessing == "none":
            continue  # its steps, named with the model, are all that is done
        own = [step.estimator.rpartition(".")[2] for step in spec.own_preprocessing]
        said = f"by {', then '.join(own)}" if own else str(spec.preprocessing)
        by.setdefault(said, []).append(study.name(model))
    if "auto" in by:
        yield Sentence(_automatic(study, by["auto"], len(fitted)), ("4c", "6a"), ("12b",))
    for said, models in by.items():
        who = _who(models, len(fitted))
        if said == "none":
            yield Sentence(
                capital(f"{who} used the columns without preprocessing."), ("4c",), ("12b",)
            )
        elif said not in ("auto", "none"):
            text = f"Columns were prepared for {who} {said}, fitted on training rows only."
            yield Sentence(text, ("4c", "6a"), ("12b",))


def _who(models: list[str], everyone: int) -> str:
    return "all models" if len(models) == everyone > 1 else words(models, MOST)


def _automatic(study: Study, models: list[str], everyone: int) -> str:
    features = [f for card in study.cards.values() for f in card["features"].values()]
    steps = []
    if any(feature["kind"] != "number" for feature in features):
        steps.append("columns of text, categories and dates were encoded as numbers")
    if any(feature["missing"] for feature in features):
        steps.append(
            "missing values were imputed by the median with an indicator for estimators that do "
            "not accept them"
        )
    steps.append("numbers were standardised, except for models made of trees")
    for_whom = "" if len(models) == everyone else f"for {words(models, MOST)}, "
    return capital(f"{for_whom}{words(steps)}; all of this was fitted on training rows only.")


def _choices(study: Study, model: str, spec: Model) -> Iterator[Sentence]:
    who = study.name(model)
    if spec.tune is not None:
        yield Sentence(_search(who, spec.tune), ("5d", "5e", "6a"), ("12c",))
    if isinstance(spec.threshold, ChosenThreshold):
        said = (
            f"The threshold of {who} was chosen to optimise {spec.threshold.choose} on "
            f"{spec.threshold.cv}-fold out-of-fold predictions of the training rows."
        )
        yield Sentence(said, ("5d", "6a"), ("15",))
    elif spec.threshold is not None:
        said = f"{who} predicts the positive class at scores of {spec.threshold:g} or more."
        yield Sentence(said, (), ("15",))
    if spec.class_weight is not None:
        how = "inversely to their frequency" if spec.class_weight == "balanced" else "as set"
        yield Sentence(f"In training {who}, classes were weighted {how}.", ("5a",), ("13",))
    if spec.early_stopping is not None:
        stopping = spec.early_stopping
        said = (
            f"Training of {who} stopped when the score on {percent(stopping.fraction)} of the "
            f"training rows, held out, did not improve for {stopping.rounds} rounds."
        )
        yield Sentence(said, ("5e", "6a"), ("12c",))
    if spec.seeds > 1:
        seeds = f"{who} was fitted with {spec.seeds} seeds in every fold"
        said = f"{seeds}; its score is the mean over seeds."
        yield Sentence(said, ("5a",), ("12c",))


def _search(who: str, tune: Tune) -> str:
    if tune.validation is None:
        by = f"{tune.cv}-fold cross-validation inside each training part"
    elif isinstance(tune.validation, float):
        by = f"{percent(tune.validation)} of each training part, set aside"
    else:
        by = f"the training rows that the column {tune.validation.column} names"
    space = words(list(tune.space), MOST)
    return (
        f"{space} of {who} {'was' if len(tune.space) == 1 else 'were'} chosen by "
        f"{_SEARCHES[tune.search]} for {tune.scoring} on {by}."
    )


def _plans(study: Study) -> Iterator[Sentence]:
    experiment = study.experiment
    for plan, spec in experiment.resampling.plans().items():
        if experiment.by_scores(plan):
            said = f"The scores come from {_plan(study, plan, spec)} done elsewhere."
            yield Sentence(said, ("5c",), ("12a",))
            continue
        if plan == "holdout":
            yield Sentence(f"{_holdout(study)}.", ("5c",), ("12a",))
            continue
        done = "trained and tested" if experiment.fitted else "tested"
        source = cited("dietterich1998") if plan == "cv_5x2" else ""
        said = f"Models were {done} by {_plan(study, plan, spec)}{source}."
        yield Sentence(said, ("5c",), ("12a",))
    if len(study.models) > 1 and not all(map(experiment.by_scores, experiment.resampling.plans())):
        done = "trained and tested" if experiment.fitted else "tested"
        yield Sentence(f"All models were {done} on the same rows.", ("5c",), ("12a",))


def _plan(study: Study, plan: str, spec: Plan) -> str:
    known = [d for d in study.divisions if d["plan"] == plan]
    kind = "stratified " if known and all(d["stratified"] for d in known) else ""
    if plan == "holdout":
        return "one test set"
    if plan == "cv_5x2":
        return f"five replications of {kind}2-fold cross-validation"
    if isinstance(spec, Halves):
        return (
            f"{kind}{spec.folds}-fold cross-validation inside both halves of {spec.repeats} random "
            f"halvings of the rows, and {spec.full_repeats} times of all rows"
        )
    if isinstance(spec, Resampled):
        return (
            f"{spec.repeats} random {kind}divisions with {percent(spec.test_size)} of the rows "
            "for testing"
        )
    assert isinstance(spec, KFold)
    rows = {d["rows"] for d in known}
    what = "leave-one-out" if rows == {spec.folds} else f"{kind}{spec.folds}-fold"
    said = f"{what} cross-validation"
    if spec.columns:
        return f"{said} with the folds of the column {words(list(spec.columns))}"
    return said if spec.repeats == 1 else f"{spec.repeats} repeats of {said}"


def _holdout(study: Study) -> str:
    rows = study.scores[study.scores["plan"] == "holdout"]
    tested = spread(list(rows["n_test"]))
    if not study.experiment.fitted:
        return f"Models were tested on {tested} held-out rows"
    methods = {d["method"] for d in study.divisions if d["plan"] == "holdout"}
    chosen = {"column": ", as a column says", "test file": " of a file of their own"}
    how = chosen.get(next(iter(methods)), "") if len(methods) == 1 else ""
    trained = spread(list(rows["n_train"]))
    return f"Models were fitted once on {trained} rows and tested on {tested} held-out rows{how}"


def _together(study: Study) -> Iterator[Sentence]:
    """Say where divisions went by groups or by time."""
    grouped = _datasets(study, (d["dataset"] for d in study.divisions if d["groups"]))
    timed = _datasets(study, (d["dataset"] for d in study.divisions if d["method"] == "time"))
    if grouped:
        said = f"No group of rows{grouped} was divided between training and test."
        yield Sentence(said, ("6b",), ("12a",))
    if timed:
        said = f"Test rows{timed} are later than the rows that the models were trained on."
        yield Sentence(said, ("6b",), ("12a",))


def _datasets(study: Study, found: Iterable[str]) -> str:
    names = list(dict.fromkeys(found))
    if not names:
        return ""
    alike = len(names) == study.several
    where = "any data set" if alike else words([study.dataset_label(n) for n in names], MOST)
    return f" of {where}"
