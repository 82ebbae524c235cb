"""Earlier versions of a content, and what changed between them."""
