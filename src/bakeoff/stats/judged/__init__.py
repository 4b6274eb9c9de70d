"""Judged evaluations: preferences, judges checked by people, looks at a running evaluation."""
