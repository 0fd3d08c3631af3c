"""What others need to test their own parts: suites, scripted models, stores in memory."""
