"""Ends with 0 where this container's node says that it is `live`, or `ready`; for health checks of containers."""

import os
import sys
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

_SECONDS = 30  # whoever runs this has less patience


def answers(question: str) -> bool:
    """Whether the node's answer is 200."""
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
