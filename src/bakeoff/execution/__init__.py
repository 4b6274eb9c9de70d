"""How Snakemake runs an experiment: what its rules need and do, in warm worker processes."""
