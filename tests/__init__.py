"""The tests, and programs that measure or try the service."""

import tools  # noqa: F401 - finds the client of the service
