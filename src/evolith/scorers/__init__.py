"""How a trajectory is judged: one scorer a file."""
