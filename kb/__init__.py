"""kb: a knowledge base of Markdown files in git. Files are the truth; everything else is derived."""

__version__ = "0.1.0"
