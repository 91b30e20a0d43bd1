"""Programs that the benchmark runs in processes of their own: each is a script with its arguments in its first line."""
