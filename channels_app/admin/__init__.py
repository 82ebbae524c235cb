"""The pages of channels: the tree of a site, forms, several channels at once."""

from channels_app.admin import channels

__all__ = ["channels"]
