"""Learning from memories: merging samples, fits from scratch, and the strength regression."""
