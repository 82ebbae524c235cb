"""Notifications of administrators: in the admin (the bell), by e-mail at once, or in a daily digest."""
