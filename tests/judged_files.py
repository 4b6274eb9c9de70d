"""Files of judged evaluations: battles, marks, and an evaluation that still runs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd


def write_all():
    """Write battles.jsonl, marks.csv and running.csv into the working folder."""
    rng = np.random.default_rng(7)
    battles = []
    for prompt in range(200):
        lean = rng.normal(0.5, 1)
        for a, b in (("ours", "base"), ("base", "ours")):
            for judge in ("gpt", "claude"):
                towards_a = (lean if a == "ours" else -lean) + 0.3
                wins = rng.random() < 1 / (1 + np.exp(-towards_a))
                winner = "tie" if rng.random() < 0.2 else ("model_a" if wins else "model_b")
                row = {"question_id": prompt, "model_a": a, "model_b": b, "winner": winner}
                battles.append({**row, "judge": judge})
    Path("battles.jsonl").write_text("\n".join(map(json.dumps, battles)) + "\n")
    n = 1000
    labelled = rng.permutation(n) < 200
    right = {"A": rng.random(n) < 0.7}
    right["B"] = np.where(rng.random(n) < 0.3, rng.random(n) < 0.75, right["A"])
    parts = []
    for model, of_people in right.items():
        judge = np.where(rng.random(n) < 0.9, of_people, ~of_people)
        if model == "B":
            judge |= rng.random(n) < 0.3
        part = pd.DataFrame({"item": range(1, n + 1), "model": model, "judge": judge.astype(int)})
        part["human"] = np.where(labelled, of_people.astype(int), np.nan)
        parts.append(part)
    pd.concat(parts).astype({"human": "Int64"}).to_csv("marks.csv", index=False)
    running = pd.DataFrame({"id": range(1, 431), "A": right["A"][:430] * 1})
    running["B"] = np.where(rng.random(430) < 0.06, 1, running["A"])
    running.to_csv("running.csv", index=False)
