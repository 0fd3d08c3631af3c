"""How fast Evolith and its peers reach a true score, on a simulated model with seeded answers."""
