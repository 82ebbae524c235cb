"""The wire form of what clients may set of accounts; what is answered is in accounts.records."""

import re
import unicodedata
from typing import Any

from accounts import user_log
from accounts.hashers import is_md5_form
from accounts.models import NAME_RULE, is_clear_name
from accounts.validators import MAX_LENGTH
from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import AddressField, BooleanField, IntegerField, TextField, invalid
from cms_api.rest.names import to_wire
from cms_api.rest.serializers import WireSerializer

_MAX_SUMMARY = 10_000  # characters
_CONTROL = r"\x00-\x1f\x7f-\x9f"  # characters of Unicode's category Cc
_BLANKS = r"[ \t-\r]*"
_OF_NEW_ONE = "The new password in plain text; CMS_PASSWORD_MIN_LENGTH (6) to 256 characters with a letter and a digit."


class PasswordFormatField(TextField):
    """How a client wants a password kept; all ways are stored alike (design §9)."""

    words = ("Clear", "Encrypt", "Encrypted", "Hashed")

    def read(self, value: Any, name: str) -> str:
        """One of the words, in any letter case. Raises InvalidInput."""
        if not isinstance(value, str) or value.casefold() not in {word.casefold() for word in self.words}:
            raise invalid(name, f"one of {', '.join(self.words)}")
        return value


class StrippedField(TextField):
    """A text without the blanks around it."""

    def read(self, value: Any, name: str) -> str:
        """The value within the field's length. Raises InvalidInput."""
        return super().read(value.strip() if isinstance(value, str) else value, name)


class AdministratorNameField(TextField):
    """A name that is easy to tell from any other."""

    pattern = rf"^[^\s{_CONTROL}]([^{_CONTROL}]*[^\s{_CONTROL}])?$"

    def read(self, value: Any, name: str) -> str:
        """The value. Raises InvalidInput for blanks around it and for control characters."""
        text = super().read(value, name)
        if not is_clear_name(text):
            raise invalid(name, NAME_RULE)
        return text


class UserNameField(TextField):
    """A name as the original allows it (original-behaviour §8.2); `@` and `.` make it an e-mail address."""

    pattern = rf"^[^':\"<>|\s{_CONTROL}]+$"

    def read(self, value: Any, name: str) -> str:
        """The value. Raises InvalidInput naming the characters that a name must not have."""
        text = super().read(value, name)
        if not text:
            raise invalid(name, "a text that is not empty")
        if wrong := dict.fromkeys(letter for letter in text if _is_forbidden(letter)):
            raise invalid(name, f"a name without {' '.join(map(_shown, wrong))}")
        return text


class SiteIdsField(TextField):
    """Ids of sites, comma-separated."""

    pattern = rf"^{_BLANKS}([0-9]{{1,18}}{_BLANKS}(,{_BLANKS}[0-9]{{1,18}}{_BLANKS})*)?$"
    _form = re.compile(pattern)

    def read(self, value: Any, name: str) -> str:
        """The text as it was sent. Raises InvalidInput."""
        text = super().read(value, name)
        if not self._form.fullmatch(text):
            raise invalid(name, "ids of sites, joined by commas")
        return text


class AdministratorSerializer(WireSerializer):
    """What may be changed of an administrator (interface: Administrator). Rank, dates and counters may not."""

    user_name = AdministratorNameField(
        max_length=255,
        help_text="Name to sign in with, unlike every other name, e-mail address and mobile of administrators.",
    )
    creator_user_name = TextField(
        max_length=255, help_text="Who created this administrator. Default: the owner of the key."
    )
    is_locked_out = BooleanField(
        help_text="Whether the administrator is locked and cannot sign in; keys of theirs are refused too. Default: "
        "false."
    )
    site_id_collection = SiteIdsField(
        max_length=10_000,
        help_text="Ids of the sites that a site administrator looks after, comma-separated; others have "
        "none. Default: empty.",
    )
    site_id = IntegerField(help_text="The site in which the administrator last worked. Default: 0 for none.")
    department_id = IntegerField(help_text="Number of a department, kept for clients. Default: 0 for none.")
    area_id = IntegerField(help_text="Number of an area, kept for clients. Default: 0 for none.")
    display_name = TextField(
        max_length=255, help_text="Name for people; where it is empty, answers show userName. Default: empty."
    )
    email = StrippedField(
        max_length=255,
        help_text="E-mail address, unlike those of other administrators; it also serves to sign in. Default: empty.",
    )
    mobile = StrippedField(
        max_length=50,
        help_text="Mobile number, unlike those of other administrators; it also serves to sign in. Default: empty.",
    )


class AdministratorCreationSerializer(AdministratorSerializer):
    """The same of a new administrator, with a password."""

    password = TextField(
        help_text="The password in plain text; CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH (10) to 256 characters with a "
        "letter and a digit; not a common password, and not like the name."
    )  # how long it may be is a rule of accounts.validators
    password_format = PasswordFormatField(
        help_text="Clear, Encrypt, Encrypted or Hashed, in any letter case; all are stored alike. Default: Encrypted."
    )


class UserSerializer(WireSerializer):
    """What may be changed of a user (interface: Update user)."""

    user_name = UserNameField(
        max_length=255,
        help_text="Name to sign in with, unlike every name, e-mail address and mobile of other users; without blanks "
        "and the signs ' : \" < > |.",
    )
    is_checked = BooleanField(help_text="Whether the user is approved and may sign in. Default: true.")
    is_locked_out = BooleanField(help_text="Whether the user is locked and cannot sign in. Default: false.")
    display_name = TextField(max_length=255, help_text="Name for people. Default: empty.")
    email = StrippedField(
        max_length=255,
        help_text="E-mail address, unlike those of other users; it also serves to sign in. Default: empty.",
    )
    mobile = StrippedField(
        max_length=50,
        help_text="Mobile number, unlike those of other users; it also serves to sign in. Default: empty.",
    )
    avatar_url = AddressField(
        max_length=2000,
        help_text="Address of the picture; a new one replaces an uploaded picture. No javascript: or data: scheme. "
        "Default: empty.",
    )
    organization = TextField(max_length=255, help_text="Organisation that the user belongs to. Default: empty.")
    department = TextField(max_length=255, help_text="Department within the organisation. Default: empty.")
    position = TextField(max_length=255, help_text="Position within the organisation. Default: empty.")
    gender = TextField(max_length=50, help_text="Gender, in the words of the client. Default: empty.")
    birthday = TextField(max_length=50, help_text="Day of birth, as the client writes it. Default: empty.")
    education = TextField(max_length=255, help_text="School or education, as the client writes it. Default: empty.")
    graduation = TextField(max_length=255, help_text="Degree, as the client writes it. Default: empty.")
    address = TextField(max_length=255, help_text="Postal address, as the client writes it. Default: empty.")
    wei_xin = TextField(max_length=255, help_text="Name on WeChat (Weixin). Default: empty.")
    qq = TextField(max_length=50, help_text="Number or name on QQ. Default: empty.")
    wei_bo = TextField(max_length=255, help_text="Name on Weibo. Default: empty.")
    interests = TextField(max_length=255, help_text="Interests of the user, as free text. Default: empty.")
    signature = TextField(max_length=255, help_text="Signature under what the user writes. Default: empty.")


class UserCreationSerializer(UserSerializer):
    """The same of a new user, with a password."""

    password = TextField(
        help_text="The password in plain text; CMS_PASSWORD_MIN_LENGTH (6) to 256 characters with a letter and a digit."
    )  # how long it may be is a rule of accounts.validators
    password_format = PasswordFormatField(
        help_text="Clear, Encrypt, Encrypted or Hashed, in any letter case; all are stored alike. Default: Encrypted."
    )


class NoteField(TextField):
    """A text that cannot be taken for one of the service's own entries in the log of a user."""

    def read(self, value: Any, name: str) -> str:
        """The value. Raises InvalidInput for the words of the service."""
        text = super().read(value, name)
        if user_log.is_reserved(text):
            raise invalid(name, "a text that the service does not use itself for sign-ins and new passwords")
        return text


class LogEntrySerializer(WireSerializer):
    """An entry that a client adds to the log of a user."""

    action = NoteField(
        max_length=255,
        help_text="What happened, in a word or two such as Borrowed. Those of the service, such as Sign-in, are "
        "refused. Default: empty.",
    )
    summary = NoteField(max_length=_MAX_SUMMARY, help_text="What happened, as a sentence. Default: empty.")


class Md5Field(TextField):
    """A password by its MD5, in either letter case."""

    def read(self, value: Any, name: str) -> str:
        """The value. Raises InvalidInput for anything else, a plain password among it."""
        text = super().read(value, name)
        if text and not is_md5_form(text):
            raise invalid(name, "the MD5 of the present password, in 32 hexadecimal digits")
        return text


class CredentialsSerializer(WireSerializer):
    """Members of which each is required."""

    @classmethod
    def read_all(cls, body: dict[str, Any]) -> dict[str, str]:
        """The members by Python name. Raises InvalidInput naming the first that is missing or empty."""
        values = cls.read(body).values
        for name in cls.field_table():
            if not values.get(name):
                wire = to_wire(name)
                raise InvalidInput("missing_member", f"{wire} is required and must not be empty.", member=wire)
        return values


class LoginSerializer(CredentialsSerializer):
    """A login: the password plain or by its MD5."""

    account = StrippedField(max_length=255, help_text="Name, e-mail address or mobile of who signs in.")
    password = TextField(
        max_length=MAX_LENGTH, help_text="The password in plain text, or its MD5 in 32 hexadecimal digits."
    )


class PasswordSerializer(CredentialsSerializer):
    """A change of the password of whom the body names."""

    account = StrippedField(max_length=255, help_text="Name, e-mail address or mobile of whose password it is.")
    password = Md5Field(help_text="The present password by its MD5, in 32 hexadecimal digits of either letter case.")
    # Its length is among the rules for new passwords.
    new_password = TextField(
        help_text=f"{_OF_NEW_ONE} One of an administrator has CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH (10) characters at "
        "least, and is neither common nor like the name."
    )


class OwnPasswordSerializer(CredentialsSerializer):
    """A change of the password of whom the path names: the old one plain or by its MD5."""

    password = TextField(
        max_length=MAX_LENGTH, help_text="The present password in plain text, or its MD5 in 32 hexadecimal digits."
    )
    new_password = TextField(help_text=_OF_NEW_ONE)


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc"


def _is_forbidden(letter: str) -> bool:
    return letter in "':\"<>|" or letter.isspace() or _is_control(letter)


def _shown(letter: str) -> str:
    if letter == " ":
        return "blanks"
    return f"U+{ord(letter):04X}" if letter.isspace() or _is_control(letter) else letter
