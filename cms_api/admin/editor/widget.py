"""Form widgets for texts and files. Without scripts they are a plain text area and a plain text input."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from django import forms
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from cms_api.admin.editor import words

Kind = Literal["image", "video", "file"]


class _Framed(forms.Widget):
    """A widget of Django's in a frame which the editor's script makes more of."""

    frame_template: str
    frame: dict[str, str]

    class Media:
        css = {"all": ["cms_admin/editor/editor.css"]}
        js = [forms.Script("cms_admin/editor/editor.js", defer=True)]

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        """The field, with the words and addresses of the script around it."""
        field = super().render(name, value, attrs, renderer)
        return render_to_string(self.frame_template, {**self.frame, "field": field, "words": self._words()})

    def _words(self) -> str:
        raise NotImplementedError


class RichTextWidget(_Framed, forms.Textarea):
    """A visual editor of HTML, with uploads, preview, drafts and a warning when somebody else saves.

    Each of these is left out where its address or key is empty. What was not edited is sent as it was.
    """

    frame_template = "cms_admin/editor/rich_text.html"

    def __init__(
        self,
        attrs: dict[str, Any] | None = None,
        *,
        upload_url: str = "",
        preview_url: str = "",
        version_url: str = "",
        differences_url: str = "",
        site_root: str = "",
        draft_key: str = "",
        version: int | None = None,
    ) -> None:
        super().__init__(attrs)
        self.frame = {
            "upload_url": upload_url,
            "preview_url": preview_url,
            "version_url": version_url,
            "differences_url": differences_url,
            "site_root": site_root,
            "draft_key": draft_key,
            "version": "" if version is None else str(version),
        }

    def _words(self) -> str:
        return _as_json(words.OF_EDITOR)


class UploadWidget(_Framed, forms.TextInput):
    """The address of a picture, video or file, with a button and a place to drop one."""

    frame_template = "cms_admin/editor/upload.html"

    def __init__(
        self, kind: Kind, *, upload_url: str = "", site_root: str = "", attrs: dict[str, Any] | None = None
    ) -> None:
        super().__init__(attrs)
        self.frame = {"kind": kind, "upload_url": upload_url, "site_root": site_root}

    def _words(self) -> str:
        return _as_json(words.OF_UPLOADS)


def _as_json(spoken: Mapping[str, Promise]) -> str:
    return json.dumps({name: str(text) for name, text in spoken.items()}, ensure_ascii=False, separators=(",", ":"))
