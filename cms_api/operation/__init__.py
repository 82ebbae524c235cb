"""Running the service: the server and its worker, restarts, health, metrics, logs, backups, the doctor."""
