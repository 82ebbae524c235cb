"""Actions on chosen contents."""
