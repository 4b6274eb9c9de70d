"""Training runs crossed with test rows: tests of recipes, of which each run is one draw."""
