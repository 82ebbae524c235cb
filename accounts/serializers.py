"""The wire form of what clients may set of accounts; what is answered is in accounts.records."""

import re
import unicodedata
from typing import Any

from accounts.models import NAME_RULE, is_clear_name
from cms_api.rest.fields import AddressField, BooleanField, IntegerField, TextField, invalid
from cms_api.rest.serializers import WireSerializer

_MAX_SUMMARY = 10_000  # characters


class PasswordFormatField(TextField):
    """How a client wants a password kept; all ways are stored alike (design §9)."""

    _words = ("Clear", "Encrypt", "Encrypted", "Hashed")

    def read(self, value: Any, name: str) -> str:
        """One of the words, in any letter case. Raises BadRequest."""
        if not isinstance(value, str) or value.casefold() not in {word.casefold() for word in self._words}:
            raise invalid(name, f"one of {', '.join(self._words)}")
        return value


class StrippedField(TextField):
    """A text without the blanks around it."""

    def read(self, value: Any, name: str) -> str:
        """The value within the field's length. Raises BadRequest."""
        return super().read(value.strip() if isinstance(value, str) else value, name)


class AdministratorNameField(TextField):
    """A name that is easy to tell from any other."""

    def read(self, value: Any, name: str) -> str:
        """The value. Raises BadRequest for blanks around it and for control characters."""
        text = super().read(value, name)
        if not is_clear_name(text):
            raise invalid(name, NAME_RULE)
        return text


class UserNameField(TextField):
    """A name as the original allows it (original-behaviour §8.2); `@` and `.` make it an e-mail address."""

    def read(self, value: Any, name: str) -> str:
        """The value. Raises BadRequest naming the characters that a name must not have."""
        text = super().read(value, name)
        if not text:
            raise invalid(name, "a text that is not empty")
        if wrong := dict.fromkeys(letter for letter in text if _is_forbidden(letter)):
            raise invalid(name, f"a name without {' '.join(map(_shown, wrong))}")
        return text


class SiteIdsField(TextField):
    """Ids of sites, comma-separated."""

    _form = re.compile(r"\s*([0-9]{1,18}\s*(,\s*[0-9]{1,18}\s*)*)?", re.ASCII)

    def read(self, value: Any, name: str) -> str:
        """The text as it was sent. Raises BadRequest."""
        text = super().read(value, name)
        if not self._form.fullmatch(text):
            raise invalid(name, "ids of sites, joined by commas")
        return text


class AdministratorSerializer(WireSerializer):
    """What may be changed of an administrator (interface: Administrator). Rank, dates and counters may not."""

    user_name = AdministratorNameField(max_length=255)
    creator_user_name = TextField(max_length=255)
    is_locked_out = BooleanField()
    site_id_collection = SiteIdsField(max_length=10_000)
    site_id = IntegerField()
    department_id = IntegerField()
    area_id = IntegerField()
    display_name = TextField(max_length=255)
    email = StrippedField(max_length=255)
    mobile = StrippedField(max_length=50)


class AdministratorCreationSerializer(AdministratorSerializer):
    """The same of a new administrator, with a password."""

    password = TextField()  # how long it may be is a rule of accounts.validators
    password_format = PasswordFormatField()


class UserSerializer(WireSerializer):
    """What may be changed of a user (interface: Update user)."""

    user_name = UserNameField(max_length=255)
    is_checked = BooleanField()
    is_locked_out = BooleanField()
    display_name = TextField(max_length=255)
    email = StrippedField(max_length=255)
    mobile = StrippedField(max_length=50)
    avatar_url = AddressField(max_length=2000)
    organization = TextField(max_length=255)
    department = TextField(max_length=255)
    position = TextField(max_length=255)
    gender = TextField(max_length=50)
    birthday = TextField(max_length=50)
    education = TextField(max_length=255)
    graduation = TextField(max_length=255)
    address = TextField(max_length=255)
    wei_xin = TextField(max_length=255)
    qq = TextField(max_length=50)
    wei_bo = TextField(max_length=255)
    interests = TextField(max_length=255)
    signature = TextField(max_length=255)


class UserCreationSerializer(UserSerializer):
    """The same of a new user, with a password."""

    password = TextField()  # how long it may be is a rule of accounts.validators
    password_format = PasswordFormatField()


class LogEntrySerializer(WireSerializer):
    """What a client notes of a user (original-behaviour A.29)."""

    action = TextField(max_length=255)
    summary = TextField(max_length=_MAX_SUMMARY)


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc"


def _is_forbidden(letter: str) -> bool:
    return letter in "':\"<>|" or letter.isspace() or _is_control(letter)


def _shown(letter: str) -> str:
    if letter == " ":
        return "blanks"
    return f"U+{ord(letter):04X}" if letter.isspace() or _is_control(letter) else letter
