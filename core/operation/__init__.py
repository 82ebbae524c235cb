"""The running service: nodes, health, metrics, logs, periodic tasks, the doctor."""
