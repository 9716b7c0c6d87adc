"""Search at the table: subgames, their solver, and agents that re-solve (DeepStack, 2017)."""
