"""The append-only log of a run, and what it adds up to."""
