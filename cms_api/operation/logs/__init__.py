"""What the service writes down of its work: lines of the log, slow statements, reports of errors.

Nothing here is loaded unless a setting asks for it, but for the filter that keeps secrets out (`secrets`).
"""
