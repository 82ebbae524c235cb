from webhooks.admin import deliveries, hooks

__all__ = ["deliveries", "hooks"]
