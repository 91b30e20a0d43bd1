"""Results → text and JSON. Never computes an answer."""
