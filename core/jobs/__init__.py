"""Jobs: long work ordered in the admin and done by a separate process (docs/operations.md, "Jobs").

Apps register `kinds` and order them by `asking`; `running` starts `manage.py run_job` on the node that got the request.
`progress` is visible to others during the job's one long transaction.
"""
