"""The pages of API keys."""

from apikeys.admin import keys

__all__ = ["keys"]
