"""What brings stale work up to date."""
