"""Dates as SiteServer and spreadsheets write them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAME = f"(?P<month>(?:{'|'.join(MONTHS)})[a-z]*)"
# Earlier dates mean "never" in SiteServer.
FIRST_YEAR = 1755
# Longer than any date; bounds the patterns' time on endless spaces.
MAX_LENGTH = 80

# The most frequent form comes first.
DAY_FORMS = (
    # Month first, as in .NET's invariant and en-US cultures.
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})",
    r"(?P<year>\d{4})(?P<separator>[-/.])(?P<month>\d{1,2})(?P=separator)(?P<day>\d{1,2})",
    r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
    rf"(?:[a-z]+day, )?{MONTH_NAME} (?P<day>\d{{1,2}}), (?P<year>\d{{4}})",
    rf"(?:[a-z]+day,? )?(?P<day>\d{{1,2}}) {MONTH_NAME} (?P<year>\d{{4}})",
)
TIME_FORM = (
    r"(?:t|,?\s*(?:星期.)?\s*(?P<before>上午|下午|am|pm)?\s*)"
    r"(?P<hour>\d{1,2})[:时点](?P<minute>\d{2})(?:[:分](?P<second>\d{2})(?:\.\d+)?秒?|分)?"
    r"\s*(?P<after>上午|下午|am|pm)?\s*(?P<offset>z|[+-]\d{2}:?\d{2})?"
)
FORMS = tuple(re.compile(f"{day}(?:{TIME_FORM})?(?:\\s*星期.)?", re.ASCII) for day in DAY_FORMS)
# Where a table may also come from a country that writes the day first.
WITHOUT_MONTH_FIRST = FORMS[1:]


def parse_date(text: str, time_zone: tzinfo, forms: Sequence[re.Pattern[str]] = FORMS) -> datetime | None:
    """The wall-clock time in the time zone, or None for "never". Texts without an offset are wall-clock time."""
    folded = text.strip().lower()
    found = (form.fullmatch(folded) for form in forms) if len(folded) <= MAX_LENGTH else ()
    match = next(filter(None, found), None)
    if not match:
        raise ValueError("The text is not a date in any known format.")
    month = int(match["month"]) if match["month"].isdigit() else MONTHS.index(match["month"][:3]) + 1
    half, hour = match["before"] or match["after"], int(match["hour"] or 0)
    if half in ("下午", "pm") and hour < 12:
        hour += 12
    elif half in ("上午", "am") and hour == 12:
        hour = 0
    # Whole seconds, as in SiteServer v6.
    minute, second = int(match["minute"] or 0), int(match["second"] or 0)
    moment = datetime(int(match["year"]), month, int(match["day"]), hour, minute, second)
    if moment.year < FIRST_YEAR:
        return None
    offset = match["offset"]
    if not offset:
        return moment
    zone: tzinfo = UTC
    if offset != "z":
        ahead = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
        zone = timezone(-ahead if offset[0] == "-" else ahead)
    try:
        return moment.replace(tzinfo=zone).astimezone(time_zone).replace(tzinfo=None)
    except OverflowError as error:
        raise ValueError("The date is out of range.") from error
