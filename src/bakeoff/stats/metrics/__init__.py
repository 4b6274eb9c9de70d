"""Metrics with their influence functions, and the tests, intervals and families of any metric."""
