"""The pages of sites."""

from sites.admin import sites

__all__ = ["sites"]
