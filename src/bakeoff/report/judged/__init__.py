"""Answers about judged evaluations: sentences, tables, figures, and the page of all."""
