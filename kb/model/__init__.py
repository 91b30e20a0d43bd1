"""The values of a knowledge base: frozen, without I/O. Imports the standard library and ``diagnostics`` only."""
