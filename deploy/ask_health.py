"""Health check for containers: exits with 0 if this container's node is `live` or `ready`."""

import os
import sys
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

_SECONDS = 30  # health checks have a shorter timeout


def answers(question: str) -> bool:
    connection = HTTPConnection("127.0.0.1", int(os.environ.get("PORT") or 8000), timeout=_SECONDS)
    try:
        connection.request("GET", f"/api/v1/health/{question}")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if answers(sys.argv[1]) else 1)
