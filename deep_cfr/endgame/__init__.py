"""The last streets, learned from solved subgames: what is taught, the network, its fit."""
