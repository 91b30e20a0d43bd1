"""Edits of the files: one each, a minimal splice, returning what changed. Never talks to a user."""
