"""Restarts: from the order to gunicorn's master loading new code.

`core.operation.nodes` stores the order and a row per node; a thread in one worker of each node (`watching`) sends
SIGHUP; `arbiter` checks the new code (`start_check`) and replaces itself, keeping process id, sockets and workers
(`inherited_sockets`).
"""
