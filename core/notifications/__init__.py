"""Notifications of administrators: in the admin (the bell), by e-mail immediately, or in a daily digest."""
