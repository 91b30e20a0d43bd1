"""Sources → entities and observations. Keys come from structure, never from prose."""
