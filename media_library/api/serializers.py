from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from core.rest.fields import IntegerField, TextField, invalid
from core.rest.serializers import Members, WireSerializer
from media_library.fetching import MAX_URL
from media_library.models import MediaFile


def _length(column: str) -> int:
    field: Any = MediaFile._meta.get_field(column)
    return int(field.max_length)


class FocalPointField(serializers.DictField):
    """Two fractions as `{"x": 0.5, "y": 0.5}`."""

    def read(self, value: Any, name: str) -> tuple[float, float]:
        numbers = {key.casefold(): number for key, number in value.items()} if isinstance(value, dict) else {}
        if set(numbers) != {"x", "y"} or not all(_is_fraction(number) for number in numbers.values()):
            raise invalid(name, "an object with x and y, numbers from 0 to 1")
        return float(numbers["x"]), float(numbers["y"])


def _is_fraction(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


class MediaTextsSerializer(WireSerializer):
    """Members that a form may have beside its files."""

    title = TextField(max_length=_length("title"), help_text="Title. Default: the name of the file.")
    alternative_text = TextField(
        max_length=_length("alternative_text"),
        help_text="What a picture shows, for readers who do not see it. Default: empty.",
    )
    credit = TextField(max_length=_length("credit"), help_text="Author or source. Default: empty.")
    tags = TextField(max_length=_length("tags"), help_text="Tags, comma-separated. Default: empty.")
    folder_id = IntegerField(min_value=0, help_text="Id of the folder of the library; 0: none. Default: 0.")


class MediaChangesSerializer(MediaTextsSerializer):
    focal_point = FocalPointField(
        help_text="Point that a cut picture keeps, as fractions of width and height; null: none. Default: null."
    )

    @classmethod
    def read(cls, body: dict[str, Any], *, require: Iterable[str] = ()) -> Members:
        """Read as usual, but null removes the focal point."""
        members = super().read(body, require=require)
        if any(value is None and name.casefold() == "focalpoint" for name, value in body.items()):
            members.values["focal_point"] = None
        return members


class FileSerializer(WireSerializer):
    """A file in JSON: its bytes or its address."""

    name = TextField(max_length=255, help_text="Name of the file, such as photo.jpg. Default: as in sourceUrl.")
    content = TextField(help_text="The bytes in Base64. Default: those at sourceUrl.")
    source_url = TextField(
        max_length=MAX_URL,
        help_text="Address of the file on the public Internet: http or https, without user name, at port 80, 443, or "
        "1024 or more. Default: none; required without content.",
    )
