"""The graph file on disk, kept as fresh as the files. Imports the store, the loader and the graph; never a query."""
