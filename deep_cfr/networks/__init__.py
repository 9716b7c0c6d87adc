"""From infosets to outputs: features, networks, strength tables, and networks as policies."""
