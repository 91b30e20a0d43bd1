"""Reading queries: each a function from an open knowledge base and plain arguments to a frozen result. Never prints."""
