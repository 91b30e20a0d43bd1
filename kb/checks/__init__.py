"""Rules over a loaded knowledge base: one function each, returning diagnostics. Never writes, never raises."""
