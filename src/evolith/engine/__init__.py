"""Stages, queues, workers and the one committer: how items travel, whatever they carry."""
