"""Figures for Prometheus: requests, keys, statements, connections, jobs, restarts, processes.

Off unless CMS_METRICS or CMS_METRICS_TOKEN is set; then nothing but `folder` and `server` is even loaded.
"""
