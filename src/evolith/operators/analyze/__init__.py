"""What a mutation is told about the rollouts."""
