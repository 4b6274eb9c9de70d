"""Names asked for become a plan, the plan with its evidence becomes comparisons."""
