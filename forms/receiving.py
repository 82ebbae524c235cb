"""Receives what visitors send: checks it, keeps spam apart, and stores an entry.

The sender of spam gets the answer of success. Addresses of visitors are counted as keyed hashes that change each day.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID, uuid4

import orjson
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from core import shared_counts
from core.lib import clock
from core.lib.client_address import client_address, network_of
from core.lib.errors import InvalidInput, LimitReached
from forms import guard
from forms.confirmations import confirm
from forms.models import MAX_CHARACTERS, Entry, Field, Form
from forms.records import shown_fields
from forms.rules import Problems, problem_of
from forms.spam_words import has_spam_word
from forms.uploads import GivenFiles, keep
from pages.engine.elements.forms import CONSENT, TRAP, consent_mark

MINUTE, HOUR = 60, 3_600  # seconds
# Entries of one network for one form in a minute and an hour, and of all for one form in an hour.
PER_MINUTE, PER_HOUR, OF_ALL = 5, 30, 300
WITH_TOKEN = 2  # times as many of one network
# The same of files that come before their entry.
FILES_PER_MINUTE, FILES_PER_HOUR, FILES_OF_ALL = 10, 60, 300
SAME = timedelta(minutes=10)  # in which equal entries are one
MAX_LINKS = 3  # in an entry; more are spam
_MAX_PAGE = 500  # characters of a path
_LINK = re.compile(r"https?://|\[url|<a\s", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_CONSENT, _NO_CONSENT = frozenset({"true", "on", "yes", "1"}), frozenset({"", "false", "off", "no", "0"})
Sent = Mapping[str, Sequence[str]]  # values by name


class About(NamedTuple):
    """Where an entry came from, and what its page was about: numbers of a channel and a content of the site."""

    source: str = Entry.Source.PAGE
    channel_id: int | None = None
    content_id: int | None = None


def receive(form: Form, sent: Sent, page: str, request: HttpRequest, about: About = About()) -> UUID:  # noqa: B008
    """Store an entry with the values of the form's fields, and return its token; other names are dropped.

    The same values from the same network within some minutes are one entry. Raises InvalidInput, Problems, and
    LimitReached.
    """
    if not form.takes_entries:
        raise _closed()
    folded = {name.casefold(): texts for name, texts in sent.items()}
    fields = shown_fields(form)
    files = GivenFiles(form, fields, folded, request)
    values = {field.key: _value(field, folded.get(field.folded_key, ())) for field in fields} | files.names
    problems = {
        field.key: problem for field in fields if (problem := problem_of(field, values[field.key], MAX_CHARACTERS))
    }
    if form.consent_text and (problem := _problem_of_consent(form.consent_text, folded.get(CONSENT, ()))):
        problems[CONSENT] = problem
    problems |= files.problems
    if problems:
        raise Problems("form_invalid", _("Please check what you entered."), texts=problems)
    if not any(values.values()):
        raise InvalidInput("form_empty", _("Fill in the form."))
    is_spam = _is_spam(form, folded, values)
    # The sender of spam is told nothing of tokens.
    token = None if is_spam else guard.admit(form, folded)
    visitor = visitor_of(request)
    name, times = (f"{_name(form)} {visitor} token", WITH_TOKEN) if token else (f"{_name(form)} {visitor}", 1)
    count(name, MINUTE, PER_MINUTE * times)
    count(f"{name} hour", HOUR, PER_HOUR * times)
    if wrong := files.accept():
        raise Problems("form_invalid", _("Please check what you entered."), texts=wrong)
    is_used = token is not None and not guard.use(form, folded, token)
    values |= files.names
    stored = {str(field.pk): values[field.key] for field in fields if values[field.key]}
    digest = sha256(orjson.dumps([visitor, is_spam, stored, *files.digests])).hexdigest()[:32]
    with files.stored(), transaction.atomic():
        # Locked, so that equal entries at once are one, too.
        if not Form.objects.select_for_update(no_key=True).filter(pk=form.pk).exists():
            raise _closed()
        same = form.entries.filter(created_at__gt=clock.now() - SAME, digest=digest).first()
        if same is not None:
            return same.token
        if is_used:
            raise guard.used_up()
        try:
            # Apart, so that robots without tokens do not keep visitors with tokens out.
            kind = "spam" if is_spam else "token" if token else "all"
            count(f"{_name(form)} {kind}", HOUR, OF_ALL)
        except LimitReached:
            if is_spam:
                return uuid4()  # neither stored nor told
            raise
        spam = {"state": Entry.State.SPAM, "spam_at": clock.now()} if is_spam else {}
        entry = form.entries.create(
            values=stored,
            digest=digest,
            page=page[:_MAX_PAGE],
            consent=form.consent_text,
            **about._asdict(),
            **spam,
        )
        files.attach(entry)
        if not is_spam:
            confirm(form, fields, values, _name(form), visitor)
    return entry.token


def receive_file(form: Form, field: Field, request: HttpRequest) -> UUID:
    """Store the first file of the request for an entry to come, and return its token, which counts for one entry.

    Raises InvalidInput, LimitReached and Unavailable.
    """
    if not form.takes_entries:
        raise _closed()
    file = next((files[0] for _name, files in request.FILES.lists()), None)
    if file is None:
        raise InvalidInput("file_refused", _("Choose a file."))
    visitor = visitor_of(request)
    count(f"{_name(form)} files {visitor}", MINUTE, FILES_PER_MINUTE)
    count(f"{_name(form)} files {visitor} hour", HOUR, FILES_PER_HOUR)
    count(f"{_name(form)} files all", HOUR, FILES_OF_ALL)
    return keep(form, field, file).token


def _closed() -> InvalidInput:
    return InvalidInput("form_closed", _("This form is closed."))


def _problem_of_consent(text: str, sent: Sequence[str]) -> str:
    """Return what is wrong with the tick for the text; scripts send true, pages a mark of the text that they showed."""
    given = {value.strip().casefold() for value in sent} - _NO_CONSENT
    if not given:
        return _("Your consent is needed.")
    if given <= _CONSENT or consent_mark(text) in given:
        return ""
    return _("This text has changed. Reload the page and read it again.")


def _value(field: Field, texts: Sequence[str]) -> str | list[str]:
    chosen = [text for text in map(cleaned, texts) if text]
    # As in SiteServer, several values of one name are joined.
    return chosen if field.kind == Field.Kind.CHECKBOXES else ",".join(chosen)


def cleaned(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _is_spam(form: Form, folded: Sent, values: Mapping[str, str | list[str]]) -> bool:
    texts = [text for value in values.values() for text in ([value] if isinstance(value, str) else value)]
    if has_spam_word(form.blocked_words, texts):
        return True
    if form.guard == Form.Guard.OFF:
        return False
    if any(text.strip() for text in folded.get(TRAP, ())):
        return True
    return has_many_links(value for value in values.values() if isinstance(value, str))


def has_many_links(texts: Iterable[str]) -> bool:
    return sum(len(_LINK.findall(text)) for text in texts) > MAX_LINKS


def _name(form: Form) -> str:
    """Return a name for counts, which other installations with the same Redis do not use."""
    return f"form {form.pk} {form.created_at.isoformat()}"


def visitor_of(request: HttpRequest) -> str:
    """Return a name of the visitor's network for today, which does not tell its address."""
    network = network_of(client_address(request))
    return salted_hmac("forms.visitor", f"{clock.now().date()} {network}", algorithm="sha256").hexdigest()


def is_first(name: str, seconds: int) -> bool:
    """Count, and return true if it is the first time within the seconds."""
    return shared_counts.add([name], seconds=seconds)[name].number == 1


def count(name: str, seconds: int, most: int) -> None:
    """Raises LimitReached."""
    count = shared_counts.add([name], seconds=seconds)[name]
    if count.number > most:
        message = _("The form has been sent too often. Try again in %(seconds)d seconds.")
        raise LimitReached("form_sent_too_often", message % {"seconds": count.seconds_left}, wait=count.seconds_left)
