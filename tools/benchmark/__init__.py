"""What ``tools/bench`` and ``tools/gen_kb`` are made of. Standard library only; nothing of ``kb`` imports it."""
