"""Bytes on disk and in git: layout, reading, guarded writes, history. Never looks into a text."""
