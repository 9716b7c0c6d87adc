"""Who can sit at the table."""
