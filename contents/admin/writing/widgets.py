"""The inputs for texts with markup and for files, as the editor brings them."""

from cms_api.admin.editor.widget import RichTextWidget, UploadWidget

__all__ = ["RichTextWidget", "UploadWidget"]
