"""A whole site in one file, a JSON object a line, out of one installation and into the same or another one.

docs/site-files.md tells what is in it. `members` says what the rows of each kind hold, `lines` how they become a file
and are read again, `exporting` writes one, `checking` looks through one, `importing` makes a site of it.
"""
