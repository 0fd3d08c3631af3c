"""Frozen data and the protocols at which others plug in. No I/O, no imports of ours but errors."""
