from sites.admin import sites

__all__ = ["sites"]
