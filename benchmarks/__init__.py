"""How fast everything is. `all` runs every benchmark and prints one table."""
