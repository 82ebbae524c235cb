import re
import unicodedata
from typing import Any, ClassVar

from accounts import user_log
from accounts.hashers import is_md5_form
from accounts.models import NAME_RULE, is_clear_name
from accounts.validators import MAX_LENGTH
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.rest.fields import AddressField, BooleanField, IntegerField, TextField, invalid
from core.rest.names import to_wire
from core.rest.serializers import WireSerializer

_CONTROL = r"\x00-\x1f\x7f-\x9f"  # characters of Unicode's category Cc
_BLANKS = r"[ \t-\r]*"
_OF_NEW_ONE = "New password in plain text: CMS_PASSWORD_MIN_LENGTH (6) to 256 characters with a letter and a digit."


class PasswordFormatField(TextField):
    """Checks how a client wants a password stored; all ways are stored alike."""

    words = ("Clear", "Encrypt", "Encrypted", "Hashed")

    def read(self, value: Any, name: str) -> str:
        if not isinstance(value, str) or value.casefold() not in {word.casefold() for word in self.words}:
            raise invalid(name, f"one of {', '.join(self.words)}")
        return value


class StrippedField(TextField):
    def read(self, value: Any, name: str) -> str:
        return super().read(value.strip() if isinstance(value, str) else value, name)


class ContactField(StrippedField):
    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        return "" if is_blank(text) else text


class AdministratorNameField(TextField):
    pattern = rf"^[^\s{_CONTROL}]([^{_CONTROL}]*[^\s{_CONTROL}])?$"

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if not is_clear_name(text):
            raise invalid(name, NAME_RULE)
        return text


class UserNameField(TextField):
    """A name by SiteServer's rules; `@` and `.` are allowed, so an e-mail address may be a name."""

    pattern = rf"""^[^':"<>|\s{_CONTROL}]+$"""

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if not text:
            raise invalid(name, "a text that is not empty")
        wrong: dict[str, str] = {}  # letter → its form in the message
        for letter in text:
            if letter.isspace() or unicodedata.category(letter) == "Cc":
                wrong[letter] = "blanks" if letter == " " else f"U+{ord(letter):04X}"
            elif letter in "':\"<>|":
                wrong[letter] = letter
        if wrong:
            raise invalid(name, f"a name without {' '.join(wrong.values())}")
        if is_blank(text):
            raise invalid(name, "a name that shows something")
        return text


class SiteIdsField(TextField):
    pattern = rf"^{_BLANKS}([0-9]{{1,18}}{_BLANKS}(,{_BLANKS}[0-9]{{1,18}}{_BLANKS})*)?$"
    _form = re.compile(pattern)

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if not self._form.fullmatch(text):
            raise invalid(name, "ids of sites, joined by commas")
        return text


class AdministratorSerializer(WireSerializer):
    user_name = AdministratorNameField(
        max_length=255,
        help_text="Name for signing in, distinct from every name, email and mobile of other administrators.",
    )
    creator_user_name = TextField(max_length=255, help_text="Creator of the administrator. Default: the key's owner.")
    is_locked_out = BooleanField(help_text="Locks the administrator and its API keys. Default: false.")
    site_id_collection = SiteIdsField(
        max_length=10_000,
        help_text="Ids of a site administrator's sites, comma-separated; empty for others. Default: empty.",
    )
    site_id = IntegerField(help_text="Site in which the administrator last worked. Default: 0 for none.")
    department_id = IntegerField(help_text="Department id, stored for clients. Default: 0 for none.")
    area_id = IntegerField(help_text="Area id, stored for clients. Default: 0 for none.")
    display_name = TextField(
        max_length=255, help_text="Display name; if empty, responses show userName. Default: empty."
    )
    email = ContactField(
        max_length=255,
        help_text="Email address, unique among administrators; also for signing in. Default: empty.",
    )
    mobile = ContactField(
        max_length=50,
        help_text="Mobile number, unique among administrators; also for signing in. Default: empty.",
    )


class AdministratorCreationSerializer(AdministratorSerializer):
    password = TextField(
        help_text="Password in plain text: CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH (8) to 256 characters with a letter "
        "and a digit; not common and not similar to the name."
    )  # accounts.validators limits its length
    password_format = PasswordFormatField(
        help_text="Clear, Encrypt, Encrypted or Hashed, in any letter case; all are stored alike. Default: Encrypted."
    )


class UserSerializer(WireSerializer):
    user_name = UserNameField(
        max_length=255,
        help_text="Name for signing in, distinct from every name, email and mobile of other users; without blanks "
        "and ' : \" < > |.",
    )
    is_checked = BooleanField(help_text="Approved users may sign in. Default: true.")
    is_locked_out = BooleanField(help_text="Locked users cannot sign in. Default: false.")
    display_name = TextField(max_length=255, help_text="Display name. Default: empty.")
    email = ContactField(
        max_length=255,
        help_text="Email address, unique among users; also for signing in. Default: empty.",
    )
    mobile = ContactField(
        max_length=50,
        help_text="Mobile number, unique among users; also for signing in. Default: empty.",
    )
    avatar_url = AddressField(
        max_length=2000,
        help_text="URL of the picture; a new one replaces an uploaded picture. No javascript: or data: scheme. "
        "Default: empty.",
    )
    organization = TextField(max_length=255, help_text="Organisation of the user. Default: empty.")
    department = TextField(max_length=255, help_text="Department within the organisation. Default: empty.")
    position = TextField(max_length=255, help_text="Position within the organisation. Default: empty.")
    gender = TextField(max_length=50, help_text="Gender, as free text. Default: empty.")
    birthday = TextField(max_length=50, help_text="Birthday, as free text. Default: empty.")
    education = TextField(max_length=255, help_text="Education, as free text. Default: empty.")
    graduation = TextField(max_length=255, help_text="Degree, as free text. Default: empty.")
    address = TextField(max_length=255, help_text="Postal address, as free text. Default: empty.")
    wei_xin = TextField(max_length=255, help_text="Name on WeChat (Weixin). Default: empty.")
    qq = TextField(max_length=50, help_text="QQ number or name. Default: empty.")
    wei_bo = TextField(max_length=255, help_text="Name on Weibo. Default: empty.")
    interests = TextField(max_length=255, help_text="Interests, as free text. Default: empty.")
    signature = TextField(max_length=255, help_text="Signature below the user's posts. Default: empty.")


class UserCreationSerializer(UserSerializer):
    password = TextField(
        help_text="Password in plain text: CMS_PASSWORD_MIN_LENGTH (6) to 256 characters with a letter and a digit."
    )  # accounts.validators limits its length
    password_format = PasswordFormatField(
        help_text="Clear, Encrypt, Encrypted or Hashed, in any letter case; all are stored alike. Default: Encrypted."
    )


class NoteField(TextField):
    """A text that cannot be mistaken for one of the service's own entries in the user's log."""

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if user_log.is_reserved(text):
            raise invalid(name, "a text other than those that the service uses for sign-ins and new passwords")
        return text


class LogEntrySerializer(WireSerializer):
    action = NoteField(
        max_length=255,
        help_text="Short name of the event, such as Borrowed. Names of the service, such as Sign-in, are rejected. "
        "Default: empty.",
    )
    summary = NoteField(max_length=10_000, help_text="The event as a sentence. Default: empty.")


class Md5Field(TextField):
    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if text and not is_md5_form(text):
            raise invalid(name, "the MD5 of the current password, in 32 hexadecimal digits")
        return text


class CredentialsSerializer(WireSerializer):
    OPTIONAL: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def read_all(cls, body: dict[str, Any]) -> dict[str, str]:
        """Read members. Raises InvalidInput for the first that is missing or empty, unless it is optional."""
        values = cls.read(body).values
        for name in cls.field_table():
            if not values.get(name) and name not in cls.OPTIONAL:
                wire = to_wire(name)
                raise InvalidInput("missing_member", f"{wire} is required and must not be empty.", member=wire)
        return values


class LoginSerializer(CredentialsSerializer):
    account = StrippedField(max_length=255, help_text="Name, email address or mobile number.")
    password = TextField(
        max_length=MAX_LENGTH, help_text="Password in plain text, or its MD5 in 32 hexadecimal digits."
    )


class AdministratorLoginSerializer(LoginSerializer):
    OPTIONAL = ("code",)

    code = TextField(
        max_length=64,
        help_text="Code of the authenticator app, or a recovery code; for accounts with a second factor. Default: "
        "empty.",
    )


class PasswordSerializer(CredentialsSerializer):
    account = StrippedField(max_length=255, help_text="Name, email address or mobile number of the account.")
    password = Md5Field(help_text="MD5 of the current password, in 32 hexadecimal digits of either letter case.")
    # accounts.validators limits its length.
    new_password = TextField(
        help_text=f"{_OF_NEW_ONE} For an administrator at least CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH (8) characters, "
        "not common and not similar to the name."
    )


class OwnPasswordSerializer(CredentialsSerializer):
    password = TextField(
        max_length=MAX_LENGTH, help_text="Current password in plain text, or its MD5 in 32 hexadecimal digits."
    )
    new_password = TextField(help_text=_OF_NEW_ONE)


class CaptchaSerializer(WireSerializer):
    captcha = TextField(help_text="The four characters of the picture, in any letter case.")
