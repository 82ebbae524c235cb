"""gunicorn's worker as this service runs it: slow clients hold no thread, and what it cannot bear is refused at once.

`worker` reads requests in its main thread until they are there; `arriving` knows when that is. A `queue` gives them to
threads in turn; `outgoing` keeps what clients have not taken yet of answers. A request that waits too long, finds too
many before it, or cannot be read gets one of the `answers`. `environment` has the names of
the settings.
"""
