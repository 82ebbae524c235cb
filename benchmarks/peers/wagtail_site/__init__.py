"""A Wagtail site whose articles have the members of our contents; peers.py measures it."""
