"""Traversals: walks through the betting tree that produce samples for the memories."""
