"""How a new artifact is made."""
