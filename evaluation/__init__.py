"""How exploitable a policy is: exactly in small games, by lower bounds in games of any size."""
