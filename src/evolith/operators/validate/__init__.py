"""Cheap comparisons before the validation split is run."""
