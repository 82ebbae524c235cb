"""The forms of a date in site templates, which depend on the version and language of the server."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAME = f"(?P<month>(?:{'|'.join(MONTHS)})[a-z]*)"
# Dates before this year are the product's ways to say that something never happened.
FIRST_YEAR = 1755
# Longer than any date; the forms take long for endless spaces.
MAX_LENGTH = 80

# The most frequent form comes first.
DAY_FORMS = (
    # Month first, as in the invariant and the American culture of the exporting program.
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})",
    r"(?P<year>\d{4})(?P<separator>[-/.])(?P<month>\d{1,2})(?P=separator)(?P<day>\d{1,2})",
    r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
    rf"(?:[a-z]+day, )?{MONTH_NAME} (?P<day>\d{{1,2}}), (?P<year>\d{{4}})",
    rf"(?:[a-z]+day,? )?(?P<day>\d{{1,2}}) {MONTH_NAME} (?P<year>\d{{4}})",
)
TIME_FORM = (
    r"(?:t|,?\s*(?:星期.)?\s*(?P<before>上午|下午)?\s*)"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"\s*(?P<after>上午|下午|am|pm)?\s*(?P<offset>z|[+-]\d{2}:?\d{2})?"
)
FORMS = tuple(re.compile(f"{day}(?:{TIME_FORM})?(?:\\s*星期.)?", re.ASCII) for day in DAY_FORMS)


def parse_date(text: str, time_zone: tzinfo) -> datetime | None:
    """Return the wall-clock time in the time zone, or None for a date that never happened.

    A text with an offset is converted; any other is taken to be wall-clock time already.
    """
    folded = text.strip().lower()
    forms = FORMS if len(folded) <= MAX_LENGTH else ()
    match = next(filter(None, (form.fullmatch(folded) for form in forms)), None)
    if not match:
        raise ValueError("The text is in no known form of a date.")
    return _moment(match, time_zone)


def _moment(match: re.Match[str], time_zone: tzinfo) -> datetime | None:
    day = int(match["year"]), _month(match["month"]), int(match["day"])
    # The service keeps whole seconds, as the original does.
    moment = datetime(*day, _hour(match), int(match["minute"] or 0), int(match["second"] or 0))
    if moment.year < FIRST_YEAR:
        return None
    return _convert(moment, match["offset"], time_zone) if match["offset"] else moment


def _convert(moment: datetime, offset: str, time_zone: tzinfo) -> datetime:
    try:
        return moment.replace(tzinfo=_offset(offset)).astimezone(time_zone).replace(tzinfo=None)
    except OverflowError as error:
        raise ValueError("The date is out of range.") from error


def _month(text: str) -> int:
    return int(text) if text.isdigit() else MONTHS.index(text[:3]) + 1


def _hour(match: re.Match[str]) -> int:
    half = match["before"] or match["after"]
    hour = int(match["hour"] or 0)
    if half in ("下午", "pm") and hour < 12:
        return hour + 12
    return 0 if half in ("上午", "am") and hour == 12 else hour


def _offset(text: str) -> timezone:
    if text == "z":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    return timezone((-1 if text[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))
