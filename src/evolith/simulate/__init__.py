"""Runs on a toy world and a clock of its own: what settings would do, before a call is paid."""
