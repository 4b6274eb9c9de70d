"""Tests of learning algorithms over several data sets."""
