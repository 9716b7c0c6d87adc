"""The table in the terminal: `keys` (reading them), `drawing` (the table as text), `sitting`."""
