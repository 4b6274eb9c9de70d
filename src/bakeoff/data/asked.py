"""How models were asked: settings in which their logs differ, and logs that are not whole."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from bakeoff.data.readers.common import (
    ENDED,
    OF_MODEL,
    PROMPTS,
    SETTINGS,
    UNFINISHED,
)
from bakeoff.errors import joined

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
_MOST_SETTINGS = 6
_MOST_TASKS = 3
_MOST_MODELS = 3


# --- what logs say


def how_asked(frame: pd.DataFrame, model: str | None = None) -> dict[str, Any]:
    """Return what a log says of how its model, or one of its models, was asked."""
    settings = frame.attrs.get(SETTINGS) or {}
    if model is not None:
        settings = settings.get(model) or {}
    asked = {SETTINGS: dict(settings)}
    for key in (PROMPTS, ENDED, UNFINISHED):
        if key in frame.attrs:
            asked[key] = frame.attrs[key]
    return asked


def asked_in_both(first: Asked, second: Asked) -> dict[str, Any]:
    """Join what two logs of one model and task say, which have the same settings."""
    both: dict[str, Any] = {**first, **second}
    if first.get(ENDED):
        both[ENDED] = dict(Counter(first[ENDED]) + Counter(second.get(ENDED) or {}))
    return both


def lacking_share(by_task: Mapping[str, Asked]) -> float:
    """Return the largest share of rows that a log of a model has not; 1 where nobody knows."""
    shares = [0.0]
    for asked in by_task.values():
        unfinished = asked.get(UNFINISHED)
        if not unfinished:
            continue
        share = unfinished["lacking"]
        if share is None:
            share = 1.0
        shares.append(float(share))
    return max(shares)


def cautions(by_model: Mapping[str, Mapping[str, Asked]]) -> tuple[str, ...]:
    """Say of the logs of models what was asked differently, and which of them are not whole."""
    if not by_model:  # tables, which do not say how models were asked
        return ()
    sentences = _marked_differently(by_model) + _asked_differently(by_model)
    sentences += _unfinished(by_model) + _ended(by_model)
    return tuple(sentences)


# --- settings in which models differ


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


def _asked_differently(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Name the settings in which models differ, once for the tasks that differ alike."""
    tasks: set[str] = set()
    for by_task in by_model.values():
        tasks.update(by_task)
    # models and their differences, which several tasks may share
    tasks_by_difference: dict[tuple[str, str], list[str]] = {}
    for task in sorted(tasks):
        asked = {}
        for model, by_task in by_model.items():
            if task in by_task:
                asked[model] = by_task[task]
        phrases = _differences(asked)
        if phrases:
            difference = (_names(list(asked)), phrases)
            tasks_by_difference.setdefault(difference, []).append(task)
    sentences: list[str] = []
    n_more = 0
    for (models, phrases), alike in tasks_by_difference.items():
        if len(sentences) == _MOST_TASKS:
            n_more += len(alike)
            continue
        where = ""
        if len(alike) < len(tasks):
            where = f" in {_few(alike, 'tasks')}"
        sentences.append(f"{models} were asked differently{where}: {phrases}.")
    if n_more:
        sentences.append(f"They were asked differently in {n_more} other tasks too.")
    return sentences


def _differences(asked: Mapping[str, Asked]) -> str:
    """Write the settings of a task in which models differ; empty where there is none."""
    if len(asked) < 2:
        return ""
    settings = {model: log.get(SETTINGS, {}) for model, log in asked.items()}
    differing = {}
    for name in sorted(_names_of_settings(settings)):
        values = _values(name, settings)
        if len(set(map(_key, values.values()))) > 1:
            differing[name] = values
    names = list(differing)
    if _other_prompts(list(asked.values())):
        names.append(PROMPTS)
    names.sort(key=_order)
    phrases = []
    for name in names[:_MOST_SETTINGS]:
        if name == PROMPTS:
            phrases.append(_OTHER_PROMPTS)
        else:
            phrases.append(_phrase(name, differing[name], by_model=len(asked) > 2))
    if len(names) > _MOST_SETTINGS:
        phrases.append(f"and {len(names) - _MOST_SETTINGS} other settings")
    return ", ".join(dict.fromkeys(phrases))


def _names_of_settings(settings: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Name what models were asked with; prompts are compared question by question."""
    names: set[str] = set()
    for of_model in settings.values():
        for name in of_model:
            # what is about the model itself differs by nature
            if not name.startswith(OF_MODEL):
                names.add(name)
    return names - {PROMPTS}


def _values(name: str, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a setting of each model of which it is known; None is the default."""
    values = {}
    for model, of_model in settings.items():
        if name in of_model or name not in _MAY_BE_UNKNOWN:
            values[model] = of_model.get(name)
    return values


def _key(value: Any) -> str:
    """Return what is equal for equal values, 0 and 0.0 too."""
    if isinstance(value, int | float):
        value = float(value)
    return json.dumps(value, sort_keys=True, default=str)


def _order(name: str) -> tuple[int, str]:
    """Put some settings first, and the others in the order of the alphabet."""
    place = len(_FIRST)
    if name in _FIRST:
        place = _FIRST.index(name)
    return place, name


def _other_prompts(asked: Sequence[Asked]) -> bool:
    """Tell whether a question that two logs share was asked by other prompts."""
    first: dict[str, str] = {}
    for log in asked:
        for question, prompt in log.get(PROMPTS, {}).items():
            if first.setdefault(question, prompt) != prompt:
                return True
    return False


def _phrase(name: str, values: Mapping[str, Any], *, by_model: bool) -> str:
    """Write a setting with its values, in the order of two models; or that long values differ."""
    texts: dict[str, str] = {}
    for model, value in values.items():
        text = _text(value)
        if text is None:
            return _differ(name)
        texts[model] = text
    parts = list(texts.values())
    if by_model:
        models_by_text: dict[str, list[str]] = {}
        for model, text in texts.items():
            models_by_text.setdefault(text, []).append(model)
        parts = []
        for text, models in models_by_text.items():
            parts.append(f"{text} ({_few(models, 'models')})")
    if name.rpartition(".")[2] in _EXAMPLES:
        return f"{joined(parts)} examples"
    words = name.replace("_", " ")
    return f"{words} {joined(parts)}"


def _differ(name: str) -> str:
    """Say that long values of a setting differ."""
    if "system" in name:
        return "different system prompts"
    if name.endswith("prompt"):
        return _OTHER_PROMPTS
    return f"different values of {name}"


def _text(value: Any) -> str | None:
    """Write a short value; None for a long one."""
    if value is None:
        return "default"
    text = value
    if not isinstance(value, str):
        text = json.dumps(value, sort_keys=True, default=str)
    text = " ".join(text.split()) or "''"
    if len(text) > _LONGEST:
        return None
    return text


def _names(models: Sequence[str]) -> str:
    """Name the models of a sentence."""
    if len(models) <= 2 * _MOST_MODELS:
        return joined(models)
    return f"The {len(models)} models"


def _few(names: Sequence[str], what: str) -> str:
    """Name a few models or tasks, or count them."""
    if len(names) <= _MOST_MODELS:
        return joined(names)
    return f"{len(names)} {what}"


# --- logs that are not whole


def _unfinished(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Say which logs are not whole, and why, once for the models that a log is of."""
    models_by_reason: dict[tuple[str, str], list[str]] = {}
    for model, by_task in by_model.items():
        reasons = {}
        for task, log in by_task.items():
            if UNFINISHED in log:
                reasons[task] = log[UNFINISHED]["why"]
        if not reasons:
            continue
        task, reason = next(iter(reasons.items()))
        where = ""
        if task:
            where = f" for {task}"
        if len(reasons) > 1:
            reason += f"; so are its logs of {len(reasons) - 1} other tasks"
        models_by_reason.setdefault((where, reason), []).append(model)
    sentences = []
    for (where, reason), models in models_by_reason.items():
        logs = f"log of {joined(models)}{where} is"
        if len(models) > 1:
            logs = f"logs of {joined(models)}{where} are"
        sentences.append(f"The {logs} not whole: {reason}.")
    return sentences


def _ended(by_model: Mapping[str, Mapping[str, Asked]]) -> list[str]:
    """Count the samples that a limit ended before the model was done."""
    parts = []
    for model, by_task in by_model.items():
        limits: Counter[str] = Counter()
        for log in by_task.values():
            limits.update(log.get(ENDED) or {})
        if limits:
            names = joined([f"{name} limit" for name in sorted(limits)])
            parts.append(f"{limits.total():,} of {model} ({names})")
    if not parts:
        return []
    return [f"A limit ended samples before the model was done: {joined(parts)}."]
