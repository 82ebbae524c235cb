"""Settings of the server, which it asks for before there is a Django: their names and what holds without them."""

ENVIRONMENT = {
    "CMS_BIND_HOST": "127.0.0.1",
    "PORT": "8000",
    "CMS_WORKERS": "2",
    "CMS_THREADS": "4",
    "CMS_CLIENT_SECONDS": "10",
    "CMS_MAX_QUEUE": "100",
    "CMS_MAX_QUEUE_SECONDS": "2",
}
