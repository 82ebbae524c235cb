from comments.admin import comments

__all__ = ["comments"]
