"""Models of an experiment: estimators, preprocessing, and choices in training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from bakeoff.errors import shown
from bakeoff.keys import (
    DOTTED,
    ClassName,
    Label,
    SpecSection,
    ValueOrKeys,
    has_keys,
    said,
    with_numbers,
)

Choices = Annotated[list[Any], Field(min_length=1)]
Range = Annotated[list[float], Field(min_length=2, max_length=2)]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
WholeRange = Annotated[list[Whole], Field(min_length=2, max_length=2)]
Criterion = Literal[
    "accuracy", "balanced_accuracy", "cost", "f1", "jaccard", "kappa", "mcc", "youden"
]


class ChosenThreshold(SpecSection):
    """A threshold that each fit chooses on its training part."""

    choose: Criterion
    """What the out-of-fold predictions of the training rows are to make best: accuracy, balanced
    accuracy, F1, Jaccard index, Cohen's kappa, Matthews correlation, Youden's J, or the cost by the
    experiment's `costs:`."""
    cv: int = Field(5, ge=2, le=100, description="Inner folds that make these predictions.")


class Distribution(SpecSection):
    """Values to draw from; one of the three."""

    uniform: Range | None = Field(None, description="[low, high], any number between.")
    loguniform: Range | None = None
    """[low, high], both above 0; the logarithm is uniform."""
    randint: WholeRange | None = Field(None, description="[low, high], whole numbers, both ends.")

    @model_validator(mode="after")
    def _one_range(self) -> Distribution:
        ranges = self.model_dump(exclude_none=True)
        if len(ranges) != 1:
            raise said("expected a list of values or one of uniform, loguniform, randint")
        for kind, (low, high) in ranges.items():
            expected = "low < high"
            is_valid = low < high
            # a logarithm is of what is above 0
            if kind == "loguniform":
                expected = "0 < low < high"
                is_valid = 0 < low < high
            if not is_valid:
                raise said(
                    f"found {kind}: [{low:g}, {high:g}], expected [low, high] with {expected}"
                )
        return self


class Tune(SpecSection):
    """Search for parameters inside each training part: by inner folds, or by validation rows."""

    search: Literal["grid", "random"] = "grid"
    """`grid`: every combination; `random`: `n_iter` drawn ones."""
    space: Annotated[
        dict[str, ValueOrKeys[Choices, Distribution]],
        Field(min_length=1),
    ]
    """Values of the estimator's own parameters: a list, or `{loguniform: [1e-4, 10]}`, `{uniform:
    [0, 1]}`, `{randint: [1, 20]}`. A parameter of another step is written `<step>__<parameter>`."""
    cv: int | None = Field(5, ge=2, le=100)
    """Inner folds, stratified; whole groups with `groups:`, the past before the future with
    `time:`."""
    validation: float | None = Field(None, gt=0, lt=1)
    """In place of `cv`: the share of the training rows that is set apart to compare the parameters
    on, divided likewise (training, validation and test rows: a three-way holdout). The best ones
    are fitted again on the whole training part."""
    scoring: str = "accuracy"
    """What to search for: the name of a metric, or of a scorer of scikit-learn."""
    n_iter: int | None = Field(None, ge=1)
    """Combinations that `random` draws; default: 10."""

    @model_validator(mode="before")
    @classmethod
    def _folds_or_validation(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or values.get("validation") is None:
            return values
        # the default of `cv` would be a second way; one that is written stays, and is refused
        return {"cv": None, **values}

    @model_validator(mode="after")
    def _search_fits_space(self) -> Tune:
        if (self.cv is None) == (self.validation is None):
            found = "both"
            if self.cv is None:
                found = "neither"
            raise said(f"expected `cv` (inner folds) or `validation` (a share), found {found}")
        if self.search == "random":
            return self
        for name, values in self.space.items():
            if isinstance(values, Distribution):
                raise said(f"a grid needs lists of values, {name} has none: use `search: random`")
        if self.n_iter is not None:
            raise said("`n_iter` is for `search: random`; a grid tries everything")
        return self


ImportPath = Annotated[
    str,
    Field(
        pattern=DOTTED,
        description="Import path of a class, e.g. sklearn.linear_model.LogisticRegression.",
    ),
]
Seconds = Annotated[float, Field(gt=0)]
# Python and its libraries alone take more
Megabytes = Annotated[int, Field(ge=100)]


def _of_estimator(key: str, values: Mapping[Any, Any]) -> str:
    """Say where parameters of an estimator stand."""
    if "estimator" not in values:
        return ""
    written = shown(values[key])
    return f"; a parameter of the estimator goes under `params:`, `params: {{{key}: {written}}}`"


class Step(SpecSection):
    """One step of a pipeline."""

    estimator: ImportPath
    params: dict[str, Any] = Field({}, description="The step's own parameters.")
    name: str | None = Field(None, min_length=1)
    """Name of the step, for `tune.space`; default: its class in lower case."""

    @classmethod
    def _advice_on(cls, key: str, values: Mapping[Any, Any]) -> str:
        return _of_estimator(key, values)


def _kind_of_step(value: Any) -> str:
    """Name the kind of a step, as `AnyStep` tags it."""
    if isinstance(value, str):
        return "path"
    return "step"


AnyStep = Annotated[
    Annotated[ImportPath, Tag("path")] | Annotated[Step, Tag("step")],
    Discriminator(_kind_of_step),
]
Steps = Annotated[list[AnyStep], Field(min_length=1)]


def _kind_of_preprocessing(value: Any) -> str:
    """Name the kind of a preprocessing, as `Preprocessing` tags it."""
    if has_keys(value):
        return "step"
    if isinstance(value, list):
        return "steps"
    if "." in str(value):
        return "path"
    return "word"


Preprocessing = Annotated[
    Annotated[Literal["auto", "none"], Tag("word")]
    | Annotated[ImportPath, Tag("path")]
    | Annotated[Step, Tag("step")]
    | Annotated[Steps, Tag("steps")],
    Discriminator(_kind_of_preprocessing),
]
AS_PASSED = "as_passed"
"""The step that only gives columns the types that a call from Python passed them with."""
_TEXTS = ("label", "features", "drop")
_NOT_RESOURCES = {
    "threads": "threads: {}",
    "cores": "threads: {}",
    "mem": "mem_mb:",
    "mem_mib": "mem_mb:",
    "disk": "disk_mb:",
    "disk_mib": "disk_mb:",
}
"""Names of Snakemake's resources that a model says otherwise, each with what to write."""
ClassWeights = Annotated[dict[ClassName, Annotated[float, Field(ge=0)]], Field(min_length=1)]
Resource = Annotated[str, Field(min_length=1, pattern=r"^\S+$")]


class Model(SpecSection):
    """A scikit-learn-compatible classifier or regressor."""

    retired: ClassVar[Mapping[str, str]] = {
        "results": "name the files of the other run in `predictions:`",
        "early_stopping": "set the estimator's own parameters under `params:`",
    }
    estimator: ImportPath | None = None
    """Import path of the class, e.g. sklearn.linear_model.LogisticRegression."""
    params: dict[str, Any] = Field({})
    """The estimator's own parameters. Among them `{estimator: …, params: …}` stands for an
    estimator, `{object: …, args: […], params: …}` for any other object, by the import path of the
    class or function that makes it, and `{function: …}` for a function, or a class such as
    `numpy.float32`, itself."""
    steps: Steps | None = None
    """Instead of `estimator`: the steps of a pipeline, the estimator last; each an import path or
    `{estimator: …, params: …, name: …}`."""
    label: Label | None = None
    preprocessing: Preprocessing = "auto"
    """`auto`: columns that are not numbers are encoded, missing values imputed where the estimator
    takes none, numbers scaled for estimators that are not made of trees; all of it fitted inside
    each training fold. `none`: the estimator gets the columns as they are. Or your own: a
    transformer's import path, `{estimator: …, params: …}`, or a list of them. Default: `auto`, and
    `none` with `steps`."""
    features: list[str] | None = Field(None, min_length=1)
    """Columns this model learns from; default: all features."""
    drop: list[str] = Field([], description="Features this model does without.")
    reads: list[str] = Field([])
    """Files and folders that code of your own reads, like `[weights.json]`: when their contents
    change, the model is fitted again. Relative like the paths of data."""
    tune: Tune | None = None
    """Search for parameters inside each training part (nested CV)."""
    threshold: ValueOrKeys[float, ChosenThreshold] | None = None
    """Two classes only: predict the positive one from this probability on (or decision value, where
    there are no probabilities); or `{choose: f1}`. Default: the estimator's own way."""
    class_weight: ValueOrKeys[Literal["balanced"], ClassWeights] | None = None
    """`balanced`, or `{class: weight}` (others weigh 1): by the estimator's own parameter, or else
    by sample weights."""
    seeds: int = Field(1, ge=1, le=1000)
    """Fits per fold, each with another seed of the algorithm: a fold's score is their mean. On the
    holdout `recipe_difference` compares all of them; tests that look at the rows of a single fit do
    not run."""
    deterministic: bool | None = None
    """Whether training has no random part, so that one fit is all there is of it; comparisons of
    recipes over several `seeds` take such a model for fixed. Default: what scikit-learn's estimator
    says."""
    keep: bool | None = None
    """Whether the fitted model of every fit is kept, as a pickle of joblib beside its predictions;
    default: what the experiment says."""
    importance: bool = False
    """Whether permutation importance is measured: how much the score on the test rows of each fit
    falls when the values of a column are shuffled. The score is the first metric, or accuracy
    (RMSE of a regression) where scikit-learn does not have it."""
    threads: int = Field(1, ge=1, le=1000)
    """Threads of one fit; also given to n_jobs where the estimator has it."""
    resources: dict[
        Annotated[str, Field(pattern=r"^[a-z]\w*$")], Annotated[int, Field(ge=0)] | Resource
    ] = Field({})
    """What its fits ask an executor for, by the names of Snakemake's resources: `{gpu: 1, mem_mb:
    16000, runtime: 240, slurm_partition: gpu}`. No result depends on it, and an edit refits
    nothing."""
    timeout: Seconds | None = None
    """Seconds after which a fit is ended; default: the experiment's."""
    memory: Megabytes | None = None
    """MB of memory beyond which the process of a fit is ended; default: the experiment's."""

    @classmethod
    def _advice_on(cls, key: str, values: Mapping[Any, Any]) -> str:
        return _of_estimator(key, values)

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, values: Any) -> Any:
        """Read numbers like ``1e-3``, and give steps no preprocessing."""
        if not isinstance(values, Mapping):
            return values
        read = {}
        for key, value in values.items():
            read[key] = value
            # a column may be called 1e-3
            if key not in _TEXTS:
                read[key] = with_numbers(value)
        if "steps" in read:
            read.setdefault("preprocessing", "none")
        return read

    @model_validator(mode="after")
    def _one_way_to_say_it(self) -> Model:
        for name, value in self.resources.items():
            # of one resource in several units, models or a profile that differ in them clash
            if name in _NOT_RESOURCES:
                instead = _NOT_RESOURCES[name].format(value)
                raise said(f"found {name} among `resources:`: write `{instead}`")
        if (self.estimator is None) == (self.steps is None):
            found = "both"
            if self.estimator is None:
                found = "neither"
            raise said(
                "expected `estimator:` (an import path) or `steps:` (a list of them), found "
                f"{found}"
            )
        if self.steps is not None and self.params:
            raise said("with `steps:` each step has its own `params:`; the model has none")
        return self

    @property
    def parts(self) -> list[Step]:
        """The steps of the model, the estimator last."""
        if self.estimator is not None:
            return [Step(estimator=self.estimator, params=self.params, name=None)]
        return _as_steps(self.steps or [])

    @property
    def own_preprocessing(self) -> list[Step]:
        """The steps of `preprocessing`; none for `auto` and `none`."""
        if self.preprocessing in ("auto", "none"):
            return []
        if isinstance(self.preprocessing, list):
            return _as_steps(self.preprocessing)
        return _as_steps([self.preprocessing])

    @property
    def imports(self) -> list[str]:
        """Every import path that the model names, each once."""
        paths = []
        values: list[Any] = []
        for step in self.own_preprocessing + self.parts:
            paths.append(step.estimator)
            values += step.params.values()
        if self.tune is not None:
            values += self.tune.space.values()
        for value in mappings(values):
            if is_function(value):
                paths.append(str(value["function"]))
            elif is_nested(value):
                paths.append(str(maker(value)))
        return list(dict.fromkeys(paths))

    @property
    def needs_costs(self) -> bool:
        """Whether a fit depends on what errors cost."""
        return isinstance(self.threshold, ChosenThreshold) and self.threshold.choose == "cost"

    @property
    def chooses(self) -> bool:
        """Whether each fit chooses something that choices.csv lists."""
        return isinstance(self.threshold, ChosenThreshold) or self.tune is not None


def _as_steps(steps: Sequence[str | Step]) -> list[Step]:
    """Write out the short forms of steps."""
    written_out = []
    for step in steps:
        if isinstance(step, str):
            written_out.append(Step(estimator=step, params={}, name=None))
        else:
            written_out.append(step)
    return written_out


# --- objects among the parameters


def is_nested(value: Any) -> bool:
    """Tell whether a parameter's value stands for an object: an estimator, or any other."""
    if not isinstance(value, Mapping):
        return False
    keys = set(value)
    is_named = "estimator" in keys or "object" in keys
    is_allowed = keys <= {"estimator", "params"} or keys <= {"object", "args", "params"}
    return is_named and is_allowed and not isinstance(maker(value), (list, Mapping))


def maker(value: Mapping[str, Any]) -> Any:
    """Return the import path of the class or function that makes a nested object."""
    if "estimator" in value:
        return value["estimator"]
    return value["object"]


def is_function(value: Any) -> bool:
    """Tell whether a value, ``{function: numpy.log1p}``, stands for a function or a class."""
    return isinstance(value, Mapping) and set(value) == {"function"}


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """List the mappings in a parameter's value, each before those inside it."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from mappings(inner)
