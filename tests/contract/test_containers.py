"""What is shipped for containers and conda names what there is, as pyproject.toml does."""

import re
import runpy
import tomllib

import yaml

from tests.conftest import ROOT

# conda-forge's names; its snakemake comes with what reports need
NAMES = {"matplotlib": "matplotlib-base", "xgboost-cpu": "py-xgboost-cpu"}


def requirement(text):
    found = re.fullmatch(r"([\w-]+)(?:\[\w+\])? ?(.*)", text)
    assert found
    return NAMES.get(found[1], found[1]), found[2]


def everything(project):
    """What the package needs, with the extras that `make` installs too."""
    extras = project["optional-dependencies"]
    (all_,) = extras["all"]
    names = re.fullmatch(r"bakeoff\[(.*)\]", all_)
    assert names
    return [*project["dependencies"], *(one for n in names[1].split(",") for one in extras[n])]


def test_conda_environment_asks_for_what_pyproject_does():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*everything(project), *project["optional-dependencies"]["slurm"]]
    wanted.append(f"python {project['requires-python']}")
    environment = yaml.safe_load((ROOT / "environment.yaml").read_text())
    given = dict(map(requirement, environment["dependencies"]))
    assert given.pop("pip") == ""
    assert given == dict(map(requirement, wanted))


def test_snakemake_deploys_the_versions_of_the_lock():
    written = runpy.run_path(str(ROOT / "requirements/conda.py"))
    file = ROOT / "workflow/envs/bakeoff.yaml"
    assert file.read_text() == written["text"](), "python requirements/conda.py writes it"
    *_, pip = yaml.safe_load(file.read_text())["dependencies"]
    asked = [re.match(r"[\w-]+", line)[0] for line in pip["pip"]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [requirement(line)[0] for line in everything(project)]
    theirs = [NAMES.get(name, name) for name in asked]
    assert set(theirs) == {"bakeoff", *wanted} - {"snakemake"}


def test_container_files_copy_what_is_there():
    docker = (ROOT / "Dockerfile").read_text()
    definition = (ROOT / "apptainer.def").read_text()
    action = (ROOT / "action.yml").read_text()
    for text in (docker, definition, action):
        installs = re.findall(r"(?m)^.*(?:pip install --no-cache|\{install\[@\]\}).*$", text)
        assert len(installs) == 2
        assert all(
            re.search("--require-hashes|--no-deps --no-build-isolation", i) for i in installs
        )
    assert re.search(r"(?m)^USER (?!root|0)", docker)
    lines = [line.split() for line in docker.splitlines() if line.startswith("COPY")]
    copied = [path for line in lines for path in line[1:-1]]
    files = definition.partition("%files\n")[2].partition("\n\n")[0]
    copied += [line.split()[0] for line in files.splitlines()]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    images = re.findall(r"(?m)^F(?:ROM|rom:) (\S+)", docker + definition)
    assert len(images) == 2
    assert len(set(images)) == 1
