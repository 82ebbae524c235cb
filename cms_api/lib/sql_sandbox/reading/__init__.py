"""From a client's text to our own tree."""
