"""Where agents meet people."""
