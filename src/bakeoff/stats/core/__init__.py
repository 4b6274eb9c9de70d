"""What every room of statistics needs: results, catalogue, checks, multiplicity, distributions."""
