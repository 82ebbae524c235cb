"""Path parameters."""

from django.urls.converters import IntConverter

from cms_api.rest.fields import INT64_MAX


class IdConverter(IntConverter):
    """An id of at most 64 bits; a longer number is no address of anything."""

    regex = "-?[0-9]+"

    def to_python(self, value: str) -> int:
        """The number. Raises ValueError, which Django takes for "no such route"."""
        number = int(value) if len(value) <= 20 else INT64_MAX + 1
        if abs(number) > INT64_MAX:
            raise ValueError(value)
        return number
