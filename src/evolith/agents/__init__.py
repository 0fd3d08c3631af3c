"""How an artifact is run on a task."""
