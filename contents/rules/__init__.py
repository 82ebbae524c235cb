"""Where and Order rules as SQL."""
