"""What is wrong with the settings of the SQL endpoint, which is closed then while the service goes on."""

from django.conf import settings

from cms_api.sql_endpoint.reader_role import open_tables, operators_address

# A setting, and the least and the most that it may be.
_RANGES: tuple[tuple[str, float, float], ...] = (
    ("CMS_SQL_SECONDS", 0.05, 60),
    ("CMS_SQL_MAX_ROWS", 1, 100_000),
    ("CMS_SQL_MAX_BYTES", 1000, 64 * 1024 * 1024),
    ("CMS_SQL_SLOTS", 0, 64),
)


def find_problems() -> list[str]:
    """Everything that is wrong with the settings, a sentence each, without a secret; empty if nothing is."""
    problems = []
    for name, least, most in _RANGES:
        value = getattr(settings, name)
        # "Not within" and not "below or above", so that nan is refused too.
        if not least <= value <= most:
            problems.append(f"{name} is {value}; it has to be between {least} and {most}.")
    for read, prefix in ((open_tables, "CMS_SQL_TABLES: "), (operators_address, "")):
        try:
            read()
        except ValueError as error:
            problems.append(f"{prefix}{error}")
    return problems
