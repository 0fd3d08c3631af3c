"""Algorithms: each a choice of operators and their settings."""
