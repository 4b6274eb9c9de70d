"""How models were asked: settings in which their logs differ, and logs that are not whole."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from bakeoff.data.readers import ENDED, OF_MODEL, PROMPTS, SETTINGS, UNFINISHED
from bakeoff.errors import joined

ASKED = "asked"
"""What tables of logs have beside them: how the model was asked, by the task."""
Asked: TypeAlias = Mapping[str, Any]
"""The settings of a log, the digests of its prompts, and what is not whole in it."""
_FIRST = ("num_fewshot", PROMPTS, "system_message", "temperature")
"""The settings that sentences name first."""
_MAY_BE_UNKNOWN = ("num_fewshot", "system_instruction")
"""Settings that stand in a file beside a log: without the file they are unknown, no default."""
_EXAMPLES = ("num_fewshot", "fewshot", "n_shot", "num_shots", "shots")
_OTHER_PROMPTS = "different prompts"
_GRADER = "grader"  # the role of a judge in logs of Inspect
_MODEL_OF_SCORER = ".model"  # the end of the setting that names the judge of a scorer
_LONGEST = 30
"""Letters of a value that is written out."""
_MOST_SETTINGS, _MOST_TASKS, _MOST_MODELS = 6, 3, 3


def how_asked(frame: pd.DataFrame, model: str | None = None) -> dict[str, Any]:
    """Return what a log says of how its model, or one of its models, was asked."""
    settings = frame.attrs.get(SETTINGS) or {}
    if model is not None:
        settings = settings.get(model) or {}
    facts = {key: frame.attrs[key] for key in (PROMPTS, ENDED, UNFINISHED) if key in frame.attrs}
    return {SETTINGS: dict(settings), **facts}


def asked_in_both(one: Asked, other: Asked) -> dict[str, Any]:
    """Join what two logs of one model and task say, which have the same settings."""
    both: dict[str, Any] = {**one, **other}
    if one.get(ENDED) and other.get(ENDED):
        both[ENDED] = dict(Counter(one[ENDED]) + Counter(other[ENDED]))
    elif one.get(ENDED):
        both[ENDED] = one[ENDED]
    return both


def cautions(by_model: Mapping[str, Mapping[str, Asked]]) -> tuple[str, ...]:
    """Say of the logs of models what was asked differently, and which of them are not whole."""
    return (
        *_marked_differently(by_model),
        *_asked_differently(by_model),
        *_unfinished(by_model),
        *_ended(by_model),
    )


def _marked_differently(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Say that the answers of models were marked by other judges."""
    judges: dict[str, str] = {}
    for model, by_task in by_model.items():
        for asked in by_task.values():
            for name, value in asked.get(SETTINGS, {}).items():
                of_scorer = name.endswith(_MODEL_OF_SCORER) and not name.startswith(OF_MODEL)
                if value is not None and (name == _GRADER or of_scorer):
                    judges[model] = str(value)
    if len(set(judges.values())) < 2:
        return []
    marked = [f"{model} was marked by {judge}" for model, judge in judges.items()]
    return [f"{', '.join(marked[:_MOST_SETTINGS])}: their difference is one of judges, too."]


def lacking_share(by_task: Mapping[str, Asked]) -> float:
    """Return the largest share of rows that a log of a model has not; 1 where nobody knows."""
    parts = [asked[UNFINISHED]["lacking"] for asked in by_task.values() if asked.get(UNFINISHED)]
    return max((1.0 if part is None else float(part) for part in parts), default=0.0)


def _asked_differently(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Name the settings in which models differ, once for the tasks that differ alike."""
    tasks = sorted({task for by_task in by_model.values() for task in by_task})
    alike: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        asked = {model: by_task[task] for model, by_task in by_model.items() if task in by_task}
        if phrases := _differences(asked):
            alike.setdefault((_names(list(asked)), phrases), []).append(task)
    sentences = []
    for (models, phrases), of_tasks in list(alike.items())[:_MOST_TASKS]:
        where = "" if len(of_tasks) == len(tasks) else f" in {_few(of_tasks, 'tasks')}"
        sentences.append(f"{models} were asked differently{where}: {phrases}.")
    if len(alike) > _MOST_TASKS:
        more = sum(map(len, list(alike.values())[_MOST_TASKS:]))
        sentences.append(f"They were asked differently in {more} other tasks too.")
    return sentences


def _differences(asked: Mapping[str, Asked]) -> str:
    """Write the settings of a task in which models differ; empty where there is none."""
    if len(asked) < 2:
        return ""
    settings = {model: one.get(SETTINGS, {}) for model, one in asked.items()}
    names = {name for one in settings.values() for name in one if not name.startswith(OF_MODEL)}
    values = {name: _values(name, settings) for name in names - {PROMPTS}}
    differ = [name for name, given in values.items() if len(set(map(_key, given.values()))) > 1]
    if _other_prompts(list(asked.values())):
        differ.append(PROMPTS)
    differ.sort(key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    by_model = len(asked) > 2
    phrases = [
        _OTHER_PROMPTS if name == PROMPTS else _phrase(name, values[name], by_model=by_model)
        for name in differ[:_MOST_SETTINGS]
    ]
    if len(differ) > _MOST_SETTINGS:
        phrases.append(f"and {len(differ) - _MOST_SETTINGS} other settings")
    return ", ".join(dict.fromkeys(phrases))


def _values(name: str, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a setting of each model of which it is known; None is the default."""
    return {
        model: one.get(name)
        for model, one in settings.items()
        if name in one or name not in _MAY_BE_UNKNOWN
    }


def _other_prompts(asked: Sequence[Asked]) -> bool:
    """Tell whether a question that two logs share was asked by other prompts."""
    first: dict[str, str] = {}
    for one in asked:
        for question, prompt in one.get(PROMPTS, {}).items():
            if first.setdefault(question, prompt) != prompt:
                return True
    return False


def _phrase(name: str, values: Mapping[str, Any], *, by_model: bool) -> str:
    """Write a setting with its values, in the order of two models; or that long values differ."""
    words = name.replace("_", " ")
    texts = {model: _text(value) for model, value in values.items()}
    if None in texts.values():
        if "system" in name:
            return "different system prompts"
        return _OTHER_PROMPTS if name.endswith("prompt") else f"different values of {name}"
    by_text: dict[str, list[str]] = {}
    for model, text in texts.items():
        by_text.setdefault(str(text), []).append(model)
    parts = [str(text) for text in texts.values()]
    if by_model:
        parts = [f"{text} ({_few(models, 'models')})" for text, models in by_text.items()]
    if name.rpartition(".")[2] in _EXAMPLES:
        return f"{joined(parts)} examples"
    return f"{words} {joined(parts)}"


def _key(value: Any) -> str:
    """Return what is equal for equal values, 0 and 0.0 too."""
    if isinstance(value, int | float):
        value = float(value)
    return json.dumps(value, sort_keys=True, default=str)


def _text(value: Any) -> str | None:
    """Write a short value; None for a long one."""
    if value is None:
        return "default"
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    text = " ".join(text.split()) or "''"
    return text if len(text) <= _LONGEST else None


def _names(models: Sequence[str]) -> str:
    """Name the models of a sentence."""
    return joined(models) if len(models) <= 2 * _MOST_MODELS else f"The {len(models)} models"


def _few(names: Sequence[str], what: str) -> str:
    """Name a few models or tasks, or count them."""
    return joined(names) if len(names) <= _MOST_MODELS else f"{len(names)} {what}"


def _unfinished(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Say which logs are not whole, and why, once for the models that a log is of."""
    alike: dict[tuple[str, str], list[str]] = {}
    for model, by_task in by_model.items():
        why = {task: one[UNFINISHED]["why"] for task, one in by_task.items() if UNFINISHED in one}
        if not why:
            continue
        task, first = next(iter(why.items()))
        more = f"; so are its logs of {len(why) - 1} other tasks" if len(why) > 1 else ""
        where = f" for {task}" if task else ""
        alike.setdefault((where, f"{first}{more}"), []).append(model)
    sentences = []
    for (where, text), models in alike.items():
        are = "log of {}{} is" if len(models) == 1 else "logs of {}{} are"
        sentences.append(f"The {are.format(joined(models), where)} not whole: {text}.")
    return sentences


def _ended(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Count the samples that a limit ended before the model was done."""
    parts = []
    for model, by_task in by_model.items():
        limits: Counter[str] = Counter()
        for asked in by_task.values():
            limits.update(asked.get(ENDED) or {})
        if limits:
            which = joined([f"{name} limit" for name in sorted(limits)])
            parts.append(f"{limits.total():,} of {model} ({which})")
    return [f"A limit ended samples before the model was done: {joined(parts)}."] if parts else []
