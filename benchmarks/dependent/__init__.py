"""How often tests reject a true null, and intervals cover, on rows that depend on each other."""
