"""The verdict as data: what `verdict.json` holds, whatever words the sentences have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bakeoff.comparisons.run_tests import Comparison
from bakeoff.report.sentences import Sentence
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict
from bakeoff.stats.core.result import plain

CAUTIONS = {
    "inflated",
    "inflated_here",
    "not_simulated",
    "not_exchangeable",
    "disagreement",
    "check_scores",
    "leakage",
    "exchanged",
    "excluded",
    "left_out",
    "left_out_over_datasets",
    "results",
    "undeclared",
    "runs",
    "rare_classes",
    "none_possible",
    "uncorrected",
    "depends_on",
}
"""Codes of sentences that speak against the answer, or that limit it."""


def verdict_data(study: Study, verdict: Verdict) -> dict[str, Any]:
    """Return kind, leader, the comparison that decides, and sentences with their codes."""
    sentences = (*verdict.main, *verdict.folded)
    leader = study.label(verdict.leader) if verdict.leader else None
    return {
        "kind": verdict.kind.value,
        "headline": verdict.headline,
        "sentences": list(verdict.sentences),
        "metric": study.metric.name,
        "greater_is_better": study.metric.greater_is_better,
        "leader": leader,
        "comparison": _comparison(study, verdict.comparison),
        "cautions": _coded(sentence for sentence in sentences if sentence.code in CAUTIONS),
        "findings": _coded(sentence for sentence in sentences if sentence.code not in CAUTIONS),
    }


def _comparison(study: Study, row: Comparison | None) -> dict[str, Any] | None:
    """Return the comparison of the evidence: the estimate is positive where A is better."""
    if row is None:
        return None
    content: dict[str, Any] = plain(
        {
            "test": row.test,
            "model_a": study.label(row.model_a),
            "model_b": study.label(row.model_b) if row.model_b else None,
            "dataset": row.dataset or None,
            "plan": row.plan,
            "metric": row.metric,
            "n": row.n,
            "alternative": row.alternative,
            "estimate": row.estimate,
            "ci_low": row.ci_low,
            "ci_high": row.ci_high,
            "confidence": row.confidence,
            "pvalue": row.pvalue,
            "pvalue_adjusted": row.pvalue_adjusted,
            "correction": row.correction,
            "family_size": row.family_size,
            "alpha": row.alpha,
            "p_a_better": row.p_a_better,
            "p_equivalent": row.p_equivalent,
            "p_b_better": row.p_b_better,
            "decision": row.decision.value,
            "status": row.status,
        }
    )
    return content


def _coded(sentences: Iterable[Sentence]) -> list[dict[str, str]]:
    """Return sentences with their codes."""
    return [{"code": sentence.code, "text": str(sentence)} for sentence in sentences]
