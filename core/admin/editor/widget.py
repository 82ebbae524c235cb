import json
from collections.abc import Mapping
from typing import Any, Literal, TypedDict, Unpack

from django import forms
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from core.admin.editor import messages

Kind = Literal["image", "video", "file"]


class _Framed(forms.Widget):
    """A Django widget in a frame that the editor's script extends."""

    frame_template: str
    frame: Mapping[str, Any]
    words: Mapping[str, Promise]

    class Media:
        js = [forms.Script("cms_admin/editor/editor.js", defer=True)]

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        field = super().render(name, value, attrs, renderer)
        spoken = {word: str(text) for word, text in self.words.items()}
        spoken_text = json.dumps(spoken, ensure_ascii=False, separators=(",", ":"))
        return render_to_string(self.frame_template, {**self.frame, "field": field, "words": spoken_text})


class TextFrame(TypedDict, total=False):
    upload_url: str
    links_url: str
    version_url: str
    differences_url: str
    site_root: str
    draft_key: str
    version: int | None


class RichTextWidget(_Framed, forms.Textarea):
    """A visual HTML editor with uploads and drafts. Unedited text is sent unchanged."""

    frame_template = "cms_admin/editor/rich_text.html"
    words = messages.OF_EDITOR

    def __init__(self, attrs: dict[str, Any] | None = None, **frame: Unpack[TextFrame]) -> None:
        super().__init__(attrs)
        version = frame.get("version")
        self.frame = {**frame, "version": "" if version is None else str(version)}


class UploadWidget(_Framed, forms.TextInput):
    frame_template = "cms_admin/editor/upload.html"
    words = messages.OF_UPLOADS

    def __init__(
        self, kind: Kind, *, upload_url: str = "", site_root: str = "", attrs: dict[str, Any] | None = None
    ) -> None:
        super().__init__(attrs)
        self.frame = {"kind": kind, "upload_url": upload_url, "site_root": site_root}
