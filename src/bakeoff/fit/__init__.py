"""Build an estimator from its spec, fit it on one split, predict, measure."""
