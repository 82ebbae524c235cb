"""Stores each e-mail in the transaction that causes it, and sends it later: an unreachable server delays no request."""
