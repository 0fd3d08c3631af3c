"""Select, analyze, mutate, validate and gate: one policy a file."""
