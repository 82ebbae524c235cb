from apikeys.admin import keys

__all__ = ["keys"]
