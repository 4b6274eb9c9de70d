"""Tests of learning algorithms on the scores or the rows of folds."""
