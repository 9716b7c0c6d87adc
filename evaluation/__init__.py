"""How good a policy is: exact measures on games small enough for them."""
