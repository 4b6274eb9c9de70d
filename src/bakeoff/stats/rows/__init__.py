"""Tests of fitted models on the rows of one test set, also where rows come in groups or in time."""
