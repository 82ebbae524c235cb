"""A running server of release 1.0 imports this from new code, to try it before a restart."""

from server.restarts.start_check import try_to_start as try_to_start
