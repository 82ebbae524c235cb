from media_library.admin import files

__all__ = ["files"]
