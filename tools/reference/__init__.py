"""Writes the pages that are made from the code: `python -m tools.reference`."""
