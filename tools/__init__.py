"""What the Makefile and CI use."""
