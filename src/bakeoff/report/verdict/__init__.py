"""The answer in plain sentences: who wins, by how much, how sure, on what evidence."""

from bakeoff.report.verdict.answer import answer
from bakeoff.report.verdict.sentences import Kind, Verdict

__all__ = ["Kind", "Verdict", "answer"]
