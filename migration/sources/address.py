from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from migration.sources.source import SourceError


@dataclass(frozen=True)
class Address:
    """Where a database is, from a URL whose parts may be percent-encoded. Shown without user and password."""

    host: str
    port: int
    database: str
    user: str = field(repr=False)
    password: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.database} on {self.host}:{self.port}"

    @classmethod
    def of_url(cls, url: str, default_port: int) -> "Address":
        """Raises SourceError, without the URL, because it may contain a password."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or default_port
        except ValueError as error:
            # Its message may contain a part of the password.
            raise SourceError(_FORM) from (None if "@" in url else error)
        database = unquote(parts.path[1:])
        if not host or not database or "/" in database or parts.query or parts.fragment:
            raise SourceError(_FORM)
        return cls(unquote(host), port, database, unquote(parts.username or ""), unquote(parts.password or ""))

    def without_password(self, text: str) -> str:
        """Return the text, such as a message of the driver, with the password replaced."""
        return text.replace(self.password, "…") if self.password else text


_FORM = (
    "The address of a database must look like mysql://user:password@host:port/name, with characters such as @, / and ? "
    "of the user and the password percent-encoded, as in %40."
)
