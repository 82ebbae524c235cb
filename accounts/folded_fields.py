from typing import Any
from zlib import crc32

from django.db import models

from core.lib.folding import FOLDED_LENGTH, doubled, fold


class FoldedField(models.CharField):  # type: ignore[type-arg]
    """The folded form of another field, for lookups and uniqueness. Each save computes it."""

    def __init__(self, of: str) -> None:
        self._of = of
        super().__init__(max_length=FOLDED_LENGTH, blank=True, db_default="", editable=False)

    def deconstruct(self) -> Any:
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.CharField", arguments, options

    def clone(self) -> Any:
        """Return the field as migrations know it, which do not fold."""
        return models.CharField(**self.deconstruct()[3])

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        text = getattr(model_instance, self._of)
        # If an older account has the name, the form does not change until the account is renamed.
        if add or getattr(model_instance, self.attname) != doubled(text):
            setattr(model_instance, self.attname, fold(text))
        return getattr(model_instance, self.attname)


class FoldingStamp(models.IntegerField):  # type: ignore[type-arg]
    """Differs after each change of the texts.

    Code that leaves it unchanged does not know the folded forms: a trigger guesses them and sets None.
    """

    def __init__(self, of: tuple[str, ...]) -> None:
        self._of = of
        super().__init__(null=True, editable=False)

    def deconstruct(self) -> Any:
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.IntegerField", arguments, options

    def clone(self) -> Any:
        return models.IntegerField(**self.deconstruct()[3])

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        texts = "\0".join(getattr(model_instance, name) for name in self._of)
        stamp = crc32(texts.encode("utf-8", "surrogatepass")) - 2**31
        setattr(model_instance, self.attname, stamp)
        return stamp
