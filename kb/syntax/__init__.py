"""Text ⇄ model, pure: frontmatter, statement lines, dates, whole files, minimal edits. Never touches a disk."""
