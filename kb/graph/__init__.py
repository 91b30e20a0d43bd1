"""The graph derived from parsed files: identities, statements, adjacency. Pure; never reads a disk or a clock."""
