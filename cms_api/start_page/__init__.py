"""What people meet first: the start page, the explorer of the API, and the documentation."""
