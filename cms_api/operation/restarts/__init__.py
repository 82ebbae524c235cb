"""Restarts: who asks for one, how each node learns of it, and how gunicorn's master gives way to new code.

`asking` records the wish in one row; a thread in one worker of each node sees it (`watching`) and sends the master a
SIGHUP; `master` then checks that the new code starts (`start_check`) and replaces itself, keeping process number,
sockets and old workers (`succession`). `nodes` keeps a row for each node, which the back end shows (`pages`).
"""
