"""The wire form of what somebody presents to sign in or to change a password (original-behaviour A.16, A.18)."""

from typing import Any

from accounts.hashers import is_md5_form
from accounts.serializers import StrippedField
from accounts.validators import MAX_LENGTH
from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import TextField, invalid
from cms_api.rest.names import to_wire
from cms_api.rest.serializers import WireSerializer

_OF_NEW_ONE = "The new password in plain text; CMS_PASSWORD_MIN_LENGTH (6) to 256 characters with a letter and a digit."


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
