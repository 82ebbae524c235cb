"""Pages for newcomers: the start page, the explorer of the API, and the documentation."""
