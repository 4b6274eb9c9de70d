"""What a model asks an executor for, on its way from the experiment to the rules."""

from types import SimpleNamespace

import pytest
from snakemake.resources import Resources

from bakeoff.errors import UserError
from bakeoff.execution.snakemake_ways import asked
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment
from tests.conftest import TINY


def asking(per="fold", **resources):
    models = {
        name: TINY["models"][name] | {"resources": resources.get(name, {})}
        for name in ("tree", "bayes")
    }
    changes = {"models": models, "execution": {"jobs_per": per}, "tests": {"run": ["mcnemar"]}}
    return load_experiment(TINY | changes)


def test_a_rule_is_given_what_is_asked_for_and_else_the_default_of_the_run():
    defaults = Resources.from_mapping({"mem_mb": lambda wildcards, attempt: 100 * attempt})
    workflow = SimpleNamespace(
        resource_settings=SimpleNamespace(_parsed_default_resources=defaults)
    )
    own = {"a": {"mem_mb": 700, "gpu": 1}, "b": {}}
    needed = {name: lambda wc, name=name: own[wc.model].get(name) for name in ("mem_mb", "gpu")}
    found = asked(workflow, needed)
    values = {
        model: {name: of(SimpleNamespace(model=model), attempt=2) for name, of in found.items()}
        for model in own
    }
    assert values == {"a": {"mem": 700, "gpu": 1}, "b": {"mem": 200, "gpu": None}}


@pytest.mark.parametrize("name", ["mem_mb", "disk_mb", "runtime", "gpu"])
def test_a_model_that_asks_for_none_has_none_where_the_run_has_no_default(name):
    settings = SimpleNamespace(_parsed_default_resources=Resources.default("bare"))
    own = {"a": 700, "b": None}
    found = asked(SimpleNamespace(resource_settings=settings), {name: lambda wc: own[wc.model]})
    rule = Resources.from_mapping(found)  # as Snakemake takes what a rule says

    def job(model):
        wildcards = SimpleNamespace(model=model)
        return dict(rule.expand_items(constraints={}, evaluate=lambda r: r.evaluate(wildcards)))

    assert [job(model)[name] for model in own] == [700, None]


@pytest.mark.parametrize(
    ("resources", "why"),
    [
        ({"threads": 4}, "write `threads: 4`"),
        ({"mem": "16GB"}, "found mem among `resources:`: write `mem_mb:`"),
        ({"disk_mib": 900}, "found disk_mib among `resources:`: write `disk_mb:`"),
        ({"GPU": 1}, "GPU"),
        ({"gpu": -1}, "gpu"),
        ({"gpu": 1.5}, "gpu"),
        ({"slurm_partition": "a b"}, "slurm_partition"),
    ],
)
def test_resources_that_no_executor_takes_are_refused(resources, why):
    with pytest.raises(UserError) as caught:
        asking(tree=resources)
    assert "models.tree" in str(caught.value)
    assert why in str(caught.value)


def test_models_of_one_job_share_its_texts():
    texts = {"tree": {"slurm_partition": "gpu", "mem_mb": 1}, "bayes": {"slurm_partition": "cpu"}}
    (problem,) = check_experiment(asking("dataset", **texts))[0]
    assert problem.path == ("models", "bayes", "resources", "slurm_partition")
    assert "jobs_per: model" in problem.message
    assert not check_experiment(asking("model", **texts))[0]
    assert not check_experiment(asking("dataset", tree={"mem_mb": 1}, bayes={"mem_mb": 2}))[0]
