"""Measure how often each test rejects a null that is true: see `benchmarks.type1.__main__`."""
