"""Execution of an experiment by Snakemake: inputs and steps of its rules, and warm workers."""
