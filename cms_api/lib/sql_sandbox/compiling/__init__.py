"""From our own tree to one engine's SQL."""
