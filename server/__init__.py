"""The server: gunicorn's configuration and hooks, its worker (`serving`), and restarts without lost requests."""
