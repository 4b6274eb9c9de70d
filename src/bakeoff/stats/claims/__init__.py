"""Decisions: what a published claim is worth, whether a candidate may be released."""
