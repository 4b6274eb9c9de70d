"""How rows hang together: groups and time, and what that does to standard errors and signs."""
