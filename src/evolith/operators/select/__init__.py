"""Which candidate to change next, on which tasks, by which operator."""
