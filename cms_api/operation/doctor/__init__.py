"""Looks at an installation and says in plain words what is wrong or risky: `manage.py doctor`."""
