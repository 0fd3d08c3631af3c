"""Evolith makes an LLM agent better at its owner's tasks: evolve your agent, keep every gain."""
