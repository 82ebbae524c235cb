"""The name of this server among several, as lines of the log bear it."""

import socket

_name = ""


def node_name() -> str:
    """What `set_node_name` was told; before that the host's name."""
    return _name or socket.gethostname()


def set_node_name(name: str) -> None:
    """Have the lines of this process, and of those that it forks, bear that name; empty: leave it as it is."""
    global _name
    _name = name or _name
