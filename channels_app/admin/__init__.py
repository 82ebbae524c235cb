from channels_app.admin import channels

__all__ = ["channels"]
