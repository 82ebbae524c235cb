"""The running service: server and worker, restarts, health, metrics, logs, backups, the doctor."""
